"""The engine against exhaustive search on small cohorts: rankings, `max_correlation`, open bounds."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from greedy_oracle import exceeds, greedy_choice
from random_cohorts import SOAK, random_cohort, random_problems
from ranking_oracle import assert_answers, candidates, ranking

from dugraph import mine_subgraphs
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, NoneAdmitted
from dugraph.search import Status, diversity, enumerate_subgraphs
from dugraph.search.mining import mine_within

BOUNDS = ("frequency", "worldwise", "mass")
BATCHES = 30
COHORTS = 100_000 if SOAK else 200
ALL = 10**6


def mine(cohort, problem, **more):
    """The answer in the edge indices in which the cohort was made; nothing if nothing is admitted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = mine_subgraphs(cohort.graphs, cohort.y, **problem.keywords(), **more)
        except NoneAdmitted as error:
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


def mine_in_every_way(cohort, problem, random, **more):
    """The same bytes with every bound, some number of threads and another order of graphs and edges."""
    found, values = mine(cohort, problem, **more)
    for bound in BOUNDS:
        settings = {"bound": bound, "n_jobs": int(random.choice([1, 2, 4])), **more}
        again, values_again = mine(cohort.shuffled(random), problem, **settings)
        assert again == found, settings
        assert values_again.tobytes() == values.tobytes(), settings
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
                found, values = mine_in_every_way(cohort, problem, random)
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


def random_correlation(random, cohort, ranked):
    """Round, at an end, or exactly the correlation of two of the subgraphs."""
    if len(ranked) > 1 and random.random() < 0.3:
        pair = [ranked[k] for k in random.choice(len(ranked), 2, replace=False)]
        x, z = (cohort.edge_probability[:, list(g)].prod(axis=1) for g in pair)
        if np.ptp(x) > 1e-9 and np.ptp(z) > 1e-9:
            return min(1.0, abs(float(np.corrcoef(x, z)[0, 1])))
    return float(random.choice([0.0, 0.1, 0.3, 0.5, 0.5, 0.7, 0.9, 0.99, 1 - 1e-10, 1.0]))


@pytest.mark.parametrize("batch", range(10))
def test_max_correlation_chooses_by_the_definition(batch, monkeypatch):
    if batch % 2:  # one subgraph after the other, in many rounds
        monkeypatch.setattr(diversity, "_FIRST", 1)
    left_out = 0
    for number in range(COHORTS // 10):
        random = np.random.default_rng([batch, number, 7])
        cohort = random_cohort(random)
        problem = random_problems(random, cohort, 1)[0]
        ranked, values = mine(cohort, replace(problem, n_subgraphs=ALL))
        limit = random_correlation(random, cohort, ranked)
        expected = greedy_choice(cohort.edge_probability, ranked, limit, problem.n_subgraphs)
        try:
            found, found_values = mine_in_every_way(cohort, problem, random, max_correlation=limit)
            assert found == expected, limit
        except AssertionError as error:
            raise AssertionError(f"cohort [{batch}, {number}, 7]: {problem}\n{cohort}") from error
        value_of = dict(zip(ranked, values.tolist(), strict=True))
        assert found_values.tolist() == [value_of[g] for g in found]
        left_out += len(ranked) - len(found)
    assert left_out > COHORTS // 10


def test_smaller_choices_are_beginnings_of_larger_ones():
    random = np.random.default_rng(6)
    X, y = random.random((20, 15)), np.repeat([1, 0], 10)
    settings = {"min_expected_frequency": 0.02, "max_correlation": 0.6}
    longest = mine_subgraphs(X, y, n_subgraphs=12, **settings).subgraphs
    for t in range(1, 12):
        assert mine_subgraphs(X, y, n_subgraphs=t, **settings).subgraphs == longest[:t]
    assert not any(exceeds(X, g, h, 0.6) for k, g in enumerate(longest) for h in longest[:k])


@pytest.mark.filterwarnings(
    *(f"ignore::{c.__module__}.{c.__name__}" for c in (FewerSubgraphsWarning, LimitReachedWarning))
)
@pytest.mark.parametrize("bound", BOUNDS)
def test_no_unlisted_value_exceeds_the_open_bound_after_a_node_limit(bound):
    stopped = 0
    for number in range(2_000 if SOAK else 150):
        random = np.random.default_rng([12, number])
        cohort = random_cohort(random)
        problem = random_problems(random, cohort, 1)[0]
        shared = candidates(cohort, problem)
        if not shared.surely.any():
            continue
        settings = {**problem.keywords(), "bound": bound, "n_jobs": int(random.choice([1, 2]))}
        result = mine_within(int(random.integers(1, 12)), cohort.graphs, cohort.y, **settings)
        if result.status is Status.OPTIMAL:
            assert result.best_open_bound == -np.inf
            continue
        stopped += 1
        assert result.status is Status.NODE_LIMIT
        listed = set(result.subgraphs)
        unlisted = np.array([g not in listed for g in shared.subgraphs]) & shared.surely
        most = ranking(cohort, problem, shared).low[unlisted].max(initial=-np.inf)
        # A subgraph beyond the list has been seen, and is no better than the worst listed, or is open.
        assert max(result.best_open_bound, result.threshold) >= most, (number, settings, cohort)
    assert stopped >= 20
