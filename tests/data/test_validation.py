"""Every rule of a cohort: the message names the rule, the first entry that breaks it and the way out."""

import numpy as np
import pytest

from dugraph import UncertainGraphs, mine_subgraphs, significant_subgraphs
from dugraph.data.graphs import check_cohort
from dugraph.exceptions import InputError

LONG = "Left superior parietal lobule, anterior part, of the Atlas"


def build(probability=((0.5, 0.5, 0.5),), **parts):
    return UncertainGraphs(probability, **parts)


NAMED = {"node_labels": ["Am", "Th", "Hi"], "graph_ids": ["sub-01", "sub-02"]}
OUTSIDE = (
    r"it is {} at graph 1 \(sub-02\), edge 2 \(Th--Hi\). Drop negative correlations or map them with EdgeProb"
)

REFUSED = [
    (lambda: build([[0, 1, 0], [0, 1, -0.25]], **NAMED), OUTSIDE.format("-0.25")),
    (lambda: build([[0, 1, 0], [0, 1, 1 + 1e-9]], **NAMED), OUTSIDE.format("1.000000001")),
    (lambda: build([[0, 1, 0], [0, 1, np.inf]], **NAMED), r"must lie in \[0, 1\]: it is inf at"),
    (
        lambda: build([[0, np.nan, 0], [0, 1, 1]], **NAMED),
        r"it is nan at graph 0 \(sub-01\), edge 1 \(Am--Hi\). Use 0 for an absent edge",
    ),
    (lambda: build([[0, None, 0]]), r"it is nan at graph 0 \(0\), edge 1 \(0--2\)"),
    (lambda: build([["a"]]), r"must be real numbers of shape \(n_graphs, n_edges\): its dtype is <U1"),
    (lambda: build([[1j]]), "its dtype is complex128. Convert it first"),
    (lambda: build([[object()]]), "edge_probability must be real numbers"),
    (lambda: build([[0.1], [0.1, 0.2]]), "edge_probability must be real numbers"),
    (
        lambda: build([0.1, 0.2, 0.3]),
        r"must have shape \(n_graphs, n_edges\): got 1 dimension, shape \(3,\). Reshape",
    ),
    (lambda: build(np.zeros((0, 3))), r"at least one graph and one edge: .* shape \(0, 3\)"),
    (lambda: build(np.zeros((3, 0))), r"at least one graph and one edge: .* shape \(3, 0\)"),
    (
        lambda: build(np.zeros((1, 4))),
        r"V\(V-1\)/2 columns.*got 4 columns, but V = 3 has 3 pairs, V = 4 has 6. Pass edges of shape",
    ),
    (
        lambda: build(node_labels=list("abcd")),
        r"got 3 columns, but V = 4 has 6 pairs. Pass edges of shape \(3, 2\)",
    ),
    (lambda: build(edges=[[0, 1, 2]] * 3), r"shape \(n_edges, 2\): got \(3, 3\)"),
    (lambda: build(edges=[[0, 1], [2]]), "edges must have two nodes in each row"),
    (
        lambda: build(edges=[[0, 1]]),
        "one row per column of edge_probability: got 1 edges for 3 columns. Drop",
    ),
    (
        lambda: build([[0.5]], edges=[["A", "B"]]),
        r"integer node indices: edge 0 is \['A', 'B'\] of dtype <U1. .* its position in node_labels",
    ),
    (lambda: build([[0.5]], edges=[[True, False]]), "of dtype bool"),
    (
        lambda: build([[0.5, 0.5]], edges=[[1, 0], [2, 0.5]]),
        r"integer node indices below 2\^31: edge 1 is \[2.0, 0.5\], and its entry 1 is not one. Give",
    ),
    (lambda: build([[0.5]], edges=[[np.nan, 0]]), r"edge 0 is \[nan, 0.0\], and its entry 0"),
    (lambda: build([[0.5]], edges=[[np.inf, 0]]), r"edge 0 is \[inf, 0.0\], and its entry 0"),
    (lambda: build([[0.5]], edges=[[0, 2**40]]), r"below 2\^31: edge 0 is \[0, 1099511627776\]"),
    (lambda: build([[0.5]], edges=np.array([[2**64 - 1, 0]], dtype=np.uint64)), r"below 2\^31"),
    (
        lambda: build([[0.5]], edges=[[0, 10**9]]),
        r"below 1000000: edge 0 is \[0, 1000000000\]. Number the nodes .* or pass node_labels",
    ),
    (
        lambda: build([[0.5]], edges=[[1, 3]], node_labels=["Am", "Th", "Hi"]),
        r"join nodes 0 to 2: edge 0 is \[1, 3\], whose other node is Th. Count nodes from 0, or add",
    ),
    (
        lambda: build([[0.5, 0.5]], edges=[[1, 0], [-1, 0]], node_labels=["Am", "Th"]),
        r"join nodes 0 to 1: edge 1 is \[-1, 0\], whose other node is Am",
    ),
    (lambda: build([[0.5]], edges=[[-1, -2]]), r"edge 0 is \[-1, -2\]. Count"),
    (
        lambda: build([[0.5, 0.5]], edges=[[1, 0], [1, 1]], node_labels=["Am", "Th"]),
        r"two different nodes: edge 1 joins node 1 \(Th\) to itself. Drop self-loops",
    ),
    (
        lambda: build(edges=[[2, 0], [1, 0], [2, 0]], node_labels=["Am", "Th", "Hi"]),
        r"distinct and undirected: edge 2 repeats edge 0 \(Am--Hi\). Drop one .* edge_layers",
    ),
    (lambda: build(edges=[[2, 0], [0, 2], [2, 0]]), r"edge 1 is the reverse of edge 0 \(0--2\)"),
    (
        lambda: build(edges=[[1, 0], [1, 0], [0, 1]], edge_layers=["dti", "fmri", "dti"]),
        r"edge 2 is the reverse of edge 0 \(0--1 \[dti\]\). Drop one .* with edge_layers",
    ),
    (
        lambda: build(edge_layers=["a"]),
        "edge_layers must have one name per edge: got 1 name for 3 edges. Give exactly 3 names",
    ),
    (
        lambda: build(node_labels=["Am", "Th", "Am"]),
        "node_labels must be unique: Am names both node 0 and node 2. Rename or drop",
    ),
    (lambda: build(node_labels=["1", 1, 2]), "1 names both node 0 and node 1"),
    (
        lambda: build([[0.5], [0.5]], graph_ids=["s", "s"]),
        "graph_ids must be unique: s names both graph 0 and graph 1",
    ),
    (
        lambda: build([[0.5], [0.5]], graph_ids=["s"]),
        "graph_ids must have one name per graph: got 1 name for 2 graphs",
    ),
    (lambda: build(node_labels="abc"), "must be a sequence of names: got 'abc'. Pass a list"),
    (lambda: build(node_labels=3), "must be a sequence of names: got 3"),
    (
        lambda: build(node_labels=["a", None, "c"]),
        "node_labels must be text or integers: node 1 is None of type NoneType. Convert",
    ),
    (lambda: build([[0.5]], graph_ids=[True]), "graph 0 is True of type bool"),
    (
        lambda: build(node_labels=["a", "b\0", "c"]),
        r"Unicode without NUL characters: node 1 is 'b\\x00'. Correct",
    ),
    (
        lambda: build([[0.5]], graph_ids=["\ud800"]),
        r"must be valid Unicode .*: graph 0 is '\\ud800'. .* decode",
    ),
    (
        lambda: build(node_coordinates=np.zeros((3, 2))),
        r"one row of x, y, z per node: got shape \(3, 2\) for 3 nodes. Pass an array of shape \(3, 3\)",
    ),
    (lambda: build(node_coordinates=[1, 2, 3]), r"node_coordinates must have shape \(n_nodes, 3\)"),
    (
        lambda: build(
            node_labels=["Am", "Th", "Hi"], node_coordinates=[[0, 0, 0], [0, np.nan, 0], [0, 0, 0]]
        ),
        r"must be finite: y of node 1 \(Th\) is nan. Fill it in",
    ),
    (lambda: build(participants=[1]), "map column names to columns: got list. Pass a dict"),
    (
        lambda: build(participants={"age": [1, 2]}),
        r"participants\['age'\] must have one value per graph: got 2 values for 1 graphs. Align",
    ),
    (
        lambda: build(participants={"age": [[1, 2]]}),
        r"participants\['age'\] must be a flat sequence, one value per graph: its shape is \(1, 2\). Pass",
    ),
    (lambda: build(participants={"x": np.array([b"a"])}), r"its dtype is \|S1. Convert"),
    (lambda: build(participants={None: [1]}), "participants column names must be text"),
    (
        lambda: UncertainGraphs.from_matrices(np.zeros((1, 2, 3))),
        r"matrices must be square: got shape \(1, 2, 3\). Pass one",
    ),
    (
        lambda: UncertainGraphs.from_matrices(np.zeros((3, 3, 7))),
        r"\(3, 3, 7\). .* if the last axis counts graphs, np.moveaxis\(matrices, -1, 0\)",
    ),
    (lambda: UncertainGraphs.from_matrices(np.zeros((3, 3))), "got 2 dimensions"),
    (lambda: UncertainGraphs.from_matrices(np.zeros((1, 1, 1))), "at least one graph and one edge"),
    (
        lambda: UncertainGraphs.from_matrices(
            [np.zeros((2, 2)), [[0, 0.3], [0.5, 0]]], ["Am", "Th"], None, ["a", "b"]
        ),
        r"symmetric: in graph 1 \(b\), entry \[1, 0\] \(Th--Am\) is 0.5 but \[0, 1\] is 0.3. Average",
    ),
    (lambda: UncertainGraphs.from_matrices([[[0, np.nan], [0.5, 0]]]), r"\[0, 1\] is nan"),
    (lambda: UncertainGraphs.from_matrices([[[0, np.nan], [np.nan, 0]]]), "it is nan at"),
    (lambda: UncertainGraphs.from_matrices([[[0, np.inf], [np.inf, 0]]]), "it is inf at"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_refused(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert len(str(caught.value)) < 400


def test_symmetry_tolerance():
    UncertainGraphs.from_matrices([[[0, 0.5], [0.5 + 0.9e-8, 0]]])
    with pytest.raises(InputError, match="symmetric"):
        UncertainGraphs.from_matrices([[[0, 0.5], [0.5 + 1.2e-8, 0]]])


def test_the_same_nodes_may_be_joined_in_different_layers():
    graphs = build([[0.5, 0.5]], edges=[[1, 0], [0, 1]], edge_layers=["fmri", "dti"])
    assert graphs.edge_layers == ("fmri", "dti")
    assert graphs.edges.tolist() == [[1, 0], [1, 0]]


def test_long_names_are_shortened_and_control_characters_escaped():
    with pytest.raises(InputError) as caught:
        build([[2.0]], node_labels=[LONG, "evil\x1b[31m\n"])
    message = str(caught.value)
    assert LONG not in message
    assert "Left superior parietal lobu... the Atlas" in message
    assert r"'evil\x1b[31m\n'" in message
    assert message.isprintable()


def test_the_name_of_a_file_in_place_of_graphs_is_pointed_out():
    for call in (significant_subgraphs, mine_subgraphs):
        with pytest.raises(InputError, match="the name of a file, cohort"):
            call("cohort.npz")


def test_check_cohort_passes_a_cohort_through_and_builds_one_from_an_array():
    graphs = build()
    assert check_cohort(graphs) is graphs
    assert check_cohort(graphs.edge_probability) == graphs
    assert check_cohort([[0.5]], edges=[[4, 2]]).edges.tolist() == [[4, 2]]
    with pytest.raises(
        InputError, match=r"edges must be given once: X is an UncertainGraphs.*Leave edges out"
    ):
        check_cohort(graphs, edges=graphs.edges)
