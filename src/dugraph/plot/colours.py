"""Colours, markers and line styles: distinct for colour-blind readers, and in grey."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any, NamedTuple

# Okabe and Ito's colours; their yellow is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "<", ">")
LINE_STYLES = ("-", "--", "-.", ":")
MATRIX_MAP = "cividis"
"""From dark blue to light yellow: as good in grey as in colours."""
INK, FAINT, PALE = "#1A1A1A", "#666666", "#D0D0CC"


class ClassStyle(NamedTuple):
    """How a class is drawn everywhere."""

    colour: str
    marker: str
    line: str
    hatch: str


# As in the report: dark enough for white paper, and still far apart in grey.
POSITIVE = ClassStyle("#00588A", "o", "-", "")
NEGATIVE = ClassStyle("#D27D00", "s", "--", "////")


def difference_map() -> Any:
    """From the colour of the negative class through white, no difference, to that of the positive class."""
    from matplotlib.colors import LinearSegmentedColormap

    tints = (NEGATIVE.colour, "#FFFFFF", POSITIVE.colour)
    return LinearSegmentedColormap.from_list("classes", tints).with_extremes(bad=PALE)


def line_styles(n: int) -> list[dict[str, Any]]:
    """Return `n` line styles; colour, marker and dashes go round at different paces, so that no two are
    equal.

    Examples
    --------
    >>> line_styles(1)
    [{'color': '#0072B2', 'marker': 'o', 'linestyle': '-'}]
    """
    styles = zip(cycle(COLOURS), cycle(MARKERS), cycle(LINE_STYLES), strict=False)
    return [{"color": c, "marker": m, "linestyle": s} for c, m, s in islice(styles, n)]


def luminance(colour: str) -> float:
    """Relative luminance of a colour "#rrggbb" from 0, black, to 1, white: what is left of it in grey.

    Examples
    --------
    >>> luminance("#000000"), luminance("#ffffff")
    (0.0, 1.0)
    """
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return round(sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True)), 6)
