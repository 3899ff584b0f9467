"""How surely graphs contain a subgraph: dots, or distributions where dots would be too many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.report.chart import Chart
from dugraph.report.charts import GOLDEN, told_name
from dugraph.report.markup import element, number, path, shortened

Floats = NDArray[np.float64]
MOST_DOTS = 1000
"""Graphs of a group that are drawn one by one."""
_BINS = 50
_PARTS = 20  # of a phenotype, of equally many graphs each


def drawn_as(groups: Sequence[Floats]) -> str:
    """What stands for the graphs of these groups in a chart, in words."""
    few = [len(x) <= MOST_DOTS for x in groups]
    if all(few):
        return "a dot for each graph"
    return "dots or a histogram for the graphs" if any(few) else "a histogram of the graphs"


def containment_chart(groups: Sequence[Floats], names: Sequence[str], named: bool = False) -> Markup:
    """The containment probability of every graph, one band for each class, with the means.

    Graphs are dots; a large group is a histogram.

    Parameters
    ----------
    groups : sequence of ndarray
        Containment probabilities, of the positive class first.
    names : sequence of str
    named : bool, default False
        Whether the bands have their names beside them, and all the same mark, as several groups do.
    """
    label = "containment probability of each graph"
    chart = Chart(0.0, 1.0, label)
    if named:
        chart = Chart(0.0, 1.0, label, width=460.0, height=70.0 + 60.0 * len(groups), left=120.0)
    drawn, told = [], []
    step = (chart.bottom - chart.top) / len(groups)
    tops = [chart.top + k * step + (6 if k else 0) for k in range(len(groups))]
    bands = [(top, chart.top + (k + 1) * step - 6) for k, top in enumerate(tops)]
    sides = ["plain"] * len(groups) if named else ["pos", "neg"]
    for x, (top, bottom), side, name in zip(groups, bands, sides, names, strict=True):
        if named:
            place = {"x": chart.left - 8, "y": (top + bottom) / 2 + 4, "text_anchor": "end"}
            drawn.append(element("text", shortened(name, 18), **place))
        drawn.append((_dots if len(x) <= MOST_DOTS else _histogram)(chart, x, top, bottom, side))
        mean = float(x.mean())
        at = f"M{number(chart.x(mean))} {number(top - 2)}V{number(bottom + 2)}"
        drawn.append(element("path", d=at, class_="mean"))
        beyond = mean > 0.5
        words = element(
            "text",
            f"mean {mean:.2f}",
            x=chart.x(mean) + (-5 if beyond else 5),
            y=top + 8,
            text_anchor="end" if beyond else "start",
        )
        drawn.append(element("g", words, class_="mark"))
        told.append(f"mean {mean:.3g} in {told_name(name)}")
    return chart.svg(f"Containment probabilities of all graphs: {', '.join(told)}.", *drawn)


def phenotype_chart(y: Floats, x: Floats, slope: float, name: str) -> Markup:
    """The containment probability of every graph over its phenotype, with the line of the slope.

    Graphs are dots; of a large cohort the middle 80 % of graphs of like phenotype are an area.

    Parameters
    ----------
    y, x : ndarray of shape (n_graphs,)
        The phenotype and the containment probabilities, or what covariates leave of both, around their means.
    slope : float
    name : str
        The name of the phenotype.
    """
    chart = Chart(float(y.min()), float(y.max()), shortened(name, 40), left=40.0)
    low, high = min(0.0, float(x.min())), max(1.0, float(x.max()))

    def height(value: float) -> float:
        return chart.y((value - low) / (high - low))

    if len(y) <= MOST_DOTS:
        dots = "".join(
            f"M{number(chart.x(a))} {number(height(b))}h0"
            for a, b in zip(y.tolist(), x.tolist(), strict=True)
        )
        graphs = element("path", d=dots, class_="dots plain")
    else:
        corners = [(chart.x(a), height(b)) for a, b in _middle(y, x)]
        graphs = element("path", d=path(corners, closed=True), class_="area plain")
    ends = [(at, float(x.mean()) + slope * (at - float(y.mean()))) for at in (chart.low, chart.high)]
    line = "L".join(f"{number(chart.x(a))} {number(height(b))}" for a, b in ends)
    drawn = [graphs, element("path", d=f"M{line}", class_="mean")]
    for tick in (0.0, 0.5, 1.0):
        place = {"x": chart.left - 6, "y": height(tick) + 4, "text_anchor": "end"}
        drawn.append(element("g", element("text", f"{tick:g}", **place), class_="axis"))
    title = f"Containment probability of all graphs by {told_name(name)}: slope {slope:.3g} per unit."
    return chart.svg(title, *drawn)


def _dots(chart: Chart, x: Floats, top: float, bottom: float, side: str) -> Markup:
    height = (np.arange(len(x)) * GOLDEN % 1.0) * (bottom - top) + top
    dots = "".join(
        f"M{number(chart.x(p))} {number(h)}h0"
        for p, h in zip(np.sort(x).tolist(), height.tolist(), strict=True)
    )
    return element("path", d=dots, class_=f"dots {side}")


def _histogram(chart: Chart, x: Floats, top: float, bottom: float, side: str) -> Markup:
    counts, edges = np.histogram(x, bins=_BINS, range=(0.0, 1.0))
    heights = (bottom - counts / counts.max() * (bottom - top)).tolist()
    places = [chart.x(edge) for edge in edges.tolist()]
    points = [(places[0], bottom)]
    for left, right, height in zip(places[:-1], places[1:], heights, strict=True):
        points += [(left, height), (right, height)]
    return element("path", d=path([*points, (places[-1], bottom)], closed=True), class_=f"area {side}")


def _middle(y: Floats, x: Floats) -> list[tuple[float, float]]:
    """Around the middle 80 % of the graphs: the upper edge from left to right, the lower one back."""
    parts = np.array_split(np.argsort(y, kind="stable"), _PARTS)
    at = [float(y[part].mean()) for part in parts]
    low, high = np.array([np.quantile(x[part], (0.1, 0.9)) for part in parts]).T
    upper = list(zip(at, high.tolist(), strict=True))
    return upper + list(zip(at, low.tolist(), strict=True))[::-1]
