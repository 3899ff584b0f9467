"""TUDataset folders: round trips, certain edges, regions by node labels, and what is refused."""

import numpy as np
import pytest
from graph_layouts import NUMBERS, TU_IDS, probabilities, tu_dataset, tu_dataset_certain, write_tu
from hypothesis import given
from hypothesis import strategies as st
from made_up import refused

from dugraph import read_cohort


def test_round_trip(tmp_path):
    expected = tu_dataset(tmp_path)
    graphs, y = read_cohort(tmp_path, positive="1")
    assert graphs.graph_ids == TU_IDS
    assert graphs.node_labels == NUMBERS
    np.testing.assert_array_equal(graphs.edge_probability, expected.edges)
    assert y.tolist() == [1, 0, 1, 0]
    assert read_cohort(tmp_path, positive="0")[1].tolist() == [0, 1, 0, 1]
    assert graphs.provenance["format"] == "tu-dataset"
    assert "symmetry" not in graphs.provenance


def test_edges_without_attributes_are_certain(tmp_path):
    expected = tu_dataset_certain(tmp_path)
    graphs, _ = read_cohort(tmp_path)
    np.testing.assert_array_equal(graphs.edge_probability, expected.edges)
    assert set(np.unique(graphs.edge_probability)) == {0.0, 1.0}
    assert graphs.provenance["edge_values"].endswith("every edge that is listed is certain")
    refused(r"KKI_edge_attributes.txt: values describe this file, but it", tmp_path, values="count")


def put(folder, table, *rows):
    (folder / f"DS_{table}.txt").write_text("\n".join(rows) + "\n", newline="")


def small(folder):
    """Two graphs over regions 7, 8, 9, of which the second has no node for 9."""
    put(folder, "A", "1, 2", "2, 1", "2, 3", "3, 2", "4, 5", "5, 4")
    put(folder, "graph_indicator", "1", "1", "1", "2", "2")
    put(folder, "graph_labels", "1", "-1")
    put(folder, "node_labels", "7", "8", "9", "8", "7")
    put(folder, "edge_attributes", "0.5", "0.5", "0.25", "0.25", "1", "1")
    return folder


def test_graphs_may_lack_regions(tmp_path):
    graphs, y = read_cohort(small(tmp_path), positive="-1")
    assert graphs.node_labels == ("7", "8", "9")
    assert graphs.edges.tolist() == [[1, 0], [2, 1]]
    assert graphs.edge_probability.tolist() == [[0.5, 0.25], [1, 0]]
    assert y.tolist() == [0, 1]
    assert graphs.provenance["n_graphs_without_some_regions"] == 1


@given(st.lists(st.floats(0, 1, exclude_min=True) | st.just(0.0), min_size=40, max_size=40))
def test_any_cohort_comes_back(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("any")
    matrices = np.zeros((4, 5, 5))
    rows, columns = np.tril_indices(5, -1)
    matrices[:, rows, columns] = matrices[:, columns, rows] = np.reshape(values, (4, 10))
    # One edge at least, so that there is a file of edges.
    matrices[0, 1, 0] = matrices[0, 0, 1] = 1.0
    write_tu(folder, matrices)
    graphs, _ = read_cohort(folder)
    found = np.zeros_like(matrices)
    u, v = graphs.edges.T
    found[:, u, v] = found[:, v, u] = graphs.edge_probability
    np.testing.assert_array_equal(found, matrices)


def test_directions(tmp_path):
    put(small(tmp_path), "edge_attributes", "0.5", "0.5", "0.25", "0.3", "1", "1")
    refused(r"DS_A.txt, line [34]: .* one value in both directions, but [89]--[89] has 0.25 in", tmp_path)
    put(tmp_path, "edge_attributes", "4", "2", "1", "1", "1", "1")
    graphs, _ = read_cohort(tmp_path, values="count", probability="largest")
    np.testing.assert_allclose(graphs.edge_probability, [[1, 1 / 3], [1, 0]])
    put(tmp_path, "A", "1, 2", "2, 3", "4, 5")
    put(tmp_path, "edge_attributes", "0.5", "0.25", "1")
    graphs, _ = read_cohort(tmp_path)
    assert graphs.edge_probability.tolist() == [[0.5, 0.25], [1, 0]]
    assert graphs.provenance["symmetry"] == "each edge listed in one direction"


def test_windows_line_ends(tmp_path):
    for file in small(tmp_path).iterdir():
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert read_cohort(tmp_path)[0].edge_probability.tolist() == [[0.5, 0.25], [1, 0]]


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        (
            "node_labels",
            "7 8 7 8 7",
            r"labels.txt, line 3: a label must name one node of a graph, .* '7' is on ",
        ),
        ("node_labels", "7 8 9 8", r"every node must have one label, but there are 4 labels for 5 nodes"),
        (
            "node_labels",
            "7,1 8,1 9,1 8,1 7,1",
            r"every line must hold one label, but has 2. Keep the intended column",
        ),
        ("A", "1,2 2,1 2,3 3,2 3,5 5,3", r"A.txt, line 5: an edge must join nodes of one graph, .* 1 and 2"),
        (
            "A",
            "0,1 1,0 2,3 3,2 4,5 5,4",
            r"A.txt, line 1: numbers must be whole, from 1 to 5, but there is 0",
        ),
        ("A", "1,2 2,1 2,9 9,2 4,5 5,4", r"A.txt, line 3: numbers must be whole, from 1 to 5, .* is 9.0"),
        ("A", "1,2 2,1 2,n/a 3,2 4,5 5,4", r"A.txt, line 3: numbers must be whole, from 1 to 5, .* is nan"),
        (  # with pandas 3, and before
            "A",
            "1,2 2,1 2,1e999 3,2 4,5 5,4",
            r"A.txt, line 3: (numbers must be whole, .* is inf|column 2 must be a number, but is '1e999')",
        ),
        ("A", "1 2 2 3 4 5", r"A.txt: every line must hold 2 numbers, but has 1"),
        (
            "A",
            "1,2 1,2 2,3 3,2 4,5 5,4",
            r"A.txt, line 2: .* once in each direction, but 7--8 is in .* line 1",
        ),
        (
            "A",
            "1,1 2,1 2,3 3,2 4,5 5,4",
            r"A.txt, line 1: .* two different regions, but it joins 7 to itself",
        ),
        ("A", "1,2 2,1", r"one number for each of the 2 lines of DS_A.txt, but there are 6 lines of 1"),
        (
            "graph_indicator",
            "1 1 1 2 3",
            r"indicator.txt, line 5: numbers must be whole, from 1 to 2, .* 3.0",
        ),
        ("graph_labels", "1 1", r"DS_graph_labels.txt: there must be exactly two groups, but there is 1 \("),
        (
            "edge_attributes",
            "1 1 1 1 1.5 1.5",
            r"A.txt, line 5: the probability of an edge must lie in \[0, 1\]",
        ),
        ("edge_attributes", "1 1 1 1 n/a 1", r"A.txt, line 5: the probability of an edge must be there, but"),
        ("edge_attributes", "1 1 1 1 x 1", r"attributes.txt, line 5: column 1 must be a number, but is 'x'"),
    ],
)
def test_broken_tables(tmp_path, table, rows, message):
    put(small(tmp_path), table, *rows.split())
    refused(message, tmp_path)


