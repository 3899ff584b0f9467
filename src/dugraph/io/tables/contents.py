"""Tables of numbers and tables of text, as every reader takes them from delimited files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isinf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError
from dugraph.io.guards import MemoryBudget, check_length
from dugraph.io.tables.decimal_commas import WAY_OUT, has_decimal_comma
from dugraph.io.tables.delimited import MISSING, DelimitedText
from dugraph.io.tables.headers import counts_up, has_names, is_number, may_be_counts, names_of_series


@dataclass(frozen=True)
class NumberTable:
    """A table of numbers with the names of its columns and rows, if it has any.

    Attributes
    ----------
    columns, rows : tuple of str, or None
    numbers : ndarray of float64, shape (n_rows, n_columns)
        NaN where a value is missing.
    lines : ndarray of int, shape (n_rows,)
        The line of the file in which each row stands.
    """

    columns: tuple[str, ...] | None
    rows: tuple[str, ...] | None
    numbers: NDArray[np.float64]
    lines: NDArray[np.int64]


def read_numbers(
    file: Path,
    budget: MemoryBudget,
    header: bool,
    delimiter: str | None = None,
    text_columns: tuple[str, ...] = (),
) -> NumberTable:
    """Read a table of numbers whose columns may have names.

    Parameters
    ----------
    file : Path
    budget : MemoryBudget
    header : bool
        Whether the first row holds names.
    delimiter : str, optional
        As for `DelimitedText.read`.
    text_columns : tuple of str, default ()
        Columns before the numbers, which must have these names and are skipped.

    Returns
    -------
    NumberTable
        Without names of rows.
    """
    text = DelimitedText.read(file, budget, delimiter)
    begin = tuple(cell.strip() for cell in text.first[: len(text_columns)])
    if begin != text_columns:
        raise InputError(
            f"{file}, line {text.lines[0]}: the header must begin with {', '.join(text_columns)}, but begins "
            f"with {listed(begin)}. Check whether it has another format."
        )
    return replace(_number_table(text, budget, header, len(text_columns)), rows=None)


def read_series(file: Path, budget: MemoryBudget) -> NumberTable:
    """Read series, one column per region; a header of names or numbers is recognised, and may be missing.

    Parameters
    ----------
    file : Path
    budget : MemoryBudget

    Returns
    -------
    NumberTable
        Without names of rows; `columns` is None without a header.
    """
    text = DelimitedText.read(file, budget)
    header = names_of_series(text)
    if header and len(text.lines) > 1 and tuple(next(text.rows(1))[0]) == text.first:
        raise InputError(
            f"{file}, line {text.lines[1]}: a header must appear once, but it appears twice. Delete one."
        )
    return replace(_number_table(text, budget, header, 0), rows=None)


def read_square(file: Path, budget: MemoryBudget, delimiter: str | None = None) -> NumberTable:
    """Read a square table of numbers; a header and a first column of names are recognised by the shape.

    Parameters
    ----------
    file : Path
    budget : MemoryBudget
    delimiter : str, optional
        As for `DelimitedText.read`.

    Returns
    -------
    NumberTable
        As many rows as columns.
    """
    text = DelimitedText.read(file, budget, delimiter, square=True)
    n_rows, n_columns = len(text.lines), len(text.first)
    # A row or a column too much may also be left over when the file was cut: names that are numbers count up.
    header = has_names(text) or (n_rows == n_columns + 1 and counts_up(text.first))
    if header and n_rows == n_columns and may_be_counts(text):
        raise InputError(
            f"{file}: it must be clear whether the first row names the regions, but with an empty diagonal "
            "and whole numbers it may also be counts. For counts, write 0 on the diagonal, also into the "
            "first cell; for names, write Node into the first cell."
        )
    row_names = n_columns == n_rows - header + 1
    row_names = row_names and (header or counts_up([cells[0] for cells, _ in text.rows()]))
    is_square = n_rows - header == n_columns - row_names
    # With an empty column at its end, a table with a header passes for one whose first column holds names.
    empty = "" if is_square and (not header or text.first[-1].strip()) else _empty_at_the_end(text)
    if empty or not is_square:
        raise InputError(
            f"{file}: a connectivity matrix must be square, but it has {n_rows - header} rows of numbers and "
            f"{n_columns} columns. {empty or 'Check whether it was cut short, or has another format.'}"
        )
    return _number_table(text, budget, header, int(row_names))


def read_records(file: Path, budget: MemoryBudget) -> tuple[Any, NDArray[np.int64]]:
    """Read a table with a header as text, cell by cell, so that ids keep their leading zeros.

    Parameters
    ----------
    file : Path
    budget : MemoryBudget

    Returns
    -------
    table : pandas.DataFrame of str
    lines : ndarray of int, shape (n_rows,)
        The line of the file in which each row stands.
    """
    text = DelimitedText.read(file, budget)
    names = column_names(text.first, file)  # first: a frame of thousands of nameless columns takes its time
    table = text.frame(True, str)
    table.columns = names
    return table.map(str.strip), text.lines[1:]


def column_names(cells: Iterable[str], file: Path) -> list[str]:
    """Return the names of a header, which must differ."""
    names = [check_length(cell.strip(), file, "column name") for cell in cells]
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice == "":
        raise InputError(
            f"{file}: columns must have names, but {names.count('')} have none, the first being "
            f"column {names.index('') + 1}. Name them, or delete them if they are empty."
        )
    if twice is not None:
        raise InputError(f"{file}: column names must be unique, but {shown(twice)!r} appears twice.")
    return names


def must_be_number(cell: str) -> str:
    """Say that a cell is no number, and the way out if it has a decimal comma."""
    rule = f"must be a number, but is {shown(cell)!r}."
    return f"{rule} {WAY_OUT}" if has_decimal_comma(cell) else rule


def _empty_at_the_end(text: DelimitedText) -> str:
    """Tell of the last columns and rows that are empty throughout, as spreadsheets leave them."""
    last_column = last_row = -1
    for i, (cells, _) in enumerate(text.rows()):
        filled = [j for j, cell in enumerate(cells) if cell.strip()]
        if filled:
            last_column, last_row = max(last_column, filled[-1]), i
    numbers = {"column": len(text.first) - 1 - last_column, "row": len(text.lines) - 1 - last_row}
    parts = [f"last {what if n == 1 else counted(n, what)}" for what, n in numbers.items() if n]
    if not parts:
        return ""
    verb, pronoun = ("is", "it") if sum(numbers.values()) == 1 else ("are", "them")
    return f"The {' and the '.join(parts)} {verb} empty: delete {pronoun}."


def _number_table(text: DelimitedText, budget: MemoryBudget, header: bool, skipped: int) -> NumberTable:
    lines = text.lines[int(header) :]
    if len(lines) == 0:
        raise InputError(f"{text.file}: a table of numbers must have rows, but it has a header only.")
    n_columns = len(text.first) - skipped
    budget.check(len(lines) * n_columns * 8, text.file)
    types = {i: str if i < skipped else np.float64 for i in range(len(text.first))}
    try:
        frame = text.frame(header, types)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise _not_a_number(text, header, skipped, error) from error
    numbers = np.ascontiguousarray(frame.iloc[:, skipped:].to_numpy(dtype=np.float64))
    columns = _names(text.first[skipped:], text.file) if header else None
    rows = _names((cells[0] for cells, _ in text.rows(int(header))), text.file) if skipped else None
    return NumberTable(columns, rows, numbers, lines)


def _names(cells: Any, file: Path) -> tuple[str, ...]:
    return tuple(check_length(cell.strip(), file, "region name") for cell in cells)


def _not_a_number(text: DelimitedText, header: bool, skipped: int, error: Exception) -> InputError:
    for i, cell in enumerate(text.first[skipped:] if header else (), start=skipped):
        # No name of a region: the first row was taken for a header since it holds no numbers.
        if has_decimal_comma(cell):
            return _wrong_cell(text, int(text.lines[0]), f"column {i + 1}", cell)
    for cells, line in text.rows(int(header)):
        for i in range(skipped, len(cells)):
            # pandas before 3 also refuses what overflows, such as 1e999.
            if not is_number(cells[i]) or (cells[i].strip() not in MISSING and isinf(float(cells[i]))):
                column = f"column {shown(text.first[i].strip())}" if header else f"column {i + 1}"
                return _wrong_cell(text, line, column, cells[i])
    return InputError(f"{text.file}: the table must hold numbers: {shown(error)}.")


def _wrong_cell(text: DelimitedText, line: int, column: str, cell: str) -> InputError:
    return InputError(f"{text.file}, line {line}: {column} {must_be_number(cell)}")
