"""Exhaustive search: connectedness as networkx judges it, admission (8), total order (4), refusals."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from dugraph import UncertainGraphs, expected_frequency
from dugraph.exceptions import InputError
from dugraph.probability import measure_subgraph
from dugraph.probability.measures import MEASURES
from dugraph.probability.scores import SCORES
from dugraph.search import enumerate_subgraphs
from dugraph.search.exhaustive import connected_subgraphs


def edges_of(graph):
    return np.array(graph.edges, dtype=np.int32)


def by_networkx(edges, most=99):
    """All connected sets of edges, by definition."""
    return {
        chosen
        for size in range(1, min(most, len(edges)) + 1)
        for chosen in itertools.combinations(range(len(edges)), size)
        if nx.is_connected(nx.Graph([tuple(edges[e]) for e in chosen]))
    }


@pytest.mark.parametrize("seed", range(20))
def test_connected_subgraphs_are_those_of_networkx(seed):
    edges = edges_of(nx.gnm_random_graph(7, 2 + seed % 7, seed=seed))
    for most in (1, 2, 99):
        found = connected_subgraphs(edges, most)
        assert len(found) == len(set(found))
        assert set(found) == by_networkx(edges, most)


def test_too_many_edges_are_refused():
    # Connected labelled graphs on 2, 3, 4, 5 of the nodes: 1, 4, 38, 728.
    assert len(connected_subgraphs(edges_of(nx.complete_graph(5)))) == 10 * 1 + 10 * 4 + 5 * 38 + 728
    assert refusal(connected_subgraphs, edges_of(nx.path_graph(18))) == (
        "Exhaustive search tries all sets of edges and is limited to 16 edges, but there are 17. "
        "Use mine_subgraphs, or fewer edges."
    )


@pytest.mark.parametrize(("limit", "admitted"), [
    (0.375, 0), (0.375 - 0.9e-12, 0), (0.375 - 2e-12, 1), (0.375 + 1e-9, 0), (0.0, 1)
])  # fmt: skip
@pytest.mark.parametrize("measure", [*MEASURES, "frequency"])
def test_admitted_is_strictly_more_than_the_limit_by_more_than_the_tolerance(limit, admitted, measure):
    x = [[0.5], [0.5], [0.25], [0.25]]
    assert expected_frequency(x, (0,)) == 0.375
    subgraphs, values = enumerate_subgraphs(x, [1, 1, 0, 0], measure=measure, min_expected_frequency=limit)
    assert len(subgraphs) == len(values) == admitted


def test_absent_subgraphs_are_not_admitted_at_zero():
    subgraphs, _ = enumerate_subgraphs([[0.5, 0, 0], [0, 0.5, 0]], [0, 1], min_expected_frequency=0.0)
    assert sorted(subgraphs) == [(0,), (1,)]


@pytest.mark.parametrize(
    ("edges", "layers", "order"),
    [
        (None, None, [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]),
        ([(1, 2), (2, 0), (0, 1)], None, [(2,), (1,), (0,), (1, 2), (0, 2), (0, 1), (0, 1, 2)]),
        # Parallel edges of two layers share their nodes, so together they are connected.
        ([(1, 0), (1, 0), (2, 1)], ["structure", "function", "anatomy"], [(1,), (0,), (2,), (0, 1)]),
    ],
)
def test_ties_are_ordered_by_size_then_by_nodes_then_by_layers(edges, layers, order):
    graphs = UncertainGraphs(np.ones((2, 3)), edges=edges, edge_layers=layers)
    subgraphs, values = enumerate_subgraphs(graphs, [0, 1], min_expected_frequency=0.0)
    assert values.tolist() == [0.0] * 7
    assert subgraphs[: len(order)] == order


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCORES)), st.sampled_from(sorted(MEASURES)))
def test_graphs_and_edges_may_come_in_any_order(random, score, measure):
    rng = np.random.default_rng(random.randrange(2**32))
    X = rng.integers(0, 5, (5, 6)) / 4  # products of quarters are exact, so that ties are ties
    y = np.array([0, 0, 1, 1, 1])
    edges = np.stack(np.tril_indices(4, -1), axis=1)
    rows, columns = rng.permutation(5), rng.permutation(6)
    ask = {"score": score, "measure": measure, "min_expected_frequency": 0.05}
    subgraphs, values = enumerate_subgraphs(X, y, edges=edges, **ask)
    shuffled = X[np.ix_(rows, columns)], y[rows]
    moved, moved_values = enumerate_subgraphs(*shuffled, edges=edges[columns, ::-1], **ask)
    named = [tuple(sorted(int(columns[e]) for e in g)) for g in moved]
    np.testing.assert_allclose(moved_values, values, rtol=1e-12, atol=1e-12)
    assert dict(zip(named, moved_values, strict=True)) == pytest.approx(
        dict(zip(subgraphs, values, strict=True)), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("measure", [*MEASURES, "frequency"])
def test_every_value_is_that_of_measure_subgraph(score, measure):
    rng = np.random.default_rng(3)
    X, y = rng.random((7, 6)), np.array(["a", "b", "a", "b", "b", "a", "b"])
    ask = {
        "score": score,
        "measure": measure,
        "phi": 0.02,
        "quantile": 0.3,
        "score_cap": 2.0,
        "pos_label": "a",
    }
    subgraphs, values = enumerate_subgraphs(X, y, min_expected_frequency=0.1, **ask)
    assert set(subgraphs) == {
        g for g in by_networkx(np.stack(np.tril_indices(4, -1), axis=1)) if expected_frequency(X, g) > 0.1
    }
    assert (np.diff(values) <= 0).all()
    for subgraph, value in zip(subgraphs, values, strict=True):
        truth = expected_frequency(X, subgraph)
        if measure != "frequency":
            truth = measure_subgraph(X, y, subgraph, **ask)
        assert math.isclose(truth, value, rel_tol=1e-12, abs_tol=1e-15)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"edges": [(0, 1)]}, "edges must be given once"),
        ({"measure": "mean"}, r"measure must be one of .*frequency, but is 'mean'"),
        ({"score": "chi2"}, "score must be one of"),
        ({"measure": "quantile", "quantile": 1}, "quantile must lie strictly"),
        ({"max_edges": 0}, "max_edges must be at least 1, but is 0. Use None for any number of edges."),
    ],
)
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        enumerate_subgraphs(UncertainGraphs([[0.5], [0.5]]), [0, 1], **settings)
