"""Sparse models and comparisons: regularisation path, coefficients, metrics of methods, average ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from dugraph.data.arguments import (
    as_list,
    check_kind,
    check_positive_int,
    check_word,
    counted,
    describe_value,
    is_one_of,
    listed,
)
from dugraph.evaluation import EvaluationResult
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart, with_margin
from dugraph.plot.panels import Fitted, naming_of
from dugraph.plot.style import (
    PALE,
    POSITIVE,
    Axes,
    drawing_axes,
    fill_doc,
    legend_within,
    line_styles,
    plain,
    size_in_inches,
)
from dugraph.sparse import SparseModel, SparseSubgraphClassifier
from dugraph.words import METRIC_WORDS

ALPHA = 0.05
_MOST_BARS = 20
_ALL_IN_COLOUR = 7  # as many methods as there are colours
_BEST = 5


@fill_doc
def plot_sparse_path(path: Fitted | Sequence[SparseModel], *, ax: Axes | None = None) -> Axes:
    """Draw the number of subgraphs against the penalty, and the held-out loss where it chose the penalty.

    The axis of penalties is logarithmic, the largest at the left. The loss, mean and standard deviation over
    the folds, has its own scale on the right.

    Parameters
    ----------
    path : SparseSubgraphClassifier, SparseSubgraphRegressor or sequence of SparseModel
        Fitted, of two classes or of a phenotype; or the models of `sparse_path`.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=30, random_state=0)
    >>> path = dg.sparse.sparse_path(graphs, y, n_alphas=5, max_edges=2, min_expected_frequency=0.4)
    >>> ax = dg.plot.plot_sparse_path(path)
    >>> ax.get_xscale(), ax.get_ylabel()
    ('log', 'number of subgraphs')
    """
    models, losses, alpha = _path_of(path)
    tried = [] if losses is None else losses.mean(axis=1)
    spreads = [] if losses is None else losses.std(axis=1)
    penalties = [model.alpha for model in models]
    chart, scale = path_chart(penalties, [len(model.coef) for model in models], tried, spreads, alpha)
    ax = draw_chart(chart, ax)
    ax.yaxis.get_major_locator().set_params(integer=True)
    if scale is not None:
        low, per_unit = scale
        loss = ax.secondary_yaxis(
            "right",
            functions=(lambda y: low + np.asarray(y) / per_unit, lambda x: (np.asarray(x) - low) * per_unit),
        )
        loss.set_ylabel("held-out loss", color=POSITIVE.colour)
    return ax


def path_chart(
    alphas: Sequence[float],
    counts: Sequence[int],
    losses: Sequence[float],
    spreads: Sequence[float],
    alpha: float | None,
) -> tuple[Chart, tuple[float, float] | None]:
    """Compose a regularisation path: penalties from large to small, and the number of subgraphs at each.

    Held-out losses, mean and standard deviation, are empty or NaN where they are unknown; `alpha` is the
    penalty in use. With losses, the second value is the loss at height 0, and the height of a unit of loss.
    """
    top = 1.25 * max(1, *counts)
    words = f"{len(alphas)} penalties, from {counts[0]} to {counted(counts[-1], 'subgraph')}."
    judged = [
        (x, loss, spread)
        for x, loss, spread in zip(alphas, losses, spreads, strict=False)
        if np.isfinite(loss) and np.isfinite(spread)
    ]
    if judged:
        best = min(loss for _, loss, _ in judged)
        words += (
            f" The held-out loss is {judged[0][1]:.3g} at the largest penalty and {best:.3g} at the best."
        )
    ends = (min(alphas) / 1.15, max(alphas) * 1.15)
    chart = Chart(words, ends, (0.0, top), "penalty alpha", "number of subgraphs", log=True)
    if alpha is not None:
        chart.add("rule", ((alpha, 0.0), (alpha, top)), "median", f"in use: {alpha:.3g}")
    chart.add("line", zip(alphas, counts, strict=True), "count")
    chart.add("note", [(alphas[-1], counts[-1])], "", counted(counts[-1], "subgraph"), -1)
    if not judged:
        return chart, None
    low = min(loss - spread for _, loss, spread in judged)
    high = max(loss + spread for _, loss, spread in judged)
    per_unit = 0.75 * top / max(high - low, 1e-12)
    low -= 0.05 * top / per_unit
    band = [(x, loss + spread) for x, loss, spread in judged]
    band += [(x, loss - spread) for x, loss, spread in reversed(judged)]
    chart.add("area", [(x, (loss - low) * per_unit) for x, loss in band], "loss")
    line = [(x, (loss - low) * per_unit) for x, loss, _ in judged]
    chart.add("line", line, "loss")
    chart.add("note", [line[-1]], "", f"held-out loss {judged[-1][1]:.3g}", -1)
    return chart, (low, per_unit)


def _path_of(path: Any) -> tuple[list[SparseModel], NDArray[np.float64] | None, float | None]:
    if isinstance(path, Fitted) and hasattr(path, "path_"):
        return path.path_, getattr(path, "cv_losses_", None), path.alpha_
    is_list = isinstance(path, Sequence) and not isinstance(path, str)
    if not is_list or not path or not all(isinstance(model, SparseModel) for model in path):
        raise InputError(
            "A fitted SparseSubgraphClassifier of two classes, a fitted SparseSubgraphRegressor or the "
            f"models of sparse_path are needed: got {type(path).__name__}. Call fit or sparse_path first."
        )
    return list(path), None, None


@fill_doc
def plot_coefficients(classifier: Fitted, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the coefficients of a sparse model as bars with the names of their subgraphs.

    Bars to the right favour ``classes_[1]``, or a larger phenotype; hatched bars to the left favour
    ``classes_[0]``, or a smaller one.

    Parameters
    ----------
    classifier : SparseSubgraphClassifier or SparseSubgraphRegressor
        Fitted, of two classes or of a phenotype, with at least one subgraph.
    top : int, optional
        How many of the largest are drawn. Default: at most 20.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> model = dg.SparseSubgraphClassifier(alpha=0.01, min_expected_frequency=0.3).fit(X, [1, 1, 0, 0])
    >>> ax = dg.plot.plot_coefficients(model)
    >>> ax.get_xlabel()
    'coefficient'
    """
    every = _coefficients_of(classifier)
    chosen = every[: _MOST_BARS if top is None else check_positive_int("top", top)].tolist()
    naming = naming_of(classifier)
    names = [", ".join(map(naming.edge_name, g)) for g in classifier.subgraphs_[: len(chosen)]]
    left_out = len(every) - len(chosen)
    chart = Chart(
        f"Coefficients of {counted(len(chosen), 'subgraph')}.",
        *(with_margin([0.0, *chosen], 0.04), (0.0, float(len(chosen)))),
        f"coefficient ({left_out} smaller ones not drawn)" if left_out else "coefficient",
        rows=names,
    )
    smaller, larger = "smaller values", "larger values"
    if isinstance(classifier, SparseSubgraphClassifier):
        smaller, larger = classifier.classes_.tolist()
    in_legend = {"pos": f"for {larger}", "neg": f"for {smaller}"}
    for row, value in enumerate(chosen):
        low, high = len(chosen) - row - 0.81, len(chosen) - row - 0.19
        look = "pos" if value > 0 else "neg"
        corners = ((0.0, low), (0.0, high), (value, high), (value, low))
        chart.add("area", corners, look, in_legend.pop(look, ""))
    chart.add("rule", ((0.0, 0.0), (0.0, chart.y[1])), "critical")
    return draw_chart(chart, ax)


