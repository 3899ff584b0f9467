"""Subjects matched by file name before any file is opened; patterns for ids in longer names."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from layouts_labs import named_files
from made_up import SUBJECTS, refused, write_participants

from dugraph import read_cohort
from dugraph.cli import main
from dugraph.exceptions import InputError
from dugraph.io.participants import suggested_pattern

letters = st.text("abcXYZ_-", max_size=6)


@given(st.lists(st.integers(1, 99_999), min_size=2, max_size=20, unique=True), letters, letters)
def test_a_common_beginning_and_end_are_found(numbers, before, after):
    assume(before or after)
    ids = [str(number) for number in numbers]
    pattern = suggested_pattern([f"{before}{one}{after}" for one in ids], ids)
    assert pattern == (f"{before}{{id}}{after}", len(ids))


FISHER_Z = "ROICorrelation_FisherZ_{id}"


@pytest.mark.parametrize(
    ("names", "ids", "pattern"),
    [
        (["100206_REST1_LR", "100307_REST1_RL"], ["100206", "100307"], "{id}_REST1_*"),
        (["ROICorrelation_FisherZ_Sub001", "ROICorrelation_FisherZ_Sub002"], ["Sub001", "Sub002"], FISHER_Z),
        (["a_S1", "bb_S2"], ["S1", "S2"], "*_{id}"),
        (["11", "12", "13"], ["1", "2", "3"], None),
        (["Sub11", "Sub12"], ["1", "2"], None),
        (["x", "y"], ["1", "2"], None),
    ],
)
def test_what_is_suggested(names, ids, pattern):
    assert suggested_pattern(names, ids) == (pattern, 0 if pattern is None else len(names))


def test_the_suggestion_works_as_it_stands(tmp_path, capsys):
    expected = named_files(tmp_path)
    table = tmp_path / "participants.tsv"
    command = ["convert", str(tmp_path), "--participants", str(table), "-o", str(tmp_path / "c.npz")]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert error.endswith("the ids of the table: 4 of 4 match with --id-pattern '{id}_REST1_LR_corr'.\n")
    assert main([*command, "--id-pattern", "{id}_REST1_LR_corr"]) == 0
    graphs, y = read_cohort(tmp_path, participants=table, id_pattern="{id}_REST?_L*")
    assert graphs.graph_ids == expected.subjects
    assert y.tolist() == [1, 0, 1, 0]
    assert graphs.provenance["id_pattern"] == "{id}_REST?_L*"
    assert "left_out" not in graphs.provenance


def test_files_of_other_names_are_left_out_and_listed(tmp_path):
    for subject in SUBJECTS:
        np.savetxt(tmp_path / f"{subject}x_REST1.txt", np.eye(3))
        np.savetxt(tmp_path / f"{subject}x_REST2.txt", np.eye(3))
    table = write_participants(tmp_path)
    graphs, _ = read_cohort(tmp_path, participants=table, id_pattern="{id}x_REST1")
    assert graphs.graph_ids == SUBJECTS
    assert graphs.provenance["not_of_the_pattern"] == [f"{subject}x_REST2" for subject in SUBJECTS]
    refused(
        r"A subject must have one file, but sub-01 has two: .*REST1.txt and",
        tmp_path,
        participants=table,
        id_pattern="{id}x_*",
    )


def broken_files(folder, names):
    """Files that cannot be read as anything: an error about them shows that they were opened."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.csv").write_bytes(b"\xff not a matrix")
    return folder


def table_of(tmp_path, ids, groups=("patient", "control")):
    file = tmp_path / "table.csv"
    rows = [f"{one},{groups[i % len(groups)]}" for i, one in enumerate(ids)]
    file.write_text("\n".join(["id,group", *rows]) + "\n")
    return file


def test_a_mismatch_is_reported_before_any_file_is_opened(tmp_path):
    ids = [f"{50000 + i}" for i in range(820)]
    folder = broken_files(
        tmp_path / "m", [f"ABIDE1_{'NYU' if i % 2 else 'KKI'}_{one}" for i, one in enumerate(ids)]
    )
    with pytest.raises(InputError) as error:
        read_cohort(folder, participants=table_of(tmp_path, ids))
    assert "but 0 of 820 files match one of 820 rows: there is no row for 820 subjects (ABIDE1_" in str(
        error.value
    )
    assert "(50000, 50001, 50002, 50003, 50004 and 815 more)" in str(error.value)
    assert str(error.value).endswith('820 of 820 match with id_pattern="*_{id}".')
    refused(
        "819 of 820 files match one of 819 rows: there is no row for 1 subject",
        folder,
        participants=table_of(tmp_path, ids[1:]),
        id_pattern="*_{id}",
    )


def test_files_outside_the_selection_are_never_opened(tmp_path):
    folder = broken_files(tmp_path / "m", ["x1", "a9", "a8", "a7"])
    for name in ("a1", "a2"):
        np.savetxt(folder / f"{name}.csv", np.eye(3), delimiter=",")
    table = table_of(tmp_path, ["1", "2", "7"], ("patient", "control", "other"))
    graphs, y = read_cohort(
        folder, participants=table, id_pattern="a{id}", positive="patient", negative="control", intersect=True
    )
    assert graphs.graph_ids == ("1", "2")
    assert y.tolist() == [1, 0]
    assert graphs.provenance["not_of_the_pattern"] == ["x1"]
    assert graphs.provenance["left_out"] == {"without a row": ["8", "9"], "of group other": ["7"]}


def test_convert_summarises_who_is_left_out_and_writes_the_list(tmp_path, capsys):
    folder = broken_files(tmp_path / "m", [f"=s{i}" for i in range(9)])
    for name in ("a1", "a2"):
        np.savetxt(folder / f"{name}.csv", np.eye(3), delimiter=",")
    table = table_of(tmp_path, ["a1", "a2", "gone"])
    output = tmp_path / "c.npz"
    assert main(["convert", str(folder), "--participants", str(table), "--intersect", "-o", str(output)]) == 0
    out = capsys.readouterr().out
    assert "without a row: 9 (=s0, =s1, =s2, =s3, =s4 and 4 more); without a file: 1 (gone)" in out
    assert re.search(r"^left out file +c\.left_out\.csv$", out, re.MULTILINE)
    lines = (tmp_path / "c.left_out.csv").read_text().splitlines()
    assert lines[:2] == ['"id","reason"', '"\'=s0","without a row"']  # not a formula
    assert lines[-1] == '"gone","without a file"'
    assert len(lines) == 11
