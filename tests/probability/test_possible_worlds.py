"""Distributions and measures equal those of all possible worlds, enumerated by definition."""

import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds_by_definition import FORMULAS, MeasuresOfWorlds, scored_worlds, world_probabilities

from dugraph import score_distribution
from dugraph.probability import measure_subgraph
from dugraph.probability.containment import support_distribution as reference
from dugraph.probability.measures import Measure, level_probabilities
from dugraph.probability.scores import DEFAULT_PHI, SCORES, score_table
from dugraph.search.distribution import support_distribution as compiled
from dugraph.simulation import possible_worlds

N_COHORTS = 1_000_000 if os.environ.get("DUGRAPH_SOAK") else 5_000
BATCH = 250
TOLERANCE = 1e-12
# (n_pos, n_neg, n_edges) with at most 2^12 worlds.
SHAPES = [
    (p, q, m) for p in range(1, 12) for q in range(1, 12) for m in range(1, 7) if (p + q) * m <= 12
]  # fmt: skip
KINDS = ("uniform", "quarters", "halves", "certain", "tails", "duplicates", "mixture")


def draw(kind, shape, random):
    """Edge probabilities of a batch of cohorts, (cohorts, graphs, edges)."""
    if kind == "uniform":
        return random.random(shape)
    if kind in ("quarters", "halves"):
        parts = 4 if kind == "quarters" else 2
        return random.integers(0, parts + 1, shape) / parts
    if kind == "certain":
        return np.where(random.random(shape) < 0.7, random.integers(0, 2, shape), random.random(shape))
    if kind == "tails":
        tiny = 10.0 ** random.uniform(-12, -3, shape)
        return np.where(
            random.random(shape) < 0.5, tiny, np.where(random.random(shape) < 0.5, 1 - 1e-9, 1 - tiny)
        )
    if kind == "duplicates":
        graph = random.integers(0, max(1, shape[1] // 2), shape[1])
        return random.random(shape)[:, graph]
    parts = [draw(k, shape, random) for k in KINDS[:-2]]
    return np.choose(random.integers(0, len(parts), shape), parts)


def assert_close(ours, oracle, what):
    error = np.abs(ours - oracle) / np.maximum(1.0, np.abs(oracle))
    assert error.max() <= TOLERANCE, f"{what}: off by {error.max():.2e}"


def assert_accepted(ours, accepted, levels, what):
    near = np.abs(ours[:, None] - levels) / np.maximum(1.0, np.abs(levels)) <= TOLERANCE
    good = (near & accepted).any(axis=1)
    assert good.all(), f"{what}: cohort {np.argmin(good)} of the batch has {ours[np.argmin(good)]}"


def check_batch(probability, n_pos, phi_level):
    """Compare all scores and measures on one batch; how many quantiles and modes stood at a jump."""
    n_neg, n_edges = probability.shape[1] - n_pos, probability.shape[2]
    worlds = world_probabilities(probability)
    x = probability.prod(axis=2)
    supports = [(law.__module__, law(x[:, :n_pos]), law(x[:, n_pos:])) for law in (reference, compiled)]
    at_jumps = 0
    for score in FORMULAS:
        oracle = MeasuresOfWorlds(worlds, scored_worlds(score, n_pos, n_neg, n_edges))
        table = score_table(score, n_pos, n_neg)
        assert_close(table.levels, oracle.levels, f"levels of {score}")
        means, modes = oracle.expectation(), oracle.accepted_modes()
        phis = (DEFAULT_PHI[score], float(oracle.levels[phi_level % oracle.levels.size]))
        tails = {phi: oracle.phi_probability(phi) for phi in phis}
        quantiles = {q: oracle.accepted_quantiles(q) for q in (0.1, 0.5, 0.9)}
        at_jumps += sum(int((accepted.sum(axis=1) > 1).sum()) for accepted in (*quantiles.values(), modes))
        for law, in_pos, in_neg in supports:
            what = f"{score}, {n_pos}+{n_neg} graphs, {n_edges} edges, {law}"
            masses = level_probabilities(in_pos, in_neg, table)
            assert_close(masses, oracle.masses, what)
            assert_close(Measure("expectation")(table.levels, masses), means, f"expectation, {what}")
            for phi, tail in tails.items():
                ours = Measure("phi_probability", phi=phi)(table.levels, masses)
                assert_close(ours, tail, f"phi = {phi}, {what}")
            for q, accepted in quantiles.items():
                ours = Measure("quantile", quantile=q)(table.levels, masses)
                assert_accepted(ours, accepted, oracle.levels, f"quantile {q}, {what}")
            median = Measure("median")(table.levels, masses)
            assert_accepted(median, quantiles[0.5], oracle.levels, f"median, {what}")
            assert_accepted(Measure("mode")(table.levels, masses), modes, oracle.levels, f"mode, {what}")
    return at_jumps


def test_measures_equal_those_of_all_possible_worlds():
    assert set(FORMULAS) == set(SCORES)
    random = np.random.default_rng(20130502)
    at_jumps = 0
    for batch in range(N_COHORTS // BATCH):
        n_pos, n_neg, n_edges = SHAPES[int(random.integers(len(SHAPES)))]
        probability = draw(KINDS[batch % len(KINDS)], (BATCH, n_pos + n_neg, n_edges), random)
        at_jumps += check_batch(probability, n_pos, phi_level=batch)
    # Both sides are accepted at jumps only, which must stay the exception: 5 scores, 4 measures that jump.
    assert 0 < at_jumps < 0.2 * 20 * N_COHORTS


def by_definition(X, y, subgraph, score):
    worlds, probabilities = possible_worlds(X)
    distribution = {}
    for world, probability in zip(worlds, probabilities, strict=True):
        contains = [all(graph[e] for e in subgraph) for graph in world]
        a = sum(c for c, label in zip(contains, y, strict=True) if label)
        b = sum(contains) - a
        value, _ = FORMULAS[score](a, b, int(sum(y)), int(len(y) - sum(y)))
        level = round(min(value, 1000.0), 12)
        distribution[level] = distribution.get(level, 0.0) + float(probability)
    return {level: mass for level, mass in sorted(distribution.items()) if mass > 0}


@pytest.mark.parametrize("score", FORMULAS)
def test_public_functions_equal_the_enumeration_of_worlds(score):
    random = np.random.default_rng(7)
    for _ in range(60):
        n_graphs, n_edges = int(random.integers(2, 6)), int(random.integers(1, 5))
        y = random.permutation(np.arange(n_graphs) % 2)
        X = draw(KINDS[int(random.integers(len(KINDS)))], (1, n_graphs, n_edges), random)[0]
        # Seven uncertain edges are 128 worlds; the others become certain.
        uncertain = random.permutation(np.flatnonzero((X > 0) & (X < 1)))
        X.flat[uncertain[7:]] = np.round(X.flat[uncertain[7:]])
        subgraph = random.permutation(n_edges)[: int(random.integers(1, n_edges + 1))].tolist()
        truth = by_definition(X, y, subgraph, score)
        ours = score_distribution(X, y, subgraph, score)
        np.testing.assert_allclose(ours.values, list(truth), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(ours.probabilities, list(truth.values()), rtol=0, atol=1e-12)
        mean = measure_subgraph(X, y, subgraph, score=score)
        assert math.isclose(mean, math.fsum(s * m for s, m in truth.items()), rel_tol=1e-11, abs_tol=1e-11)
        phi = DEFAULT_PHI[score]
        tail = measure_subgraph(X, y, subgraph, score=score, measure="phi_probability")
        assert math.isclose(tail, math.fsum(m for s, m in truth.items() if s >= phi - 1e-9), abs_tol=1e-12)
        most = measure_subgraph(X, y, subgraph, score=score, measure="mode")
        assert any(abs(most - s) < 1e-11 and m >= max(truth.values()) - 1e-11 for s, m in truth.items())
        median = measure_subgraph(X, y, subgraph, score=score, measure="median")
        assert math.fsum(m for s, m in truth.items() if s < median - 1e-11) <= 0.5 + 1e-11
        assert math.fsum(m for s, m in truth.items() if s <= median + 1e-11) >= 0.5 - 1e-11


@given(
    st.sampled_from(sorted(FORMULAS)),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12),
)
def test_on_certain_graphs_every_measure_is_the_ordinary_score(score, positives, negatives):
    X = np.array([*positives, *negatives], dtype=float)
    y = [1] * len(positives) + [0] * len(negatives)
    a, b = sum(map(all, positives)), sum(map(all, negatives))
    ordinary, _ = FORMULAS[score](a, b, len(positives), len(negatives))
    ordinary = min(ordinary, 1000.0)
    for measure in ("expectation", "median", "mode"):
        found = measure_subgraph(X, y, (0, 1), score=score, measure=measure)
        assert math.isclose(found, ordinary, rel_tol=1e-12, abs_tol=1e-12)
    assert measure_subgraph(X, y, (0, 1), score=score, measure="phi_probability", phi=ordinary) == 1.0
