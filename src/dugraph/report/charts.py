"""SVG for the page: elements with escaped text, and any `Chart` as a few kilobytes.

HTML can hold every character but NUL and lone surrogates. A text with one of these is shown with Python's
codes for them, and with its backslashes doubled, so that two texts are never shown alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from markupsafe import Markup

from dugraph.plot.chart import GOLDEN, Chart, Floats, Mark, steps, with_margin
from dugraph.plot.style import in_words, one_line, shorten

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "\r": "&#13;"}
_SPECIAL = re.compile("[" + "".join(_ESCAPES) + "]")
_UNFIT = re.compile("[\0\ud800-\udfff]")
_LEFT, _RIGHT, _TOP, _BOTTOM = 18.0, 18.0, 16.0, 38.0  # margins of a chart
_LINE = 14.0  # from one line of text to the next
_BINS = 20  # of the histogram of edge probabilities


def carried(text: str) -> str:
    """Return a text as a page can hold it; most texts stay as they are.

    Examples
    --------
    >>> carried("a<b"), carried("a" + chr(0) + "b")
    ('a<b', 'a\\\\x00b')
    """
    if not _UNFIT.search(text):
        return text
    doubled = text.replace("\\", "\\\\")
    return _UNFIT.sub(lambda found: found[0].encode("unicode_escape").decode(), doubled)


def escaped(value: object) -> Markup:
    """Escape a value for HTML text and quoted attributes; our own markup stays as it is.

    A carriage return is written by its number, since a parser turns a plain one into a line feed.
    """
    if isinstance(value, Markup):
        return value
    return Markup(_SPECIAL.sub(lambda found: _ESCAPES[found[0]], carried(str(value))))


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
    names = "".join(f' {name}="{escaped(value)}"' for name, value in written.items())
    inner = "".join(map(escaped, content))
    return Markup(f"<{tag}{names}>{inner}</{tag}>" if inner else f"<{tag}{names}/>")


def number(value: float, digits: int = 1) -> str:
    """Write a coordinate as short as its digits allow."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def path(points: Iterable[tuple[float, float]], closed: bool = False) -> str:
    """Write points as the data of an SVG path."""
    pairs = [(number(float(x)), number(float(y))) for x, y in points]
    return "M" + "L".join(f"{x} {y}" for x, y in pairs) + ("Z" if closed else "")


def dots(points: Iterable[tuple[float, float]], write: Callable[[float], str] = number) -> str:
    """Write points as a path of dots, which round line ends make visible."""
    return "".join(f"M{write(float(x))} {write(float(y))}h0" for x, y in points)


def chart_svg(chart: Chart, width: float = 360.0, height: float = 190.0, left: float | None = None) -> Markup:
    """Draw a chart; `left` is the room for the names of rows, which are left out without it."""
    begin = max(_LEFT, 52.0 if chart.y_ticks else left or 0.0)
    end, top, bottom = width - _RIGHT, _TOP, height - _BOTTOM
    low, high = _scaled(chart, chart.x[0]), _scaled(chart, chart.x[1])

    def x(value: float) -> float:
        share = (_scaled(chart, value) - low) / (high - low)
        return begin + min(max(1 - share if chart.log else share, 0.0), 1.0) * (end - begin)

    def y(value: float) -> float:
        return bottom - (value - chart.y[0]) / (chart.y[1] - chart.y[0]) * (bottom - top)

    # Texts come last, so that no line crosses them.
    drawn = [_mark(mark, x, y) for mark in chart.marks]
    drawn += [
        _mark_text(mark, x, y, (begin + end) / 2) for mark in chart.marks if mark.kind in ("rule", "note")
    ]
    parts = [element("path", d=f"M{number(begin)} {number(bottom)}H{number(end)}")]
    for tick, text in _x_ticks(chart):
        parts.append(element("path", d=f"M{number(x(tick))} {number(bottom)}v4"))
        parts.append(element("text", text, x=x(tick), y=bottom + 15, text_anchor="middle"))
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


