"""Edges of signed layers: their order, their names, wrong edge lists."""

import numpy as np
import pytest

from dugraph import InputError, UncertainGraphs, load_cohort, save_cohort, signed_edges
from dugraph.data.edges import signed_names, triangle_edges


def test_the_default_order_stays_that_of_the_ranking():
    edges, layers = signed_edges(triangle_edges(5))
    assert edges.shape == (20, 2)
    keys = [(*map(int, pair), layer) for pair, layer in zip(edges, layers, strict=True)]
    assert keys == sorted(keys)


def test_names_are_those_of_a_cohort():
    edges, layers = signed_edges([(0, 1), (2, 1)])
    graphs = UncertainGraphs(np.zeros((1, 4)), edges, ["A", "B", "C"], edge_layers=layers)
    assert [graphs.edge_name(e) for e in range(4)] == signed_names(["A--B", "B--C"])
    assert graphs.subgraph_name((0, 3)) == "{A--B [negative], B--C [positive]}"


def test_parallel_edges_through_a_file(tmp_path):
    edges, layers = signed_edges(triangle_edges(4))
    X = np.random.default_rng(0).random((5, 12))
    graphs = UncertainGraphs(X, edges, edge_layers=layers)
    save_cohort(tmp_path / "signed.npz", graphs, [0, 1, 0, 1, 1])
    back, _ = load_cohort(tmp_path / "signed.npz")
    assert back == graphs
    assert back[1:3].edge_layers == layers


@pytest.mark.parametrize("edges", [[1, 2, 3], [(0, 1, 2)], [(0, 0.5)], [("a", "b")], [(0, 1), (2,)]])
def test_what_is_no_edge_list_is_refused(edges):
    with pytest.raises(InputError, match="edges must"):
        signed_edges(edges)
