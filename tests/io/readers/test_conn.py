"""CONN results: both versions of MATLAB files to the same cohort, choices, and what is refused."""

import sys

import numpy as np
import pytest
from binary_files import cell, write_conn_v7, write_conn_v73
from layouts_tools import CONN_SUBJECTS, POSITIONS, conn_results, write_atlas
from made_up import REGIONS, correlation_matrices, refused
from scipy.io import savemat

from dugraph import read_cohort
from dugraph.io.arrays import open_mat
from dugraph.io.guards import MemoryBudget

WRITERS = pytest.mark.parametrize("write", [write_conn_v7, write_conn_v73])
FIRST = "resultsROI_Subject001_Condition001.mat"
LAST = FIRST.replace("001_", "010_")


def place(folder):
    return folder / "results" / "firstlevel" / "SBC_01"


@WRITERS
def test_positions(tmp_path, write):
    conn_results(tmp_path, write=write)
    graphs, _ = read_cohort(place(tmp_path) / FIRST)
    assert graphs.graph_ids == ("Subject001",)
    np.testing.assert_array_equal(graphs.node_coordinates, POSITIONS)
    assert (graphs.provenance["format"], graphs.provenance["values"]) == ("conn", "fisher_z")
    graphs, _ = read_cohort(tmp_path, atlas=write_atlas(tmp_path))
    np.testing.assert_array_equal(graphs.node_coordinates[2], [3.5, -3, 0])


@WRITERS
def test_sources_are_found_among_the_targets_by_name(tmp_path, write):
    z = np.arctanh(np.where(np.eye(5), np.nan, correlation_matrices()[0]))
    order = [6, 2, 0, 5, 4, 1, 3]
    wide = np.hstack([z, np.full((5, 2), 9.0)])[:, order]
    targets = np.array([*REGIONS, "éü 脳", "CSF"])[order]
    xyz = np.vstack([POSITIONS, np.zeros((2, 3))])[order]
    write(tmp_path / FIRST, wide, REGIONS, targets.tolist(), xyz)
    graphs, _ = read_cohort(tmp_path)
    expected = np.tanh(z)[np.tril_indices(5, -1)]
    np.testing.assert_allclose(graphs.edge_probability[0], np.maximum(expected, 0), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(graphs.node_coordinates, POSITIONS)
    assert open_mat(tmp_path / FIRST, MemoryBudget())[1](("names2",))["names2"] == targets.tolist()
    # As many targets as sources, in another order: positions are those of the targets.
    order = [3, 0, 4, 2, 1]
    write(tmp_path / FIRST, z[:, order], REGIONS, np.array(REGIONS)[order].tolist(), POSITIONS[order])
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == REGIONS
    np.testing.assert_array_equal(graphs.node_coordinates, POSITIONS)


def test_positions_of_the_sources_alone_are_in_their_order(tmp_path):
    targets = ["WM", *reversed(REGIONS), "CSF"]
    write_conn_v7(tmp_path / FIRST, np.zeros((5, 7)), REGIONS, targets, POSITIONS)
    np.testing.assert_array_equal(read_cohort(tmp_path)[0].node_coordinates, POSITIONS)


def test_one_condition_of_one_analysis(tmp_path):
    conn_results(tmp_path, condition=2, matrices=correlation_matrices(1))
    expected = conn_results(tmp_path)
    message = "one file, but 4 subjects have several; Subject001 has 2 files, .*"
    refused(message + 'Choose: select={"condition": "001"} or select={"condition": "002"}', tmp_path)
    graphs, _ = read_cohort(tmp_path, select={"condition": "1"})
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-15)
    conn_results(tmp_path, analysis="SBC_02")
    message = r'select={"analysis": "SBC_01"} or select={"analysis": "SBC_02"}'
    refused(message, tmp_path, select={"condition": "1"})
    assert read_cohort(tmp_path, select={"condition": "1", "analysis": "SBC_02"})[0].n_graphs == 4


