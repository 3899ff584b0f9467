"""Large results: edges as chords of a circle of regions, or as cells of a matrix, both ordered by network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dugraph.plot.brain import Structure
from dugraph.plot.matrices import module_order, name_rows, node_modules
from dugraph.plot.style import (
    FAINT,
    INK,
    LINE_STYLES,
    NEGATIVE,
    PALE,
    POSITIVE,
    Axes,
    colour_bar,
    difference_map,
    line_height,
    network_looks,
    plain,
    size_in_inches,
    spread,
    text_width,
)

_SIZE = "x-small"
_SHARE = 0.27  # of the smaller side of the axes that a name may take
_ARC = 0.06  # inches: width of the arc of a network
_BETWEEN = 0.5  # room between two networks, as a multiple of that of a region


Looks = Mapping[str, Mapping[str, str]]


def ordered_nodes(
    graphs: Structure, edges: Sequence[int], networks: Sequence[str] | None
) -> tuple[list[int], list[str] | None, Looks]:
    """The nodes of edges, network by network, and the network of each; lobes of AAL regions by default.

    Colours are those among all networks of the cohort, so that they are the same in all figures.
    """
    nodes = np.unique(graphs.edges[list(edges)]).tolist()
    modules = node_modules(graphs.node_labels, networks)
    if modules is None:
        return nodes, None, network_looks([""])
    order = [node for node in module_order(modules) if node in set(nodes)]
    return order, [modules[node] for node in order], network_looks(modules)


def draw_chords(
    ax: Axes,
    graphs: Structure,
    values: Mapping[int, float],
    networks: Sequence[str] | None = None,
    labels: bool = True,
) -> None:
    """Draw regions on a circle, network by network, and edges as chords.

    A chord is as wide as its value is large; values above 0 are solid and those below 0 are dashed. If the
    names of all regions do not fit around the circle, those of the networks are written.

    Parameters
    ----------
    ax : matplotlib Axes
    graphs : UncertainGraphs or SubgraphNaming
    values : mapping of int to float
        A value for each edge.
    networks : sequence of str, length n_nodes, optional
        Default: as in `plot_group_difference`.
    labels : bool, default True
        Whether names are written.
    """
    nodes, modules, looks = ordered_nodes(graphs, list(values), networks)
    runs = [(name, len(list(group))) for name, group in groupby(modules or [""] * len(nodes))]
    gap = _BETWEEN if len(runs) > 1 else 0.0
    slots = len(nodes) + gap * len(runs)
    at = np.concatenate([np.arange(size) + gap * i for i, (_, size) in enumerate(runs)]) + np.concatenate(
        [[0], np.cumsum([size for _, size in runs])[:-1]]
    ).repeat([size for _, size in runs])
    angles = np.pi / 2 - 2 * np.pi * (at + (1 + gap) / 2) / slots  # clockwise from the top
    ax.axis("off")
    width, height = size_in_inches(ax)
    half = min(width, height) / 2
    line = line_height(_SIZE)
    names = [plain(graphs.node_labels[node], 2 * _SHARE * half, _SIZE) for node in nodes]
    room = max(text_width(name, _SIZE) for name in names) if labels else 0.0
    radius = half - room - 3 * _ARC
    by_network = labels and 2 * np.pi * radius / slots < line and modules is not None
    if by_network:
        names = [plain(name, 2 * _SHARE * half, _SIZE) for name, _ in runs]
        radius = half - max(text_width(name, _SIZE) for name in names) - 4 * _ARC
    # Data units are inches.
    ax.set_xlim(-width / 2, width / 2)
    ax.set_ylim(-height / 2, height / 2)
    ax.set_aspect("equal", adjustable="box")
    places = dict(zip(nodes, angles, strict=True))
    _draw_chords(ax, graphs, values, places, radius)
    colours = _draw_arcs(ax, runs, angles, radius, slots, looks)
    if by_network:
        middles = [float(np.mean(part)) for part in np.split(angles, np.cumsum([n for _, n in runs])[:-1])]
        turned = -spread(-np.array(middles), line / radius)
        _write_names(ax, names, turned, np.array(middles), radius + 2.4 * _ARC, colours)
    elif labels:
        strength = [sum(abs(values[e]) for e in values if node in graphs.edges[e]) for node in nodes]
        chosen = _fitting(angles, strength, line / radius)
        _write_names(
            ax,
            [names[i] for i in chosen],
            angles[chosen],
            angles[chosen],
            radius + 2 * _ARC,
            [INK] * len(chosen),
        )


def _fitting(angles: NDArray[np.float64], strength: Sequence[float], gap: float) -> list[int]:
    """The strongest regions whose names do not overlap."""
    chosen: list[int] = []
    for i in np.argsort(-np.array(strength), kind="stable").tolist():
        apart = np.abs((angles[i] - angles[chosen] + np.pi) % (2 * np.pi) - np.pi)
        if not (apart < gap - 1e-9).any():
            chosen.append(i)
    return sorted(chosen)


def _draw_chords(
    ax: Axes, graphs: Structure, values: Mapping[int, float], places: Mapping[int, float], radius: float
) -> None:
    most = max(map(abs, values.values())) or 1.0
    layers = list(dict.fromkeys(graphs.edge_layers or ()))
    share = np.linspace(0, 1, 33)[:, None]
    for edge in sorted(values, key=lambda edge: (abs(values[edge]), edge)):
        value = values[edge]
        ends = np.array([places[node] for node in graphs.edges[edge].tolist()])
        start, end = radius * np.column_stack([np.cos(ends), np.sin(ends)])
        apart = abs((ends[0] - ends[1] + np.pi) % (2 * np.pi) - np.pi) / np.pi
        layer = layers.index(graphs.edge_layers[edge]) if graphs.edge_layers is not None else 0
        control = (start + end) / 2 * (0.85 - 0.1 * layer) * (1 - apart)
        curve = (1 - share) ** 2 * start + 2 * share * (1 - share) * control + share**2 * end
        side = POSITIVE if value >= 0 else NEGATIVE
        dashes = side.line if not layers else LINE_STYLES[layer % len(LINE_STYLES)]
        ax.plot(
            *curve.T, color=side.colour, linestyle=dashes, linewidth=0.5 + 2.2 * abs(value) / most,
            alpha=0.85, label=f"_edge {edge}", zorder=2 + abs(value) / most, solid_capstyle="round",
        )  # fmt: skip


def _draw_arcs(
    ax: Axes,
    runs: Sequence[tuple[str, int]],
    angles: NDArray[np.float64],
    radius: float,
    slots: float,
    looks: Looks,
) -> list[str]:
    """Draw the arc of each network; the colours of their names."""
    ends = np.cumsum([size for _, size in runs])
    half = 0.42 * 2 * np.pi / slots
    for (name, size), end in zip(runs, ends, strict=True):
        first, last = angles[end - size] + half, angles[end - 1] - half
        arc = np.linspace(first, last, max(3, 4 * size))
        colour = looks[name]["color"] if len(runs) > 1 else FAINT
        outer = (radius + _ARC) * np.column_stack([np.cos(arc), np.sin(arc)])
        ax.plot(*outer.T, color=colour, linewidth=72 * _ARC, solid_capstyle="butt", label=f"_network {name}")
    return [INK] * len(runs)


def _write_names(
    ax: Axes,
    names: Sequence[str],
    angles: NDArray[np.float64],
    begins: NDArray[np.float64],
    radius: float,
    colours: Sequence[str],
) -> None:
    """Write names outwards; `begins` are the angles that they belong to, joined by short lines."""
    for name, angle, begin, colour in zip(names, angles, begins, colours, strict=True):
        outwards = np.array([np.cos(angle), np.sin(angle)])
        if abs(angle - begin) > 1e-9:
            start = (radius - 0.3 * _ARC) * np.array([np.cos(begin), np.sin(begin)])
            ax.plot(
                *np.array([start, (radius + 0.8 * _ARC) * outwards]).T, color=PALE, linewidth=0.6, zorder=1
            )
        degrees = float(np.degrees(angle)) % 360
        flipped = 90 < degrees < 270
        ax.text(
            *((radius + 1.0 * _ARC) * outwards), name, fontsize=_SIZE, color=colour, va="center",
            ha="right" if flipped else "left", rotation=degrees - 180 if flipped else degrees,
            rotation_mode="anchor",
        )  # fmt: skip


def draw_cells(
    ax: Axes,
    graphs: Structure,
    values: Mapping[int, float],
    networks: Sequence[str] | None = None,
    labels: bool = True,
    signed: bool = True,
    title: str = "effect",
    room: float | None = None,
) -> None:
    """Draw a matrix of the regions that edges join, network by network, with a cell for each edge.

    The matrix is symmetric. With two layers of edges, the first is below the diagonal and the second above;
    with more, the value of the largest size is drawn.

    Parameters
    ----------
    ax : matplotlib Axes
    graphs : UncertainGraphs or SubgraphNaming
    values : mapping of int to float
    networks : sequence of str, length n_nodes, optional
        Default: as in `plot_group_difference`.
    labels : bool, default True
        Whether names are written: those of regions if they fit, else those of networks.
    signed : bool, default True
        Whether colours run from the negative to the positive side.
    title : str
        What the values are.
    room : float, optional
        Inches for a name. Default: 27 % of the width.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    nodes, modules, looks = ordered_nodes(graphs, list(values), networks)
    place = {node: i for i, node in enumerate(nodes)}
    cells = matrix_cells(graphs, values, place)
    n = len(nodes)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    ax.set_aspect("equal", adjustable="box")
    ax.set_facecolor("#F6F6F4")
    ax.plot((-0.5, n - 0.5), (-0.5, n - 0.5), color=PALE, linewidth=0.8)
    squares = PatchCollection(
        [Rectangle((column - 0.5, row - 0.5), 1, 1) for row, column in cells],
        cmap=difference_map() if signed else "cividis_r",
        edgecolor="white",
        linewidth=0.2,
        label="_cells",
        zorder=2,
    )
    squares.set_array(np.array(list(cells.values())))
    most = max(map(abs, values.values())) or 1.0
    squares.set_clim(-most if signed else 0.0, most)
    ax.add_collection(squares)
    fits = n * line_height(_SIZE) <= size_in_inches(ax)[1]
    if modules is not None and len(set(modules)) > 1:
        _draw_bands(ax, modules, looks)
    ax.set_xticks([])
    ax.set_yticks([])
    if labels and fits:
        room = _SHARE * size_in_inches(ax)[0] if room is None else room
        ax.set_yticks(
            range(n), [plain(graphs.node_labels[node], room, _SIZE) for node in nodes], fontsize=_SIZE
        )
        ax.tick_params(axis="y", length=0, pad=6)
    elif labels and modules is not None:
        name_rows(ax, modules)
    colour_bar(ax, squares, title)


