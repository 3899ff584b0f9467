"""Signed connectivity without loss: from correlations through a pipeline to names and files."""

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC

import dugraph as dg
from dugraph.data.edges import triangle_edges
from dugraph.exceptions import InputError

RNG = np.random.default_rng(0)
R = RNG.uniform(-1, 1, (16, 6))
Y = np.arange(16) % 2
R[:, 0] = np.where(Y, -0.8, 0.8) + RNG.uniform(-0.1, 0.1, 16)  # the sign tells the classes
LABELS = ["A", "B", "C", "D"]


def signed(R, *args, **parameters):
    return dg.EdgeProbability(*args, layers="signed", **parameters).fit_transform(R)


def test_both_signs_are_adjacent_columns():
    found = signed(R)
    assert found.shape == (16, 12)
    np.testing.assert_array_equal(found[:, 0::2], np.where(R < 0, -R, 0))
    np.testing.assert_array_equal(found[:, 1::2], np.where(R > 0, R, 0))
    np.testing.assert_array_equal(found[:, 1::2] - found[:, 0::2], R)  # nothing is lost
    assert not np.signbit(found).any()


@pytest.mark.parametrize(
    ("method", "more"), [("positive", {}), ("fisher", {"n_timepoints": 30}), ("rank", {})]
)
@pytest.mark.parametrize("threshold", [None, 0.4])
def test_each_layer_is_the_method_of_its_sign(method, more, threshold):
    found = signed(R, method, threshold=threshold, **more)
    one = dg.EdgeProbability(method, threshold=threshold, **more)
    np.testing.assert_array_equal(found[:, 1::2], one.fit_transform(R))
    np.testing.assert_array_equal(found[:, 0::2], one.fit_transform(-R))


def test_density_counts_links_of_both_signs():
    found = signed(R, density=0.5)
    assert ((found > 0).sum(axis=1) == 3).all()
    strength = np.sort(np.abs(R), axis=1)[:, ::-1][:, :3]
    np.testing.assert_allclose(np.sort(found, axis=1)[:, ::-1][:, :3], strength)
    # Of "fisher", where both links of a pair have a probability, the one of the sign of r stays.
    fisher = signed(R, "fisher", n_timepoints=20, density=1.0)
    assert ((fisher > 0).sum(axis=1) == 6).all()
    np.testing.assert_array_equal(fisher[:, 1::2] > 0, R > 0)


def test_names():
    mapping = dg.EdgeProbability(layers="signed").fit(R)
    assert mapping.get_feature_names_out(list("abcdef"))[:3].tolist() == [
        "a [negative]",
        "a [positive]",
        "b [negative]",
    ]
    assert mapping.get_feature_names_out()[-1] == "x5 [positive]"
    pd = pytest.importorskip("pandas")
    frame = dg.EdgeProbability(layers="signed").set_output(transform="pandas").fit_transform(pd.DataFrame(R))
    assert frame.shape == (16, 12)


def test_invalid_layers_are_refused():
    with pytest.raises(InputError, match="layers must be \"signed\" or None, but is 'both'"):
        dg.EdgeProbability(layers="both").fit(R)
    with pytest.raises(InputError, match=r'"absolute" drops the signs.*Use method="positive"'):
        signed(R, "absolute")
    with pytest.raises(InputError, match='layers must be "signed" or None, but is 1'):
        dg.TimeSeriesEdgeProbability(layers=1).fit([R])


def test_time_series_give_the_same_columns():
    series = [RNG.standard_normal((40, 4)) + RNG.standard_normal((40, 1)) * [1, -1, 1, 0] for _ in range(3)]
    plain = dg.TimeSeriesEdgeProbability().fit_transform(series)
    both = dg.TimeSeriesEdgeProbability(layers="signed")
    found = both.fit_transform(series)
    np.testing.assert_array_equal(found[:, 1::2], plain)
    r = np.array([np.corrcoef(one.T)[np.tril_indices(4, -1)] for one in series])
    np.testing.assert_allclose(found[:, 1::2] - found[:, 0::2], r, atol=1e-12)
    assert both.get_feature_names_out()[:2].tolist() == ["0--1 [negative]", "0--1 [positive]"]
    fisher = dg.TimeSeriesEdgeProbability("fisher", threshold=0.2, layers="signed").fit_transform(series)
    t = np.abs(r) * np.sqrt(38 / (1 - r**2))
    expected = np.where(np.abs(r) > 0.2, stats.t.cdf(t, 38), 0)
    np.testing.assert_allclose(fisher[:, 0::2] + fisher[:, 1::2], expected, rtol=1e-9)


