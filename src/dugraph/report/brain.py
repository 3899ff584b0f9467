"""Subgraphs as light SVG: on outlines of the brain that are written once, or on a circle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from dugraph.data import UncertainGraphs
from dugraph.plot.brain import BrainView, Points, brain_views, circle_layout, edge_curves, margin_names
from dugraph.plot.style import one_line, shorten
from dugraph.report.charts import dots, element, path
from dugraph.results.records import RankedSubgraph

_MARGIN = 6.0  # units around an outline
_RADIUS = 80.0  # of the circle of a network without coordinates
_EXTENT = 150.0  # units of a space that is not the brain's
_LETTER, _LINE = 5.4, 11.0  # units that a letter of a name takes, and from one name to the next
_LONGEST = 20  # characters of a name
_MOST_NAMES = 24  # names that find room around the picture of all subgraphs
_WIDTHS = {"small": 5.0, "large": 2.8}  # of lines, as the style sheet has them
_DASHES = (None, "7 4", "2 4", "10 3 2 3")  # of layers, in the order of their names


@dataclass(frozen=True)
class Canvas:
    """The background of a picture of subgraphs, in units that run to the right and down.

    `box` has the upper left and the lower right corner; `outline`, with all nodes, is written once on a page,
    and `use` refers to it from a picture.
    """

    caption: str
    places: Points
    box: tuple[Points, Points]
    outline: Markup
    use: Markup


@dataclass(frozen=True)
class _Line:
    """An edge to be drawn: its width, its dashes and its class, where they are not those of the picture."""

    edge: int
    width: float | None = None
    dashes: str | None = None
    side: str | None = None


def canvases(graphs: UncertainGraphs) -> list[Canvas]:
    """Two views of the brain, or of another space in which nodes have coordinates; else none."""
    if graphs.node_coordinates is None:
        return []
    return [_canvas(view) for view in brain_views(graphs.node_coordinates, ("above", "right"))]


def _canvas(view: BrainView) -> Canvas:
    turned = np.array([1.0, -1.0])  # a page counts downwards
    if not view.inner:  # not the brain's millimetres
        turned *= _EXTENT / max(float(np.ptp(view.outline, axis=0).max()), 1e-300)
    centre = np.zeros(2) if view.inner else view.outline.mean(axis=0)
    outline = (view.outline - centre) * turned
    places = np.round((view.places - centre) * turned)
    drawn = [element("path", d=path(outline, closed=True), class_="outline")]
    drawn += [element("path", d=path(line * turned), class_="fissure") for line in view.inner]
    drawn.append(element("path", d=_dots(np.unique(places, axis=0)), class_="all-nodes"))
    name = f"brain-{view.key}"
    box = outline.min(axis=0) - _MARGIN, outline.max(axis=0) + _MARGIN
    return Canvas(view.title, places, box, element("g", *drawn, id=name), element("use", href=f"#{name}"))


def _dots(places: Points) -> str:
    return dots(places, "{:.0f}".format)


def small_picture(
    graphs: UncertainGraphs,
    subgraph: Sequence[int],
    canvas: Canvas | None,
    side: str,
    size: float | None = None,
) -> Markup:
    """A picture for a row of a table, hidden from screen readers, since the row names the edges.

    Without a canvas, nodes are on a circle. `side`, "pos" or "neg", gives the colour: the class in which the
    subgraph is more frequent, or which its coefficient favours; `size` is the size of the coefficient as a
    share of the largest one.
    """
    return _of_subgraph("small", graphs, subgraph, canvas, side, size)


def large_picture(
    graphs: UncertainGraphs,
    subgraph: Sequence[int],
    canvas: Canvas | None,
    side: str,
    title: str,
    named: bool = True,
    size: float | None = None,
) -> Markup:
    """A picture with the names of the nodes in its margins; parameters as for `small_picture`."""
    return _of_subgraph("large", graphs, subgraph, canvas, side, size, title, named)


def _of_subgraph(
    look: str,
    graphs: UncertainGraphs,
    subgraph: Sequence[int],
    canvas: Canvas | None,
    side: str,
    size: float | None,
    title: str | None = None,
    named: bool = False,
) -> Markup:
    # With a size, width and, without layers, dashes show the coefficient.
    width = None if size is None else _line_width(size, look)
    lines = [
        _Line(edge, width, _dashes(graphs, edge, size is not None and side == "neg")) for edge in subgraph
    ]
    signed = "" if size is None else " signed"
    return _picture(graphs, lines, canvas, f"{look} on-{side}{signed}", title, named)


def union_picture(
    graphs: UncertainGraphs, found: Sequence[RankedSubgraph], canvas: Canvas | None, signed: bool = True
) -> Markup:
    """Draw all subgraphs, each edge once for each class that a value of its subgraphs favours.

    Unless `signed`, the sign of a value does not distinguish classes, and all edges look alike.
    """
    weights: dict[tuple[int, str], float] = {}
    for one in found:
        side = "pos" if one.value >= 0 or not signed else "neg"
        for edge in one.edges:
            weights[edge, side] = weights.get((edge, side), 0.0) + abs(one.value)
    most = max(weights.values()) or 1.0
    lines = [
        _Line(edge, _line_width(weight / most, "large"), _dashes(graphs, edge, side == "neg"), side)
        for (edge, side), weight in sorted(weights.items(), key=lambda item: item[1])
    ]
    n_nodes = len(np.unique(graphs.edges[[line.edge for line in lines]]))
    title = f"All {len(found)} subgraphs: {len(weights)} lines between {n_nodes} nodes"
    return _picture(graphs, lines, canvas, "large union", title, n_nodes <= _MOST_NAMES)


def layer_key(layers: Sequence[str]) -> list[tuple[str, Markup]]:
    """The line style of each layer, `layers` in the order of their names."""
    key = []
    for i, name in enumerate(layers):
        line = element("path", d="M2 5H38", stroke_dasharray=_DASHES[i % len(_DASHES)])
        key.append((name, element("svg", line, class_="strokes", viewBox="0 0 40 10", aria_hidden="true")))
    return key


def _line_width(size: float, look: str) -> float:
    return _WIDTHS[look] * (0.45 + 1.05 * size)


def _dashes(graphs: UncertainGraphs, edge: int, is_negative: bool) -> str | None:
    """The dashes of the layer of an edge; without layers, of the negative side."""
    if graphs.edge_layers is None:
        return _DASHES[1] if is_negative else None
    return _DASHES[sorted(set(graphs.edge_layers)).index(graphs.edge_layers[edge]) % len(_DASHES)]


def _picture(
    graphs: UncertainGraphs,
    lines: Sequence[_Line],
    canvas: Canvas | None,
    look: str,
    title: str | None,
    named: bool,
) -> Markup:
    """Draw lines and their nodes; without a title the picture is hidden from screen readers."""
    edges = [line.edge for line in lines]
    nodes = np.unique(graphs.edges[edges]).tolist()
    if canvas is None:
        half = np.full(2, _RADIUS + 2 * _MARGIN)
        circle = circle_layout(graphs, edges)
        places, box, below = {node: _RADIUS * circle[node] for node in nodes}, (-half, half), Markup()
    else:
        places, box, below = {node: canvas.places[node] for node in nodes}, canvas.box, canvas.use
    names = Markup()
    if named:
        names, box = _names(graphs, places, box)
    pairs = [(int(u), int(v)) for u, v in graphs.edges[edges]]
    strokes = []
    for line, curve in zip(lines, edge_curves(pairs, places), strict=True):
        start, *control, end = (f"{x:.0f} {y:.0f}" for x, y in curve)
        data = f"M{start}Q{control[0]} {end}" if control else f"M{start}L{end}"
        style = {"stroke_dasharray": line.dashes, "stroke_width": line.width, "class_": line.side}
        strokes.append(element("path", d=data, **style))
    at = _dots(np.array([places[node] for node in nodes]))
    rings = [element("path", d=at, class_=name) for name in ("node-edge", "node")]
    (left, top), (right, bottom) = box
    return element(
        "svg",
        *([] if title is None else [element("title", title)]),
        below,
        names,
        element("g", *strokes, *rings, class_="lines"),
        class_=look,
        viewBox=" ".join(f"{value:.0f}" for value in (left, top, right - left, bottom - top)),
        **({"aria_hidden": "true"} if title is None else {"role": "img"}),
    )


def _names(
    graphs: UncertainGraphs, places: dict[int, Points], box: tuple[Points, Points]
) -> tuple[Markup, tuple[Points, Points]]:
    """Names in the margins, each joined to its node by a thin line; and the box with room for them."""
    labels = [shorten(one_line(graphs.node_labels[node]), _LONGEST) for node in places]
    at = np.array(list(places.values()))
    (left, _), (right, _) = box
    parts = []
    for i, side, height in margin_names(at, box, _LINE):
        edge = right if side > 0 else left
        leader = f"M{at[i, 0]:.0f} {at[i, 1]:.0f}L{edge - 4 * side:.0f} {height:.0f}h{4 * side}"
        parts.append(element("path", d=leader, class_="leader"))
        place = {"x": float(edge + 3 * side), "y": height + 3, "text_anchor": "start" if side > 0 else "end"}
        parts.append(element("text", labels[i], **place))
    spare = max(0.0, _LINE * len(labels) - float(box[1][1] - box[0][1])) / 2
    room = np.array([8 + _LETTER * max(map(len, labels)), spare])
    return Markup("").join(parts), (box[0] - room, box[1] + room)
