"""The cohort: construction, selection, equality, names, displays."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import _safe_indexing

from dugraph import UncertainGraphs
from dugraph.exceptions import InputError

LABELS = ["A", "B", "C"]
P = np.array([[0.9, 0.8, 0.0], [0.7, 0.0, 0.2], [0.0, 0.0, 1.0], [0.5, 0.5, 0.5]])


@pytest.fixture
def graphs():
    return UncertainGraphs(
        P,
        node_labels=LABELS,
        node_coordinates=np.arange(9).reshape(3, 3),
        graph_ids=["s1", "s2", "s3", "s4"],
        participants={"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]},
    )


def test_default_edges_are_the_lower_triangle_row_by_row():
    graphs = UncertainGraphs(np.zeros((1, 6)))
    rows, columns = np.tril_indices(4, -1)
    np.testing.assert_array_equal(graphs.edges, np.stack([rows, columns], axis=1))
    assert graphs.node_labels == ("0", "1", "2", "3")
    assert (graphs.n_graphs, graphs.n_edges, graphs.n_nodes, graphs.shape) == (1, 6, 4, (1, 6))


def test_given_edges_keep_their_order_and_are_written_larger_node_first():
    graphs = UncertainGraphs([[0.1, 0.2, 0.3]], edges=[[0, 5], [3, 1], [2, 4]])
    assert graphs.edges.tolist() == [[5, 0], [3, 1], [4, 2]]
    assert graphs.edges.dtype == np.int32
    assert graphs.n_nodes == 6


def test_arrays_are_own_contiguous_and_read_only(graphs):
    for source in (P.copy(), np.asfortranarray(P)):
        cohort = UncertainGraphs(source)
        source[0, 0] = 0.1
        assert cohort.edge_probability[0, 0] == 0.9
        assert source.flags.writeable
    for array in (graphs.edge_probability, graphs.edges, graphs.node_coordinates, graphs.participants["age"]):
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for cohort in (graphs[1:], pickle.loads(pickle.dumps(graphs)), copy.deepcopy(graphs)):
        assert not cohort.edge_probability.flags.writeable
        assert not cohort.participants["age"].flags.writeable


def test_input_of_other_types():
    graphs = UncertainGraphs([[-0.0]], [[1.0, 0.0]], node_labels=np.array([7, 8, 9]), graph_ids=[50011])
    assert not np.signbit(graphs.edge_probability).any()
    assert graphs.edges.tolist() == [[1, 0]]
    assert graphs.node_labels == ("7", "8", "9")  # the last has no edge
    assert graphs.graph_ids == ("50011",)
    for values in ([[True, False, True]], [[1, 0, 1]], np.array([[1, 0, 1]], dtype=object)):
        assert UncertainGraphs(values).edge_probability.dtype == np.float64
    assert UncertainGraphs(pd.DataFrame(P).add_prefix("x")) == UncertainGraphs(P)


def test_participants_from_a_data_frame():
    frame = pd.DataFrame({"age": [1.5, np.nan], "sex": ["f", "m"], "site": ["a", None], 3: [True, False]})
    participants = UncertainGraphs([[0.5], [0.5]], participants=frame).participants
    assert list(participants) == ["age", "sex", "site", "3"]
    assert [column.dtype.kind for column in participants.values()] == ["f", "U", "O", "b"]


def test_selection_by_every_kind_of_index(graphs):
    expected = {
        "s2": graphs[1],
        "s4": graphs[-1],
        "s2 s3": graphs[1:3],
        "s1 s3": graphs[np.array([True, False, True, False])],
        "s4 s1": graphs[[3, 0]],
        "s3": graphs[np.array([2]), ...],
        "s4 s3": _safe_indexing(graphs, [3, 2]),
    }
    for names, chosen in expected.items():
        assert chosen.graph_ids == tuple(names.split())
        rows = [graphs.graph_ids.index(name) for name in chosen.graph_ids]
        np.testing.assert_array_equal(chosen.edge_probability, P[rows])
        assert chosen.participants["age"].tolist() == [20 + 10 * row for row in rows]
        assert chosen.node_labels == graphs.node_labels
    assert [one.graph_ids[0] for one in graphs] == ["s1", "s2", "s3", "s4"]
    assert len(graphs) == 4


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (slice(2, 2), r"at least one graph: slice\(2, 2, None\) selects none of 4"),
        ([], r"at least one graph: \[\] selects none of 4"),
        ([0, 1, 0], r"graph 0 \(s1\) is selected more than once. For a bootstrap"),
        ([True, False], "a mask of length 4 or a list of ints: got .True, False."),
        (True, "a mask of length 4 .* got True"),
        ("s1", "a list of ints: got 's1'"),
        ((0, 1), r"got \(0, 1\). Select edges on graphs.edge_probability"),
        ([[0]], r"got \[\[0\]\]"),
        (1.0, "got 1.0"),
    ],
)
def test_refused_selections(graphs, index, message):
    with pytest.raises(InputError, match=message):
        graphs[index]
    with pytest.raises(IndexError):
        graphs[4]


def test_it_is_an_array_to_numpy(graphs):
    assert np.asarray(graphs) is graphs.edge_probability
    assert np.array(graphs, copy=True).flags.writeable
    assert np.asarray(graphs, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        graphs.__array__(np.float32, copy=False)


def test_equality_looks_at_everything(graphs):
    parts = {
        "node_labels": LABELS,
        "node_coordinates": graphs.node_coordinates,
        "graph_ids": graphs.graph_ids,
        "participants": graphs.participants,
    }
    assert UncertainGraphs(P, **parts) == graphs
    changes = [
        {"node_labels": ["A", "B", "D"]},
        {"node_coordinates": None},
        {"node_coordinates": np.zeros((3, 3))},
        {"graph_ids": None},
        {"participants": None},
        {"participants": {"age": [20, 30, 40, 51], "sex": graphs.participants["sex"]}},
        {"participants": {"age": [20.0, 30.0, 40.0, 50.0], "sex": graphs.participants["sex"]}},
        {"participants": dict(reversed(graphs.participants.items()))},
        {"edges": [[2, 0], [1, 0], [2, 1]]},
        {"edge_layers": ["x", "x", "x"]},
    ]
    for change in changes:
        assert UncertainGraphs(P, **{**parts, **change}) != graphs
    assert UncertainGraphs(P / 2, **parts) != graphs
    assert graphs != "graphs"
    assert graphs[:2] != graphs[:3]


def test_missing_participant_values_are_equal_in_the_same_places():
    def cohort(values):
        return UncertainGraphs([[0.5], [0.5]], participants={"x": values})

    assert cohort([1.0, np.nan]) == cohort([1.0, np.nan])
    assert cohort(["a", None]) == cohort(["a", None])
    assert cohort(["a", pd.NA]) == cohort(["a", pd.NA])
    assert cohort(["a", None]) != cohort([None, "a"])


def test_names_of_edges_and_subgraphs(graphs):
    assert [graphs.edge_name(e) for e in range(3)] == ["A--B", "A--C", "B--C"]
    assert graphs.subgraph_name((0, 2)) == "{A--B, B--C}"
    assert graphs.subgraph_name(np.array([1])) == "{A--C}"
    layered = UncertainGraphs([[0.1, 0.2]], edges=[[0, 1], [1, 0]], edge_layers=["fmri", "dti"])
    assert layered.subgraph_name([0, 1]) == "{0--1 [dti], 0--1 [fmri]}"  # whichever column comes first
    for edge in (-1, 3):
        with pytest.raises(InputError, match=f"from 0 to 2: got {edge}"):
            graphs.edge_name(edge)


def test_from_matrices_keeps_the_lower_triangle_and_ignores_the_diagonal():
    matrix = np.array([[9.0, 0.1, 0.2], [0.1, np.nan, 0.3], [0.2, 0.3, -1.0]])
    graphs = UncertainGraphs.from_matrices(
        [matrix, matrix.T], LABELS, np.zeros((3, 3)), ["a", "b"], {"x": [1, 2]}
    )
    assert graphs.edge_probability.tolist() == [[0.1, 0.2, 0.3]] * 2
    assert (graphs.node_labels, graphs.graph_ids) == (("A", "B", "C"), ("a", "b"))
    assert graphs.node_coordinates.shape == (3, 3)
    assert graphs.participants["x"].tolist() == [1, 2]


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_matrices_round_trip(n_nodes, n_graphs, seed):
    matrices = np.random.default_rng(seed).random((n_graphs, n_nodes, n_nodes))
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    graphs = UncertainGraphs.from_matrices(matrices)
    rebuilt = np.zeros_like(matrices)
    larger, smaller = graphs.edges.T
    rebuilt[:, larger, smaller] = rebuilt[:, smaller, larger] = graphs.edge_probability
    off_diagonal = ~np.eye(n_nodes, dtype=bool)
    np.testing.assert_array_equal(rebuilt[:, off_diagonal], matrices[:, off_diagonal])


def test_describe_is_the_row_of_table_3(graphs):
    assert graphs.describe() == {
        "n_graphs": 4,
        "n_nodes": 3,
        "mean_edges": 2.0,
        "mean_edge_probability": pytest.approx(5.1 / 8),
    }
    row = graphs.describe(["control", "patient", "patient", "patient"])
    assert list(row)[:3] == ["n_graphs", "n_pos", "n_neg"]
    assert (row["n_pos"], row["n_neg"]) == (3, 1)
    assert np.isnan(UncertainGraphs([[0.0]]).describe()["mean_edge_probability"])


def test_text_view(graphs):
    assert repr(graphs).splitlines() == [
        "UncertainGraphs: 4 graphs, 3 edges over 3 nodes",
        "  edges present: 2 per graph on average, mean probability 0.6375",
        "  nodes: A, B, C",
        "  graphs: s1, s2, s3, s4",
        "  coordinates: x, y, z of every node",
        "  participants: age, sex",
    ]
    layered = UncertainGraphs(np.zeros((1, 10)), node_labels=list("abcde"), edge_layers=["fmri"] * 10)
    assert repr(layered).splitlines() == [
        "UncertainGraphs: 1 graph, 10 edges over 5 nodes",
        "  edges present: 0 per graph on average",
        "  nodes: a, b, c, ..., e",
        "  graphs: 0",
        "  layers: fmri",
    ]


def test_html_view_escapes_names():
    graphs = UncertainGraphs([[0.5]], node_labels=["<script>", "a&b"], graph_ids=["x\n" + "y" * 100])
    html = graphs._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;, a&amp;b" in html
    assert "\n" not in html
    assert "y" * 30 not in html
    assert html.startswith("<table><caption>UncertainGraphs: 1 graph, 1 edge over 2 nodes</caption>")
