"""What readers hand over: counts with waytotal, classes that come with the files, formats with own edges."""

from pathlib import Path

import numpy as np
import pytest
from made_up import refused

from dugraph.io import from_array, read
from dugraph.io.connectomes import Connectomes, Sample, stack_subjects
from dugraph.io.input_files import ReadOptions, Subjects
from dugraph.io.participants import SubjectFilter
from dugraph.io.probabilities import ProbabilityStep

COUNTS = np.array([[0.0, 30, 10], [50, 0, 0], [0, 20, 0]])
WAYTOTAL = np.array([100.0, 200, 0])


def sample(waytotal=WAYTOTAL, order=(0, 1, 2)):
    names = tuple("ABC"[i] for i in order)
    return Sample(Path("f.txt"), COUNTS[np.ix_(order, order)], names, waytotal[list(order)])


def stacked(*samples):
    ids = tuple(map(str, range(len(samples))))
    return stack_subjects(Subjects(ids, ()), samples, "count", ReadOptions())


def build_cohort(connectomes, **groups):
    return read.build_cohort(connectomes, ProbabilityStep(), SubjectFilter(**groups), {})


def test_counts_by_those_sent_averaged_over_both_directions():
    together = stacked(sample(), sample(order=(2, 0, 1)))
    graphs, y = build_cohort(together)
    # A--B: (30/100 + 50/200) / 2; A--C: (10/100 + 0) / 2; B--C: nothing, as no streamline left C.
    np.testing.assert_allclose(graphs.edge_probability, [[0.275, 0.05, 0.0]] * 2, rtol=1e-15)
    assert y is None
    assert graphs.provenance["probability"] == "fraction"
    assert graphs.provenance["n_reordered"] == 1
    message = r"must lie in \[0, 1\], .* The waytotal belongs to other files"
    refused(message, stacked(sample(waytotal=WAYTOTAL / 10)), by=build_cohort)
    message = "one number of streamlines per region: got 2 values for 3 regions"
    refused(message, Sample(Path("f"), COUNTS, None, WAYTOTAL[:2]), by=stacked)


def with_classes(**changes):
    parts = {"kind": "probability", "graph_ids": ("a", "b", "c"), "files": (Path("f"),) * 3}
    parts |= {
        "values": np.array([[0.1, 0.2], [0.3, np.nan], [0.5, 0.6]]),
        "edges": np.array([[1, 0], [3, 2]]),
    }
    return Connectomes(**{**parts, "y": ("1", "2", "3"), "node_labels": tuple("wxyz"), **changes})


def test_classes_that_come_with_the_files():
    graphs, y = build_cohort(with_classes(), positive="1", negative="3")
    assert graphs.graph_ids == ("a", "c")
    assert y.tolist() == [1, 0]
    assert graphs.edges.tolist() == [[1, 0], [3, 2]]
    assert graphs.provenance["left_out"] == {"of group 2": ["b"]}
    refused(r"two groups, but there are 1 \(1 subject\), 2 \(1 subject\), 3", with_classes(), by=build_cohort)


def test_a_missing_edge_is_named():
    refused(r"for 1 edge in 1 of .* region y has none in f", with_classes(y=("1", "2", "1")), by=build_cohort)


def test_edges_of_dropped_regions_are_dropped_with_their_layers():
    values = np.array([[0.1, 0.2, 0.3], [np.nan, 0.4, np.nan], [0.5, 0.6, 0.7]])
    own = {"edges": np.array([[1, 0], [3, 2], [2, 1]]), "edge_layers": ("dti", "fmri", "dti")}
    step = ProbabilityStep(missing="drop-regions", max_missing=0.5)
    subjects = SubjectFilter(positive="1", negative="2")
    graphs, _ = read.build_cohort(with_classes(values=values, **own), step, subjects, {})
    assert graphs.node_labels == ("y", "z")
    assert (graphs.edges.tolist(), graphs.edge_layers) == ([[1, 0]], ("fmri",))
    assert graphs.edge_probability.tolist() == [[0.2], [0.4]]
    assert graphs.provenance["dropped_regions"] == ["w", "x"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graph_ids": ("a", "b", "a")}, "A subject must have one file, but a has two: f and f"),
        ({"graph_ids": ("a", "", "c")}, "f: a subject id must not be empty"),
        ({"graph_ids": ("a", "b" * 2000, "c")}, "a subject id may have 1000 characters, but one has 2000"),
        ({"kind": "distance"}, "values must be one of correlation, .* but are 'distance'"),
    ],
)
def test_broken_connectomes(changes, message):
    refused(message, by=with_classes, **changes)


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (
            1.01,
            {},
            r"Correlations must lie in \[-1, 1\], but 1 value does not, the first being 1.01: 1--2 in",
        ),
        (-1.01, {}, r"Correlations must lie in \[-1, 1\], but 1 value does not, the first being -1.01"),
        (-0.2, {"values": "probability"}, r"Probabilities must lie in \[0, 1\], .* the first being -0.2"),
        (-0.2, {"probability": "none"}, r"Probabilities must lie in \[0, 1\], .* probability=\"positive\""),
    ],
)
def test_values_that_cannot_be_what_they_are_taken_for(value, options, message):
    matrices = np.full((2, 4, 4), 0.5) + np.eye(4) / 2
    matrices[1, 2, 1] = matrices[1, 1, 2] = value
    refused(message, matrices, by=from_array, **options)
