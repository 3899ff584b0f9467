"""Exhaustive search: closed forms, comparison with networkx, admission (8), total order (4), refusals."""

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
from dugraph.search.exhaustive import connected_subgraphs, is_connected


def edges_of(graph):
    return np.array(graph.edges, dtype=np.int32)


def by_networkx(edges):
    """All connected sets of edges, by definition."""
    found = set()
    for size in range(1, len(edges) + 1):
        for chosen in itertools.combinations(range(len(edges)), size):
            if nx.is_connected(nx.Graph([tuple(edges[e]) for e in chosen])):
                found.add(chosen)
    return found


class TestConnectedSubgraphs:
    @pytest.mark.parametrize(
        ("graph", "number"),
        [
            *[(nx.path_graph(n + 1), n * (n + 1) // 2) for n in (1, 2, 5, 9)],  # one for each pair of ends
            *[(nx.star_graph(n), 2**n - 1) for n in (1, 2, 5, 9)],  # all sets of edges
            *[(nx.cycle_graph(n), n * (n - 1) + 1) for n in (3, 4, 7)],  # arcs, and the cycle itself
            # Connected labelled graphs on 2, 3, 4, 5 of the nodes: 1, 4, 38, 728.
            (nx.complete_graph(4), 6 * 1 + 4 * 4 + 38),
            (nx.complete_graph(5), 10 * 1 + 10 * 4 + 5 * 38 + 728),
        ],
    )
    def test_numbers_by_closed_forms(self, graph, number):
        assert len(connected_subgraphs(edges_of(graph))) == number

    @pytest.mark.parametrize("seed", range(20))
    def test_random_graphs_as_networkx_judges(self, seed):
        edges = edges_of(nx.gnm_random_graph(7, 2 + seed % 7, seed=seed))
        found = connected_subgraphs(edges)
        assert len(found) == len(set(found))
        assert set(found) == by_networkx(edges)

    def test_two_pieces_joined_late_are_one(self):
        assert is_connected([(0, 1), (2, 3), (1, 2)])
        assert not is_connected([(0, 1), (2, 3)])

    def test_max_edges(self):
        edges = edges_of(nx.complete_graph(4))
        assert {len(g) for g in connected_subgraphs(edges, max_edges=2)} == {1, 2}
        assert connected_subgraphs(edges, max_edges=99) == connected_subgraphs(edges)

    def test_too_many_edges_are_refused(self):
        assert refusal(connected_subgraphs, edges_of(nx.path_graph(18))) == (
            "Exhaustive search tries all sets of edges and is limited to 16 edges, but there are 17. "
            "Use mine_subgraphs, or fewer edges."
        )


class TestAdmission:
    """Strictly more than the limit, by more than the tolerance."""

    X = (0.5, 0.5, 0.25, 0.25)

    @pytest.mark.parametrize(("limit", "admitted"), [
        (0.375, 0), (0.375 - 0.9e-12, 0), (0.375 - 2e-12, 1), (0.375 + 1e-9, 0), (0.0, 1)
    ])  # fmt: skip
    def test_at_the_limit(self, limit, admitted):
        x = [[p] for p in self.X]
        assert expected_frequency(x, (0,)) == 0.375
        subgraphs, values = enumerate_subgraphs(x, [1, 1, 0, 0], min_expected_frequency=limit)
        assert len(subgraphs) == len(values) == admitted

    @pytest.mark.parametrize("measure", [*MEASURES, "frequency"])
    def test_none_admitted_is_an_empty_answer(self, measure):
        subgraphs, values = enumerate_subgraphs(
            [[0.1], [0.1]], [0, 1], measure=measure, min_expected_frequency=0.5
        )
        assert subgraphs == []
        assert values.shape == (0,)

    def test_absent_subgraphs_are_not_admitted_at_zero(self):
        subgraphs, _ = enumerate_subgraphs([[0.5, 0, 0], [0, 0.5, 0]], [0, 1], min_expected_frequency=0.0)
        assert sorted(subgraphs) == [(0,), (1,)]


class TestRanking:
    """Larger measure, then fewer edges, then the smaller tuple of (larger node, smaller node, layer)."""

    def test_equal_measures_are_ordered_by_size_and_then_by_edges(self):
        subgraphs, values = enumerate_subgraphs(np.ones((2, 3)), [0, 1], min_expected_frequency=0.0)
        assert values.tolist() == [0.0] * 7
        assert subgraphs == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]

    def test_the_order_is_that_of_the_nodes_and_not_of_the_columns(self):
        subgraphs, _ = enumerate_subgraphs(np.ones((2, 3)), [0, 1], edges=[(1, 2), (2, 0), (0, 1)])
        assert subgraphs == [(2,), (1,), (0,), (1, 2), (0, 2), (0, 1), (0, 1, 2)]

    def test_layers_come_last_in_the_order(self):
        graphs = UncertainGraphs(
            np.ones((2, 3)), edges=[(1, 0), (1, 0), (2, 1)], edge_layers=["structure", "function", "anatomy"]
        )
        subgraphs, _ = enumerate_subgraphs(graphs, [0, 1])
        assert subgraphs[:3] == [(1,), (0,), (2,)]
        # Parallel edges of two layers share their nodes, so together they are connected.
        assert subgraphs[3] == (0, 1)
        assert len(subgraphs) == 7

    @given(
        st.randoms(use_true_random=False), st.sampled_from(sorted(SCORES)), st.sampled_from(sorted(MEASURES))
    )
    def test_graphs_and_edges_may_come_in_any_order(self, random, score, measure):
        rng = np.random.default_rng(random.randrange(2**32))
        X = rng.integers(0, 5, (5, 6)) / 4  # products of quarters are exact, so that ties are ties
        y = np.array([0, 0, 1, 1, 1])
        edges = np.stack(np.tril_indices(4, -1), axis=1)
        rows, columns = rng.permutation(5), rng.permutation(6)
        ask = {"score": score, "measure": measure, "min_expected_frequency": 0.05}
        subgraphs, values = enumerate_subgraphs(X, y, edges=edges, **ask)
        moved, moved_values = enumerate_subgraphs(
            X[np.ix_(rows, columns)], y[rows], edges=edges[columns, ::-1], **ask
        )
        named = [tuple(sorted(int(columns[e]) for e in g)) for g in moved]
        np.testing.assert_allclose(moved_values, values, rtol=1e-12, atol=1e-12)
        assert set(named) == set(subgraphs)
        close = dict(zip(subgraphs, values, strict=True))
        assert all(
            math.isclose(close[g], v, rel_tol=1e-12, abs_tol=1e-12)
            for g, v in zip(named, values, strict=True)
        )


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("measure", MEASURES)
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
        assert math.isclose(measure_subgraph(X, y, subgraph, **ask), value, rel_tol=1e-12, abs_tol=1e-15)


def test_frequency_is_a_measure_of_the_ranking():
    X, y = np.random.default_rng(4).random((4, 3)), [0, 1, 0, 1]
    subgraphs, values = enumerate_subgraphs(X, y, measure="frequency", min_expected_frequency=0.0)
    np.testing.assert_allclose(values, [expected_frequency(X, g) for g in subgraphs], rtol=1e-14)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"edges": [(0, 1)]}, "edges must be given once"),
        ({"measure": "mean"}, r"measure must be one of .*frequency, but is 'mean'"),
        ({"score": "chi2"}, "score must be one of"),
        ({"measure": "quantile", "quantile": 1}, "quantile must lie strictly"),
        ({"max_edges": 0}, "max_edges must be at least 1, but is 0. Use None for any number of edges."),
        ({"max_edges": -1}, "max_edges must be at least 1, but is -1."),
    ],
)
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        enumerate_subgraphs(UncertainGraphs([[0.5], [0.5]]), [0, 1], **settings)
