"""Delimited text: tables of numbers, with or without names, and tables of text.

The delimiter, the header and the row names are recognised, or refused if they are ambiguous. Numbers with
decimal commas are reported, never guessed.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isinf
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import LONGEST, abbreviate, counted, listed
from dugraph.exceptions import InputError, Part, Setting
from dugraph.io.guards import MemoryBudget, check_length, library, read_text

MISSING = ("n/a", "N/A", "NA", "na", "NaN", "nan", "-nan", "NAN", "null", "")
"""Cells that stand for a missing value; BIDS writes n/a."""

# Beyond these limits a file is damaged or hostile, and splitting it would take long.
MAX_CELL = 10_000
MAX_LINE = 4 * 2**20
MAX_COLUMNS = 100_000
MAX_COMMENTS = 1_000
# Digits of a region number.
MAX_DIGITS = 20
_LINE = re.compile(rb"[^\r\n]*")


@dataclass(frozen=True)
class DelimitedText:
    """A text whose rows all have the same number of cells.

    The cells of every row are counted before pandas reads them: pandas fills short rows without a warning.

    Attributes
    ----------
    file : Path
    content : bytes
        UTF-8, without leading comments.
    delimiter : str
        A space stands for any white space.
    n_comments : int
        Lines before the content.
    first : tuple of str
        The cells of the first row.
    lines : ndarray of int, shape (n_rows,)
        The line of the file for each row, including the first.
    plain : list of bytes, or None
        The rows, if the text has neither quotes nor blank lines.
    """

    file: Path
    content: bytes
    delimiter: str
    n_comments: int
    first: tuple[str, ...]
    lines: NDArray[np.int64]
    plain: list[bytes] | None = None

    @classmethod
    def read(
        cls, file: Path, budget: MemoryBudget, delimiter: str | None = None, square: bool = False
    ) -> DelimitedText:
        """Read a file, or refuse it if it is not a table.

        Parameters
        ----------
        file : Path
            UTF-8. Leading lines that are ``#`` or begin with ``# `` are comments.
        budget : MemoryBudget
        delimiter : str, optional
            By default the first of tab, comma and semicolon that the first line contains; otherwise a tab in
            .tsv files and white space in others.
        square : bool, default False
            Whether to stop at the first row beyond a square table with a header.
        """
        content, n_comments = _without_comments(read_text(file, budget), file)
        if delimiter is None:
            delimiter = _delimiter(file, content, n_comments)
        if delimiter == " ":
            # As in pandas, a run of spaces and tabs is one separator.
            content = content.replace(b"\t", b" ")
        if (plain := _plain_rows(content, delimiter, square)) is not None:
            cells = plain[0].split(None if delimiter == " " else delimiter.encode())
            first = tuple(cell.decode() for cell in cells)
            lines = np.arange(len(plain)) + n_comments + 1
            return cls(file, content, delimiter, n_comments, first, lines, plain)
        first = ()
        found = array("q")
        for row, line in _cells(file, content, delimiter, n_comments):
            first = first or tuple(row)
            _check_row(file, line, row, len(first), delimiter)
            found.append(line)
            if square and len(found) > len(first) + 1:
                way = _other_format(len(first))
                if not any(map(str.strip, row)):
                    way = ("This row is empty: delete it, and all empty ones below.",)
                raise InputError(
                    f"{file}, line {line}: a connectivity matrix must be square, but it has {len(first)} "
                    "columns and more rows.",
                    way_out=way,
                )
        if not found:
            raise InputError(f"{file}: the file must hold a table, but it is empty. Write or copy it again.")
        return cls(file, content, delimiter, n_comments, first, np.array(found, dtype=np.int64))

    def rows(self, begin: int = 0) -> Iterator[tuple[list[str], int]]:
        """Return the cells and the line of each row, from row `begin` on."""
        rows = _cells(self.file, self.content, self.delimiter, self.n_comments)
        for _ in range(begin):
            next(rows)
        return rows

    def first_column(self, header: bool) -> list[str]:
        """Return the first cell of each row below the header."""
        if self.plain is None:
            return [cells[0] for cells, _ in self.rows(int(header))]
        mark = self.delimiter.encode()
        rows = self.plain[int(header) :]
        return [(row.lstrip() if mark == b" " else row).partition(mark)[0].decode() for row in rows]

    def frame(self, header: bool, dtype: Any) -> Any:
        """Read the rows below the header as a pandas.DataFrame with columns 0, 1, ...

        Parameters
        ----------
        header : bool
            Whether the first row is a header.
        dtype : type, or dict of column to type
            Text is kept as it is; numbers are NaN where a cell stands for a missing value.
        """
        pandas = library("pandas")
        text = dtype is str
        n_rows, n_columns = len(self.lines) - header, len(self.first)
        try:
            with warnings.catch_warnings():
                # pandas warns before it drops cells.
                warnings.simplefilter("error", pandas.errors.ParserWarning)
                table = pandas.read_csv(
                    io.BytesIO(self.content),
                    sep=r"\s+" if self.delimiter == " " else self.delimiter,
                    header=0 if header else None,
                    names=range(n_columns),
                    index_col=False,
                    dtype=dtype,
                    keep_default_na=False,
                    na_values=None if text else list(MISSING),
                    na_filter=not text,
                    quoting=csv.QUOTE_MINIMAL if self.delimiter in ",;" else csv.QUOTE_NONE,
                    encoding="utf-8",
                    skipinitialspace=True,
                    **exact_numbers(pandas),
                )
        except (
            pandas.errors.ParserError,
            pandas.errors.ParserWarning,
            pandas.errors.EmptyDataError,
        ) as error:
            raise InputError(f"{self.file}: the table must be well formed: {abbreviate(error)}.") from error
        if table.shape != (n_rows, n_columns):
            raise InputError(
                f"{self.file}: the table must have the {n_rows} rows of {n_columns} cells that its lines "
                f"show, but its quotes or line ends make it {table.shape}. Write it again."
            )
        return table


# Quotes, and whatever else splits lines or cells for Python or pandas.
NOT_PLAIN = (b'"', b"\r", b"\v", b"\f", b"\x1c", b"\x1d", b"\x1e", b"\x1f")
_NUMBERS = msgspec.json.Decoder(list[float])
_INTS_AND_NUMBERS = msgspec.json.Decoder(list[int | float])
_AT_ONCE = 2**16


def _plain_rows(content: bytes, delimiter: str, square: bool) -> list[bytes] | None:
    """Return the lines of a text without quotes and blank lines; None if it has any, or uneven rows.

    Only counts cells, which is much faster than splitting them; all other texts are split by `_cells`.
    """
    if any(mark in content for mark in NOT_PLAIN) or content.endswith(b"\n\n"):
        return None
    lines = content.removesuffix(b"\n").split(b"\n")
    if delimiter == " ":
        counts = {len(line.split()) for line in lines}
    else:
        mark = delimiter.encode()
        counts = {line.count(mark) + 1 if not line.isspace() and line else 0 for line in lines}
    n_columns = counts.pop()
    # Shorter lines have no cell that is too long.
    if counts or not 0 < n_columns <= MAX_COLUMNS or max(map(len, lines)) > MAX_CELL * (n_columns > 1):
        return None
    return None if square and len(lines) > n_columns + 1 else lines


def _plain_numbers(text: DelimitedText, header: bool, skipped: int) -> NDArray[np.float64] | None:
    """Return the numbers of a text in which no cell is empty or anything but a number; else None.

    As an array of JSON, numbers are parsed exactly and several times as fast as by pandas.
    """
    if text.plain is None or skipped > 1:
        return None
    rows, mark = text.plain[int(header) :], text.delimiter.encode()
    numbers = np.empty((len(rows), len(text.first) - skipped))
    at_once = max(1, _AT_ONCE // len(text.first))
    for begin in range(0, len(rows), at_once):
        some = rows[begin : begin + at_once]
        if skipped:
            some = [row.lstrip().partition(mark)[2] for row in some]
        cells = b",".join(b"\n".join(some).split() if mark == b" " else some)
        try:
            found = _NUMBERS.decode(b"[%b]" % (cells if mark == b" " else cells.replace(mark, b",")))
        except msgspec.MsgspecError:
            return None
        if len(found) != len(some) * numbers.shape[1]:
            return None
        numbers[begin : begin + at_once] = np.array(found).reshape(len(some), -1)
    return numbers


def read_columns(
    content: bytes, delimiter: bytes, n_columns: int, known: tuple[list[Any], list[Any]] | None = None
) -> tuple[list[Any], list[Any], NDArray[np.float64]] | None:
    """Read two columns of names, and one of numbers if there are three; None if a line has anything else.

    Parameters
    ----------
    content : bytes
        Without quotes and header.
    delimiter : bytes
        Empty for white space.
    n_columns : {2, 3}
    known : tuple of two lists, optional
        Names that another file had; equal ones are not examined again.

    Returns
    -------
    first, second : list of int, or of bytes
        The names, as int if all are whole numbers without leading zeros.
    numbers : ndarray of float
        1 without a third column.
    """
    mark = delimiter or (b"\t" if b"\t" in content else b" ")
    marks = content.translate(None, bytes({*range(256)} - {mark[0], ord("\n")})) + b"\n"
    is_plain = marks == (mark * (n_columns - 1) + b"\n") * (len(marks) // n_columns)
    if not is_plain and (delimiter or {len(line.split()) for line in content.split(b"\n")} != {n_columns}):
        return None
    # As JSON, as in `_plain_numbers`.
    commas = content.replace(b"\n", b",").replace(mark, b",")
    cells: list[Any] = []
    if is_plain and b"-0," not in commas:
        with suppress(msgspec.MsgspecError):
            cells = _INTS_AND_NUMBERS.decode(b"[%b]" % commas)
    first, second, third = (cells[k::n_columns] for k in range(3))
    if (first, second) != known and {*map(type, first), *map(type, second)} != {int}:
        cells = content.replace(b"\n", mark).split(mark) if is_plain else content.split()
        if delimiter and b" " in content:
            cells = [cell.strip() for cell in cells]
        first, second, third = (cells[k::n_columns] for k in range(3))
        # Python reads .5 and +1 too, which JSON has not, but also 1_0.
        if b"" in first or b"" in second or (n_columns == 3 and any(b"_" in cell for cell in third)):
            return None
    if n_columns == 2:
        return first, second, np.ones(len(first))
    try:
        numbers = np.array(third if isinstance(first[0], int) else list(map(float, third)), dtype=np.float64)
    except (ValueError, OverflowError):
        return None
    return (first, second, numbers) if np.isfinite(numbers).all() else None


def exact_numbers(pandas: Any) -> dict[str, str]:
    """Return the arguments by which pandas reads floats to the last bit; from 3.1 on it always does."""
    older = tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1)
    return {"float_precision": "round_trip"} if older else {}


def _without_comments(content: bytes, file: Path) -> tuple[bytes, int]:
    # NumPy and MRtrix write comments as "# ..."; the headers "#2001" of AFNI are names.
    n_comments = begin = 0
    while content.startswith((b"# ", b"#\n", b"#\r"), begin):
        if n_comments == MAX_COMMENTS:
            raise InputError(
                f"{file}: a table may begin with {MAX_COMMENTS} lines of comments, but has more."
            )
        end = content.find(b"\n", begin)
        n_comments, begin = n_comments + 1, len(content) if end < 0 else end + 1
    return content[begin:], n_comments


def _delimiter(file: Path, content: bytes, n_comments: int) -> str:
    line = _LINE.match(content, 0, MAX_LINE)[0].decode("utf-8", "replace")  # type: ignore[index]
    delimiter = next((d for d in "\t,;" if d in line), "\t" if file.suffix.lower() == ".tsv" else " ")
    if delimiter == "," and _row_of_decimal_commas(line):
        raise InputError(
            f"{file}, line {n_comments + 1}: numbers must have decimal points, but the line begins with "
            f"{abbreviate(line[:LONGEST])}. {_DECIMAL_COMMA}"
        )
    return delimiter


def _cells(file: Path, content: bytes, delimiter: str, n_comments: int) -> Iterator[tuple[list[str], int]]:
    """Split the lines that are not blank, which pandas skips too."""
    stream = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    lines = _lines(file, stream, n_comments)
    # Only files separated by commas or semicolons quote; elsewhere a quotation mark is an ordinary character.
    if delimiter in ",;" and b'"' in content:
        yield from _quoted_cells(file, lines, delimiter, n_comments)
        return
    for line, number in lines:
        text = line.rstrip("\r\n")
        cells = text.split(delimiter)
        if delimiter == " ":
            cells = [cell for cell in cells if cell]
        if len(text) > MAX_CELL:
            _check_length(file, number, cells)
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield cells, number


def _quoted_cells(
    file: Path, lines: Iterator[tuple[str, int]], delimiter: str, n_comments: int
) -> Iterator[tuple[list[str], int]]:
    reader = csv.reader((line for line, _ in lines), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip()):
                _check_length(file, reader.line_num + n_comments, cells)
                yield cells, reader.line_num + n_comments
    except csv.Error as error:
        raise InputError(
            f"{file}, line {reader.line_num + n_comments}: the table must be well formed, but: {error}. "
            "Write it again."
        ) from error


def _lines(file: Path, stream: io.TextIOWrapper, n_comments: int) -> Iterator[tuple[str, int]]:
    number = n_comments
    # Never more than MAX_LINE characters at once.
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise InputError(
                f"{file}, line {number}: a line may have {MAX_LINE} characters, but it has more. Copy the "
                "file again if it is damaged."
            )
        yield line, number


def _check_row(file: Path, line: int, cells: list[str], expected: int, delimiter: str) -> None:
    if len(cells) != expected:
        way = "The file is cut short or damaged; write it again."
        if delimiter == "," and len(cells) > expected:
            way = "The file is damaged, or has decimal commas; write it again, numbers with decimal points."
        raise InputError(
            f"{file}, line {line}: every row must have as many cells as the first, {expected}, but it has "
            f"{len(cells)}. {way}"
        )
    if expected > MAX_COLUMNS:
        raise InputError(f"{file}: a table may have {MAX_COLUMNS} columns, but it has {expected}.")


def _check_length(file: Path, line: int, cells: list[str]) -> None:
    longest = max(cells, key=len, default="")
    if len(longest) > MAX_CELL:
        raise InputError(
            f"{file}, line {line}: a cell may have {MAX_CELL} characters, but one has {len(longest)}: "
            f"{abbreviate(longest)}. Copy the file again if it is damaged."
        )


# --- Decimal commas, as spreadsheets in many languages write them -------------------------------------------

_NUMBER = re.compile(r"[+-]?\d+([.,]\d*)?([eE][+-]?\d+)?")
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_DECIMAL_COMMA = "This looks like a decimal comma: save the file with decimal points."


def _has_decimal_comma(cell: str) -> bool:
    return _WITH_COMMA.fullmatch(cell.strip()) is not None


def _row_of_decimal_commas(line: str) -> bool:
    """Return whether a line separates numbers with decimal commas by semicolons or white space.

    Split at its commas, ``1,0;0,5;0,3`` would be 1, 0;0, 5;0 and 3. The first cell may be a name.
    """
    for cells in (line.split(";"), line.split()):
        cells = [cell.strip() for cell in cells if cell.strip()]
        numbers = cells[1:] if cells and not _NUMBER.fullmatch(cells[0]) else cells
        if (
            len(numbers) > 1
            and all(map(_NUMBER.fullmatch, numbers))
            and any(map(_has_decimal_comma, numbers))
        ):
            return True
    return False


def must_be_number(cell: str) -> str:
    """Return the end of a message about a cell that is not a number, with the way out of a decimal comma."""
    rule = f"must be a number, but is {abbreviate(cell)!r}."
    return f"{rule} {_DECIMAL_COMMA}" if _has_decimal_comma(cell) else rule


# --- Headers: names of the regions, or the numbers of the first row -----------------------------------------


def is_number(cell: str) -> bool:
    """Return whether a cell is a number or stands for a missing value."""
    if cell.strip() in MISSING:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


def names_in_head(head: bytes) -> set[str]:
    """Return the cells of the first line of a file in lower case, split at any delimiter."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace").lower()
    return {cell.strip().strip('"') for cell in re.split(r"[,;\t]", first)}