def _coefficients_of(classifier: Any) -> NDArray[np.float64]:
    if not isinstance(classifier, Fitted) or not hasattr(classifier, "subgraph_coef_"):
        raise InputError(
            "A fitted SparseSubgraphClassifier or SparseSubgraphRegressor is needed: got "
            f"{type(classifier).__name__}. Call fit first."
        )
    if len(classifier.models_) > 1:
        raise InputError(
            f"The coefficients must be those of one model, but there are {len(classifier.models_)}, one for "
            "each class against the rest. Fit two classes, or draw its models_ one by one."
        )
    coefficients = np.ravel(classifier.subgraph_coef_)
    if not len(coefficients):
        raise InputError(
            "The model has no subgraph, so there is no coefficient to draw. Fit it with a smaller alpha."
        )
    return coefficients


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
    metric : {"error", "f1", "balanced_accuracy", "auc"}, default "error"
    methods : sequence of str, optional
        Which methods, in the order of their styles. Default: all.
    highlight : sequence of str, optional
        Which of these are drawn in colour and named in the legend. Default: all of up to seven; with more,
        the five that are best on average.
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
    styles = dict(zip(named, line_styles(len(named)), strict=True))
    width = size_in_inches(ax)[0]
    for method in shown:
        style = {"linewidth": 1.0, "markersize": 3, "zorder": 2, "color": PALE, "label": "_grey"}
        if method in styles:
            name = plain(method, 0.35 * width)
            style = {**styles[method], "linewidth": 1.4, "markersize": 4, "zorder": 3, "label": name}
        if method in result.unproven:
            style = {"marker": "o", **style, "markerfacecolor": "white"}
        ax.plot(result.n_subgraphs, means[method], **style)
    ax.set_xlabel("number of subgraphs t")
    ax.set_ylabel(METRIC_WORDS[metric].title)
    ax.set_xticks(result.n_subgraphs)
    ax.spines[["top", "right"]].set_visible(False)
    if named:
        legend_within(ax)
    notes = []
    if len(shown) < len(chosen):
        missing = counted(len(chosen) - len(shown), "method")  # without features in at least one split
        notes.append(f"not drawn: {missing} without values")
    if len(named) < len(shown):
        notes.append(f"grey: {counted(len(shown) - len(named), 'other method')}")
    if any(method in result.unproven for method in shown):
        notes.append("hollow: not proven")
    if notes:
        ax.set_xlabel(f"number of subgraphs t\n({'; '.join(notes)})", fontsize="small")
    return ax


