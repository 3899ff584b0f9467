"""The objective of a search: a score and a measure as a goal of the core, together with the graphs.

A score is a table by supports, except for the expected HSIC, which has a closed form in weights of the
graphs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import Score, check_score_cap, check_score_name, level_table, score_values
from dugraph.search.canonical import CanonicalGraphs
from dugraph.search.core import Goal, Prepared, ScoreName
from dugraph.search.core import score_values as compiled_values
from dugraph.words import FREQUENCY


@dataclass(frozen=True)
class SearchProblem:
    """The constant arguments of all parts of a search, sent to each worker once.

    `make_goal` returns the core's goal, which cannot be pickled.
    """

    graphs: CanonicalGraphs
    min_expected_frequency: float
    make_goal: Callable[[], Goal]
    max_edges: int
    bound: str
    n_threads: int

    @cached_property
    def _compiled(self) -> tuple[Prepared, Goal]:
        return self.graphs.prepared(self.min_expected_frequency), self.make_goal()

    def compiled(self) -> tuple[Prepared, Goal]:
        """The core's objects, made at the first call and shared by all parts in this process."""
        with _COMPILING:  # a worker may run two parts at once
            return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in self.__dataclass_fields__}


_COMPILING = threading.Lock()


def class_goal(
    positive: NDArray[np.bool_],
    score: Score,
    measure: str,
    score_cap: float | None,
    phi: float | None,
    quantile: float,
) -> Goal:
    """Make the goal of two classes from valid arguments of `mine_subgraphs`, graphs in canonical order."""
    if measure == FREQUENCY:
        return Goal.frequency()
    n_pos = int(positive.sum())
    n_neg = len(positive) - n_pos
    classes = np.ascontiguousarray(positive, dtype=np.uint8)
    if measure == "expectation" and has_closed_form(score, score_cap, n_pos, n_neg):
        weights = np.where(positive, float(n_neg), -float(n_pos))[None]
        return Goal.squared_counts(weights, _hsic_scale(n_pos, n_neg), classes)
    name = compiled_score(score)
    values = score_values(score, n_pos, n_neg) if name is None else compiled_values(name, n_pos, n_neg)
    # For an average it does not matter which scores are equal.
    table = level_table(values, score_cap, merge=measure != "expectation")
    tabulated = (classes, table.level_of, table.levels)
    if measure == "expectation":
        return Goal.expectation(*tabulated)
    if measure == "phi_probability":
        assert phi is not None
        least = phi - JUMP_TOLERANCE * max(1.0, abs(phi))  # rule 8
        return Goal.phi_probability(*tabulated, first_level=int(np.searchsorted(table.levels, least)))
    if measure == "mode":
        return Goal.mode(*tabulated)
    quantiles = {"median": 0.5, "quantile": quantile}
    return Goal.quantile(*tabulated, quantile=quantiles[measure])


def has_closed_form(score: Score, score_cap: float | None, n_pos: int, n_neg: int) -> bool:
    """Whether the expectation of a score needs no table: that of HSIC, unless a cap cuts it off."""
    if compiled_score(score) != ScoreName.hsic:
        return False
    largest = _hsic_scale(n_pos, n_neg) * (float(n_pos) * n_neg) ** 2
    return score_cap is None or check_score_cap(score_cap, 0.0) >= largest * (1 - 1e-12)


def _hsic_scale(n_pos: int, n_neg: int) -> float:
    """HSIC is this times the square of a n_neg - b n_pos."""
    n = float(n_pos + n_neg)
    return 1.0 / ((n - 1) ** 2 * n**2)


def compiled_score(score: Score) -> ScoreName | None:
    """The compiled function with that name, or None."""
    return getattr(ScoreName, check_score_name(score), None) if isinstance(score, str) else None