def column_names(cells: Iterable[str], file: Path) -> list[str]:
    """Return the names of a header, which must be unique."""
    names = [check_length(cell.strip(), file, "column name") for cell in cells]
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice == "":
        raise InputError(
            f"{file}: columns must have names, but {names.count('')} have none, the first being "
            f"column {names.index('') + 1}. Name them, or delete them if they are empty."
        )
    if twice is not None:
        raise InputError(f"{file}: column names must be unique, but {abbreviate(twice)!r} appears twice.")
    return names


def _is_whole(cell: str) -> bool:
    return cell.strip().isdecimal() and len(cell) < MAX_DIGITS


def _counts_up(cells: Sequence[str]) -> bool:
    """Return whether cells are whole numbers in ascending order, as the numbers of regions are."""
    return all(map(_is_whole, cells)) and all(a < b for a, b in pairwise(map(int, cells)))


def _names_of_matrix(text: DelimitedText) -> bool:
    """Return whether the first row of a matrix holds names: a cell is not a number, or the first is empty."""
    if not all(map(is_number, text.first)):
        return True
    # pandas writes an empty cell above its index; a matrix without a diagonal begins with an empty cell too.
    corner, *others = map(str.strip, text.first)
    return not corner and all(map(_is_whole, others)) and len(set(others)) == len(others)


