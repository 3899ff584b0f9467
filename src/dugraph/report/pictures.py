"""SVG for the page: elements with escaped text, charts, and subgraphs on the brain or on a circle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from markupsafe import Markup

from dugraph.data import UncertainGraphs
from dugraph.files.html import escaped_html
from dugraph.plot.brain import Points, brain_views, circle_layout, edge_curves, margin_names
from dugraph.plot.chart import GOLDEN, Chart, Floats, Mark, steps, with_margin
from dugraph.plot.style import in_words, one_line, shorten
from dugraph.results.records import RankedSubgraph

_LEFT, _RIGHT, _TOP, _BOTTOM = 18.0, 18.0, 16.0, 38.0  # margins of a chart
_LINE = 14.0  # from one line of text to the next
_BINS = 20  # of the histogram of edge probabilities
_MARGIN = 6.0  # units around an outline
_RADIUS = 80.0  # of the circle of a network without coordinates
_EXTENT = 150.0  # units of a space that is not the brain's
_LETTER, _NAME = 5.4, 11.0  # units that a letter of a name takes, and from one name to the next
_LONGEST = 20  # characters of a name
_MOST_NAMES = 24  # names that find room around the picture of all subgraphs
_WIDTHS = {"small": 5.0, "large": 2.8}  # of lines, as the style sheet has them
_DASHES = (None, "7 4", "2 4", "10 3 2 3")  # of layers, in the order of their names


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """Write an SVG element; content is escaped, unless it is markup.

    Floats in attributes are shortened, None is left out; in their names a trailing underscore is dropped and
    others become dashes.
    """
    written = {
        name.rstrip("_").replace("_", "-"): number(value) if isinstance(value, float) else value
        for name, value in attributes.items()
        if value is not None
    }
    names = "".join(f' {name}="{escaped_html(value)}"' for name, value in written.items())
    inner = "".join(map(escaped_html, content))
    return Markup(f"<{tag}{names}>{inner}</{tag}>" if inner else f"<{tag}{names}/>")


def number(value: float, digits: int = 1) -> str:
    """Write a coordinate as short as its digits allow."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def path(points: Iterable[tuple[float, float]], closed: bool = False) -> str:
    """Write points as the data of an SVG path."""
    pairs = [(number(float(x)), number(float(y))) for x, y in points]
    return "M" + "L".join(f"{x} {y}" for x, y in pairs) + ("Z" if closed else "")


def dots(points: Iterable[tuple[float, float]]) -> str:
    """Write points as a path of dots, which round line ends make visible."""
    return "".join(f"M{number(float(x))} {number(float(y))}h0" for x, y in points)


# ---------------------------------------------------------------- charts


def chart_svg(chart: Chart, width: float = 360.0, height: float = 190.0, left: float | None = None) -> Markup:
    """Draw a chart; `left` is the room for the names of rows, which are left out without it."""
    begin = max(_LEFT, 52.0 if chart.y_ticks else left or 0.0)
    end, top, bottom = width - _RIGHT, _TOP, height - _BOTTOM
    scale = math.log10 if chart.log else float
    low, high = map(scale, chart.x)

    def x(value: float) -> float:
        share = (scale(value) - low) / (high - low)
        return begin + min(max(1 - share if chart.log else share, 0.0), 1.0) * (end - begin)

    def y(value: float) -> float:
        return bottom - (value - chart.y[0]) / (chart.y[1] - chart.y[0]) * (bottom - top)

    marks = [replace(mark, points=[(x(a), y(b)) for a, b in mark.points]) for mark in chart.marks]
    # Texts come last, so that no line crosses them.
    drawn = [_shape(mark, y(0.0)) for mark in marks]
    drawn += [_text(mark, (begin + end) / 2) for mark in marks if mark.kind in ("rule", "note")]
    parts = [element("path", d=f"M{number(begin)} {number(bottom)}H{number(end)}")]
    for tick in ticks(low, high):
        value = 10.0**tick if chart.log else tick
        text = f"{100 * tick:.4g}%" if chart.percent else f"{value:.{3 if chart.log else 4}g}"
        parts.append(element("path", d=f"M{number(x(value))} {number(bottom)}v4"))
        parts.append(element("text", text, x=x(value), y=bottom + 15, text_anchor="middle"))
    for tick in chart.y_ticks:
        parts.append(element("text", f"{tick:.4g}", x=begin - 6, y=y(tick) + 4, text_anchor="end"))
    drawn.append(element("g", *parts, class_="axis"))
    if chart.y_ticks:
        at = {"x": 13.0, "y": (top + bottom) / 2, "text_anchor": "middle", "class_": "label"}
        turned = f"rotate(-90 13 {number((top + bottom) / 2)})"
        drawn.append(element("text", chart.y_label, transform=turned, **at))
    for i, name in enumerate(chart.rows if begin > _LEFT else ()):
        place = {"x": begin - 8, "y": y(len(chart.rows) - i - 0.5) + 4, "text_anchor": "end"}
        drawn.append(element("text", shorten(one_line(name), int((begin - 8) / 5.8)), **place))
    middle = {"x": (begin + end) / 2, "y": height - 6, "text_anchor": "middle"}
    drawn.append(element("text", shorten(one_line(chart.label), 60), **middle, class_="label"))
    box = f"0 0 {number(width)} {number(height)}"
    return element("svg", element("title", chart.title), *drawn, class_="chart", viewBox=box, role="img")