CONDITIONS = 'condition, but there is 001, 002. Choose one with select={"condition": "001"} or'
ANALYSES = 'analysis, but there is SBC_01, gPPI rest. .* or select={"analysis": "gPPI rest"}'


@pytest.mark.parametrize(
    ("to", "message", "select"),
    [
        (f"SBC_01/{LAST.replace('001.', '002.')}", CONDITIONS, {"condition": "1"}),
        (f"gPPI rest/{LAST}", ANALYSES, {"analysis": "SBC_01"}),
    ],
)
def test_subjects_of_different_conditions_or_analyses_are_not_joined(tmp_path, to, message, select):
    conn_results(tmp_path)
    new = place(tmp_path).parent / to
    new.parent.mkdir(exist_ok=True)
    (place(tmp_path) / LAST).rename(new)
    refused("the same " + message, tmp_path)
    graphs, _ = read_cohort(tmp_path, select=select)
    assert graphs.graph_ids == CONN_SUBJECTS[:3]
    assert graphs.provenance["select"] == select


Z = np.eye(5, 7)
GOOD = {"Z": Z, "names": cell(REGIONS), "names2": cell([*REGIONS, "WM", "CSF"]), "xyz": cell([[1, 2, 3]] * 7)}
SHAPE = r"Z must be a matrix of sources by targets, .* its shape is "
TRIPLES = "three numbers for each of 7 regions, but it holds 7 entries, 7 of them"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Z": None}, "must hold the variables Z and names, but Z is missing. Run the first-level analysis"),
        ({"Z": np.eye(7, 5)}, SHAPE + r"\(7, 5\)"),
        ({"Z": np.zeros((5, 7, 2))}, SHAPE + r"\(5, 7, 2\)"),
        ({"Z": "text"}, SHAPE + "that of text"),
        ({"Z": Z + 1j}, "values must be real, but are complex"),
        ({"Z": {"a": 1}}, "numbers, text or cell arrays, but .*an array of MATLAB class 2"),
        ({"names": cell(REGIONS[:4])}, "every region needs one name, but there are 4 names for 5 regions"),
        ({"names": cell([*REGIONS[:4], REGIONS[0]])}, "different names, but 'LH_Vis_1' appears twice"),
        ({"names": cell([*REGIONS[:4], "x" * 2000])}, "may have 1000 characters, but one has 2000"),
        ({"names": np.eye(5)}, "names must be a cell array of text, but it holds numbers"),
        (
            {"names": cell([cell(["a"])] * 5)},
            "numbers, text or cell arrays, but .*an array of MATLAB class 1",
        ),
        ({"names2": cell([*"abcd", REGIONS[4], "e", "f"])}, r"a target \(names2\), but LH_Vis_1, .* are not"),
        ({"xyz": cell([[1, 2]] * 7)}, TRIPLES),
        ({"xyz": cell([[1, 2, 3]] * 3)}, "xyz must hold three numbers for each of 7 .* 3 entries, 0 of them"),
    ],
)
def test_broken_variables(tmp_path, change, message):
    variables = {name: value for name, value in (GOOD | change).items() if value is not None}
    savemat(tmp_path / FIRST, variables, do_compression=True)
    refused(message, tmp_path)


def test_without_targets_and_positions(tmp_path):
    savemat(tmp_path / FIRST, {"Z": 2 * np.eye(5, 7), "names": cell(REGIONS)})
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == REGIONS
    assert graphs.node_coordinates is None


@pytest.mark.parametrize("content", [b"", b"<html>" * 200])
def test_other_files_of_that_name(tmp_path, content):
    (tmp_path / FIRST).write_bytes(content)
    refused("MATLAB file of version 4, 5, 7 or 7.3, but its header is not one of these", tmp_path)


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    conn_results(tmp_path, write=write_conn_v73)
    monkeypatch.setitem(sys.modules, "h5py", None)
    refused(r"needs h5py.*: pip install 'dugraph\[io\]'", tmp_path)
