"""Tables about subjects: which row belongs to which graph, which class, and what else is known."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.columns import Column
from dugraph.data.wording import listed, shown
from dugraph.exceptions import InputError, Setting
from dugraph.files.opening import check_path
from dugraph.io.guards import MemoryBudget, check_length
from dugraph.io.tables.contents import read_records
from dugraph.io.tables.delimited import MISSING
from dugraph.io.tables.phenotypes import text_table

BIDS_ID = "participant_id"
NO_FILE = "no_filename"
"""What the phenotype table of ABIDE Preprocessed has as FILE_ID of subjects whose scans were not used."""
ID_COLUMNS = (
    *(BIDS_ID, "subject_id", "subject", "sub", "id", "file_id", "sub_id", "subid", "scandir id"),
    *("src_subject_id", "subjectkey", "graph_id"),
)
GROUP_COLUMNS = (
    "group",
    "diagnosis",
    "dx",
    "dx_group",
    "class",
    "label",
    "case_control",
    "patient",
    "status",
)


@dataclass(frozen=True)
class Participants:
    """A table about subjects.

    Attributes
    ----------
    file : Path
    ids : tuple of str
        As the table spells them; unique without the prefix ``sub-``.
    groups : tuple of str, or None
        Empty where the group is missing.
    columns : dict of str to ndarray of shape (n_rows,)
        All columns but the ids.
    id_column, group_column : str
    no_file : tuple of str
        The lines of subjects of whom the table itself says that there is no file; they are in no other field.
    group_named : bool
        Whether the column of groups was asked for by name.
    """

    file: Path
    ids: tuple[str, ...]
    groups: tuple[str, ...]
    columns: dict[str, Column]
    id_column: str
    group_column: str
    no_file: tuple[str, ...] = ()
    group_named: bool = False

    def keeps_all(self, groups: Sequence[str]) -> bool:
        """Whether these groups of its rows are more than two classes, and were asked for."""
        return self.group_named and len({group for group in groups if group}) > 2


def bare_id(graph_id: str) -> str:
    """Return an id without the prefix ``sub-``, which tables and file names use or leave out as they like."""
    return graph_id.removeprefix("sub-")


def read_participants(
    source: Any,
    budget: MemoryBudget,
    id_column: str | None = None,
    group_column: str | None = None,
) -> Participants:
    """Read a participants.tsv of BIDS, any .tsv or .csv with one row per subject, or such a table in memory.

    Parameters
    ----------
    source : path-like, or pandas.DataFrame or record array
    budget : MemoryBudget
    id_column : str, optional
        By default the one column with a usual name, such as participant_id.
    group_column : str, optional
        By default the one column with a usual name, such as group or diagnosis.

    Returns
    -------
    Participants
    """
    if isinstance(source, (str, os.PathLike)):
        file = Path(check_path(source, "table"))
        table, lines = read_records(file, budget)
    else:
        file = Path("table in memory")
        table = text_table(source, "participants")
        lines = np.arange(len(table))
    return participants_of(table, lines, file, id_column, group_column)


def participants_of(
    table: Any,
    lines: NDArray[np.int64],
    file: Path,
    id_column: str | None = None,
    group_column: str | None = None,
) -> Participants:
    """Return a table of text as participants.

    Parameters
    ----------
    table : pandas.DataFrame of str
    lines : ndarray of int, shape (n_rows,)
        The line of each row, for messages.
    file : Path
        For messages.
    id_column, group_column : str, optional
        As for `read_participants`.

    Returns
    -------
    Participants
    """
    names = list(table.columns)
    id_name = _column(names, id_column, "id", ID_COLUMNS, file)
    group_name = _column(names, group_column, "group", GROUP_COLUMNS, file)
    without_file = (table[id_name] == NO_FILE).to_numpy()
    no_file = tuple(f"line {line}" for line in lines[without_file])
    table, lines = table[~without_file], lines[~without_file]
    ids = tuple(table[id_name].tolist())
    _check_ids(ids, lines, file)
    groups = tuple("" if cell in MISSING else cell for cell in table[group_name])
    columns = {name: _plain(table[name].tolist()) for name in names if name not in (id_name, "")}
    return Participants(file, ids, groups, columns, id_name, group_name, no_file, group_column is not None)


def _column(names: list[str], asked: str | None, word: str, usual: tuple[str, ...], file: Path) -> str:
    if asked is not None:
        if asked not in names:
            raise InputError(
                (
                    *(f"{file}: ", Setting(f"{word}_column")),
                    f" must name a column, but {shown(asked)!r} is none of {listed(names, 12)}.",
                ),
                parameter=f"{word}_column",
            )
        return asked
    # BIDS requires this one, so nothing else can be meant where it is there.
    fitting = [BIDS_ID] if word == "id" and BIDS_ID in names else [n for n in names if n.lower() in usual]
    if len(fitting) == 1:
        return fitting[0]
    found = f"{listed(fitting, 8)} could" if fitting else f"none of {listed(names, 12)} has a usual name"
    raise InputError(
        f"{file}: one column must hold the {word} of each subject, but {found}.",
        parameter=f"{word}_column",
        way_out=("Name it with ", Setting(f"{word}_column"), "."),
    )


def _check_ids(ids: tuple[str, ...], lines: NDArray[np.int64], file: Path) -> None:
    first: dict[str, int] = {}
    for one, line in zip(ids, lines.tolist(), strict=True):
        check_length(one, file, "subject id")
        if one in MISSING:
            raise InputError(
                f"{file}, line {line}: every row must have an id, but it is {one!r}. Fill it in, or "
                "delete the row if it is empty."
            )
        bare = bare_id(one)
        if bare in first:
            raise InputError(
                f"{file}, line {line}: a subject must have one row, but {shown(one)} is in line "
                f"{first[bare]} too. Keep one of them."
            )
        first[bare] = line


# What is meant as a number: codes such as 007 or 1234567890123456789 are names.
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d{0,14})(\.\d*)?([eE][+-]?\d{1,3})?|[+-]?\.\d+")


def _plain(cells: list[str]) -> NDArray[Any]:
    """Return a column as whole numbers, numbers with NaN, or text, whichever holds all its cells."""
    present = [cell for cell in cells if cell not in MISSING]
    if present and all(_NUMBER.fullmatch(cell) for cell in present):
        if len(present) == len(cells) and all(cell.lstrip("+-").isdecimal() for cell in cells):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        return np.array([np.nan if cell in MISSING else float(cell) for cell in cells])
    return np.array(["" if cell in MISSING else cell for cell in cells], dtype=np.str_)
