"""Data frames whose columns name their edges: the names count, not the order of the columns."""

import os

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import dugraph as dg
from dugraph import EdgeProbability, InputError, SparseSubgraphClassifier, SubgraphSelector, UncertainGraphs
from dugraph.estimators import TimeSeriesEdgeProbability

LABELS = ["Precuneus", "Cuneus", "Insula", "Thalamus", "r2", "r10"]
RNG = np.random.default_rng(0)
Y = np.array([0, 1] * 10)
X = RNG.random((20, 15)) * 0.6 + 0.35 * Y[:, None] * (np.arange(15) % 4 == 0)
COHORT = UncertainGraphs(X, node_labels=LABELS)
FRAME = pd.DataFrame(X, columns=[COHORT.edge_name(e) for e in range(15)])
SETTINGS = {"n_subgraphs": 8, "min_expected_frequency": 0.1}


def by_name(subgraphs, edges, labels):
    """The definition, without the names that the code under test writes."""
    return [frozenset(frozenset(labels[node] for node in edges[e]) for e in g) for g in subgraphs]


def shuffled(rng, turn=True):
    """A frame with some columns in any order, some named from the other end."""
    columns = rng.permutation(15)[: rng.integers(4, 16)]
    names = []
    for e in columns:
        larger, smaller = COHORT.edges[e]
        ends = [LABELS[larger], LABELS[smaller]]
        names.append("--".join(ends if turn and rng.random() < 0.5 else ends[::-1]))
    return columns, pd.DataFrame(X[:, columns], columns=names)


@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
def test_orders_and_subsets_of_columns_give_the_same_subgraphs_by_name():
    rng = np.random.default_rng(1)
    for _ in range(1000 if os.environ.get("DUGRAPH_SOAK") else 60):
        columns, frame = shuffled(rng)
        kept = np.sort(columns)
        plain = dg.mine_subgraphs(
            UncertainGraphs(X[:, kept], COHORT.edges[kept], LABELS), Y, max_edges=3, n_subgraphs=5
        )
        selector = SubgraphSelector(n_subgraphs=5, max_edges=3).fit(frame, Y)
        found = by_name(selector.subgraphs_, selector.edges_, selector.node_labels_)
        assert found == by_name(plain.subgraphs, COHORT.edges[kept], LABELS)
        # Products are taken in the order of the nodes, which names alone decide here.
        np.testing.assert_allclose(selector.values_, plain.values, rtol=1e-12)
        other = frame.iloc[:, rng.permutation(len(columns))]
        np.testing.assert_array_equal(selector.transform(other), selector.transform(frame))


def test_every_function_over_frames_reads_the_names():
    columns = np.random.default_rng(3).permutation(15)
    frame = FRAME.iloc[:, columns]
    plain = dg.mine_subgraphs(COHORT, Y, **SETTINGS)
    mined = dg.mine_subgraphs(frame, Y, **SETTINGS)
    assert mined.names == plain.names
    assert mined.subgraphs != plain.subgraphs  # indices of other columns
    graphs = UncertainGraphs(frame)
    assert by_name(mined.subgraphs, graphs.edges, graphs.node_labels) == by_name(
        plain.subgraphs, COHORT.edges, LABELS
    )
    assert [graphs.edge_name(e) for e in range(15)] == list(frame)
    sparse, turned = (
        SparseSubgraphClassifier(alpha=0.01, min_expected_frequency=0.1).fit(one, Y)
        for one in (COHORT, frame)
    )
    assert set(by_name(turned.subgraphs_, turned.edges_, turned.node_labels_)) == set(
        by_name(sparse.subgraphs_, COHORT.edges, LABELS)
    )
    np.testing.assert_allclose(turned.decision_function(FRAME), sparse.decision_function(COHORT), atol=1e-9)
    np.testing.assert_array_equal(turned.predict(FRAME), sparse.predict(FRAME))


@pytest.mark.parametrize("layers", [None, "signed"])
def test_names_are_preserved_in_a_pipeline(layers):
    r = pd.DataFrame(1.7 * X - 0.7, columns=FRAME.columns)
    columns = np.random.default_rng(5).permutation(15)

    def fitted(frame):
        steps = EdgeProbability(layers=layers), SubgraphSelector(n_subgraphs=5, min_expected_frequency=0.05)
        return make_pipeline(*steps, SVC()).set_output(transform="pandas").fit(frame, Y)

    plain, turned = fitted(r), fitted(r.iloc[:, columns])
    first, second = plain[1], turned[1]
    assert by_name(first.subgraphs_, first.edges_, first.node_labels_) == by_name(
        second.subgraphs_, second.edges_, second.node_labels_
    )
    np.testing.assert_array_equal(turned.decision_function(r), turned.decision_function(r.iloc[:, columns]))
    named = EdgeProbability(layers=layers).set_output(transform="pandas").fit(r).transform(r.iloc[:, columns])
    np.testing.assert_array_equal(named, EdgeProbability(layers=layers).fit_transform(r))


