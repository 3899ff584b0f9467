"""The regularisation path as a chart: the number of subgraphs and the held-out loss by the penalty."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from dugraph.data.wording import counted
from dugraph.report.chart import Chart
from dugraph.report.markup import element, number
from dugraph.results.record import Penalty, SubgraphRecord


def path_charts(record: SubgraphRecord) -> list[tuple[str, Markup]]:
    """The path of a fit, or of each group with its name; none of a search."""
    paths = [(one.group, one.path, one.alpha) for one in record.models]
    if record.is_fit and not paths:
        paths = [("", record.path, record.parameters["alpha_in_use"])]
    drawn = [(group, path_chart(path, alpha)) for group, path, alpha in paths]
    return [(group, chart) for group, chart in drawn if chart is not None]


def path_chart(path: Sequence[Penalty], alpha: float) -> Markup | None:
    """Draw a path; None if it has fewer than two penalties.

    Parameters
    ----------
    path : sequence of Penalty
        From large to small.
    alpha : float
        The penalty in use, which is marked.
    """
    if len(path) < 2:
        return None
    # To the right models grow, so that the axis is that of 1 / penalty.
    places = [-math.log10(one.alpha) for one in path]
    chart = _PenaltyChart(min(places), max(places), "penalty (larger to the left)", width=480.0, height=230.0)
    most = max(1, *(one.n_nonzero for one in path))
    steps = [(x, 0.8 * one.n_nonzero / most) for x, one in zip(places, path, strict=True)]
    drawn = [
        element("path", d=chart.curve(steps), class_="path-count"),
        _end(chart, steps[-1], f"{path[-1].n_nonzero} subgraphs"),
    ]
    judged = [
        (x, one.loss, one.spread or 0.0) for x, one in zip(places, path, strict=True) if one.loss is not None
    ]
    told = ""
    if judged:
        low = min(loss - spread for _, loss, spread in judged)
        high = max(loss + spread for _, loss, spread in judged)

        def share(value: float) -> float:
            return 0.05 + 0.75 * (value - low) / max(high - low, 1e-12)

        band = [(x, share(loss + spread)) for x, loss, spread in judged]
        band += [(x, share(loss - spread)) for x, loss, spread in reversed(judged)]
        line = [(x, share(loss)) for x, loss, _ in judged]
        best = min(judged, key=lambda one: one[1])
        drawn.append(element("path", d=chart.curve(band) + "Z", class_="path-band"))
        drawn.append(element("path", d=chart.curve(line), class_="path-loss"))
        drawn.append(_end(chart, line[-1], f"held-out loss {judged[-1][1]:.3g}"))
        told = (
            f" The held-out loss is {judged[0][1]:.3g} at the largest penalty and {best[1]:.3g} at the best."
        )
    drawn.append(chart.mark(-math.log10(alpha), f"in use: {alpha:.3g}", "median"))
    counts = f"from {path[0].n_nonzero} to {counted(path[-1].n_nonzero, 'subgraph')}"
    return chart.svg(f"{len(path)} penalties, {counts}.{told}", *drawn)


class _PenaltyChart(Chart):
    """Its axis has the penalty at minus its logarithm."""

    def tick_text(self, tick: float) -> str:
        return f"{10.0**-tick:.3g}"


def _end(chart: Chart, point: tuple[float, float], text: str) -> Markup:
    x, y = chart.x(point[0]), chart.y(point[1])
    dot = element("path", d=f"M{number(x)} {number(y)}h0", class_="dots plain")
    return element("g", dot, element("text", text, x=x - 5, y=y - 7, text_anchor="end"), class_="mark")
