"""Subgraphs as light SVG: on outlines of the brain drawn once, or on a circle without coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.plot.bows import bows, sideways
from dugraph.plot.brain_view import VIEWS, View, round_outline
from dugraph.plot.label_layout import spread
from dugraph.report.brain_outline import brain_above, brain_side, encloses
from dugraph.report.markup import element, joined, path, shortened

# The views that are drawn on the page.
_SHOWN = {key: VIEWS[key] for key in ("above", "right")}

Points = NDArray[np.float64]
Subgraph = Sequence[int]
_EDGE_SPACE = 6.0  # units around an outline
_LETTER = 5.4  # units that a letter of a name takes
_LINE = 11.0  # units from one name to the next
_RADIUS = 80.0  # of the circle of a network without coordinates
_BEND = 9.0  # units by which parallel edges are drawn apart
_SMALL, LARGE = 5.0, 2.8  # widths of lines, as the style sheet has them
DASHES = (None, "7 4", "2 4", "10 3 2 3")
"""Line styles of layers, in the order of their names."""


@dataclass(frozen=True)
class Line:
    """An edge to be drawn: its width, its dashes and its class, where they are not those of the picture."""

    edge: int
    width: float | None = None
    dashes: str | None = None
    side: str | None = None


@dataclass(frozen=True)
class Ground:
    """What subgraphs are drawn on: places of all nodes, and an outline that is drawn once.

    Attributes
    ----------
    name : str
        Of the element that holds the outline.
    caption : str
    places : ndarray of shape (n_nodes, 2)
        In units of the picture, which run to the right and down.
    box : tuple of float
        Left, top, width and height.
    symbol : Markup
        The outline.
    """

    name: str
    caption: str
    places: Points
    box: tuple[float, float, float, float]
    symbol: Markup


def grounds(graphs: UncertainGraphs) -> list[Ground]:
    """Two views of the brain, or of another space in which nodes have coordinates; else none."""
    if graphs.node_coordinates is None:
        return []
    coordinates = graphs.node_coordinates
    outlines = {"above": brain_above(), "right": brain_side()}
    in_brain = all(
        encloses(outlines[key][0], coordinates[:, [view.across, view.up]]) for key, view in _SHOWN.items()
    )
    if in_brain:
        return [_ground(key, view, coordinates, *outlines[key]) for key, view in _SHOWN.items()]
    scale = 150.0 / max(float(np.ptp(coordinates)), 1e-300)
    scaled = (coordinates - coordinates.mean(axis=0)) * scale
    nothing = np.zeros((0, 2))
    return [
        _ground(key, view, scaled, round_outline(scaled[:, [view.across, view.up]]).T[::5], nothing)
        for key, view in _SHOWN.items()
    ]


def _ground(key: str, view: View, coordinates: Points, outline: Points, inner: Points) -> Ground:
    down = np.array([1.0, -1.0])  # a page counts downwards
    places = np.round(coordinates[:, [view.across, view.up]] * down)
    low, high = (outline * down).min(axis=0) - _EDGE_SPACE, (outline * down).max(axis=0) + _EDGE_SPACE
    drawn = [element("path", d=path(outline * down, closed=True), class_="outline")]
    if len(inner):
        drawn.append(element("path", d=path(inner * down), class_="fissure"))
    dots = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in np.unique(places, axis=0))
    drawn.append(element("path", d=dots, class_="all-nodes"))
    box = (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
    return Ground(f"brain-{key}", view.title, places, box, element("g", *drawn, id=f"brain-{key}"))


def circle_places(graphs: UncertainGraphs, subgraph: Subgraph) -> dict[int, Points]:
    """Places on a circle for the nodes of a subgraph, in the order of a walk along its edges."""
    pairs = graphs.edges[list(subgraph)].tolist()
    order: list[int] = []
    open_nodes = [pairs[0][0]]
    while open_nodes:
        node = open_nodes.pop()
        if node not in order:
            order.append(node)
            open_nodes += [b if a == node else a for a, b in pairs if node in (a, b)]
    angle = np.pi * (2 * np.arange(len(order)) / len(order) + 1)  # begins at the left
    return {node: _RADIUS * np.array([np.cos(a), np.sin(a)]) for node, a in zip(order, angle, strict=True)}


def draw_lines(graphs: UncertainGraphs, lines: Sequence[Line], places: dict[int, Points]) -> Markup:
    """Edges and their nodes; lines between the same nodes bend apart, others bow around nodes in between."""
    pairs = [(min(pair), max(pair)) for pair in graphs.edges[[line.edge for line in lines]].tolist()]
    total, drawn = Counter(pairs), Counter[tuple[int, int]]()
    parts = []
    for line, (u, v), bow in zip(lines, pairs, bows(pairs, places), strict=True):
        a, b = places[u], places[v]
        offset = (drawn[u, v] - (total[u, v] - 1) / 2) * 2 * _BEND
        drawn[u, v] += 1
        across = np.array([a[1] - b[1], b[0] - a[0]]) / max(float(np.hypot(*(a - b))), 1.0)
        cx, cy = (a + b) / 2 + across * offset + 2 * bow * sideways(a, b)
        straight = offset == 0 and bow == 0
        bend = f"L{b[0]:.0f} {b[1]:.0f}" if straight else f"Q{cx:.0f} {cy:.0f} {b[0]:.0f} {b[1]:.0f}"
        look = {"stroke_dasharray": line.dashes, "stroke_width": line.width, "class_": line.side}
        parts.append(element("path", d=f"M{a[0]:.0f} {a[1]:.0f}{bend}", **look))
    nodes = sorted({node for pair in pairs for node in pair})
    dots = "".join(f"M{places[node][0]:.0f} {places[node][1]:.0f}h0" for node in nodes)
    rings = element("path", d=dots, class_="node-edge")
    return element("g", *parts, rings, element("path", d=dots, class_="node"), class_="lines")


def layer_dashes(graphs: UncertainGraphs, edge: int) -> str | None:
    """The line style of the layer of an edge."""
    if graphs.edge_layers is None:
        return None
    return DASHES[sorted(set(graphs.edge_layers)).index(graphs.edge_layers[edge]) % len(DASHES)]


def line_width(size: float, base: float) -> float:
    """The width of a line for a coefficient of this share, from 0 to 1, of the largest one."""
    return base * (0.45 + 1.05 * size)


def subgraph_lines(
    graphs: UncertainGraphs, subgraph: Subgraph, side: str, size: float | None, base: float
) -> list[Line]:
    """The lines of one subgraph; with a size, width and, without layers, dashes tell its coefficient."""
    width = None if size is None else line_width(size, base)
    negative = DASHES[1] if size is not None and side == "neg" else None
    return [
        Line(edge, width, negative if graphs.edge_layers is None else layer_dashes(graphs, edge))
        for edge in subgraph
    ]


def layer_key(layers: Sequence[str]) -> list[tuple[str, Markup]]:
    """The style of line of each layer, `layers` in the order of their names."""
    return [
        (name, element("svg", _key_line(i), class_="strokes", viewBox="0 0 40 10", aria_hidden="true"))
        for i, name in enumerate(layers)
    ]


def _key_line(place: int) -> Markup:
    return element("path", d="M2 5H38", stroke_dasharray=DASHES[place % len(DASHES)])


def small_picture(
    graphs: UncertainGraphs, subgraph: Subgraph, ground: Ground | None, side: str, size: float | None = None
) -> Markup:
    """A picture for a row of a table, hidden from screen readers, since the row names the edges.

    Parameters
    ----------
    graphs : UncertainGraphs
    subgraph : sequence of int
    ground : Ground or None
        None: on a circle.
    side : {"pos", "neg"}
        The class in which the subgraph is more frequent, or for which its coefficient speaks: the colour.
    size : float from 0 to 1, optional
        Of its coefficient, as a share of the largest one.
    """
    places, box, below = _placed(graphs, subgraph, ground)
    lines = draw_lines(graphs, subgraph_lines(graphs, subgraph, side, size, _SMALL), places)
    look = f"small {_look(side, size)}"
    return element("svg", below, lines, class_=look, viewBox=view_box(box), aria_hidden="true")


def _look(side: str, size: float | None) -> str:
    return f"on-{side}" if size is None else f"on-{side} signed"


def large_picture(
    graphs: UncertainGraphs,
    subgraph: Subgraph,
    ground: Ground | None,
    side: str,
    title: str,
    named: bool = True,
    size: float | None = None,
) -> Markup:
    """A picture with the names of the nodes in its margins; parameters as for `small_picture`."""
    places, box, below = _placed(graphs, subgraph, ground)
    nodes = sorted({node for edge in subgraph for node in graphs.edges[edge].tolist()})
    names = Markup()
    if named:
        names, box = named_nodes(graphs, nodes, places, box)
    return element(
        "svg",
        element("title", title),
        below,
        names,
        draw_lines(graphs, subgraph_lines(graphs, subgraph, side, size, LARGE), places),
        class_=f"large {_look(side, size)}",
        viewBox=view_box(box),
        role="img",
    )


def _placed(
    graphs: UncertainGraphs, subgraph: Subgraph, ground: Ground | None
) -> tuple[dict[int, Points], tuple[float, float, float, float], Markup]:
    if ground is None:
        half = _RADIUS + 2 * _EDGE_SPACE
        return circle_places(graphs, subgraph), (-half, -half, 2 * half, 2 * half), Markup()
    nodes = {node for edge in subgraph for node in graphs.edges[edge].tolist()}
    return (
        {node: ground.places[node] for node in nodes},
        ground.box,
        element("use", href=f"#{ground.name}"),
    )


def view_box(box: tuple[float, float, float, float]) -> str:
    return " ".join(f"{value:.0f}" for value in box)


def named_nodes(
    graphs: UncertainGraphs,
    nodes: list[int],
    places: dict[int, Points],
    box: tuple[float, float, float, float],
) -> tuple[Markup, tuple[float, float, float, float]]:
    """Names beside the outline, each joined to its node by a thin line; and the box with room for them."""
    left, top, width, height = box
    room = 8 + _LETTER * max(len(shortened(graphs.node_labels[node])) for node in nodes)
    spare = max(0.0, _LINE * len(nodes) - height) / 2
    roomy = (left - room, top - spare, width + 2 * room, height + 2 * spare)
    parts = []
    for is_right in (False, True):
        members = [node for node in nodes if (places[node][0] > left + width / 2) == is_right]
        heights = spread([places[node][1] for node in members], _LINE)
        at, step = (left + width, 1) if is_right else (left, -1)
        for node, height in zip(members, heights, strict=True):
            x, y = places[node]
            leader = f"M{x:.0f} {y:.0f}L{at - 4 * step:.0f} {height:.0f}h{4 * step}"
            parts.append(element("path", d=leader, class_="leader"))
            anchor = "start" if is_right else "end"
            label = shortened(graphs.node_labels[node])
            parts.append(
                element("text", label, x=float(at + 3 * step), y=float(height + 3), text_anchor=anchor)
            )
    return joined(*parts), roomy