def test_names_of_time_series_edges_are_accepted():
    series = np.random.default_rng(7).standard_normal((20, 40, 5)) + 0.7
    for layers in (None, "signed"):
        step = TimeSeriesEdgeProbability(layers=layers).set_output(transform="pandas")
        frame = step.fit_transform(list(series))
        plain = SubgraphSelector(edge_layers=layers, max_edges=2, n_subgraphs=3, min_expected_frequency=0)
        first = plain.fit(frame.to_numpy(), Y).get_feature_names_out().tolist()
        assert plain.fit(frame, Y).get_feature_names_out().tolist() == first
        assert plain.edge_layers_ == (None if layers is None else ("negative", "positive") * 10)


def test_transform_needs_only_the_edges_of_the_subgraphs():
    selector = SubgraphSelector(n_subgraphs=2, max_edges=1).fit(FRAME, Y)
    used = [name.strip("{}") for name in selector.get_feature_names_out()]
    np.testing.assert_array_equal(selector.transform(FRAME[used[::-1]]), selector.transform(FRAME))
    with pytest.raises(InputError, match=f"1 edge cannot be found by name: {used[0]}."):
        selector.transform(FRAME[used[1:]])
    wild = FRAME[used[::-1]].assign(**{used[1]: 2.0})
    with pytest.raises(InputError, match="Values above 1 in data"):
        selector.transform(wild)


def test_a_fit_without_names_refuses_names_that_contradict_its_order():
    selector = SubgraphSelector(n_subgraphs=2).fit(X, Y)
    np.testing.assert_array_equal(selector.transform(FRAME), selector.transform(X))
    with pytest.raises(InputError, match=r"Column names must agree with edges: column \d+ is "):
        selector.transform(FRAME.iloc[:, ::-1])
    with pytest.raises(InputError, match="cannot be found by name"):
        selector.transform(FRAME.iloc[:, :9])
    named = SubgraphSelector(node_labels=LABELS, n_subgraphs=2).fit(X, Y)
    np.testing.assert_array_equal(named.transform(FRAME.iloc[:, ::-1]), named.transform(X))


def test_given_edges_must_agree_with_the_names():
    columns = [0, 1, 7]
    frame = FRAME.iloc[:, columns]
    for given in ({"node_labels": LABELS}, {}):
        selector = SubgraphSelector(edges=COHORT.edges[columns], **given, max_edges=1).set_params(**SETTINGS)
        selector.set_params(n_subgraphs=3, min_expected_frequency=0).fit(frame, Y)
        np.testing.assert_array_equal(selector.edges_, COHORT.edges[columns])
        assert [selector.node_labels_[node] for node in sorted({*COHORT.edges[columns].ravel()})] == [
            LABELS[node] for node in sorted({*COHORT.edges[columns].ravel()})
        ]
        with pytest.raises(InputError, match=r"agree with edges: column \d is .* Leave edges out"):
            selector.fit(frame.iloc[:, ::-1], Y)
    with pytest.raises(InputError, match="agree with edges"):
        dg.mine_subgraphs(FRAME.iloc[:, ::-1], Y, edges=COHORT.edges)
    with pytest.raises(InputError, match=r"must be made of node_labels: .Precuneus--Cuneus. is not"):
        SubgraphSelector(node_labels=list("ABCDEF")).fit(FRAME, Y)


def test_correlations_need_the_edges_of_fit():
    step = EdgeProbability().fit(FRAME)
    with pytest.raises(InputError, match="it lacks Precuneus--Cuneus, and has none in addition"):
        step.transform(FRAME.iloc[:, 1:])
    with pytest.raises(InputError, match="it lacks none, and has r2--r11 in addition"):
        step.transform(FRAME.assign(**{"r2--r11": 0.5}))
    array = EdgeProbability().fit_transform(FRAME.set_axis([f"e{i}" for i in range(15)], axis=1))
    assert isinstance(array, np.ndarray)
