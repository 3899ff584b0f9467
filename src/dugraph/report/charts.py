"""The charts of the report: each a few kilobytes of SVG with a sentence for who cannot see it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.probability import ScoreDistribution
from dugraph.report.chart import Chart
from dugraph.report.markup import carried, element, number, shortened

Floats = NDArray[np.float64]
_BINS = 20  # of the histogram of edge probabilities
_STEMS = 60  # scores up to this number are drawn one by one
_BARS = 36  # of more scores
_POINTS = 200  # of a line, which is not much wider in pixels
_NARROW = 0.2  # shares closer together have an axis of their own
_TAIL = 1e-3  # probability of scores that may lie beyond the ends of its axis
GOLDEN = 0.6180339887498949
"""Its multiples spread dots evenly."""


def probability_histogram(parts: Sequence[Iterable[Floats]], names: Sequence[str]) -> Markup:
    """Shares of the edges present in each class, or in all graphs, by their probability.

    Parameters
    ----------
    parts : sequence of iterables of ndarray
        Edge probabilities of the graphs of the positive and of the negative class, or of all graphs, each in
        any number of pieces; those of absent edges are not counted.
    names : sequence of str
        Of the classes.
    """
    chart = Chart(0.0, 1.0, "probability of edges that are present", width=440.0)
    edges = np.linspace(0, 1, _BINS + 1)
    shares = []
    for part in parts:
        counts = np.zeros(_BINS, dtype=np.int64)
        for piece in part:
            counts += np.histogram(piece[piece > 0], bins=_BINS, range=(0.0, 1.0))[0]
        shares.append(counts / max(counts.sum(), 1))
    top = max(float(np.max(shares)), 1e-12)
    drawn = [
        element("path", d=chart.steps(edges.tolist(), (share / top).tolist()), class_=f"area {side}")
        for share, side in zip(shares, ("pos", "neg") if len(parts) == 2 else ("plain",), strict=True)
    ]
    highest = [
        f"{edges[int(share.argmax())]:.2f} to {edges[int(share.argmax()) + 1]:.2f}" for share in shares
    ]
    told = " and ".join(f"{at} in {told_name(name)}" for at, name in zip(highest, names, strict=True))
    return chart.svg(f"Histogram of edge probabilities. The most common are {told}.", *drawn)


def score_chart(distribution: ScoreDistribution, score: str, phi: float | None) -> Markup:
    """The distribution of a score with its expectation, median, mode and the tail from phi on."""
    values, probabilities = distribution.values, distribution.probabilities
    low, high = distribution.quantile(_TAIL / 2), distribution.quantile(1 - _TAIL / 2)
    chart = Chart(low, high, f"{score} score", height=210.0)
    inside = (values >= chart.low) & (values <= chart.high)
    drawn = [_masses(chart, values[inside], probabilities[inside])]
    summary = {
        "expectation": distribution.expectation(),
        "median": distribution.median(),
        "mode": distribution.mode(),
    }
    if phi is not None and chart.low < phi < chart.high:
        tail, height = chart.x(phi), chart.bottom - chart.top
        drawn.append(
            element("rect", x=tail, y=chart.top, width=chart.right - tail, height=height, class_="tail")
        )
        drawn.append(element("text", "≥ φ", x=chart.right - 3, y=chart.bottom - 4, text_anchor="end"))
    for row, (name, value) in enumerate(summary.items()):
        drawn.append(chart.mark(value, f"{name} {value:.3g}", name, 14.0 * row))
    told = ", ".join(f"{name} {value:.4g}" for name, value in summary.items())
    beyond = (
        "" if phi is None else f"; probability {distribution.phi_probability(phi):.4g} of at least {phi:g}"
    )
    return chart.svg(f"Distribution of the {score} score: {told}{beyond}.", *drawn)


def _masses(chart: Chart, values: Floats, probabilities: Floats) -> Markup:
    """Probabilities as stems, or as bars where they stand too close; there is room for names above."""
    room = 0.7
    if len(values) <= _STEMS:
        tops = (room * probabilities / probabilities.max()).tolist()
        stems = "".join(
            f"M{number(chart.x(v))} {number(chart.bottom)}V{number(chart.y(h))}"
            for v, h in zip(values.tolist(), tops, strict=True)
        )
        return element("path", d=stems, class_="stems")
    heights, edges = np.histogram(values, bins=_BARS, range=(chart.low, chart.high), weights=probabilities)
    steps = chart.steps(edges.tolist(), (room * heights / heights.max()).tolist())
    return element("path", d=steps, class_="area plain")


def support_chart(positive: Floats, negative: Floats, names: tuple[str, str]) -> Markup:
    """How many graphs of each class contain the subgraph: both distributions over shares of the class.

    Parameters
    ----------
    positive, negative : ndarray
        Support distributions: probability of 0, 1, 2, ... graphs.
    names : pair of str
    """
    lines, told = [], []
    for pmf, name in zip((positive, negative), names, strict=True):
        likely = np.flatnonzero(pmf > pmf.max() * 1e-3)
        likely = likely[:: math.ceil(len(likely) / _POINTS)]
        share = np.arange(len(pmf)) / (len(pmf) - 1)
        lines.append([(float(share[i]), float(pmf[i] / pmf.max())) for i in likely])
        mean = float(pmf @ np.arange(len(pmf)))
        told.append(f"{mean:.3g} of {len(pmf) - 1} in {told_name(name)}")
    low, high = min(line[0][0] for line in lines), max(line[-1][0] for line in lines)
    spare = 0.1 * (high - low)
    # Shares of many graphs are nearly certain: on the whole axis they would be two needles.
    ends = (max(0.0, low - spare), min(1.0, high + spare)) if 0 < high - low < _NARROW else (0.0, 1.0)
    chart = Chart(*ends, "share of the class that contains the subgraph", percent=True)
    drawn = []
    for line, side in zip(lines, ("pos", "neg"), strict=True):
        closed = [(line[0][0], 0.0), *((x, 0.95 * y) for x, y in line), (line[-1][0], 0.0)]
        drawn.append(element("path", d=chart.curve(closed) + "Z", class_=f"area {side}"))
    return chart.svg(f"Support distributions: expected {', '.join(told)}.", *drawn)


def folds_chart(
    rows: Sequence[tuple[str, Floats]], metric: str, chance: float | None, guess: str = "guessing"
) -> Markup:
    """A metric of every split as a dot, one line for each method, with the means.

    Parameters
    ----------
    rows : sequence of (name, values)
        NaN where a method has no value; it then has no mean either.
    metric : str
    chance : float or None
        What guessing gives, drawn as a line.
    guess : str
        What that is called.
    """
    finite = np.concatenate([values[np.isfinite(values)] for _, values in rows])
    ends = [*finite.tolist(), *([] if chance is None else [chance])] or [0.0, 1.0]
    # Shares end at 0; correlations may lie below.
    low, high = max(min(0.0, *ends), min(ends) - 0.03), min(1.0, max(ends) + 0.03)
    line = 20.0
    chart = Chart(low, high, metric, width=600.0, height=62.0 + line * len(rows), left=195.0)
    drawn = []
    if chance is not None:
        drawn.append(chart.mark(chance, f"{guess} {chance:.2f}", "chance", -6.0))
    for i, (name, values) in enumerate(rows):
        y = chart.top + line * (i + 0.8)
        there = values[np.isfinite(values)]
        drawn.append(element("text", shortened(name, 32), x=chart.left - 8, y=y + 4, text_anchor="end"))
        drawn.append(
            element("path", d=f"M{number(chart.left)} {number(y)}H{number(chart.right)}", class_="row")
        )
        if there.size:
            # Equal values lie a little apart.
            apart = (np.arange(there.size) * GOLDEN % 1.0 - 0.5) * 9 + y
            dots = "".join(
                f"M{number(chart.x(v))} {number(h)}h0"
                for v, h in zip(there.tolist(), apart.tolist(), strict=True)
            )
            drawn.append(element("path", d=dots, class_="dots plain"))
        if there.size == values.size:
            mean = chart.x(float(there.mean()))
            drawn.append(element("path", d=f"M{number(mean)} {number(y - 7)}v14", class_="mean"))
    return chart.svg(f"{metric} of {len(rows)} methods: every split as a dot, means as bars.", *drawn)


def frequency_bar(positive: float, negative: float) -> Markup:
    """Both expected frequencies of a subgraph on one line from 0 to 1, for a row of a table."""
    a, b = 4 + 92 * positive, 4 + 92 * negative
    return element(
        "svg",
        element("path", d="M4 8H96", class_="row"),
        element("path", d=f"M{number(a)} 8H{number(b)}", class_="between"),
        element("circle", cx=a, cy=8, r=4, class_="pos"),
        element("rect", x=b - 3.5, y=4.5, width=7, height=7, class_="neg"),
        class_="bar",
        viewBox="0 0 100 16",
        aria_hidden="true",
    )


def coefficient_bar(coefficient: float, largest: float) -> Markup:
    """A coefficient as a bar from the middle, to the right above 0 and hatched by its class below."""
    end = 50 + 46 * coefficient / largest
    left, width = min(50.0, end), abs(end - 50.0)
    return element(
        "svg",
        element("path", d="M4 8H96", class_="row"),
        element("rect", x=left, y=4.0, width=max(width, 1.0), height=8, class_="pos" if end >= 50 else "neg"),
        element("path", d="M50 1V15", class_="between"),
        class_="bar",
        viewBox="0 0 100 16",
        aria_hidden="true",
    )


def told_name(name: str) -> str:
    """A name in a sentence."""
    return shortened(carried(name), 40)
