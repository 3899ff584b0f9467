"""The statistics of a subgraph, z, difference and t: weights, denominators, p-values; and its effects.

With w the weights of a permutation (labels minus their fit by blocks and covariates) and x the containment
probabilities, every statistic is |sum_i w_i x_i| over a denominator, or in a one-sided test the positive part
of the sum (of its negative, to test for "less"):

z
    sqrt(sum_b s_b n_b m_b (1 - m_b)), b being the cells within which labels are permuted, m_b the mean of x
    there, n_b its graphs, and s_b the sum of squared label deviations over (units - 1). n m (1 - m) is the
    variance of x between graphs plus the variance of possible worlds. On certain graphs z is the
    Cochran-Mantel-Haenszel statistic. In whole-block designs s_b bounds the variance for any dependence among
    a block's graphs.
difference
    |w|^2: the slope of x on y, which for two classes is the difference in expected frequency.
t
    |w| |R x|, R adjusting for cells and covariates: the partial correlation of x and y.

s_b is that of the labels themselves, which no permutation within cells changes. |w| depends on the
permutation if there are covariates, and never on x, so it enters the weights; the rest depends on x alone.
With several contrasts, the statistic is the largest one.

Effects are differences in expected frequency, or slopes per unit of a phenotype. A subgraph is listed because
its statistic exceeded a critical value, and so its effect is too large on average. `conditional_intervals`
account for that; bootstrap intervals are for effects that were not selected, as those of a second cohort.
`benchmarks/effect_intervals.py` compares their coverage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, stdtrit

from dugraph.significance.design import Design
from dugraph.significance.permutations import BOOTSTRAP, stream

Floats = NDArray[np.float64]
TIE_TOLERANCE = 1e-10
"""A statistic this much smaller, relatively, counts as equal: it can only raise p-values."""
Ints = NDArray[np.int64]
N_RESAMPLES = 999
COVERAGE = 0.95
_LEAST_FREEDOM = 4  # residual degrees of freedom for an effect of a single block
_COLUMNS = 512  # subgraphs at a time
_RESAMPLES = 64  # resamples at a time


@dataclass(frozen=True)
class Denominator:
    """How |sum_i w_i x_i| is scaled; in a one-sided test only positive sums count.

    `cells` has the cell of each graph, and `basis` the orthonormal covariates, for t. `cell_scale`, of shape
    (n_contrasts, n_cells), is s_b of each contrast for z, and for t one row, 1 for cells that count; it is 0
    for graphs that no permutation changes.
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


def effects(containment: Floats, contrasts: Ints, design: Design) -> Floats:
    """w'x / w'w with the observed weights: the slope of x on y, adjusted for blocks and covariates.

    For two classes, and for a group against the rest, it is the difference in expected frequency: within
    blocks, the weighted mean of the blocks' differences. As in all functions here, `containment` has the
    shape (n_subgraphs, n_graphs), and `contrasts` has the contrast of each subgraph.
    """
    weights = design.residual_weights(design.units.codes[None])[0]
    slopes = weights / np.maximum((weights**2).sum(axis=1, keepdims=True), 1e-300)
    return np.asarray((containment * slopes[contrasts]).sum(axis=1))


def effect_errors(containment: Floats, contrasts: Ints, design: Design) -> Floats:
    """Standard errors of effects, robust to unequal variances (HC2) and to dependence within units.

    For two classes without blocks these are Welch's.
    """
    weights = design.residual_weights(design.units.codes[None])[0]
    squares = np.maximum((weights**2).sum(axis=1), 1e-300)
    inside = design.informative
    member = np.eye(design.units.n_cells + 1)[design.graph_cells] * inside[:, None]
    sizes = np.maximum(member.sum(axis=0), 1)
    unexplained = (containment - containment @ (member / sizes) @ member.T) * inside
    unexplained -= (unexplained @ design.basis) @ design.basis.T
    known = (member**2 / sizes).sum(axis=1) + (design.basis**2).sum(axis=1)
    slopes, leverage = weights / squares[:, None], known + weights**2 / squares[:, None]
    residual = (
        unexplained
        - (unexplained @ slopes.T)[np.arange(len(contrasts)), contrasts, None] * (weights[contrasts])
    )
    parts = slopes[contrasts] * residual / np.sqrt(np.maximum(1 - leverage, 1e-9))[contrasts]
    of_unit = np.eye(design.units.n_units)[design.units.of_graph] * inside[:, None]
    return np.asarray(np.sqrt(((parts @ of_unit) ** 2).sum(axis=1)))


