"""Text and HTML views of a search result."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dugraph.data.wording import shown
from dugraph.words import FREQUENCY

if TYPE_CHECKING:
    from dugraph.search.result import MiningResult

_ROWS = 10
_WIDEST = 120  # characters of a subgraph's name on a line


def _rows(result: MiningResult) -> list[tuple[str, str, str]]:
    return [
        (str(rank), f"{value:.6g}", result.naming.subgraph_name(subgraph))
        for rank, (value, subgraph) in enumerate(
            zip(result.values[:_ROWS], result.subgraphs[:_ROWS], strict=True), start=1
        )
    ]


def _one_line(name: str) -> str:
    name = name if len(name) <= _WIDEST else f"{name[: _WIDEST - 4]} ...}}"
    return name if name.isprintable() else ascii(name)


def _summary(result: MiningResult) -> str:
    asked = result.parameters
    what = asked["measure"] if asked["measure"] == FREQUENCY else f"{asked['measure']} of {asked['score']}"
    positive = result.positive_class
    labels = f"positive class: {shown(positive)}" if positive is not None else f"y: {asked['labels']}"
    taken = f" in {result.seconds:.2f} s" if result.seconds else ""  # no file holds times
    return (
        f"{len(result)} subgraphs by {what}, {result.status.value}{taken} "
        f"({result.n_visited:,} admitted, {result.n_evaluated:,} evaluated); {labels}"
    )


def result_text(result: MiningResult) -> str:
    """A summary line and the best subgraphs, one per line."""
    lines = [f"MiningResult: {_summary(result)}"]
    lines += [f"  {rank:>3}  {value:<10}  {_one_line(name)}" for rank, value, name in _rows(result)]
    if len(result) > _ROWS:
        lines.append(f"  ... and {len(result) - _ROWS} more")
    return "\n".join(lines)


def result_html(result: MiningResult) -> str:
    """The same as a table; names are escaped, since they come from files."""
    body = "".join(
        f"<tr><td>{rank}</td><td>{value}</td><td><bdi>{escape(_one_line(name))}</bdi></td></tr>"
        for rank, value, name in _rows(result)
    )
    more = f"<p>and {len(result) - _ROWS} more</p>" if len(result) > _ROWS else ""
    return (
        f"<div><p><b>MiningResult</b>: {escape(_summary(result))}<br>{escape(result.message)}</p>"
        f"<table><thead><tr><th>rank</th><th>value</th><th>subgraph</th></tr></thead><tbody>{body}</tbody></table>"
        f"{more}</div>"
    )