def _shape(mark: Mark, ground: float) -> Markup:
    if mark.kind == "note":
        return Markup()
    if mark.kind == "area":
        return element("path", d=path(mark.points, closed=True), class_=f"area {mark.look}")
    if mark.kind == "line":
        return element("path", d=path(mark.points), class_=f"line {mark.look}")
    if mark.kind == "dots":
        return element("path", d=dots(mark.points), class_=f"dots {mark.look}")
    if mark.kind == "stems":
        stems = "".join(f"M{number(at)} {number(ground)}V{number(top)}" for at, top in mark.points)
        return element("path", d=stems, class_="stems")
    foot, (at, top) = mark.points
    lowered = [foot, (at, top + (_LINE * mark.line if mark.side else 0.0))]
    return element("g", element("path", d=path(lowered)), class_=f"mark {mark.look}".strip())


def _text(mark: Mark, middle: float) -> Markup:
    """The text of a rule or note, beside its last point."""
    at, top = mark.points[-1]
    leftwards = mark.side == "left" if mark.side else at > middle
    side = {"x": at - 4, "text_anchor": "end"} if leftwards else {"x": at + 4, "text_anchor": "start"}
    text = [element("text", mark.text, y=top + 9 + _LINE * mark.line, **side)] if mark.text else []
    return element("g", *text, class_=f"mark {mark.look}".strip())


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers on an axis: steps of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, math.floor(high / step + 1e-9) + 1)]


def probability_histogram(parts: Sequence[tuple[str, Iterable[Floats]]]) -> Chart:
    """Shares of the edges present in each class, positive first, or in all graphs, by their probability.

    Each part has a name, and edge probabilities in any number of pieces; absent edges do not count.
    """
    edges, shares, words = np.linspace(0, 1, _BINS + 1), [], []
    for name, part in parts:
        counts = sum(np.histogram(piece[piece > 0], bins=_BINS, range=(0.0, 1.0))[0] for piece in part)
        shares.append(counts / max(np.sum(counts), 1))
        mode = int(shares[-1].argmax())
        words.append(f"{edges[mode]:.2f} to {edges[mode + 1]:.2f} in {in_words(name)}")
    chart = Chart(
        f"Histogram of edge probabilities. The most common are {' and '.join(words)}.",
        *((0.0, 1.0), (0.0, max(float(np.max(shares)), 1e-12))),
        "probability of edges that are present",
    )
    for share, look in zip(shares, ("pos", "neg") if len(parts) == 2 else ("plain",), strict=True):
        chart.add("area", steps(edges, share), look)
    return chart


def folds_chart(
    rows: Sequence[tuple[str, Floats]], metric: str, chance: float | None, guess: str = "guessing"
) -> Chart:
    """A metric of every split as a dot, one row for each method, with the means.

    A method with NaN among its values has no mean. `chance` is the result of guessing, called `guess`.
    """
    finite = np.concatenate([values[np.isfinite(values)] for _, values in rows])
    ends = [*finite.tolist(), *([] if chance is None else [chance])] or [0.0, 1.0]
    # Shares end at 0; correlations may lie below.
    low, high = max(min(0.0, *ends), min(ends) - 0.03), min(1.0, max(ends) + 0.03)
    chart = Chart(
        f"{metric} of {len(rows)} methods: every split as a dot, means as bars.",
        *((low, high if high > low else low + 1.0), (0.0, len(rows) + 0.9)),
        metric,
        rows=[name for name, _ in rows],
    )
    if chance is not None:
        chart.add("rule", ((chance, 0.0), (chance, chart.y[1])), "critical", f"{guess} {chance:.2f}")
    for i, (_, values) in enumerate(rows):
        middle = len(rows) - i - 0.5
        there = values[np.isfinite(values)]
        chart.add("line", ((low, middle), (chart.x[1], middle)), "row")
        # Equal values lie a little apart.
        apart = middle + (np.arange(there.size) * GOLDEN % 1.0 - 0.5) * 0.45
        chart.add("dots", zip(there, apart, strict=True), "plain")
        if there.size == values.size:
            mean = float(there.mean())
            chart.add("line", ((mean, middle - 0.35), (mean, middle + 0.35)), "mean")
    return chart


def forecast_chart(observed: Floats, forecast: Floats, name: str) -> Chart:
    """Forecasts over the phenotype `name`, both beyond covariates, with the line on which they are equal."""
    constant = np.ptp(forecast) == 0 or np.ptp(observed) == 0
    r = 0.0 if constant else float(np.corrcoef(observed, forecast)[0, 1])
    low, high = with_margin(forecast.tolist(), 0.0)
    chart = Chart(
        f"Forecast of {in_words(name)} for {len(observed)} graphs left out: correlation {r:.3g}.",
        *(with_margin(observed.tolist(), 0.0), (low, high)),
        *(name, "forecast"),
        y_ticks=ticks(low, high, about=4),
    )
    # As far as both axes go, since forecasts vary less.
    ends = max(chart.x[0], low), min(chart.x[1], high)
    if ends[0] < ends[1]:
        chart.add("line", [(at, at) for at in ends], "mean")
    chart.add("dots", zip(observed, forecast, strict=True), "plain")
    return chart


