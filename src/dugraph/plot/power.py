"""Power and detectable effects by number of graphs."""

from __future__ import annotations

import numpy as np

from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart, with_margin
from dugraph.plot.style import Axes, drawing_axes
from dugraph.significance import PowerResult


def plot_power(result: PowerResult, *, detectable: bool = False, ax: Axes | None = None) -> Axes:
    """Draw the power by the number of graphs, and the probability that the subgraph is admitted.

    Parameters
    ----------
    result : PowerResult
    detectable : bool, default False
        Draw instead the expected frequency in the positive class that is detected with the target power.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> pilot, _, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.power_analysis(pilot, n_edges=2, frequencies=(0.5, 0.25), min_expected_frequency=0.25)
    >>> dg.plot.plot_power(result).get_ylabel()
    'power'
    """
    if not isinstance(result, PowerResult):
        raise InputError(
            f"A PowerResult is needed: got {type(result).__name__}. Take it from power_analysis(pilot, ...)."
        )
    axes = drawing_axes(ax)
    return draw_chart(_detectable_chart(result) if detectable else _power_chart(result), axes)


def _power_chart(result: PowerResult) -> Chart:
    wanted, order = result.parameters["power"], np.argsort(result.n_graphs)
    sizes = result.n_graphs[order].astype(float)
    chart = Chart(
        "Power by the number of graphs.", with_margin(sizes.tolist(), 0.04), (0.0, 1.03), "graphs", "power"
    )
    chart.add("line", ((chart.x[0], wanted), (chart.x[1], wanted)), "row")
    chart.add("line", zip(sizes, result.admitted[order], strict=True), "critical", "admitted")
    chart.add("line", zip(sizes, result.power[order], strict=True), "count", "significant")
    chart.add("dots", zip(sizes, result.power[order], strict=True), "pos")
    if result.n_needed is not None and chart.x[0] <= result.n_needed <= chart.x[1]:
        ends = ((result.n_needed, 0.0), (result.n_needed, wanted))
        chart.add("rule", ends, "observed", f"{result.n_needed:,} graphs")
    return chart


def _detectable_chart(result: PowerResult) -> Chart:
    order = np.argsort(result.n_graphs)
    sizes, found = result.n_graphs[order].astype(float), result.detectable[order]
    negative, wanted = result.parameters["frequencies"][1], result.parameters["power"]
    chart = Chart(
        "The expected frequency in the positive class that is found, by the number of graphs.",
        with_margin(sizes.tolist(), 0.04),
        (0.0, 1.03),
        "graphs",
        "expected frequency",
    )
    chart.add("line", ((chart.x[0], negative), (chart.x[1], negative)), "critical", "negative class")
    known = np.isfinite(found)
    points = list(zip(sizes[known], found[known], strict=True))
    chart.add("line", points, "count", f"positive class, found with power {wanted:g}")
    chart.add("dots", points, "pos")
    return chart