def _may_be_counts(text: DelimitedText) -> bool:
    """Return whether the first row may be counts: whole numbers throughout, and an empty diagonal.

    A table written by pandas is not: if a column has empty cells, it writes the others as 5.0.
    """
    return all(
        not cells[i].strip() and all(_is_whole(cell) for cell in cells if cell.strip())
        for i, (cells, _) in enumerate(text.rows())
    )


def names_of_series(text: DelimitedText) -> bool:
    """Return whether the first row of a table of time series holds names, or numbers, of the regions.

    Some programs write no header: numbers that cannot be indices are the first time point.
    """
    if not all(map(is_number, text.first)):
        return True
    if not all(map(_is_whole, text.first)) or len(set(text.first)) < len(text.first):
        return False
    if len(text.lines) > 1 and all(map(_is_whole, next(text.rows(1))[0])):
        # Signals may be whole numbers too: then only a plain count is a header.
        n, first = len(text.first), [int(cell) for cell in text.first]
        if first in ([*range(n)], [*range(1, n + 1)]):
            return True
        if not _counts_up(text.first):
            return False
    elif _counts_up(text.first):
        return True
    raise InputError(
        f"{text.file}: it must be clear whether the first row numbers the regions, but it holds different "
        "whole numbers that may also be the first time point. For regions, write names instead; for a "
        "time point, write its numbers with a decimal point."
    )


