"""Distributions of supports and scores, by the compiled core.

`dugraph.probability` has the readable reference of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.arguments import is_real
from dugraph.data.graphs import edges_and_probability
from dugraph.data.labels import check_labels
from dugraph.data.subgraphs import SubgraphLike, check_subgraph
from dugraph.exceptions import InputError
from dugraph.probability import ScoreDistribution
from dugraph.probability.containment import containment_columns
from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import (
    LEVEL_TOLERANCE,
    Score,
    ScoreTable,
    check_score_cap,
    merged_levels,
    score_table,
)
from dugraph.search.core import ScoreName, largest_score, level_masses, level_start, score_edges, score_values
from dugraph.search.core import support_distribution as compiled
from dugraph.search.problem import compiled_score

MOST_CELLS = 2**20
"""Pairs of supports up to which the distribution of a named score is computed from a table of all of them."""
Floats = NDArray[np.float64]
# Subgraphs whose distributions are computed together.
_AT_ONCE = 16


def support_distribution(probabilities: ArrayLike, tail: float = 0.0) -> NDArray[np.float64]:
    """Distribution of the number of graphs that contain a subgraph (Poisson-binomial).

    Parameters
    ----------
    probabilities : array_like of shape (..., n)
        Containment probabilities of a subgraph in n independent graphs, each in [0, 1]. Leading axes are a
        batch of subgraphs; short vectors are computed eight at a time.
    tail : float, default=0.0
        Mass that may be neglected, 0 <= tail < 1. A positive value, such as 1e-16, restricts the work to a
        window around the mean and is much faster for long vectors; masses outside the window, whose sum is at
        most `tail`, are 0 in the result.

    Returns
    -------
    ndarray of shape (..., n + 1)
        Entry i is the probability that exactly i of the n graphs contain the subgraph.

    Raises
    ------
    InputError
        If a probability is missing or outside [0, 1], or `tail` is outside [0, 1).

    Notes
    -----
    O(n^2) for each vector at ``tail=0``, where every mass above 1e-250 has a relative error of at most 1e-12
    for n up to 5,000; about O(n^1.5) for a positive `tail`. A batch gives the same bytes as single vectors.

    Examples
    --------
    >>> import dugraph
    >>> dugraph.search.support_distribution([0.5, 0.5, 1.0])
    array([0.  , 0.25, 0.5 , 0.25])
    """
    x = _checked_probabilities(probabilities)
    n = x.shape[-1]
    rows = np.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), n)
    return compiled(rows, _checked_tail(tail)).reshape(*x.shape[:-1], n + 1)


def _checked_probabilities(probabilities: ArrayLike) -> NDArray[np.float64]:
    try:
        x = np.asarray(probabilities)
        if np.iscomplexobj(x):
            raise TypeError("complex numbers")
        x = x.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            "probabilities must be an array of real numbers; "
            f"received {type(probabilities).__name__} ({error}). "
            "Pass one row of n probabilities for each subgraph, all rows of equal length."
        ) from error
    if x.ndim == 0:
        raise InputError(
            f"probabilities must have at least one axis, (..., n); received the single number {float(x)!r}. "
            f"Pass [{float(x)!r}] for one graph."
        )
    if not x.size or (x.min() >= 0.0 and x.max() <= 1.0):
        return x
    index = tuple(int(i) for i in np.argwhere(~((x >= 0.0) & (x <= 1.0)))[0])
    place = f"probabilities[{', '.join(map(str, index))}]"
    if np.isnan(x[index]):
        raise InputError(
            f"probabilities must not be missing; {place} is nan. "
            "Leave out the graphs without a value, or give them a probability."
        )
    raise InputError(
        f"probabilities must lie in [0, 1]; {place} is {float(x[index])!r}. Rescale or clip the values first."
    )


def _checked_tail(tail: float) -> float:
    if not is_real(tail) or not 0.0 <= tail < 1.0:
        raise InputError(
            f"tail must be a number with 0 <= tail < 1; received {tail!r}. "
            "Use 0 for all masses, or a small mass to neglect, such as 1e-16."
        )
    return float(tail)


@dataclass(frozen=True)
class ScoreWindows:
    """A compiled score of two classes, for windows of supports."""

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
        the second on. Only scores along these edges are computed.
        """
        ranges = (pos.start, pos.stop), (neg.start, neg.stop)
        return score_edges(self.name, self.n_pos, self.n_neg, self.score_cap, least, *ranges)


def scores_of(
    score: Score, n_pos: int, n_neg: int, score_cap: float | None = None
) -> ScoreTable | ScoreWindows:
    """A table of the score, or, where that would be large and the score is compiled, windows of it."""
    name = compiled_score(score)
    if name is None or (n_pos + 1) * (n_neg + 1) <= MOST_CELLS:
        return score_table(score, n_pos, n_neg, score_cap)
    cap = None if score_cap is None else check_score_cap(score_cap, 0.0)
    return ScoreWindows(name, n_pos, n_neg, cap)


