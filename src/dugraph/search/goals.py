"""Goals of a search for the core, from a score and a measure.

A score is a table over supports or, where that would be large, a compiled function that is evaluated where it
is needed. Both give the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import Score, check_score_cap, check_score_name, level_table, score_values
from dugraph.search.core import Goal, ScoreName
from dugraph.search.core import score_values as compiled_values
from dugraph.words import FREQUENCY

MOST_CELLS = 2**20
"""Most pairs of supports in a table of a named score; larger tables cost more than they save."""


class _Ways(Protocol):
    """Makes the goal of each measure."""

    def expectation(self) -> Goal: ...
    def phi_probability(self, phi: float | None) -> Goal: ...
    def quantile(self, quantile: float) -> Goal: ...
    def mode(self) -> Goal: ...


def class_goal(
    positive: NDArray[np.bool_],
    score: Score,
    measure: str,
    score_cap: float | None,
    phi: float | None,
    quantile: float,
) -> Goal:
    """Make the goal for a measure of a score of two classes, from valid arguments.

    Parameters
    ----------
    positive : ndarray of bool, shape (n_graphs,)
        In canonical order.
    score, measure, score_cap, phi, quantile
        As for `mine_subgraphs`; the median is the quantile .5.
    """
    if measure == FREQUENCY:
        return Goal.frequency()
    n_pos = int(positive.sum())
    classes = np.ascontiguousarray(positive, dtype=np.uint8)
    by_table = needs_table(score, n_pos, len(positive) - n_pos)
    way: _Ways = (_ByTable if by_table else _ByName)(classes, score, score_cap)
    goals: dict[str, Callable[[], Goal]] = {
        "expectation": way.expectation,
        "median": lambda: way.quantile(0.5),
        "quantile": lambda: way.quantile(quantile),
        "mode": lambda: way.mode(),
        "phi_probability": lambda: way.phi_probability(phi),
    }
    return goals[measure]()


def needs_table(score: Score, n_pos: int, n_neg: int) -> bool:
    """Whether a search tabulates this score for all supports of classes of these sizes."""
    return compiled_score(score) is None or (n_pos + 1) * (n_neg + 1) <= MOST_CELLS


def squared_goal(weights: NDArray[np.float64], scale: float) -> Goal:
    """Make the goal of squared weighted counts, HSIC of any phenotype; weights in canonical order."""
    return Goal.squared_counts(weights, scale)


def compiled_score(score: Score) -> ScoreName | None:
    """The compiled function of that name, if there is one."""
    return getattr(ScoreName, check_score_name(score), None) if isinstance(score, str) else None


def _least_score(phi: float | None) -> float:
    """phi with the tolerance of rule 8."""
    assert phi is not None
    return phi - JUMP_TOLERANCE * max(1.0, abs(phi))


class _ByTable(NamedTuple):
    """A score as a table."""

    classes: NDArray[np.uint8]
    score: Score
    score_cap: float | None

    def expectation(self) -> Goal:
        levels, level_of = self._levels(merge=False)  # an average needs no scores to be equal
        return Goal.expectation(
            self.classes, level_of, levels, square_scale=self._square_scale(float(levels[-1]))
        )

    def phi_probability(self, phi: float | None) -> Goal:
        levels, level_of = self._levels()
        first_level = int(np.searchsorted(levels, _least_score(phi)))
        return Goal.phi_probability(self.classes, level_of, levels, first_level=first_level)

    def quantile(self, quantile: float) -> Goal:
        levels, level_of = self._levels()
        return Goal.quantile(self.classes, level_of, levels, quantile=quantile)

    def mode(self) -> Goal:
        levels, level_of = self._levels()
        return Goal.mode(self.classes, level_of, levels)

    def _levels(self, merge: bool = True) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        n_pos, n_neg = self._sizes()
        name = compiled_score(self.score)
        values = (
            score_values(self.score, n_pos, n_neg) if name is None else compiled_values(name, n_pos, n_neg)
        )
        table = level_table(values, self.score_cap, merge=merge)
        return table.levels, table.level_of

    def _square_scale(self, largest: float) -> float:
        """HSIC is a square of supports and has a closed expectation, unless a cap cuts it off."""
        if compiled_score(self.score) != ScoreName.hsic:
            return 0.0
        n_pos, n_neg = self._sizes()
        n = float(n_pos + n_neg)
        scale = 1.0 / ((n - 1) ** 2 * n**2)
        return scale if math.isclose(largest, scale * (n_pos * n_neg) ** 2, rel_tol=1e-12) else 0.0

    def _sizes(self) -> tuple[int, int]:
        n_pos = int(self.classes.sum())
        return n_pos, len(self.classes) - n_pos


class _ByName:
    """A compiled score, without a table."""

    def __init__(self, classes: NDArray[np.uint8], score: Score, score_cap: float | None) -> None:
        name = compiled_score(score)
        assert name is not None
        # The lowest value of a named score is 0.
        cap = None if score_cap is None else check_score_cap(score_cap, 0.0)
        self._named = (classes, name, cap)

    def expectation(self) -> Goal:
        return Goal.named_expectation(*self._named)

    def phi_probability(self, phi: float | None) -> Goal:
        return Goal.named_phi_probability(*self._named, least=_least_score(phi))

    def quantile(self, quantile: float) -> Goal:
        return Goal.named_quantile(*self._named, quantile=quantile)

    def mode(self) -> Goal:
        return Goal.named_mode(*self._named)
