"""Styles of plots: axes, colours, text from files, spacing of labels, shared parts of docstrings."""

from __future__ import annotations

import inspect
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import cycle, islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from dugraph.exceptions import InputError

Axes = Any
"""A matplotlib Axes; matplotlib is imported only when something is drawn."""
Box = tuple[float, float, float, float]
Function = TypeVar("Function", bound=Callable[..., Any])

# Okabe and Ito's colours; their yellow is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Paul Tol's muted scheme, far from the colours of the classes, whose edges join the nodes of networks.
NETWORK_COLOURS = (
    *("#88CCEE", "#CC6677", "#117733", "#DDCC77", "#882255", "#44AA99", "#999933", "#AA4499", "#332288"),
)
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "<", ">")
LINE_STYLES = ("-", "--", "-.", ":")
MATRIX_MAP = "cividis"
"""From dark blue to light yellow: as good in grey as in colours."""
INK, FAINT, PLAIN, PALE = "#1A1A1A", "#666666", "#A9A9A9", "#D0D0CC"
CARE = "#D79A00"


class ClassStyle(NamedTuple):
    """The style of a class in all plots."""

    colour: str
    marker: str
    line: str
    hatch: str


# As in the report's style sheet: dark enough for white paper, and far apart in grey.
POSITIVE = ClassStyle("#00588A", "o", "-", "")
NEGATIVE = ClassStyle("#D27D00", "s", "--", "////")

_PARAMETERS = {
    "ax": """\
ax : matplotlib Axes, optional
    Default: that of a new figure.

Returns
-------
matplotlib Axes
    The one drawn into.""",
    "subgraph": """\
subgraph : sequence of int, sequence of str, or str
    Edge indices or names, as for `containment_probability`.""",
    "pos_label": """\
pos_label : object, optional
    The positive class. Default: the last in sorted order.""",
}


def fill_doc(function: Function) -> Function:
    """Replace ``%(name)s`` in the docstring of a function by the description of a shared parameter."""
    if function.__doc__:  # None under -OO
        text = inspect.cleandoc(function.__doc__)
        function.__doc__ = re.sub(r"%\((\w+)\)s", lambda found: _PARAMETERS[found[1]], text)
    return function


def difference_map() -> Any:
    """From the colour of the negative class through white, no difference, to that of the positive class."""
    from matplotlib.colors import LinearSegmentedColormap

    tints = (NEGATIVE.colour, "#FFFFFF", POSITIVE.colour)
    return LinearSegmentedColormap.from_list("classes", tints).with_extremes(bad=PALE)


def line_styles(n: int) -> list[dict[str, Any]]:
    """Return `n` distinct line styles: colours, markers and dashes repeat with different periods.

    Examples
    --------
    >>> line_styles(1)
    [{'color': '#0072B2', 'marker': 'o', 'linestyle': '-'}]
    """
    styles = zip(cycle(COLOURS), cycle(MARKERS), cycle(LINE_STYLES), strict=False)
    return [{"color": c, "marker": m, "linestyle": s} for c, m, s in islice(styles, n)]


def network_looks(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Colour and marker of each network, in the order given; beyond nine, colours repeat with other markers.

    Examples
    --------
    >>> network_looks(["Visual", "Default"])["Default"]
    {'color': '#CC6677', 'marker': 'o'}
    """
    n = len(NETWORK_COLOURS)
    return {
        name: {"color": NETWORK_COLOURS[i % n], "marker": MARKERS[i // n % len(MARKERS)]}
        for i, name in enumerate(dict.fromkeys(names))
    }


def optional_package(module: str, words: str) -> Any:
    """Import a module; raise an InputError that begins with these words if its package is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise InputError(f"{words} {package}, which is missing: pip install 'dugraph[plot]'.") from error


def drawing_axes(ax: Axes | None, figsize: tuple[float, float] = (5.0, 3.75)) -> Axes:
    """Return `ax`, or for None the axes of a new figure of `figsize` inches."""
    axes = optional_package("matplotlib.axes", "Plots need")
    if ax is None:
        # pyplot chooses a backend, so it is imported only where a figure is requested.
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=figsize, layout="constrained")[1]
    if not isinstance(ax, axes.Axes):
        raise InputError(
            f"ax must be an Axes of matplotlib: got {type(ax).__name__}. "
            "Take one from plt.subplots(), or leave ax out."
        )
    return ax


