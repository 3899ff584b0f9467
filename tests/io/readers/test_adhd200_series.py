"""ADHD-200, Athena pipeline: leading zeros, several scans, filtered or not, what is refused."""

import numpy as np
import pytest
from layouts_tools import adhd200, adhd200_file
from made_up import random_series, refused

from dugraph import read_cohort

TABLE = "adhd200_preprocessed_phenotypics.tsv"


def test_zeros_that_the_table_lost_are_restored(tmp_path):
    adhd200(tmp_path)
    graphs, _ = read_cohort(tmp_path, participants=tmp_path / TABLE, positive="1", negative="0")
    assert graphs.participants["Age"].tolist() == [9.0, 9.1, 9.2, 9.3]
    # Three of the four subjects and the two others of the table; 1018959 has lost nothing.
    assert graphs.provenance["restored_zeros"] == "ids of 5 rows, to 7 digits"
    assert graphs.provenance["left_out"] == {"of group 3": ["0010003"], "of group pending": ["0010004"]}


def test_whole_ids_are_left_alone(tmp_path):
    adhd200(tmp_path)
    table = tmp_path / "whole.csv"
    table.write_text("id,dx\n0010001,a\n0010002,b\n0026001,a\n1018959,b\n")
    graphs, _ = read_cohort(tmp_path, participants=table)
    assert "restored_zeros" not in graphs.provenance


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("0010001", r"one row, but 10001 and 0010001 are both 0010001 when leading zeros are restored"),
        ("sub-0010001", r"ids of rows must differ without the prefix .* 0010001 and sub-0010001 do not"),
    ],
)
def test_zeros_are_not_restored_when_two_rows_would_be_one(tmp_path, second, message):
    adhd200(tmp_path)
    table = tmp_path / "twice.csv"
    table.write_text(f"id,dx\n10001,a\n{second},b\n10002,b\n26001,a\n1018959,b\n")
    refused(message, tmp_path, participants=table)


@pytest.mark.parametrize(
    ("other", "entity", "values"),
    [
        ({"scan": "session_1_rest_2"}, "run", ("1", "2")),
        ({"scan": "session_2_rest_1"}, "session", ("1", "2")),
        ({"letters": "snwmrda"}, "filtered", ("no", "yes")),
        ({"atlas": "cc200"}, "atlas", ("aal", "cc200")),
    ],
)
def test_several_files_of_a_subject_need_a_choice(tmp_path, other, entity, values):
    expected = adhd200(tmp_path)
    adhd200(tmp_path, random_series(30), **other)
    first, second = (f'select={{"{entity}": "{value}"}}' for value in values)
    refused(rf"4 subjects have several; 0010001 has 2 files.*Choose: {first} or {second}", tmp_path)
    graphs, _ = read_cohort(tmp_path, select={entity: "yes" if entity == "filtered" else values[0]})
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-14)


def test_filtered_and_unfiltered_subjects_do_not_mix(tmp_path):
    adhd200(tmp_path)
    file = adhd200_file(tmp_path, "0010002")
    file.rename(adhd200_file(tmp_path, "0010002", letters="snwmrda"))
    refused(r"must have the same filtered, but there is yes, no. Choose one with", tmp_path)


def without_two_columns(text):
    return "\n".join(line.split("\t", 2)[2] for line in text.splitlines())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            without_two_columns,
            "line 1: the header must begin with File, Sub-brick, but begins with Mean_2001",
        ),
        (
            lambda t: t.replace("Mean_2002", "NZMean_2001"),
            "the mean of a region, .* column 4 is 'NZMean_2001'",
        ),
        (lambda t: "File\tSub-brick\nx\t0\n", "columns of numbers after File, Sub-brick, but has none"),
        (lambda t: t.splitlines()[0] + "\n", "a table of numbers must have rows, but it has a header only"),
        (lambda t: t.replace("[?]\t", "[?]\tx", 1), "line 2: column Mean_2001 must be a number, but is 'x"),
    ],
)
def test_broken_files(tmp_path, change, message):
    adhd200(tmp_path)
    file = adhd200_file(tmp_path, "0010001")
    file.write_text(change(file.read_text()))
    refused(message, tmp_path)
