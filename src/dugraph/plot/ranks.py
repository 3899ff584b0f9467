"""Average ranks of methods on one axis, with bars that join methods that do not differ significantly."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from dugraph.data.wording import counted
from dugraph.evaluation import EvaluationResult
from dugraph.exceptions import InputError
from dugraph.plot.axes import Axes, drawing_axes, size_in_inches
from dugraph.plot.colours import FAINT, INK
from dugraph.plot.metric import check_comparison
from dugraph.plot.text import plain, text_width
from dugraph.words import METRIC_WORDS

ALPHA = 0.05
_SIZE = "x-small"
_AXIS = 0.34  # share of the width that the axis takes; names stand beside it
_BESIDE = (1 / _AXIS - 1) / 2


class Comparison(NamedTuple):
    """Average rank of each method, 1 being best; the critical difference; the p-value of Friedman's test."""

    ranks: NDArray[np.float64]
    critical_difference: float
    p_value: float


def plot_ranks(result: EvaluationResult, *, metric: str = "error", ax: Axes | None = None) -> Axes:
    """Draw the average ranks of methods; a bar joins those within the critical difference of each other.

    Parameters
    ----------
    result : EvaluationResult
        At least two splits, and two methods with a value in every split.
    metric : {"error", "f1", "balanced_accuracy", "auc"}, default "error"
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Notes
    -----
    In every split the methods are ranked by the metric averaged over the numbers of subgraphs; ties share
    their mean rank. Methods without a value in some split have no rank and are not drawn. The critical
    difference is Nemenyi's at 5 %. It assumes independent splits, which random splits of one cohort are not:
    it is too small, so methods that it joins do not differ, while those that it separates may be equal.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    >>> result = dg.evaluate(graphs, y, ["exp-hsic", "exp-freq"], n_subgraphs=[5], cv=dg.RandomSplits(3))
    >>> ax = dg.plot.plot_ranks(result)
    """
    check_comparison(result, metric, None)
    values = result.values(metric).mean(axis=1)
    whole = np.isfinite(values).all(axis=1)
    methods = [method for method, there in zip(result.methods, whole, strict=True) if there]
    if len(methods) < 2 or result.n_splits < 2:
        raise InputError(
            "Ranks need at least two splits, and two methods with a value in every split: the result has "
            f"{result.n_splits} and {len(methods)}."
        )
    comparison = compare(values[whole], largest_first=METRIC_WORDS[metric].largest_first)
    axes = drawing_axes(ax, (6.0, 0.9 + 0.16 * len(methods)))
    order = np.argsort(comparison.ranks, kind="stable")
    n = len(order)
    left = order[: (n + 1) // 2]
    joined = _joined(comparison.ranks[order], comparison.critical_difference)
    first_row = 1.0 + 0.45 * len(joined)
    axes.set_xlim(1 - _BESIDE * (n - 1), n + _BESIDE * (n - 1))
    left_out = len(result.methods) - n
    axes.set_ylim(first_row + max(len(left), 1) + 0.2, -3.4 if left_out else -2.6)
    axes.axis("off")
    title = f"average rank by {METRIC_WORDS[metric].title}, {result.n_splits} splits"
    if left_out:
        title += f"\n(not drawn: {counted(left_out, 'method')} without values)"
    _draw_axis(axes, n, comparison, title)
    for i, (begin, end) in enumerate(joined):
        row = 0.65 + 0.45 * i
        axes.plot(
            (begin - 0.04, end + 0.04), (row, row), color=INK, linewidth=3.2, solid_capstyle="butt",
            label="_joined",
        )  # fmt: skip
    room = (0.5 - _AXIS / 2 - 0.02) * size_in_inches(axes)[0] - text_width("  00.00 ", _SIZE)
    for i, method in enumerate(order):
        on_left = i < len(left)
        row = first_row + (i if on_left else n - 1 - i)
        rank = float(comparison.ranks[method])
        edge, align = (0.9, "right") if on_left else (n + 0.1, "left")
        axes.plot((rank, rank, edge), (0, row, row), color=FAINT, linewidth=0.8, label="_method")
        name = plain(methods[method], room, _SIZE)
        text = f"{name}  {rank:.2f} " if on_left else f" {rank:.2f}  {name}"
        axes.text(edge, row, text, ha=align, va="center", fontsize=_SIZE)
    return axes


def compare(values: NDArray[np.float64], *, largest_first: bool) -> Comparison:
    """Rank methods in every split and say how far apart average ranks must be.

    Parameters
    ----------
    values : ndarray of shape (n_methods, n_splits)
    largest_first : bool

    Returns
    -------
    Comparison
        The p-value is NaN for two methods, for which Friedman's test is not defined.
    """
    n_methods, n_splits = values.shape
    ranks = rankdata(-values if largest_first else values, axis=0)
    step = float(studentized_range.ppf(1 - ALPHA, n_methods, np.inf)) / np.sqrt(2)
    difference = step * np.sqrt(n_methods * (n_methods + 1) / (6 * n_splits))
    p = np.nan
    if n_methods > 2 and not (ranks == ranks[0]).all():
        p = float(friedmanchisquare(*ranks).pvalue)
    return Comparison(ranks.mean(axis=1), float(difference), p)


def _joined(ranks: NDArray[np.float64], difference: float) -> list[tuple[float, float]]:
    """The longest runs of sorted ranks that are within the critical difference."""
    runs: list[tuple[int, int]] = []
    for begin in range(len(ranks)):
        end = int(np.searchsorted(ranks, ranks[begin] + difference, side="right")) - 1
        if end > begin and (not runs or end > runs[-1][1]):
            runs.append((begin, end))
    return [(float(ranks[begin]), float(ranks[end])) for begin, end in runs]


def _draw_axis(ax: Axes, n: int, comparison: Comparison, title: str) -> None:
    ax.plot((1, n), (0, 0), color=INK, linewidth=1.0)
    inches = _AXIS * size_in_inches(ax)[0]
    for rank in range(1, n + 1, math.ceil(n * 0.22 / inches)):
        ax.plot((rank, rank), (0, -0.18), color=INK, linewidth=1.0)
        ax.text(rank, -0.28, str(rank), ha="center", va="bottom", fontsize="x-small")
    shown = min(comparison.critical_difference, n - 1)
    ax.plot((1, 1 + shown), (-1.35, -1.35), color=INK, linewidth=1.2, marker="|", markersize=6, label="_cd")
    size = comparison.critical_difference
    test = "" if np.isnan(comparison.p_value) else f", Friedman p = {comparison.p_value:.2g}"
    axis = "" if size <= n - 1 else " (beyond the axis)"
    ax.text(1 + shown + 0.02 * n, -1.35, f" CD {size:.2f}{axis}{test}", va="center", fontsize="x-small")
    ax.text((1 + n) / 2, -1.9, title, ha="center", va="bottom", fontsize="small")
