"""The oracle: scores and measures from an enumeration of possible worlds, sharing no code with dugraph.

A world says which edge of the subgraph exists in which graph. Scores are plain scalar formulas; which of them
are equal is decided in exact arithmetic; measures come from the worlds sorted by score.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
INFINITE = Fraction(-1)  # the exact key of an infinite score; all other keys are positive or zero
NEAR = 1e-11  # a jump this close to the limit may be taken on either side


def log_ratio(numerator, denominator):
    return math.log(numerator / denominator)


def confidence(a, b, p, q):
    key = Fraction(a, a + b) if a + b else Fraction(0)
    return float(key), key


def frequency_ratio(a, b, p, q):
    if a == b == 0:
        return 0.0, Fraction(1)
    if a == 0 or b == 0:
        return math.inf, INFINITE
    ratio = Fraction(a * q, b * p)
    return abs(log_ratio(a * q, b * p)), max(ratio, 1 / ratio)


def g_test(a, b, p, q):
    value, key = 0.0, Fraction(1)
    for observed, other in ((a, b), (p - a, q - b)):
        if observed and not other:
            return math.inf, INFINITE
        if observed:
            value += 2 * observed * log_ratio(observed * q, other * p)
            key *= Fraction(observed * q, other * p) ** observed
    return value, key


def hsic(a, b, p, q):
    n = p + q
    key = Fraction((a * q - b * p) ** 2, (n - 1) ** 2 * n**2)
    return float(key), key


def information_gain(a, b, p, q):
    """H(class) - H(class | presence); its n-fold is the logarithm of a rational number, the key."""
    n = p + q
    value = -sum(size / n * log_ratio(size, n) for size in (p, q))
    key = Fraction(1)
    for in_pos, in_neg in ((a, b), (p - a, q - b)):
        for count, size in ((in_pos, p), (in_neg, q)):
            if count:
                value += count / n * log_ratio(count, in_pos + in_neg)
                key *= Fraction(count * n, (in_pos + in_neg) * size) ** count
    return value, key


def odds_ratio(a, b, p, q):
    key = Fraction((2 * a + 1) * (2 * (q - b) + 1), (2 * b + 1) * (2 * (p - a) + 1))
    return float(key), key


FORMULAS = {
    "confidence": confidence,
    "frequency_ratio": frequency_ratio,
    "g_test": g_test,
    "hsic": hsic,
    "information_gain": information_gain,
    "odds_ratio": odds_ratio,
}


@dataclass(frozen=True)
class ScoredWorlds:
    """All worlds of one shape of cohort, ascending by their score."""

    order: NDArray[np.intp]  # the worlds by score
    first: NDArray[np.intp]  # where in that order each score begins
    levels: Floats  # the distinct scores
    level_of_sorted: NDArray[np.intp]  # the score of each world in that order, as an index into levels


@cache
def supports(n_pos, n_neg, n_edges):
    """In how many positive and negative graphs all edges exist, for every world."""
    n_cells = (n_pos + n_neg) * n_edges
    # Cell (i, e), edge e of graph i, is digit i * n_edges + e of the world's number.
    digits = (np.arange(2**n_cells)[:, None] >> np.arange(n_cells)) & 1
    present = digits.reshape(-1, n_pos + n_neg, n_edges).all(axis=2)
    return [(int(row[:n_pos].sum()), int(row[n_pos:].sum())) for row in present]


@cache
def scored_worlds(score, n_pos, n_neg, n_edges):
    pairs = supports(n_pos, n_neg, n_edges)
    scored = {pair: FORMULAS[score](*pair, n_pos, n_neg) for pair in set(pairs)}
    largest = max(value for value, _ in scored.values() if value < math.inf)
    cap = max(1000.0, largest)
    value_of = {key: min(value, cap) for value, key in scored.values()}
    keys = sorted(value_of, key=lambda key: value_of[key])
    rank = {key: r for r, key in enumerate(keys)}
    ranks = np.array([rank[scored[pair][1]] for pair in pairs])
    order = np.argsort(ranks, kind="stable")
    first = np.searchsorted(ranks[order], np.arange(len(keys)))
    return ScoredWorlds(order, first, np.array([value_of[key] for key in keys]), ranks[order])


def world_probabilities(probability):
    """Probability of each world of each cohort: (cohorts, graphs, edges) -> (worlds, cohorts)."""
    worlds = np.ones((1, len(probability)))
    for cell in probability.reshape(len(probability), -1).T:
        worlds = np.concatenate([worlds * (1 - cell), worlds * cell])
    return worlds


class MeasuresOfWorlds:
    """Every measure of a batch of cohorts from the probabilities of their worlds, (worlds, cohorts)."""

    def __init__(self, worlds, scored):
        self.levels = scored.levels
        self.level_of_world = scored.level_of_sorted
        self.worlds = worlds[scored.order]
        self.cdf = np.cumsum(self.worlds, axis=0)
        self.masses = np.add.reduceat(self.worlds, scored.first, axis=0).T

    def expectation(self):
        return (self.worlds * self.levels[self.level_of_world, None]).sum(axis=0)

    def phi_probability(self, phi):
        return self.worlds[self.levels[self.level_of_world] >= phi - 1e-12 * max(1.0, phi)].sum(axis=0)

    def accepted_quantiles(self, quantile):
        """Which levels may be called the quantile: one, or both sides of a jump at the quantile itself."""
        low, high = (
            self.level_of_world[np.minimum((self.cdf < limit).sum(axis=0), len(self.cdf) - 1), None]
            for limit in (quantile - NEAR, quantile + NEAR)
        )
        index = np.arange(self.levels.size)
        return (index >= low) & (index <= high) & (self.masses > 0)

    def accepted_modes(self):
        """Which levels may be called the mode: the most likely one, or those that tie with it."""
        return self.masses >= self.masses.max(axis=1, keepdims=True) - NEAR
