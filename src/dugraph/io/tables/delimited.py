"""The shape of a delimited text: which delimiter, which lines, the same number of cells in each."""

from __future__ import annotations

import csv
import io
import warnings
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import LONGEST, shown
from dugraph.exceptions import InputError
from dugraph.io.guards import MemoryBudget, library, read_text
from dugraph.io.tables.decimal_commas import WAY_OUT, row_of_decimal_commas

MISSING = ("n/a", "N/A", "NA", "na", "NaN", "nan", "-nan", "NAN", "null", "")
"""Cells that stand for a missing value; BIDS writes n/a."""

# Beyond these a file is damaged or hostile, and splitting it would take long.
MAX_CELL = 10_000
MAX_LINE = 4 * 2**20
MAX_COLUMNS = 100_000
MAX_COMMENTS = 1_000


@dataclass(frozen=True)
class DelimitedText:
    """A text whose rows all have the same number of cells.

    pandas fills rows that are cut short without a word, so their cells are counted before it reads them.

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
    """

    file: Path
    content: bytes
    delimiter: str
    n_comments: int
    first: tuple[str, ...]
    lines: NDArray[np.int64]

    @classmethod
    def read(
        cls, file: Path, budget: MemoryBudget, delimiter: str | None = None, square: bool = False
    ) -> DelimitedText:
        """Read a file and refuse it if it is no table.

        Parameters
        ----------
        file : Path
            UTF-8; leading lines of ``#``, or beginning with ``# ``, are comments.
        budget : MemoryBudget
        delimiter : str, optional
            By default tab, comma, semicolon or white space, whichever the first line has; without any of
            the first three, a tab in .tsv files.
        square : bool, default False
            Whether rows beyond a square table with a header are refused as soon as they come.
        """
        content, n_comments = _without_comments(read_text(file, budget), file)
        if delimiter is None:
            delimiter = _delimiter(file, content, n_comments)
        if delimiter == " ":
            # As pandas does: columns of spaces and tabs are one kind of white space.
            content = content.replace(b"\t", b" ")
        first: tuple[str, ...] = ()
        lines = array("q")
        for cells, line in _cells(file, content, delimiter, n_comments):
            first = first or tuple(cells)
            _check_row(file, line, cells, len(first), delimiter)
            lines.append(line)
            if square and len(lines) > len(first) + 1:
                way = "Check whether it has another format."
                if not any(map(str.strip, cells)):
                    way = "This row is empty: delete it, and all empty ones below."
                raise InputError(
                    f"{file}, line {line}: a connectivity matrix must be square, but it has {len(first)} "
                    f"columns and more rows. {way}"
                )
        if not lines:
            raise InputError(f"{file}: the file must hold a table, but it is empty. Write or copy it again.")
        return cls(file, content, delimiter, n_comments, first, np.array(lines, dtype=np.int64))

    def rows(self, begin: int = 0) -> Iterator[tuple[list[str], int]]:
        """Return the cells and the line of each row, from row `begin` on."""
        rows = _cells(self.file, self.content, self.delimiter, self.n_comments)
        for _ in range(begin):
            next(rows)
        return rows

    def frame(self, header: bool, dtype: Any) -> Any:
        """Read the rows, without the header, as a pandas.DataFrame with columns 0, 1, ...

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
                    quoting=_quoting(self.delimiter),
                    encoding="utf-8",
                    skipinitialspace=True,
                    **_exact(pandas),
                )
        except (
            pandas.errors.ParserError,
            pandas.errors.ParserWarning,
            pandas.errors.EmptyDataError,
        ) as error:
            raise InputError(f"{self.file}: the table must be well formed: {shown(error)}.") from error
        if table.shape != (n_rows, n_columns):
            raise InputError(
                f"{self.file}: the table must have the {n_rows} rows of {n_columns} cells that its lines "
                f"show, but its quotes or line ends make it {table.shape}. Write it again."
            )
        return table


def _without_comments(content: bytes, file: Path) -> tuple[bytes, int]:
    # NumPy and MRtrix write comments as "# ..."; AFNI's headers "#2001" are names.
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
    line = content[:MAX_LINE].splitlines()[0].decode("utf-8", "replace") if content else ""
    delimiter = next((d for d in "\t,;" if d in line), "\t" if file.suffix.lower() == ".tsv" else " ")
    if delimiter == "," and row_of_decimal_commas(line):
        raise InputError(
            f"{file}, line {n_comments + 1}: numbers must have decimal points, but the line begins with "
            f"{shown(line[:LONGEST])}. {WAY_OUT}"
        )
    return delimiter


def _cells(file: Path, content: bytes, delimiter: str, n_comments: int) -> Iterator[tuple[list[str], int]]:
    stream = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    reader = csv.reader(
        _lines(file, stream, n_comments), delimiter=delimiter, strict=True, quoting=_quoting(delimiter)
    )
    try:
        for row in reader:
            cells = [cell for cell in row if cell] if delimiter == " " else row
            # Blank lines are skipped, as pandas does.
            if cells and (len(cells) > 1 or cells[0].strip()):
                yield cells, reader.line_num + n_comments
    except csv.Error as error:
        raise InputError(
            f"{file}, line {reader.line_num + n_comments}: the table must be well formed, but: {error}. "
            "Write it again."
        ) from error


def _lines(file: Path, stream: io.TextIOWrapper, n_comments: int) -> Iterator[str]:
    number = n_comments
    # No longer piece of it is ever made.
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise InputError(
                f"{file}, line {number}: a line may have {MAX_LINE} characters, but it has more. Copy the "
                "file again if it is damaged."
            )
        yield line


def _quoting(delimiter: str) -> Any:
    # Only comma-separated files quote; in the others a quotation mark is a character like any other.
    return csv.QUOTE_MINIMAL if delimiter in ",;" else csv.QUOTE_NONE


def _exact(pandas: Any) -> dict[str, str]:
    # The last digit of a number counts; from 3.1 on pandas reads it without being asked, and warns if it is.
    older = tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1)
    return {"float_precision": "round_trip"} if older else {}


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
    if max(map(len, cells)) > MAX_CELL:
        longest = max(cells, key=len)
        raise InputError(
            f"{file}, line {line}: a cell may have {MAX_CELL} characters, but one has {len(longest)}: "
            f"{shown(longest)}. Copy the file again if it is damaged."
        )
