"""ADHD-200, Athena pipeline: round trip, leading zeros, several scans, filtered or not, what is refused."""

import numpy as np
import pytest
from layouts_tools import AAL_NUMBERS, ADHD_IDS, adhd200, adhd200_file
from made_up import random_series, refused

from dugraph import read_cohort

TABLE = "adhd200_preprocessed_phenotypics.tsv"


def test_round_trip_with_zeros_that_the_table_lost(tmp_path):
    expected = adhd200(tmp_path)
    graphs, y = read_cohort(tmp_path, participants=tmp_path / TABLE, positive="1", negative="0")
    assert graphs.provenance["format"] == "adhd200-series"
    assert graphs.graph_ids == ADHD_IDS
    assert graphs.node_labels == AAL_NUMBERS
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-14)
    assert y.tolist() == [1, 0, 1, 0]
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


def test_zeros_are_not_restored_when_two_rows_would_be_one(tmp_path):
    adhd200(tmp_path)
    table = tmp_path / "twice.csv"
    table.write_text("id,dx\n10001,a\n0010001,b\n10002,b\n26001,a\n1018959,b\n")
    refused(
        r"one row, but 10001 and 0010001 are both 0010001 when leading zeros are restored",
        tmp_path,
        participants=table,
    )
    table.write_text("id,dx\n10001,a\nsub-0010001,b\n10002,b\n26001,a\n1018959,b\n")
    refused(
        r"ids of rows must differ without the prefix .* 0010001 and sub-0010001 do not",
        tmp_path,
        participants=table,
    )


@pytest.mark.parametrize(
    ("other", "select", "message"),
    [
        ({"scan": "session_1_rest_2"}, {"run": "1"}, r'select={"run": "1"} or select={"run": "2"}'),
        (
            {"scan": "session_2_rest_1"},
            {"session": "1"},
            r'select={"session": "1"} or select={"session": "2"}',
        ),
        (
            {"letters": "snwmrda"},
            {"filtered": "yes"},
            r'select={"filtered": "no"} or select={"filtered": "yes"}',
        ),
        ({"atlas": "cc200"}, {"atlas": "aal"}, r'select={"atlas": "aal"} or select={"atlas": "cc200"}'),
    ],
)
def test_several_files_of_a_subject_need_a_choice(tmp_path, other, select, message):
    expected = adhd200(tmp_path)
    adhd200(tmp_path, random_series(30), **other)
    refused(r"4 subjects have several; 0010001 has 2 files.*Choose: " + message, tmp_path)
    graphs, _ = read_cohort(tmp_path, select=select)
    np.testing.assert_allclose(graphs.edge_probability, np.maximum(expected.edges, 0), atol=1e-14)


def test_filtered_and_unfiltered_subjects_do_not_mix(tmp_path):
    adhd200(tmp_path)
    file = adhd200_file(tmp_path, "0010002")
    file.rename(adhd200_file(tmp_path, "0010002", letters="snwmrda"))
    refused(r"must have the same filtered, but there is yes, no. Choose one with", tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: "\n".join(line.split("\t", 2)[2] for line in t.splitlines()),
            r"line 1: the header must begin with File, Sub-brick, but begins with Mean_2001, Mean_2002",
        ),
        (
            lambda t: t.replace("Mean_2002", "NZMean_2001"),
            r"the mean of a region, .* column 4 is 'NZMean_2001'",
        ),
        (lambda t: t[: t.rindex("\t")] + "\n", r"line 31: every row must have as many cells as the first, 7"),
        (lambda t: t.splitlines()[0] + "\n", "a table of numbers must have rows, but it has a header only"),
        (lambda t: t.replace("[?]\t", "[?]\tx", 1), r"line 2: column Mean_2001 must be a number, but is 'x"),
    ],
)
def test_broken_files(tmp_path, change, message):
    adhd200(tmp_path)
    file = adhd200_file(tmp_path, "0010001")
    file.write_text(change(file.read_text()))
    refused(message, tmp_path)
