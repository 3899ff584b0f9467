"""The distribution of a score, with its measures marked."""

from __future__ import annotations

from numbers import Real

import numpy as np

from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart, steps
from dugraph.plot.style import Axes, drawing_axes
from dugraph.probability import ScoreDistribution

_STEMS = 60  # levels that are drawn one by one; more of them are summed in as many bins
_ROOM = 1.5  # height of the axis, for the names of the measures above the highest stem


def plot_score_distribution(
    distribution: ScoreDistribution, *, phi: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how likely each score is, with expectation, median and mode, and the tail at or above phi.

    Up to 60 levels are stems as high as their probabilities. More are summed in bins of equal width, since
    single ones would blur.

    Parameters
    ----------
    distribution : ScoreDistribution
    phi : float, optional
        The smallest score that counts as discriminative; its tail is shaded and the phi-probability written
        down.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", random_state=0)
    >>> distribution = dg.score_distribution(graphs, y, planted[0], "hsic")
    >>> ax = dg.plot.plot_score_distribution(distribution, phi=0.03)
    >>> ax.get_xlabel()
    'score F'
    """
    if not isinstance(distribution, ScoreDistribution):
        raise InputError(
            f"A ScoreDistribution is needed: got {type(distribution).__name__}. "
            "Take it from score_distribution(X, y, subgraph)."
        )
    if phi is not None and not (isinstance(phi, Real) and np.isfinite(float(phi))):
        raise InputError(f"phi must be a finite number: got {phi!r}.", parameter="phi")
    axes = drawing_axes(ax)
    return draw_chart(score_chart(distribution, phi), axes)


def score_chart(distribution: ScoreDistribution, phi: float | None, label: str = "score F") -> Chart:
    """Compose the distribution of a score."""
    low, high = _range(distribution, phi)
    shown = (distribution.values >= low) & (distribution.values <= high)
    values, heights = distribution.values[shown], distribution.probabilities[shown]
    seen = heights > 1e-3 * heights.max(initial=0.0)  # lower ones have no visible height
    binned = int(seen.sum()) > _STEMS
    edges = np.linspace(low, high, _STEMS + 1)
    if binned:
        heights, _ = np.histogram(values, bins=edges, weights=heights)
    else:
        values, heights = values[seen], heights[seen]
    top, pad = float(heights.max(initial=0.0)) or 1.0, 0.03 * (high - low)
    measures = {name: getattr(distribution, name)() for name in ("expectation", "median", "mode")}
    words = ", ".join(f"{name} {value:.4g}" for name, value in measures.items())
    if phi is not None:
        words += f"; probability {distribution.phi_probability(phi):.4g} of at least {phi:g}"
    chart = Chart(
        f"Distribution of the {label}: {words}.",
        *((low - pad, high + pad), (0.0, _ROOM * top)),
        *(label, "probability of a bin" if binned else "probability"),
    )
    if phi is not None and phi < chart.x[1]:
        chart.shade(max(phi, chart.x[0]), 0.0, _ROOM * top)
    if binned:
        chart.add("area", steps(edges, heights), "plain")
    else:
        chart.add("stems", zip(values, heights, strict=True), "plain")
    for line, (name, value) in enumerate(measures.items()):
        x = min(value, chart.x[1])
        text = f"{name} {value:.3g}{' →' * (value > high)}"
        chart.add("rule", ((x, 0.0), (x, _ROOM * top)), name, text, line)
    notes = []
    if phi is not None:
        notes.append(f"Pr[F ≥ {phi:.3g}] = {distribution.phi_probability(phi):.3g}")
    beyond = float(distribution.probabilities[distribution.values > high].sum())
    if beyond > 1e-3:
        notes.append(f"beyond: {beyond:.2g}, F up to {distribution.values[-1]:.4g}")
    for line, text in enumerate(notes, start=len(measures)):
        chart.add("note", [(chart.x[1], _ROOM * top)], "", text, line)
    return chart


def _range(distribution: ScoreDistribution, phi: float | None) -> tuple[float, float]:
    """The range drawn: nearly all of the mass, median and mode; expectation if near, phi if very near."""
    values, total = distribution.values, np.cumsum(distribution.probabilities)
    high = distribution.quantile(0.9995)
    most = distribution.quantile(0.9)
    # A rare score that was infinite, capped at a thousand, would squeeze all others into a line.
    if high > 20 * abs(most) > 0:
        high = most
    low = float(values[min(int(np.searchsorted(total, 0.0005)), len(values) - 1)])
    marks = [distribution.median(), distribution.mode()]
    high, low = max(high, *marks), min(low, *marks)
    for mark, near in ((distribution.expectation(), 2.0), (phi, 0.5)):
        if mark is not None and low - near * (high - low) <= mark <= high + near * (high - low):
            high, low = max(high, mark), min(low, mark)
    if high - low <= 1e-12 * max(1.0, abs(high)):
        spare = 0.5 * max(abs(high), 0.1)
        high, low = high + spare, low - spare
    return low, high
