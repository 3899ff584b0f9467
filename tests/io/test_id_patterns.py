"""Ids in longer names of files: patterns that are given, and those that a message suggests."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layouts_labs import named_files
from made_up import SUBJECTS, write_participants

from dugraph import read_cohort
from dugraph.cli import main
from dugraph.exceptions import InputError
from dugraph.io.matching import suggested_pattern

letters = st.text("abcXYZ_-", max_size=6)


@given(st.lists(st.integers(1, 99_999), min_size=2, max_size=20, unique=True), letters, letters)
def test_a_common_beginning_and_end_are_found(numbers, before, after):
    assume(before or after)
    ids = [str(number) for number in numbers]
    pattern = suggested_pattern([f"{before}{one}{after}" for one in ids], ids)
    assert pattern == f"{before}{{id}}{after}"


@pytest.mark.parametrize(
    ("names", "ids", "pattern"),
    [
        (["100206_REST1_LR", "100307_REST1_RL"], ["100206", "100307"], "{id}_REST1_*"),
        (["ROICorrelation_FisherZ_Sub001", "ROICorrelation_FisherZ_Sub002"], ["Sub001", "Sub002"], None),
        (["a_S1", "bb_S2"], ["S1", "S2"], "*_{id}"),
        (["11", "12", "13"], ["1", "2", "3"], None),
        (["Sub11", "Sub12"], ["1", "2"], None),
        (["x", "y"], ["1", "2"], None),
    ],
)
def test_what_is_suggested(names, ids, pattern):
    told = "ROICorrelation_FisherZ_{id}" if names[0].startswith("ROI") else pattern
    assert suggested_pattern(names, ids) == told


def test_the_suggestion_works_as_it_stands(tmp_path, capsys):
    expected = named_files(tmp_path)
    table = tmp_path / "participants.tsv"
    command = ["convert", str(tmp_path), "--participants", str(table), "-o", str(tmp_path / "c.npz")]
    assert main(command) == 1
    told = capsys.readouterr().err
    assert told.endswith("contain the ids of the table: add --id-pattern '{id}_REST1_LR_corr'.\n")
    assert main([*command, "--id-pattern", "{id}_REST1_LR_corr"]) == 0
    graphs, y = read_cohort(tmp_path, participants=table, id_pattern="{id}_REST?_L*")
    assert graphs.graph_ids == expected.subjects
    assert y.tolist() == [1, 0, 1, 0]
    assert graphs.provenance["id_pattern"] == "{id}_REST?_L*"


def test_files_of_other_names_are_left_out_and_listed(tmp_path):
    for subject in SUBJECTS:
        np.savetxt(tmp_path / f"{subject}x_REST1.txt", np.eye(3))
        np.savetxt(tmp_path / f"{subject}x_REST2.txt", np.eye(3))
    table = write_participants(tmp_path)
    graphs, _ = read_cohort(tmp_path, participants=table, id_pattern="{id}x_REST1")
    assert graphs.graph_ids == SUBJECTS
    assert graphs.provenance["not_of_the_pattern"] == [f"{subject}x_REST2" for subject in SUBJECTS]
    with pytest.raises(
        InputError, match=r"A subject must have one file, but sub-01 has two: .*REST1.txt and"
    ):
        read_cohort(tmp_path, participants=table, id_pattern="{id}x_*")
