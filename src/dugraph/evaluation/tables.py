"""Result tables in the paper's layout: value (rank), * on the best, average rank; ~ if not proven."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import check_word
from dugraph.evaluation.ranking import PRINTED_DECIMALS
from dugraph.words import METRIC_WORDS

Columns = Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
STYLES = ("text", "csv", "markdown", "latex")
UNPROVEN = "~"
"""Appended to values of subgraphs that a limit left unproven in some split."""
_NOTHING = "-"
_SPLITS = "splits not proven"


def format_table(
    style: str,
    title: str,
    methods: Sequence[str],
    n_subgraphs: Sequence[int],
    columns: Columns,
    average_rank: NDArray[np.float64],
    unproven: Sequence[int] = (),
    notes: Sequence[str] = (),
) -> str:
    """Lay out a table of methods against metrics and numbers of subgraphs.

    Parameters
    ----------
    style : {"text", "csv", "markdown", "latex"}
    title : str
        A caption; may be empty, and "csv" has none.
    methods : sequence of str
        Names of the rows.
    n_subgraphs : sequence of int
        Numbers of features (t), one column for each metric.
    columns : mapping of str to (values, ranks)
        By metric, each of shape (n_methods, n_t); NaN where there is none.
    average_rank : ndarray of shape (n_methods,)
    unproven : sequence of int, length n_methods
        In how many splits the subgraphs of a method are not proven to be the best. Values of such methods are
        marked, and where there are any, the last column tells these numbers; "csv" always does.
    notes : sequence of str
        Sentences below the table; "csv" has none.

    Returns
    -------
    str
        Lines, the last with its end.
    """
    check_word("style", style, STYLES)
    if style == "csv":
        return _csv(methods, n_subgraphs, columns, average_rank, unproven)
    heading, rows = table_cells(methods, n_subgraphs, columns, average_rank, unproven)
    if style == "markdown":
        return _markdown(title, heading, rows, notes)
    if style == "latex":
        return _latex(title, n_subgraphs, list(columns), heading, rows, notes)
    return _text(title, heading, rows, notes)


def table_cells(
    methods: Sequence[str],
    n_subgraphs: Sequence[int],
    columns: Columns,
    average_rank: NDArray[np.float64],
    unproven: Sequence[int] = (),
) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of the table as text; parameters as for `format_table`."""
    heading = [
        "method",
        *(f"{METRIC_WORDS[m].title} t={t}" for m in columns for t in n_subgraphs),
        "avg. rank",
    ]
    if any(unproven):
        heading.append(_SPLITS)
    averages = [round(float(average), 1) for average in average_rank]
    best = min((average for average in averages if not np.isnan(average)), default=None)
    rows = []
    for i, method in enumerate(methods):
        marked = bool(unproven) and unproven[i] > 0
        cells = [
            _cell(values[i, j], ranks[i, j], marked)
            for values, ranks in columns.values()
            for j in range(len(n_subgraphs))
        ]
        star = "*" if averages[i] == best else ""
        last = _NOTHING if np.isnan(averages[i]) else f"{star}({average_rank[i]:.1f})"
        rows.append([method, *cells, last, *([str(unproven[i])] if any(unproven) else [])])
    return heading, rows


def _cell(value: float, rank: float, unproven: bool) -> str:
    if np.isnan(value):
        return _NOTHING
    mark = UNPROVEN if unproven else ""
    return f"{value:.{PRINTED_DECIMALS}f}{mark} ({rank:.0f}){'*' if rank == 1 else ''}"


def _text(title: str, heading: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heading, ["-" * width for width in widths], *rows)
    ]
    return "\n".join([*([title] if title else []), *lines, *notes]) + "\n"


def _markdown(title: str, heading: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    # A star would be read as emphasis.
    lines = [
        "| " + " | ".join(cell.replace("*", "\\*").replace("|", "\\|") for cell in row) + " |" for row in rows
    ]
    rule = "|" + "---|" * len(heading)
    below = [line for note in notes for line in ("", note.replace("*", "\\*"))]
    above = [title, ""] if title else []
    return "\n".join([*above, "| " + " | ".join(heading) + " |", rule, *lines, *below]) + "\n"


def _latex(
    title: str,
    n_subgraphs: Sequence[int],
    metrics: Sequence[str],
    heading: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str],
) -> str:
    n_t = len(n_subgraphs)
    arrows = {m: r"$\uparrow$" if METRIC_WORDS[m].largest_first else r"$\downarrow$" for m in metrics}
    groups = " & ".join(
        rf"\multicolumn{{{n_t}}}{{c}}{{{_escaped(METRIC_WORDS[m].title)} {arrows[m]}}}" for m in metrics
    )
    rules = "".join(rf"\cmidrule(lr){{{2 + i * n_t}-{1 + (i + 1) * n_t}}}" for i in range(len(metrics)))
    numbers = " & ".join(f"$t={t}$" for _ in metrics for t in n_subgraphs)
    more = [_escaped(name) for name in heading if name == _SPLITS]
    body = [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    lines = [
        "% needs booktabs",
        r"\begin{table*}",
        r"\centering",
        *([rf"\caption{{{_escaped(title)}}}"] if title else []),
        rf"\begin{{tabular}}{{r{'l' * n_t * len(metrics)}r{'r' * len(more)}}}",
        r"\toprule",
        " & ".join(["", groups, "avg.", *[""] * len(more)]) + r" \\",
        rules,
        " & ".join(["method", numbers, "rank", *more]) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip\footnotesize {_escaped(note)}" for note in notes),
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    codes = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(codes.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def _csv(
    methods: Sequence[str],
    n_subgraphs: Sequence[int],
    columns: Columns,
    average_rank: NDArray[np.float64],
    unproven: Sequence[int],
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [name for m in columns for t in n_subgraphs for name in (f"{m}@{t}", f"{m}_rank@{t}")]
    writer.writerow(("method", *names, "average_rank", "splits_not_proven"))
    for i, method in enumerate(methods):
        pairs = [
            (values[i, j], ranks[i, j]) for values, ranks in columns.values() for j in range(len(n_subgraphs))
        ]
        cells = [
            cell
            for value, rank in pairs
            for cell in (("", "") if np.isnan(value) else (repr(float(value)), int(rank)))
        ]
        average = float(average_rank[i])
        counts = unproven[i] if unproven else 0
        writer.writerow((method, *cells, "" if np.isnan(average) else repr(average), counts))
    return text.getvalue()
