"""Relabelings: how many distinct ones there are, all of them where they are few, random ones otherwise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError, Setting
from dugraph.significance.conditional import ConditionalRelabelings
from dugraph.significance.design import Design
from dugraph.significance.random_streams import RELABELING, streams
from dugraph.significance.units import Units
from dugraph.significance.wording import LABELS

Ints = NDArray[np.int64]


def count_distinct(units: Units) -> int:
    """The number of distinct relabelings: the product over cells of multinomial coefficients."""
    total = 1
    for cell in range(units.n_cells):
        sizes = np.bincount(units.codes[units.cells == cell]).tolist()
        total *= math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
    return total


class Relabelings:
    """The relabelings of one test, number 0 being the observed labels.

    All distinct ones if there are no more than asked for and no covariates; otherwise random ones, each a
    pure function of (random_state, its number). Given covariates, these are conditional on them.

    Parameters
    ----------
    design : Design
    n_permutations : int
        Random relabelings besides the observed one.
    random_state : int
    """

    def __init__(self, design: Design, n_permutations: int, random_state: int) -> None:
        self.n_distinct = count_distinct(design.units)
        self.exact = not design.adjusted and self.n_distinct <= n_permutations + 1
        self._units, self._random_state = design.units, random_state
        self._all = all_relabelings(design.units) if self.exact else None
        self._conditional = ConditionalRelabelings(design, random_state) if design.adjusted else None
        self.n_relabelings = self.n_distinct if self.exact else n_permutations + 1

    def __len__(self) -> int:
        return self.n_relabelings

    def codes(self, begin: int, end: int) -> Ints:
        """The labels of all units in relabelings begin to end - 1, shape (end - begin, n_units)."""
        if self._all is not None:
            return self._all[begin:end]
        if self._conditional is not None:
            return self._conditional.codes(begin, end)
        return _shuffled(self._units, self._random_state, range(begin, end))


def _shuffled(units: Units, random_state: int, numbers: range) -> Ints:
    """The observed labels as number 0, and random ones."""
    n_units = units.n_units
    random = streams(random_state, RELABELING, numbers)
    keys = np.array([one.random(n_units) for one in random]).reshape(len(numbers), n_units)
    shuffled = np.empty((len(numbers), n_units), dtype=units.codes.dtype)
    # Sorted by cell both sides agree cell by cell; by random keys within it, labels fall anywhere in theirs.
    order = np.argsort(keys + units.cells, axis=1, kind="stable")
    shuffled[:, np.argsort(units.cells, kind="stable")] = units.codes[order]
    shuffled[[r == 0 for r in numbers]] = units.codes
    return shuffled


def all_relabelings(units: Units) -> Ints:
    """Every distinct relabeling once, the observed one first."""
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


def check_alpha_reachable(alpha: float, n_classes: int, n_relabelings: int, n_distinct: int) -> None:
    """Refuse a test that cannot reject whatever the graphs are: its smallest p-value is K / (B + 1)."""
    smallest = n_classes / n_relabelings
    if smallest <= alpha * (1 + 1e-12):
        return
    needed = math.ceil(n_classes / alpha * (1 - 1e-12))
    if n_distinct < needed:
        raise InputError(
            f"alpha = {alpha:g} cannot be reached: the labels have {n_distinct:,} distinct relabelings "
            f"within blocks, and {n_classes} size classes share alpha, so no p-value is below "
            f"{n_classes / n_distinct:.3g}.",
            parameter="alpha",
            way_out=("Use coarser blocks, fewer ", Setting("size_classes"), ", or more graphs."),
        )
    raise InputError(
        f"alpha = {alpha:g} cannot be reached: with {n_relabelings - 1} permutations and {n_classes} size "
        f"classes no p-value is below {smallest:.3g}.",
        parameter="alpha",
        way_out=("Use ", Setting("n_permutations"), f" of at least {needed - 1}."),
    )


def check_labels_move(codes: Ints, alpha: float, n_classes: int) -> None:
    """Refuse covariates that nearly determine y: too many relabelings then repeat the observed labels."""
    same = int((codes == codes[0]).all(axis=1).sum())
    if same * n_classes > alpha * len(codes) * (1 + 1e-12):
        raise InputError(
            (
                *("The covariates nearly determine ", LABELS),
                f": {same:,} of {len(codes):,} relabelings that respect them leave all labels in place, so "
                f"no p-value is below {min(1.0, n_classes * same / len(codes)):.3g}.",
            ),
            parameter="covariates",
            way_out=("Leave out the covariate that repeats ", LABELS, "."),
        )
