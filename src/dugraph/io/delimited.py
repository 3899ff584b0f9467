"""Delimited text: tables of numbers, with or without names, and tables of text.

The delimiter, the header and the row names are recognised, or refused if they are ambiguous. Numbers with
decimal commas are reported, never guessed.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import LONGEST, abbreviate, counted, listed
from dugraph.exceptions import InputError, Part, Setting
from dugraph.io.guards import MemoryBudget, check_length, library, read_text

MISSING = ("n/a", "N/A", "NA", "na", "NaN", "nan", "-nan", "NAN", "null", "")
"""Cells that stand for a missing value; BIDS writes n/a."""

# Characters of a cell of text: an array of a column takes the longest for each row.
_MAX_CELL = 10_000
# Digits of a region number.
_MAX_DIGITS = 20
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_ATTRIBUTES = re.compile(r"\{('.*)?\}\s*")
# Cells that are split together.
_AT_ONCE = 2**16
_JSON_CELLS = msgspec.json.Decoder(list[Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)] | float])
_JSON_NUMBERS = msgspec.json.Decoder(list[float])


@dataclass(frozen=True)
class TextTable:
    """A text whose rows all have the same number of cells."""

    file: Path
    text: str  # the rows, one per line, without leading comments and blank lines
    # A space stands for any white space, and NUL replaces the delimiter of a file with quotes.
    delimiter: str
    lines: NDArray[np.int64]  # the line of the file for each row

    @classmethod
    def read(
        cls, file: Path, budget: MemoryBudget, delimiter: str | None = None, comments: bool = False
    ) -> TextTable:
        """Read a file in UTF-8, or refuse it if it is not a table.

        The delimiter is by default the first of tab, comma and semicolon that the first line contains;
        otherwise a tab in .tsv files and white space in others. Leading lines that are ``#`` or begin with
        ``# `` are comments, and with `comments` all lines that begin with ``#``.
        """
        text = read_text(file, budget).decode()
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if comments and "#" in text:
            text = _COMMENT.sub("", text)
        begin = 0
        while text.startswith(("# ", "#\n"), begin):
            begin = text.find("\n", begin) + 1 or len(text)
        line = 1 + text.count("\n", 0, begin)
        text = text[begin:].removesuffix("\n")
        if not text.strip() or text == "#":
            raise InputError(f"{file}: the file must hold a table, but it is empty. Write or copy it again.")
        if delimiter is None:
            delimiter = _delimiter(file, text.lstrip("\n").partition("\n")[0], line)
        is_quoted = delimiter in ",;" and '"' in text
        if delimiter == " ":
            text = _single_spaces(text)
        if not is_quoted and _is_regular(text, delimiter):
            return cls(file, text, delimiter, np.arange(line, line + 1 + text.count("\n")))
        rows = _unquoted(file, text, delimiter, line) if is_quoted else enumerate(text.split("\n"), line)
        mark, delimiter = delimiter, "\0" if is_quoted else delimiter
        filled = [(line, row) for line, row in rows if delimiter in row or row.strip()]
        n_marks = filled[0][1].count(delimiter)
        for line, row in filled:
            if row.count(delimiter) != n_marks:
                way = "The file is cut short or damaged; write it again."
                if mark == "," and row.count(delimiter) > n_marks:
                    way = (
                        "The file is damaged, or has decimal commas; write it again, numbers with decimal "
                        "points."
                    )
                raise InputError(
                    f"{file}, line {line}: every row must have as many cells as the first, {n_marks + 1}, "
                    f"but it has {row.count(delimiter) + 1}. {way}"
                )
        text = "\n".join([row for _, row in filled])
        return cls(file, text, delimiter, np.array([line for line, _ in filled]))

    @cached_property
    def rows(self) -> list[str]:
        """The rows as they are in the text."""
        return self.text.split("\n")

    def cells(self, row: int) -> list[str]:
        """Return the cells of a row."""
        return self.rows[row].split(self.delimiter)

    @property
    def first(self) -> list[str]:
        """The cells of the first row."""
        return self.text.partition("\n")[0].split(self.delimiter)

    def first_column(self, header: bool) -> list[str]:
        """Return the first cell of each row below the header."""
        return [row.partition(self.delimiter)[0].strip() for row in self.rows[int(header) :]]

    def column_blocks(self, header: bool) -> Iterator[list[list[str]]]:
        """Yield the cells below the header column by column, some rows at a time."""
        n_columns = len(self.first)
        at_once = max(1, _AT_ONCE // n_columns)
        for begin in range(int(header), len(self.lines), at_once):
            cells = self.delimiter.join(self.rows[begin : begin + at_once]).split(self.delimiter)
            yield [cells[k::n_columns] for k in range(n_columns)]

    def flat_cells(self, header: bool) -> list[Any]:
        """Return all cells below the header in one list, as numbers if two columns are whole numbers."""
        n_columns, text = len(self.first), self.text.partition("\n")[2] if header else self.text
        joined = text.replace("\n", ",").replace(self.delimiter, ",")
        with suppress(msgspec.MsgspecError):
            cells = _JSON_CELLS.decode(f"[{joined}]")
            # Cells with decimal commas would be two each; -0 would be 0.
            is_complete = len(cells) == n_columns * (len(self.lines) - header) and "-0," not in joined
            if is_complete and {*map(type, cells[::n_columns]), *map(type, cells[1::n_columns])} == {int}:
                return cells
        return text.replace("\n", self.delimiter).split(self.delimiter)

    def numbers(self, header: bool, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the numbers of some columns below the header, NaN where a value is missing."""
        numbers = np.empty((len(self.lines) - header, len(columns)))
        if not len(numbers):
            raise InputError(f"{self.file}: a table of numbers must have rows, but it has a header only.")
        at_the_end = list(columns) == list(range(columns[0], len(self.first)))
        for i, row in enumerate(self.rows[int(header) :]):
            if at_the_end:
                joined = row.split(self.delimiter, columns[0])[-1].replace(self.delimiter, ",")
            else:
                cells = row.split(self.delimiter)
                joined = ",".join([cells[k] for k in columns])
            values = json_numbers(joined, len(columns))
            numbers[i] = self._row_of_numbers(i + header, header, columns) if values is None else values
        return numbers

    def _row_of_numbers(self, row: int, header: bool, columns: Sequence[int]) -> list[float]:
        cells = self.cells(row)
        values = [to_number(cells[k]) for k in columns]
        if None not in values:
            return values  # type: ignore[return-value]
        if header:
            # A row of decimal commas was taken for a header because its cells are not numbers.
            for k in columns:
                if _has_decimal_comma(self.first[k]):
                    place = f"{self.file}, line {self.lines[0]}: column {k + 1}"
                    raise InputError(f"{place} {must_be_number(self.first[k])}")
        k = columns[values.index(None)]
        column = abbreviate(self.first[k].strip()) if header else k + 1
        raise InputError(f"{self.file}, line {self.lines[row]}: column {column} {must_be_number(cells[k])}")


