"""Tables about subjects: which row belongs to which graph, which class, and what else is known."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.columns import Column
from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError
from dugraph.io.delimited import MISSING
from dugraph.io.guards import MemoryBudget, check_length
from dugraph.io.tables import read_records

BIDS_ID = "participant_id"
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
    """

    file: Path
    ids: tuple[str, ...]
    groups: tuple[str, ...]
    columns: dict[str, Column]
    id_column: str
    group_column: str


def bare_id(graph_id: str) -> str:
    """Give an id without the prefix ``sub-``, which tables and file names use or leave out as they like."""
    return graph_id.removeprefix("sub-")


def read_participants(
    path: str | os.PathLike[str],
    budget: MemoryBudget,
    id_column: str | None = None,
    group_column: str | None = None,
) -> Participants:
    """Read a participants.tsv of BIDS, or any .tsv or .csv with one row per subject.

    Parameters
    ----------
    path : path-like
    budget : MemoryBudget
    id_column : str, optional
        By default the one column with a usual name, such as participant_id.
    group_column : str, optional
        By default the one column with a usual name, such as group or diagnosis.

    Returns
    -------
    Participants
    """
    file = Path(path)
    table, lines = read_records(file, budget)
    names = list(table.columns)
    id_name = _column(names, id_column, "id", ID_COLUMNS, file)
    group_name = _column(names, group_column, "group", GROUP_COLUMNS, file)
    ids = tuple(table[id_name].tolist())
    _check_ids(ids, lines, file)
    groups = tuple("" if cell in MISSING else cell for cell in table[group_name])
    columns = {name: _plain(table[name].tolist()) for name in names if name not in (id_name, "")}
    return Participants(file, ids, groups, columns, id_name, group_name)


def _column(names: list[str], asked: str | None, word: str, usual: tuple[str, ...], file: Path) -> str:
    if asked is not None:
        if asked not in names:
            raise InputError(
                f"{file}: {word}_column must name a column, but {shown(asked)!r} is none of "
                f"{listed(names, 12)}."
            )
        return asked
    # BIDS requires this one, so nothing else can be meant where it is there.
    fitting = [BIDS_ID] if word == "id" and BIDS_ID in names else [n for n in names if n.lower() in usual]
    if len(fitting) == 1:
        return fitting[0]
    found = f"{listed(fitting, 8)} could" if fitting else f"none of {listed(names, 12)} has a usual name"
    raise InputError(
        f"{file}: one column must hold the {word} of each subject, but {found}. Name it with --{word}-column."
    )


def _check_ids(ids: tuple[str, ...], lines: NDArray[np.int64], file: Path) -> None:
    first: dict[str, int] = {}
    for one, line in zip(ids, lines.tolist(), strict=True):
        check_length(one, file, "subject id")
        if one in MISSING:
            raise InputError(
                f"{file}, line {line}: every row must have an id, but it is {one!r}. Fill it in."
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
    """Give a column as whole numbers, numbers with NaN, or text, whichever holds all its cells."""
    present = [cell for cell in cells if cell not in MISSING]
    if present and all(_NUMBER.fullmatch(cell) for cell in present):
        if len(present) == len(cells) and all(cell.lstrip("+-").isdecimal() for cell in cells):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        return np.array([np.nan if cell in MISSING else float(cell) for cell in cells])
    return np.array(["" if cell in MISSING else cell for cell in cells], dtype=np.str_)


def match_ids(
    graph_ids: tuple[str, ...], participants: Participants, ignored: set[str], intersect: bool
) -> tuple[list[int], list[int], dict[str, list[str]]]:
    """Pair graphs with rows of the table, by id with or without ``sub-``.

    Parameters
    ----------
    graph_ids : tuple of str
    participants : Participants
    ignored : set of str
        Bare ids that are left out on both sides.
    intersect : bool
        Whether subjects on one side only are left out instead of refused.

    Returns
    -------
    graphs, rows : lists of int
        Positions of the pairs, in the order of the graphs.
    left_out : dict of str to list of str
        Ids without a row, and without a file.
    """
    bare = [bare_id(graph_id) for graph_id in graph_ids]
    rows = {bare_id(one): i for i, one in enumerate(participants.ids)}
    row_of = {one: i for one, i in rows.items() if one not in ignored}
    has_file = set(bare)
    no_row = [graph_ids[i] for i, one in enumerate(bare) if one not in row_of and one not in ignored]
    no_file = [participants.ids[i] for one, i in row_of.items() if one not in has_file]
    graphs = [i for i, one in enumerate(bare) if one in row_of]
    if (no_row or no_file) and not (intersect and graphs):
        raise InputError(_one_sided(no_row, no_file, participants.file, len(graphs)))
    left_out = {"without a row": no_row, "without a file": no_file}
    return graphs, [row_of[bare[i]] for i in graphs], {why: ids for why, ids in left_out.items() if ids}


def _one_sided(no_row: list[str], no_file: list[str], file: Path, n_common: int) -> str:
    parts = [
        f"there is no {what} for {counted(len(ids), 'subject')} ({listed(ids, 20)})"
        for ids, what in ((no_row, "row"), (no_file, "file"))
        if ids
    ]
    if _without_zeros(no_row) & _without_zeros(no_file):
        way = "Some differ in leading zeros only, which a spreadsheet removes: restore them in the table."
    elif n_common:
        way = f"Complete them, or take the {n_common} common ones with --intersect."
    else:
        way = "No id is on both sides: check --id-column."
    return f"{file}: every subject must have a file and a row, but {' and '.join(parts)}. {way}"


def _without_zeros(ids: list[str]) -> set[str]:
    return {bare_id(one).lstrip("0") for one in ids}
