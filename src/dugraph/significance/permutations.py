"""Permutations of the labels: all of them if there are few, otherwise random ones.

Random numbers are a pure function of (random_state, index), so that any range of permutations can be drawn
anywhere.

Given covariates, permutations are drawn with their probability given the covariates: the conditional
permutation test (Berrett, Wang, Barber and Samworth, 2020). Where patients are older, old participants are
labelled patients more often, so that the effect of age on the graphs is in every permutation as well. The
model gives the log odds that two units u, v of a cell have their labels a, b this way round and not swapped:
(a - b)' B' (z_u - z_v). It holds for logistic, multinomial-logistic and normal linear models of y given the
covariates z, with any intercept per cell, since intercepts cancel.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dugraph.exceptions import InputError, Setting
from dugraph.significance.design import LABELS, Design, Units

PERMUTATION, MATCHING, BOOTSTRAP, SPLIT, PILOT = range(5)
"""The purposes of random numbers; each has streams of its own."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
N_STEPS = 50
"""Rounds of swaps between two draws. Draws are exchangeable for any number; more make them less alike."""
_MOST_PAIRS = 200_000
_RIDGE = 0.01  # keeps the slopes finite where covariates separate the labels; next to nothing otherwise
_ROWS = 128  # permutations drawn at a time


def streams(random_state: int, purpose: int, numbers: Iterable[int]) -> Iterator[np.random.Generator]:
    """One generator for each number; streams of a counter-based generator never overlap.

    A generator is valid until the next one is requested.
    """
    bits = np.random.Philox(key=[random_state, purpose])
    generator, state = np.random.Generator(bits), bits.state
    for number in numbers:
        state["state"]["counter"][:] = 0, 0, number, 0
        bits.state = state  # much faster than a new generator
        yield generator


def stream(random_state: int, purpose: int, number: int) -> np.random.Generator:
    """The generator for one number."""
    return next(streams(random_state, purpose, [number]))


