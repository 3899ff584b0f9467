"""Edges, nodes and layers from the names of columns, and names that are refused."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dugraph import InputError, UncertainGraphs, signed_edges
from dugraph.data.edges import edge_columns, find_columns, named_edges, signed_names, triangle_edges

TRIANGLE = ["B--A", "C--A", "C--B"]


def test_names_that_are_no_edges_are_left_alone():
    assert edge_columns(np.zeros((2, 3))) is None
    assert edge_columns(pd.DataFrame(np.zeros((2, 2)))) is None
    assert edge_columns(pd.DataFrame(np.zeros((2, 2)), columns=["A-B", "age"])) is None
    assert edge_columns(pd.DataFrame(np.zeros((2, 1)), columns=["A--B"])) == ("A--B",)


def test_a_column_that_is_no_edge_is_refused_among_edges():
    with pytest.raises(InputError, match=r"column 0 is 'A--B', but column 1 is 'age'\. Drop the columns"):
        edge_columns(pd.DataFrame(np.zeros((2, 2)), columns=["A--B", "age"]))


@given(st.permutations(range(6)), st.permutations(list(itertools.combinations(range(6), 2))))
def test_nodes_are_ordered_as_the_names_order_them(order, columns):
    labels = [f"n{k}" for k in order]
    found = named_edges([f"{labels[u]}--{labels[v]}" for u, v in columns])
    assert found.node_labels == tuple(labels)
    assert found.edges.tolist() == [list(pair) for pair in columns]


@given(st.permutations(["r10--r2", "r2--r1", "r1--r10", "a--b"]))
def test_a_circle_of_names_is_ordered_by_the_alphabet(names):
    assert named_edges(names).node_labels == ("a", "b", "r1", "r2", "r10")


@given(st.permutations(["m--z", "c--d", "a--z"]))
def test_the_order_of_columns_does_not_matter_where_names_leave_it_open(names):
    assert named_edges(names).node_labels == ("a", "c", "d", "m", "z")


def test_spaces_around_the_separator_do_not_make_other_nodes():
    assert named_edges(["A -- B", "B--C "]).node_labels == ("A", "B", "C")
    assert find_columns(["A -- B"], [("B", "A", None)]) == {("B", "A", None): 0}


@pytest.mark.parametrize("name", ["A--B--C", "--B", "A--", "A---B", "--"])
def test_names_that_can_be_read_in_two_ways_or_none_are_refused(name):
    with pytest.raises(
        InputError, match=f"in one way only: '{name}' does not. Rename it, or give node_labels"
    ):
        named_edges([name])


def test_node_labels_tell_what_the_separator_leaves_open():
    assert named_edges(["A--B--C"], node_labels=["B--C", "A"]).edges.tolist() == [[1, 0]]
    with pytest.raises(InputError, match="in one way only"):
        named_edges(["A--B--C"], node_labels=["A", "B--C", "A--B", "C"])
    with pytest.raises(InputError, match="because node_labels are D, A, C"):
        named_edges(["A--B"], node_labels=["D", "A", "C"])


def test_layers_in_brackets():
    signed = ["A--B [positive]", "A--B [negative]"]
    assert named_edges(signed).edge_layers == ("positive", "negative")
    assert named_edges(signed, edge_layers="signed").node_labels == ("A", "B")
    assert named_edges(signed, edges=[[0, 1]], edge_layers="signed").edges.tolist() == [[0, 1]] * 2
    assert named_edges(["A--B [x]"], edge_layers=["x"]).edge_layers == ("x",)
    assert named_edges(["A--B [x]"], node_labels=["A", "B"]).edge_layers == ("x",)
    assert named_edges(["A--B [x]"], node_labels=["A", "B [x]"]).edge_layers is None
    assert named_edges(["A--B"], edge_layers=["x"]).edge_layers == ("x",)
    hemispheres = named_edges(["A [L]--B [R]", "B [R]--C [L]"])
    assert hemispheres.edge_layers is None
    assert hemispheres.node_labels == ("A [L]", "B [R]", "C [L]")


def test_brackets_that_could_be_both_are_refused():
    # As layers the two edges meet in B; as nodes they do not.
    with pytest.raises(InputError, match=r"may hold a layer or belong to a node: A--B \[R\], C--B \[L\]"):
        named_edges(["A--B [R]", "C--B [L]"])


def test_layers_that_contradict_are_refused():
    with pytest.raises(
        InputError, match=r"agree with edge_layers: column 0 is 'A--B \[x\]', .* layer is 'y'"
    ):
        named_edges(["A--B [x]"], edge_layers=["y"])
    with pytest.raises(InputError, match="its layer is 'negative or positive'"):
        named_edges(["A--B [x]"], edge_layers="signed")
    with pytest.raises(InputError, match='edge_layers="signed" needs column names that include the sign'):
        named_edges(["A--B", "B--A"], edge_layers="signed")


@given(st.permutations(range(5)), st.lists(st.booleans(), min_size=10, max_size=10))
def test_given_edges_are_named_by_the_columns(order, kept):
    pairs = [pair for pair, keep in zip(itertools.combinations(range(5), 2), kept, strict=True) if keep]
    if not pairs:
        return
    names = [f"n{order[u]}--n{order[v]}" for u, v in pairs]
    found = named_edges(names, edges=pairs)
    assert found.edges.tolist() == [list(pair) for pair in pairs]
    for (u, v), name in zip(pairs, names, strict=True):
        assert {found.node_labels[u], found.node_labels[v]} == set(name.split("--"))


def test_a_star_is_no_triangle():
    with pytest.raises(InputError, match="Column names must agree with edges"):
        named_edges(["X--A", "X--B", "X--C"], edges=[[1, 0], [2, 0], [2, 1]])
    with pytest.raises(InputError, match="Column names must agree with edges"):
        named_edges(TRIANGLE, edges=[[1, 0], [2, 0], [3, 0]])
    assert named_edges(TRIANGLE, edges=[[1, 0], [2, 0], [2, 1]]).node_labels == ("A", "B", "C")


def test_an_edge_with_two_columns_is_refused():
    with pytest.raises(InputError, match="must have one column, but 'A--B' has 2"):
        find_columns(["A--B", "B--A"], [("A", "B", None)])


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