def block_effects(
    containment: Floats, contrasts: Ints, design: Design, blocks: Ints
) -> tuple[Floats, Floats]:
    """Effects within single blocks, with 95 % intervals robust to unequal variances (HC2).

    In each block x is regressed on the label and the covariates. For two classes without covariates the
    standard errors are Welch's; the intervals use the t distribution with the residual degrees of freedom.
    The shapes are (n_subgraphs, n_blocks) and (n_subgraphs, n_blocks, 2), with NaN for blocks that are too
    small or whose labels do not vary enough.
    """
    labels = design.centred_labels(design.units.codes[None])[0]
    shape = (len(containment), int(blocks.max()) + 1)
    found, intervals = np.full(shape, np.nan), np.full((*shape, 2), np.nan)
    for block in range(shape[1]):
        rows = np.flatnonzero((blocks == block) & design.informative)
        if not len(rows):
            continue
        known = np.column_stack([np.ones(len(rows)), design.basis[rows]])
        left, sizes, _ = np.linalg.svd(known, full_matrices=False)
        left = left[:, sizes > 1e-9 * sizes[0]]
        weights = labels[:, rows] - (labels[:, rows] @ left) @ left.T
        squares = (weights**2).sum(axis=1)
        freedom = len(rows) - left.shape[1] - 1
        leverage = (left**2).sum(axis=1) + weights**2 / np.maximum(squares, 1e-300)[:, None]
        # The label of a single graph is fitted exactly, which leaves no residual to estimate the error.
        if (
            freedom < _LEAST_FREEDOM
            or (squares <= 1e-9 * (labels**2).sum(axis=1)).any()
            or (leverage > 1 - 1e-9).any()
        ):
            continue
        x = containment[:, rows] - (containment[:, rows] @ left) @ left.T
        slopes = weights / squares[:, None]
        effect = (x * slopes[contrasts]).sum(axis=1)
        residual = x - effect[:, None] * weights[contrasts]
        parts = slopes[contrasts] * residual / np.sqrt(1 - leverage)[contrasts]
        half = stdtrit(freedom, (1 + COVERAGE) / 2) * np.sqrt((parts**2).sum(axis=1))
        found[:, block] = effect
        intervals[:, block] = np.column_stack([effect - half, effect + half])
    return found, intervals


def partial_correlations(containment: Floats, contrasts: Ints, design: Design) -> Floats:
    """The partial correlation of containment probability and label, given blocks and covariates."""
    weights = design.residual_weights(design.units.codes[None])
    by = make_denominator(design, "t")
    return np.asarray(directed_statistics(containment, scaled_weights(weights, "t"), contrasts, by)[0])


def conditional_intervals(
    effects: Floats, errors: Floats, least: Floats, one_sided: bool, coverage: float = COVERAGE
) -> Floats:
    """Intervals of effects that were listed because they exceeded a value, shape (n_subgraphs, 2).

    An estimate is assumed to be normal around the true effect, given that it lies beyond the value that made
    it significant (Zhong and Prentice, 2008). The ends are the true effects under which such an estimate is
    at most the observed one with probability 0.975 and 0.025.

    `least` is the absolute effect at which the statistic of each subgraph has the critical value; in a
    one-sided test only estimates of the sign observed could have been listed.

    Examples
    --------
    >>> effects, errors, least = np.array([0.4, 0.4]), np.array([0.05, 0.05]), np.array([0.1, 0.39])
    >>> conditional_intervals(effects, errors, least, one_sided=False).round(2).tolist()
    [[0.3, 0.5], [-0.01, 0.47]]
    """
    errors = np.maximum(errors, 1e-12 * np.maximum(np.abs(effects), 1e-300))
    size, cut = np.abs(effects) / errors, np.minimum(np.abs(effects), least) / errors

    def share_below(mean: Floats) -> Floats:
        beyond = log_ndtr(mean - cut)
        if not one_sided:
            beyond = np.logaddexp(beyond, log_ndtr(-cut - mean))
        return np.asarray(-np.expm1(log_ndtr(mean - size) - beyond))

    ends = []
    for wanted in ((1 + coverage) / 2, (1 - coverage) / 2):
        low, high = size - 1e3, size + 10
        for _ in range(80):  # the share falls as the mean rises
            middle = (low + high) / 2
            below = share_below(middle) > wanted
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        ends.append(low * errors)
    ordered = np.where(effects >= 0, ends, [-ends[1], -ends[0]])
    return np.asarray(ordered.T)