# --- Tables -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NumberTable:
    """A table of numbers with the names of its columns and rows, if it has any.

    Attributes
    ----------
    columns, rows : tuple of str, or None
    numbers : ndarray of float64, shape (n_rows, n_columns)
        NaN where a value is missing.
    lines : ndarray of int, shape (n_rows,)
        The line of the file for each row.
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
    """Read a table of numbers without row names.

    Parameters
    ----------
    file : Path
    budget : MemoryBudget
    header : bool
        Whether the first row holds names.
    delimiter : str, optional
        As for `DelimitedText.read`.
    text_columns : tuple of str, default ()
        Names that the columns before the numbers must have; these columns are skipped.
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
    """Read time series, one column per region; a header of names or numbers is recognised."""
    text = DelimitedText.read(file, budget)
    header = names_of_series(text)
    if header and len(text.lines) > 1 and tuple(next(text.rows(1))[0]) == text.first:
        raise InputError(
            f"{file}, line {text.lines[1]}: a header must appear once, but it appears twice. Delete one."
        )
    return replace(_number_table(text, budget, header, 0), rows=None)


def read_square(file: Path, budget: MemoryBudget, delimiter: str | None = None) -> NumberTable:
    """Read a square table of numbers; its shape tells whether it has a header and a first column of names."""
    text = DelimitedText.read(file, budget, delimiter, square=True)
    n_rows, n_columns = len(text.lines), len(text.first)
    # A file that was cut may also have one row or column too many: numbers are names only if they count up.
    header = _names_of_matrix(text) or (n_rows == n_columns + 1 and _counts_up(text.first))
    if header and n_rows == n_columns and _may_be_counts(text):
        raise InputError(
            f"{file}: it must be clear whether the first row names the regions, but with an empty diagonal "
            "and whole numbers it may also be counts. For counts, write 0 on the diagonal, also into the "
            "first cell; for names, write Node into the first cell."
        )
    if header:
        _check_header_of_matrix(text)
    row_names = n_columns == n_rows - header + 1
    row_names = row_names and (header or _counts_up(text.first_column(header=False)))
    is_square = n_rows - header == n_columns - row_names
    # With an empty last column, a table with a header looks like one whose first column holds names.
    empty = "" if is_square and (not header or text.first[-1].strip()) else _empty_at_the_end(text)
    if empty or not is_square:
        raise InputError(
            f"{file}: a connectivity matrix must be square, but it has {n_rows - header} rows of numbers and "
            f"{n_columns} columns.",
            way_out=empty or ("Check whether it was cut short. ", *_other_format(n_columns)),
        )
    return _number_table(text, budget, header, int(row_names))


