"""Canonical JSON, run ids, escaped names; text in HTML and templates of pages.

Imports no NumPy, so that `dugraph --help` and `dugraph app` start quickly.

HTML can represent every character but NUL and lone surrogates. A text with one of these is shown with Python
escapes and doubled backslashes, so that different texts never look alike.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable
from typing import Any

from markupsafe import Markup, escape

_UNFIT = re.compile("[\0\ud800-\udfff]")


def json_bytes(content: object) -> bytes:
    """Return canonical JSON (sorted keys, ASCII, no NaN): equal content gives equal bytes."""
    return (json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def run_id(table: bytes) -> str:
    """Return the id of a run: a hash of the table of its results, so that equal runs have equal ids."""
    return hashlib.sha256(table).hexdigest()[:16]


def finite(value: float) -> float | None:
    """Return the value, or None if it is infinite or NaN, which JSON cannot represent."""
    return value if math.isfinite(value) else None


def escaped(text: object) -> str:
    """Return text on one line, with unprintable characters replaced by their escape codes.

    These include line breaks, terminal control sequences and marks that change the direction of writing.
    """
    plain = str(text)
    if plain.isprintable():
        return plain
    return "".join(
        one if one.isprintable() and one != "\\" else one.encode("unicode_escape").decode() for one in plain
    )


# ---------------------------------------------------------------- HTML


def carried(text: str) -> str:
    """Return a text as a page can hold it; most texts stay as they are.

    Examples
    --------
    >>> carried("a<b"), carried("a" + chr(0) + "b")
    ('a<b', 'a\\\\x00b')
    """
    if not _UNFIT.search(text):
        return text
    doubled = text.replace("\\", "\\\\")
    return _UNFIT.sub(lambda found: found[0].encode("unicode_escape").decode(), doubled)


def escaped_html(value: object) -> Markup:
    """Escape a value for HTML text and quoted attributes; our own markup stays as it is.

    A carriage return is written by its number, since a parser turns a plain one into a line feed.
    """
    if isinstance(value, Markup):
        return value
    return escape(carried(str(value))).replace("\r", Markup("&#13;"))


def page_templates(load: Callable[[str], str]) -> Any:
    """Jinja's environment for pages whose templates have these texts: every value is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(load),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: escaped_html(value) if isinstance(value, str) else value,
    )
    made.filters |= {"percent": "{:.0%}".format, "short": "{:.4g}".format}
    return made
