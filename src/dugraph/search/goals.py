"""What to look for, in the core's terms: a score's table and a measure become a goal."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import Score, ScoreTable, check_score_name, score_table
from dugraph.search.core import Goal
from dugraph.words import FREQUENCY


def class_goal(
    positive: NDArray[np.bool_],
    score: Score,
    measure: str,
    score_cap: float | None,
    phi: float | None,
    quantile: float,
) -> Goal:
    """Make the goal of a measure of a score of two classes; the words have been checked.

    Parameters
    ----------
    positive : ndarray of bool, shape (n_graphs,)
        In canonical order.
    score, measure, score_cap, phi, quantile
        As for `mine_subgraphs`; the median is the quantile .5.
    """
    if measure == FREQUENCY:  # which no score enters
        return Goal.frequency()
    n_pos = int(positive.sum())
    n_neg = len(positive) - n_pos
    table = score_table(score, n_pos, n_neg, score_cap)
    arrays = (np.ascontiguousarray(positive, dtype=np.uint8), table.level_of, table.levels)
    goals: dict[str, Callable[[], Goal]] = {
        "expectation": lambda: Goal.expectation(
            *arrays, square_scale=_square_scale(score, table, n_pos, n_neg)
        ),
        "median": lambda: Goal.quantile(*arrays, quantile=0.5),
        "quantile": lambda: Goal.quantile(*arrays, quantile=quantile),
        "mode": lambda: Goal.mode(*arrays),
        "phi_probability": lambda: Goal.phi_probability(*arrays, first_level=_first_level(table, phi)),
    }
    return goals[measure]()


def squared_goal(weights: NDArray[np.float64], scale: float) -> Goal:
    """Make the goal of squared weighted counts, HSIC of any phenotype; weights in canonical order."""
    return Goal.squared_counts(weights, scale)


def _first_level(table: ScoreTable, phi: float | None) -> int:
    assert phi is not None
    return int(np.searchsorted(table.levels, phi - JUMP_TOLERANCE * max(1.0, abs(phi))))


def _square_scale(score: Score, table: ScoreTable, n_pos: int, n_neg: int) -> float:
    """HSIC is a square of supports and has a closed expectation, unless a cap cuts it off."""
    if not isinstance(score, str) or check_score_name(score) != "hsic":
        return 0.0
    n = float(n_pos + n_neg)
    scale = 1.0 / ((n - 1) ** 2 * n**2)
    whole = math.isclose(table.levels[-1], scale * (n_pos * n_neg) ** 2, rel_tol=1e-12)
    return scale if whole else 0.0