def _check(result: EvaluationResult, metric: str) -> None:
    check_kind(result, EvaluationResult, "result", "Take it from evaluate.")
    check_word("metric", metric, tuple(result.metrics))


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
    metric : {"error", "f1", "balanced_accuracy", "auc"}, default "error"
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
    found = compare(values[whole], largest_first=METRIC_WORDS[metric].largest_first)
    order = np.argsort(found.ranks, kind="stable")
    ranks, n = found.ranks[order], len(order)
    notes = [f"critical difference {found.critical_difference:.2f}"]
    if not np.isnan(found.p_value):
        notes.append(f"Friedman p = {found.p_value:.2g}")
    if n < len(result.methods):
        notes.append(f"not drawn: {counted(len(result.methods) - n, 'method')} without values")
    title = f"average rank by {METRIC_WORDS[metric].title}, {result.n_splits} splits"
    joined = _joined(ranks, found.critical_difference)
    apart = 0.04 * n
    chart = Chart(
        title,
        *((0.8, n + apart * (len(joined) + 1)), (0.0, float(n))),
        "\n".join([title, *notes]),
        rows=[f"{methods[method]} {found.ranks[method]:.2f}" for method in order],
    )
    for row, rank in enumerate(ranks.tolist()):
        height = n - row - 0.5
        chart.add("line", ((chart.x[0], height), (rank, height)), "row")
        chart.add("dots", ((rank, height),), "pos")
    for i, (begin, end) in enumerate(joined, 1):
        x = n + apart * i
        chart.add("line", ((x, n - begin - 0.25), (x, n - end - 0.75)), "joined")
    ax = draw_chart(chart, drawing_axes(ax, (5.0, 1.5 + 0.2 * n)))
    ax.set_xlabel(chart.label, fontsize="small")
    ax.set_xticks(range(1, n + 1, 1 + n // 10))
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


def _joined(ranks: NDArray[np.float64], difference: float) -> list[tuple[int, int]]:
    """The longest runs of sorted ranks within the critical difference, as the positions of their ends."""
    runs: list[tuple[int, int]] = []
    for begin in range(len(ranks)):
        end = int(np.searchsorted(ranks, ranks[begin] + difference, side="right")) - 1
        if end > begin and (not runs or end > runs[-1][1]):
            runs.append((begin, end))
    return runs
