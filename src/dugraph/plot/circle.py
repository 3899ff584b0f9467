"""Large results as a circle: regions network by network, edges as chords."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dugraph.plot.brain import Structure
from dugraph.plot.matrices import Looks, ordered_nodes
from dugraph.plot.style import (
    FAINT,
    INK,
    LINE_STYLES,
    NEGATIVE,
    PALE,
    POSITIVE,
    Axes,
    line_height,
    plain,
    size_in_inches,
    spread,
    text_width,
)

Floats = NDArray[np.float64]
_SIZE = "x-small"
_SHARE = 0.27  # of the smaller side of the axes that a name may take
_ARC = 0.06  # inches: width of the arc of a network
_BETWEEN = 0.5  # room between two networks, as a multiple of that of a region


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
    """
    nodes, modules, looks = ordered_nodes(graphs, list(values), networks)
    runs = [(name, len(list(group))) for name, group in groupby(modules or [""] * len(nodes))]
    sizes = [size for _, size in runs]
    ends = np.cumsum(sizes)
    gap = _BETWEEN if len(runs) > 1 else 0.0
    slots = len(nodes) + gap * len(runs)
    at = np.arange(len(nodes)) + gap * np.repeat(np.arange(len(runs)), sizes)
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
    _draw_edges(ax, graphs, values, dict(zip(nodes, angles, strict=True)), radius)
    _draw_arcs(ax, runs, np.split(angles, ends[:-1]), radius, 0.42 * 2 * np.pi / slots, looks)
    if by_network:
        middles = np.array([part.mean() for part in np.split(angles, ends[:-1])])
        _write_names(ax, names, -spread(-middles, line / radius), middles, radius + 2.4 * _ARC)
    elif labels:
        strength = [sum(abs(values[e]) for e in values if node in graphs.edges[e]) for node in nodes]
        chosen = _fitting(angles, strength, line / radius)
        _write_names(ax, [names[i] for i in chosen], angles[chosen], angles[chosen], radius + 2 * _ARC)


def _on_circle(radius: float, angles: Floats) -> Floats:
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _apart(a: Floats, b: Floats) -> Floats:
    """The angle between two directions, from 0 to pi."""
    return np.abs((a - b + np.pi) % (2 * np.pi) - np.pi)


def _fitting(angles: Floats, strength: Sequence[float], gap: float) -> list[int]:
    """The strongest regions whose names do not overlap."""
    chosen: list[int] = []
    for i in np.argsort(-np.array(strength), kind="stable").tolist():
        if not (_apart(angles[i], angles[chosen]) < gap - 1e-9).any():
            chosen.append(i)
    return sorted(chosen)


def _draw_edges(
    ax: Axes, graphs: Structure, values: Mapping[int, float], places: Mapping[int, float], radius: float
) -> None:
    most = max(map(abs, values.values())) or 1.0
    layers = list(dict.fromkeys(graphs.edge_layers or ()))
    share = np.linspace(0, 1, 33)[:, None]
    for edge in sorted(values, key=lambda edge: (abs(values[edge]), edge)):
        value = values[edge]
        angles = np.array([places[node] for node in graphs.edges[edge].tolist()])
        start, end = _on_circle(radius, angles)
        layer = layers.index(graphs.edge_layers[edge]) if graphs.edge_layers is not None else 0
        control = (start + end) / 2 * (0.85 - 0.1 * layer) * (1 - _apart(*angles) / np.pi)
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
    angles: Sequence[Floats],
    radius: float,
    half: float,
    looks: Looks,
) -> None:
    """Draw the arc of each network, from half a region before its first to half a region after its last."""
    for (name, size), own in zip(runs, angles, strict=True):
        arc = np.linspace(own[0] + half, own[-1] - half, max(3, 4 * size))
        colour = looks[name]["color"] if len(runs) > 1 else FAINT
        outer = _on_circle(radius + _ARC, arc)
        ax.plot(*outer.T, color=colour, linewidth=72 * _ARC, solid_capstyle="butt", label=f"_network {name}")


def _write_names(ax: Axes, names: Sequence[str], angles: Floats, begins: Floats, radius: float) -> None:
    """Write names outwards; `begins` are the angles that they belong to, joined by short lines."""
    for name, angle, begin in zip(names, angles, begins, strict=True):
        (outwards,), (start,) = _on_circle(1.0, angle), _on_circle(radius - 0.3 * _ARC, begin)
        if abs(angle - begin) > 1e-9:
            lead = np.array([start, (radius + 0.8 * _ARC) * outwards])
            ax.plot(*lead.T, color=PALE, linewidth=0.6, zorder=1)
        degrees = float(np.degrees(angle)) % 360
        flipped = 90 < degrees < 270
        ax.text(
            *((radius + 1.0 * _ARC) * outwards), name, fontsize=_SIZE, color=INK, va="center",
            ha="right" if flipped else "left", rotation=degrees - 180 if flipped else degrees,
            rotation_mode="anchor",
        )  # fmt: skip
