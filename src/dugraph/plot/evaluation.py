"""Methods compared: a metric against the number of subgraphs, and average ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from dugraph.data.arguments import as_list, check_kind, counted, describe_value, is_one_of, listed
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.result import check_metric
from dugraph.exceptions import InputError
from dugraph.plot.style import (
    FAINT,
    INK,
    PALE,
    Axes,
    drawing_axes,
    fill_doc,
    line_height,
    line_styles,
    plain,
    size_in_inches,
    spread,
    text_width,
)
from dugraph.words import METRIC_WORDS

ALPHA = 0.05
_SIZE = "x-small"
_AXIS = 0.34  # share of the width that the axis of ranks takes; names stand beside it
_BESIDE = (1 / _AXIS - 1) / 2
_ALL_IN_COLOUR = 7  # as many methods as there are colours
_BEST = 5
_COLOURED = {
    "markersize": 4,
    "linewidth": 1.4,
    "markeredgecolor": "white",
    "markeredgewidth": 0.4,
    "zorder": 3,
}
_GREY = {"color": PALE, "linewidth": 1.0, "markersize": 3, "zorder": 2}


@fill_doc
def plot_metric(
    result: EvaluationResult,
    *,
    metric: str = "error",
    methods: Sequence[str] | None = None,
    highlight: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric of every method against the number of subgraphs t, averaged over the splits.

    With more than seven methods a few are highlighted, and the others are thin grey lines without a name.
    Hollow markers mean that in some split the subgraphs are not proven to be the best.

    Parameters
    ----------
    result : EvaluationResult
    %(metric)s
    methods : sequence of str, optional
        Which methods, in the order of their styles. Default: all.
    highlight : sequence of str, optional
        Which of these are drawn in colour and named at the right ends of their lines. Default: all of up to
        seven; with more, the five that are best on average.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    >>> methods = ["exp-hsic", "exp-freq"]
    >>> result = dg.evaluate(graphs, y, methods, n_subgraphs=[5, 10], cv=dg.RandomSplits(2))
    >>> ax = dg.plot.plot_metric(result, metric="f1")
    >>> ax.get_ylabel()
    'F1'
    """
    _check(result, metric)
    chosen = list(result.methods) if methods is None else _named("methods", methods, result)
    asked = None if highlight is None else _named("highlight", highlight, result)
    means = dict(zip(result.methods, result.mean(metric), strict=True))
    ax = drawing_axes(ax)
    shown = [m for m in chosen if not np.isnan(means[m]).all()]
    if asked is None and len(shown) > _ALL_IN_COLOUR:
        sign = -1 if METRIC_WORDS[metric].largest_first else 1
        asked = sorted(shown, key=lambda m: sign * float(np.nanmean(means[m])))[:_BEST]
    named = shown if asked is None else [m for m in shown if m in asked]
    styles = {m: {**style, **_COLOURED} for m, style in zip(named, line_styles(len(named)), strict=True)}
    unproven = result.unproven
    drawn = []
    for method in sorted(shown, key=lambda m: m in styles):  # grey lines first, below the others
        row, style = means[method], dict(styles.get(method, _GREY))
        if method in unproven:
            style |= {"marker": style.get("marker", "o"), "markerfacecolor": "white"}
            style |= {"markeredgecolor": style["color"], "markeredgewidth": 1.0}
        ax.plot(result.n_subgraphs, row, label=plain(method), **style)
        if method in styles:
            drawn.append((method, float(row[~np.isnan(row)][-1]), style["color"]))
    ax.set_xlabel("number of subgraphs t")
    ax.set_ylabel(METRIC_WORDS[metric].title)
    ax.set_xticks(result.n_subgraphs)
    ax.spines[["top", "right"]].set_visible(False)
    _name_ends(ax, drawn, result.n_subgraphs)
    notes = []
    if len(shown) < len(chosen):
        missing = counted(len(chosen) - len(shown), "method")  # without features in at least one split
        notes.append(f"not drawn: {missing} without values")
    if len(named) < len(shown):
        notes.append(f"grey: {counted(len(shown) - len(named), 'other method')}")
    if any(method in unproven for method in shown):
        notes.append("hollow: not proven")
    if notes:
        ax.set_xlabel(f"number of subgraphs t\n({'; '.join(notes)})", fontsize="small")
    return ax


def _check(result: EvaluationResult, metric: str) -> None:
    check_kind(result, EvaluationResult, "result", "Take it from evaluate.")
    check_metric(metric, result.metrics)


def _named(parameter: str, methods: Sequence[str], result: EvaluationResult) -> list[str]:
    """Return the methods that a parameter names; all must be methods of the result."""
    chosen = as_list(methods, parameter, "names of methods")
    unknown = [describe_value(method) for method in chosen if not is_one_of(method, result.methods)]
    if unknown or (parameter == "methods" and not chosen):
        raise InputError(
            f"{parameter} must name methods of the result ({listed(result.methods)}): got "
            f"{[*unknown, 'none'][0]}.",
            parameter=parameter,
        )
    return chosen


