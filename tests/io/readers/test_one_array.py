"""One array of all subjects, from a file or in memory: axes, order, names, and what is refused."""

import h5py
import numpy as np
import pandas as pd
import pytest
from binary_files import V73_HEADER, put, put_cell
from hypothesis import given
from hypothesis import strategies as st
from layouts_labs import array_mat, array_npy
from made_up import GROUPS, REGIONS, SUBJECTS, correlation_matrices, refused, write_participants

from dugraph import read_cohort, save_cohort
from dugraph.exceptions import InputError
from dugraph.io import from_array

TABLE = pd.DataFrame({"id": SUBJECTS, "group": GROUPS, "age": [1, 2, 3, 4]})
R = correlation_matrices(70)
POSITIVE = np.maximum(R[:, *np.tril_indices(5, -1)], 0)


@given(st.integers(2, 6), st.integers(2, 6), st.booleans(), st.integers(0, 99))
def test_either_axis_may_count_the_subjects(n_subjects, n_regions, last, seed):
    matrices = np.random.default_rng(seed).random((n_subjects, n_regions, n_regions))
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    graphs, y = from_array(matrices.transpose(1, 2, 0) if last else matrices, values="probability")
    assert y is None
    rows, columns = np.tril_indices(n_regions, -1)
    np.testing.assert_array_equal(graphs.edge_probability, matrices[:, rows, columns])
    assert graphs.graph_ids == tuple(str(i + 1) for i in range(n_subjects))
    assert graphs.provenance["subject_axis"] == f"{'last' if last else 'first'} axis, of length {n_subjects}"


def test_the_table_is_in_the_order_of_the_array():
    graphs, y = from_array(R, TABLE, node_labels=REGIONS, node_coordinates=np.ones((5, 3)))
    assert graphs.graph_ids == SUBJECTS
    assert y.tolist() == [1, 0, 1, 0]
    assert graphs.participants["age"].tolist() == [1, 2, 3, 4]
    assert graphs.node_labels == REGIONS
    np.testing.assert_array_equal(graphs.node_coordinates, np.ones((5, 3)))
    assert graphs.provenance["subjects"] == "by their order: row i of the table is subject i of the file"
    np.testing.assert_allclose(graphs.edge_probability, POSITIVE, atol=1e-15)


AXES = r"^array: .* \(regions, regions, subjects\), but its shape is \(5, 4, 5\)\. Save"
ROWS = r"^array: .* as many subjects as the table has rows, .* has 3 and the .* 4"
KINDS = r"^values must be one of correlation, fisher_z, count, probability, but is 'z'"
CUBE = r"shape is \(5, 5, 5\) whose matrices may lie along the first axis or the last"
NAMES = r"^array\[0\]: every region needs one name, but there are 1 name for 5 regions"


@pytest.mark.parametrize(
    ("array", "words", "message"),
    [
        (R[:3], {"participants": TABLE}, ROWS),
        (R.transpose(1, 0, 2), {}, AXES),
        (R[0], {}, r"but its shape is \(5, 5\)"),
        (np.zeros((5, 5, 5)), {}, CUBE),
        (R, {"values": "z"}, KINDS),
        (R, {"node_labels": ["a"]}, NAMES),
        ([["a"]], {}, r"^array must hold numbers"),
    ],
)
def test_wrong_arrays(array, words, message):
    refused(message, array, by=from_array, **words)


@pytest.mark.parametrize("how", ["v5", "packed", "v7.3"])
def test_every_version_of_matlab(tmp_path, how):
    if how == "v7.3":
        with h5py.File(tmp_path / "group.mat", "w", userblock_size=512) as opened:
            put(opened, "A", R.transpose(1, 2, 0), "double", compression="gzip", chunks=(4, 5, 5))
            put(opened, "other", R[0], "double")
            put_cell(opened, "ROInames", REGIONS)
        with open(tmp_path / "group.mat", "r+b") as stream:
            stream.write(V73_HEADER)
        write_participants(tmp_path)
    else:
        array_mat(tmp_path, R, do_compression=how == "packed")
    for path in (tmp_path, tmp_path / "group.mat"):
        words = {"participants": tmp_path / "participants.tsv", "variable": "A", "names_variable": "ROInames"}
        graphs, y = read_cohort(path, **words)
        assert graphs.node_labels == REGIONS
        assert y.tolist() == [1, 0, 1, 0]
        np.testing.assert_allclose(graphs.edge_probability, POSITIVE, atol=1e-15)
        assert (graphs.provenance["format"], graphs.provenance["variable"]) == ("array", "A")


def test_a_cohort_file_is_no_source(tmp_path):
    array_npy(tmp_path)
    graphs, y = read_cohort(tmp_path, participants=tmp_path / "participants.tsv")
    save_cohort(tmp_path / "cohort.npz", graphs, y)
    again, _ = read_cohort(tmp_path, participants=tmp_path / "participants.tsv")
    np.testing.assert_array_equal(again.edge_probability, graphs.edge_probability)
    refused(r"cohort.npz: .* but it is already a cohort file. Mine it as it is", tmp_path / "cohort.npz")


def test_a_damaged_array_is_named(tmp_path):
    file = tmp_path / "all.npy"
    np.save(file, np.zeros((3, 5, 5)))
    content = file.read_bytes()
    file.write_bytes(content[:-8])
    refused(r"all.npy: must be an intact .npy file", tmp_path)
    file.write_bytes(content[:8] + b"\x00\x27" + b"(" * 9984)  # quoted by NumPy
    with pytest.raises(InputError, match=r"must be an intact \.npy file") as found:
        read_cohort(tmp_path, format="array")
    assert len(str(found.value)) < 1000
