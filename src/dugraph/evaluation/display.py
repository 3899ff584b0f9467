"""Text and HTML views of an evaluation."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dugraph.data.wording import counted

if TYPE_CHECKING:
    from dugraph.evaluation.result import EvaluationResult


def _summary(result: EvaluationResult) -> str:
    return result.headline(f"{counted(len(result.methods), 'method')}, {counted(result.n_splits, 'split')}")


def result_text(result: EvaluationResult) -> str:
    """A summary line, the table and its notes."""
    return f"EvaluationResult: {_summary(result)}\n{result.table()}"


def result_html(result: EvaluationResult) -> str:
    """The same as an HTML table; names are escaped, since cells may come from files."""
    heading, rows = result.table_cells()
    head = "".join(f"<th>{escape(name)}</th>" for name in heading)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    notes = "".join(f"<p>{escape(note)}</p>" for note in result.notes)
    return (
        f"<div><p><b>EvaluationResult</b>: {_summary(result)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
    )
