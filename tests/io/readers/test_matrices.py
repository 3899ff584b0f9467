"""Any folder of matrices: names of files, kinds of values, symmetry, and what is refused."""

import numpy as np
import pytest
from layouts_labs import csv_matrices, npy_matrices, txt_matrices
from layouts_tools import halfpipe_series
from made_up import SUBJECTS, correlation_matrices, refused

from dugraph import EdgeProbability, read_cohort

ROWS, COLUMNS = np.tril_indices(5, -1)
R = correlation_matrices(9)


@pytest.mark.parametrize("write", [csv_matrices, npy_matrices, txt_matrices])
def test_every_bit_is_kept(tmp_path, write):
    matrices = np.maximum(R, R.transpose(0, 2, 1))  # symmetric to the last bit
    expected = write(tmp_path, matrices)
    graphs, _ = read_cohort(tmp_path)
    np.testing.assert_array_equal(graphs.edge_probability, np.maximum(expected.edges, 0))
    assert "symmetry" not in graphs.provenance


def test_the_name_of_the_file_is_the_subject(tmp_path):
    for name in ("007.csv", "b.tsv", "c.txt"):
        (tmp_path / name).write_text("1\t0.5\n0.5\t1\n".replace("\t", "," if name == "007.csv" else "\t"))
    assert read_cohort(tmp_path)[0].graph_ids == ("007", "b", "c")
    (tmp_path / "d.npy").write_bytes((tmp_path / "b.tsv").read_bytes())
    refused(r"d.npy: must be an intact .npy file", tmp_path)
    (tmp_path / "d.npy").rename(tmp_path / "b.npy")
    refused(r"one file, but b has two: .*b.npy and .*b.tsv. Move one away", tmp_path)


def test_the_rest_of_a_bids_name_is_no_part_of_the_subject(tmp_path):
    for subject in SUBJECTS:
        np.save(tmp_path / f"{subject}_task-rest_matrix.npy", np.eye(3))
    assert read_cohort(tmp_path)[0].graph_ids == SUBJECTS


def test_fisher_z_never_passes_for_correlations(tmp_path):
    z = np.arctanh(R * 0.99)
    npy_matrices(tmp_path, np.where(np.eye(5), 0, z * 3))
    message = r'lie in \[-1, 1\], but 33 values do not, .* 0--2 in .*sub-01.npy.*values="fisher_z"'
    refused(message, tmp_path)
    npy_matrices(tmp_path, z)
    graphs, _ = read_cohort(tmp_path, values="fisher_z", probability="absolute")
    np.testing.assert_allclose(graphs.edge_probability, np.abs(R[:, ROWS, COLUMNS] * 0.99), atol=1e-14)
    assert graphs.provenance["values"] == "fisher_z"


def test_counts_need_a_named_step(tmp_path):
    counts = np.random.default_rng(0).integers(0, 500, (4, 5, 5)).astype(float)
    npy_matrices(tmp_path, counts)
    message = r"by the number sent \(waytotal\), but .*sub-01.npy comes without"
    refused(message, tmp_path, values="count")
    graphs, _ = read_cohort(tmp_path, values="count", probability="largest")
    mean = (counts + counts.transpose(0, 2, 1))[:, ROWS, COLUMNS] / 2
    np.testing.assert_allclose(graphs.edge_probability, mean / mean.max(axis=1, keepdims=True), rtol=1e-14)
    assert graphs.provenance["symmetry"] == "averaged with the transpose"
    ranked, _ = read_cohort(tmp_path, values="count", probability="rank", density=0.4)
    truth = EdgeProbability("rank", density=0.4).fit_transform(mean)
    np.testing.assert_array_equal(ranked.edge_probability, truth)
    npy_matrices(tmp_path, counts - 100)
    message = "Counts of streamlines must be finite and not negative, but"
    refused(message, tmp_path, values="count", probability="rank")


@pytest.mark.parametrize(("keep", "word"), [(np.triu, "upper"), (np.tril, "lower")])
def test_one_triangle_is_mirrored(tmp_path, keep, word):
    npy_matrices(tmp_path, np.stack([keep(matrix) for matrix in R]))
    graphs, _ = read_cohort(tmp_path)
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(R[:, ROWS, COLUMNS], 0), atol=1e-15)
    assert graphs.provenance["symmetry"] == f"only {word} triangle, mirrored"


def test_the_diagonal_is_ignored_and_rounding_forgiven(tmp_path):
    matrices = R.copy()
    matrices[:, range(5), range(5)] = [np.nan, np.inf, 7, -3, 0]
    matrices[:, 0, 1] += 1e-7
    npy_matrices(tmp_path, np.abs(matrices))
    graphs, _ = read_cohort(tmp_path, values="probability")
    assert graphs.provenance["symmetry"] == "rounding averaged out"


def test_the_ways_out_of_counts_that_may_be_names(tmp_path):
    file = tmp_path / "a.csv"
    for text, labels in (("0,1,2\n1,0,5\n2,5,0\n", ("0", "1", "2")), ("Node,1,2\n1,,5\n2,5,\n", ("1", "2"))):
        file.write_text(text)
        assert read_cohort(tmp_path, values="count", probability="largest")[0].node_labels == labels


