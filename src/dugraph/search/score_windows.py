"""A named score without a table of all supports: parts of it, when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dugraph.probability.scores import (
    LEVEL_TOLERANCE,
    Score,
    ScoreTable,
    check_score_cap,
    merged_levels,
    score_table,
)
from dugraph.search.core import ScoreName, largest_score, level_start, score_edges, score_values
from dugraph.search.goals import compiled_score, needs_table


@dataclass(frozen=True)
class ScoreWindows:
    """A compiled score of two classes.

    Attributes
    ----------
    name : ScoreName
    n_pos, n_neg : int
    score_cap : float or None
    """

    name: ScoreName
    n_pos: int
    n_neg: int
    score_cap: float | None

    @cached_property
    def largest(self) -> float:
        """The largest score, which is the cap where scores are infinite."""
        return largest_score(self.name, self.n_pos, self.n_neg, self.score_cap)

    def within(self, pos: slice, neg: slice) -> ScoreTable:
        """The table for these supports; scores are merged into levels among themselves."""
        ranges = (pos.start, pos.stop), (neg.start, neg.stop)
        values = score_values(self.name, self.n_pos, self.n_neg, *ranges)
        return merged_levels(np.minimum(values, self.largest), LEVEL_TOLERANCE * self.largest)

    def level_start(self, least: float) -> float:
        """The lowest score that is one level with the smallest score that is at least `least` (rule 3)."""
        return level_start(self.name, self.n_pos, self.n_neg, self.score_cap, least)

    def edges(self, least: float, pos: slice, neg: slice) -> NDArray[np.int64]:
        """Which of these supports have a score of at least `least`, shape (2, len(pos)).

        For each support of the positive class: those of the negative class before the first number, and from
        the second on. No score is asked for but along these edges.
        """
        ranges = (pos.start, pos.stop), (neg.start, neg.stop)
        return score_edges(self.name, self.n_pos, self.n_neg, self.score_cap, least, *ranges)


def scores_of(
    score: Score, n_pos: int, n_neg: int, score_cap: float | None = None
) -> ScoreTable | ScoreWindows:
    """A table of the score, or, where that would be large and the score is compiled, windows of it."""
    name = compiled_score(score)
    if name is None or needs_table(score, n_pos, n_neg):
        return score_table(score, n_pos, n_neg, score_cap)
    cap = None if score_cap is None else check_score_cap(score_cap, 0.0)
    return ScoreWindows(name, n_pos, n_neg, cap)
