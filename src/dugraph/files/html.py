"""Text in HTML, and templates of pages.

HTML can represent every character but NUL and lone surrogates. A text with one of these is shown with Python
escapes and doubled backslashes, so that different texts never look alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from markupsafe import Markup, escape

_UNFIT = re.compile("[\0\ud800-\udfff]")


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
