"""Text and HTML views of a test's result."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from dugraph.significance.wording import large_number

if TYPE_CHECKING:
    from dugraph.significance.result import SignificanceResult

_ROWS = 10
_WIDEST = 100  # characters of a subgraph's name on a line
_HEADS = ("adjusted p", "statistic", "effect", "95 % bootstrap", "", "subgraph")
_NOTE = "* shares no edge with any * above. Bootstrap intervals are descriptive."


def _rows(result: SignificanceResult) -> list[tuple[str, ...]]:
    return [
        (
            f"{result.p_values[k]:.4g}",
            f"{result.statistics[k]:.4g}",
            f"{result.effects[k]:+.4g}",
            f"{result.effect_intervals[k, 0]:+.3g} to {result.effect_intervals[k, 1]:+.3g}",
            "*" if result.representative[k] else "",
            _one_line(result.naming.subgraph_name(result.subgraphs[k])),
        )
        for k in range(min(_ROWS, len(result)))
    ]


def _one_line(name: str) -> str:
    name = name if len(name) <= _WIDEST else f"{name[: _WIDEST - 4]} ...}}"
    return name if name.isprintable() else ascii(name)


def _summary(result: SignificanceResult) -> str:
    every = "all " if result.exact else ""
    blocks = f", {result.n_informative_blocks} of {result.n_blocks} blocks informative"
    taken = f", {result.seconds:.2f} s" if result.seconds else ""  # no file holds times
    return (
        f"{len(result)} of {int(result.n_admitted.sum()):,} subgraphs significant by "
        f"{result.parameters['statistic']}, {every}{result.n_relabelings:,} of "
        f"{large_number(result.n_distinct_relabelings)} relabelings"
        f"{blocks if result.n_blocks > 1 else ''}{taken}"
    )


def class_rows(result: SignificanceResult) -> list[tuple[str, ...]]:
    """What each size class needed, below `CLASS_HEADS`; classes without subgraphs are left out."""
    return [
        (
            name,
            f"{result.n_admitted[k]:,}",
            f"{result.critical_values[k]:.4g}",
            f"{result.critical_effects[k]:.3g}",
            best_p_text(result, k),
        )
        for k, name in enumerate(result.size_classes)
        if result.n_admitted[k]
    ]


def best_p_text(result: SignificanceResult, size_class: int) -> str:
    """The smallest adjusted p-value of a class with subgraphs; those above alpha may not be known."""
    p = result.best_p_values[size_class]
    return f"> {result.parameters['alpha']:g}" if math.isnan(p) else f"{p:.4g}"


CLASS_HEADS = ("size", "tested", "critical value", "critical effect", "smallest p")


def _aligned(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heads, *rows)
    ]


def result_text(result: SignificanceResult) -> str:
    """A summary line, the first significant subgraphs, and what each size needed."""
    lines = [f"SignificanceResult: {_summary(result)}"]
    if len(result):
        lines += _aligned(_HEADS, _rows(result))
        if len(result) > _ROWS:
            lines.append(f"  ... and {len(result) - _ROWS} more")
        lines.append(f"  {_NOTE}")
    lines += _aligned(CLASS_HEADS, class_rows(result))
    return "\n".join([*lines, result.message])


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = "".join(
        "<tr>" + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def result_html(result: SignificanceResult) -> str:
    """The same as tables; names are escaped, since they come from files."""
    found = ""
    if len(result):
        more = f"<p>and {len(result) - _ROWS} more</p>" if len(result) > _ROWS else ""
        found = f"{_table(_HEADS, _rows(result))}{more}<p>{_NOTE}</p>"
    return (
        f"<div><p><b>SignificanceResult</b>: {escape(_summary(result))}<br>{escape(result.message)}</p>"
        f"{found}{_table(CLASS_HEADS, class_rows(result))}</div>"
    )
