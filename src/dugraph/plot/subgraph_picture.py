"""A picture of subgraphs: in the brain from above and from the side, and their frequency in both classes."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import as_list, check_kind
from dugraph.data.columns import as_column
from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file
from dugraph.plot.brain_view import VIEWS, View, draw_brain
from dugraph.plot.colours import COLOURS, FAINT
from dugraph.plot.edge_lines import draw_edges
from dugraph.plot.network_view import components
from dugraph.plot.node_names import name_nodes
from dugraph.plot.text import plain
from dugraph.probability import containment_probability
from dugraph.probability.containment import check_subgraphs

WHITE = "#ffffff"


def draw_subgraphs(
    path: str | os.PathLike[str],
    graphs: UncertainGraphs,
    subgraphs: Sequence[tuple[int, ...]],
    is_positive: NDArray[np.bool_],
    *,
    title: str,
    class_names: tuple[str, str] = ("positive", "negative"),
    planted: Collection[tuple[int, ...]] = (),
) -> None:
    """Write a PNG of ranked subgraphs on the coordinates of their nodes.

    Parameters
    ----------
    path : path-like
        The file, complete or not there.
    graphs : UncertainGraphs
        With node coordinates in millimetres: x to the right, y to the front, z up.
    subgraphs : sequence of tuple of int
        Edge indices, best first; not more than about a dozen stay readable.
    is_positive : ndarray of bool, shape (n_graphs,)
    title : str
    class_names : pair of str
        What positive and negative graphs are called.
    planted : collection of tuple of int
        Known answers: their ranks are marked, other edges are drawn dashed.

    Raises
    ------
    InputError
        If the cohort has no coordinates.
    ImportError
        If matplotlib, the extra ``report``, is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install 'dugraph[report]'.") from error
    check_kind(graphs, UncertainGraphs, "graphs")
    if graphs.node_coordinates is None:
        raise InputError("A picture needs node_coordinates, but the cohort has none. Give x, y, z per node.")
    subgraphs = check_subgraphs(subgraphs, graphs.n_edges)
    planted = check_subgraphs(planted, graphs.n_edges)
    is_positive = _checked_classes(is_positive, graphs.n_graphs)
    class_names = _checked_names(class_names)
    parts = components(graphs, {edge for subgraph in subgraphs for edge in subgraph})
    colour = {edge: COLOURS[i % len(COLOURS)] for i, part in enumerate(parts) for edge in part}
    known = {edge for subgraph in planted for edge in subgraph}
    figure = Figure(figsize=(13.5, 4.5), dpi=110, facecolor="white")
    figure.text(0.012, 0.945, plain(check_kind(title, str, "title")), fontsize=13)
    for left, view in ((0.008, VIEWS["above"]), (0.37, VIEWS["right"])):
        _draw_view(figure.add_axes((left, 0.05, 0.365, 0.81)), graphs, view, colour, known)
    if known:
        figure.text(0.012, 0.03, "solid: planted edges; dashed: other edges", fontsize=9, color=FAINT)
    frequencies = figure.add_axes((0.785, 0.17, 0.15, 0.69))
    _draw_frequencies(frequencies, graphs, subgraphs, is_positive, class_names, set(planted), colour)
    with atomic_file(path) as file:
        # Without its own note about the version the file depends on the drawing alone.
        figure.savefig(file, format="png", metadata={"Software": None})


def _checked_classes(is_positive: object, n_graphs: int) -> NDArray[np.bool_]:
    column = as_column(is_positive, "is_positive")
    if column.dtype != np.bool_ or len(column) != n_graphs:
        raise InputError(
            f"is_positive must be True or False for each of {counted(n_graphs, 'graph')}, but has "
            f"{len(column)} values of dtype {column.dtype}.",
            parameter="is_positive",
        )
    return column


def _checked_names(class_names: object) -> tuple[str, str]:
    names = [
        check_kind(name, str, "class_names") for name in as_list(class_names, "class_names", "two texts")
    ]
    if len(names) != 2:
        raise InputError(f"class_names must be two texts, but are {len(names)}.", parameter="class_names")
    return names[0], names[1]


def _draw_view(
    axes: Any, graphs: UncertainGraphs, view: View, colour: dict[int, str], known: Collection[int]
) -> None:
    assert graphs.node_coordinates is not None
    xy = graphs.node_coordinates[:, [view.across, view.up]]
    axes.set_title(view.title, fontsize=10.5)
    box = draw_brain(axes, graphs.node_coordinates, view)
    solid = known or colour
    styles = {
        edge: {"color": tint, "linewidth": 2.6, "linestyle": "-" if edge in solid else (0, (2, 1.6))}
        for edge, tint in colour.items()
    }
    draw_edges(axes, graphs, xy, styles)
    tints = {node: tint for edge, tint in colour.items() for node in graphs.edges[edge].tolist()}
    nodes = sorted(tints)
    drawn = [tints[node] for node in nodes]
    axes.scatter(*xy[nodes].T, s=58, color=drawn, edgecolor="white", linewidth=1.1, zorder=4)
    names = [graphs.node_labels[node].replace("_", " ") for node in nodes]
    name_nodes(axes, xy[nodes], names, drawn, box, [1.0] * len(nodes))


def _draw_frequencies(
    axes: Any,
    graphs: UncertainGraphs,
    subgraphs: Sequence[tuple[int, ...]],
    is_positive: NDArray[np.bool_],
    class_names: tuple[str, str],
    planted: set[tuple[int, ...]],
    colour: dict[int, str],
) -> None:
    axes.set_title("expected frequency", fontsize=10.5)
    for rank, subgraph in enumerate(subgraphs, start=1):
        probability = containment_probability(graphs.edge_probability, subgraph)
        ends = (float(probability[~is_positive].mean()), float(probability[is_positive].mean()))
        tint = colour[subgraph[0]]
        axes.plot(ends, (rank, rank), color=tint, linewidth=3, zorder=1)
        for end, fill in zip(ends, (WHITE, tint), strict=True):
            axes.scatter([end], [rank], s=52, facecolor=fill, edgecolor=tint, linewidth=2, zorder=2)
    axes.scatter([], [], s=52, facecolor=FAINT, edgecolor=FAINT, linewidth=2, label=plain(class_names[0]))
    axes.scatter([], [], s=52, facecolor=WHITE, edgecolor=FAINT, linewidth=2, label=plain(class_names[1]))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=2, frameon=False, fontsize=9.5)
    axes.set_yticks(range(1, len(subgraphs) + 1))
    axes.set_ylabel("rank", fontsize=9.5)
    axes.set_ylim(len(subgraphs) + 0.6, 0.4)
    axes.set_xlim(0, 1)
    for rank, subgraph in enumerate(subgraphs, start=1):
        if subgraph in planted:
            axes.text(1.02, rank, "planted", va="center", fontsize=9.5, color=colour[subgraph[0]])
    axes.tick_params(axis="y", length=0, labelsize=9.5)
    axes.tick_params(axis="x", labelsize=9)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x", color="#e6e6e6", zorder=0)
    axes.set_axisbelow(True)