def _mark(mark: Mark, x: Callable[[float], float], y: Callable[[float], float]) -> Markup:
    points = [(x(a), y(b)) for a, b in mark.points]
    if mark.kind == "area":
        return element("path", d=path(points, closed=True), class_=f"area {mark.look}")
    if mark.kind == "line":
        return element("path", d=path(points), class_=f"line {mark.look}")
    if mark.kind == "dots":
        return element("path", d=dots(points), class_=f"dots {mark.look}")
    if mark.kind == "stems":
        ground = number(y(0.0))
        stems = "".join(f"M{number(a)} {ground}V{number(b)}" for a, b in points)
        return element("path", d=stems, class_="stems")
    if mark.kind == "note":
        return Markup()
    foot, (at, top) = points
    lowered = [foot, (at, top + (_LINE * mark.line if mark.side else 0.0))]
    return element("g", element("path", d=path(lowered)), class_=f"mark {mark.look}".strip())


def _mark_text(mark: Mark, x: Callable[[float], float], y: Callable[[float], float], middle: float) -> Markup:
    """The text of a rule or note, beside its last point."""
    at, top = x(mark.points[-1][0]), y(mark.points[-1][1])
    leftwards = mark.side == "left" if mark.side else at > middle
    side = {"x": at - 4, "text_anchor": "end"} if leftwards else {"x": at + 4, "text_anchor": "start"}
    text = [element("text", mark.text, y=top + 9 + _LINE * mark.line, **side)] if mark.text else []
    return element("g", *text, class_=f"mark {mark.look}".strip())


def _scaled(chart: Chart, value: float) -> float:
    return math.log10(value) if chart.log else value


def _x_ticks(chart: Chart) -> list[tuple[float, str]]:
    low, high = _scaled(chart, chart.x[0]), _scaled(chart, chart.x[1])
    if chart.log:
        return [(10.0**tick, f"{10.0**tick:.3g}") for tick in ticks(low, high)]
    return [(tick, f"{100 * tick:.4g}%" if chart.percent else f"{tick:.4g}") for tick in ticks(low, high)]


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


def probability_histogram(parts: Sequence[Iterable[Floats]], names: Sequence[str]) -> Chart:
    """Shares of the edges present in each class, positive first, or in all graphs, by their probability.

    Each part has the edge probabilities of some graphs in any number of pieces; absent edges do not count.
    """
    edges = np.linspace(0, 1, _BINS + 1)
    shares = []
    for part in parts:
        counts = np.zeros(_BINS, dtype=np.int64)
        for piece in part:
            counts += np.histogram(piece[piece > 0], bins=_BINS, range=(0.0, 1.0))[0]
        shares.append(counts / max(counts.sum(), 1))
    modes = [int(share.argmax()) for share in shares]
    words = " and ".join(
        f"{edges[k]:.2f} to {edges[k + 1]:.2f} in {in_words(name)}"
        for k, name in zip(modes, names, strict=True)
    )
    chart = Chart(
        f"Histogram of edge probabilities. The most common are {words}.",
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


def frequency_bar(positive: float, negative: float) -> Markup:
    """Both expected frequencies of a subgraph on one line from 0 to 1, for a row of a table."""
    a, b = 4 + 92 * positive, 4 + 92 * negative
    return _bar(
        element("path", d=f"M{number(a)} 8H{number(b)}", class_="between"),
        element("circle", cx=a, cy=8, r=4, class_="pos"),
        element("rect", x=b - 3.5, y=4.5, width=7, height=7, class_="neg"),
    )


def coefficient_bar(coefficient: float, largest: float) -> Markup:
    """A coefficient as a bar from the middle, to the right above 0 and to the left below."""
    end = 50 + 46 * coefficient / largest
    left, width = min(50.0, end), max(abs(end - 50.0), 1.0)
    return _bar(
        element("rect", x=left, y=4.0, width=width, height=8, class_="pos" if end >= 50 else "neg"),
        element("path", d="M50 1V15", class_="between"),
    )


def _bar(*content: Markup) -> Markup:
    line = element("path", d="M4 8H96", class_="row")
    return element("svg", line, *content, class_="bar", viewBox="0 0 100 16", aria_hidden="true")
