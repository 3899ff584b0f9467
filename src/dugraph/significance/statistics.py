"""The statistics of a subgraph, z, difference and t: their weights and their denominators.

With w the weights of a permutation (labels minus what blocks and covariates say) and x the containment
probabilities, every statistic is |sum_i w_i x_i| over a denominator, or in a one-sided test the positive part
of the sum (of its negative, to test for "less"):

z
    sqrt(sum_b s_b n_b m_b (1 - m_b)), b being the cells within which labels move, m_b the mean of x there,
    n_b its graphs, and s_b the sum of squared label deviations over (units - 1). n m (1 - m) is the variance
    of x between graphs plus the variance of possible worlds. On certain graphs z is the
    Cochran-Mantel-Haenszel statistic. In whole-block designs s_b bounds the variance for any dependence among
    a block's graphs.
difference
    |w|^2: the slope of x on y, which for two classes is the difference in expected frequency.
t
    |w| |R x|, R adjusting for cells and covariates: the partial correlation of x and y.

s_b is that of the labels themselves, which no permutation within cells changes. |w| depends on the
permutation if there are covariates, and never on x, so it enters the weights; the rest depends on x alone.
With several contrasts, the statistic is the largest one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.design import Design

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Denominator:
    """How |sum_i w_i x_i| is scaled.

    Attributes
    ----------
    statistic : str
        "z", "difference" or "t".
    cells : ndarray of int, shape (n_graphs,)
        The cell of each graph.
    cell_scale : ndarray of shape (n_contrasts, n_cells)
        z: s_b of each contrast. t: one row, 1 for cells that count. 0 for graphs that no permutation changes.
    basis : ndarray of shape (n_graphs, rank)
        Orthonormal covariates, for t.
    one_sided : bool
        Whether only positive sums count.
    """

    statistic: str
    cells: NDArray[np.int64]
    cell_scale: Floats
    basis: Floats
    one_sided: bool = False


def make_denominator(design: Design, statistic: str, alternative: str = "two-sided") -> Denominator:
    """The denominator of a statistic in a design; it never depends on how labels are arranged."""
    cells, units = design.graph_cells, design.units
    n_cells = units.n_cells + 1
    if statistic == "z":
        labels = design.centred_labels(units.codes[None])[0]
        squares = np.array([np.bincount(cells, row**2, n_cells) for row in labels])
        scale = squares / np.maximum(np.bincount(units.cells, minlength=n_cells) - 1, 1)
    else:
        scale = (np.arange(n_cells) < units.n_cells)[None].astype(np.float64)
    return Denominator(statistic, cells, scale, design.basis, alternative != "two-sided")


def scaled_weights(weights: Floats, statistic: str, alternative: str = "two-sided") -> Floats:
    """Divide weights of shape (n_permutations, n_contrasts, n_graphs) by their part of the denominator.

    They are negated to test for "less", so that large statistics are evidence in every test.
    """
    if alternative == "less":
        weights = -weights
    if statistic == "z":
        return weights
    squares = (weights**2).sum(axis=2, keepdims=True)
    by = squares if statistic == "difference" else np.sqrt(squares)
    return np.asarray(np.divide(weights, by, out=np.zeros_like(weights), where=by > 0))


def directed_statistics(
    containment: Floats, weights: Floats, contrasts: NDArray[np.int64], denominator: Denominator
) -> Floats:
    """Signed statistics of a few subgraphs under all permutations, shape (n_permutations, n_subgraphs).

    `containment` has the shape (n_subgraphs, n_graphs), and `weights` are scaled, of shape (n_permutations,
    n_contrasts, n_graphs); `contrasts` has the contrast of each subgraph.
    """
    squares = _squared_denominators(containment, contrasts, denominator)
    by = np.sqrt(np.where(squares > 0, squares, np.inf))
    statistics = np.empty((len(weights), len(containment)))
    for contrast in np.unique(contrasts):
        chosen = contrasts == contrast
        statistics[:, chosen] = weights[:, contrast] @ containment[chosen].T / by[chosen]
    return statistics


def _squared_denominators(
    containment: Floats, contrasts: NDArray[np.int64], denominator: Denominator
) -> Floats:
    """Squared denominators, 0 where the containment probability is constant within cells."""
    cells, scale = denominator.cells, denominator.cell_scale
    member = np.eye(scale.shape[1])[cells]
    sizes = member.sum(axis=0)
    means = containment @ member / np.maximum(sizes, 1)
    residual = (containment - means[:, cells]) * (scale.max(axis=0) > 0)[cells]
    residual -= (residual @ denominator.basis) @ denominator.basis.T
    squares = (residual**2).sum(axis=1)
    varies = squares > 1e-12 * (containment**2).sum(axis=1)
    if denominator.statistic == "z":
        squares = (sizes * means * (1 - means) * scale[contrasts]).sum(axis=1)
    elif denominator.statistic == "difference":
        squares = np.ones(len(containment))
    return np.where(varies, squares, 0.0)


def step_down_p_values(statistics: Floats) -> Floats:
    """Adjusted one-sided p-values by step-down maxima (Westfall and Young, 1993; Romano and Wolf, 2005).

    The largest observed statistic is compared with the maxima over all hypotheses, the next one with those
    over all but the first, and so on; a p-value is never smaller than one before it. `statistics` has the
    shape (n_permutations, n_hypotheses), and row 0 is that of the observed labels.

    Examples
    --------
    >>> step_down_p_values(np.array([[3.0, 1.0], [0.5, 0.2], [1.5, 0.0], [0.0, 0.7]]))
    array([0.25, 0.25])
    """
    order = np.argsort(-statistics[0], kind="stable")
    ordered = statistics[:, order]
    maxima = np.maximum.accumulate(ordered[:, ::-1], axis=1)[:, ::-1]
    least = ordered[0] - TIE_TOLERANCE * np.abs(ordered[0])
    p_values = np.empty(len(order))
    p_values[order] = np.maximum.accumulate((maxima >= least).mean(axis=0))
    return p_values


TIE_TOLERANCE = 1e-10
"""A statistic this much smaller, relatively, counts as equal: it can only raise p-values."""


def n_size_classes(size_classes: int, max_edges: int | None, n_edges: int) -> int:
    """K, how many classes share alpha: no more than there can be sizes.

    A class that turns out empty keeps its share: whether it is empty may depend on subgraphs that truly
    differ, and so on labels, which the proof forbids.
    """
    return min(size_classes, n_edges, n_edges if max_edges is None else max_edges)


def size_class_names(n_classes: int, max_edges: int | None) -> tuple[str, ...]:
    """The classes in words: ``1 edge``, ``2 edges``, ``3 or more edges``."""
    names = [f"{size} edge{'s' if size > 1 else ''}" for size in range(1, n_classes)]
    if max_edges is not None and max_edges <= n_classes:
        last = f"{n_classes} edge{'s' if n_classes > 1 else ''}"
    else:
        last = f"{n_classes} or more edges" if n_classes > 1 else "any number of edges"
    return (*names, last)


def adjusted_p_values(statistics: Floats, classes: NDArray[np.int64], maxima: Floats) -> Floats:
    """min(1, K #{r : M_k(r) >= T} / (B + 1)) of observed statistics T in size classes k.

    The maxima M_k(r), of shape (B + 1, K), include those of the observed labels. Ties have a tolerance.
    """
    ordered = np.sort(maxima, axis=0)
    p_values = np.ones(len(statistics))
    n_classes = maxima.shape[1]
    for k in range(n_classes):
        inside = classes == k
        below = np.searchsorted(ordered[:, k], statistics[inside] * (1 - TIE_TOLERANCE), side="left")
        p_values[inside] = np.minimum(1.0, n_classes * (len(maxima) - below) / len(maxima))
    return p_values


def is_significant(p_values: Floats, alpha: float) -> NDArray[np.bool_]:
    """Which p-values are at most alpha, in which a share of permutations may be off by a rounding."""
    return np.asarray(p_values <= alpha * (1 + 1e-12))


def critical_values(maxima: Floats, alpha: float) -> Floats:
    """The value per class that a statistic must exceed for an adjusted p of at most alpha.

    At most m = floor(alpha (B + 1) / K) maxima may reach it, so it is the (m + 1)-th largest of them.
    """
    rank = critical_rank(alpha, *maxima.shape)
    # With one class and alpha near 1 every maximum may reach it.
    if rank > len(maxima):
        return np.zeros(maxima.shape[1])
    return np.asarray(np.sort(maxima, axis=0)[len(maxima) - rank])


def critical_rank(alpha: float, n_permutations: int, n_classes: int) -> int:
    """Which of the maxima of a class, from the largest, is its critical value."""
    return math.floor(alpha * n_permutations / n_classes * (1 + 1e-12)) + 1
