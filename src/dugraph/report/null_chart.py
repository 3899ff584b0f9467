"""The null distribution of a test: the largest statistic of every permutation, with the observed one."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.report.chart import Chart
from dugraph.report.markup import element

_BINS = 30


def null_chart(
    maxima: NDArray[np.float64], observed: float, critical: float, statistic: str, size: str
) -> Markup:
    """A histogram of the maxima, shaded above the critical value, and the observed maximum.

    Parameters
    ----------
    maxima : ndarray
        Of all permutations but the observed labels.
    observed, critical : float
        The largest observed statistic, and what a statistic must exceed.
    statistic, size : str
        What they are called, and of which subgraphs they are.
    """
    ends = [observed, critical, *maxima.tolist()]
    low, high = min(ends), max(ends)
    space = 0.04 * (high - low)
    chart = Chart(low - space, high + space, f"largest {statistic} in a permutation", height=200.0)
    heights, edges = np.histogram(maxima, bins=_BINS, range=(chart.low, chart.high))
    room = 0.72  # there is room for names above
    steps = chart.steps(edges.tolist(), (room * heights / max(int(heights.max()), 1)).tolist())
    begin = chart.x(critical)
    shade = element(
        "rect",
        x=begin,
        y=chart.top,
        width=chart.right - begin,
        height=chart.bottom - chart.top,
        class_="tail",
    )
    beyond = int((maxima >= observed).sum())
    title = (
        f"Subgraphs of {size}: the largest {statistic} in each of {len(maxima)} permutations; {beyond} reach "
        f"the observed {observed:.3g}. Values above {critical:.3g} are significant."
    )
    return chart.svg(
        title,
        shade,
        element("path", d=steps, class_="area plain"),
        chart.mark(critical, f"critical {critical:.3g}", "chance", 14.0),
        chart.mark(observed, f"observed {observed:.3g}", "observed"),
    )
