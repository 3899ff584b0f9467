"""The names of the two classes: those of the files that a cohort came from, or the labels themselves."""

import numpy as np
import pytest

from dugraph import UncertainGraphs
from dugraph.data import class_names
from dugraph.exceptions import InputError

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


def test_there_must_be_two_classes():
    with pytest.raises(InputError, match="exactly two classes"):
        class_names(cohort(), [1, 1, 1, 1])
