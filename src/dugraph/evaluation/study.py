"""A study: rows of numbers about one question, to be written as CSV and drawn."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dugraph.files.one_folder import write_files

Value = str | int | float | None


@dataclass(frozen=True)
class Study:
    """What was measured for which setting.

    Attributes
    ----------
    name : str
        Also that of its file.
    title : str
    x, y, line : str
        Columns: what varies, what was measured, and what tells one line of the picture from another.
    columns : tuple of str
    rows : list of tuple
        One entry per column; None where there is nothing to tell.
    """

    name: str
    title: str
    x: str
    y: str
    line: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Value, ...]]

    def column(self, name: str) -> list[Value]:
        """Return one column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def csv(self) -> str:
        """Return the rows as CSV with a heading."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if value is None else value for value in row] for row in self.rows])
        return text.getvalue()

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``<name>.csv`` into a folder, which is created if it is not there."""
        return write_files(folder, {f"{self.name}.csv": self.csv().encode()})[0]
