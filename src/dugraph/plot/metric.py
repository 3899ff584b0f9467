"""Methods compared: a metric against the number of subgraphs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dugraph.data.arguments import as_list, told
from dugraph.data.wording import counted, is_one_of, listed
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.result import check_metric
from dugraph.exceptions import InputError
from dugraph.plot.axes import Axes, drawing_axes, drop_frame, size_in_inches
from dugraph.plot.colours import PALE, line_styles
from dugraph.plot.label_layout import spread
from dugraph.plot.text import line_height, plain, text_width
from dugraph.words import METRIC_WORDS

_SIZE = "x-small"
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
    metric : {"error", "f1", "balanced_accuracy", "auc"}, default "error"
    methods : sequence of str, optional
        Which methods, in the order of their styles. Default: all.
    highlight : sequence of str, optional
        Which of these are drawn in colour and named. Default: all of up to seven; with more, the five that
        are best on average.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into. Each highlighted line carries the name of its method at its right end.

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
    chosen = check_comparison(result, metric, methods)
    means = result.mean(metric)
    axes = drawing_axes(ax)
    unproven = result.unproven
    shown = [m for m in chosen if not np.isnan(means[result.methods.index(m)]).all()]
    named = _highlighted(result, metric, shown, highlight)
    styles = {m: {**style, **_COLOURED} for m, style in zip(named, line_styles(len(named)), strict=True)}
    drawn, hollow = [], False
    for method in sorted(shown, key=lambda m: m in styles):  # grey lines first, below the others
        row = means[result.methods.index(method)]
        style = dict(styles.get(method, _GREY))
        if method in unproven:
            style |= {"marker": style.get("marker", "o"), "markerfacecolor": "white"}
            style |= {"markeredgecolor": style["color"], "markeredgewidth": 1.0}
            hollow = True
        axes.plot(result.n_subgraphs, row, label=plain(method), **style)
        if method in styles:
            drawn.append((method, float(row[~np.isnan(row)][-1]), style["color"]))
    axes.set_xlabel("number of subgraphs t")
    axes.set_ylabel(METRIC_WORDS[metric].title)
    axes.set_xticks(result.n_subgraphs)
    drop_frame(axes)
    _name_ends(axes, drawn, result.n_subgraphs)
    notes = []
    if len(shown) < len(chosen):
        missing = counted(len(chosen) - len(shown), "method")  # without features in at least one split
        notes.append(f"not drawn: {missing} without values")
    if len(named) < len(shown):
        notes.append(f"grey: {counted(len(shown) - len(named), 'other method')}")
    if hollow:
        notes.append("hollow: not proven")
    if notes:
        axes.set_xlabel(f"number of subgraphs t\n({'; '.join(notes)})", fontsize="small")
    return axes


def _highlighted(
    result: EvaluationResult, metric: str, shown: list[str], highlight: Sequence[str] | None
) -> list[str]:
    """The methods drawn in colour, in the order requested."""
    if highlight is not None:
        asked = as_list(highlight, "highlight", "names of methods")
        unknown = [method for method in asked if not is_one_of(method, result.methods)]
        if unknown:
            raise InputError(
                f"highlight must name methods of the result ({listed(result.methods)}): got "
                f"{told(unknown[0])}.",
                parameter="highlight",
            )
        return [method for method in shown if method in asked]
    if len(shown) <= _ALL_IN_COLOUR:
        return shown
    sign = 1 if METRIC_WORDS[metric].largest_first else -1
    means = {m: sign * float(np.nanmean(result.mean(metric)[result.methods.index(m)])) for m in shown}
    best = sorted(shown, key=lambda method: -means[method])[:_BEST]
    return [method for method in shown if method in best]


def check_comparison(result: EvaluationResult, metric: str, methods: Sequence[str] | None) -> list[str]:
    """Check what is to be compared; return the methods."""
    if not isinstance(result, EvaluationResult):
        raise InputError(
            f"An EvaluationResult is needed: got {type(result).__name__}. Take it from evaluate."
        )
    check_metric(metric, result.metrics)
    chosen = list(result.methods) if methods is None else as_list(methods, "methods", "names of methods")
    unknown = [method for method in chosen if not is_one_of(method, result.methods)]
    if unknown or not chosen:
        what = told(unknown[0]) if unknown else "none"
        raise InputError(
            f"methods must name methods of the result ({listed(result.methods)}): got {what}.",
            parameter="methods",
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
        middle, low = (low + high) / 2, high - line * len(ends)
        high = low + line * len(ends)
        low, high = middle - (high - low) / 2, middle + (high - low) / 2
        line = (high - low) / len(ends)
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    places = spread([value for _, value, _ in ends], line, (low + line / 2, high - line / 2))
    near, far = max(t) + 0.02 * (right - left), right - (share - 0.16 / width) * (right - left)
    for name, (_, value, colour), place in zip(names, ends, places, strict=True):
        ax.plot((near, far), (value, place), color=colour, linewidth=0.6, label="_lead")
        ax.text(far, place, f" {name}", ha="left", va="center", fontsize=_SIZE)
