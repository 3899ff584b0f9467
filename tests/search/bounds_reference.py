"""Upper bounds of the measure of all admitted supergraphs, in readable NumPy: the mathematics of the core.

There are two families. World-wise (the paper's): in every possible world the supports of a supergraph are at
most those of the subgraph. Mass (ours): only the two expected supports matter, since a support with a known
mean lies between two envelope laws (Hoeffding 1956), and the expected supports of an admitted supergraph sum
to more than the limit.
"""

import numpy as np
from scipy.special import bdtr, bdtrc

from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.score_distribution import level_probabilities
from dugraph.probability.scores import ScoreTable

# Rounding of a probability must never exclude a level that a quantile or a mode may take.
PROBABILITY_MARGIN = 1e-11


def worldwise_levels(level_of):
    """f^: the highest level of any supports a' <= a, b' <= b."""
    return np.asarray(np.maximum.accumulate(np.maximum.accumulate(level_of, axis=0), axis=1))


def _rising(level_of):
    return np.asarray(worldwise_levels(level_of[:, ::-1])[:, ::-1])


def _falling(level_of):
    return np.asarray(worldwise_levels(level_of[::-1])[::-1])


def monotone_levels(level_of):
    """f+ and f- with f <= max(f+, f-): f+ rises in a and falls in b, f- the other way round.

    A score that is monotone itself is one of the two, and the other is the lowest level. Of any other score
    f+ covers the supports with at least as large a share in the positive graphs, f- the rest.
    """
    lowest = np.zeros_like(level_of)
    if np.array_equal(rising := _rising(level_of), level_of):
        return rising, lowest
    if np.array_equal(falling := _falling(level_of), level_of):
        return lowest, falling
    n_pos, n_neg = level_of.shape[0] - 1, level_of.shape[1] - 1
    leans_positive = np.arange(n_pos + 1)[:, None] * n_neg >= np.arange(n_neg + 1) * n_pos
    return _rising(np.where(leans_positive, level_of, 0)), _falling(np.where(leans_positive, 0, level_of))


def high_law(m, mean):
    """A law on 0..m that dominates every support over m graphs whose mean is at most `mean`.

    Pr[>= k] is 1 for k < mean + 1, and that of the binomial of this mean beyond.
    """
    mean = np.asarray(mean, dtype=np.float64)[..., None]
    k = np.arange(m + 2.0)
    at_least = np.where(k < mean + 1, 1.0, bdtrc(k - 1, m, mean / m))
    at_least[..., m + 1] = 0.0
    return np.asarray(at_least[..., :-1] - at_least[..., 1:])


def low_law(m, mean):
    """A law on 0..m that every support over m graphs whose mean is at least `mean` dominates.

    Pr[<= k] is that of the binomial of this mean for k <= mean - 1, and 1 from there.
    """
    mean = np.asarray(mean, dtype=np.float64)[..., None]
    k = np.arange(m + 1.0)
    at_most = np.where(k > mean - 1, 1.0, bdtr(np.minimum(k, m), m, mean / m))
    return np.diff(at_most, prepend=0.0, axis=-1)


def mass_bounds(table, measure, pos_mean, neg_mean):
    """Bounds of the measure of every subgraph whose expected supports lie in a cell of a grid.

    Parameters
    ----------
    table, measure : ScoreTable and Measure
        The score, and any measure of it.
    pos_mean, neg_mean : ndarray of shape (n + 1,) and (k + 1,)
        Ascending grid points; cell (i, j) lies between the points i, i + 1 and j, j + 1.

    Returns
    -------
    ndarray of shape (n, k)
    """
    if measure.name == "mode":
        return _mode_cells(table, pos_mean, neg_mean)
    n_pos, n_neg = table.level_of.shape[0] - 1, table.level_of.shape[1] - 1
    high_pos, low_pos = high_law(n_pos, pos_mean[1:]), low_law(n_pos, pos_mean[:-1])
    high_neg, low_neg = high_law(n_neg, neg_mean[1:]), low_law(n_neg, neg_mean[:-1])
    rising, falling = monotone_levels(table.level_of)

    def average(plus, minus):
        return np.asarray(high_pos @ plus @ low_neg.T + low_pos @ minus @ high_neg.T)

    def tail(level):
        return np.minimum(
            1.0, average((rising >= level).astype(np.float64), (falling >= level).astype(np.float64))
        )

    lowest = table.levels[0]
    if measure.name == "expectation":  # of the score less its minimum, so that no term is negative
        bounds = average(table.levels[rising] - lowest, table.levels[falling] - lowest) + lowest
        return np.asarray(np.minimum(bounds, table.levels[-1]))
    if measure.name == "phi_probability":
        return tail(
            int(np.searchsorted(table.levels, measure.phi - JUMP_TOLERANCE * max(1.0, abs(measure.phi))))
        )
    wanted = 0.5 if measure.name == "median" else measure.quantile
    bounds = np.full((len(pos_mean) - 1, len(neg_mean) - 1), lowest)
    for level in range(1, table.levels.size):
        bounds[tail(level) + PROBABILITY_MARGIN >= 1 - wanted] = table.levels[level]
    return bounds