class ConditionalPermutations:
    """Permutations drawn with their probability given the covariates.

    A chain of random swaps leads from the observed labels to a hub, and separate chains lead from the hub to
    the permutations. Every step is reversible, so the observed labels and the permutations are exchangeable
    for any number of steps. The pairs that may swap in a step are the same for all chains, in reverse order
    on the way to the hub.
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
        """The labels of all units in permutations begin to end - 1; number 0 is the observed one."""
        parts = [self._codes[None]] if begin == 0 < end else []
        for first in range(max(begin, 1), end, _ROWS):
            numbers = range(first, min(first + _ROWS, end))
            parts.append(self._walk(np.repeat(self._hub[None], len(numbers), axis=0), self._steps, numbers))
        return np.concatenate(parts)

    def _walk(self, codes: Ints, steps: list[Ints], numbers: range | list[int]) -> Ints:
        codes = codes.copy()
        shape = N_STEPS, steps[0].shape[1]
        random = streams(self._random_state, PERMUTATION, numbers)
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


def count_distinct(units: Units) -> int:
    """The number of distinct permutations: the product over cells of multinomial coefficients."""
    total = 1
    for cell in range(units.n_cells):
        sizes = np.bincount(units.codes[units.cells == cell]).tolist()
        total *= math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
    return total


class Permutations:
    """The permutations of one test; number 0 is the observed labels.

    They are all distinct ones if there are no more than requested and no covariates; otherwise random ones,
    each a pure function of (random_state, its number). Given covariates, these are conditional on them.
    """

    def __init__(self, design: Design, n_permutations: int, random_state: int) -> None:
        self.n_distinct = count_distinct(design.units)
        self.exact = not design.adjusted and self.n_distinct <= n_permutations + 1
        self._units, self._random_state = design.units, random_state
        self._all = all_permutations(design.units) if self.exact else None
        self._conditional = ConditionalPermutations(design, random_state) if design.adjusted else None
        self.n_permutations = self.n_distinct if self.exact else n_permutations + 1

    def __len__(self) -> int:
        return self.n_permutations

    def codes(self, begin: int, end: int) -> Ints:
        """The labels of all units in permutations begin to end - 1, shape (end - begin, n_units)."""
        if self._all is not None:
            return self._all[begin:end]
        if self._conditional is not None:
            return self._conditional.codes(begin, end)
        return _shuffled(self._units, self._random_state, range(begin, end))


def _shuffled(units: Units, random_state: int, numbers: range) -> Ints:
    """The observed labels as number 0, and random ones."""
    n_units = units.n_units
    random = streams(random_state, PERMUTATION, numbers)
    keys = np.array([one.random(n_units) for one in random]).reshape(len(numbers), n_units)
    shuffled = np.empty((len(numbers), n_units), dtype=units.codes.dtype)
    # Sorted by cell both sides agree cell by cell; by random keys within it, labels fall anywhere in theirs.
    order = np.argsort(keys + units.cells, axis=1, kind="stable")
    shuffled[:, np.argsort(units.cells, kind="stable")] = units.codes[order]
    shuffled[[r == 0 for r in numbers]] = units.codes
    return shuffled


def all_permutations(units: Units) -> Ints:
    """Every distinct permutation once, the observed one first."""
    members = [np.flatnonzero(units.cells == cell) for cell in range(units.n_cells)]
    choices = [list(_arrangements(sorted(units.codes[inside].tolist()))) for inside in members]
    rows = []
    for chosen in itertools.product(*choices):
        row = np.empty_like(units.codes)
        for inside, labels in zip(members, chosen, strict=True):
            row[inside] = labels
        rows.append(row)
    table = np.array(rows)
    observed = int(np.flatnonzero((table == units.codes).all(axis=1))[0])
    return np.concatenate([table[observed : observed + 1], np.delete(table, observed, axis=0)])


def _arrangements(labels: list[int]) -> Iterator[tuple[int, ...]]:
    """All distinct orders of labels that come sorted."""
    if not labels:
        yield ()
    for k, label in enumerate(labels):
        if k == 0 or label != labels[k - 1]:
            for rest in _arrangements(labels[:k] + labels[k + 1 :]):
                yield (label, *rest)


def check_alpha_reachable(alpha: float, n_classes: int, n_permutations: int, n_distinct: int) -> None:
    """Refuse a test that cannot reject whatever the graphs are: its smallest p-value is K / (B + 1)."""
    smallest = n_classes / n_permutations
    if smallest <= alpha * (1 + 1e-12):
        return
    needed = math.ceil(n_classes / alpha * (1 - 1e-12))
    if n_distinct < needed:
        raise InputError(
            f"alpha = {alpha:g} cannot be reached: the labels have {n_distinct:,} distinct permutations "
            f"within blocks, and {n_classes} size classes share alpha, so no p-value is below "
            f"{n_classes / n_distinct:.3g}.",
            parameter="alpha",
            way_out=("Use coarser blocks, fewer ", Setting("size_classes"), ", or more graphs."),
        )
    raise InputError(
        f"alpha = {alpha:g} cannot be reached: with {n_permutations - 1} permutations and {n_classes} size "
        f"classes no p-value is below {smallest:.3g}.",
        parameter="alpha",
        way_out=("Use ", Setting("n_permutations"), f" of at least {needed - 1}."),
    )


def check_labels_move(codes: Ints, alpha: float, n_classes: int) -> None:
    """Refuse covariates that nearly determine y: too many permutations then repeat the observed labels."""
    same = int((codes == codes[0]).all(axis=1).sum())
    if same * n_classes > alpha * len(codes) * (1 + 1e-12):
        raise InputError(
            (
                *("The covariates nearly determine ", LABELS),
                f": {same:,} of {len(codes):,} permutations that respect them leave all labels in place, so "
                f"no p-value is below {min(1.0, n_classes * same / len(codes)):.3g}.",
            ),
            parameter="covariates",
            way_out=("Leave out the covariate that repeats ", LABELS, "."),
        )
