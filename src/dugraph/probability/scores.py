"""The score functions f(n_pos_g, n_neg_g, n_pos, n_neg) and their table of levels.

Every score depends on the two supports only, so it is tabulated once per fit on the grid of all supports.
The paper's Table 2 gives confidence, frequency ratio, G-test and HSIC; the others are added.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.exceptions import InputError, Spoken
from dugraph.words import DEFAULT_PHI as DEFAULT_PHI

Floats = NDArray[np.float64]
ScoreFunction = Callable[[Floats, Floats, int, int], ArrayLike]
Score = str | ScoreFunction

# Values of the table that are closer than this share of the largest are one level (rule 3).
LEVEL_TOLERANCE = 1e-12
# Infinite scores become this, unless a finite score is larger (rule 1).
SMALLEST_DEFAULT_CAP = 1000.0
_DEFAULT_CAP = (Spoken("Use None", "Leave it out"), " for the default.")


def confidence(a: Floats, b: Floats, p: int, q: int) -> Floats:
    """a / (a + b); 0 when no graph contains the subgraph."""
    return np.divide(a, a + b, out=np.zeros_like(a), where=a + b > 0)


def frequency_ratio(a: Floats, b: Floats, p: int, q: int) -> Floats:
    """|ln(aq / (bp))|; 0 when no graph contains the subgraph, infinite when it is absent from one class."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.log(a * q) - np.log(b * p))
    return np.where((a == 0) & (b == 0), 0.0, ratio)


def g_test(a: Floats, b: Floats, p: int, q: int) -> Floats:
    """2a ln(aq/(bp)) + 2(p-a) ln(q(p-a)/(p(q-b))) with 0 ln 0 = 0; infinite where a divisor is 0."""
    return np.asarray(2 * p * (_rel_entr(a / p, b / q) + _rel_entr((p - a) / p, (q - b) / q)))


def hsic(a: Floats, b: Floats, p: int, q: int) -> Floats:
    """(aq - bp)^2 / ((N-1)^2 N^2): the linear-kernel Hilbert-Schmidt independence criterion."""
    n = p + q
    return (a * q - b * p) ** 2 / (float(n - 1) ** 2 * float(n) ** 2)


def information_gain(a: Floats, b: Floats, p: int, q: int) -> Floats:
    """Class entropy minus conditional entropy given the presence of the subgraph, in nats."""
    n = p + q
    presence = (a + b) / n
    joint = ((a, p * presence), (b, q * presence), (p - a, p * (1 - presence)), (q - b, q * (1 - presence)))
    terms = (_rel_entr(observed / n, independent / n) for observed, independent in joint)
    return sum(terms, np.zeros_like(a))


def odds_ratio(a: Floats, b: Floats, p: int, q: int) -> Floats:
    """(a + 1/2)(q - b + 1/2) / ((b + 1/2)(p - a + 1/2)): Haldane's odds ratio, which is above 0."""
    return (a + 0.5) * (q - b + 0.5) / ((b + 0.5) * (p - a + 0.5))


def _rel_entr(x: Floats, y: Floats) -> Floats:
    """x ln(x / y) with 0 ln 0 = 0."""
    from scipy.special import rel_entr  # slow to import, and rarely needed by searches

    return np.asarray(rel_entr(x, y))


# The functions above, in the order of `words.DEFAULT_PHI`.
SCORES: dict[str, ScoreFunction] = {name: globals()[name] for name in DEFAULT_PHI}
"""The named scores: functions f(a, b, p, q) of arrays of supports and of the sizes of the classes."""
ONE_SIDED = ("confidence", "odds_ratio")
"""Scores that are large only for subgraphs of the positive class, so the choice of that class matters."""


@dataclass(frozen=True)
class ScoreTable:
    """A score on the grid of supports: its levels, ascending, and the level of each pair of supports."""

    levels: Floats
    level_of: NDArray[np.int32]

    @property
    def values(self) -> Floats:
        """The score of every pair of supports, shape (n_pos + 1, n_neg + 1)."""
        return np.asarray(self.levels[self.level_of])

    @property
    def largest(self) -> float:
        """The highest level."""
        return float(self.levels[-1])

    def within(self, pos: slice, neg: slice) -> ScoreTable:
        """The part of the table for these supports."""
        return ScoreTable(self.levels, self.level_of[pos, neg])


def score_table(score: Score, n_pos: int, n_neg: int, score_cap: float | None = None) -> ScoreTable:
    """Tabulate a score, cap its infinities (rule 1) and merge equal levels (rule 3)."""
    return level_table(score_values(score, n_pos, n_neg), score_cap)


