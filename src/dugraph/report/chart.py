"""Axes of a small SVG chart: from numbers to places, and the ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup

from dugraph.report.markup import element, joined, number, path

_LEFT, _RIGHT, _TOP, _BOTTOM = 18.0, 18.0, 16.0, 38.0


class Chart:
    """A chart with a horizontal axis; heights have none, since only their shape counts.

    Parameters
    ----------
    low, high : float
        Ends of the axis.
    label : str
        What the axis shows.
    width, height : float
        Of the whole picture.
    left : float
        Room for names at the left.
    percent : bool
        Whether the ticks are written in per cent.
    """

    def __init__(
        self,
        low: float,
        high: float,
        label: str,
        *,
        width: float = 360.0,
        height: float = 190.0,
        left: float = _LEFT,
        percent: bool = False,
    ) -> None:
        self.low, self.high = (low, high) if high > low else (low - 0.5, low + 0.5)
        self.label, self.width, self.height = label, width, height
        self.left, self.right = left, width - _RIGHT
        self.top, self.bottom = _TOP, height - _BOTTOM
        self._percent = percent

    def x(self, value: float) -> float:
        """Place of a number on the axis; numbers beyond it are put at its ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)

    def y(self, share: float) -> float:
        """Place of a height from 0 to 1."""
        return self.bottom - share * (self.bottom - self.top)

    def curve(self, points: Iterable[tuple[float, float]]) -> str:
        """The path through points on the axis with heights from 0 to 1."""
        return path([(self.x(x), self.y(y)) for x, y in points])

    def steps(self, edges: list[float], heights: list[float]) -> str:
        """The closed path of a histogram."""
        points = [(edges[0], 0.0)]
        for i, height in enumerate(heights):
            points += [(edges[i], height), (edges[i + 1], height)]
        return self.curve([*points, (edges[-1], 0.0)]) + "Z"

    def axis(self) -> Markup:
        """The axis with its ticks and its label."""
        parts = [element("path", d=f"M{number(self.left)} {number(self.bottom)}H{number(self.right)}")]
        for tick in ticks(self.low, self.high):
            x = self.x(tick)
            parts.append(element("path", d=f"M{number(x)} {number(self.bottom)}v4"))
            parts.append(element("text", self.tick_text(tick), x=x, y=self.bottom + 15, text_anchor="middle"))
        middle = (self.left + self.right) / 2
        label = element("text", self.label, x=middle, y=self.height - 6, text_anchor="middle", class_="label")
        return joined(element("g", *parts, class_="axis"), label)

    def tick_text(self, tick: float) -> str:
        """How a number stands below the axis."""
        return f"{100 * tick:.4g}%" if self._percent else f"{tick:.4g}"

    def mark(self, value: float, name: str, style: str, place: float = 0.0) -> Markup:
        """A vertical line with its name at the top, or in a lower row when `place` is larger."""
        x = self.x(value)
        at_right = x > (self.left + self.right) / 2
        line = element("path", d=f"M{number(x)} {number(self.bottom)}V{number(self.top + place - 4)}")
        text = element(
            "text",
            name,
            x=x - 4 if at_right else x + 4,
            y=self.top + place + 4,
            text_anchor="end" if at_right else "start",
        )
        return element("g", line, text, class_=f"mark {style}")

    def svg(self, title: str, *content: object) -> Markup:
        """The whole picture; `title` tells what it shows to who cannot see it."""
        return element(
            "svg",
            element("title", title),
            *content,
            self.axis(),
            class_="chart",
            viewBox=f"0 0 {number(self.width)} {number(self.height)}",
            role="img",
        )


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
