"""A chart as data, composed once and drawn by `draw_chart` here or by `chart_svg` in the report.

The page does not embed SVG by matplotlib: a page of 100 subgraphs has some 350 pictures, each with its own
fonts and definitions, and their colours could not follow the light or dark setting of the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.plot.style import (
    CARE,
    FAINT,
    INK,
    NEGATIVE,
    PALE,
    PLAIN,
    POSITIVE,
    Axes,
    drawing_axes,
    legend_within,
    plain,
    size_in_inches,
)

Floats = NDArray[np.float64]
Points = Iterable[tuple[float, float]]
GOLDEN = 0.6180339887498949
"""Its multiples, modulo 1, spread dots evenly."""

# Looks by name, which are also the classes of the report's style sheet.
_LINES: dict[str, dict[str, Any]] = {
    "mean": {"color": INK, "linewidth": 1.8},
    "joined": {"color": INK, "linewidth": 3.2, "solid_capstyle": "butt"},
    "row": {"color": PALE, "linewidth": 0.8},
    "count": {"color": INK, "linewidth": 1.4},
    "loss": {"color": POSITIVE.colour, "linewidth": 1.4, "linestyle": "--"},
    "expectation": {"color": INK, "linewidth": 1.4},
    "median": {"color": INK, "linewidth": 1.4, "linestyle": "--"},
    "mode": {"color": INK, "linewidth": 1.4, "linestyle": ":"},
    "critical": {"color": FAINT, "linewidth": 1.4, "linestyle": "--"},
    "observed": {"color": POSITIVE.colour, "linewidth": 2.2},
}
_SIDES = {"pos": POSITIVE, "neg": NEGATIVE}
_FILLS = {"plain": (PLAIN, 0.8), "tail": (CARE, 0.2), "loss": (POSITIVE.colour, 0.15)}
_WRITTEN = ("rule", "note")  # marks with a text of their own on the chart
_TEXT = 0.3  # share of the width that the text of a rule takes
_TICK = 0.5  # inches that the label of a penalty takes
_ROW_NAME = 0.35  # share of the width that the name of a row may take
_LINE = 10  # points from one line of their text to the next


@dataclass(frozen=True)
class Mark:
    """One mark on a chart."""

    kind: str  # "area", "line", "dots", "stems" (vertical lines from 0), "rule" (one of them) or "note"
    points: list[tuple[float, float]]  # a rule has two ends, the upper one last
    look: str  # "pos", "neg" and "plain" for what belongs to the classes or to all; or as in `_LINES`
    text: str = ""  # beside the upper end of a rule or at the point of a note; others have it in a legend
    line: int = 0  # by how many lines of text it is moved down
    side: str = ""  # of the text, "left" or "right"; "": towards the middle. A rule with a side ends above it


@dataclass(frozen=True)
class Chart:
    """A chart with its axes; `title` is a sentence for readers who cannot see it."""

    title: str
    x: tuple[float, float]
    y: tuple[float, float]  # rows are 1 high, the first one at the top
    label: str
    y_label: str = ""
    marks: list[Mark] = field(default_factory=list)
    rows: Sequence[str] = ()  # names of rows in place of a vertical axis
    y_ticks: Sequence[float] = ()  # heights that the report writes down; none if only the shape matters there
    percent: bool = False
    log: bool = False  # with the largest value at the left

    def add(self, kind: str, points: Points, look: str, text: str = "", line: int = 0) -> None:
        """Draw a mark above the others."""
        self.marks.append(Mark(kind, [(float(x), float(y)) for x, y in points], look, text, line))

    def add_rules(
        self, rules: Iterable[tuple[float, str, str]], bottom: float, top: float, notes: Iterable[str] = ()
    ) -> None:
        """Draw rules, each as (x, look, text), and notes below their texts, so that no text crosses a rule.

        If rules are close, all texts are on the same side, each above the shorter rules next to it. Notes are
        to the left of a rule or of the end of the axis, the furthest to the right that leaves room.
        """
        ordered, side = list(rules), ""
        places = np.sort((np.array([x for x, _, _ in ordered]) - self.x[0]) / (self.x[1] - self.x[0]))
        if (np.diff(places) < _TEXT).any():
            if places[-1] <= 1 - _TEXT:
                ordered, side = sorted(ordered), "right"
            elif places[0] >= _TEXT:
                ordered, side = sorted(ordered, reverse=True), "left"
        for line, (x, look, text) in enumerate(ordered):
            self.marks.append(Mark("rule", [(x, bottom), (x, top)], look, text, line, side))
        ends = np.append(places, 1.0)
        room = np.diff(ends, prepend=0.0)
        end = ends[-1 - int(np.argmax(room[::-1] >= _TEXT))] if room.max() >= _TEXT else ends[room.argmax()]
        at = self.x[0] + float(end) * (self.x[1] - self.x[0])
        for line, text in enumerate(notes, start=len(ordered)):
            self.marks.append(Mark("note", [(at, top)], "", text, line, "left"))

    def shade(self, x: float, bottom: float, top: float) -> None:
        """Shade everything to the right of `x`."""
        corners = ((x, bottom), (x, top), (self.x[1], top), (self.x[1], bottom))
        self.add("area", corners, "tail")


def steps(edges: ArrayLike, heights: ArrayLike, bottom: float = 0.0) -> Points:
    """The outline of a histogram.

    Examples
    --------
    >>> list(steps([0, 1, 2], [5, 3]))
    [(0.0, 0.0), (0.0, 5.0), (1.0, 5.0), (1.0, 3.0), (2.0, 3.0), (2.0, 0.0)]
    """
    tops = np.asarray(heights, float) + bottom
    return zip(
        np.repeat(np.asarray(edges, float), 2).tolist(),
        [bottom, *np.repeat(tops, 2).tolist(), bottom],
        strict=True,
    )


def scattered(values: Floats, bottom: float, top: float) -> Points:
    """Dots at these values, at heights that keep neighbours apart and are always the same."""
    heights = bottom + (np.arange(len(values)) * GOLDEN % 1.0) * (top - bottom)
    return zip(np.sort(values).tolist(), heights.tolist(), strict=True)


def with_margin(values: Iterable[float], share: float) -> tuple[float, float]:
    """The ends of an axis for these values; equal values get some room."""
    low, high = float(min(values := list(values))), float(max(values))
    space = share * (high - low) if high > low else 0.5
    return low - space, high + space


def draw_chart(chart: Chart, ax: Axes | None) -> Axes:
    """Draw a chart into matplotlib's axes, or into those of a new figure."""
    ax = drawing_axes(ax)
    ax.set_xscale("log" if chart.log else "linear")
    ax.set_xlim(chart.x[::-1] if chart.log else chart.x)
    ax.set_ylim(chart.y)
    for mark in chart.marks:
        _draw(mark, ax)
    ax.set_xlabel(chart.label)
    ax.set_ylabel(chart.y_label)
    if chart.percent:
        from matplotlib.ticker import PercentFormatter

        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    if chart.rows:
        room = max(1.1, _ROW_NAME * size_in_inches(ax)[0])
        middles = np.arange(len(chart.rows))[::-1] + 0.5
        ax.set_yticks(middles, [plain(name, room) for name in chart.rows], fontsize="small")
        ax.tick_params(axis="y", length=0)
    if chart.log:
        _tick_penalties(ax, chart.x)
    ax.spines[["top", "right"]].set_visible(False)
    if any(mark.text for mark in chart.marks if mark.kind not in _WRITTEN):
        legend_within(ax)
    return ax


