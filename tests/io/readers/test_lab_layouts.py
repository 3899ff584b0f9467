"""What the layouts of laboratories give beyond docs/files.md: values by definition, choices, positions."""

import networkx as nx
import numpy as np
import pytest
from layouts_labs import brainnet_files, class_folders, hcp_netmats, series_npy, series_txt, subject_triangles
from layouts_tools import afni_netcc, braingraph, dpabi_correlations, dsi_studio, halfpipe_series, qsirecon
from made_up import REGIONS, SUBJECTS, correlations, random_series, refused, write_participants

from dugraph import read_cohort

ROWS, COLUMNS = np.tril_indices(5, -1)
CERTAIN = "every edge that is listed is certain"


@pytest.mark.parametrize("layout", [dsi_studio, qsirecon, braingraph])
def test_counts_by_the_largest(tmp_path, layout):
    expected = layout(tmp_path)
    graphs, _ = read_cohort(tmp_path, **expected.words)
    assert graphs.node_labels == REGIONS
    largest = expected.edges.max(axis=1, keepdims=True)
    np.testing.assert_allclose(graphs.edge_probability, expected.edges / largest, atol=1e-15)


@pytest.mark.parametrize(("layout", "x"), [(braingraph, 3.0), (brainnet_files, 30.0)])
def test_positions(tmp_path, layout, x):
    graphs, _ = read_cohort(tmp_path, **layout(tmp_path).words)
    assert graphs.node_coordinates[3, 0] == x
    assert graphs.node_labels == REGIONS


def test_an_atlas_of_qsirecon_has_its_own_names(tmp_path):
    qsirecon(tmp_path)
    words = {"variable": "atlas_AAL_radius2_count_connectivity", "probability": "rank"}
    assert read_cohort(tmp_path, **words)[0].node_labels == REGIONS[:4]


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (afni_netcc, {"variable": "FZ"}),
        (dpabi_correlations, {"format": "dpabi-correlations", "values": "fisher_z"}),
    ],
)
def test_other_matrices_of_afni_and_dpabi(tmp_path, layout, words):
    expected = layout(tmp_path)
    graphs, _ = read_cohort(tmp_path, **words)
    assert graphs.provenance["values"] == "fisher_z"
    # AFNI keeps four digits.
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-4)


def test_a_network_of_afni_is_chosen(tmp_path):
    expected = afni_netcc(tmp_path)
    for file in sorted(tmp_path.glob("*.netcc")):
        file.with_name(file.name.replace("_000", "_001")).write_text("damaged")
    graphs, _ = read_cohort(tmp_path, select={"network": "000"})
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-12)


def test_ranks_of_hcp_do_not_depend_on_the_factor(tmp_path):
    expected = hcp_netmats(tmp_path)
    graphs, _ = read_cohort(tmp_path / "netmats", **expected.words)
    for row, edges in zip(graphs.edge_probability, expected.edges, strict=True):
        positive = edges > 0
        ranks = (edges[positive][:, None] >= edges[positive]).sum(axis=1) / positive.sum()
        np.testing.assert_allclose(row[positive], ranks)
        assert (row[~positive] == 0).all()


@pytest.mark.parametrize("with_ids", [True, False])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("triangle", ["lower", "upper"])
def test_triangles_by_their_definition(tmp_path, triangle, with_ids, header):
    expected = subject_triangles(tmp_path)
    indices = (ROWS, COLUMNS) if triangle == "lower" else np.triu_indices(5, 1)
    lines = [",".join(["id"] * with_ids + [f"e{k}" for k in range(10)])] * header
    for subject, matrix in zip(SUBJECTS, expected.matrices, strict=True):
        lines.append(",".join([subject] * with_ids + [repr(x) for x in matrix[indices].tolist()]))
    (tmp_path / "triangles.csv").write_text("\n".join(lines) + "\n")
    words = {**expected.words, "triangle": triangle, "participants": tmp_path / "participants.tsv"}
    graphs, _ = read_cohort(tmp_path / "triangles.csv", **words)
    assert graphs.graph_ids == SUBJECTS
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-15)
    assert ("subjects" in graphs.provenance) != with_ids