def size_in_inches(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes as they are now; a layout engine may still change them a little."""
    figure = ax.figure.figure  # the whole figure of a subfigure
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi, box.height / ax.figure.dpi


def colour_bar(ax: Axes, mappable: Any, label: str, box: Box = (1.03, 0.0, 0.045, 1.0)) -> None:
    """Draw the colour scale of a matrix into a box of the same axes: left, bottom, width and height."""
    bar = ax.figure.colorbar(mappable, cax=ax.inset_axes(box))
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(labelsize="x-small")
    bar.set_label(label, fontsize="small")


def write_legend(parent: Any, handles: Sequence[Any], inches: float, **place: Any) -> Any:
    """Write a legend into axes or a figure, with as many columns as fit into `inches`, and return it."""
    for n_columns in range(min(len(handles), 6), 0, -1):
        legend = parent.legend(
            handles=handles, ncols=n_columns, frameon=False, fontsize="small", handlelength=2.2,
            columnspacing=1.2, labelspacing=0.35, borderpad=0.2, borderaxespad=0.2, **place,
        )  # fmt: skip
        if n_columns == 1 or legend.get_window_extent().width <= inches * parent.figure.dpi:
            break
        legend.remove()
    return legend


def legend_below(ax: Axes, keys: Sequence[Any]) -> None:
    """Write a legend below the axes, for which a layout engine makes room."""
    if keys:
        write_legend(ax, keys, size_in_inches(ax)[0], loc="upper center", bbox_to_anchor=(0.5, -0.03))


def legend_within(ax: Axes) -> None:
    """Write the legend of the labelled marks at the top of the axes, and make room above the data for it."""
    width, height = size_in_inches(ax)
    handles, _ = ax.get_legend_handles_labels()
    legend = write_legend(ax, handles, width, loc="upper center")
    low, high = ax.get_ylim()
    share = min(legend.get_window_extent().height / ax.figure.dpi / height + 0.02, 0.5)
    ax.set_yticks([tick for tick in ax.get_yticks() if low <= tick <= high])
    ax.set_ylim(low, low + (high - low) / (1 - share))


def spread(wanted: ArrayLike, gap: float, within: tuple[float, float] | None = None) -> NDArray[np.float64]:
    """Move positions on a line as little as needed for a distance of at least `gap` between any two.

    Without `within`, the lowest and highest position, the sum of squared moves is minimal.
    """
    wanted = np.asarray(wanted, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    offset = gap * np.arange(len(wanted))
    # Minus the gaps, the positions must only be non-decreasing.
    level = isotonic_regression(wanted[order] - offset).x if len(wanted) else wanted
    if within is not None:
        # Minus the gaps, both ends are the same for all positions, so clipping keeps the distances.
        level = np.clip(level, within[0], within[1] - gap * max(len(wanted) - 1, 0))
    placed = np.empty_like(wanted)
    placed[order] = level + offset
    return placed


LONGEST = 200
"""Characters of a text that are looked at; no drawing has room for more."""
_MISSING = "□"


def one_line(text: object) -> str:
    """Return text without line ends, control characters and marks of direction, which become spaces."""
    cut = shorten(str(text), LONGEST)
    spaced = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in cut)
    return unicodedata.normalize("NFC", " ".join(spaced.split()))


def shorten(text: str, most: int) -> str:
    """Shorten text to `most` characters by an ellipsis before its last third.

    The ends of region names distinguish them, such as left and right.

    Examples
    --------
    >>> shorten("Frontal_Superior_Orbital_L", 16)
    'Frontal_Su…tal_L'
    """
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return text[: max(most - 1 - tail, 0)] + "…" + text[len(text) - tail :]


def in_words(name: str) -> str:
    """A name from a file within a sentence."""
    return shorten(one_line(name), 40)


def plain(text: object, inches: float | None = None, size: float | str = "small") -> str:
    """Return ``str(text)`` in one line for matplotlib, which shows it literally, never as a formula.

    Characters that the font does not have become boxes. With `inches`, the text is shortened to this width
    in font size `size`.

    Examples
    --------
    >>> plain("a\\nprice of $5")
    'a price of \\\\$5'
    """
    drawn = _drawn_characters()
    shown = "".join(c if ord(c) in drawn else _MISSING for c in one_line(text))
    if inches is not None and text_width(shown, size) > inches:
        longer = range(2, len(shown))  # one character is always shown
        shown = shorten(
            shown, 1 + bisect_right(longer, inches, key=lambda n: text_width(shorten(shown, n), size))
        )
    return shown.replace("$", r"\$")


def text_width(text: str, size: float | str = "small") -> float:
    """Width in inches of text in matplotlib's present font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width) / 72


def line_height(size: float | str = "small") -> float:
    """Inches from one line of text to the next."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=size).get_size_in_points()) * 1.3 / 72


def _drawn_characters() -> frozenset[int]:
    """Code points of the fonts that matplotlib uses in the user's present settings."""
    from matplotlib.font_manager import FontProperties, findfont

    families = FontProperties().get_family()
    return frozenset().union(*(_characters(findfont(FontProperties(family=[name]))) for name in families))


@lru_cache(maxsize=8)
def _characters(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