class Records(NamedTuple):
    """A table of text.

    Attributes
    ----------
    table : pandas.DataFrame of str
        Without white space around the values.
    lines : ndarray of int, shape (n_rows,)
        The line of the file for each row.
    padded : dict of str to list of str
        The values as they are in the file, for columns in which some have white space around them.
    """

    table: Any
    lines: NDArray[np.int64]
    padded: dict[str, list[str]]


def read_records(file: Path, budget: MemoryBudget) -> Records:
    """Read a table with a header as text, so that ids keep their leading zeros."""
    text = DelimitedText.read(file, budget)
    names = column_names(text.first, file)  # first: pandas is slow with thousands of unnamed columns
    table = text.frame(True, str)
    table.columns = names
    padded: dict[str, list[str]] = {}
    if text.delimiter != " ":
        columns = zip(*(cells for cells, _ in text.rows(1)), strict=True)
        padded = {
            name: list(cells)
            for name, cells in zip(names, columns, strict=False)
            if any(cell != cell.strip() for cell in cells)
        }
    return Records(table.map(str.strip), text.lines[1:], padded)


def _check_header_of_matrix(text: DelimitedText) -> None:
    """Refuse a first row of names and decimal numbers: a cell of the first row of numbers is wrong."""
    cells = [cell.strip() for cell in text.first]
    names = [cell for cell in cells if not is_number(cell)]
    decimals = [cell for cell in cells if is_number(cell) and cell not in MISSING and not _is_whole(cell)]
    if names and decimals:
        raise InputError(
            f"{text.file}, line {text.lines[0]}: the first row must be either names or numbers, but has "
            f"{abbreviate(names[0])!r} and {abbreviate(decimals[0])}.",
            way_out=f"{_DECIMAL_COMMA}" if _has_decimal_comma(names[0]) else "Correct it.",
        )