def matrix_cells(
    graphs: Structure, values: Mapping[int, float], place: Mapping[int, int]
) -> dict[tuple[int, int], float]:
    """The value at each row and column that has one."""
    layers = sorted(set(graphs.edge_layers or ()))
    cells: dict[tuple[int, int], float] = {}
    for edge in sorted(values, key=lambda edge: abs(values[edge])):
        low, high = sorted(place[node] for node in graphs.edges[edge].tolist())
        both = [(high, low), (low, high)]
        if len(layers) == 2 and graphs.edge_layers is not None:
            both = [both[layers.index(graphs.edge_layers[edge])]]
        cells |= dict.fromkeys(both, values[edge])
    return cells


def _draw_bands(ax: Axes, modules: Sequence[str], looks: Looks) -> None:
    """Bands in the colours of the networks, to the left of the rows and below the columns."""
    begin = 0
    for name, group in groupby(modules):
        size = len(list(group))
        ends = (begin - 0.4, begin + size - 0.6)
        style = {"color": looks[name]["color"], "linewidth": 3.0, "solid_capstyle": "butt", "clip_on": False}
        ax.plot((-0.015, -0.015), ends, transform=ax.get_yaxis_transform(), **style)
        ax.plot(ends, (-0.015, -0.015), transform=ax.get_xaxis_transform(), **style)
        begin += size
