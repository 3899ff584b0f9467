"""Input that would be read as something else is refused, or read with a warning."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline

import dugraph as dg
from dugraph.estimators import Deconfound, EdgeProbability, SubgraphSelector, TimeSeriesEdgeProbability
from dugraph.exceptions import AssumedEdgesWarning, InputError, TransposedSeriesWarning
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

REGIONS = ["Putamen_L", "Pallidum_R", "Insula_L", "Cuneus_R"]
RNG = np.random.default_rng(0)
Y = np.array([0, 1] * 15)
X = np.clip(RNG.random((30, 6)) * 0.6 + 0.4 * Y[:, None] * (np.arange(6) == 3), 0, 1)
UPPER = list(zip(*np.triu_indices(4, 1), strict=True))
SELECTOR = SubgraphSelector(n_subgraphs=2, min_expected_frequency=0.1)
READERS = {
    "selector": lambda frame: SELECTOR.fit(frame, Y),
    "sparse": lambda frame: SparseSubgraphClassifier(alpha=0.05).fit(frame, Y),
    "graphs": dg.UncertainGraphs,
    "search": lambda frame: dg.mine_subgraphs(frame, Y, n_subgraphs=2),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
@pytest.mark.parametrize(
    "names",
    [
        [f"{REGIONS[u]}_{REGIONS[v]}" for u, v in UPPER],
        [f"{REGIONS[u]}-{REGIONS[v]}" for u, v in UPPER],
        list(range(6)),
    ],
    ids=["underscore", "hyphen", "integers"],
)
def test_names_that_are_not_edges_are_read_with_a_warning(names, read):
    frame = pd.DataFrame(X, columns=names)
    with pytest.warns(AssumedEdgesWarning, match="Columns should name their edges as A--B, but are called"):
        read(frame)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_names_of_edges_and_names_of_positions_do_not_warn(read):
    for columns in ([f"{REGIONS[u]}--{REGIONS[v]}" for u, v in UPPER], [f"x{e}" for e in range(6)]):
        with warnings.catch_warnings():
            warnings.simplefilter("error", AssumedEdgesWarning)
            read(pd.DataFrame(X, columns=columns))
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssumedEdgesWarning)
        SubgraphSelector(edges=np.array(UPPER), n_subgraphs=1).fit(pd.DataFrame(X), Y)


@pytest.mark.parametrize("step", [EdgeProbability(), Deconfound()])
def test_steps_return_arrays_and_warn_if_these_lose_the_order_of_named_edges(step):
    named = pd.DataFrame(X, columns=[f"{REGIONS[u]}--{REGIONS[v]}" for u, v in UPPER])
    lower = [f"{REGIONS[v]}--{REGIONS[u]}" for u, v in zip(*np.tril_indices(4, -1), strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssumedEdgesWarning)
        assert isinstance(step.fit(named[lower_names(named, lower)]).transform(named), np.ndarray)
    with pytest.warns(AssumedEdgesWarning, match=r"Call set_output\(transform=\"pandas\"\)"):
        assert isinstance(step.fit_transform(named), np.ndarray)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssumedEdgesWarning)
        pipeline = make_pipeline(step, SELECTOR).set_output(transform="pandas").fit(named, Y)
        plain = SELECTOR.fit(named, Y).get_feature_names_out().tolist()
    assert pipeline[1].get_feature_names_out().tolist() == plain


def lower_names(frame, lower):
    turned = {frozenset(name.split("--")): name for name in frame}
    return [turned[frozenset(name.split("--"))] for name in lower]


def test_regions_of_time_series_keep_their_names_and_order():
    series = [pd.DataFrame(RNG.standard_normal((20, 4)), columns=REGIONS) for _ in range(3)]
    step = TimeSeriesEdgeProbability().fit(series)
    assert step.region_names_ == tuple(REGIONS)
    assert step.get_feature_names_out().tolist()[:2] == ["Putamen_L--Pallidum_R", "Putamen_L--Insula_L"]
    other = [series[0], series[1][REGIONS[::-1]]]
    with pytest.raises(InputError, match=r"column 0 is 'Cuneus_R' in X\[1\] and 'Putamen_L' in X\[0\]"):
        step.fit(other)
    with pytest.raises(InputError, match="column 0 is 'Cuneus_R' in the series and 'Putamen_L' in fit"):
        step.transform(other[1:])
    np.testing.assert_array_equal(step.transform([series[0].to_numpy()]), step.transform(series[:1]))


def test_series_of_regions_by_time_are_noticed():
    transposed = [RNG.standard_normal((20, 200)) for _ in range(2)]
    with pytest.warns(TransposedSeriesWarning, match="fewer rows than columns, such as 20 x 200"):
        TimeSeriesEdgeProbability().fit(transposed)
    with pytest.raises(InputError, match="Rows are time points, columns are regions"):
        TimeSeriesEdgeProbability().fit([np.ones((20, 200)), np.ones((20, 180))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TimeSeriesEdgeProbability().fit([one.T for one in transposed])
        TimeSeriesEdgeProbability().fit([pd.DataFrame(transposed[0]).add_prefix("region ")])


NAMED = pd.DataFrame(
    X, columns=[f"{REGIONS[u]}--{REGIONS[v]}" for u, v in UPPER], index=[f"sub-{i:02}" for i in range(30)]
)


@pytest.mark.parametrize(
    "fit",
    [
        SELECTOR.fit,
        SparseSubgraphClassifier(alpha=0.05).fit,
        SparseSubgraphRegressor(alpha=0.05).fit,
        lambda X, y: dg.mine_subgraphs(X, y, n_subgraphs=1),
    ],
)
def test_labels_whose_index_disagrees_with_that_of_x_are_refused(fit):
    y = pd.Series(Y, index=NAMED.index)
    fit(NAMED, y)
    with pytest.raises(
        InputError, match="label at position 0 belongs to sub-29, while the graph there is sub-"
    ):
        fit(NAMED, y[::-1])
    numbered = NAMED.reset_index(drop=True)
    with pytest.raises(InputError, match="label at position 0 belongs to 29, while the graph there is 0"):
        fit(numbered, pd.Series(Y)[::-1])
    # Row numbers and ids say nothing about each other, and neither do numbers of another table.
    for frame, labels in (
        (NAMED, pd.Series(Y)),
        (numbered, y),
        (numbered, pd.Series(Y, index=np.arange(30) + 15)),
    ):
        fit(frame, labels)


@pytest.mark.parametrize(
    "model", [SparseSubgraphClassifier(alpha=0.02), SparseSubgraphRegressor(alpha=0.002)]
)
def test_selection_by_importance_chooses_the_edges_of_the_subgraphs(model):
    selected = SelectFromModel(model, threshold=1e-12).fit(X, Y)
    fitted = selected.estimator_
    used = sorted({edge for subgraph in fitted.subgraphs_ for edge in subgraph})
    assert selected.get_support(indices=True).tolist() == used
    assert not hasattr(fitted, "coef_")
    expected = np.zeros(6)
    for subgraph, coefficient in zip(fitted.subgraphs_, np.ravel(fitted.subgraph_coef_), strict=True):
        for edge in subgraph:
            expected[edge] += abs(coefficient)
    np.testing.assert_allclose(fitted.feature_importances_, expected)
