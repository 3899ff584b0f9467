"""FSL probtrackx2 --network: shares of waytotal in both directions, folders as subjects, what is refused."""

import shutil

import numpy as np
import pytest
from layouts_tools import fsl_network, fsl_waytotals, streamline_counts, write_ascii_matrix
from made_up import SUBJECTS, refused

from dugraph import read_cohort


def shares():
    """By the definition, edge by edge."""
    counts, waytotals = streamline_counts(), fsl_waytotals()
    return [
        [(c[i, j] / w[i] + c[j, i] / w[j]) / 2 for i in range(len(w)) for j in range(i)]
        for c, w in zip(counts, waytotals, strict=True)
    ]


@pytest.mark.parametrize("below", ["", "tracks.probtrackX2/run"])
def test_round_trip(tmp_path, below):
    fsl_network(tmp_path, below)
    graphs, _ = read_cohort(tmp_path)
    assert (graphs.provenance["values"], graphs.provenance["probability"]) == ("count", "fraction")
    assert graphs.provenance["symmetry"] == "averaged with the transpose"
    assert graphs.graph_ids == SUBJECTS
    np.testing.assert_allclose(graphs.edge_probability, shares(), rtol=1e-14)


def test_one_folder_alone(tmp_path):
    fsl_network(tmp_path)
    for path in (tmp_path / "sub-02", tmp_path / "sub-02" / "fdt_network_matrix"):
        graphs, _ = read_cohort(path)
        assert graphs.graph_ids == ("sub-02",)
        np.testing.assert_allclose(graphs.edge_probability, shares()[1:2], rtol=1e-14)


def test_folders_that_bids_does_not_know(tmp_path):
    fsl_network(tmp_path, "tracks")
    for i, subject in enumerate(SUBJECTS):
        (tmp_path / subject).rename(tmp_path / f"S{i}")
    assert read_cohort(tmp_path)[0].graph_ids == ("S0", "S1", "S2", "S3")
    shutil.copytree(tmp_path / "S0" / "tracks", tmp_path / "S0" / "again")
    refused(r"A subject must have one file, but tracks has two: .*Move one away", tmp_path)


def test_without_waytotal(tmp_path):
    fsl_network(tmp_path)
    (tmp_path / "sub-03" / "waytotal").unlink()
    message = r"\(waytotal\), but .*sub-03/fdt_network_matrix comes without \(1 of 4 graphs\). Choose "
    refused(message + 'probability="largest"', tmp_path)
    # A subject that is left out needs no waytotal.
    table = tmp_path / "some.tsv"
    table.write_text("id\tgroup\n01\ta\n02\tb\n10\ta\n")
    graphs, _ = read_cohort(tmp_path, participants=table, intersect=True)
    np.testing.assert_allclose(graphs.edge_probability, np.delete(shares(), 2, axis=0), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("waytotal", lambda m: m[:3], "one number of streamlines per region: got 3 values for 5 regions"),
        ("waytotal", lambda m: m / 100, r"must lie in \[0, 1\], but .* The waytotal belongs to other files"),
        ("fdt_network_matrix", lambda m: m[:4, :4], "per region: got 5 values for 4 regions"),
        ("fdt_network_matrix", lambda m: m - 500, r"Counts of streamlines must be finite and not negative"),
    ],
)
def test_broken_files(tmp_path, name, change, message):
    fsl_network(tmp_path)
    file = tmp_path / "sub-01" / name
    write_ascii_matrix(file, change(np.loadtxt(file, ndmin=2)))
    refused(message, tmp_path, probability="fraction")
