"""Cohorts from and to networkx graphs."""

import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph import UncertainGraphs, signed_edges
from dugraph.exceptions import InputError


def graph(*edges, **attributes):
    made = nx.Graph(**attributes)
    made.add_weighted_edges_from(edges, weight="probability")
    return made


def test_graphs_are_joined_by_node_name():
    first, second = graph(("B", "A", 0.5), ("A", "C", 0.25)), graph(("C", "B", 1.0), ("D", "A", 0.1))
    graphs = UncertainGraphs.from_networkx([first, second])
    assert graphs.node_labels == ("B", "A", "C", "D")
    assert [graphs.edge_name(e) for e in range(graphs.n_edges)] == ["B--A", "B--C", "A--C", "A--D"]
    assert graphs.edge_probability.tolist() == [[0.5, 0, 0.25, 0], [0, 1.0, 0, 0.1]]
    assert graphs.graph_ids == ("0", "1")
    assert graphs.node_coordinates is None


def test_other_attribute_and_names_given():
    made = nx.Graph()
    made.add_edge(7, 3, p=0.5)
    graphs = UncertainGraphs.from_networkx(
        [made], probability="p", graph_ids=["x"], participants={"age": [3]}
    )
    assert graphs.node_labels == ("7", "3")
    assert graphs.graph_ids == ("x",)
    assert graphs.participants["age"].tolist() == [3]


def test_names_of_graphs_become_ids_if_they_differ():
    edge = ("A", "B", 0.5)
    for names, ids in (("s1", "s2"), ("s1", "s2")), (("s", "s"), ("0", "1")):
        made = [graph(edge, name=name) for name in names]
        assert UncertainGraphs.from_networkx(made).graph_ids == ids


@given(st.integers(2, 6), st.integers(1, 3), st.booleans(), st.integers(0, 2**32 - 1))
def test_round_trip(n_nodes, n_graphs, with_coordinates, seed):
    rng = np.random.default_rng(seed)
    # Every edge occurs in some graph: networkx graphs do not contain edges that are absent everywhere.
    probability = rng.random((n_graphs, n_nodes * (n_nodes - 1) // 2)) * 0.9 + 0.1
    graphs = UncertainGraphs(
        probability,
        node_labels=[f"region {v}" for v in range(n_nodes)],
        node_coordinates=rng.normal(size=(n_nodes, 3)) if with_coordinates else None,
        graph_ids=[f"sub-{i}" for i in range(n_graphs)],
    )
    assert UncertainGraphs.from_networkx(graphs.to_networkx()) == graphs


def test_absent_edges_are_left_out_and_all_nodes_kept():
    (made,) = UncertainGraphs(
        [[0.5, 0.0, 0.0]], node_labels=["A", "B", "C"], node_coordinates=np.eye(3)
    ).to_networkx()
    assert dict(made.nodes(data=True))["B"] == {"x": 0.0, "y": 1.0, "z": 0.0}
    assert list(made.nodes) == ["A", "B", "C"]
    assert list(made.edges(data=True)) == [("A", "B", {"probability": 0.5})]
    assert made.name == "0"


def test_layers_become_keys_of_a_multigraph():
    graphs = UncertainGraphs([[0.5, 0.2]], edges=[[1, 0], [1, 0]], edge_layers=["fmri", "dti"])
    (made,) = graphs.to_networkx()
    edges = [("0", "1", "fmri", 0.5), ("0", "1", "dti", 0.2)]
    assert list(made.edges(keys=True, data="probability")) == edges


def test_round_trip_of_parallel_edges():
    edges, edge_layers = signed_edges([(1, 0), (2, 0), (2, 1)])
    probability = np.random.default_rng(0).random((4, 6)) * 0.9 + 0.1
    probability[0, :3] = 0  # absent in one graph, not in all
    graphs = UncertainGraphs(probability, edges=edges, edge_layers=edge_layers)
    assert UncertainGraphs.from_networkx(graphs.to_networkx()) == graphs


def unprobable(value=None):
    made = graph(("A", "B", 0.5))
    made.add_edge("B", "C", **({"weight": 1} if value is None else {"probability": value}))
    return made


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (graph(("A", "B", 0.5)), r"entry 0 is of type str. Pass \[graph\] for a single graph"),
        ([graph(("A", "B", 0.5)), "graph"], "list of undirected networkx graphs: entry 1 is of type str"),
        ([nx.DiGraph([("A", "B")])], "entry 0 is of type DiGraph.* directed ones with graph.to_undirected"),
        (
            [nx.MultiGraph([("A", "B")])],
            "keys of a MultiGraph are the layers .* edge A--B of graph 0 has the key 0. Name it .* or merge",
        ),
        (
            [nx.MultiGraph([("A", "B", "dti", {"probability": 1})]), graph(("A", "B", 0.5))],
            "Either all graphs must have layers or none: graph 1 is a Graph, graph 0 a MultiGraph",
        ),
        ([unprobable()], r"a number as attribute 'probability': edge B--C of graph 0 has \{'weight': 1\}"),
        ([unprobable("high")], r"edge B--C of graph 0 has \{'probability': 'high'\}. Name the right"),
        ([unprobable(1.5)], r"it is 1.5 at graph 0 \(0\), edge 1 \(B--C\)"),
        (
            [graph(("A", "A", 0.5))],
            r"different nodes: graph 0 joins A to itself. Remove self-loops: graph.remove_edges_from",
        ),
        ([graph((1, "1", 0.5))], "networkx node names must be unique: 1 names both node 0 and node 1"),
        ([graph((("a", "b"), "c", 0.5))], r"must be text or integers: node 0 is \('a', 'b'\) of type tuple"),
        ([nx.Graph()], "at least one graph and one edge"),
        ([], "at least one graph and one edge"),
    ],
)
def test_refused(graphs, message):
    with pytest.raises(InputError, match=message):
        UncertainGraphs.from_networkx(graphs)


def test_absence_of_networkx_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r"dugraph\[io\]"):
        UncertainGraphs([[0.5]]).to_networkx()
