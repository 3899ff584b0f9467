"""Class labels: which are accepted, the message for all others, and the names of the classes."""

import numpy as np
import pandas as pd
import pytest

from dugraph import UncertainGraphs
from dugraph.data.labels import check_labels, class_names
from dugraph.exceptions import InputError


def test_labels_of_every_kind():
    for y in (
        [0, 1, 1],
        [-1.0, 1.0, 1.0],
        [False, True, True],
        ["control", "patient", "patient"],
        np.array(["control", "patient", "patient"], dtype=object),
        pd.Series(["control", "patient", "patient"]),
        pd.Series([0, 1, 1], dtype="category"),
        (1, 2.5, 2.5),
    ):
        is_positive, classes = check_labels(y, 3)
        assert is_positive.dtype == np.bool_
        assert is_positive.tolist() == [False, True, True]
        assert classes.tolist() == sorted(set(np.asarray(y).tolist()))


@pytest.mark.parametrize(
    ("y", "pos_label", "message"),
    [
        ([0, 1], None, "one label per graph: got 2 labels for 3 graphs. Align"),
        (
            [[0], [1], [1]],
            None,
            r"y must be a flat sequence, one value per graph: its shape is \(3, 1\). Pass one",
        ),
        ("abc", None, r"its shape is \(\)"),
        (
            [1, 1, 1],
            None,
            r"exactly two classes: got 1: 1 \(3 graphs\). Keep the graphs of two classes, or merge",
        ),
        (list("abc"), None, r"got 3: a \(1 graph\), b \(1 graph\), c \(1 graph\)"),
        ([0, 1, np.nan], None, r"y must be known for every graph, but it is missing for 1 graph: 2\. Leave"),
        (["a", None, "b"], None, "missing for 1 graph: 1"),
        (["a", "b", np.nan], None, "missing for 1 graph: 2"),
        (["a", pd.NA, ""], None, "missing for 2 graphs: 1, 2"),
        (["a", 1, "a"], None, "all text, all numbers or all booleans, but contains int, str. Convert"),
        (np.array([1j, 1, 1]), None, "y must hold text, numbers, booleans or times: its dtype is complex128"),
        (
            np.array(["2020", "2021", "2021"], dtype="M8[Y]"),
            None,
            "all booleans, but contains datetime64. Convert",
        ),
        ([0, 1, 1], 2, "one of the two classes: got 2, the classes are 0 and 1"),
        (["a", "b", "b"], 1, "got 1, the classes are 'a' and 'b'"),
    ],
)
def test_refused_labels(y, pos_label, message):
    with pytest.raises(InputError, match=message):
        check_labels(y, 3, pos_label)


def test_many_classes_are_not_all_listed():
    with pytest.raises(InputError, match=r"got 100: 00 .*, 04 \(1 graph\), \.\.\.\. Keep"):
        check_labels([f"{i:02d}" for i in range(100)], 100)


@pytest.mark.parametrize("y", [np.linspace(0, 1, 20), np.arange(11), [0.5, 1.0, 2.0], np.arange(11, 30)])
def test_continuous_phenotypes_are_pointed_to_their_test(y):
    with pytest.raises(InputError, match="continuous phenotypes are not supported here") as error:
        check_labels(y, len(y))
    assert "significant_subgraphs" in str(error.value)
    assert f"got {len(y)} different numbers" in str(error.value)


@pytest.mark.parametrize("y", [[0, 1, 2], [1.0, 2.0, 3.0], ["a", "b", "c"]])
def test_codes_of_groups_are_not_taken_for_a_phenotype(y):
    with pytest.raises(InputError, match="Keep the graphs of two classes, or merge classes"):
        check_labels(y, len(y))
    check_labels([0.5, 1.5], 2)


Y = [1, 0, 1, 0]


def cohort(**provenance):
    return UncertainGraphs(np.full((4, 3), 0.5), provenance=provenance or None)


def test_the_groups_of_the_files_are_the_names():
    graphs = cohort(positive="patient", negative="control")
    assert class_names(graphs, Y) == ("patient", "control")
    assert class_names(graphs, Y, pos_label=0) == ("control", "patient")
    assert class_names(graphs[1:3], [0, 1]) == ("patient", "control")
    assert class_names(cohort(positive="1", negative="2"), Y) == ("1", "2")


@pytest.mark.parametrize(
    "graphs",
    [
        cohort(),
        cohort(positive="patient"),
        cohort(positive="patient", negative=""),
        cohort(positive="patient", negative="patient"),
        cohort(positive="patient", negative=3),
        np.full((4, 3), 0.5),
    ],
)
def test_without_both_names_the_labels_are_the_names(graphs):
    assert class_names(graphs, Y) == ("1", "0")


def test_labels_that_did_not_come_from_the_files_are_names_themselves():
    graphs = cohort(positive="patient", negative="control")
    assert class_names(graphs, ["m", "f", "m", "f"]) == ("m", "f")
    assert class_names(graphs, ["m", "f", "m", "f"], pos_label="f") == ("f", "m")
    assert class_names(graphs, [1, 2, 1, 2]) == ("2", "1")
