"""Delimited text: tables of numbers, with or without names, and tables of text.

The delimiter, the header and the row names are recognised, or refused if they are ambiguous. Numbers with
decimal commas are reported, never guessed.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
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

_MISSING = frozenset(MISSING)

# Beyond these limits a file is damaged or hostile, and splitting it would take long.
MAX_CELL = 10_000
MAX_LINE = 4 * 2**20
MAX_COLUMNS = 100_000
MAX_COMMENTS = 1_000
# Digits of a region number.
MAX_DIGITS = 20
# Cells that are converted together.
_AT_ONCE = 2**16
_LINE = re.compile(rb"[^\r\n]*")
_GAPS = [b",%b," % word.encode() for word in MISSING if word != "null"]
_JSON_NUMBERS = msgspec.json.Decoder(list[float | None])

NOT_PLAIN = (b'"', b"\r", b"\v", b"\f", b"\x1c", b"\x1d", b"\x1e", b"\x1f")
"""Quotes, and all bytes except the line feed at which Python may split lines or cells."""


@dataclass(frozen=True)
class DelimitedText:
    """A text whose rows all have the same number of cells.

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
    first: tuple[str, ...] = ()
    lines: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    plain: list[bytes] | None = None

    @classmethod
    def read(cls, file: Path, budget: MemoryBudget, delimiter: str | None = None) -> DelimitedText:
        """Read a file, or refuse it if it is not a table.

        Parameters
        ----------
        file : Path
            UTF-8. Leading lines that are ``#`` or begin with ``# `` are comments.
        budget : MemoryBudget
        delimiter : str, optional
            By default the first of tab, comma and semicolon that the first line contains; otherwise a tab in
            .tsv files and white space in others.
        """
        content, n_comments = _without_comments(read_text(file, budget), file)
        if delimiter is None:
            delimiter = _delimiter(file, content, n_comments)
        if delimiter == " ":
            content = content.replace(b"\t", b" ")
        content = unix_lines(content)
        text = cls(file, content, delimiter, n_comments)
        if (plain := _plain_rows(content, delimiter)) is not None:
            lines = np.arange(len(plain)) + n_comments + 1
            return replace(text, first=tuple(_split(plain[0].decode(), delimiter)), lines=lines, plain=plain)
        first: tuple[str, ...] = ()
        found = array("q")
        for row, line in text.rows():
            first = first or tuple(row)
            _check_row(file, line, row, len(first), delimiter)
            found.append(line)
        if not found:
            raise InputError(f"{file}: the file must hold a table, but it is empty. Write or copy it again.")
        return replace(text, first=first, lines=np.array(found, dtype=np.int64))

    def rows(self, begin: int = 0) -> Iterator[tuple[list[str], int]]:
        """Yield the cells and the line of each row that is not blank, from row `begin` on."""
        if self.plain is not None:
            for k in range(begin, len(self.plain)):
                yield _split(self.plain[k].decode(), self.delimiter), self.n_comments + 1 + k
            return
        yield from islice(self._filled_rows(), begin, None)

    def _filled_rows(self) -> Iterator[tuple[list[str], int]]:
        # Only files separated by commas or semicolons quote; elsewhere quotes are ordinary letters.
        rows = self._quoted_rows() if self.delimiter in ",;" and b'"' in self.content else self._split_rows()
        for cells, line in rows:
            if max(map(len, cells), default=0) > MAX_CELL:
                longest = max(cells, key=len)
                raise InputError(
                    f"{self.file}, line {line}: a cell may have {MAX_CELL} characters, but one has "
                    f"{len(longest)}: {abbreviate(longest)}. Copy the file again if it is damaged."
                )
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield cells, line

    def _split_rows(self) -> Iterator[tuple[list[str], int]]:
        for number, line in enumerate(self._text_lines(), self.n_comments + 1):
            yield _split(line.rstrip("\r\n"), self.delimiter), number

    def _quoted_rows(self) -> Iterator[tuple[list[str], int]]:
        skips = re.search(rb'[,;] +"', self.content) is not None
        reader = csv.reader(self._text_lines(), delimiter=self.delimiter, strict=True, skipinitialspace=skips)
        try:
            for cells in reader:
                yield cells, reader.line_num + self.n_comments
        except csv.Error as error:
            raise InputError(
                f"{self.file}, line {reader.line_num + self.n_comments}: the table must be well formed, but: "
                f"{error}. Write it again."
            ) from error

    def _text_lines(self) -> Iterator[str]:
        stream = io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", newline="")
        number = self.n_comments
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise InputError(
                    f"{self.file}, line {number}: a line may have {MAX_LINE} characters, but it has more. "
                    "Copy the file again if it is damaged."
                )
            yield line

    def column_blocks(self) -> Iterator[list[list[str]]]:
        """Yield the cells below a header column by column, some rows at a time."""
        n, rows = len(self.first), self.rows(1)
        at_once = max(1, _AT_ONCE // n)
        for begin in range(1, len(self.lines), at_once):
            if self.plain is None:
                cells = [cell for row, _ in islice(rows, at_once) for cell in row]
            else:
                block = self.delimiter.encode().join(self.plain[begin : begin + at_once])
                cells = _split(block.decode(), self.delimiter)
            yield [cells[k::n] for k in range(n)]

    def first_column(self, header: bool) -> list[str]:
        """Return the first cell of each row below the header."""
        if self.plain is None:
            return [cells[0].strip() for cells, _ in self.rows(int(header))]
        mark = self.delimiter.encode()
        rows = self.plain[int(header) :]
        return [(row.lstrip() if mark == b" " else row).partition(mark)[0].decode().strip() for row in rows]

    def numbers(self, header: bool, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the numbers of some columns below the header, NaN where a value is missing."""
        n_rows, skipped = len(self.lines) - header, len(self.first) - len(columns)
        if n_rows == 0:
            raise InputError(f"{self.file}: a table of numbers must have rows, but it has a header only.")
        numbers = np.empty((n_rows, len(columns)))
        # Other texts are split from their beginning: once.
        at_once = n_rows if self.plain is None else max(1, _AT_ONCE // len(self.first))
        at_the_end = list(columns) == list(range(skipped, len(self.first)))
        for begin in range(0, n_rows, at_once):
            block = numbers[begin : begin + at_once]
            if not (at_the_end and self._fast_numbers(begin + header, skipped, block)):
                rows = islice(self.rows(begin + header), len(block))
                for row, (cells, line) in zip(block, rows, strict=True):
                    row[:] = self._row_of_numbers(cells, line, header, columns)
        return numbers

    def _fast_numbers(self, begin: int, skipped: int, block: NDArray[np.float64]) -> bool:
        """Fill a block of rows in which all cells are plain numbers or missing; return whether they are.

        As an array of JSON, numbers are parsed exactly and several times as fast as one by one.
        """
        if self.plain is None:
            return False
        rows, mark = self.plain[begin : begin + len(block)], self.delimiter.encode()
        if skipped:
            rows = [row.lstrip().split(None if mark == b" " else mark, skipped)[skipped] for row in rows]
        cells = b",".join(b"\n".join(rows).split() if mark == b" " else rows)
        cells = b",%b," % (cells if mark == b" " else cells.replace(mark, b","))
        for known in ((), _GAPS):
            for gap in known:
                # Twice, because neighbours share a comma.
                cells = cells.replace(gap, b",null,").replace(gap, b",null,") if gap in cells else cells
            with suppress(msgspec.MsgspecError):
                found = _JSON_NUMBERS.decode(b"[%b]" % cells[1:-1])
                if len(found) == block.size:
                    block[:] = np.array(found, dtype=np.float64).reshape(block.shape)
                    return True
        return False

    def _row_of_numbers(
        self, cells: list[str], line: int, header: bool, columns: Sequence[int]
    ) -> list[float]:
        chosen = [cells[place] for place in columns]
        joined = "".join(chosen)
        # Python would read 1_0 as 10, and the digits of other scripts.
        if joined.isascii() and "_" not in joined:
            with suppress(ValueError):
                return [np.nan if cell in _MISSING else float(cell) for cell in chosen]
        found = [to_number(cell) for cell in chosen]
        if None not in found:
            return found  # type: ignore[return-value]
        if header:
            # A row of decimal commas was taken for a header because its cells are not numbers.
            for place in columns:
                if _has_decimal_comma(self.first[place]):
                    column, cell = f"column {place + 1}", self.first[place]
                    raise InputError(f"{self.file}, line {self.lines[0]}: {column} {must_be_number(cell)}")
        place = columns[found.index(None)]
        column = f"column {abbreviate(self.first[place].strip()) if header else place + 1}"
        raise InputError(f"{self.file}, line {line}: {column} {must_be_number(cells[place])}")


def unix_lines(content: bytes) -> bytes:
    """Return a text with the line ends of Unix instead of those of Windows."""
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def _split(line: str, delimiter: str) -> list[str]:
    cells = line.split(delimiter)
    return [cell for cell in cells if cell] if delimiter == " " else cells


def _plain_rows(content: bytes, delimiter: str) -> list[bytes] | None:
    """Return the lines of a text without quotes, blank lines and long cells, all with as many cells, or None.

    Counting cells is much faster than splitting them.
    """
    mark = delimiter.encode()
    if b'"' in content and delimiter in ",;":
        content = _without_quotes(content, mark)
    if any(one in content for one in NOT_PLAIN):
        return None
    lines = content.rstrip(b"\n").split(b"\n")
    if delimiter == " ":
        counts = {len(line.split()) for line in lines}
    else:
        counts = {line.count(mark) + 1 if line and not line.isspace() else 0 for line in lines}
    longest = max(map(len, lines))
    if len(counts) > 1 or not 0 < counts.pop() <= MAX_COLUMNS or longest > MAX_LINE:
        return None
    if longest > MAX_CELL and re.search(rb"[^%b\n]{%d}" % (mark, MAX_CELL + 1), content):
        return None
    return lines


def _without_quotes(content: bytes, mark: bytes) -> bytes:
    """Drop the quotes of cells, unless some of them are needed."""
    n_quoted = content.count(mark + b'"') + content.count(b'\n"') + content.startswith(b'"')
    plain, n = re.subn(rb'"([^"\r\n%b]*)"(?=[%b\n]|$)' % (mark, mark), rb"\1", content)
    return plain if n == n_quoted else content


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
    if cell.strip() in _MISSING:
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
        return np.nan if cell.strip() in _MISSING else None


def names_in_head(head: bytes) -> set[str]:
    """Return the cells of the first line of a file in lower case, split at any delimiter."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace").lower()
    return {cell.strip().strip('"') for cell in re.split(r"[,;\t]", first)}


def split_line(line: str) -> list[str]:
    """Return the cells of a line, split at tabs, commas, semicolons or white space."""
    delimiter = next((d for d in "\t,;" if d in line), None)
    return [cell.strip().strip('"') for cell in line.split(delimiter, MAX_COLUMNS)]


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
    text = DelimitedText.read(file, budget, delimiter)
    begin = tuple(cell.strip() for cell in text.first[: len(text_columns)])
    if begin != text_columns:
        raise InputError(
            f"{file}, line {text.lines[0]}: the header must begin with {', '.join(text_columns)}, but begins "
            f"with {listed(begin)}. Check whether it has another format."
        )
    return _number_table(text, budget, header, len(text_columns))


def read_series(file: Path, budget: MemoryBudget) -> NumberTable:
    """Read time series, one column per region; a header of names or numbers is recognised."""
    text = DelimitedText.read(file, budget)
    header = names_of_series(text)
    if header and len(text.lines) > 1 and tuple(next(text.rows(1))[0]) == text.first:
        raise InputError(
            f"{file}, line {text.lines[1]}: a header must appear once, but it appears twice. Delete one."
        )
    return _number_table(text, budget, header, 0)


def read_square(file: Path, budget: MemoryBudget) -> NumberTable:
    """Read a square table of numbers; its shape tells whether it has a header and a first column of names."""
    text = DelimitedText.read(file, budget)
    n_rows, n_columns = len(text.lines), len(text.first)
    if n_rows > n_columns + 1:
        row, line = next(text.rows(n_columns + 1))
        is_empty = not any(map(str.strip, row))
        raise InputError(
            f"{file}, line {line}: a connectivity matrix must be square, but it has {n_columns} columns and "
            "more rows.",
            way_out="This row is empty: delete it, and all empty ones below."
            if is_empty
            else _other_format(n_columns),
        )
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
    table = _number_table(text, budget, header, int(row_names))
    rows = _region_names(text.first_column(header), file) if row_names else None
    return replace(table, rows=rows)


class Records(NamedTuple):
    """A pandas.DataFrame of text without white space around it, and the line of each row.

    `padded` has the original values of columns in which some have white space around them.
    """

    table: Any
    lines: NDArray[np.int64]
    padded: dict[str, list[str]]


def read_records(file: Path, budget: MemoryBudget) -> Records:
    """Read a table with a header as text, so that ids keep their leading zeros."""
    text = DelimitedText.read(file, budget)
    names = column_names(text.first, file)
    rows = [cells for cells, _ in text.rows(1)]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=False)) or {
        name: [] for name in names
    }
    stripped = {name: [cell.strip() for cell in cells] for name, cells in columns.items()}
    padded = {name: cells for name, cells in columns.items() if cells != stripped[name]}
    return Records(library("pandas").DataFrame(stripped, dtype=str), text.lines[1:], padded)


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
    columns = range(skipped, len(text.first))
    budget.check(len(text.lines) * len(columns) * 8, text.file)
    numbers = text.numbers(header, columns)
    names = _region_names(text.first[skipped:], text.file) if header else None
    return NumberTable(names, None, numbers, text.lines[int(header) :])


def _region_names(cells: Iterable[str], file: Path) -> tuple[str, ...]:
    return tuple(check_length(cell.strip(), file, "region name") for cell in cells)
