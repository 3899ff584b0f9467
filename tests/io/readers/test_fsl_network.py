"""FSL probtrackx2 --network: shares of waytotal in both directions, folders as subjects, what is refused."""

import shutil

import numpy as np
import pytest
from layouts_streamlines import fsl_network, fsl_waytotals, streamline_counts, write_ascii_matrix
from made_up import REGIONS, SUBJECTS, refused, write_participants

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
    graphs, y = read_cohort(tmp_path, participants=write_participants(tmp_path), positive="patient")
    assert graphs.provenance["format"] == "fsl-network"
    assert (graphs.provenance["values"], graphs.provenance["probability"]) == ("count", "fraction")
    assert graphs.provenance["symmetry"] == "averaged with the transpose"
    assert graphs.graph_ids == SUBJECTS
    assert graphs.node_labels == tuple("01234")
    np.testing.assert_allclose(graphs.edge_probability, shares(), rtol=1e-14)
    assert y.tolist() == [1, 0, 1, 0]


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


def test_names_by_an_atlas(tmp_path):
    fsl_network(tmp_path)
    atlas = tmp_path / "seeds.csv"
    atlas.write_text("name\n" + "\n".join(REGIONS) + "\n")
    assert read_cohort(tmp_path, atlas=atlas)[0].node_labels == REGIONS
    atlas.write_text("name\n" + "\n".join(REGIONS[1:]) + "\n")
    refused(r"seeds.csv has 4 regions, but .*fdt_network_matrix has 5", tmp_path, atlas=atlas)


def test_without_waytotal(tmp_path):
    fsl_network(tmp_path)
    (tmp_path / "sub-03" / "waytotal").unlink()
    refused(
        r"\(waytotal\), but .*sub-03/fdt_network_matrix comes without \(1 of 4 graphs\). Choose "
        'probability="largest"',
        tmp_path,
    )
    counts = streamline_counts()
    rows, columns = np.tril_indices(5, -1)
    mean = (counts[:, rows, columns] + counts[:, columns, rows]) / 2
    graphs, _ = read_cohort(tmp_path, probability="largest")
    np.testing.assert_allclose(graphs.edge_probability, mean / mean.max(axis=1, keepdims=True), rtol=1e-14)
    # Whoever is left out needs no waytotal.
    table = tmp_path / "some.tsv"
    table.write_text("id\tgroup\n01\ta\n02\tb\n10\ta\n")
    graphs, _ = read_cohort(tmp_path, participants=table, intersect=True)
    np.testing.assert_allclose(graphs.edge_probability, np.delete(shares(), 2, axis=0), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("waytotal", lambda m: m[:3], "one number of streamlines per region: got 3 values for 5 regions"),
        ("waytotal", lambda m: m / 100, r"must lie in \[0, 1\], but .* The waytotal belongs to other files"),
        (
            "fdt_network_matrix",
            lambda m: m[:4],
            r"must be square, but it has 4 rows of numbers and 5 columns",
        ),
        ("fdt_network_matrix", lambda m: m[:4, :4], "per region: got 5 values for 4 regions"),
        ("fdt_network_matrix", lambda m: m - 500, r"Counts of streamlines must be finite and not negative"),
    ],
)
def test_broken_files(tmp_path, name, change, message):
    fsl_network(tmp_path)
    file = tmp_path / "sub-01" / name
    write_ascii_matrix(file, change(np.loadtxt(file, ndmin=2)))
    refused(message, tmp_path, probability="fraction")


def test_counts_are_no_correlations(tmp_path):
    fsl_network(tmp_path)
    refused(
        r"for count it may be fraction, largest, rank, but is 'positive'", tmp_path, probability="positive"
    )
