"""The diagonal is evidence: what contradicts the kind of values is refused, in every reader of matrices."""

import numpy as np
import pytest
from layouts_labs import npy_matrices
from made_up import correlation_matrices, refused
from refusals import refusal

from dugraph import read_cohort

R = correlation_matrices(50)
POSITIVE = np.maximum(R[:, *np.tril_indices(5, -1)], 0)


def with_diagonal(values, matrices=R):
    matrices = matrices.copy()
    matrices[:, range(5), range(5)] = values
    return matrices


@pytest.mark.parametrize("diagonal", [1.0, 0.0, np.nan, [1, 0, np.nan, 1.0004, 0.9996]])
def test_correlations_have_1_or_nothing(tmp_path, diagonal):
    npy_matrices(tmp_path, with_diagonal(diagonal))
    for words in ({}, {"values": "correlation"}):
        graphs, _ = read_cohort(tmp_path, **words)
        np.testing.assert_allclose(graphs.edge_probability, POSITIVE, atol=1e-12)


@pytest.mark.parametrize("value", [np.inf, 1.01, 7.25, 0.5, -1.0])
def test_other_diagonals_are_no_correlations(tmp_path, value):
    npy_matrices(tmp_path, with_diagonal([1, 1, value, 1, 1]))
    rule = "correlations must be 1, 0 or missing on the diagonal, but there is"
    for words in ({}, {"values": "correlation"}):
        error = refusal(read_cohort, tmp_path, **words)
        assert error.startswith(f"{tmp_path}/sub-01.npy: {rule} {value}.")
        assert ('values="fisher_z"' in error) == (value > 1)
        assert "Covariances must be divided by the standard deviations first." in error
    read_cohort(tmp_path, values="fisher_z")


@pytest.mark.parametrize("diagonal", [np.inf, 0.0, np.nan, 7.25, [1, 1, 1, 1, 18.0]])
def test_fisher_z_may_have_any_diagonal_but_1(tmp_path, diagonal):
    z = np.arctanh(with_diagonal(0))
    npy_matrices(tmp_path, with_diagonal(diagonal, z))
    graphs, _ = read_cohort(tmp_path, values="fisher_z")
    np.testing.assert_allclose(graphs.edge_probability, POSITIVE, atol=1e-12)


def test_1_throughout_is_that_of_correlations(tmp_path):
    counts = {"values": "count", "probability": "largest"}
    npy_matrices(tmp_path, R)
    message = "sub-01.npy: Fisher z values must not be 1 throughout the diagonal"
    refused(message, tmp_path, values="fisher_z")
    npy_matrices(tmp_path, np.abs(R))
    refused("counts of streamlines must not be 1 throughout the diagonal and at", tmp_path, **counts)
    npy_matrices(tmp_path, with_diagonal(1, np.round(9 * np.abs(R))))
    read_cohort(tmp_path, **counts)


def test_the_name_of_the_files_may_say_fisher_z(tmp_path):
    for i, matrix in enumerate(np.arctanh(with_diagonal(0))):
        np.savetxt(tmp_path / f"zROI_FisherZ_Sub{i}.txt", matrix)
    graphs, _ = read_cohort(tmp_path)
    assert graphs.provenance["values"] == "fisher_z"
    np.testing.assert_allclose(graphs.edge_probability, POSITIVE, atol=1e-12)
    message = "correlations must not be called Fisher z, but the file name does"
    refused(message, tmp_path, values="correlation")