def test_bootstrap_shares_of_both_signs_come_from_the_same_resamples():
    series = [RNG.standard_normal((30, 3))]
    settings = {"threshold": 0.0, "n_resamples": 200, "random_state": 3}
    plain = dg.TimeSeriesEdgeProbability("bootstrap", **settings).fit_transform(series)
    found = dg.TimeSeriesEdgeProbability("bootstrap", **settings, layers="signed").fit_transform(series)
    np.testing.assert_array_equal(found[:, 1::2], plain)
    np.testing.assert_allclose(found[:, 0::2] + found[:, 1::2], 1)


def selector(**parameters):
    settings = {"n_subgraphs": 3, "min_expected_frequency": 0.05, "max_edges": 2} | parameters
    return dg.SubgraphSelector(edge_layers="signed", **settings)


def test_a_pipeline_finds_the_sign():
    pipeline = make_pipeline(dg.EdgeProbability(layers="signed"), selector(node_labels=LABELS)).fit(R, Y)
    chosen = pipeline[-1]
    assert {"{A--B [negative]}", "{A--B [positive]}"} <= set(pipeline.get_feature_names_out())
    edges, layers = dg.signed_edges(triangle_edges(4))
    assert chosen.edge_layers_ == layers
    np.testing.assert_array_equal(chosen.edges_, edges)
    graphs = dg.UncertainGraphs(signed(R), edges, LABELS, edge_layers=layers)
    same = dg.mine_subgraphs(graphs, Y, n_subgraphs=3, min_expected_frequency=0.05, max_edges=2)
    assert chosen.subgraphs_ == same.subgraphs
    assert chosen.values_.tobytes() == same.values.tobytes()
    np.testing.assert_array_equal(chosen.transform(graphs), chosen.transform(signed(R)))


def test_a_grid_of_signs_and_correlations():
    steps = [
        ("edges", dg.EdgeProbability(layers="signed")),
        ("selector", selector()),
        ("svm", SVC(kernel="linear")),
    ]
    grid = {"edges__threshold": [None, 0.3], "selector__max_correlation": [None, 0.5]}
    search = GridSearchCV(Pipeline(steps), grid, cv=2, error_score="raise").fit(R, Y)
    assert search.best_score_ == 1


def test_given_edges():
    path = [(0, 1), (1, 2), (2, 3)]
    chosen = selector(edges=path).fit(signed(R[:, :3]), Y)
    assert chosen.result_.names[0].startswith("{0--1 [")
    named = dg.SubgraphSelector(
        edges=[(0, 1), (0, 1)], edge_layers=["fmri", "dti"], n_subgraphs=1, min_expected_frequency=0.05
    ).fit(np.abs(R[:, :2]), Y)
    assert named.edge_layers_ == ("fmri", "dti")


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (np.abs(R[:, :5]), {}, "two columns for each pair of nodes, but X has 5 columns. Make them"),
        (
            np.abs(R),
            {"edges": [(0, 1)] * 2},
            "two columns for each of the 2 edges, but X has 6",
        ),
        (np.abs(R), {"edge_layers": "sign"}, "one name per column, \"signed\" or None, but is 'sign'"),
        (np.abs(R), {"edge_layers": ["a"]}, "edge_layers must have one name per edge: got 1 name for 6"),
        (np.abs(R[:, :4]), {}, "must have V.V-1./2 columns"),
        (dg.UncertainGraphs(np.abs(R)), {}, "edge_layers must be given once: X is an UncertainGraphs"),
    ],
)
def test_inconsistent_columns_are_refused(X, parameters, message):
    with pytest.raises(InputError, match=message):
        selector().set_params(**parameters).fit(X, Y)


def test_a_saved_selector_is_restored(tmp_path):
    fitted = selector(max_correlation=0.6).fit(signed(R), Y)
    fitted.to_json(tmp_path / "model.json")
    back = dg.SubgraphSelector.from_json(tmp_path / "model.json")
    assert back.get_params() == fitted.get_params()
    assert back.result_.parameters == fitted.result_.parameters
    assert back.result_.names == fitted.result_.names
    assert back.edge_layers_ == fitted.edge_layers_
    assert back.transform(signed(R)).tobytes() == fitted.transform(signed(R)).tobytes()
