"""Planted subgraphs are found at the default effect; where nothing is planted, nothing is found."""

import os

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

import dugraph as dg
from dugraph.evaluation import make_method

SEEDS = range(20 if os.environ.get("DUGRAPH_SOAK") else 6)


def overlap(a, b):
    return len(set(a) & set(b)) / len(set(a) | set(b))


def all_recovered(planted, found):
    return all(max(overlap(subgraph, other) for other in found) >= 0.8 for subgraph in planted)


@pytest.fixture(scope="module")
def cohorts():
    return [dg.simulate("adhd", random_state=seed) for seed in SEEDS]


@pytest.mark.parametrize("name", ["exp-hsic", "med-confidence", "phi-frequency_ratio"])
def test_planted_subgraphs_are_among_the_top_50(cohorts, name):
    recovered = [
        all_recovered(planted, make_method(name, n_subgraphs=50)["selector"].fit(graphs, y).subgraphs_)
        for graphs, y, planted in cohorts
    ]
    assert sum(recovered) >= 0.9 * len(SEEDS)


def test_without_an_effect_nothing_is_recovered_and_accuracy_is_at_chance(cohorts):
    n_folds, accuracy, recovered = 5, [], 0
    for seed in SEEDS[:10]:
        # Circuits that another cohort has are not to be found here.
        planted = cohorts[seed].planted
        graphs, y, nothing = dg.simulate("adhd", n_graphs=100, effect=0, random_state=seed)
        assert nothing == []
        method = make_method("exp-hsic", n_subgraphs=50)
        recovered += all_recovered(planted, method["selector"].fit(graphs, y).subgraphs_)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        accuracy.append(cross_val_score(method, graphs, y, cv=folds).mean())
    assert recovered == 0
    # Folds of one cohort are dependent, so cohorts are the sample.
    standard_error = np.std(accuracy, ddof=1) / np.sqrt(len(accuracy))
    assert abs(np.mean(accuracy) - 0.5) < 3 * standard_error + 0.01
