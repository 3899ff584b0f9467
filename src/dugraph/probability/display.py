"""HTML view of a score distribution."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dugraph.probability.score_distribution import ScoreDistribution

_BARS, _WIDTH, _HEIGHT = 40, 320, 60


def distribution_html(distribution: ScoreDistribution) -> str:
    """A small table of its measures above a histogram."""
    low, high = float(distribution.values[0]), float(distribution.values[-1])
    rows = [
        ("possible scores", f"{len(distribution.values)}, from {low:.4g} to {high:.4g}"),
        ("expectation", f"{distribution.expectation():.6g}"),
        ("median", f"{distribution.median():.6g}"),
        ("mode", f"{distribution.mode():.6g}"),
        (
            "90 % of the probability",
            f"{distribution.quantile(0.05):.4g} to {distribution.quantile(0.95):.4g}",
        ),
    ]
    body = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows
    )
    caption = f"<caption>{type(distribution).__name__}</caption>"
    return f"<div><table>{caption}<tbody>{body}</tbody></table>{_bars(distribution)}</div>"


def _bars(distribution: ScoreDistribution) -> str:
    """A histogram as SVG over the scores that are not too unlikely, in the colour of the text around it."""
    ends = distribution.quantile(0.0005), distribution.quantile(0.9995)
    if ends[0] == ends[1]:
        return ""
    heights = np.histogram(distribution.values, _BARS, ends, weights=distribution.probabilities)[0]
    width = _WIDTH / _BARS
    bars = "".join(
        f"M{i * width:g} {_HEIGHT}v{-_HEIGHT * height:.1f}h{width - 1:g}V{_HEIGHT}Z"
        for i, height in enumerate(heights / heights.max())
    )
    title = f"histogram of the scores from {ends[0]:.4g} to {ends[1]:.4g}"
    return (
        f"<svg role='img' width='{_WIDTH}' height='{_HEIGHT}' viewBox='0 0 {_WIDTH} {_HEIGHT}'>"
        f"<title>{escape(title)}</title><path d='{bars}' fill='currentColor' fill-opacity='0.5'/></svg>"
    )
