"""Text from files on a drawing: shown as it is, in one line, no longer than there is room for."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

MOST = 200
"""Characters that are looked at; no drawing has room for more."""
ELLIPSIS = "…"
_MISSING = "□"


def plain(text: object, inches: float | None = None, size: float | str = "small") -> str:
    """Return text to hand to matplotlib, which shows it as it is and never reads it as a formula.

    Line ends, control characters and marks of direction become spaces; characters that the font does not
    have become boxes. What is too long gets an ellipsis before its last third: ends tell regions apart, such
    as left and right.

    Parameters
    ----------
    text : object
        Shown as ``str(text)``.
    inches : float, optional
        The room there is.
    size : float or str, default "small"
        Font size, as matplotlib takes it.

    Returns
    -------
    str

    Examples
    --------
    >>> plain("a\\nprice of $5")
    'a price of \\\\$5'
    """
    shown = _one_line(str(text))
    if inches is not None:
        shown = _fitted(shown, inches, size)
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


def _one_line(text: str) -> str:
    cut = text if len(text) <= MOST else _shortened(text, MOST)
    spaced = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in cut)
    drawn = _drawn_characters()
    words = unicodedata.normalize("NFC", " ".join(spaced.split()))
    return "".join(c if ord(c) in drawn else _MISSING for c in words)


def _fitted(text: str, inches: float, size: float | str) -> str:
    if text_width(text, size) <= inches:
        return text
    low, high = 0, len(text) - 1  # characters that are kept: `low` always fits
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(_shortened(text, middle), size) <= inches:
            low = middle
        else:
            high = middle - 1
    return _shortened(text, low)


def _shortened(text: str, kept: int) -> str:
    tail = kept // 3
    return text[: kept - tail] + ELLIPSIS + text[len(text) - tail :]


def _drawn_characters() -> frozenset[int]:
    """Code points of the fonts that matplotlib would look into, in the user's present settings."""
    from matplotlib.font_manager import FontProperties, findfont

    families = FontProperties().get_family()
    return frozenset().union(*(_characters(findfont(FontProperties(family=[name]))) for name in families))


@lru_cache(maxsize=8)
def _characters(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
