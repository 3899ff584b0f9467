"""The page: template, style and script become one file that loads nothing and runs nothing else."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from dugraph.report.markup import escaped

# Before the first subgraph is read: with scripts one at a time is laid out, not hundreds.
_FIRST = 'document.documentElement.classList.add("scripted")'


def render(context: dict[str, Any]) -> str:
    """Fill the template.

    Every value is escaped; only style and script of this package are inline, allowed by their hashes.
    """
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(_FIRST)} {_source(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters |= {"percent": _percent, "short": _short}
    template = environment.get_template("report.html")
    own = {"first": Markup(_FIRST), "style": Markup(style), "script": Markup(script)}
    return str(template.render(**context, policy=policy, **own))


def _asset(name: str) -> str:
    return (files("dugraph.report") / "templates" / name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    """How a policy names an inline block: by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _finalize(value: object) -> object:
    # Our own escaping also keeps what a parser would change: NUL and carriage returns.
    return escaped(value) if isinstance(value, str) else value


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%"


def _short(value: float) -> str:
    return f"{value:.4g}"