def _tick_penalties(ax: Axes, ends: tuple[float, float]) -> None:
    """Label a logarithmic axis where labels have room: at 1, 2 and 5 of each decade, or only at 1."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

    decades = np.log10(ends[1] / ends[0])
    room = int(size_in_inches(ax)[0] / _TICK)
    whole = LogLocator(subs=(1, 2, 5) if 3 * decades <= room else (1,), numticks=max(room, 2))
    ax.xaxis.set_major_locator(whole if decades >= 1 else MaxNLocator(min(room, 4)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.3g}"))


def _draw(mark: Mark, ax: Axes) -> None:
    x, y = np.array(mark.points).reshape(-1, 2).T
    side = _SIDES.get(mark.look)
    in_legend = mark.text and mark.kind not in _WRITTEN
    label = plain(mark.text, 0.75 * size_in_inches(ax)[0]) if in_legend else f"_{mark.look}"
    if mark.kind == "area" and side:
        ax.fill(
            x, y, facecolor=(side.colour, 0.28), label=label, edgecolor=side.colour, linewidth=1.4,
            linestyle=side.line, hatch=side.hatch,
        )  # fmt: skip
    elif mark.kind == "area":
        ax.fill(x, y, facecolor=_FILLS[mark.look], label=label, linewidth=0)
    elif mark.kind == "dots":
        size = float(np.clip(8.0 - 2 * np.log10(max(len(x), 1)), 2.0, 6.0))
        ax.plot(
            x, y, linestyle="none", marker=side.marker if side else "o", markersize=size,
            color=side.colour if side else FAINT, markeredgecolor=INK, markeredgewidth=0.35, alpha=0.85,
            label=label,
        )  # fmt: skip
    elif mark.kind == "stems":
        ax.vlines(x, 0, y, color=PLAIN, linewidth=2.4, label=label)
    elif mark.kind != "note":
        if mark.side:
            y[-1] -= mark.line * _LINE / 72 / size_in_inches(ax)[1] * np.ptp(ax.get_ylim())
        ax.plot(x, y, label=label, zorder=4, **_LINES[mark.look])
    if mark.kind in _WRITTEN and mark.text:
        _write(mark, ax)


def _write(mark: Mark, ax: Axes) -> None:
    """Write the text of a mark beside its last point."""
    from matplotlib.patheffects import withStroke

    at_right = (ax.transData + ax.transAxes.inverted()).transform(mark.points[-1])[0] > 0.5
    leftwards = mark.side == "left" if mark.side else at_right
    ax.annotate(
        mark.text, mark.points[-1], (-3 if leftwards else 3, -_LINE * mark.line - 1), va="top",
        textcoords="offset points", ha="right" if leftwards else "left", fontsize="x-small", zorder=5,
        path_effects=[withStroke(linewidth=2, foreground="white")],
    )  # fmt: skip
