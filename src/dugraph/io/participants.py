"""Tables of participants: ids, groups and all other columns."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, is_one_of, listed
from dugraph.data.columns import Column
from dugraph.data.where import select_participants
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.files.atomic import check_path
from dugraph.io.delimited import MISSING, read_records
from dugraph.io.guards import MemoryBudget, check_length, library

NO_FILE = "no_filename"
"""FILE_ID of subjects whose scans were not used, in the phenotype table of ABIDE Preprocessed."""

_BIDS_ID = "participant_id"
ID_COLUMNS = (
    *(_BIDS_ID, "subject_id", "subject", "sub", "id", "file_id", "sub_id", "subid", "scandir id"),
    *("src_subject_id", "subjectkey", "graph_id"),
)
_GROUP_COLUMNS = (
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
# Codes such as 007 or 1234567890123456789 are names, not numbers.
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d{0,14})(\.\d*)?([eE][+-]?\d{1,3})?|[+-]?\.\d+")
_BOTH = (Setting("positive", "A"), Spoken(", ", " "), Setting("negative", "B"))


@dataclass(frozen=True)
class Participants:
    """A table of participants.

    Attributes
    ----------
    ids : tuple of str
        As the table spells them; unique without the prefix ``sub-``.
    groups : tuple of str
        Empty where the group is missing.
    columns : dict of str to ndarray of shape (n_rows,)
        All columns but the ids.
    no_file : tuple of str
        The lines of subjects that, according to the table, have no file; they are in no other field.
    group_named : bool
        Whether the user named the column of groups.
    excluded : tuple of str
        Ids of rows that a condition does not select; they are in no other field.
    record : dict of str to str
        What was done to the table, for the provenance.
    """

    file: Path
    ids: tuple[str, ...]
    groups: tuple[str, ...]
    columns: dict[str, Column]
    id_column: str
    group_column: str
    no_file: tuple[str, ...] = ()
    group_named: bool = False
    excluded: tuple[str, ...] = ()
    record: dict[str, str] = field(default_factory=dict)

    def select(self, where: str) -> Participants:
        """Return the rows for which a condition is true: see `select_participants`."""
        table = {self.id_column: np.array(self.ids, dtype=np.str_), **self.columns}
        selected = select_participants(table, where)
        rows = np.flatnonzero(selected)
        return replace(
            self,
            ids=tuple(self.ids[i] for i in rows),
            groups=tuple(self.groups[i] for i in rows),
            columns={name: column[rows] for name, column in self.columns.items()},
            excluded=tuple(self.ids[i] for i in np.flatnonzero(~selected)),
            record=self.record | {"where": where},
        )

    def keeps_all(self, groups: Sequence[str]) -> bool:
        """Return whether the user named the column, and these groups of its rows are more than two."""
        return self.group_named and len({group for group in groups if group}) > 2


def bare_id(graph_id: str) -> str:
    """Return an id without the prefix ``sub-``, which tables and file names may have or not."""
    return graph_id.removeprefix("sub-")


def read_participants(
    source: Any, budget: MemoryBudget, id_column: str | None = None, group_column: str | None = None
) -> Participants:
    """Read a table with one row per subject: a .tsv or .csv file, a pandas.DataFrame or a record array."""
    if isinstance(source, (str, os.PathLike)):
        file = Path(check_path(source, "table"))
        table, lines, padded = read_records(file, budget)
    else:
        file = Path("table in memory")
        table = text_table(source, "participants")
        lines, padded = np.arange(len(table)), _padded(source)
    found = participants_of(table, lines, file, id_column, group_column)
    return replace(found, record=_white_space(padded, found.group_column))


def participants_of(
    table: Any,
    lines: NDArray[np.int64],
    file: Path,
    id_column: str | None = None,
    group_column: str | None = None,
) -> Participants:
    """Build participants from a pandas.DataFrame of str; `lines` and `file` are for messages."""
    names = list(table.columns)
    id_name = _column(names, id_column, "id", ID_COLUMNS, file)
    group_name = _column(names, group_column, "group", _GROUP_COLUMNS, file)
    without_file = (table[id_name] == NO_FILE).to_numpy()
    no_file = tuple(f"line {line}" for line in lines[without_file])
    table, lines = table[~without_file], lines[~without_file]
    ids = tuple(table[id_name].tolist())
    _check_ids(ids, lines, file)
    groups = tuple("" if cell in MISSING else cell for cell in table[group_name])
    columns = {name: _typed(table[name].tolist()) for name in names if name not in (id_name, "")}
    return Participants(file, ids, groups, columns, id_name, group_name, no_file, group_column is not None)


def text_table(table: Any, name: str) -> Any:
    """Return a DataFrame or record array as text: whole numbers without a point, missing values as n/a."""
    pandas = library("pandas")
    # Old versions of nilearn return record arrays of bytes.
    if isinstance(table, np.ndarray) and table.dtype.names is not None and table.ndim == 1:
        table = pandas.DataFrame({name: table[name] for name in table.dtype.names})
    if not isinstance(table, pandas.DataFrame) or not len(table):
        raise InputError(
            f"{name} must be a table with one row per subject, a pandas.DataFrame or a record array, but "
            f"is {abbreviate(type(table).__name__)} of length "
            f"{len(table) if hasattr(table, '__len__') else 0}."
        )
    names = [str(column) for column in table.columns]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise InputError(f"{name}: column names must be unique, but {abbreviate(twice)!r} appears twice.")
    return pandas.DataFrame(
        {one: [_text(cell) for cell in table.iloc[:, i]] for i, one in enumerate(names)}, dtype=object
    )


def _text(cell: Any) -> str:
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace").strip()
    if isinstance(cell, (float, np.floating)):
        number = float(cell)
        return str(int(number)) if number.is_integer() else "n/a" if np.isnan(number) else repr(number)
    # pandas writes <NA>, NaT and None for missing values.
    return "n/a" if cell is None or str(cell) in ("<NA>", "NaT") else str(cell).strip()


def _typed(cells: list[str]) -> NDArray[Any]:
    """Return a column as whole numbers, numbers with NaN, or text, whichever fits all its cells."""
    present = [cell for cell in cells if cell not in MISSING]
    if present and all(_NUMBER.fullmatch(cell) for cell in present):
        if len(present) == len(cells) and all(cell.lstrip("+-").isdecimal() for cell in cells):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        return np.array([np.nan if cell in MISSING else float(cell) for cell in cells])
    return np.array(["" if cell in MISSING else cell for cell in cells], dtype=np.str_)


def _padded(table: Any) -> dict[str, list[str]]:
    """Return the columns of a table in memory in which some text has white space around it."""
    if not hasattr(table, "items"):
        return {}
    texts = {
        str(name): [one if isinstance(one, str) else "" for one in column] for name, column in table.items()
    }
    return {name: cells for name, cells in texts.items() if any(cell != cell.strip() for cell in cells)}


def _white_space(padded: dict[str, list[str]], group_column: str) -> dict[str, str]:
    """Record where white space was removed, and which groups are the same without it."""
    if not padded:
        return {}
    counts = {name: sum(cell != cell.strip() for cell in cells) for name, cells in padded.items()}
    parts = ", ".join(f"{abbreviate(name)} {n:,}" for name, n in counts.items())
    text = f"removed around {counted(sum(counts.values()), 'value')} ({parts})"
    spellings: dict[str, set[str]] = {}
    for cell in padded.get(group_column, ()):
        spellings.setdefault(cell.strip(), set()).add(cell)
    merged = [sorted(some) for some in spellings.values() if len(some) > 1]
    if merged:
        text += "; " + "; ".join(f"{' and '.join(map(repr, some[:3]))} are one group" for some in merged[:3])
    return {"white_space": text}


def _column(names: list[str], asked: str | None, word: str, usual: tuple[str, ...], file: Path) -> str:
    setting = Setting(f"{word}_column")
    if asked is not None:
        if asked not in names:
            problem = f" must name a column, but {abbreviate(asked)!r} is not one of {listed(names, 12)}."
            raise InputError((f"{file}: ", setting, problem), parameter=setting.parameter)
        return asked
    # BIDS requires participant_id, so it is the id wherever it exists.
    fitting = [_BIDS_ID] if word == "id" and _BIDS_ID in names else [n for n in names if n.lower() in usual]
    if len(fitting) == 1:
        return fitting[0]
    found = f"{listed(fitting, 8)} could" if fitting else f"none of {listed(names, 12)} has a usual name"
    raise InputError(
        f"{file}: one column must hold the {word} of each subject, but {found}.",
        parameter=setting.parameter,
        way_out=("Name it with ", setting, "."),
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
        if first.setdefault(bare_id(one), line) != line:
            raise InputError(
                f"{file}, line {line}: a subject must have one row, but {abbreviate(one)} is in line "
                f"{first[bare_id(one)]} too. Keep one of them."
            )


# --- Groups and classes -------------------------------------------------------------------------------------


class Classes(NamedTuple):
    """The groups that form the positive and the negative class."""

    positive: str
    negative: str

    def y(self, groups: Sequence[str]) -> NDArray[np.int64]:
        """Return 1 for the positive and 0 for the negative group."""
        return np.array([int(group == self.positive) for group in groups], dtype=np.int64)

    def others(self, groups: Sequence[str], ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the ids of all other groups, for the provenance."""
        others: dict[str, list[str]] = {}
        for one, group in zip(ids, groups, strict=True):
            if group not in self:
                others.setdefault(f"of group {group}" if group else "without a group", []).append(one)
        return others