def score_distribution(
    X: ArrayLike,
    y: ArrayLike,
    subgraph: SubgraphLike,
    score: Score = "hsic",
    *,
    score_cap: float | None = None,
    pos_label: object = None,
) -> ScoreDistribution:
    """Exact distribution of a subgraph's score, without enumerating possible worlds.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
        Edge probabilities in [0, 1].
    y : array-like of shape (n_graphs,)
        Two classes.
    subgraph : sequence of int, sequence of str, or str
        Edge indices or names, as for `containment_probability`.
    score : str or callable, default "hsic"
        A name of `SCORES` or a vectorised function f(a, b, p, q).
    score_cap : float, optional
        Larger scores, including infinite ones, become this value. Default: max(1000, largest finite score).
    pos_label : object, optional
        The positive class. Default: the last in sorted order.

    Examples
    --------
    >>> distribution = score_distribution([[0.8], [0.5], [0.1]], [1, 1, 0], (0,), score="confidence")
    >>> distribution.values.round(3), distribution.probabilities.round(3)
    (array([0.   , 0.5  , 0.667, 1.   ]), array([0.1 , 0.05, 0.04, 0.81]))
    >>> distribution.median(), round(distribution.expectation(), 6)
    (1.0, 0.861667)
    """
    probability, space = edges_and_probability(X)
    chosen = check_subgraph(subgraph, space)
    positive, _ = check_labels(y, len(probability), pos_label)
    table = scores_of(score, int(positive.sum()), int((~positive).sum()), score_cap)
    return next(score_distributions(scored_supports(probability, positive, [chosen], table)))


class Supports(NamedTuple):
    """Distributions of the supports in both classes, a row for each subgraph, and the table of scores."""

    n_pos_g: Floats
    n_neg_g: Floats
    table: ScoreTable | ScoreWindows


def scored_supports(
    probability: NDArray[Any],
    positive: NDArray[np.bool_],
    subgraphs: Sequence[Sequence[int]],
    table: ScoreTable | ScoreWindows,
    tail: float = 0.0,
) -> Supports:
    """Distributions of the supports of several subgraphs, from valid probabilities.

    `tail` is the probability that may be left out of each, as for `support_distribution`.
    """
    chosen = [check_subgraph(subgraph, probability.shape[1]) for subgraph in subgraphs]
    contained = containment_columns(probability, chosen, np.float64).T
    return Supports(
        support_distribution(contained[:, positive], tail),
        support_distribution(contained[:, ~positive], tail),
        table,
    )


def score_distributions(supports: Supports, tail: float = 0.0) -> Iterator[ScoreDistribution]:
    """Yield the distributions one by one, since those of large classes take much memory.

    `tail` is the probability of the supports of one class that may be left out at either end. A tiny value,
    such as 1e-24, is several times faster for large classes, and affects only phi-probabilities of that size.
    """
    table = supports.table
    if isinstance(table, ScoreWindows):
        for n_pos_g, n_neg_g in zip(*supports[:2], strict=True):
            a, b = _ends(n_pos_g, tail), _ends(n_neg_g, tail)
            yield from _by_table(n_pos_g[np.newaxis, a], n_neg_g[np.newaxis, b], table.within(a, b))
        return
    for first in range(0, len(supports.n_pos_g), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        yield from _by_table(supports.n_pos_g[some], supports.n_neg_g[some], table, tail)


def phi_probabilities(supports: Supports, phi: float) -> Floats:
    """Pr[F >= phi] of each subgraph, exact however small, if the supports are; shape (n_subgraphs,)."""
    table, least = supports.table, phi - JUMP_TOLERANCE * max(1.0, abs(phi))
    if isinstance(table, ScoreWindows):
        start = table.level_start(least)
        pairs = zip(*supports[:2], strict=True)
        return np.array([_windowed_mass(n_pos_g, n_neg_g, table, start) for n_pos_g, n_neg_g in pairs])
    reaching = (table.levels >= least)[table.level_of]
    tail = _joint_mass(supports, reaching)
    # Above one half it is taken from the complement, as in the reference.
    return np.where(tail > 0.5, 1.0 - _joint_mass(supports, ~reaching), tail)


def _by_table(
    n_pos_g: Floats, n_neg_g: Floats, table: ScoreTable, tail: float = 0.0
) -> Iterator[ScoreDistribution]:
    found = level_masses(n_pos_g, n_neg_g, table.level_of, table.levels.size, tail)
    values, mass = table.levels[found.level], found.mass
    for begin, end in pairwise([0, *found.end.tolist()]):
        yield ScoreDistribution(values[begin:end], mass[begin:end])


def _joint_mass(supports: Supports, chosen: NDArray[np.bool_]) -> Floats:
    """Probability of the chosen pairs of supports."""
    return np.asarray(((supports.n_pos_g @ chosen.astype(np.float64)) * supports.n_neg_g).sum(axis=1))


def _windowed_mass(n_pos_g: Floats, n_neg_g: Floats, table: ScoreWindows, start: float) -> float:
    """Probability of a score of at least `start`, from cumulative sums of one class.

    Each side is added from its own end, so that a tiny sum is not a difference of large ones.
    """
    a, b = _ends(n_pos_g), _ends(n_neg_g)
    pos, neg = n_pos_g[a], n_neg_g[b]
    left, right = table.edges(start, a, b) - b.start
    from_left = np.cumsum([0.0, *neg])[left]
    from_right = np.cumsum([0.0, *neg[::-1]])[len(neg) - right]
    tail = float(pos @ (from_left + from_right))
    if tail <= 0.5:
        return tail
    # From the complement, as in the reference, row by row.
    between = np.add.reduceat([*neg, 0.0], np.column_stack([left, right]).ravel())[::2]
    return 1.0 - float(pos @ np.where(left < right, between, 0.0))


def _ends(support: Floats, tail: float = 0.0) -> slice:
    """The range of supports without a tail at either end."""
    begin = int((np.cumsum(support) <= tail).sum())
    return slice(begin, len(support) - int((np.cumsum(support[::-1]) <= tail).sum()))
