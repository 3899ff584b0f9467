"""The distribution of a score, with its measures marked."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.plot.axes import Axes, drawing_axes, drop_frame
from dugraph.probability import ScoreDistribution

_MOST_STEMS = 60  # levels that are drawn one by one; more of them are summed up in as many bins
_STEM, _TAIL = "#A9A9A9", "#D55E00"
# Name, colour, dashes and marker of each measure: distinct by any two of the three.
_MARKS = (
    ("expectation", "#0072B2", "-", "o"),
    ("median", "#000000", "--", "s"),
    ("mode", "#009E73", ":", "^"),
)


def plot_score_distribution(
    distribution: ScoreDistribution, *, phi: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how likely each score is, with expectation, median and mode, and the tail at or above phi.

    Up to 60 levels that matter are stems as high as their probabilities. More are summed in bins of
    equal width, since single ones would blur.

    Parameters
    ----------
    distribution : ScoreDistribution
    phi : float, optional
        The smallest score that counts as discriminative; its tail is hatched and the
        phi-probability written down.
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
    low, high = _range(distribution, phi)
    values, heights, width = _bars(distribution, low, high)
    tail = values >= (np.inf if phi is None else phi - 1e-12 * max(1.0, abs(phi)))
    for part, colour, hatch in ((~tail, _STEM, ""), (tail, _TAIL, "////")):
        axes.bar(
            values[part], heights[part], width, color=colour, hatch=hatch, edgecolor="white", linewidth=0
        )
    top = float(heights.max(initial=0.0)) or 1.0
    for name, colour, dashes, marker in _MARKS:
        value = getattr(distribution, name)()
        # The marker on top keeps lines apart that fall together.
        axes.plot(
            (value, value), (0, 1.08 * top), color=colour, linestyle=dashes, marker=marker, markevery=[1],
            markersize=5, linewidth=1.8, label=f"{name} {value:.3g}{' →' if value > high else ''}",
        )  # fmt: skip
    if phi is not None:
        probability = distribution.phi_probability(phi)
        axes.bar(
            [low], [0], width, color=_TAIL, hatch="////", edgecolor="white", linewidth=0,
            label=f"Pr[F ≥ {phi:.3g}] = {probability:.3g}",
        )  # fmt: skip
    beyond = float(distribution.probabilities[distribution.values > high].sum())
    if beyond > 1e-3:
        note = f"beyond: {beyond:.2g}, F up to {distribution.values[-1]:.4g}"
        axes.plot([], [], linestyle="none", label=note)
    binned = len(values) > 1 and width * len(values) >= 0.99 * (high - low)
    axes.set_xlabel("score F")
    axes.set_ylabel("probability of a bin" if binned else "probability")
    pad = 0.03 * (high - low)
    axes.set_xlim(low - pad, high + pad)
    axes.set_ylim(0, 1.5 * top)
    axes.legend(
        loc="upper center", ncols=2, frameon=False, fontsize="x-small", handlelength=1.6, columnspacing=1.0
    )
    drop_frame(axes)
    return axes


def _range(distribution: ScoreDistribution, phi: float | None) -> tuple[float, float]:
    """From where to where is drawn: nearly all of the mass, median and mode; expectation and phi if near."""
    values, total = distribution.values, np.cumsum(distribution.probabilities)
    high = distribution.quantile(0.9995)
    most = distribution.quantile(0.9)
    # A rare score that was infinite, capped at a thousand, would leave a line for all others.
    if high > 20 * abs(most) > 0:
        high = most
    low = float(values[min(int(np.searchsorted(total, 0.0005)), len(values) - 1)])
    marks = [distribution.median(), distribution.mode()]
    high, low = max(high, *marks), min(low, *marks)
    for mark in (distribution.expectation(), phi):
        if mark is not None and low - 2 * (high - low) <= mark <= high + 2 * (high - low):
            high, low = max(high, mark), min(low, mark)
    if high - low <= 1e-12 * max(1.0, abs(high)):
        spare = 0.5 * max(abs(high), 0.1)
        high, low = high + spare, low - spare
    return low, high


def _bars(
    distribution: ScoreDistribution, low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Places, heights and width of the bars: levels one by one, or sums over bins."""
    shown = (distribution.values >= low) & (distribution.values <= high)
    values, heights = distribution.values[shown], distribution.probabilities[shown]
    seen = heights > 1e-3 * heights.max(initial=0.0)  # lower ones have no height that could be seen
    if seen.sum() <= _MOST_STEMS:
        return values[seen], heights[seen], (high - low) / 110
    sums, edges = np.histogram(values, bins=_MOST_STEMS, range=(low, high), weights=heights)
    return (edges[:-1] + edges[1:]) / 2, sums, float(edges[1] - edges[0])
