"""TUDataset folders: certain edges, directions, regions by node labels and by the readme, what is refused."""

import numpy as np
import pytest
from graph_layouts import NUMBERS, probabilities, tu_dataset, tu_dataset_certain, write_tu
from hypothesis import given
from hypothesis import strategies as st
from made_up import refused

from dugraph import read_cohort


def test_class_labels(tmp_path):
    tu_dataset(tmp_path)
    graphs, y = read_cohort(tmp_path, positive="0")
    assert y.tolist() == [0, 1, 0, 1]
    assert "symmetry" not in graphs.provenance


def test_edges_without_attributes_are_certain(tmp_path):
    tu_dataset_certain(tmp_path)
    graphs, _ = read_cohort(tmp_path)
    assert graphs.provenance["edge_values"].endswith("every edge that is listed is certain")
    refused("KKI_edge_attributes.txt: values describe this file, but it", tmp_path, values="count")


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


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_graphs_may_lack_regions(tmp_path, line_end):
    for file in small(tmp_path).iterdir():
        file.write_bytes(file.read_bytes().replace(b"\n", line_end))
    graphs, y = read_cohort(tmp_path, positive="-1")
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
    matrices[0, 1, 0] = matrices[0, 0, 1] = 1.0  # the file of edges is not empty
    write_tu(folder, matrices)
    graphs, _ = read_cohort(folder)
    found = np.zeros_like(matrices)
    u, v = graphs.edges.T
    found[:, u, v] = found[:, v, u] = graphs.edge_probability
    np.testing.assert_array_equal(found, matrices)


def test_directions(tmp_path):
    put(small(tmp_path), "edge_attributes", "0.5", "0.5", "0.25", "0.3", "1", "1")
    message = r"DS_A.txt, line [34]: .* one value in both directions, but [89]--[89] has 0.25 in"
    refused(message, tmp_path)
    put(tmp_path, "edge_attributes", "4", "2", "1", "1", "1", "1")
    graphs, _ = read_cohort(tmp_path, values="count", probability="largest")
    np.testing.assert_allclose(graphs.edge_probability, [[1, 1 / 3], [1, 0]])
    put(tmp_path, "A", "1, 2", "2, 3", "4, 5")
    put(tmp_path, "edge_attributes", "0.5", "0.25", "1")
    graphs, _ = read_cohort(tmp_path)
    assert graphs.edge_probability.tolist() == [[0.5, 0.25], [1, 0]]
    assert graphs.provenance["symmetry"] == "each edge listed in one direction"


WHOLE = "numbers must be whole, from 1 to 5, "


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        (
            "node_labels",
            "7 8 7 8 7",
            "labels.txt, line 3: a label must name one node of a graph, .* '7' is on ",
        ),
        ("node_labels", "7 8 9 8", "every node must have one label, but there are 4 labels for 5 nodes"),
        ("node_labels", "7,1 8,1 9,1 8,1 7,1", "one label, but has 2. Keep the intended column"),
        ("A", "1,2 2,1 2,3 3,2 3,5 5,3", "A.txt, line 5: an edge must join nodes of one graph, .* 1 and 2"),
        ("A", "0,1 1,0 2,3 3,2 4,5 5,4", f"A.txt, line 1: {WHOLE}but one is 0"),
        ("A", "1,2 2,1 2,9 9,2 4,5 5,4", f"A.txt, line 3: {WHOLE}.* is 9.0"),
        ("A", "1,2 2,1 2,n/a 3,2 4,5 5,4", f"A.txt, line 3: {WHOLE}.* is nan"),
        # With pandas 3, and before.
        ("A", "1,2 2,1 2,1e999 3,2 4,5 5,4", f"line 3: ({WHOLE}.* is inf|column 2 must be .* is '1e999')"),
        ("A", "1 2 2 3 4 5", "A.txt: every line must hold 2 numbers, but has 1"),
        ("A", "1,2 1,2 2,3 3,2 4,5 5,4", "line 2: .* once in each direction, but 7--8 is in .* line 1"),
        ("A", "1,1 2,1 2,3 3,2 4,5 5,4", "line 1: .* two different regions, but it joins 7 to itself"),
        ("A", "1,2 2,1", "one number for each of the 2 lines of DS_A.txt, but there are 6 lines of 1"),
        ("graph_indicator", "1 1 1 2 3", "line 5: numbers must be whole, from 1 to 2, .* 3.0"),
        ("graph_labels", "1 1", r"DS_graph_labels.txt: there must be exactly two groups, but there is 1 \("),
        ("edge_attributes", "1 1 1 1 1.5 1.5", r"A.txt, line 5: the probability .* must lie in \[0, 1\]"),
        ("edge_attributes", "1 1 1 1 n/a 1", "A.txt, line 5: the probability of an edge must be there, but"),
        ("edge_attributes", "1 1 1 1 x 1", "attributes.txt, line 5: column 1 must be a number, but is 'x'"),
    ],
)
def test_broken_tables(tmp_path, table, rows, message):
    put(small(tmp_path), table, *rows.split())
    refused(message, tmp_path)


def test_missing_and_many_files(tmp_path):
    (small(tmp_path) / "DS_node_labels.txt").unlink()
    refused("DS_node_labels.txt: a TUDataset of connectomes must have this file", tmp_path)
    write_tu(tmp_path, probabilities(), name="B")
    message = r"must be in one file, but 2 may be meant: B_A\.txt, DS_A\.txt"
    refused(message, tmp_path, format="tu-dataset")


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
    # Several labels of a node are left alone.
    (tmp_path / "readme.txt").write_text(README.replace("\n=== Ref", "\nComponent 1:\n\t0\tA\n\n=== Ref"))
    assert read_cohort(tmp_path)[0].node_labels == NUMBERS


def test_node_labels_are_no_numbers_of_an_atlas(tmp_path):
    tu_dataset(tmp_path)
    atlas = tmp_path / "atlas.tsv"
    atlas.write_text("index\tname\n" + "\n".join(f"{i}\tR{i}" for i in range(5)) + "\n")
    message = "^atlas must be left out for a TUDataset whose readme.txt does not say"
    refused(message, tmp_path, atlas=atlas)
    (tmp_path / "readme.txt").write_text(README.replace("n_187", "R1"))
    names = [name.split("\t")[2] for name in README.splitlines() if name.startswith("\t")]
    atlas.write_text("name\n" + "\n".join([*names, "R1"]) + "\n")
    assert read_cohort(tmp_path, atlas=atlas)[0].node_labels[1] == "R1"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t4\tn_4\n", "", r"readme.txt: .* say what every node label stands for, but lacks 4\. Take"),
        ("n_4", "n_0", "readme.txt: .* a region of its own, but 4 or n_0 appears twice"),
        ("Insula", "I" * 2000, "a region name may have 1000 characters, but one has 2000"),
    ],
)
def test_a_readme_that_does_not_fit(tmp_path, old, new, message):
    tu_dataset(tmp_path)
    (tmp_path / "readme.txt").write_text(README.replace(old, new))
    refused(message, tmp_path)
