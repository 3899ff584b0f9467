"""Tables of results in the paper's layout: value (rank), * on the best, average rank, notes below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.arguments import check_kind, real_array, whole_number
from dugraph.evaluation.methods import AT_MOST
from dugraph.exceptions import InputError
from dugraph.words import METRIC_WORDS

if TYPE_CHECKING:
    from dugraph.evaluation.cells import Cell

Row = Sequence[str]
STYLES = ("text", "csv", "markdown", "latex")
UNPROVEN = "~"
"""Appended to values of subgraphs that a limit left unproven in some split."""
PRINTED_DECIMALS = 3
"""Decimals of the paper's tables."""
SPLITS_NOT_PROVEN = "splits not proven"
"""Heading of the number of such splits."""
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


def text_table(title: str, heading: Row, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Lay out columns separated by spaces."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heading, ["-" * width for width in widths], *rows)
    ]
    return "\n".join([*([title] if title else []), *lines, *notes]) + "\n"


def markdown_table(title: str, heading: Row, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Lay out a table in Markdown, where an unescaped star starts emphasis."""
    lines = [
        "| " + " | ".join(cell.replace("*", "\\*").replace("|", "\\|") for cell in row) + " |" for row in rows
    ]
    rule = "|" + "---|" * len(heading)
    below = [line for note in notes for line in ("", note.replace("*", "\\*"))]
    above = [title, ""] if title else []
    return "\n".join([*above, "| " + " | ".join(heading) + " |", rule, *lines, *below]) + "\n"


def latex_table(
    title: str,
    heading: Row,
    rows: Sequence[Row],
    notes: Sequence[str],
    metrics: Sequence[str],
    n_subgraphs: Sequence[int],
) -> str:
    """Lay out a table for LaTeX with booktabs; `metrics` are over columns of each number of subgraphs."""
    n_t = len(n_subgraphs)
    arrows = {m: r"$\uparrow$" if METRIC_WORDS[m].largest_first else r"$\downarrow$" for m in metrics}
    groups = " & ".join(
        rf"\multicolumn{{{n_t}}}{{c}}{{{_escaped(METRIC_WORDS[m].title)} {arrows[m]}}}" for m in metrics
    )
    rules = "".join(rf"\cmidrule(lr){{{2 + i * n_t}-{1 + (i + 1) * n_t}}}" for i in range(len(metrics)))
    numbers = " & ".join(f"$t={t}$" for _ in metrics for t in n_subgraphs)
    more = [_escaped(name) for name in heading if name == SPLITS_NOT_PROVEN]
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


def unranked_notes(cells: Sequence[Cell]) -> list[str]:
    """Name the methods without features in some split, and the reason; one sentence for equal reasons."""
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
    """Gather where fewer subgraphs than t were found, by method and t the smallest number in a split.

    `found` has (method, t, n_found) for every split, with None where nothing is mined. Sparse models are
    left out, because t is a limit for them.

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
