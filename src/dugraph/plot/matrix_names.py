"""Names next to the rows of a matrix: of modules, or of rows where there are few."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from dugraph.plot.axes import Axes, size_in_inches
from dugraph.plot.colours import FAINT
from dugraph.plot.label_layout import spread
from dugraph.plot.text import line_height, plain

_SIZE = "x-small"
_ROOM = 1.1  # inches for a name


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Write each name once next to its run of rows; thin lines across the matrix separate the runs.

    Parameters
    ----------
    ax : matplotlib Axes
        With a matrix of that many rows and columns, drawn by `imshow` or `pcolormesh` with row 0 at the top.
    names : sequence of str
        One per row; equal ones that follow each other are one run.
    """
    runs = [(name, len(list(group))) for name, group in groupby(names)]
    ends = np.cumsum([size for _, size in runs])
    line = line_height(_SIZE) / size_in_inches(ax)[1] * len(names)  # in rows
    most = max(int(len(names) / line), 1)
    largest = sorted(sorted(range(len(runs)), key=lambda i: (-runs[i][1], i))[:most])
    for end in ends[:-1] if len(runs) < len(names) else ():
        ax.axhline(end - 0.5, color="white", linewidth=0.5)
        ax.axvline(end - 0.5, color="white", linewidth=0.5)
    middles = np.array([ends[i] - runs[i][1] / 2 - 0.5 for i in largest])
    places = spread(middles, line, (line / 2 - 0.5, len(names) - line / 2 - 0.5))
    beside = ax.get_yaxis_transform()
    for middle, place in zip(middles, places, strict=True):
        ax.plot(
            (0, -0.02, -0.035), (middle, place, place), transform=beside, color=FAINT, linewidth=0.6,
            clip_on=False,
        )  # fmt: skip
    ax.set_xticks([])
    ax.set_yticks(places, [plain(runs[i][0], _ROOM, _SIZE) for i in largest], fontsize=_SIZE)
    ax.tick_params(axis="y", length=0, pad=0.045 * size_in_inches(ax)[0] * 72)
