"""`SubgraphSelector`: input types, features, names, parameters, errors."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import dugraph as dg
from dugraph.estimators import SubgraphSelector
from dugraph.exceptions import AssumedEdgesWarning, FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.search.mining import mine_within

RNG = np.random.default_rng(1)
X = RNG.random((24, 15)).round(3)
X[::2, :4] = np.sqrt(X[::2, :4])
Y = np.tile([1, 0], 12)
NAMES = ["A", "B", "C", "D", "E", "F"]
FEW = {"n_subgraphs": 8}


def fitted(**parameters):
    return SubgraphSelector(**(FEW | parameters)).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "score", "measure", "classes"),
    [
        (Y, "g_test", "median", [0, 1]),
        (X[:, 0] - X[:, 7], "hsic", "expectation", []),
        (
            np.array(["high", "low", "none"])[np.arange(24) % 3],
            "hsic",
            "expectation",
            ["high", "low", "none"],
        ),
    ],
)
def test_subgraphs_are_those_of_mine_subgraphs(y, score, measure, classes):
    selector = SubgraphSelector(score_func=score, measure=measure, **FEW).fit(X, y)
    result = dg.mine_subgraphs(X, y, score=score, measure=measure, **FEW)
    assert selector.subgraphs_ == result.subgraphs
    assert selector.values_.tobytes() == result.values.tobytes()
    assert selector.result_.success
    assert selector.classes_.tolist() == classes
    assert selector.n_features_in_ == 15
    assert selector.edges_.tolist() == np.stack(np.tril_indices(6, -1), axis=1).tolist()


def test_features_are_containment_probabilities():
    selector = fitted()
    expected = [dg.containment_probability(X, subgraph) for subgraph in selector.subgraphs_]
    np.testing.assert_array_equal(selector.transform(X), np.transpose(expected))


@pytest.mark.parametrize(
    "convert",
    [
        sparse.csr_matrix,
        sparse.csr_array,
        sparse.coo_array,
        lambda X: pd.DataFrame(X).add_prefix("x"),
        dg.UncertainGraphs,
        np.asfortranarray,
        np.ndarray.tolist,
    ],
)
def test_every_container_gives_the_same_features(convert):
    expected = fitted().transform(X)
    selector = SubgraphSelector(**FEW)
    np.testing.assert_array_equal(selector.fit_transform(convert(X), Y), expected)
    np.testing.assert_array_equal(selector.transform(convert(X)), expected)


def test_names_come_from_node_labels_graphs_or_numbers():
    graphs = dg.UncertainGraphs(X, node_labels=NAMES)
    by_graphs = SubgraphSelector(**FEW).fit(graphs, Y).get_feature_names_out()
    by_labels = fitted(node_labels=NAMES).get_feature_names_out()
    assert by_graphs.tolist() == by_labels.tolist()
    assert by_labels[0] == graphs.subgraph_name(fitted().subgraphs_[0])
    numbered = fitted().get_feature_names_out()
    assert numbered[0] == "".join(str(NAMES.index(c)) if c in NAMES else c for c in by_labels[0])


def test_set_output_names_the_columns():
    selector = SubgraphSelector(node_labels=NAMES, **FEW).set_output(transform="pandas")
    table = selector.fit_transform(pd.DataFrame(X, index=[f"sub-{i}" for i in range(24)]).add_prefix("x"), Y)
    assert list(table.columns) == selector.get_feature_names_out().tolist()
    assert table.index[3] == "sub-3"


def test_column_names_are_stored():
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(15)])
    selector = SubgraphSelector(**FEW).fit(frame, Y)
    assert selector.feature_names_in_.tolist() == list(frame.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(frame[frame.columns[::-1]])
    with pytest.raises(InputError, match="input_features is not equal to feature_names_in_"):
        selector.get_feature_names_out(["a"] * 15)
    with pytest.raises(InputError, match="got 2 names for 15 columns"):
        fitted().get_feature_names_out(["a", "b"])


def test_given_edges():
    order = RNG.permutation(15)
    edges = np.stack(np.tril_indices(6, -1), axis=1)[order]
    selector = SubgraphSelector(edges=edges, node_labels=NAMES, **FEW).fit(X[:, order], Y)
    assert {frozenset(order[list(g)].tolist()) for g in selector.subgraphs_} == {
        frozenset(g) for g in fitted().subgraphs_
    }


def test_feature_names_contain_layers():
    graphs = dg.UncertainGraphs(
        X[:, :2], edges=[[0, 1], [0, 1]], node_labels=["A", "B"], edge_layers=["f", "s"]
    )
    selector = SubgraphSelector(n_subgraphs=2).fit(graphs, Y)
    assert set("".join(selector.get_feature_names_out())) >= set("A--B [f]")
    np.testing.assert_array_equal(selector.transform(graphs), selector.transform(X[:, :2]))


def test_float32_graphs_have_float64_features():
    narrow = X.astype(np.float32)
    selector = fitted()
    features = selector.transform(dg.UncertainGraphs(narrow))
    assert features.dtype == np.float64
    assert features.tobytes() == selector.transform(narrow.astype(np.float64)).tobytes()
    assert selector.transform(narrow).dtype == np.float32  # an array keeps its own


def test_binarized_graphs_are_certain_in_training_and_test_alike():
    certain = (X >= 0.5).astype(float)
    selector = fitted(binarize_at=0.5)
    assert selector.subgraphs_ == SubgraphSelector(**FEW).fit(certain, Y).subgraphs_
    features = selector.transform(X)
    assert set(np.unique(features)) == {0.0, 1.0}
    np.testing.assert_array_equal(features, SubgraphSelector(**FEW).fit(certain, Y).transform(certain))
    assert selector.transform(np.full((1, 15), 0.5)).tolist() == [[1.0] * 8]


def test_clipping_bounds_values_and_leaves_no_negative_zero():
    selector = SubgraphSelector(on_invalid="clip", **FEW).fit(X * 1.5 - 0.2, Y)
    assert selector.subgraphs_ == SubgraphSelector(**FEW).fit(np.clip(X * 1.5 - 0.2, 0, 1), Y).subgraphs_
    features = selector.transform(np.full((1, 15), -0.2))
    assert not np.signbit(features).any()
    assert not np.signbit(fitted().transform(np.full((1, 15), -0.0))).any()


def test_clip_accepts_any_number_of_columns_as_the_first_pairs():
    with pytest.warns(AssumedEdgesWarning, match="first 14 pairs of 6 nodes"):
        selector = SubgraphSelector(on_invalid="clip", **FEW).fit(X[:, :14], Y)
    edges = np.stack(np.tril_indices(6, -1), axis=1)[:14]
    assert selector.edges_.tolist() == edges.tolist()
    assert selector.subgraphs_ == SubgraphSelector(edges=edges, **FEW).fit(X[:, :14], Y).subgraphs_


def test_names_are_escaped_in_html():
    graphs = dg.UncertainGraphs(np.full((8, 3), 0.9), node_labels=["<script>a</script>", "</td><img>", "c"])
    selector = SubgraphSelector(n_subgraphs=2).fit(graphs, [0, 1] * 4)
    html = selector._repr_html_()
    assert "<script>a" not in html
    assert "<img>" not in html


def test_there_is_no_score_method():
    assert not hasattr(SubgraphSelector(score_func="g_test"), "score")
    with pytest.raises(TypeError, match="score"):
        SubgraphSelector(score="g_test")


def test_positive_label_and_score_function():
    def difference(a, b, p, q):
        return np.abs(a / p - b / q)

    selector = fitted(score_func=difference, pos_label=0)
    assert selector.result_.parameters["score"] == "difference"
    with pytest.raises(InputError, match="pos_label must be one of the two classes"):
        fitted(pos_label=7)


def test_warnings_of_the_search(monkeypatch):
    with pytest.warns(FewerSubgraphsWarning):
        SubgraphSelector(n_subgraphs=1000, max_edges=1).fit(X, Y)
    monkeypatch.setattr("dugraph.estimators.selector.mine_subgraphs", partial(mine_within, 9))
    with pytest.warns(LimitReachedWarning):
        fitted()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"on_invalid": "drop"}, "on_invalid must be one of raise, clip, but is 'drop'."),
        ({"binarize_at": 0.0}, "binarize_at must be above 0 and at most 1, but is 0.0. Use None"),
        ({"binarize_at": True}, "binarize_at must be above 0"),
        ({"node_labels": ["A"]}, "got 15 columns, but V = 1 has 0 pairs"),
        ({"edges": [[0, 1]]}, "got 1 edges for 15 columns"),
        ({"min_expected_frequency": 0.99}, "No subgraph has an expected frequency above"),
        ({"score_func": "auc"}, "score_func must be one of confidence"),
        ({"measure": "mean"}, "measure must be one of"),
        ({"n_subgraphs": 0}, "n_subgraphs must be a whole number of at least 1"),
    ],
)
def test_invalid_parameters_are_refused(parameters, message):
    with pytest.raises(InputError, match=re.escape(message)):
        fitted(**parameters)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            -0.3,
            "Negative values in data: edge probabilities must lie in [0, 1], but graph 2 has -0.3 at edge 5.",
        ),
        (
            1.5,
            "Values above 1 in data: edge probabilities must lie in [0, 1], but graph 2 has 1.5 at edge 5.",
        ),
    ],
)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_values_outside_the_unit_interval_are_refused(value, message, convert):
    wrong = X.copy()
    wrong[2, 5] = value
    whole = re.escape(f"{message} Map connectivity to probabilities with EdgeProbability, or set ")
    with pytest.raises(InputError, match=f'{whole}on_invalid="clip"'):
        SubgraphSelector(**FEW).fit(convert(wrong), Y)
    with pytest.raises(InputError, match=whole):
        fitted().transform(convert(wrong))


def test_other_invalid_input_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        fitted().transform(np.full((1, 15), np.nan))
    with pytest.raises(InputError, match='measure="median" needs two classes'):
        SubgraphSelector(**{**FEW, "measure": "median"}).fit(X, np.arange(24) % 3)
    with pytest.raises(InputError, match=re.escape("must have V(V-1)/2 columns")):
        SubgraphSelector(**FEW).fit(X[:, :14], Y)
    with pytest.raises(NotFittedError):
        SubgraphSelector().transform(X)
    with pytest.raises(ValueError, match="requires y to be passed"):
        SubgraphSelector().fit(X)
    graphs = dg.UncertainGraphs(X, node_labels=NAMES)
    for name, value in (("edges", graphs.edges), ("node_labels", NAMES)):
        with pytest.raises(InputError, match=f"{name} must be given once: X is an UncertainGraphs"):
            SubgraphSelector(**{name: value}).fit(graphs, Y)


def test_graphs_with_other_nodes_are_refused_in_transform():
    graphs = dg.UncertainGraphs(X, node_labels=NAMES)
    selector = SubgraphSelector(**FEW).fit(graphs, Y)
    renamed = dg.UncertainGraphs(X, node_labels=NAMES[::-1])
    with pytest.raises(InputError, match="the nodes and edges of the graphs in fit, in the same order"):
        dg.SparseSubgraphClassifier(alpha=0.05).fit(graphs, Y).predict(renamed)
    with pytest.raises(InputError, match="the nodes and edges of the graphs in fit, in the same order"):
        selector.transform(renamed)
    np.testing.assert_array_equal(fitted().transform(renamed), selector.transform(graphs))