def level_table(values: Floats, score_cap: float | None = None, *, merge: bool = True) -> ScoreTable:
    """The levels of a table of scores; without merging, each different score is a level."""
    capped = np.minimum(values, _cap(values, score_cap))
    largest = max(abs(float(capped.min())), abs(float(capped.max())))
    return merged_levels(capped, LEVEL_TOLERANCE * largest if merge else 0.0)


def merged_levels(values: Floats, tolerance: float) -> ScoreTable:
    """Sort scores into levels; those that are closer than the tolerance are one."""
    order = np.argsort(values, axis=None)
    ascending = values.ravel()[order]
    steps = np.diff(ascending)
    is_last_of_level = np.append((steps > 0) & (steps >= tolerance), True)
    level_of = np.empty(values.size, dtype=np.int32)
    level_of[order] = np.cumsum(is_last_of_level) - is_last_of_level
    return ScoreTable(ascending[is_last_of_level] + 0.0, level_of.reshape(values.shape))


def default_phi(score: Score, phi: float | None) -> float:
    """Return the given phi, or the default of the score; a callable has no default."""
    if phi is not None:
        if not isinstance(phi, numbers.Real) or not math.isfinite(phi):
            raise InputError(
                f"phi must be a finite number, but is {phi!r}. Give the score that counts as discriminative.",
                parameter="phi",
            )
        return float(phi)
    if isinstance(score, str):
        return DEFAULT_PHI[check_score_name(score)]
    raise InputError(
        "Your own score function has no default phi, but phi is None. Give phi=...", parameter="phi"
    )


def check_score_name(score: str) -> str:
    """Return the name; raise InputError unless it is a score."""
    if score not in SCORES:
        raise InputError(
            f"score must be one of {', '.join(SCORES)} or a function f(a, b, p, q), but is {score!r}.",
            parameter="score",
        )
    return score


def score_name(score: Score) -> str:
    """The name of a score, or of a function."""
    return score if isinstance(score, str) else getattr(score, "__name__", repr(score))


def score_values(score: Score, n_pos: int, n_neg: int) -> Floats:
    """A score for all supports, (n_pos + 1, n_neg + 1), before any cap."""
    a, b = np.meshgrid(np.arange(n_pos + 1.0), np.arange(n_neg + 1.0), indexing="ij")
    if isinstance(score, str):
        # Named scores are not negative, except by rounding.
        return np.asarray(np.maximum(SCORES[check_score_name(score)](a, b, n_pos, n_neg), 0.0))
    try:
        returned = np.asarray(score(a, b, n_pos, n_neg))
        if np.iscomplexobj(returned):
            raise TypeError("it returned complex numbers.")
        values = returned.astype(np.float64)
    except (TypeError, ValueError) as error:
        # Typically a scalar function: `if b == 0` with an array, or math.log.
        raise InputError(
            f"A score function gets arrays of shape {a.shape} and must return that shape, but it failed: "
            f"{error} Write it with NumPy operations on a and b, np.where for cases."
        ) from error
    if values.shape != a.shape:
        raise InputError(
            f"A score function gets arrays of shape {a.shape} and must return that shape, but returned "
            f"{values.shape}. Write it with NumPy operations on a and b."
        )
    wrong = np.argwhere(np.isnan(values) | np.isneginf(values))
    if wrong.size:
        i, j = wrong[0]
        raise InputError(
            f"A score must be a number or +inf for all supports, but f({i}, {j}, {n_pos}, {n_neg}) is "
            f"{values[i, j]}. Define it there, for instance as 0."
        )
    return values


def _cap(values: Floats, score_cap: float | None) -> float:
    if score_cap is None:
        finite = values[np.isfinite(values)]
        return max(SMALLEST_DEFAULT_CAP, float(finite.max(initial=0.0)))
    return check_score_cap(score_cap, float(values.min()))


def check_score_cap(score_cap: float, lowest: float) -> float:
    """Return the cap; raise InputError unless it is finite and above the lowest score."""
    if not isinstance(score_cap, numbers.Real) or not math.isfinite(score_cap):
        raise InputError(
            f"score_cap must be finite, but is {score_cap!r}.", parameter="score_cap", way_out=_DEFAULT_CAP
        )
    if score_cap <= lowest:
        raise InputError(
            f"score_cap must exceed the lowest score, {lowest:g}, but is {score_cap}: all subgraphs "
            "would be equal.",
            parameter="score_cap",
            way_out=_DEFAULT_CAP,
        )
    return float(score_cap)
