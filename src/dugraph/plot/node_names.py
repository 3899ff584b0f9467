"""Names of nodes in the two margins of a drawing, each joined to its node by a thin line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import counted
from dugraph.plot.axes import Axes, size_in_inches
from dugraph.plot.colours import FAINT
from dugraph.plot.label_layout import spread
from dugraph.plot.text import line_height, plain, text_width

SIZE = "small"
_SHARE = 0.3  # of the width that the names of one side may take
_GAP = 0.13  # inches from the drawing to the names
_LEAD = "#A3A39E"

Floats = NDArray[np.float64]


def name_nodes(
    ax: Axes,
    xy: Floats,
    names: Sequence[str],
    colours: Sequence[str],
    box: tuple[Floats, Floats],
    importance: Sequence[float],
    lines_kept: tuple[int, int] = (0, 0),
) -> None:
    """Set the limits of the axes and write the names next to the drawing.

    Names use the available room, and are shortened to fit. If there are more names than
    lines, the most important ones are written, and the number of the others.

    Parameters
    ----------
    ax : matplotlib Axes
    xy : ndarray of shape (n, 2)
        Where the nodes are drawn.
    names, colours : sequence of str, length n
    box : pair of ndarray of shape (2,)
        Lower left and upper right corner of the drawing.
    importance : sequence of float, length n
        Larger is more important.
    lines_kept : pair of int
        Lines of text to keep free below and above, for legends.
    """
    low, high = box
    ax.axis("off")
    width, height = size_in_inches(ax)
    line = line_height(SIZE)
    below, above = (line * n for n in lines_kept)
    height -= below + above
    most = max(int(height / line) - 1, 1)
    named = np.sort(np.argsort(-np.asarray(importance, dtype=np.float64), kind="stable")[: 2 * most])
    sides = _sides(xy[named], float(low[0] + high[0]) / 2, most)
    room = _SHARE * width
    texts = [[plain(names[named[i]], room, SIZE) for i in side] for side in sides]
    taken = [max((text_width(text, SIZE) for text in side), default=0.0) for side in texts]
    scale = _set_limits(ax, low, high, taken, (width, height), (below, above))
    # The names of a side keep within the height that is surely there.
    middle = float(low[1] + high[1]) / 2
    within = (middle - (height - line) / 2 * scale, middle + (height - line) / 2 * scale)
    edges = (float(low[0]) - _GAP * scale, float(high[0]) + _GAP * scale)
    for side, written, edge, step, align in zip(sides, texts, edges, (-1, 1), ("right", "left"), strict=True):
        nodes = named[side]
        heights = spread(xy[nodes, 1], line * scale, within)
        for node, text, y in zip(nodes, written, heights, strict=True):
            bend = edge - step * _GAP / 2 * scale
            ax.plot((xy[node, 0], bend, edge), (xy[node, 1], y, y), color=_LEAD, linewidth=0.7, zorder=2)
            place = edge + step * 0.03 * scale
            ax.text(place, y, text, ha=align, va="center", fontsize=SIZE, color=colours[node])
    if len(named) < len(names):
        left_out = f"and {counted(len(names) - len(named), 'more node')}"
        ax.text(
            0.5, 0.0, left_out, ha="center", va="bottom", fontsize=SIZE, color=FAINT, transform=ax.transAxes
        )


def _sides(xy: Floats, centre: float, most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which nodes are named on the left and on the right: their own side if its lines suffice."""
    right = xy[:, 0] > centre
    if max(int(right.sum()), int((~right).sum())) > most:
        right = np.zeros(len(xy), dtype=bool)
        right[np.argsort(xy[:, 0], kind="stable")[(len(xy) + 1) // 2 :]] = True
    return np.flatnonzero(~right), np.flatnonzero(right)


def _set_limits(
    ax: Axes,
    low: Floats,
    high: Floats,
    taken: list[float],
    size: tuple[float, float],
    kept: tuple[float, float],
) -> float:
    """Leave the inches of `taken` and `kept` around the drawing; return how much of the scale one inch is."""
    width, height = size
    for_drawing = max(width - sum(taken) - 2 * _GAP - 0.06, 0.2 * width)
    extent = np.maximum(high - low, 1e-9)
    scale = float(max(extent[0] / for_drawing, extent[1] / height))
    spare = max(for_drawing - extent[0] / scale, 0.0) / 2
    beside = [(inches + spare + _GAP + 0.03) * scale for inches in taken]
    ax.set_xlim(low[0] - beside[0], high[0] + beside[1])
    middle = float(low[1] + high[1]) / 2
    ax.set_ylim(middle - (height / 2 + kept[0]) * scale, middle + (height / 2 + kept[1]) * scale)
    ax.set_aspect("equal", adjustable="box")
    return scale
