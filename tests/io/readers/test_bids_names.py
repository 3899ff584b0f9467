"""Which files of BIDS derivatives belong together: entities that subjects share, and others."""

import numpy as np
import pytest
from layouts_tools import xcp_d_relmat
from made_up import SUBJECTS, refused

from dugraph import read_cohort


def renamed(folder, subject, old, new):
    (file,) = (folder / subject / "func").glob("*_relmat.tsv")
    file.rename(file.with_name(file.name.replace(old, new)))


TASK = 'rest, faces. Choose one with select={"task": "rest"} or select={"task": "faces"}'
DESC = 'n/a, 300volumes. Choose one with select={"desc": "n/a"} or select={"desc": "300volumes"} '


@pytest.mark.parametrize(
    ("old", "new", "entity", "there", "values"),
    [
        ("task-rest", "task-faces", "task", TASK, ["rest", "faces"]),
        ("4S156Parcels", "Gordon", "atlas", "4S156Parcels, Gordon. Choose one with", ["Gordon"]),
        ("MNI152NLin2009cAsym", "T1w", "space", "MNI152NLin2009cAsym, T1w", ["T1w"]),
        ("_atlas", "_res-2_atlas", "res", "n/a, 2", ["2", "n/a"]),
        ("_atlas", "_den-91k_atlas", "den", "n/a, 91k", ["91k"]),
        ("_stat", "_desc-300volumes_stat", "desc", DESC + r"\(n/a takes names", ["n/a", "300volumes"]),
    ],
)
def test_subjects_must_have_done_and_been_processed_alike(tmp_path, old, new, entity, there, values):
    xcp_d_relmat(tmp_path)
    renamed(tmp_path, "sub-10", old, new)
    refused(f"All subjects must have the same {entity}, but there is {there}", tmp_path)
    for value in values:
        graphs, _ = read_cohort(tmp_path, select={entity: value})
        assert graphs.graph_ids == (("sub-10",) if value in new else SUBJECTS[:3])
        assert graphs.provenance["select"] == {entity: value}


def test_subjects_may_differ_in_how_they_were_scanned(tmp_path):
    xcp_d_relmat(tmp_path)
    scans = ("ses-1_task-rest", "ses-2_task-rest_run-2", "task-rest_acq-fast_dir-AP", "task-rest_rec-norm")
    for subject, scan in zip(SUBJECTS, scans, strict=True):
        renamed(tmp_path, subject, "task-rest", scan)
    assert read_cohort(tmp_path)[0].graph_ids == SUBJECTS


def test_a_file_without_the_part_that_the_others_have_can_be_chosen(tmp_path):
    expected = xcp_d_relmat(tmp_path)
    xcp_d_relmat(tmp_path, matrices=np.stack([np.eye(5)] * 4), desc="300volumes")
    refused(r'Choose: select={"desc": "300volumes"} or select={"desc": "n/a"} \(n/a', tmp_path)
    graphs, _ = read_cohort(tmp_path, select={"desc": "n/a"})
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-15)


def test_several_files_of_a_subject_need_a_choice(tmp_path):
    xcp_d_relmat(tmp_path, run="01")
    expected = xcp_d_relmat(tmp_path, matrices=np.stack([np.eye(5)] * 4), run="02")
    refused(r'4 subjects have several; .* select={"run": "01"} or select={"run": "02"}', tmp_path)
    graphs, _ = read_cohort(tmp_path, select={"run": "2"})
    np.testing.assert_array_equal(graphs.edge_probability, expected.edges)
    refused(r"run=3 leaves none; there is run=01, run=02", tmp_path, select={"run": "3"})
    refused(r"'walk' is not one of sub, task, space, atlas, run, stat", tmp_path, select={"walk": "3"})


def test_numbers_with_and_without_zeros_are_one_value(tmp_path):
    xcp_d_relmat(tmp_path)
    renamed(tmp_path, "sub-01", "task-rest", "task-1")
    for subject in SUBJECTS[1:]:
        renamed(tmp_path, subject, "task-rest", "task-01")
    assert read_cohort(tmp_path)[0].n_graphs == 4