def two_classes(
    groups: Sequence[str], ids: Sequence[str], positive: str | None, negative: str | None, where: object
) -> Classes:
    """Choose the two groups that form the classes.

    If both are named, all other groups are left out; otherwise there must be exactly two, the last name in
    sorted order being positive by default. `ids` and `where`, the file, are for messages.
    """
    sizes = check_named(groups, positive, negative, where)
    if positive is not None and positive == negative:
        same = f" must be different groups, but both are {abbreviate(positive)!r}."
        raise InputError((Setting("positive"), " and ", Setting("negative"), same), parameter="negative")
    if positive is not None and negative is not None:
        return Classes(positive, negative)
    check_no_group_missing(groups, ids, where)
    if len(sizes) != 2:
        raise InputError(
            f"{where}: there must be exactly two groups, but there {'is' if len(sizes) == 1 else 'are'} "
            f"{_sizes(sizes)}.",
            way_out=(
                *("Name two of them with ", *_BOTH, "; the others are left out. To keep all groups, name "),
                *("their column with ", Setting("group_column"), "."),
            )
            if len(sizes) > 2
            else ("Check ", Setting("group_column"), ", or add the other group."),
        )
    low, high = sorted(sizes)
    chosen = positive if positive is not None else low if negative == high else high
    return Classes(chosen, high if chosen == low else low)


