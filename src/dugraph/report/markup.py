"""Text from files as HTML that reads back exactly, and SVG elements.

HTML can hold every character but NUL and lone surrogates. A text with one of these is shown with Python's
codes for them, and with its backslashes doubled, so that two texts are never shown alike.
"""

from __future__ import annotations

import re

from markupsafe import Markup

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "\r": "&#13;"}
_SPECIAL = re.compile("[" + "".join(_ESCAPES) + "]")
_UNFIT = re.compile("[\0\ud800-\udfff]")


def carried(text: str) -> str:
    """Return a text as a page can carry it; most texts stay as they are.

    Examples
    --------
    >>> carried("a<b"), carried("a" + chr(0) + "b")
    ('a<b', 'a\\\\x00b')
    """
    if not _UNFIT.search(text):
        return text
    return _UNFIT.sub(lambda found: _code(found[0]), text.replace("\\", "\\\\"))


def _code(character: str) -> str:
    return character.encode("unicode_escape").decode()


def escaped(value: object) -> Markup:
    """Escape a value for HTML text and quoted attributes; markup of our own stays as it is.

    A carriage return is written by its number, since a parser turns a plain one into a line feed.
    """
    if isinstance(value, Markup):
        return value
    return Markup(_SPECIAL.sub(lambda found: _ESCAPES[found[0]], carried(str(value))))


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """Write an SVG element.

    Parameters
    ----------
    tag : str
    *content : object
        Escaped, unless it is markup.
    **attributes : object
        Floats are shortened, None is left out; a trailing underscore is dropped and others become dashes.
    """
    names = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(map(escaped, content))
    return Markup(f"<{tag}{names}>{inner}</{tag}>" if inner else f"<{tag}{names}/>")


def _value(value: object) -> Markup:
    return escaped(number(value) if isinstance(value, float) else value)


def joined(*parts: object) -> Markup:
    """Put pieces of markup one after the other."""
    return Markup("".join(map(escaped, parts)))


def number(value: float, digits: int = 1) -> str:
    """Write a coordinate as short as its digits allow."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def path(points: object, closed: bool = False) -> str:
    """Write points as the data of an SVG path."""
    pairs = [(number(float(x)), number(float(y))) for x, y in points]  # type: ignore[attr-defined]
    return "M" + "L".join(f"{x} {y}" for x, y in pairs) + ("Z" if closed else "")


def shortened(text: str, most: int = 20) -> str:
    """Shorten a name for a picture, which has little room; the full name is next to it."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return plain if len(plain) <= most else f"{plain[: most - 6]}…{plain[-5:]}"
