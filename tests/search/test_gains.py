"""The search for the largest gain against every connected subgraph, on random cohorts."""

import numpy as np
import pytest
from random_cohorts import SOAK, random_cohort
from ranking_oracle import all_subgraphs

from dugraph import UncertainGraphs
from dugraph.search import Status, problem
from dugraph.search.limits import FREQUENCY_TOLERANCE
from dugraph.search.problem import GainSearch

N_COHORTS = 20_000 if SOAK else 180


def signs(search, positive):
    """1 for positive and -1 for negative graphs, in the order of the search."""
    return np.where(positive[search.graphs], 1.0, -1.0)


def random_weights(random, sign):
    weights = random.random(len(sign))
    weights[random.random(len(sign)) < 0.2] = 0.0
    if random.random() < 0.3:  # as in the first fit: equal within a class, so that gains tie
        weights = np.where(sign > 0, weights[0], weights[-1])
    return weights * sign


def by_definition(cohort, weights, limit, max_edges):
    """Gain of every admitted subgraph."""
    found = {}
    for g in all_subgraphs(cohort.edges, max_edges):
        x = cohort.edge_probability[:, list(g)].prod(axis=1)
        if x.mean() > limit + FREQUENCY_TOLERANCE:
            found[g] = abs(weights @ x)
    return found


def assert_same(found, other):
    assert found.status is other.status is Status.OPTIMAL
    assert found.subgraphs == other.subgraphs
    assert found.values.tobytes() == other.values.tobytes()


@pytest.mark.parametrize("part", range(6))
def test_the_largest_gains_are_found(part):
    for seed in range(part, N_COHORTS, 6):
        random = np.random.default_rng(seed)
        cohort = random_cohort(random)
        limit = float(random.choice([0.0, 0.05, 0.2]))
        max_edges = None if random.random() < 0.7 else 2
        n = int(random.integers(1, 8))
        settings = {"min_expected_frequency": limit, "max_edges": max_edges}
        search = GainSearch(cohort.graphs, **settings)
        weights = random_weights(random, signs(search, cohort.y == 1))
        given = np.empty(len(weights))
        given[search.graphs] = weights
        truth = by_definition(cohort, given, limit, max_edges)
        floor = 0.0 if random.random() < 0.5 or not truth else 0.5 * max(truth.values())
        found = search.find(weights, floor, n)
        above = sorted((v for v in truth.values() if v > floor + 1e-12), reverse=True)
        assert min(n, len(above)) <= len(found.subgraphs) <= n
        np.testing.assert_allclose(found.values[: len(above)], above[:n], rtol=1e-12, atol=1e-15)
        for g, value in zip(found.subgraphs, found.values, strict=True):
            subgraph = tuple(sorted(search.original[list(g)].tolist()))
            assert truth[subgraph] == pytest.approx(value, rel=1e-12, abs=1e-15)
        assert found.most >= max(above, default=0.0) * (1 - 1e-12)
        assert found.most == (found.values[0] if len(found.values) else floor)
        assert_same(GainSearch(cohort.graphs, **settings, n_threads=3).find(weights, floor, n), found)


def hidden_path():
    """Sixty edges of their own promise more than the three of a path, which together gain the most.

    Each negative graph lacks one edge of the path. A climb begins at what promises most, so that only the
    search proper finds the path. Returns the search, weights, and the gain of the path.
    """
    positive = np.repeat([True, False], 12)
    alone = np.where(positive, 1.0, 0.45)[:, np.newaxis] - 0.02 * np.random.default_rng(0).random((24, 60))
    lacks = np.arange(24)[:, np.newaxis] % 3 == np.arange(3)
    path = np.where(positive[:, np.newaxis], 0.93, np.where(lacks, 0.02, 0.9))
    edges = [(2 * k, 2 * k + 1) for k in range(60)] + [(120 + k, 121 + k) for k in range(3)]
    search = GainSearch(UncertainGraphs(np.hstack([alone, path]), edges), min_expected_frequency=0.01)
    gain = path.prod(axis=1)
    return search, signs(search, positive) / 24, float(gain[:12].sum() - gain[12:].sum()) / 24


def test_a_stopped_search_bounds_unseen_gains(monkeypatch):
    search, weights, most = hidden_path()
    assert search.find(weights, 0.0, 1).values == pytest.approx([most], rel=1e-12)
    unseen = 0
    for limit in range(1, 66):  # there are 63 edges and 3 more subgraphs
        monkeypatch.setattr(problem, "NO_LIMIT", limit)
        stopped = search.find(weights, 0.0, 1)
        assert stopped.status is Status.NODE_LIMIT
        assert stopped.most >= most
        unseen += stopped.values[0] < 0.99 * most
    assert unseen > 60  # else the test could not fail


def test_a_search_stopped_by_time_bounds_unseen_gains():
    random = np.random.default_rng(5)
    search = GainSearch(UncertainGraphs(0.5 + 0.5 * random.random((20, 66))), min_expected_frequency=0.01)
    weights = random.random(20) * signs(search, np.repeat([True, False], 10))
    stopped = search.find(weights, 0.0, 10**6, time_limit=0.02)  # a list that is never full cuts nothing
    assert stopped.status is Status.TIME_LIMIT
    best = search.find(weights, 0.0, 1)
    assert best.status is Status.OPTIMAL
    assert stopped.most >= best.values[0]
    assert (stopped.values <= best.values[0]).all()  # of none, when the time is over at once


@pytest.mark.parametrize("limit", [0.0, 0.05, 0.2, 1 / 3])
def test_an_edge_exactly_at_the_limit_is_not_admitted(limit):
    at = limit + FREQUENCY_TOLERANCE
    above = np.nextafter(at, 1) if limit else 2 * at
    # Four equal graphs: their mean is exact.
    graphs = UncertainGraphs(np.tile([at, 0.9, above, at / 2], (4, 1)), [(0, 1), (2, 3), (4, 5), (6, 7)])
    search = GainSearch(graphs, min_expected_frequency=limit)
    found = search.find(np.array([0.25, 0.25, 0.0, 0.0]), 0.0, 10)
    assert sorted(search.original[e] for (e,) in found.subgraphs) == [1, 2]


def test_a_first_search_that_is_stopped_prepares_nothing_wrong():
    """The first search prepares the cohort; one that is stopped meanwhile must leave no half of it behind."""
    graphs = UncertainGraphs(0.4 + 0.6 * np.random.default_rng(1).random((20, 4950)))
    options = {"min_expected_frequency": 0.3, "max_edges": 2}
    for limit in (1e-9, 1e-3, 1e-2):
        search, fresh = (GainSearch(graphs, **options) for _ in range(2))
        weights = signs(search, np.arange(20) < 10) / 20
        search.find(weights, 0.0, 50, time_limit=limit)
        assert_same(search.find(weights, 0.0, 50), fresh.find(weights, 0.0, 50))