def _other_format(n_columns: int) -> tuple[Part, ...]:
    """Name the format that tables which are not square may have."""
    if n_columns in (2, 3):
        return ("If these are edge lists, add ", Setting("format", "edge-lists"), ".")
    return ("If these are time series, add ", Setting("format", "series"), ".")


def _empty_at_the_end(text: DelimitedText) -> str:
    """Describe the last columns and rows if they are empty, as spreadsheets often leave them."""
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
    budget.check(len(lines) * (len(text.first) - skipped) * 8, text.file)
    numbers = _plain_numbers(text, header, skipped)
    if numbers is None:
        types = {i: str if i < skipped else np.float64 for i in range(len(text.first))}
        try:
            frame = text.frame(header, types)
        except (ValueError, TypeError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise _not_a_number(text, header, skipped, error) from error
        numbers = np.ascontiguousarray(frame.iloc[:, skipped:].to_numpy(dtype=np.float64))
    columns = _names(text.first[skipped:], text.file) if header else None
    rows = _names(text.first_column(header), text.file) if skipped else None
    return NumberTable(columns, rows, numbers, lines)


def _names(cells: Iterable[str], file: Path) -> tuple[str, ...]:
    return tuple(check_length(cell.strip(), file, "region name") for cell in cells)


def _not_a_number(text: DelimitedText, header: bool, skipped: int, error: Exception) -> InputError:
    def wrong(line: int, column: str, cell: str) -> InputError:
        return InputError(f"{text.file}, line {line}: {column} {must_be_number(cell)}")

    for i, cell in enumerate(text.first[skipped:] if header else (), start=skipped):
        # A row of decimal commas was taken for a header because its cells are not numbers.
        if _has_decimal_comma(cell):
            return wrong(int(text.lines[0]), f"column {i + 1}", cell)
    for cells, line in text.rows(int(header)):
        for i in range(skipped, len(cells)):
            # pandas before 3 also refuses numbers that overflow, such as 1e999.
            if not is_number(cells[i]) or (cells[i].strip() not in MISSING and isinf(float(cells[i]))):
                column = f"column {abbreviate(text.first[i].strip())}" if header else f"column {i + 1}"
                return wrong(line, column, cells[i])
    return InputError(f"{text.file}: the table must hold numbers: {abbreviate(error)}.")
