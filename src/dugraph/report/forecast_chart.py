"""What was forecast of a phenotype against what it is: a dot for each graph that was left out."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from dugraph.report.chart import Chart, ticks
from dugraph.report.markup import element, number, shortened

Floats = NDArray[np.float64]


def forecast_chart(observed: Floats, forecast: Floats, name: str) -> Markup:
    """Draw forecasts over the phenotype, with the line on which both are the same.

    Parameters
    ----------
    observed, forecast : ndarray of shape (n_graphs,)
        Both beyond covariates.
    name : str
        The name of the phenotype.
    """
    chart = Chart(
        float(observed.min()),
        float(observed.max()),
        shortened(name, 50),
        width=480.0,
        height=300.0,
        left=52.0,
    )
    low, high = float(forecast.min()), float(forecast.max())
    low, high = (low, high) if high > low else (low - 0.5, low + 0.5)

    def height(value: float) -> float:
        return chart.y((value - low) / (high - low))

    drawn = []
    for tick in ticks(low, high, about=4):
        place = {"x": chart.left - 8, "y": height(tick) + 4, "text_anchor": "end"}
        drawn.append(element("g", element("text", f"{tick:.4g}", **place), class_="axis"))
    # As far as both axes go, since forecasts vary less.
    ends = max(chart.low, low), min(chart.high, high)
    if ends[0] < ends[1]:
        line = "L".join(f"{number(chart.x(at))} {number(height(at))}" for at in ends)
        drawn.append(element("path", d=f"M{line}", class_="mean"))
    dots = "".join(
        f"M{number(chart.x(a))} {number(height(b))}h0"
        for a, b in zip(observed.tolist(), forecast.tolist(), strict=True)
    )
    drawn.append(element("path", d=dots, class_="dots plain"))
    middle = (chart.top + chart.bottom) / 2
    turned = {"x": 14, "y": middle, "transform": f"rotate(-90 14 {number(middle)})", "text_anchor": "middle"}
    drawn.append(element("text", "forecast", **turned, class_="label"))
    constant = np.ptp(forecast) == 0 or np.ptp(observed) == 0
    r = 0.0 if constant else float(np.corrcoef(observed, forecast)[0, 1])
    title = f"Forecast of {shortened(name, 40)} for {len(observed)} graphs left out: correlation {r:.3g}."
    return chart.svg(title, *drawn)
