"""What the part on classification says about splits and about methods of the user's own."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import dugraph as dg
from dugraph.report.evaluation_part import describe_evaluation

SITE = np.repeat([f"site {i}" for i in range(5)], 4)


@pytest.fixture
def cohort():
    rng = np.random.default_rng(0)
    graphs = dg.UncertainGraphs(rng.uniform(0.3, 0.9, (20, 6)), participants={"site": SITE})
    return graphs, np.arange(20) % 2


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"n_splits": 3}, "3 splits, drawn at random (80% for training)"),
        ({"n_splits": 2, "groups": "site"}, "2 splits, drawn at random with groups of site kept whole"),
        ({"n_splits": 1, "groups": SITE}, "1 split, drawn at random with given groups kept whole"),
        ({"cv": StratifiedKFold(2)}, "2 splits, given beforehand (StratifiedKFold(n_splits=2"),
        ({"cv": [([0, 1, 2, 3], [4, 5])]}, "1 split, given beforehand (given splits)"),
    ],
)
def test_the_page_says_how_the_graphs_were_split(cohort, asked, told):
    result = dg.evaluate_methods(*cohort, methods=["all-edges"], n_subgraphs=[2], **asked)
    assert describe_evaluation(result, 10, 10).splitting.startswith(told)


def test_a_classifier_of_ones_own_is_named_and_shown_once(cohort, tmp_path):
    own = {"mine": LogisticRegression()}
    result = dg.evaluate_methods(*cohort, methods=["exp-hsic", own], n_subgraphs=[2, 4], n_splits=2)
    part = describe_evaluation(result, 10, 10)
    assert [(row.method, row.features) for row in part.rows] == [
        ("exp-hsic", 2),
        ("exp-hsic", 4),
        ("mine", "all"),
    ]
    assert part.own == ["mine"]
