"""Every bound holds for every admitted supergraph: the reference, its lemmas, and the core's open bound."""

import warnings

import bounds_reference as bounds
import numpy as np
import pytest
from random_cohorts import SOAK, Cohort, random_cohort, random_problems
from ranking_oracle import candidates, ranking
from scipy import stats

from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning
from dugraph.probability.measures import Measure
from dugraph.probability.score_distribution import level_probabilities
from dugraph.probability.scores import default_phi, score_table
from dugraph.probability.support import support_distribution
from dugraph.search import Status
from dugraph.search.mining import mine_within

COHORTS = 10_000 if SOAK else 80
LAWS = 50_000 if SOAK else 600


def table_and_measure(cohort, problem):
    table = score_table(problem.score, cohort.n_pos, len(cohort.y) - cohort.n_pos, problem.score_cap)
    is_phi = problem.measure == "phi_probability"
    phi = default_phi(problem.score, problem.phi) if is_phi else 0.0
    return table, Measure(problem.measure, quantile=problem.quantile, phi=phi)


def extreme_probabilities(random, m):
    """Containment probabilities of all shapes: uniform, equal, bimodal, nearly certain, certain."""
    uniform = random.random(m)
    kinds = (
        uniform,
        np.full(m, uniform[0]),
        np.where(uniform < random.random(), 1e-3, 0.999),
        uniform**8,
        1 - uniform**8,
        np.where(uniform < random.random(), 0.0, 1.0),
        np.where(uniform < 0.3, 0.0, np.where(uniform > 0.7, 1.0, random.random(m))),
    )
    return np.asarray(kinds[random.integers(len(kinds))])


def test_reference_bounds_hold_for_every_supergraph():
    pairs = 0
    for number in range(COHORTS):
        random = np.random.default_rng([7, number])
        cohort = random_cohort(random)
        for problem in random_problems(random, cohort, 3):
            if problem.measure != "frequency":
                pairs += check_bounds(cohort, problem, random)
    assert pairs >= 30 * COHORTS, pairs


def check_bounds(cohort, problem, random):
    """Checks some subgraphs of a cohort against all their admitted supergraphs; returns how many."""
    shared = candidates(cohort, problem)
    truth = ranking(cohort, problem, shared)
    table, measure = table_and_measure(cohort, problem)
    least = problem.min_expected_frequency * len(cohort.y)
    sets = [frozenset(g) for g in shared.subgraphs]
    sums = [pmf @ np.arange(pmf.shape[1]) for pmf in shared.supports] if sets else []
    pairs = 0
    for k in random.permutation(len(sets))[:6]:
        above = np.array([sets[k] <= other for other in sets])
        largest = truth.low[above].max()  # the value of the best of them, less its rounding
        means = float(sums[0][k]), float(sums[1][k])
        mass = bounds.subtree_bound(table, measure, means[0], means[1], least, cells=12)
        scale = 1e-12 * np.abs(table.levels).max()
        assert mass >= largest - scale, (number_of(cohort), problem, sets[k])
        worldwise = bounds.worldwise_bound(table, measure, shared.supports[0][k], shared.supports[1][k])
        assert worldwise >= largest - scale, (number_of(cohort), problem, sets[k])
        if problem.score == "hsic" and problem.measure == "expectation" and problem.score_cap is None:
            closed = bounds.square_bound(cohort.n_pos, len(cohort.y) - cohort.n_pos, *means, least)
            assert closed >= largest - scale, (number_of(cohort), problem, sets[k])
        pairs += int(above.sum())
    return pairs


def number_of(cohort):
    return f"{cohort.edge_probability.tolist()} {cohort.edges.tolist()} {cohort.y.tolist()}"


