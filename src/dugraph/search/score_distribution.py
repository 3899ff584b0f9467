"""Score distributions for users, by the compiled core.

`dugraph.probability.score_distribution` is the readable reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs
from dugraph.data.validation import check_edge_probability, check_labels
from dugraph.probability import ScoreDistribution
from dugraph.probability.containment import check_subgraph, containment_columns
from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import Score, ScoreTable
from dugraph.search.core import level_masses
from dugraph.search.score_windows import ScoreWindows, scores_of
from dugraph.search.support import support_distribution

Floats = NDArray[np.float64]


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
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None,
    subgraphs: Sequence[Sequence[int]],
    score: Score = "hsic",
    *,
    score_cap: float | None = None,
    pos_label: object = None,
    tail: float = 0.0,
) -> Supports:
    """Distributions of the supports of several subgraphs; parameters as for `score_distribution`.

    `tail` is the probability that may be left out of each, as for `dugraph.support_distribution`.
    """
    probability = check_edge_probability(X.graphs if isinstance(X, LabelledGraphs) else X)
    chosen = [check_subgraph(subgraph, probability.shape[1]) for subgraph in subgraphs]
    if isinstance(X, LabelledGraphs):
        positive = X.positive
    else:  # not made one: to a score it is all the same which nodes an edge joins
        positive, _ = check_labels(y, len(probability), pos_label)
    contained = containment_columns(probability, chosen).T
    return Supports(
        support_distribution(contained[:, positive], tail),
        support_distribution(contained[:, ~positive], tail),
        scores_of(score, int(positive.sum()), int((~positive).sum()), score_cap),
    )


def score_distributions(supports: Supports, tail: float = 0.0) -> list[ScoreDistribution]:
    """Distributions of the score of each subgraph.

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
        return [score_distributions(one)[0] for one in _one_by_one(supports, table, tail)]
    found = level_masses(supports.n_pos_g, supports.n_neg_g, table.level_of, table.levels.size, tail)
    values, mass = table.levels[found.level], found.mass
    slices = (slice(begin, end) for begin, end in pairwise([0, *found.end.tolist()]))
    return [ScoreDistribution(values[own], mass[own]) for own in slices]


def phi_probabilities(supports: Supports, phi: float) -> Floats:
    """Pr[F >= phi] of each subgraph, exact however small, if the supports are; shape (n_subgraphs,)."""
    table = supports.table
    if isinstance(table, ScoreWindows):
        return np.array([phi_probabilities(one, phi)[0] for one in _one_by_one(supports, table)])
    reaching = (table.levels >= phi - JUMP_TOLERANCE * max(1.0, abs(phi)))[table.level_of]
    tail = _joint_mass(supports, reaching)
    # Above one half it is taken from the complement, as in the reference.
    return np.where(tail > 0.5, 1.0 - _joint_mass(supports, ~reaching), tail)


def _joint_mass(supports: Supports, chosen: NDArray[np.bool_]) -> Floats:
    """Probability of the chosen pairs of supports."""
    return np.asarray(((supports.n_pos_g @ chosen.astype(np.float64)) * supports.n_neg_g).sum(axis=1))


def _one_by_one(supports: Supports, table: ScoreWindows, tail: float = 0.0) -> Iterator[Supports]:
    """Each subgraph alone, with a table of the supports that are not left out."""
    ends = _ends(supports.n_pos_g, tail), _ends(supports.n_neg_g, tail)
    for n_pos_g, n_neg_g, a, b in zip(*supports[:2], *ends, strict=True):
        yield Supports(n_pos_g[np.newaxis, a], n_neg_g[np.newaxis, b], table.within(a, b))


def _ends(support: Floats, tail: float) -> list[slice]:
    """The supports of each subgraph between what is left out at either end."""
    below = np.cumsum(support, axis=1) <= tail
    above = np.cumsum(support[:, ::-1], axis=1) <= tail
    begin, end = below.sum(axis=1), support.shape[1] - above.sum(axis=1)
    return [slice(i, j) for i, j in zip(begin.tolist(), end.tolist(), strict=True)]
