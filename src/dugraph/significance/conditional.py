"""Relabelings given covariates: labels move as likely as the covariates let them.

The conditional permutation test (Berrett, Wang, Barber and Samworth, 2020) draws a relabeling with a
probability proportional to that of its labels given the covariates. Where patients are older, old subjects
keep being called patients more often, so that what age does to the graphs does it to every relabeling as
well.

The model says how likely two units u, v of a cell are to have their labels a, b this way round and not
swapped: the log odds are (a - b)' B' (z_u - z_v). It holds for logistic, multinomial-logistic and normal
linear models of y given the covariates z, with any intercept per cell, since intercepts cancel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dugraph.significance.design import Design
from dugraph.significance.random_streams import MATCHING, RELABELING, stream, streams

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

N_STEPS = 50
"""Rounds of swaps between two draws. Draws are exchangeable for any number; more make them less alike."""
_MOST_PAIRS = 200_000
_RIDGE = 0.01  # keeps the slopes finite where covariates separate the labels; next to nothing otherwise
_ROWS = 128  # relabelings drawn at a time


class ConditionalRelabelings:
    """Relabelings whose probability follows the covariates.

    A walk leads from the observed labels to a hub, and from there one walk of its own to each relabeling.
    Every step is reversible, so the hub sees the observed labels as one more relabeling, whatever the number
    of steps. The pairs that may swap in a step are the same for all walks, in reverse order on the way to the
    hub.
    """

    def __init__(self, design: Design, random_state: int) -> None:
        self._codes, self._random_state = design.units.codes, random_state
        spread = design.values[self._codes].std(axis=0)
        self._values = design.values / np.where(spread > 0, spread, 1.0)
        covariates = _unit_covariates(design)
        slopes = pairwise_slopes(self._values[self._codes], covariates, design.units.cells)
        self._lean = covariates @ slopes
        self._steps = [_matching(design.units.cells, random_state, k) for k in range(N_STEPS)]
        self._hub = self._walk(self._codes[None], self._steps[::-1], [0])[0]

    def codes(self, begin: int, end: int) -> Ints:
        """The labels of all units in relabelings begin to end - 1; number 0 is the observed one."""
        parts = [self._codes[None]] if begin == 0 < end else []
        for first in range(max(begin, 1), end, _ROWS):
            numbers = range(first, min(first + _ROWS, end))
            parts.append(self._walk(np.repeat(self._hub[None], len(numbers), axis=0), self._steps, numbers))
        return np.concatenate(parts)

    def _walk(self, codes: Ints, steps: list[Ints], numbers: range | list[int]) -> Ints:
        codes = codes.copy()
        shape = N_STEPS, steps[0].shape[1]
        random = streams(self._random_state, RELABELING, numbers)
        chance = np.array([one.random(shape) for one in random])
        for k, (one, other) in enumerate(steps):
            here, there = codes[:, one], codes[:, other]
            lean = ((self._values[here] - self._values[there]) * (self._lean[one] - self._lean[other])).sum(
                axis=2
            )
            swap = chance[:, k] < expit(-lean)
            codes[:, one], codes[:, other] = np.where(swap, there, here), np.where(swap, here, there)
        return codes


def pairwise_slopes(labels: Floats, covariates: Floats, cells: Ints) -> Floats:
    """The slopes B of the log odds, shape (n_covariates, n_contrasts), by pairwise conditional likelihood.

    Every pair of units of a cell with different labels is one observation of the model above, weighted such
    that all together count as much as there are units. Newton's method; the small ridge makes the maximum
    unique.
    """
    one, other = _pairs(cells)
    difference = labels[one] - labels[other]
    differs = (difference != 0).any(axis=1)
    gap = (covariates[one] - covariates[other])[differs]
    rows = (gap[:, :, None] * difference[differs][:, None, :]).reshape(len(gap), -1)
    weight = len(cells) / len(rows)
    slopes = np.zeros(rows.shape[1])
    for _ in range(100):
        swapped = expit(-rows @ slopes)
        gradient = weight * swapped @ rows - _RIDGE * slopes
        curvature = weight * (rows * (swapped * (1 - swapped))[:, None]).T @ rows + _RIDGE * np.eye(
            len(slopes)
        )
        step = np.linalg.solve(curvature, gradient)
        # Far from the maximum the curvature is flat and a full step would overshoot.
        slopes = slopes + step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-8:
            break
    return slopes.reshape(covariates.shape[1], labels.shape[1])


def _pairs(cells: Ints) -> tuple[Ints, Ints]:
    """All pairs of units of a cell; in large cohorts those at the smallest distances in a sorted circle."""
    members = [np.flatnonzero(cells == cell) for cell in range(cells.max() + 1)]
    furthest = max(1, _MOST_PAIRS // len(cells))
    ones, others = [], []
    for inside in members:
        for distance in range(1, min(len(inside) // 2, furthest) + 1):
            half = 2 * distance == len(inside)  # each of these pairs would come twice
            ones.append(inside[: distance if half else None])
            others.append(np.roll(inside, -distance)[: distance if half else None])
    return np.concatenate(ones), np.concatenate(others)


def _matching(cells: Ints, random_state: int, step: int) -> Ints:
    """Disjoint random pairs of units of the same cell, shape (2, n_pairs)."""
    order = np.lexsort((stream(random_state, MATCHING, step).random(len(cells)), cells))
    ordered = cells[order]
    position = np.arange(len(cells)) - np.searchsorted(ordered, ordered)
    first = np.flatnonzero((position % 2 == 0) & np.append(ordered[1:] == ordered[:-1], False))
    return np.array([order[first], order[first + 1]])


def _unit_covariates(design: Design) -> Floats:
    """The covariates of each unit, of variance about one: a graph's own, or the mean over a block."""
    of_graph, inside = design.units.of_graph, design.informative
    sizes = np.bincount(of_graph[inside])
    sums = [np.bincount(of_graph[inside], column[inside]) for column in design.basis.T]
    return np.asarray(np.sqrt(inside.sum()) * (np.array(sums) / sizes).T)