def effect_intervals(
    containment: Floats, contrasts: Ints, design: Design, random_state: int, n_resamples: int = N_RESAMPLES
) -> Floats:
    """Percentile bootstrap intervals of effects, shape (n_subgraphs, 2): units are drawn again within cells.

    For effects that were not selected by their size; others need `conditional_intervals`.
    """
    slopes = _resampled_slopes(design, random_state, n_resamples)
    tails = [50 * (1 - COVERAGE), 50 * (1 + COVERAGE)]
    intervals = np.empty((len(containment), 2))
    for contrast in range(slopes.shape[1]):
        chosen = np.flatnonzero(contrasts == contrast)
        for begin in range(0, len(chosen), _COLUMNS):
            part = chosen[begin : begin + _COLUMNS]
            intervals[part] = np.percentile(slopes[:, contrast] @ containment[part].T, tails, axis=0).T
    return intervals


def _resampled_slopes(design: Design, random_state: int, n_resamples: int) -> Floats:
    """Weights that turn x into its effect in each resample, shape (n_resamples, n_contrasts, n_graphs)."""
    units, inside = design.units, np.flatnonzero(design.informative)
    member = np.eye(units.n_cells)[design.graph_cells[inside]]
    labels, basis = design.values[units.codes[units.of_graph[inside]]].T, design.basis[inside].T
    drawn = _drawn(units.cells, random_state, n_resamples)[:, units.of_graph[inside]]
    slopes = np.zeros((n_resamples, len(labels), len(design.informative)))
    for begin in range(0, n_resamples, _RESAMPLES):
        times = drawn[begin : begin + _RESAMPLES, None]
        y, known = _centred(labels, times, member), _centred(basis, times, member)
        gram = (known * times) @ known.transpose(0, 2, 1)
        fitted = np.linalg.pinv(gram, hermitian=True) @ ((known * times) @ y.transpose(0, 2, 1))
        residual = y - fitted.transpose(0, 2, 1) @ known
        squares = (times * residual**2).sum(axis=2, keepdims=True)
        # A resample without two labels in any cell is uninformative: its effects are 0.
        enough = squares > 1e-12 * (times * labels**2).sum(axis=2, keepdims=True)
        part = np.where(enough, times * residual / np.where(enough, squares, 1.0), 0.0)
        slopes[begin : begin + _RESAMPLES][:, :, inside] = part
    return slopes


def _centred(columns: Floats, times: Ints, member: Floats) -> Floats:
    """Columns minus their means over the drawn graphs of each cell, for each resample."""
    means = ((columns * times) @ member) / np.maximum(times @ member, 1)
    return np.asarray(columns - means @ member.T)


def _drawn(cells: Ints, random_state: int, n_resamples: int) -> Ints:
    """How often each unit is drawn when as many as there are in its cell are drawn from it."""
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    first, size = np.searchsorted(ordered, ordered), np.bincount(cells)[ordered]
    random = stream(random_state, BOOTSTRAP, 0).random((n_resamples, len(cells)))
    drawn = order[first + np.minimum((random * size).astype(np.int64), size - 1)]
    rows = np.arange(n_resamples)[:, None] * len(cells)
    return np.bincount((rows + drawn).ravel(), minlength=n_resamples * len(cells)).reshape(n_resamples, -1)
