"""New graphs aligned with a fitted selector by the names of nodes and layers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph import InputError, SparseSubgraphClassifier, SubgraphSelector, UncertainGraphs
from dugraph.estimators import aligned_probability

X = np.random.default_rng(0).random((8, 10))
Y = [0, 1] * 4
LABELS = list("ABCDE")
COHORT = UncertainGraphs(X, node_labels=LABELS)
SELECTOR = SubgraphSelector(n_subgraphs=5, binarize_at=0.4).fit(COHORT, Y)
PAIRS = [[0, 1], [0, 1], [1, 2], [1, 2]]
LAYERS = ["f", "s", "f", "s"]
LAYERED = SubgraphSelector(n_subgraphs=4, max_edges=1, min_expected_frequency=0).fit(
    UncertainGraphs(X[:, :4], edges=PAIRS, node_labels=LABELS[:3], edge_layers=LAYERS), Y
)


@given(st.permutations(range(5)), st.permutations(range(10)), st.integers(0, 2**10 - 1))
def test_any_order_gives_the_same_features(order, columns, turned):
    edges = np.array(order)[COHORT.edges[list(columns)]]
    turn = (turned >> np.arange(10)) & 1 == 1
    edges[turn] = edges[turn][:, ::-1]
    labels = [LABELS[order.index(node)] for node in range(5)]
    other = UncertainGraphs(X[:, list(columns)], edges=edges, node_labels=labels)
    np.testing.assert_array_equal(
        SELECTOR.transform(aligned_probability(SELECTOR, other)), SELECTOR.transform(COHORT)
    )


def test_layers_are_distinguished():
    swapped = UncertainGraphs(
        X[:, [1, 0, 3, 2]], edges=PAIRS, node_labels=LABELS[:3], edge_layers=["s", "f", "s", "f"]
    )
    np.testing.assert_array_equal(aligned_probability(LAYERED, swapped), X[:, :4])


def test_only_the_edges_of_the_subgraphs_are_needed():
    selector = SubgraphSelector(n_subgraphs=1, max_edges=1).fit(COHORT, Y)
    (edge,) = selector.subgraphs_[0]
    ends = [LABELS[node] for node in COHORT.edges[edge]]
    small = UncertainGraphs(X[:, [edge]], node_labels=ends)
    np.testing.assert_array_equal(
        selector.transform(aligned_probability(selector, small)), selector.transform(COHORT)
    )


def test_missing_edges_and_layers_are_named():
    used = sorted({edge for subgraph in SELECTOR.subgraphs_ for edge in subgraph})
    kept = [edge for edge in range(10) if edge != used[0]]
    fewer = UncertainGraphs(X[:, kept], edges=COHORT.edges[kept], node_labels=LABELS)
    name = COHORT.edge_name(used[0])
    with pytest.raises(InputError, match=f"every edge .*, but 1 edge cannot be found by name: {name}."):
        aligned_probability(SELECTOR, fewer)
    layered = UncertainGraphs(X, node_labels=LABELS, edge_layers=["f"] * 10)
    with pytest.raises(InputError, match=r"edges without layers, .* theirs are in the layers f"):
        aligned_probability(SELECTOR, layered)
    flat = UncertainGraphs(X[:, [0, 2]], edges=PAIRS[::2], node_labels=LABELS[:3])
    with pytest.raises(InputError, match=r"edges in the layers f, s, .* theirs are without layers"):
        aligned_probability(LAYERED, flat)
    one = UncertainGraphs(X[:, [0, 2]], edges=PAIRS[::2], node_labels=LABELS[:3], edge_layers=["f", "f"])
    with pytest.raises(InputError, match=r"cannot be found by name: A--B .s., B--C .s."):
        aligned_probability(LAYERED, one)


def test_a_long_list_of_missing_regions_is_cut():
    labels = [f"r{i}" for i in range(80)] + ["x" * 1000]
    pairs = [[i, i + 1] for i in range(80)]
    probability = np.where(np.array(Y)[:, None] == 1, 0.9, 0.1) * np.ones((8, 80))
    path = UncertainGraphs(probability, edges=pairs, node_labels=labels)
    selector = SubgraphSelector(n_subgraphs=80, max_edges=1).fit(path, Y)
    with pytest.raises(InputError, match=r"81 regions .*: r0, r1, r2, .* and 31 more\. Name") as caught:
        aligned_probability(selector, UncertainGraphs([[0.5]]))
    assert len(str(caught.value)) < 1000


def test_a_selector_fitted_on_a_data_frame_accepts_graphs():
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(10)])
    selector = SubgraphSelector(node_labels=LABELS, n_subgraphs=3).fit(frame, Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):  # scikit-learn's habit
        features = selector.transform(aligned_probability(selector, COHORT))
    np.testing.assert_array_equal(features, selector.transform(frame))


def test_the_order_of_nodes_does_not_change_predictions():
    classifier = SparseSubgraphClassifier(alpha=0.02, min_expected_frequency=0.1).fit(COHORT, Y)
    assert classifier.subgraphs_
    turned = UncertainGraphs(X[:, ::-1], edges=4 - COHORT.edges[::-1], node_labels=LABELS[::-1])
    with pytest.raises(InputError, match="in the same order"):
        classifier.predict(turned)
    joined = aligned_probability(classifier, turned)
    np.testing.assert_array_equal(classifier.decision_function(joined), classifier.decision_function(COHORT))
    # Without a join the columns would be taken as they are, for other edges.
    assert (
        classifier.decision_function(turned.edge_probability) != classifier.decision_function(joined)
    ).any()