def subtree_bound(table, measure, pos_mean, neg_mean, least_mass, cells=32):
    """No admitted subgraph whose expected supports are at most these exceeds this value.

    `least_mass` is the limit of the sum of both, min_expected_frequency times the number of graphs; `cells`
    the fineness of the grid over which the maximum is taken. Minus infinity if nothing can be admitted.
    """
    pos, neg = np.linspace(0.0, pos_mean, cells + 1), np.linspace(0.0, neg_mean, cells + 1)
    bounds = mass_bounds(table, measure, pos, neg)
    # Judged by the upper corner of a cell, so that no admitted subgraph is left out.
    return float(bounds.max(initial=-np.inf, where=pos[1:, None] + neg[1:] > least_mass))


def worldwise_bound(table, measure, n_pos_g, n_neg_g):
    """The paper's bound: the measure of f^ under the two support distributions of the subgraph itself.

    The mode does not respect the order of random variables; its bound is the highest level.
    """
    if measure.name == "mode":
        return float(table.levels[-1])
    largest = ScoreTable(table.levels, worldwise_levels(table.level_of))
    return float(measure(table.levels, level_probabilities(n_pos_g, n_neg_g, largest)))


def mode_ratios(m, mode):
    """At most d(k) / d(mode) for k = 0..m, d the distribution of any support over m graphs with this mode.

    Newton's inequalities: around its mode a support falls at least as fast as the binomial with that mode.
    """
    right = np.arange(mode, m)
    left = np.arange(mode - 1, -1, -1)
    rightwards = (mode + 1) / max(m - mode, 1) * ((m - right) / (right + 1))
    leftwards = (m - mode + 1) / max(mode, 1) * ((left + 1) / (m - left))
    return np.concatenate([np.cumprod(leftwards)[::-1], [1.0], np.cumprod(rightwards)])


def mode_bound(table, pos_mode, neg_mode):
    """The highest score that can be the mode when the supports have these modes.

    A level must be at least as likely as the modal cell, so the ratios of its cells must sum to 1.
    """
    n_pos, n_neg = table.level_of.shape[0] - 1, table.level_of.shape[1] - 1
    weight = np.outer(mode_ratios(n_pos, pos_mode), mode_ratios(n_neg, neg_mode))
    total = np.bincount(table.level_of.ravel(), weights=weight.ravel(), minlength=table.levels.size)
    # A tie within the tolerance counts too, and a modal cell weighs at least 1 / (number of cells).
    reaches = total >= 1 - PROBABILITY_MARGIN * weight.size
    return float(table.levels[np.flatnonzero(reaches)[-1]])


def _mode_cells(table, pos_mean, neg_mean):
    n_pos, n_neg = table.level_of.shape[0] - 1, table.level_of.shape[1] - 1
    highest = np.array([[mode_bound(table, a, b) for b in range(n_neg + 1)] for a in range(n_pos + 1)])

    def modes(mean, m):  # floor to ceiling of the mean (Darroch)
        floor, ceiling = np.floor(mean[:-1]).astype(int), np.minimum(np.ceil(mean[1:]), m).astype(int)
        return [slice(a, b + 1) for a, b in zip(floor, ceiling, strict=True)]

    return np.array([[highest[a, b].max() for b in modes(neg_mean, n_neg)] for a in modes(pos_mean, n_pos)])


def square_bound(n_pos, n_neg, pos_mean, neg_mean, least_mass):
    """Closed bound of the expected HSIC of all admitted supergraphs.

    E a^2 <= A + A^2 (1 - 1/p) makes the bound convex along both axes and along A + B = least_mass, so that
    its maximum over the admissible region is at a corner.
    """

    def expected_square(a, b):
        pos = n_neg**2 * (a + a * a * (1 - 1 / n_pos))
        return pos + n_pos**2 * (b + b * b * (1 - 1 / n_neg)) - 2 * n_pos * n_neg * a * b

    corners = [
        (pos_mean, neg_mean),
        (pos_mean, max(0.0, least_mass - pos_mean)),
        (max(0.0, least_mass - neg_mean), neg_mean),
    ]
    n = n_pos + n_neg
    return max(expected_square(a, b) for a, b in corners) / (float(n - 1) ** 2 * float(n) ** 2)
