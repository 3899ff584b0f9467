"""Translate a score and a measure into a goal of the core.

A score is a table by supports, except for the expected HSIC, which has a closed form in weights of the
graphs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import Score, check_score_cap, check_score_name, level_table, score_values
from dugraph.search.core import Goal, ScoreName
from dugraph.search.core import score_values as compiled_values
from dugraph.words import FREQUENCY


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
    n_neg = len(positive) - n_pos
    classes = np.ascontiguousarray(positive, dtype=np.uint8)
    if measure == "expectation" and has_closed_form(score, score_cap, n_pos, n_neg):
        weights = np.where(positive, float(n_neg), -float(n_pos))[None]
        return Goal.squared_counts(weights, _hsic_scale(n_pos, n_neg), classes)
    name = compiled_score(score)
    values = score_values(score, n_pos, n_neg) if name is None else compiled_values(name, n_pos, n_neg)
    # An average needs no scores to be equal.
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
    """The compiled function of that name, if there is one."""
    return getattr(ScoreName, check_score_name(score), None) if isinstance(score, str) else None
