"""Score distributions for users, by the compiled core.

`dugraph.probability.score_distribution` is the readable reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.validation import check_edge_probability, check_labels
from dugraph.probability import ScoreDistribution
from dugraph.probability.containment import check_subgraph, containment_columns
from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import Score, ScoreTable
from dugraph.search.core import level_masses
from dugraph.search.score_windows import ScoreWindows, scores_of
from dugraph.search.support import support_distribution

Floats = NDArray[np.float64]
# Subgraphs whose distributions are made together from one table.
_AT_ONCE = 16


def score_distribution(
    X: ArrayLike,
    y: ArrayLike,
    subgraph: Sequence[int],
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
    subgraph : sequence of int
        Edge indices.
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
    supports = support_distributions(X, y, [subgraph], score, score_cap=score_cap, pos_label=pos_label)
    return score_distributions(supports)[0]


class Supports(NamedTuple):
    """The supports of several subgraphs in both classes, and the table that scores them.

    Attributes
    ----------
    n_pos_g, n_neg_g : ndarray of shape (n_subgraphs, n_pos + 1) and (n_subgraphs, n_neg + 1)
    table : ScoreTable or ScoreWindows
    """

    n_pos_g: Floats
    n_neg_g: Floats
    table: ScoreTable | ScoreWindows


def support_distributions(
    X: ArrayLike,
    y: ArrayLike,
    subgraphs: Sequence[Sequence[int]],
    score: Score = "hsic",
    *,
    score_cap: float | None = None,
    pos_label: object = None,
) -> Supports:
    """Distributions of the supports of several subgraphs; parameters as for `score_distribution`."""
    # Not made labelled graphs: to a score it is all the same which nodes an edge joins.
    probability = check_edge_probability(X)
    positive, _ = check_labels(y, len(probability), pos_label)
    table = scores_of(score, int(positive.sum()), int((~positive).sum()), score_cap)
    return scored_supports(probability, positive, subgraphs, table)


def scored_supports(
    probability: NDArray[Any],
    positive: NDArray[np.bool_],
    subgraphs: Sequence[Sequence[int]],
    table: ScoreTable | ScoreWindows,
    tail: float = 0.0,
) -> Supports:
    """The same for probabilities that are known to be valid, and a table that is there already.

    `tail` is the probability that may be left out of each, as for `dugraph.support_distribution`.
    """
    chosen = [check_subgraph(subgraph, probability.shape[1]) for subgraph in subgraphs]
    contained = containment_columns(probability, chosen, np.float64).T
    return Supports(
        support_distribution(contained[:, positive], tail),
        support_distribution(contained[:, ~positive], tail),
        table,
    )


def score_distributions(supports: Supports, tail: float = 0.0) -> list[ScoreDistribution]:
    """Distributions of the score of each subgraph; parameters as for `each_score_distribution`."""
    return list(each_score_distribution(supports, tail))


def each_score_distribution(supports: Supports, tail: float = 0.0) -> Iterator[ScoreDistribution]:
    """The same one after the other, for callers that need each only once: those of large classes are large.

    Parameters
    ----------
    supports : Supports
    tail : float, default 0.0
        Probability of the supports of one class that may be left out at either end. 0 leaves out nothing; a
        tiny one, such as 1e-24, makes it several times faster for large classes, and no measure but a
        phi-probability as small as that can tell the difference.
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
    """Probability of a score from `start` on: sums of a class between the edges of these scores.

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
    # As in the reference from the complement, whose rows are added one by one.
    between = np.add.reduceat([*neg, 0.0], np.column_stack([left, right]).ravel())[::2]
    return 1.0 - float(pos @ np.where(left < right, between, 0.0))


def _ends(support: Floats, tail: float = 0.0) -> slice:
    """The supports between what is left out at either end."""
    begin = int((np.cumsum(support) <= tail).sum())
    return slice(begin, len(support) - int((np.cumsum(support[::-1]) <= tail).sum()))
