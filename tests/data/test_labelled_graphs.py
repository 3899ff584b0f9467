"""LabelledGraphs: checked once, frozen, and the same answers as graphs and labels apart."""

import dataclasses
import pickle

import numpy as np
import pytest

from dugraph import (
    InputError,
    LabelledGraphs,
    RandomSplits,
    SparseSubgraphClassifier,
    SubgraphSelector,
    UncertainGraphs,
    evaluate,
    mine_subgraphs,
)
from dugraph.search import enumerate_subgraphs
from dugraph.sparse import sparse_path

Y = ["patient", "control", "patient", "control", "patient"]


@pytest.fixture
def graphs():
    X = np.random.default_rng(0).uniform(0.3, 1, (5, 6))
    X[[0, 2, 4], :2] = 0.97
    return UncertainGraphs(
        X, graph_ids=list("abcde"), participants={"age": [1, 2, 3, 4, 5]}, provenance={"positive": "ill"}
    )


def test_what_it_knows(graphs):
    cohort = LabelledGraphs(graphs, Y)
    assert cohort.graphs is graphs
    assert cohort.y.tolist() == Y
    assert cohort.classes.tolist() == ["control", "patient"]
    assert cohort.positive.tolist() == [True, False, True, False, True]
    assert cohort.target.tolist() == [1, 0, 1, 0, 1]
    assert (cohort.n_pos, cohort.n_neg, len(cohort)) == (3, 2, 5)
    assert (cohort.positive_class, cohort.negative_class) == cohort.names == ("patient", "control")
    assert cohort.participants["age"].tolist() == [1, 2, 3, 4, 5]
    other = LabelledGraphs(graphs, Y, pos_label="control")
    assert other.y.tolist() == Y
    assert other.names == ("control", "patient")
    assert (other.positive == ~cohort.positive).all()


def test_names_are_those_of_the_files(graphs):
    named = UncertainGraphs(graphs.edge_probability, provenance={"positive": "ill", "negative": "well"})
    y = [1, 0, 1, 0, 1]
    assert LabelledGraphs(named, y).names == ("ill", "well")
    assert LabelledGraphs(named, y, pos_label=0).names == ("well", "ill")
    assert LabelledGraphs(graphs, y).names == ("1", "0")  # of one class only the file knows the name


def test_it_cannot_be_changed_nor_after_pickling(graphs):
    cohort = LabelledGraphs(graphs, Y)
    for one in (cohort, pickle.loads(pickle.dumps(cohort)), cohort[np.array([0, 1])]):
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.y = None
        for array in (one.y, one.positive, one.classes):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = array[1]


def test_selection_keeps_labels_and_needs_both_classes(graphs):
    cohort = LabelledGraphs(graphs, Y, pos_label="control")
    chosen = cohort[np.array([4, 1])]
    assert chosen.graphs.graph_ids == ("e", "b")
    assert chosen.positive.tolist() == [False, True]
    assert chosen.names == cohort.names
    with pytest.raises(InputError, match=r"mask or slice of graphs: got 0 \(int\)\. Its parts are \.graphs"):
        _, _ = cohort
    with pytest.raises(InputError, match="Both classes are needed, but all 2 graphs chosen are of one"):
        cohort[np.array([0, 2])]
    with pytest.raises(InputError, match="There must be 5 graphs, one per label: got 2"):
        cohort.with_graphs(graphs[:2])


@pytest.mark.parametrize(("name", "value"), [("y", Y), ("pos_label", "control"), ("edges", [[0, 1]] * 6)])
def test_what_it_has_is_not_given_again(graphs, name, value):
    cohort = LabelledGraphs(graphs, Y)
    with pytest.raises(InputError, match=f"{name} must be given once: X is a LabelledGraphs"):
        mine_subgraphs(cohort, **{name: value})


def test_every_function_gives_the_same_answer_for_both_forms(graphs):
    cohort = LabelledGraphs(graphs, Y, pos_label="control")
    apart = {"X": graphs, "y": Y, "pos_label": "control"}
    asked = {"score": "confidence", "n_subgraphs": 5}
    one, other = mine_subgraphs(cohort, **asked), mine_subgraphs(**apart, **asked)
    assert one.subgraphs == other.subgraphs
    assert one.values.tobytes() == other.values.tobytes()
    assert enumerate_subgraphs(cohort)[0] == enumerate_subgraphs(**apart)[0]
    assert sparse_path(cohort, n_alphas=3)[-1].intercept == sparse_path(**apart, n_alphas=3)[-1].intercept
    chosen = {"score_func": "confidence", "n_subgraphs": 5}
    selector = SubgraphSelector(**chosen, pos_label="control").fit(graphs, Y)
    assert SubgraphSelector(**chosen).fit(cohort).values_.tobytes() == selector.values_.tobytes()
    # Coefficients of a classifier favour classes_[1], whichever class is positive.
    fitted = SparseSubgraphClassifier(alpha=0.05).fit(graphs, Y)
    assert (
        SparseSubgraphClassifier(alpha=0.05).fit(cohort).subgraph_coef_.tobytes()
        == fitted.subgraph_coef_.tobytes()
    )
    settings = {"methods": ["all-edges"], "n_subgraphs": [2], "cv": RandomSplits(2, test_size=0.4)}
    assert (
        evaluate(cohort, **settings).values("f1").tolist()
        == evaluate(**apart, **settings).values("f1").tolist()
    )
