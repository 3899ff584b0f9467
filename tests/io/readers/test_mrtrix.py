"""MRtrix3 tck2connectome: old and new versions, one triangle or both, names, and what is refused."""

import numpy as np
import pytest
from layouts_tools import mrtrix_connectomes
from made_up import SUBJECTS, refused

from dugraph import read_cohort
from dugraph.io.detection import choose_layout
from dugraph.io.input_files import InputFiles


@pytest.mark.parametrize("version", [0, 3])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
def test_round_trip(tmp_path, version, nested, symmetric):
    expected = mrtrix_connectomes(tmp_path, version, nested, symmetric)
    graphs, _ = read_cohort(tmp_path, probability="largest")
    assert (graphs.provenance["format"], graphs.provenance["values"]) == ("mrtrix", "count")
    assert graphs.provenance.get("symmetry") == (None if symmetric else "only upper triangle, mirrored")
    assert graphs.graph_ids == SUBJECTS
    largest = expected.edges.max(axis=1, keepdims=True)
    np.testing.assert_allclose(graphs.edge_probability, expected.edges / largest, rtol=1e-14)


def test_names_without_bids(tmp_path):
    mrtrix_connectomes(tmp_path)
    for i, subject in enumerate(SUBJECTS):
        (tmp_path / f"{subject}_connectome.csv").rename(tmp_path / f"P{i}_dk-connectome.csv")
    graphs, _ = read_cohort(tmp_path, probability="rank")
    assert graphs.graph_ids == ("P0_dk", "P1_dk", "P2_dk", "P3_dk")
    refused(r"by the number sent \(waytotal\), but .*P0_dk-connectome.csv comes with", tmp_path)


@pytest.mark.parametrize(
    "text",
    ["1,0.5\n0.5,1\n", "1,-3\n-3,1\n", "A,B\n1,5\n5,1\n", "\n", "0,0\n0,0\n"],
    ids=["correlations", "negative", "names", "empty", "zeros"],
)
def test_other_matrices_of_that_name_are_not_taken_for_counts(tmp_path, text):
    for subject in SUBJECTS:
        (tmp_path / f"{subject}_connectome.csv").write_text(text)
    assert choose_layout(InputFiles.of(tmp_path))[0].name == "matrices"


def test_negative_counts_are_refused(tmp_path):
    mrtrix_connectomes(tmp_path)
    file = tmp_path / "sub-02_connectome.csv"
    file.write_text(file.read_text().replace(",", ",-1", 1))
    message = "Counts of streamlines must be finite and not negative, but 1 value is not"
    refused(message, tmp_path, probability="largest")