def test_an_atlas_tells_the_axis_of_time(tmp_path):
    expected = series_npy(tmp_path)
    (tmp_path / "atlas.tsv").write_text("name\n" + "\n".join(REGIONS) + "\n")
    graphs, _ = read_cohort(tmp_path, format="series", atlas=tmp_path / "atlas.tsv")
    assert graphs.node_labels == REGIONS
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-12)


def test_series_are_never_found_by_themselves(tmp_path):
    series_txt(tmp_path)
    refused(r"a connectivity matrix must be square, but it has 5 columns and more", tmp_path)


def test_names_of_an_atlas_for_series_without_a_header(tmp_path):
    halfpipe_series(tmp_path)
    (tmp_path / "names.txt").write_text("\n".join(REGIONS) + "\n")
    graphs, _ = read_cohort(tmp_path, atlas=tmp_path / "names.txt")
    assert graphs.node_labels == REGIONS
    assert "regions" not in graphs.provenance


def test_classes_that_count_their_subjects_anew(tmp_path):
    for group in ("ill", "well"):
        (tmp_path / group).mkdir()
        for i in range(2):
            np.savetxt(tmp_path / group / f"{i}.txt", np.eye(3))
    graphs, y = read_cohort(tmp_path, positive="ill")
    assert graphs.graph_ids == ("ill_0", "ill_1", "well_0", "well_1")
    assert y.tolist() == [1, 1, 0, 0]
    assert graphs.provenance["folders"] == "one folder per class"


def test_folders_of_classes_may_have_a_table_too(tmp_path):
    expected = class_folders(tmp_path)
    table = write_participants(tmp_path, expected.subjects, expected.groups)
    assert read_cohort(tmp_path, participants=table)[1].tolist() == [0, 0, 1, 1]
    write_participants(tmp_path, expected.subjects, ("control", "patient", "patient", "control"))
    message = r"but 2 subjects \(sub-10, sub-03\) are of another class in the .*: sub-10"
    refused(message, tmp_path, participants=table)


def test_edge_lists_in_both_directions_and_without_values(tmp_path):
    (tmp_path / "a.ssv").write_text("x y\ny x\nz x\nx z\n")
    (tmp_path / "b.ssv").write_text("y z\nz y\n")
    graphs, _ = read_cohort(tmp_path)
    assert graphs.provenance["edge_values"].endswith(CERTAIN)
    assert graphs.edge_probability.sum(axis=1).tolist() == [2, 1]
    for name, p in (("a", 0.5), ("b", 0.25)):
        (tmp_path / f"{name}.ssv").write_text(f"x y {p}\ny x {p}\n")
    assert read_cohort(tmp_path, values="probability")[0].edge_probability.tolist() == [[0.5], [0.25]]
    (tmp_path / "a.ssv").write_text("x y 0.5\ny x 0.25\n")
    (tmp_path / "b.ssv").write_text("y z 0.5\nz y 0.5\n")
    message = "a.ssv, line 2: an edge of a graph must be given once, but y--x is in"
    refused(message, tmp_path, values="probability")


def test_graphml_without_values_is_certain(tmp_path):
    nx.write_graphml(nx.path_graph(3), tmp_path / "a.graphml")
    nx.write_graphml(nx.complete_graph(3), tmp_path / "b.graphml")
    graphs, _ = read_cohort(tmp_path)
    assert sorted(map(tuple, graphs.edge_probability.tolist())) == [(1, 0, 1), (1, 1, 1)]
    assert graphs.provenance["edge_values"].endswith(CERTAIN)
    weighted = nx.path_graph(3)
    nx.set_edge_attributes(weighted, 0.5, "probability")
    nx.write_graphml(weighted, tmp_path / "c.graphml")
    refused(r"^Either the edges of all files must have values or none, but .*c.graphml has", tmp_path)


def test_series_of_subjects_in_folders(tmp_path):
    series = random_series(71)
    for subject, one in zip(SUBJECTS, series, strict=True):
        (tmp_path / subject).mkdir()
        np.savetxt(tmp_path / subject / "ts.1D", one)
    graphs, _ = read_cohort(tmp_path, format="series")
    assert graphs.graph_ids == SUBJECTS
    edges = correlations(series)[:, ROWS, COLUMNS]
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(edges, 0), atol=1e-12)