def json_numbers(cells: str, n_cells: int) -> list[float] | None:
    """Return the numbers of cells separated by commas; None if some are missing or written in other ways.

    JSON is parsed exactly and several times as fast as the cells one by one.
    """
    with suppress(msgspec.MsgspecError):
        found = _JSON_NUMBERS.decode(f"[{cells}]")
        return found if len(found) == n_cells else None
    return None


def _single_spaces(text: str) -> str:
    """Return rows whose cells are separated by one space each."""
    text = text.replace("\t", " ")
    is_white = np.frombuffer(f"\n{text}\n".encode(), dtype=np.uint8) <= ord(" ")
    if (is_white[1:] & is_white[:-1]).any():
        return "\n".join([" ".join(filter(None, row.split(" "))) for row in text.split("\n")])
    return text


def _is_regular(text: str, delimiter: str) -> bool:
    """Return whether all rows have the same number of cells, two or more; faster than counting in each."""
    others = bytes({*range(256)} - {ord(delimiter), ord("\n")})
    marks = f"{text}\n".encode().translate(None, others)
    first = marks[: marks.index(b"\n") + 1]
    return len(first) > 1 and marks == first * (len(marks) // len(first))


def _unquoted(file: Path, text: str, delimiter: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield the rows of a text with quotes, their cells separated by NUL, and the lines where they end."""
    skips = re.search(rf'{delimiter} +"', text) is not None
    lines = io.StringIO(text)
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=skips)
    try:
        for cells in reader:
            # A line break in a cell is read as a space.
            yield line - 1 + reader.line_num, "\0".join(cells).replace("\n", " ")
    except csv.Error as error:
        raise InputError(
            f"{file}, line {line - 1 + reader.line_num}: the table must be well formed, but: {error}. "
            "Write it again."
        ) from error


def ends_in_attributes(row: str) -> bool:
    """Return whether a row ends in the attributes of an edge, {'weight': 0.5}, as networkx writes them."""
    return _ATTRIBUTES.fullmatch(row, max(row.rfind("{"), 0)) is not None


def _delimiter(file: Path, row: str, line: int) -> str:
    if ends_in_attributes(row):
        return " "
    delimiter = next((d for d in "\t,;" if d in row), "\t" if file.suffix.lower() == ".tsv" else " ")
    if delimiter == "," and _row_of_decimal_commas(row):
        raise InputError(
            f"{file}, line {line}: numbers must have decimal points, but the line begins with "
            f"{abbreviate(row[:LONGEST])}. {_DECIMAL_COMMA}"
        )
    return delimiter


# --- Decimal commas, as spreadsheets in many languages write them -------------------------------------------

_NUMBER = re.compile(r"[+-]?\d+([.,]\d*)?([eE][+-]?\d+)?")
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_DECIMAL_COMMA = "This looks like a decimal comma: save the file with decimal points."


def _has_decimal_comma(cell: str) -> bool:
    return _WITH_COMMA.fullmatch(cell.strip()) is not None


def _row_of_decimal_commas(row: str) -> bool:
    """Return whether a row separates numbers with decimal commas by semicolons or white space.

    Split at its commas, ``1,0;0,5;0,3`` would be 1, 0;0, 5;0 and 3. The first cell may be a name.
    """
    for cells in (row.split(";"), row.split()):
        cells = [cell.strip() for cell in cells if cell.strip()]
        numbers = cells[1:] if cells and not _NUMBER.fullmatch(cells[0]) else cells
        are_numbers = len(numbers) > 1 and all(map(_NUMBER.fullmatch, numbers))
        if are_numbers and any(map(_has_decimal_comma, numbers)):
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


def to_number(cell: str) -> float | None:
    """Return the number in a cell, NaN for a missing value, and None for anything else."""
    # Python would read 1_0 as 10, and the digits of other scripts.
    if not cell.isascii() or "_" in cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return np.nan if cell.strip() in MISSING else None


def names_in_head(head: bytes) -> set[str]:
    """Return the cells of the first line of a file in lower case, split at any delimiter."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace").lower()
    return {cell.strip().strip('"') for cell in re.split(r"[,;\t]", first)}


def split_line(line: str) -> list[str]:
    """Return the cells of a line, split at tabs, commas, semicolons or white space."""
    delimiter = next((d for d in "\t,;" if d in line), None)
    return [cell.strip().strip('"') for cell in line.split(delimiter)]


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
    return cell.strip().isdecimal() and len(cell) < _MAX_DIGITS


def _counts_up(cells: Sequence[str]) -> bool:
    """Return whether cells are whole numbers in ascending order, as the numbers of regions are."""
    return all(map(_is_whole, cells)) and all(a < b for a, b in pairwise(map(int, cells)))


def names_of_series(table: TextTable) -> bool:
    """Return whether the first row of a table of time series holds names, or numbers, of the regions.

    Some programs write no header: numbers that cannot be indices are the first time point.
    """
    first = table.first
    if not all(map(is_number, first)):
        return True
    if not all(map(_is_whole, first)) or len(set(first)) < len(first):
        return False
    if len(table.lines) > 1 and all(map(_is_whole, table.cells(1))):
        # Signals may be whole numbers too: then only a plain count is a header.
        n, numbers = len(first), [int(cell) for cell in first]
        if numbers in ([*range(n)], [*range(1, n + 1)]):
            return True
        if not _counts_up(first):
            return False
    elif _counts_up(first):
        return True
    raise InputError(
        f"{table.file}: it must be clear whether the first row numbers the regions, but it contains "
        "distinct whole numbers, which could also be the first time point. For regions, write names instead; "
        "for a time point, write its numbers with a decimal point."
    )


def _names_of_matrix(table: TextTable) -> bool:
    """Return whether the first row of a matrix holds names; refuse one that may hold names or counts."""
    n_rows, first = len(table.lines), [cell.strip() for cell in table.first]
    if not all(map(is_number, first)):
        return True
    # pandas writes an empty cell above its index; a matrix without a diagonal begins with an empty cell too.
    corner, *others = first
    header = not corner and all(map(_is_whole, others)) and len(set(others)) == len(others)
    # A file that was cut may also have one row too many: numbers are names only if they count up.
    if not header:
        return n_rows == len(first) + 1 and _counts_up(first)
    # If a column has empty cells, pandas writes its numbers as 5.0.
    may_be_counts = n_rows == len(first) and all(
        not cells[i].strip() and all(_is_whole(cell) for cell in cells if cell.strip())
        for i, cells in enumerate(map(table.cells, range(n_rows)))
    )
    if may_be_counts:
        raise InputError(
            f"{table.file}: it must be clear whether the first row names the regions, but with an empty "
            "diagonal and whole numbers it may also be counts. For counts, write 0 on the diagonal, "
            "including the first cell; for names, write Node in the first cell."
        )
    return True


# --- Tables -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NumberTable:
    """Numbers, NaN where a value is missing, the names of columns and rows, and the line of each row."""

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
    """Read a table of numbers without row names, with or without a header.

    The columns before the numbers must have the names `text_columns`, and are skipped.
    """
    table = TextTable.read(file, budget, delimiter)
    begin = tuple(cell.strip() for cell in table.first[: len(text_columns)])
    if begin != text_columns:
        raise InputError(
            f"{file}, line {table.lines[0]}: the header must begin with {', '.join(text_columns)}, but "
            f"begins with {listed(begin)}. Check whether the file has another format."
        )
    if len(table.first) == len(text_columns):
        raise InputError(
            f"{file}: a table must have columns of numbers after {', '.join(text_columns)}, but has none. "
            "Copy it again."
        )
    return _number_table(table, budget, header, len(text_columns))


def read_series(file: Path, budget: MemoryBudget) -> NumberTable:
    """Read time series, one column per region; a header of names or numbers is recognised."""
    table = TextTable.read(file, budget)
    header = names_of_series(table)
    if header and len(table.lines) > 1 and table.rows[1] == table.rows[0]:
        raise InputError(
            f"{file}, line {table.lines[1]}: a header must appear once, but it appears twice. Delete one."
        )
    return _number_table(table, budget, header, 0)


def read_square(file: Path, budget: MemoryBudget) -> NumberTable:
    """Read a square table of numbers; its shape tells whether it has a header and a first column of names."""
    table = TextTable.read(file, budget)
    first = [cell.strip() for cell in table.first]
    n_rows, n_columns = len(table.lines), len(first)
    if n_rows > n_columns + 1:
        is_empty = not any(map(str.strip, table.cells(n_columns + 1)))
        raise InputError(
            f"{file}, line {table.lines[n_columns + 1]}: a connectivity matrix must be square, but it has "
            f"{n_columns} columns and more rows.",
            way_out="This row is empty: delete it, and all empty ones below."
            if is_empty
            else _other_format(n_columns),
        )
    header = _names_of_matrix(table)
    if header:
        _check_header_of_matrix(table, first)
    row_names = n_columns == n_rows - header + 1 and (header or _counts_up(table.first_column(False)))
    is_square = n_rows - header == n_columns - row_names
    # With an empty last column, a table with a header looks like one whose first column holds names.
    empty = "" if is_square and (not header or first[-1]) else _empty_at_the_end(table)
    if empty or not is_square:
        raise InputError(
            f"{file}: a connectivity matrix must be square, but it has {n_rows - header} rows of numbers and "
            f"{n_columns} columns.",
            way_out=empty or ("Check whether it was cut short. ", *_other_format(n_columns)),
        )
    square = _number_table(table, budget, header, int(row_names))
    return replace(square, rows=_region_names(table.first_column(header), file) if row_names else None)


class Records(NamedTuple):
    """A pandas.DataFrame of text without white space around it, and the line of each row.

    `padded` has the original values of columns in which some have white space around them.
    """

    table: Any
    lines: NDArray[np.int64]
    padded: dict[str, list[str]]


def read_records(file: Path, budget: MemoryBudget) -> Records:
    """Read a table with a header as text, so that ids keep their leading zeros."""
    table = TextTable.read(file, budget)
    names = column_names(table.first, file)
    columns: dict[str, list[str]] = {name: [] for name in names}
    for block in table.column_blocks(header=True):
        for cells, more in zip(columns.values(), block, strict=True):
            longest = max(more, key=len)
            if len(longest) > _MAX_CELL:
                raise InputError(
                    f"{file}, line {table.lines[1 + len(cells) + more.index(longest)]}: a cell may have "
                    f"{_MAX_CELL} characters, but one has {len(longest)}: {abbreviate(longest)}. Copy the "
                    "file again if it is damaged."
                )
            cells += more
    return records_of(columns, table.lines[1:])


def records_of(columns: dict[str, list[str]], lines: NDArray[np.int64]) -> Records:
    """Remove white space around the cells of columns by name."""
    stripped = {name: [cell.strip() for cell in cells] for name, cells in columns.items()}
    padded = {name: cells for name, cells in columns.items() if cells != stripped[name]}
    return Records(library("pandas").DataFrame(stripped, dtype=str), lines, padded)


def _check_header_of_matrix(table: TextTable, first: list[str]) -> None:
    """Refuse a first row of names and decimal numbers: a cell of the first row of numbers is wrong."""
    names = [cell for cell in first if not is_number(cell)]
    decimals = [cell for cell in first if is_number(cell) and cell not in MISSING and not _is_whole(cell)]
    if names and decimals:
        raise InputError(
            f"{table.file}, line {table.lines[0]}: the first row must be either names or numbers, but has "
            f"{abbreviate(names[0])!r} and {abbreviate(decimals[0])}.",
            way_out=_DECIMAL_COMMA if _has_decimal_comma(names[0]) else "Correct it.",
        )


def _other_format(n_columns: int) -> tuple[Part, ...]:
    """Name the format that tables which are not square may have."""
    if n_columns in (2, 3):
        return ("If these are edge lists, add ", Setting("format", "edge-lists"), ".")
    return ("If these are time series, add ", Setting("format", "series"), ".")


def _empty_at_the_end(table: TextTable) -> str:
    """Describe the last columns and rows if they are empty, as spreadsheets often leave them."""
    filled = np.array([[bool(cell.strip()) for cell in table.cells(i)] for i in range(len(table.lines))])
    parts = []
    for what, cells in (("column", filled.T), ("row", filled)):
        n = int(np.argmax([one.any() for one in cells[::-1]]))
        if n:
            parts.append(f"last {what if n == 1 else counted(n, what)}")
    if not parts:
        return ""
    is_one = parts in (["last column"], ["last row"])
    verb, pronoun = ("is", "it") if is_one else ("are", "them")
    return f"The {' and the '.join(parts)} {verb} empty: delete {pronoun}."


def _number_table(table: TextTable, budget: MemoryBudget, header: bool, skipped: int) -> NumberTable:
    columns = range(skipped, len(table.first))
    budget.check(len(table.lines) * len(columns) * 8, table.file)
    names = _region_names(table.first[skipped:], table.file) if header else None
    return NumberTable(names, None, table.numbers(header, columns), table.lines[int(header) :])


def _region_names(cells: Iterable[str], file: Path) -> tuple[str, ...]:
    return tuple(check_length(cell.strip(), file, "region name") for cell in cells)