# ---------------------------------------------------------------- subgraphs

Line = tuple[int, Mapping[str, object]]
"""An edge to be drawn, and the attributes in which it differs from the style of its picture."""


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


def canvases(graphs: UncertainGraphs) -> list[Canvas]:
    """The brain, or another space in which nodes have coordinates, from above, right and left; else none."""
    found: list[Canvas] = []
    if graphs.node_coordinates is None:
        return found
    for view in brain_views(graphs.node_coordinates, ("above", "right", "left")):
        turned = np.array([1.0, -1.0])  # a page counts downwards
        if not view.inner:  # not the brain's millimetres
            turned *= _EXTENT / max(float(np.ptp(view.outline, axis=0).max()), 1e-300)
        centre = np.zeros(2) if view.inner else view.outline.mean(axis=0)
        outline = (view.outline - centre) * turned
        places = np.round((view.places - centre) * turned)
        drawn = [element("path", d=path(outline, closed=True), class_="outline")]
        drawn += [element("path", d=path(line * turned), class_="fissure") for line in view.inner]
        drawn.append(element("path", d=dots(np.unique(places, axis=0)), class_="all-nodes"))
        name = f"brain-{view.key}"
        box = outline.min(axis=0) - _MARGIN, outline.max(axis=0) + _MARGIN
        written, use = element("g", *drawn, id=name), element("use", href=f"#{name}")
        found.append(Canvas(view.title, places, box, written, use))
    return found


def shown_from(views: Sequence[Canvas], graphs: UncertainGraphs, subgraph: Sequence[int]) -> list[Canvas]:
    """The view from above, and that of the side on which most nodes of a subgraph are."""
    if graphs.node_coordinates is None:
        return []
    above, right, left = views
    sides = np.sign(graphs.node_coordinates[np.unique(graphs.edges[list(subgraph)]), 0])
    return [above, left if sides.sum() < 0 else right]


def subgraph_picture(
    graphs: UncertainGraphs,
    subgraph: Sequence[int],
    canvas: Canvas | None,
    side: str,
    size: float | None = None,
    title: str | None = None,
    named: bool = False,
) -> Markup:
    """Draw a subgraph; without a title small, for a row of a table that names the edges.

    Without a canvas, nodes are on a circle. `side`, "pos" or "neg", gives the colour: the class in which the
    subgraph is more frequent, or which its coefficient favours; `size` is the size of the coefficient as a
    share of the largest one, shown by the width and, without layers, by dashes. Names are in the margins.
    """
    look, signed = "small" if title is None else "large", size is not None
    width = None if size is None else _line_width(size, look)
    lines: list[Line] = [
        (edge, {"stroke_dasharray": _dashes(graphs, edge, signed and side == "neg"), "stroke_width": width})
        for edge in subgraph
    ]
    return _picture(graphs, lines, canvas, f"{look} on-{side}{' signed' * signed}", title, named)


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
    lines: list[Line] = []
    for (edge, side), weight in sorted(weights.items(), key=lambda item: item[1]):
        dashes, width = _dashes(graphs, edge, side == "neg"), _line_width(weight / most, "large")
        lines.append((edge, {"stroke_dasharray": dashes, "stroke_width": width, "class_": side}))
    n_nodes = len(np.unique(graphs.edges[[edge for edge, _ in lines]]))
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
    lines: Sequence[Line],
    canvas: Canvas | None,
    look: str,
    title: str | None,
    named: bool,
) -> Markup:
    """Draw lines and their nodes; without a title the picture is hidden from screen readers."""
    edges = [edge for edge, _ in lines]
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
    for (_, style), curve in zip(lines, edge_curves(pairs, places), strict=True):
        start, *control, end = (f"{x:.0f} {y:.0f}" for x, y in curve)
        data = f"M{start}Q{control[0]} {end}" if control else f"M{start}L{end}"
        strokes.append(element("path", d=data, **style))
    at = dots(np.round(list(places.values())))
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
    for i, side, height in margin_names(at, box, _NAME):
        edge = right if side > 0 else left
        leader = f"M{at[i, 0]:.0f} {at[i, 1]:.0f}L{edge - 4 * side:.0f} {height:.0f}h{4 * side}"
        parts.append(element("path", d=leader, class_="leader"))
        place = {"x": float(edge + 3 * side), "y": height + 3, "text_anchor": "start" if side > 0 else "end"}
        parts.append(element("text", labels[i], **place))
    spare = max(0.0, _NAME * len(labels) - float(box[1][1] - box[0][1])) / 2
    room = np.array([8 + _LETTER * max(map(len, labels)), spare])
    return Markup("").join(parts), (box[0] - room, box[1] + room)
