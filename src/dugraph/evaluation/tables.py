"""Tables of results in the paper's layout: value (rank), * on the best, average rank, notes below."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.arguments import check_kind, check_word, whole_number
from dugraph.data.arrays import real_array
from dugraph.evaluation.methods import AT_MOST
from dugraph.exceptions import InputError
from dugraph.words import METRIC_WORDS

if TYPE_CHECKING:
    from dugraph.evaluation.cells import Cell

Columns = Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
STYLES = ("text", "csv", "markdown", "latex")
UNPROVEN = "~"
"""Appended to values of subgraphs that a limit left unproven in some split."""
PRINTED_DECIMALS = 3
"""Decimals of the paper's tables."""
_NOTHING = "-"
_SPLITS = "splits not proven"
_Key = TypeVar("_Key", bound=Hashable)


def competition_ranks(
    values: ArrayLike, *, largest_first: bool = False, decimals: int = PRINTED_DECIMALS
) -> NDArray[np.float64]:
    """Rank one column of a table: 1 is best, values that print the same share the smallest of their ranks.

    Parameters
    ----------
    values : array-like of shape (n_methods,)
        Missing ones (NaN) have no rank; the others are ranked as if these were not there.
    largest_first : bool, default False
        False: the smallest value is best, as for error rates. True: the largest, as for F1.
    decimals : int, default 3
        How many decimals are printed.

    Returns
    -------
    ndarray of shape (n_methods,)
        Whole numbers; NaN where there is no rank.

    Examples
    --------
    >>> competition_ranks([0.30, 0.25, 0.3004, 0.40, float("nan")]).tolist()
    [2.0, 1.0, 2.0, 4.0, nan]
    """
    check_kind(largest_first, bool, "largest_first")
    column, places = real_array(values, "values", 1, "(n_methods,)"), whole_number(decimals, "decimals")
    # round() rounds as printing does; NumPy scales first and may differ in the last place.
    printed = np.array([round(value, places) for value in column.tolist()])
    keys = -printed if largest_first else printed
    return np.array([np.nan if np.isnan(key) else 1.0 + (keys < key).sum() for key in keys])


def average_ranks(ranks: ArrayLike) -> NDArray[np.float64]:
    """Average each method's ranks over the columns of a table.

    Parameters
    ----------
    ranks : array-like of shape (n_methods, n_columns)
        NaN where a rank is missing.

    Returns
    -------
    ndarray of shape (n_methods,)
        NaN for a method without a rank in some column.

    Examples
    --------
    >>> average_ranks([[1, 2], [2, 1], [3, 3]]).tolist()
    [1.5, 1.5, 3.0]
    """
    table = real_array(ranks, "ranks", 2, "(n_methods, n_columns)")
    if table.shape[1] == 0:
        raise InputError(f"ranks must have at least one column, but have the shape {table.shape}.")
    return np.asarray(table.mean(axis=1))


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
        By metric, each of shape (n_methods, n_t); NaN for missing values.
    average_rank : ndarray of shape (n_methods,)
    unproven : sequence of int, length n_methods
        In how many splits the subgraphs of a method are not proven to be the best. Values of such methods are
        marked, and where there are any, the last column shows these numbers; "csv" always has it.
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
    # An unescaped star starts emphasis.
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


def unranked_notes(cells: Sequence[Cell]) -> list[str]:
    """Name the methods without features in some split, and the reason; one sentence for equal reasons.

    Parameters
    ----------
    cells : sequence of Cell
        The cells of all methods and splits.
    """
    failed: dict[str, list[str]] = defaultdict(list)
    for cell in cells:
        if cell.failure:
            failed[cell.method].append(cell.failure)
    n_splits = 1 + max(cell.split for cell in cells)
    alike = _together({method: (len(causes), causes[-1]) for method, causes in failed.items()})
    return [
        f"No rank for {', '.join(methods)}: no features in {many} of {n_splits} splits. {cause}"
        for (many, cause), methods in alike.items()
    ]


def unproven_notes(unproven: Mapping[str, int], n_splits: int, n_cells: int) -> list[str]:
    """Name the methods for which a limit was reached, and the number of splits; empty without any.

    Examples
    --------
    >>> unproven_notes({"exp-hsic": 2, "mod-hsic": 3}, 3, 12)[0].split(": ")[1]
    'exp-hsic in 2 of 3 splits; mod-hsic in 3 of 3 splits.'
    """
    if not unproven:
        return []
    parts = [
        f"{', '.join(names)} in {many} of {n_splits} splits" for many, names in _together(unproven).items()
    ]
    return [
        f"~ A limit was reached in {sum(unproven.values())} of {n_cells} cells, whose subgraphs are the "
        f"best so far, not proven to be the best: {'; '.join(parts)}."
    ]


def fewer_found(found: Iterable[tuple[str, int, int | None]]) -> dict[str, dict[int, int]]:
    """Gather where fewer subgraphs than t were found, except for sparse models, for which t is a limit.

    Parameters
    ----------
    found : iterable of (method, t, n_found)
        For every split; None where nothing is mined.

    Returns
    -------
    dict of str to dict of int to int
        By method and t the smallest number found in a split.

    Examples
    --------
    >>> fewer_found([("exp-hsic", 50, 60), ("exp-hsic", 100, 60), ("exp-hsic", 100, 58)])
    {'exp-hsic': {100: 58}}
    """
    fewer: dict[str, dict[int, int]] = {}
    for method, t, n_found in found:
        if n_found is not None and n_found < t and method not in AT_MOST:
            numbers = fewer.setdefault(method, {})
            numbers[t] = min(n_found, numbers.get(t, n_found))
    return fewer


def fewer_notes(fewer: Mapping[str, Mapping[int, int]]) -> list[str]:
    """Put the result of `fewer_found` into a sentence; empty without any.

    Examples
    --------
    >>> fewer_notes({"exp-hsic": {100: 58}, "freq": {50: 7, 100: 7}})[0].split(": ")[1]
    '58 by exp-hsic for t=100; 7 by freq for t=50, 100.'
    """
    # The smallest number is the same for every t above it.
    alike = _together({method: (min(n.values()), tuple(n)) for method, n in fewer.items()})
    parts = [
        f"{n} by {', '.join(methods)} for t={', '.join(map(str, sizes))}"
        for (n, sizes), methods in alike.items()
    ]
    note = f"Fewer subgraphs than t were found (smallest number in a split): {'; '.join(parts)}."
    return [note] if parts else []


def _together(by_method: Mapping[str, _Key]) -> dict[_Key, list[str]]:
    alike: dict[_Key, list[str]] = {}
    for method, key in by_method.items():
        alike.setdefault(key, []).append(method)
    return alike