def _name_ends(ax: Axes, ends: list[tuple[str, float, str]], t: Sequence[int]) -> None:
    """Write the name of each line at its right end, within the axes, which are widened for it."""
    if not ends:
        return
    width, height = size_in_inches(ax)
    names = [plain(method, 0.34 * width, _SIZE) for method, _, _ in ends]
    share = (max(text_width(name, _SIZE) for name in names) + 0.2) / width
    span = float(max(t) - min(t)) or 1.0
    left = min(t) - 0.05 * span
    right = (max(t) - left) / (1 - share) + left
    low, high = ax.get_ylim()
    line = line_height(_SIZE) / height * (high - low)
    if line * len(ends) > high - low:  # more lines of text than room: the axis is widened
        middle, half = (low + high) / 2, line * len(ends) / 2
        low, high = middle - half, middle + half
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    places = spread([value for _, value, _ in ends], line, (low + line / 2, high - line / 2))
    near, far = max(t) + 0.02 * (right - left), right - (share - 0.16 / width) * (right - left)
    for name, (_, value, colour), place in zip(names, ends, places, strict=True):
        ax.plot((near, far), (value, place), color=colour, linewidth=0.6, label="_lead")
        ax.text(far, place, f" {name}", ha="left", va="center", fontsize=_SIZE)


class Comparison(NamedTuple):
    """Average rank of each method, 1 being best; the critical difference; the p-value of Friedman's test."""

    ranks: NDArray[np.float64]
    critical_difference: float
    p_value: float


@fill_doc
def plot_ranks(result: EvaluationResult, *, metric: str = "error", ax: Axes | None = None) -> Axes:
    """Draw the average ranks of methods; a bar joins those within the critical difference of each other.

    Parameters
    ----------
    result : EvaluationResult
        At least two splits, and two methods with a value in every split.
    %(metric)s
    %(ax)s

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
    _check(result, metric)
    values = result.values(metric).mean(axis=1)
    whole = np.isfinite(values).all(axis=1)
    methods = [method for method, there in zip(result.methods, whole, strict=True) if there]
    if len(methods) < 2 or result.n_splits < 2:
        raise InputError(
            "Ranks need at least two splits, and two methods with a value in every split: the result has "
            f"{result.n_splits} and {len(methods)}."
        )
    comparison = compare(values[whole], largest_first=METRIC_WORDS[metric].largest_first)
    ax = drawing_axes(ax, (6.0, 0.9 + 0.16 * len(methods)))
    order = np.argsort(comparison.ranks, kind="stable")
    n, n_left = len(order), (len(order) + 1) // 2
    joined = _joined(comparison.ranks[order], comparison.critical_difference)
    first_row = 1.0 + 0.45 * len(joined)
    ax.set_xlim(1 - _BESIDE * (n - 1), n + _BESIDE * (n - 1))
    left_out = len(result.methods) - n
    ax.set_ylim(first_row + n_left + 0.2, -3.4 if left_out else -2.6)
    ax.axis("off")
    title = f"average rank by {METRIC_WORDS[metric].title}, {result.n_splits} splits"
    if left_out:
        title += f"\n(not drawn: {counted(left_out, 'method')} without values)"
    _draw_axis(ax, n, comparison, title)
    for i, (begin, end) in enumerate(joined):
        row = 0.65 + 0.45 * i
        ax.plot(
            (begin - 0.04, end + 0.04), (row, row), color=INK, linewidth=3.2, solid_capstyle="butt",
            label="_joined",
        )  # fmt: skip
    room = (0.5 - _AXIS / 2 - 0.02) * size_in_inches(ax)[0] - text_width("  00.00 ", _SIZE)
    for i, method in enumerate(order):
        on_left = i < n_left
        row = first_row + (i if on_left else n - 1 - i)
        rank = float(comparison.ranks[method])
        edge, align = (0.9, "right") if on_left else (n + 0.1, "left")
        ax.plot((rank, rank, edge), (0, row, row), color=FAINT, linewidth=0.8, label="_method")
        name = plain(methods[method], room, _SIZE)
        text = f"{name}  {rank:.2f} " if on_left else f" {rank:.2f}  {name}"
        ax.text(edge, row, text, ha=align, va="center", fontsize=_SIZE)
    return ax


def compare(values: NDArray[np.float64], *, largest_first: bool) -> Comparison:
    """Rank the rows of `values`, methods, in every column, a split; with Nemenyi's critical difference.

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
    size = comparison.critical_difference
    shown = min(size, n - 1)
    ax.plot((1, 1 + shown), (-1.35, -1.35), color=INK, linewidth=1.2, marker="|", markersize=6, label="_cd")
    test = "" if np.isnan(comparison.p_value) else f", Friedman p = {comparison.p_value:.2g}"
    axis = "" if size <= n - 1 else " (beyond the axis)"
    ax.text(1 + shown + 0.02 * n, -1.35, f" CD {size:.2f}{axis}{test}", va="center", fontsize="x-small")
    ax.text((1 + n) / 2, -1.9, title, ha="center", va="bottom", fontsize="small")
