"""The engine against exhaustive search, on thousands of small cohorts, and against itself to the byte."""

import warnings

import numpy as np
import pytest
from random_cohorts import SOAK, random_cohort, random_problems
from ranking_oracle import assert_answers, candidates, ranking

from dugraph import mine_subgraphs
from dugraph.exceptions import FewerSubgraphsWarning, InputError
from dugraph.search import Status, enumerate_subgraphs

BOUNDS = ("frequency", "worldwise", "mass")
BATCHES = 30
COHORTS = 100_000 if SOAK else 200


def mine(cohort, problem, bound, n_jobs):
    """The answer in the edge indices in which the cohort was made; nothing if nothing is admitted."""
    settings = problem.keywords() | {"bound": bound, "n_jobs": n_jobs}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = mine_subgraphs(cohort.graphs, cohort.y, **settings)
        except InputError as error:
            explained = str(error)
            result = None
    if result is None:
        largest = cohort.edge_probability.mean(axis=0).max()
        text = f"the most frequent edge has {largest:.6g}."
        if problem.min_expected_frequency == 0:
            text = f"the most frequent edge has an expected frequency of {largest:.6g}, and 1e-12 or less"
        assert text in explained
        return [], np.empty(0)
    assert result.status is Status.OPTIMAL
    assert result.gap == 0
    fewer = len(result) < problem.n_subgraphs
    assert [w.category for w in caught] == [FewerSubgraphsWarning] * fewer
    return [tuple(sorted(cohort.made_as[list(g)].tolist())) for g in result.subgraphs], result.values


def check_problem(cohort, problem, random):
    """Every bound, with some number of threads and another order of graphs and edges: the same bytes."""
    found, values = mine(cohort, problem, "mass", 1)
    for bound in BOUNDS:
        again, values_again = mine(cohort.shuffled(random), problem, bound, int(random.choice([1, 2, 4])))
        assert again == found, bound
        assert values_again.tobytes() == values.tobytes(), bound
    return found, values


@pytest.mark.parametrize("batch", range(BATCHES))
def test_same_answer_as_exhaustive_search(batch):
    for number in range(COHORTS // BATCHES):
        random = np.random.default_rng([batch, number])
        cohort = random_cohort(random)
        problems = random_problems(random, cohort, 3)
        shared = candidates(cohort, problems[0])
        for which, problem in enumerate(problems):
            try:
                found, values = check_problem(cohort, problem, random)
                assert_answers(found, values, ranking(cohort, problem, shared))
            except AssertionError as error:
                raise AssertionError(f"cohort [{batch}, {number}], {which}: {problem}\n{cohort}") from error


def test_the_oracle_is_the_public_one():
    """`enumerate_subgraphs`, which users see, gives the ranking that the comparison above relies on."""
    for number in range(60):
        random = np.random.default_rng([1_000_000, number])
        cohort = random_cohort(random)
        problem = random_problems(random, cohort, 1)[0]
        shared = candidates(cohort, problem)
        if not shared.surely.all() or not shared.subgraphs:
            continue
        settings = problem.keywords()
        wanted = settings.pop("n_subgraphs")
        subgraphs, values = enumerate_subgraphs(cohort.graphs, cohort.y, **settings)
        assert len(subgraphs) == len(shared.subgraphs)
        assert_answers(subgraphs[:wanted], values[:wanted], ranking(cohort, problem, shared))
