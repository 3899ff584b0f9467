"""What splits need is checked before anything is computed, in words that name rule, value and way out."""

import numpy as np
import pytest

from dugraph import InputError, UncertainGraphs, evaluate_methods
from dugraph.evaluation import phi_study
from dugraph.evaluation.splits import make_splits

CLASSES = ("patient", "control")


@pytest.mark.parametrize("n_splits", [0, -1, 2.5, True, "3", None])
def test_splits_are_counted_from_1(small, n_splits):
    for study in (evaluate_methods, phi_study):
        with pytest.raises(InputError, match="n_splits must be a whole number of at least 1") as error:
            study(*small, n_splits=n_splits)
        assert repr(n_splits) in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"test_size": 20.0}, r"above 0 and below 1, but is 20.0. For 20 of 30 graphs give 0.667\."),
        ({"test_size": 20}, "but is 20. For 20 of 30 graphs give 0.667"),
        ({"test_size": 0.0}, r"above 0 and below 1, but is 0.0. Give 0.2 for 20 %"),
        ({"test_size": 40}, "but is 40. Give 0.2"),
        ({"test_size": float("nan")}, "but is nan"),
        ({"test_size": None}, "but is None"),
        ({"test_size": 0.99}, "30 graphs test_size = 0.99 leaves 0 and 30. Give test_size = 0.5"),
        ({"test_size": 0.99, "stratify": False}, "30 graphs test_size = 0.99 leaves 0 and 30"),
        ({"test_size": 0.01}, "least 2 graphs for training and 2 for testing, but .* leaves 29 and 1"),
        ({"random_state": -1}, "random_state must be a whole number from 0 to 4294967295, but is -1"),
        ({"random_state": 2**32}, "random_state must be a whole number"),
        ({"n_subgraphs": 100}, r"a list of numbers, such as \[100, 200\]; got 100"),
        ({"n_subgraphs": [2.5]}, "Each of n_subgraphs must be a whole number of at least 1"),
        ({"n_jobs": 0}, "n_jobs must be None, -1 or a whole number"),
        (
            {"min_expected_frequency": 2},
            "min_expected_frequency must be a number of at least 0 and below 1, but is 2",
        ),
        ({"max_edges": 0}, "max_edges must be a whole number of at least 1"),
        ({"node_limit": -1}, "node_limit must be a whole number of at least 1"),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds"),
        ({"phi": float("nan")}, "phi must be a finite number"),
    ],
)
def test_wrong_numbers_are_refused_before_a_cache_is_begun(small, tmp_path, wrong, message):
    with pytest.raises(InputError, match=message):
        evaluate_methods(*small, methods=["all-edges"], cache=tmp_path / "cache", **wrong)
    # A fingerprint of wrong settings would have the right ones refused in the same folder.
    assert not (tmp_path / "cache").exists()


def test_a_class_of_one_graph_is_named(small):
    X, _ = small
    with pytest.raises(InputError, match=r"at least 2 graphs, .* but ill has 1 graph. Add graphs"):
        evaluate_methods(X, ["ill"] + ["well"] * 29)
    graphs = UncertainGraphs(X, provenance={"positive": "ADHD", "negative": "control"})
    with pytest.raises(InputError, match="but control has 1 graph"):
        evaluate_methods(graphs, [0] + [1] * 29)


def test_four_graphs_are_too_few_for_a_fifth(small):
    X, y = small
    with pytest.raises(InputError, match=r"of 4 graphs test_size = 0.2 leaves 3 and 1. Give test_size = 0.5"):
        evaluate_methods(X[:4], y[:4])
    for train, test in make_splits(y[:4], CLASSES, 5, test_size=0.5):
        assert sorted(y[train]) == sorted(y[test]) == [0, 1]


def test_a_training_part_of_one_class_is_refused_with_the_way_out():
    y = np.array([1, 1] + [0] * 98)
    with pytest.raises(InputError, match=r"of both classes, but patient has 2 graphs, .* Lower test_size"):
        make_splits(y, CLASSES, 20, test_size=0.9)
    with pytest.raises(InputError, match=r"of both classes, but patient has 2 graphs, .* Use stratify=True"):
        make_splits(y, CLASSES, 20, test_size=0.9, stratify=False)