def test_a_value_that_is_missing_in_one_direction(tmp_path):
    matrices = R.round(6)
    expected = np.maximum(matrices[:, ROWS, COLUMNS], 0)
    matrices[1, 2, 3] = np.nan
    npy_matrices(tmp_path, matrices)
    refused('for 1 edge in 1 of 4 graphs; .* is 2--3 in .*sub-02.*missing="abs', tmp_path)
    graphs, _ = read_cohort(tmp_path, missing="absent")
    expected[1, (ROWS == 3) & (COLUMNS == 2)] = 0
    np.testing.assert_allclose(graphs.edge_probability, expected, atol=1e-15)
    assert graphs.provenance["symmetry"] == "missing where one direction is"
    assert graphs.provenance["n_missing"] == 1
    matrices[:, 0, 1] += 1e-7
    npy_matrices(tmp_path, matrices)
    both = "missing where one direction is, rounding averaged out"
    assert read_cohort(tmp_path, missing="absent")[0].provenance["symmetry"] == both


def test_probabilities_are_taken_as_they_are(tmp_path):
    matrices = np.abs(R)
    npy_matrices(tmp_path, matrices)
    for words in ({"values": "probability"}, {"probability": "none"}):
        graphs, _ = read_cohort(tmp_path, **words)
        np.testing.assert_allclose(graphs.edge_probability, matrices[:, ROWS, COLUMNS], atol=1e-15)
        assert graphs.provenance["probability"] == "none"
    npy_matrices(tmp_path, np.where(np.eye(5), 1, -matrices))
    message = r"Probabilities must lie in \[0, 1\], but 40 values do not, the first"
    refused(message, tmp_path, probability="none")
    message = 'not probabilities: leave out values="probability", or state what they'
    refused(message, tmp_path, values="probability")
    refused("needs n_timepoints, the length of the time series", tmp_path, probability="fisher")
    assert read_cohort(tmp_path, probability="fisher", n_timepoints=40)[0].provenance["n_timepoints"] == 40


LETTERS = np.array([["a", "b"], ["c", "d"]])
SQUARE = "must hold a square matrix of numbers, but its array has shape "
SIX = "same regions: .*sub-02.npy has 6, but .*sub-01.npy has 5. Extract them with one atlas"


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((2, 3)), SQUARE + r"\(2, 3\) and dtype float64"),
        (LETTERS, SQUARE + ".* and dtype <U1"),
        (np.zeros((1, 1)), SQUARE + r"\(1, 1\)"),
        (np.zeros((6, 6)), SIX),
    ],
)
def test_broken_arrays(tmp_path, array, message):
    npy_matrices(tmp_path)
    np.save(tmp_path / "sub-02.npy", array)
    refused(message, tmp_path)


@pytest.mark.parametrize("rows", [slice(0, 4), [0, 1, 2, 3, 4, 4]], ids=["one lost", "one twice"])
def test_numbers_are_not_taken_for_names(tmp_path, rows):
    txt_matrices(tmp_path)
    np.savetxt(tmp_path / "sub-02.txt", np.loadtxt(tmp_path / "sub-02.txt")[rows])
    refused(r"sub-02.txt.* must be square, but it has", tmp_path)


@pytest.mark.parametrize("text", ["2001,2002\n1,0.5\n0.5,1\n", "2001,1,0.5\n2002,0.5,1\n"])
def test_numbers_that_count_up_may_be_names(tmp_path, text):
    (tmp_path / "sub-01.csv").write_text(text)
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == ("2001", "2002")
    assert graphs.edge_probability.tolist() == [[0.5]]


def test_files_with_and_without_names_do_not_mix(tmp_path):
    csv_matrices(tmp_path)
    np.save(tmp_path / "sub-11.npy", np.eye(5))
    refused(r"Either all files name their regions or none", tmp_path)


def test_places_without_connectomes(tmp_path):
    refused(r"must hold files, but it is empty. Check the path", tmp_path)
    (tmp_path / "readme.md").write_text("x")
    refused(r"none fits 1 file \(1 .md\). Check .*: bids-relmat, .*matrices\. docs", tmp_path)


def test_endings_of_workbooks_in_capitals_are_known(tmp_path):
    (tmp_path / "sub-01.XLSX").write_bytes(b"x")
    refused(r"\. Export every table as CSV first \(.xlsx\)\.$", tmp_path)


def test_select_is_a_mapping(tmp_path):
    npy_matrices(tmp_path)
    message = r"select must be a mapping such as {\"task\": \"rest\"}, but is 'task=rest'"
    refused(message, tmp_path, select="task=rest")


def test_the_folder_must_fit_into_memory(tmp_path):
    npy_matrices(tmp_path)
    message = "must take at most 1000 bytes, but with this it would take 1312"
    refused(message, tmp_path, max_memory=1000)


def test_links_to_folders_are_not_followed(tmp_path):
    (tmp_path / "in").mkdir()
    npy_matrices(tmp_path / "in")
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "linked").symlink_to(tmp_path / "in")
    assert read_cohort(tmp_path / "in")[0].n_graphs == 4
    refused(r"none fits|it is empty", tmp_path / "out")


def test_subfolders_are_seen(tmp_path):
    npy_matrices(tmp_path)
    (tmp_path / "deep").mkdir()
    for subject in SUBJECTS:
        (tmp_path / f"{subject}.npy").rename(tmp_path / "deep" / f"{subject}.npy")
    message = "they are in 1 folder, of which .*deep holds 4: .* name the intended"
    refused(message, tmp_path, format="matrices")
    assert read_cohort(tmp_path / "deep")[0].graph_ids == SUBJECTS


@pytest.mark.parametrize("write", [npy_matrices, txt_matrices, halfpipe_series])
def test_regions_without_names_are_numbered_by_one_rule(tmp_path, write):
    write(tmp_path)
    graphs, _ = read_cohort(tmp_path)
    assert graphs.node_labels == ("0", "1", "2", "3", "4")
    said = "without names in the files: numbered from 0 in their order; an atlas names them"
    assert graphs.provenance["regions"] == said
