"""Edges as lines: parallel ones bend apart, and those that would run through another node bow around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.plot.axes import Axes
from dugraph.plot.bows import bows, sideways
from dugraph.plot.colours import COLOURS, LINE_STYLES
from dugraph.plot.text import plain

_BEND = 0.22  # distance of parallel lines at their middles, as a share of their length


def draw_edges(
    ax: Axes, graphs: UncertainGraphs, xy: NDArray[np.float64], styles: Mapping[int, Mapping[str, Any]]
) -> None:
    """Draw edges as lines.

    Parameters
    ----------
    ax : matplotlib Axes
    graphs : UncertainGraphs
    xy : ndarray of shape (n_nodes, 2)
        Positions of all nodes.
    styles : mapping of int to mapping
        For each edge, in the order of drawing, properties of its `Line2D`.
    """
    bends = _bends(graphs, styles)
    pairs = [(int(u), int(v)) for u, v in graphs.edges[list(bends)]]
    for (edge, bend), bow in zip(bends.items(), bows(pairs, xy), strict=True):
        start, end = xy[graphs.edges[edge]]
        apart = bend * np.array([start[1] - end[1], end[0] - start[0]]) + bow * sideways(start, end)
        points = _arc(start, end, apart) if apart.any() else np.array([start, end])
        # The label, which no legend shows, names the edge for anyone who inspects the drawing.
        ax.plot(*points.T, solid_capstyle="round", label=f"_edge {edge}", **{"zorder": 3, **styles[edge]})


def layer_styles(graphs: UncertainGraphs) -> dict[str, dict[str, str]]:
    """Colour and dashes of each layer; none if the edges have no layers."""
    layers = dict.fromkeys(graphs.edge_layers or ())
    return {
        layer: {"color": COLOURS[i % len(COLOURS)], "linestyle": LINE_STYLES[i % len(LINE_STYLES)]}
        for i, layer in enumerate(layers)
    }


def explain_layers(ax: Axes, graphs: UncertainGraphs, edges: Iterable[int], **style: Any) -> None:
    """Write a legend of the layers that are drawn."""
    if graphs.edge_layers is None:
        return
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    drawn = {graphs.edge_layers[edge] for edge in edges}
    styles = {layer: {**own, **style} for layer, own in layer_styles(graphs).items() if layer in drawn}
    lines = [Line2D([], [], linewidth=2.4, **own) for own in styles.values()]
    names = [plain(layer, 1.2) for layer in styles]
    # Not by ax.legend, which has place for one legend only.
    ax.add_artist(
        Legend(
            ax, lines, names, loc="lower center", ncols=2, frameon=False, fontsize="small", handlelength=2.8
        )
    )


def _bends(graphs: UncertainGraphs, edges: Iterable[int]) -> dict[int, float]:
    parallel: dict[tuple[int, int], list[int]] = {}
    for edge in edges:
        parallel.setdefault(tuple(graphs.edges[edge].tolist()), []).append(edge)
    place = {edge: (group.index(edge), len(group)) for group in parallel.values() for edge in group}
    return {edge: _BEND * (place[edge][0] - (place[edge][1] - 1) / 2) for edge in edges}


def _arc(
    start: NDArray[np.float64], end: NDArray[np.float64], apart: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A curve whose middle is `apart` from that of the straight line."""
    control = (start + end) / 2 + 2 * apart
    t = np.linspace(0, 1, 25)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)
