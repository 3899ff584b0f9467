"""Which files of BIDS derivatives belong together: what subjects must share, and what they may differ in."""

import numpy as np
import pytest
from layouts_tools import xcp_d_relmat
from made_up import SUBJECTS, refused

from dugraph import read_cohort


def renamed(folder, subject, old, new):
    (file,) = (folder / subject / "func").glob("*_relmat.tsv")
    file.rename(file.with_name(file.name.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "message", "selects"),
    [
        (
            "task-rest",
            "task-faces",
            'task, but there is rest, faces. Choose one with select={"task": "rest"} or '
            'select={"task": "faces"}',
            [{"task": "rest"}, {"task": "faces"}],
        ),
        ("MNI152NLin2009cAsym", "T1w", "space, but there is MNI152NLin2009cAsym, T1w", [{"space": "T1w"}]),
        ("_atlas", "_res-2_atlas", "res, but there is n/a, 2", [{"res": "2"}, {"res": "n/a"}]),
        ("_atlas", "_den-91k_atlas", "den, but there is n/a, 91k", [{"den": "91k"}]),
        (
            "_stat",
            "_desc-300volumes_stat",
            r'desc, but there is n/a, 300volumes. Choose one with select={"desc": "n/a"} or '
            r'select={"desc": "300volumes"} \(n/a takes names without desc\)',
            [{"desc": "n/a"}, {"desc": "300volumes"}],
        ),
    ],
)
def test_subjects_must_have_done_and_been_processed_alike(tmp_path, old, new, message, selects):
    xcp_d_relmat(tmp_path)
    renamed(tmp_path, "sub-10", old, new)
    refused(f"All subjects must have the same {message}", tmp_path)
    for select in selects:
        graphs, _ = read_cohort(tmp_path, select=select)
        (value,) = select.values()
        assert graphs.graph_ids == (("sub-10",) if value in new else SUBJECTS[:3])
        assert graphs.provenance["select"] == select


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


def test_numbers_with_and_without_zeros_are_one_value(tmp_path):
    xcp_d_relmat(tmp_path)
    renamed(tmp_path, "sub-01", "task-rest", "task-1")
    for subject in SUBJECTS[1:]:
        renamed(tmp_path, subject, "task-rest", "task-01")
    assert read_cohort(tmp_path)[0].n_graphs == 4
