"""A test of significance: what chance alone gives, and the subgraphs that really differ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import check_word
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart, steps, with_margin
from dugraph.plot.circle import draw_cells, draw_chords
from dugraph.plot.panels import shown_by
from dugraph.plot.style import INK, NEGATIVE, POSITIVE, Axes, drawing_axes
from dugraph.plot.subgraph import draw_subgraph_view, explain_layers, layer_styles
from dugraph.significance import SignificanceResult
from dugraph.words import FIGURE_KINDS

_BINS = 40


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
    graphs: UncertainGraphs | LabelledGraphs | ArrayLike | None = None,
    *,
    kind: str = "brain",
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the significant subgraphs into one axes; the larger the effect, the wider or darker.

    On the brain, those that share no edge, the representatives of the families; as a matrix or a circle of
    regions, all edges of irreducible subgraphs. `subgraph_figure` draws several views or families.

    Parameters
    ----------
    result : SignificanceResult
        With at least one significant subgraph.
    graphs : UncertainGraphs, LabelledGraphs or array-like of shape (n_graphs, n_edges), optional
        Those of the test. Default: the nodes and edges that the result carries.
    kind : {"brain", "matrix", "chord"}, default "brain"
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
    >>> ax = dg.plot.plot_significant_subgraphs(result)
    """
    _check_result(result)
    check_word("kind", kind, FIGURE_KINDS)
    shown = shown_by(result, graphs)
    naming, values = shown.naming, shown.together.values
    axes = drawing_axes(ax)
    from matplotlib.lines import Line2D

    if kind == "brain":
        layers, most = layer_styles(naming), max(map(abs, values.values())) or 1.0
        styles: dict[int, dict[str, Any]] = {}
        for edge, value in values.items():
            side = POSITIVE if value >= 0 else NEGATIVE
            line = side.line if naming.edge_layers is None else layers[naming.edge_layers[edge]]["linestyle"]
            width = 1.2 + 2.6 * abs(value) / most
            styles[edge] = {"color": side.colour, "linestyle": line, "linewidth": width}
        draw_subgraph_view(axes, naming, styles, view, lines_above=2)
        explain_layers(axes, naming, styles, color=INK)
    else:
        every = {**shown.together.variants, **values}
        if kind == "chord":
            draw_chords(axes, naming, every, naming.node_networks)
        else:
            draw_cells(axes, naming, every, naming.node_networks)
    handles = []
    assert shown.meanings is not None
    for side, words, sign in zip((POSITIVE, NEGATIVE), shown.meanings, (1, -1), strict=True):
        chosen = result.effects[result.representative]
        n = int((np.where(chosen >= 0, 1, -1) == sign).sum())
        if n:
            line = side.line if naming.edge_layers is None else "-"
            handles.append(
                Line2D([], [], color=side.colour, linestyle=line, linewidth=2.4, label=f"{words}: {n}")
            )
    place = (
        {"loc": "upper center"} if kind == "brain" else {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    )
    axes.legend(handles=handles, frameon=False, fontsize="small", handlelength=2, **place)
    return axes


def _check_result(result: object) -> None:
    if not isinstance(result, SignificanceResult):
        raise InputError(
            f"A SignificanceResult is needed: got {type(result).__name__}. Take it from "
            "significant_subgraphs(X, y)."
        )