def test_own_bound_holds_for_the_subgraph_itself():
    """A cell of a single pair of means bounds the measure of all supports with these means."""
    for number in range(LAWS // 4):
        random = np.random.default_rng([8, number])
        p, q = (int(m) for m in random.integers(1, 9, 2))
        cohort = Cohort(
            np.zeros((p + q, 1)), np.array([[1, 0]]), ("",), np.repeat([1, 0], [p, q]), np.arange(1)
        )
        problem = random_problems(random, cohort, 1)[0]
        if problem.measure == "frequency":
            continue
        table, measure = table_and_measure(cohort, problem)
        x, z = extreme_probabilities(random, p), extreme_probabilities(random, q)
        bound = bounds.mass_bounds(table, measure, np.full(2, x.sum()), np.full(2, z.sum()))[0, 0]
        supports = [support_distribution(v) for v in (x, z)]
        value = float(measure(table.levels, level_probabilities(supports[0], supports[1], table)))
        assert bound >= value - 1e-12 * np.abs(table.levels).max(), (problem, x, z)


def test_monotone_tables_cover_the_score():
    for number in range(300):
        random = np.random.default_rng([9, number])
        shape = tuple(int(m) for m in random.integers(2, 9, 2))
        level_of = random.integers(0, 6, shape).astype(np.int32)
        rising, falling = bounds.monotone_levels(level_of)
        assert (np.maximum(rising, falling) >= level_of).all()
        assert (np.diff(rising, axis=0) >= 0).all()
        assert (np.diff(rising, axis=1) <= 0).all()
        assert (np.diff(falling, axis=0) <= 0).all()
        assert (np.diff(falling, axis=1) >= 0).all()
        worldwise = bounds.worldwise_levels(level_of)
        a, b = (int(random.integers(m)) for m in shape)
        assert worldwise[a, b] == level_of[: a + 1, : b + 1].max()


def test_a_one_sided_score_is_its_own_table():
    level_of = score_table("confidence", 5, 7).level_of
    rising, falling = bounds.monotone_levels(level_of)
    np.testing.assert_array_equal(rising, level_of)
    assert not falling.any()
    mirrored = level_of.max() - level_of
    rising, falling = bounds.monotone_levels(mirrored)
    np.testing.assert_array_equal(falling, mirrored)
    assert not rising.any()


def test_hoeffding_lemma_and_envelope_laws():
    for number in range(LAWS):
        random = np.random.default_rng([10, number])
        m = int(random.integers(1, 60))
        x = extreme_probabilities(random, m)
        pmf, mean = support_distribution(x), x.sum()
        binomial = stats.binom.pmf(np.arange(m + 1), m, min(mean / m, 1.0))
        at_most, at_least = np.cumsum(pmf), np.cumsum(pmf[::-1])[::-1]
        k = np.arange(m + 1)
        low_side, high_side = k <= mean - 1, k >= mean + 1
        assert (at_most <= np.cumsum(binomial) + 1e-12)[low_side].all()
        assert (at_least <= np.cumsum(binomial[::-1])[::-1] + 1e-12)[high_side].all()
        # The laws of a larger and of a smaller mean hold as well: both are monotone.
        for more in (0.0, float(random.random() * (m - min(mean, m)))):
            high = bounds.high_law(m, mean + more)
            assert high.min() >= -1e-15
            assert high.sum() == pytest.approx(1)
            assert (np.cumsum(high[::-1])[::-1] >= at_least - 1e-12).all()
        for less in (0.0, float(random.random() * mean)):
            low = bounds.low_law(m, mean - less)
            assert low.min() >= -1e-15
            assert low.sum() == pytest.approx(1)
            assert (np.cumsum(low) >= at_most - 1e-12).all()


def test_newton_ratios_and_darroch_mode():
    for number in range(LAWS):
        random = np.random.default_rng([11, number])
        m = int(random.integers(1, 60))
        x = extreme_probabilities(random, m)
        pmf, mean = support_distribution(x), float(x.sum())
        modes = np.flatnonzero(pmf >= pmf.max() * (1 - 1e-12))
        assert modes[0] >= np.floor(mean - 1e-12)
        assert modes[-1] <= np.ceil(mean + 1e-12)
        for mode in modes:
            ratios = bounds.mode_ratios(m, int(mode))
            assert ratios.shape == (m + 1,)
            assert (pmf <= pmf[mode] * ratios * (1 + 1e-11)).all()


@pytest.mark.parametrize("bound", ["frequency", "worldwise", "mass"])
def test_best_open_bound_after_a_node_limit(bound):
    """The open bound of a stopped search is at least every value that it did not list."""
    stopped = 0
    for number in range(2_000 if SOAK else 150):
        random = np.random.default_rng([12, number])
        cohort = random_cohort(random)
        problem = random_problems(random, cohort, 1)[0]
        shared = candidates(cohort, problem)
        if not shared.surely.any():
            continue
        truth = ranking(cohort, problem, shared)
        limits = {"bound": bound, "n_jobs": int(random.choice([1, 2]))}
        node_limit = int(random.integers(1, 12))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewerSubgraphsWarning)
            warnings.simplefilter("ignore", LimitReachedWarning)
            result = mine_within(node_limit, cohort.graphs, cohort.y, **problem.keywords(), **limits)
        if result.status is Status.OPTIMAL:
            assert result.best_open_bound == -np.inf
            continue
        stopped += 1
        assert result.status is Status.NODE_LIMIT
        listed = set(result.subgraphs)
        unlisted = np.array([g not in listed for g in shared.subgraphs]) & shared.surely
        most = truth.low[unlisted].max(initial=-np.inf)
        # A subgraph beyond the list has been seen, and is no better than the worst listed, or is open.
        reach = max(result.best_open_bound, result.threshold)
        assert reach >= most, (number, limits, problem, number_of(cohort))
    assert stopped >= 20
