"""A test of significance: what chance alone gives, and the subgraphs that really differ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import UncertainGraphs, check_cohort
from dugraph.data.subgraphs import check_subgraph
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart, steps, with_margin
from dugraph.plot.style import INK, NEGATIVE, POSITIVE, Axes, drawing_axes, plain
from dugraph.plot.subgraph import draw_subgraph_view, explain_layers, layer_styles
from dugraph.significance import SignificanceResult

_BINS = 40
_ROOM = 0.9  # inches for the name of a class in the legend


def plot_null_maxima(result: SignificanceResult, *, ax: Axes | None = None) -> Axes:
    """Draw the largest statistics of all permutations, a row for each size of subgraphs.

    Each row has the histogram of the maxima, the critical value, which a statistic must exceed to be
    significant, and the largest statistic of the observed labels.

    Parameters
    ----------
    result : SignificanceResult
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.significant_subgraphs(graphs, y, n_permutations=99, min_expected_frequency=0.25)
    >>> ax = dg.plot.plot_null_maxima(result)
    >>> ax.get_xlabel()
    'largest z of a permutation'
    """
    _check_result(result)
    axes = drawing_axes(ax)
    return draw_chart(null_chart(result), axes)


def null_chart(result: SignificanceResult) -> Chart:
    """Compose the maxima of each size that has subgraphs."""
    shown = [k for k in range(len(result.size_classes)) if result.n_admitted[k]]
    statistic = result.parameters["statistic"]
    chance, observed = result.null_maxima[1:, shown], result.null_maxima[0, shown]
    critical = result.critical_values[shown]
    ends = [*chance.ravel(), *observed, *critical[np.isfinite(critical)]]
    sentences = []
    for row, k in enumerate(shown):
        n_beyond = int((chance[:, row] >= observed[row]).sum())
        sentences.append(
            f"Subgraphs of {result.size_classes[k]}: the largest {statistic} in each of {len(chance)} "
            f"permutations; {n_beyond} reach the observed {observed[row]:.3g}."
        )
        if math.isfinite(critical[row]):
            sentences.append(f"Values above {critical[row]:.3g} are significant.")
    chart = Chart(
        " ".join(sentences),
        *(with_margin(ends, 0.04), (0.0, float(len(shown)))),
        f"largest {statistic} of a permutation",
        rows=[result.size_classes[k] for k in shown],
    )
    for row in range(len(shown)):
        bottom = len(shown) - 1 - row
        counts, edges = np.histogram(chance[:, row], bins=_BINS, range=chart.x)
        if math.isfinite(critical[row]):
            chart.shade(critical[row], bottom, bottom + 0.9)
        chart.add("area", steps(edges, 0.62 * counts / max(int(counts.max()), 1), bottom), "plain")
        marks = {"critical": float(critical[row]), "observed": float(observed[row])}
        for line, (look, value) in enumerate(marks.items()):
            if math.isfinite(value):
                chart.add("rule", ((value, bottom), (value, bottom + 0.9)), look, f"{look} {value:.3g}", line)
    return chart


def plot_significant_subgraphs(
    result: SignificanceResult,
    graphs: UncertainGraphs | ArrayLike,
    *,
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the significant subgraphs that share no edge; the larger the effect, the wider.

    Parameters
    ----------
    result : SignificanceResult
        With at least one significant subgraph.
    graphs : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
        Those of the test, or of another cohort with the same regions.
    view, ax
        As for `plot_subgraph`.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.significant_subgraphs(graphs, y, n_permutations=99, min_expected_frequency=0.25)
    >>> ax = dg.plot.plot_significant_subgraphs(result, graphs)
    """
    _check_result(result)
    cohort = check_cohort(graphs)
    if not len(result):
        raise InputError("Nothing can be drawn: the test found no significant subgraph.")
    chosen = np.flatnonzero(result.representative)
    subgraphs = {k: check_subgraph(result.subgraphs[k], cohort.naming) for k in chosen.tolist()}
    axes = drawing_axes(ax)
    from matplotlib.lines import Line2D

    layers, most = layer_styles(cohort), float(np.abs(result.effects[chosen]).max()) or 1.0
    styles: dict[int, dict[str, Any]] = {}
    for k in subgraphs:
        side = POSITIVE if result.effects[k] >= 0 else NEGATIVE
        for edge in subgraphs[k]:
            line = side.line if cohort.edge_layers is None else layers[cohort.edge_layers[edge]]["linestyle"]
            width = 1.2 + 2.6 * abs(float(result.effects[k])) / most
            styles[edge] = {"color": side.colour, "linestyle": line, "linewidth": width}
    draw_subgraph_view(axes, cohort, styles, view, lines_above=2)
    explain_layers(axes, cohort, styles, color=INK)
    handles = []
    for side, words, sign in zip((POSITIVE, NEGATIVE), _meanings(result), (1, -1), strict=True):
        n = int((np.where(result.effects[chosen] >= 0, 1, -1) == sign).sum())
        if n:
            line = side.line if cohort.edge_layers is None else "-"
            handles.append(
                Line2D([], [], color=side.colour, linestyle=line, linewidth=2.4, label=f"{words}: {n}")
            )
    axes.legend(handles=handles, loc="upper center", frameon=False, fontsize="small", handlelength=2)
    return axes


def _meanings(result: SignificanceResult) -> tuple[str, str]:
    """What an effect above 0, and one below, says of a subgraph."""
    kind, adjusted = result.parameters["labels"], ", adjusted" * result.is_adjusted
    if kind == "classes":
        names = result.contrasts[0].split(" against ")
        if len(names) == 2:
            above, below = (plain(name, _ROOM) for name in names)
            return f"more frequent in {above}{adjusted}", f"more frequent in {below}{adjusted}"
        return "effect above 0", "effect below 0"  # a name that contains these words
    if kind == "phenotype":
        return f"rises with the phenotype{adjusted}", f"falls with the phenotype{adjusted}"
    return f"more frequent in a group{adjusted}", f"less frequent in a group{adjusted}"


def _check_result(result: object) -> None:
    if not isinstance(result, SignificanceResult):
        raise InputError(
            f"A SignificanceResult is needed: got {type(result).__name__}. Take it from "
            "significant_subgraphs(X, y)."
        )