def check_no_group_missing(groups: Sequence[str], ids: Sequence[str], where: object) -> None:
    """Refuse subjects without a group."""
    missing = [one for one, group in zip(ids, groups, strict=True) if not group]
    if missing:
        raise InputError(
            f"{where}: every subject must have a group, but {counted(len(missing), 'subject')} "
            f"{'has' if len(missing) == 1 else 'have'} none: {listed(missing, 20)}.",
            way_out=("Fill it in, or leave them out by naming both groups (", *_BOTH, ")."),
        )


def check_named(
    groups: Sequence[str], positive: str | None, negative: str | None, where: object
) -> Counter[str]:
    """Refuse names that are not groups of the table; return the size of each group."""
    sizes = Counter(group for group in groups if group)
    for name, asked in (("positive", positive), ("negative", negative)):
        if asked is not None and not is_one_of(asked, sizes):
            problem = f" must name a group, but {abbreviate(asked)!r} is not one of {_sizes(sizes)}."
            spell = "Spell it as in the table, or choose another column ("
            raise InputError(
                (f"{where}: ", Setting(name), problem),
                parameter=name,
                way_out=(spell, Setting("group_column"), ")."),
            )
    return sizes


def _sizes(sizes: Counter[str]) -> str:
    parts = [f"{abbreviate(group)} ({counted(n, 'subject')})" for group, n in sorted(sizes.items())]
    return ", ".join(parts[:8]) + (", ..." if len(parts) > 8 else "")
