"""One view of the brain: an outline, all regions, the edges of subgraphs in colour, names in the margins."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.spatial import ConvexHull, QhullError

from dugraph.data import UncertainGraphs
from dugraph.plot.label_layout import spread

_LINE = 0.165  # inches from one name in the margin to the next
_LETTER = 0.077  # inches that a letter of a name takes
_AROUND = 9.0  # millimetres from the outermost nodes to the outline
_MARGIN = 10.0  # millimetres from the outline to the names


@dataclass(frozen=True)
class View:
    """Which two coordinates are drawn, and what lies to the left and to the right of them."""

    title: str
    across: int
    up: int
    sides: tuple[str, str]


VIEWS = {
    "above": View("from above (front at the top)", 0, 1, ("left", "right")),
    "right": View("from the right side", 1, 2, ("back", "front")),
}


def components(graphs: UncertainGraphs, edges: Collection[int]) -> list[list[int]]:
    """Split edges into connected components, in the order of their smallest edges."""
    nodes: list[tuple[set[int], list[int]]] = []
    for edge in sorted(edges):
        touched, members = set(graphs.edges[edge].tolist()), [edge]
        for part in [part for part in nodes if part[0] & touched]:
            nodes.remove(part)
            touched |= part[0]
            members += part[1]
        nodes.append((touched, sorted(members)))
    return sorted(members for _, members in nodes)


def draw_view(
    axes: Any, graphs: UncertainGraphs, view: View, colour: Mapping[int, str], known: Collection[int]
) -> None:
    """Draw the coloured edges of a cohort with coordinates into an axes object of matplotlib.

    Parameters
    ----------
    axes : matplotlib Axes
    graphs : UncertainGraphs
    view : View
    colour : mapping of int to str
        Colour of each edge to draw.
    known : collection of int
        Edges drawn solid; the others are dashed if there are known ones.
    """
    assert graphs.node_coordinates is not None
    xy = graphs.node_coordinates[:, [view.across, view.up]]
    outline = round_outline(xy)
    axes.set_title(view.title, fontsize=10.5)
    axes.fill(*outline, facecolor="#f4f4f2", edgecolor="#bdbdb8", linewidth=1.2, zorder=0)
    axes.scatter(*xy.T, s=9, color="#c9c9c4", zorder=1, linewidths=0)
    node_colour: dict[int, str] = {}
    for edge, tint in colour.items():
        u, v = graphs.edges[edge].tolist()
        style = "-" if edge in known or not known else (0, (2, 1.6))
        axes.plot(*xy[[u, v]].T, color=tint, linewidth=2.6, linestyle=style, zorder=3, solid_capstyle="round")
        node_colour |= {u: tint, v: tint}
    drawn = sorted(node_colour)
    tints = [node_colour[node] for node in drawn]
    axes.scatter(*xy[drawn].T, s=58, color=tints, edgecolor="white", linewidth=1.1, zorder=4)
    _name_nodes(
        axes, xy[drawn], [graphs.node_labels[node].replace("_", " ") for node in drawn], tints, outline
    )
    for side, place, align in zip(
        view.sides, (outline[0].min(), outline[0].max()), ("left", "right"), strict=True
    ):
        axes.text(
            place, outline[1].min(), side, ha=align, va="top", fontsize=8.5, color="#777772", style="italic"
        )
    axes.set_aspect("equal")
    axes.axis("off")


def round_outline(xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """A smooth closed curve a little outside of all nodes, as two rows of coordinates."""
    centre = (xy.min(axis=0) + xy.max(axis=0)) / 2
    angle = np.linspace(0, 2 * np.pi, 360)
    ray = np.column_stack([np.cos(angle), np.sin(angle)])
    try:
        facets = ConvexHull(xy).equations  # normal and offset of each side of the hull
    except (QhullError, ValueError):  # nodes on one line have no hull
        return np.asarray(centre[:, None] + (np.ptp(xy, axis=0) / 2 + _AROUND)[:, None] * ray.T)
    slope = ray @ facets[:, :2].T
    distance = -(facets[:, :2] @ centre + facets[:, 2])
    radius = np.min(np.where(slope > 1e-9, distance / np.maximum(slope, 1e-9), np.inf), axis=1)
    smooth = gaussian_filter1d(radius + _AROUND, 12, mode="wrap")
    return np.asarray(centre[:, None] + smooth * ray.T)


def _name_nodes(
    axes: Any,
    xy: NDArray[np.float64],
    names: list[str],
    tints: list[str],
    outline: NDArray[np.float64],
) -> None:
    """Write names into the two margins, each joined to its node by a thin line."""
    low, high = outline.min(axis=1), outline.max(axis=1)
    right = xy[:, 0] > (low[0] + high[0]) / 2
    room = [
        _LETTER * max((len(names[i]) for i in np.flatnonzero(side)), default=0) for side in (~right, right)
    ]
    scale = _fit(axes, low, high, room)
    for side, at, step, align in (
        (~right, low[0] - _MARGIN, -1, "right"),
        (right, high[0] + _MARGIN, 1, "left"),
    ):
        members = np.flatnonzero(side)
        for node, height in zip(members, spread(xy[members, 1], _LINE * scale), strict=True):
            axes.plot(
                (xy[node, 0], at - step * 3, at),
                (xy[node, 1], height, height),
                color="#a3a39e",
                linewidth=0.7,
                zorder=2,
            )
            axes.text(
                at + step * 1.5,
                height,
                names[node],
                ha=align,
                va="center",
                fontsize=9.5,
                color=tints[node],
                parse_math=False,
            )


def _fit(axes: Any, low: NDArray[np.float64], high: NDArray[np.float64], room: list[float]) -> float:
    """Set limits that leave the inches of `room` beside the outline; return millimetres per inch."""
    box = axes.get_position()
    width, height = np.array([box.width, box.height]) * axes.figure.get_size_inches()
    across = (high[0] - low[0] + 2 * _MARGIN) / max(width - sum(room), 1.0)
    scale = float(max(across, (high[1] - low[1]) / height))
    spare = max(width - sum(room) - (high[0] - low[0] + 2 * _MARGIN) / scale, 0.0) / 2
    axes.set_xlim(low[0] - _MARGIN - (room[0] + spare) * scale, high[0] + _MARGIN + (room[1] + spare) * scale)
    middle = (low[1] + high[1]) / 2
    axes.set_ylim(middle - height * scale / 2, middle + height * scale / 2)
    return scale