def test_missing_and_many_files(tmp_path):
    (small(tmp_path) / "DS_node_labels.txt").unlink()
    refused(r"DS_node_labels.txt: a TUDataset of connectomes must have this file", tmp_path)
    write_tu(tmp_path, probabilities(), name="B")
    refused(r"must be in one file, but 2 may be meant: B_A\.txt, DS_A\.txt", tmp_path, format="tu-dataset")


README = """README for dataset DS

=== Node Label Conversion ===

Node labels were converted to integer values using this map:

Component 0:
\t0\tInsula
\t1\tn_187
\t2\tThalamus left
\t3\tn_0
\t4\tn_4

=== References ===
"""


def test_the_readme_says_what_node_labels_stand_for(tmp_path):
    expected = tu_dataset(tmp_path)
    graphs, _ = read_cohort(tmp_path)
    assert graphs.provenance["regions_named_by"].endswith("numbers of this data set, not of an atlas")
    (tmp_path / "readme.txt").write_text(README)
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == ("Insula", "n_187", "Thalamus left", "n_0", "n_4")
    assert graphs.provenance["regions_named_by"] == "readme.txt"
    np.testing.assert_array_equal(graphs.edge_probability, expected.edges)


def test_node_labels_are_no_numbers_of_an_atlas(tmp_path):
    tu_dataset(tmp_path)
    (tmp_path / "atlas.tsv").write_text("index\tname\n" + "\n".join(f"{i}\tR{i}" for i in range(5)) + "\n")
    refused(
        r"^atlas must be left out for a TUDataset whose readme.txt does not say",
        tmp_path,
        atlas=tmp_path / "atlas.tsv",
    )
    (tmp_path / "readme.txt").write_text(README.replace("n_187", "R1"))
    names = [name.split("\t")[2] for name in README.splitlines() if name.startswith("\t")]
    (tmp_path / "atlas.tsv").write_text("name\n" + "\n".join([*names, "R1"]) + "\n")
    assert read_cohort(tmp_path, atlas=tmp_path / "atlas.tsv")[0].node_labels[1] == "R1"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "\t4\tn_4\n",
            "",
            r"readme.txt: the readme must say what every node label stands for, but lacks 4\. Take",
        ),
        (
            "n_4",
            "n_0",
            r"readme.txt: every node label must stand for a region of its own, but 4 or n_0 appears twice",
        ),
        ("Insula", "I" * 2000, r"a region name may have 1000 characters, but one has 2000"),
    ],
)
def test_a_readme_that_does_not_fit(tmp_path, old, new, message):
    tu_dataset(tmp_path)
    (tmp_path / "readme.txt").write_text(README.replace(old, new))
    refused(message, tmp_path)


def test_several_labels_of_a_node_are_left_alone(tmp_path):
    tu_dataset(tmp_path)
    (tmp_path / "readme.txt").write_text(README.replace("\n=== Ref", "\nComponent 1:\n\t0\tA\n\n=== Ref"))
    assert read_cohort(tmp_path)[0].node_labels == NUMBERS
