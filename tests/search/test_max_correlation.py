"""`max_correlation` against the definition on thousands of cohorts, and against itself to the byte."""

import warnings

import numpy as np
import pytest
from greedy_oracle import exceeds, greedy_choice
from random_cohorts import SOAK, random_cohort, random_problems
from ranking_oracle import assert_answers, candidates, ranking

from dugraph import mine_subgraphs
from dugraph.exceptions import FewerSubgraphsWarning, InputError
from dugraph.search import Status, diversity, enumerate_subgraphs

BOUNDS = ("frequency", "worldwise", "mass")
BATCHES = 10
COHORTS = 100_000 if SOAK else 200
ALL = 10**6


def mine(cohort, problem, **more):
    """The answer in the edge indices in which the cohort was made; nothing if nothing is admitted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = mine_subgraphs(cohort.graphs, cohort.y, **problem.keywords() | more)
        except InputError:
            return [], np.empty(0)
    assert result.status is Status.OPTIMAL
    assert result.gap == 0
    fewer = len(result) < result.parameters["n_subgraphs"]
    assert [w.category for w in caught] == [FewerSubgraphsWarning] * fewer
    return [tuple(sorted(cohort.made_as[list(g)].tolist())) for g in result.subgraphs], result.values


def random_limit(random, cohort, ranked):
    """Round, at an end, or exactly the correlation of two of the subgraphs."""
    if len(ranked) > 1 and random.random() < 0.3:
        pair = [ranked[k] for k in random.choice(len(ranked), 2, replace=False)]
        x, z = (cohort.edge_probability[:, list(g)].prod(axis=1) for g in pair)
        if np.ptp(x) > 1e-9 and np.ptp(z) > 1e-9:
            return min(1.0, abs(float(np.corrcoef(x, z)[0, 1])))
    return float(random.choice([0.0, 0.1, 0.3, 0.5, 0.5, 0.7, 0.9, 0.99, 1 - 1e-10, 1.0]))


def check_cohort(cohort, problem, random):
    ranked, values = mine(cohort, problem, n_subgraphs=ALL)
    assert_answers(ranked, values, ranking(cohort, problem, candidates(cohort, problem)), wanted=ALL)
    limit = random_limit(random, cohort, ranked)
    expected = greedy_choice(cohort.edge_probability, ranked, limit, problem.n_subgraphs)
    found, found_values = mine(cohort, problem, max_correlation=limit)
    assert found == expected, limit
    value_of = dict(zip(ranked, values.tolist(), strict=True))
    assert found_values.tolist() == [value_of[g] for g in found]
    for bound in BOUNDS:
        settings = {"bound": bound, "n_jobs": int(random.choice([1, 2, 4])), "max_correlation": limit}
        again, values_again = mine(cohort.shuffled(random), problem, **settings)
        assert again == found, settings
        assert values_again.tobytes() == found_values.tobytes(), settings
    return len(ranked) - len(found)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_same_answer_as_the_definition(batch, monkeypatch):
    if batch % 2:  # one subgraph after the other, in many rounds
        monkeypatch.setattr(diversity, "_FIRST", 1)
    left_out = 0
    for number in range(COHORTS // BATCHES):
        random = np.random.default_rng([batch, number, 7])
        cohort = random_cohort(random)
        problem = random_problems(random, cohort, 1)[0]
        try:
            left_out += check_cohort(cohort, problem, random)
        except AssertionError as error:
            raise AssertionError(f"cohort [{batch}, {number}, 7]: {problem}\n{cohort}") from error
    assert left_out > COHORTS // BATCHES


def test_max_correlation_thins_the_exhaustive_ranking():
    random = np.random.default_rng(5)
    X, y = random.random((12, 6)), np.repeat([1, 0], 6)
    ranked, _ = enumerate_subgraphs(X, y, min_expected_frequency=0.05)
    result = mine_subgraphs(X, y, min_expected_frequency=0.05, n_subgraphs=5, max_correlation=0.4)
    assert result.subgraphs == greedy_choice(X, ranked, 0.4, 5)
    for k, g in enumerate(result.subgraphs):
        assert not any(exceeds(X, g, h, 0.4) for h in result.subgraphs[:k])


def test_smaller_choices_are_beginnings_of_larger_ones():
    random = np.random.default_rng(6)
    X, y = random.random((20, 15)), np.repeat([1, 0], 10)
    settings = {"min_expected_frequency": 0.02, "max_correlation": 0.6}
    longest = mine_subgraphs(X, y, n_subgraphs=12, **settings).subgraphs
    for t in range(1, 12):
        assert mine_subgraphs(X, y, n_subgraphs=t, **settings).subgraphs == longest[:t]
