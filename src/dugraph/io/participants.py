"""Participants: their table, its match with the files by id, and the groups that form the classes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, is_one_of, listed
from dugraph.data.columns import Column, select_participants
from dugraph.exceptions import InputError, Sentence, Setting, Spoken
from dugraph.files.atomic import check_path
from dugraph.io.delimited import MISSING, Records, read_records, records_of
from dugraph.io.guards import MemoryBudget, check_length, library
from dugraph.io.input_files import check_one_file

if TYPE_CHECKING:
    from dugraph.io.connectomes import Connectomes

Labels = NDArray[Any]
"""1 and 0 for the positive and the negative class, or the names of more groups."""

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
    """A table of participants, one row each; ids are unique without the prefix ``sub-``."""

    file: Path
    ids: tuple[str, ...]
    groups: tuple[str, ...]  # empty text where the group is missing
    columns: dict[str, Column]  # all columns but the ids
    id_column: str
    group_column: str
    group_named: bool = False  # whether the user named the column of groups
    no_file: tuple[str, ...] = ()  # lines of subjects that have no file according to the table
    excluded: tuple[str, ...] = ()  # ids of rows that a condition does not select
    record: dict[str, str] = field(default_factory=dict)  # what was done to the table, for the provenance

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


def bare_id(graph_id: str) -> str:
    """Return an id without the prefix ``sub-``, which tables and file names may have or not."""
    return graph_id.removeprefix("sub-")


def read_participants(
    source: Any, budget: MemoryBudget, id_column: str | None = None, group_column: str | None = None
) -> Participants:
    """Read a table with one row per subject: a .tsv or .csv file, a pandas.DataFrame or a record array."""
    if isinstance(source, (str, os.PathLike)):
        file = Path(check_path(source, "table"))
        return participants_of(read_records(file, budget), file, id_column, group_column)
    records = text_table(source, "participants")
    return participants_of(records, Path("table in memory"), id_column, group_column)


def participants_of(
    records: Records, file: Path, id_column: str | None = None, group_column: str | None = None
) -> Participants:
    """Build participants from a table of text; `file` is for messages."""
    table, lines, padded = records
    names = list(table.columns)
    id_name = _column(names, id_column, "id", ID_COLUMNS, file)
    group_name = _column(names, group_column, "group", _GROUP_COLUMNS, file)
    without_file = (table[id_name] == NO_FILE).to_numpy()
    no_file = tuple(f"line {line}" for line in lines[without_file])
    table, lines = table[~without_file], lines[~without_file]
    ids = tuple(table[id_name].tolist())
    _check_ids(ids, lines, file)
    return Participants(
        file,
        ids,
        groups=tuple("" if cell in MISSING else cell for cell in table[group_name]),
        columns={name: _typed(table[name].tolist()) for name in names if name not in (id_name, "")},
        id_column=id_name,
        group_column=group_name,
        group_named=group_column is not None,
        no_file=no_file,
        record=_white_space(padded, group_name),
    )


def text_table(table: Any, name: str) -> Records:
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
    columns = {one: [_text(cell) for cell in table.iloc[:, i]] for i, one in enumerate(names)}
    return records_of(columns, np.arange(len(table)))


def _text(cell: Any) -> str:
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    if isinstance(cell, (float, np.floating)):
        number = float(cell)
        return str(int(number)) if number.is_integer() else "n/a" if np.isnan(number) else repr(number)
    # pandas writes <NA>, NaT and None for missing values.
    return "n/a" if cell is None or str(cell) in ("<NA>", "NaT") else str(cell)


def _typed(cells: list[str]) -> NDArray[Any]:
    """Return a column as whole numbers, numbers with NaN, or text, whichever fits all its cells."""
    present = [cell for cell in cells if cell not in MISSING]
    if present and all(_NUMBER.fullmatch(cell) for cell in present):
        if len(present) == len(cells) and all(cell.lstrip("+-").isdecimal() for cell in cells):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
        return np.array([np.nan if cell in MISSING else float(cell) for cell in cells])
    return np.array(["" if cell in MISSING else cell for cell in cells], dtype=np.str_)


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


# --- Subjects: files matched with rows of the table, by id --------------------------------------------------


@dataclass
class SubjectFilter:
    """Choose subjects by their names, before any file is opened if the layout lists its files by name.

    `choose` sets `rows`, the row of the table for each chosen subject, and `record`, the files that were not
    chosen, for the provenance; `labelled` finds their classes.
    """

    participants: Participants | None = None
    id_pattern: str | None = None
    positive: str | None = None
    negative: str | None = None
    intersect: bool = False
    applied: bool = field(default=False, init=False)
    rows: list[int] = field(default_factory=list, init=False)
    left_out: dict[str, list[str]] = field(default_factory=dict, init=False)
    restored_zeros: dict[str, str] = field(default_factory=dict, init=False)
    record: dict[str, Any] = field(default_factory=dict, init=False)

    def choose(
        self, names: Sequence[str], files: Sequence[Path], id_digits: int | None = None
    ) -> tuple[list[int], list[str]]:
        """Return the positions of the files to read, and their ids.

        `names` are those of the files, or the ids that the layout takes from them. Where every id has
        `id_digits` digits, leading zeros that the table lost are restored.
        """
        self.applied = True
        chosen, ids, self.record = ids_by_pattern(names, self.id_pattern)
        check_one_file(ids, [files[i] for i in chosen])
        if self.participants is not None:
            if id_digits is not None:
                self._restore_zeros(self.participants, id_digits)
            at = self._match(ids, self.participants)
            if self.left_out:
                self.record["left_out"] = self.left_out
            chosen, ids = [chosen[i] for i in at], [ids[i] for i in at]
        return chosen, ids

    def select(self, connectomes: Connectomes) -> Connectomes:
        """Return the chosen connectomes; all of them if the reader has read the chosen files only."""
        if self.applied:
            return connectomes
        rows, ids = self.choose(connectomes.graph_ids, connectomes.files, connectomes.id_digits)
        self.record.pop("left_out", None)  # listed after the classes
        return replace(connectomes.subset(rows), graph_ids=tuple(ids))

    def _restore_zeros(self, table: Participants, n_digits: int) -> None:
        spelled: dict[str, str] = {}
        for before in table.ids:
            after = _zero_filled(before, n_digits)
            if spelled.setdefault(after, before) != before:
                raise InputError(
                    f"{table.file}: a subject must have one row, but {abbreviate(spelled[after])} and "
                    f"{abbreviate(before)} are both {abbreviate(after)} when leading zeros are restored. "
                    "Keep one of them."
                )
        n_restored = sum(after != before for after, before in spelled.items())
        if n_restored:
            restored = f"ids of {counted(n_restored, 'row')}, to {n_digits} digits"
            self.restored_zeros = {"restored_zeros": restored}
        excluded = tuple(_zero_filled(one, n_digits) for one in table.excluded)
        self.participants = replace(table, ids=tuple(spelled), excluded=excluded)

    def _match(self, ids: Sequence[str], table: Participants) -> list[int]:
        """Pair files with rows of the table; return the positions of the files that have a row."""
        ignored = {bare_id(one) for one in table.excluded}
        if self.positive is not None and self.negative is not None:
            # Wrong names are reported with all groups of the table.
            check_named(table.groups, self.positive, self.negative, table.file)
            pairs = zip(table.ids, table.groups, strict=True)
            ignored |= {bare_id(one) for one, group in pairs if group not in (self.positive, self.negative)}
        bare = [bare_id(one) for one in ids]
        has_file = _by_bare_id(ids, "graphs", table.file)
        row_of = {
            one: i for one, i in _by_bare_id(table.ids, "rows", table.file).items() if one not in ignored
        }
        no_row = [ids[i] for i, one in enumerate(bare) if one not in row_of and one not in ignored]
        no_file = [table.ids[i] for one, i in row_of.items() if one not in has_file]
        files = [i for i, one in enumerate(bare) if one in row_of]
        if (no_row or no_file) and not (self.intersect and files):
            raise _one_sided(no_row, no_file, table.file, len(files))
        left_out = {"without a row": no_row, "without a file": no_file}
        self.left_out = {why: some for why, some in left_out.items() if some}
        self.rows = [row_of[bare[i]] for i in files]
        return files

    def labelled(self, connectomes: Connectomes) -> tuple[Connectomes, Labels | None, dict[str, Any]]:
        """Return the connectomes of all classes, their labels, and the record of these for the provenance.

        The labels are those of the table, if there is one, else of the files.
        """
        if self.participants is not None:
            return connectomes, *self.labels_in_table(connectomes.graph_ids, connectomes.y)
        if connectomes.y is not None:
            where = connectomes.y_file or connectomes.files[0]
            classes = two_classes(connectomes.y, connectomes.graph_ids, self.positive, self.negative, where)
            others = classes.others(connectomes.y, connectomes.graph_ids)
            # Excluded subjects go first: their values need not be valid.
            connectomes = connectomes.subset([i for i, one in enumerate(connectomes.y) if one in classes])
            record = {**classes._asdict(), **({"left_out": others} if others else {})}
            return connectomes, classes.y(connectomes.y or ()), record
        if self.positive is not None or self.negative is not None or self.intersect:
            raise InputError(
                "positive, negative and intersect need class labels, but there are none.",
                parameter="participants",
                way_out=("Give the table of subjects (", Setting("participants"), ")."),
            )
        return connectomes, None, {}

    def labels_in_table(
        self, ids: Sequence[str], own: Sequence[str] | None = None
    ) -> tuple[Labels, dict[str, Any]]:
        """Return the labels of the chosen subjects, and their record; `own` are those of the files."""
        table = self.participants
        assert table is not None
        groups = [table.groups[row] for row in self.rows]
        if own is not None:
            _check_agree(own, groups, ids, table.file)
        left_out, named = dict(self.left_out), {}
        if table.group_named and len({*groups} - {""}) > 2 and (self.positive, self.negative) == (None, None):
            check_no_group_missing(groups, ids, table.file)
            y: Labels = np.array(groups, dtype=np.str_)
        else:
            classes = two_classes(groups, ids, self.positive, self.negative, table.file)
            if self.positive is not None and self.negative is not None:
                left_out |= classes.others(table.groups, table.ids)
            y, named = classes.y(groups), classes._asdict()
        if table.excluded:
            left_out["not selected by where"] = list(table.excluded)
        if table.no_file:
            left_out[f"{table.id_column} {NO_FILE}"] = list(table.no_file)
        record = {
            "participants": table.file.name,
            "id_column": table.id_column,
            "group_column": table.group_column,
            **table.record,
            **named,
            **self.restored_zeros,
        }
        return y, record | ({"left_out": left_out} if left_out else {})


def _zero_filled(one: str, n_digits: int) -> str:
    return one.zfill(n_digits) if one.isdecimal() else one


def _by_bare_id(ids: Sequence[str], what: str, file: Path) -> dict[str, int]:
    positions: dict[str, int] = {}
    for i, one in enumerate(ids):
        first = positions.setdefault(bare_id(one), i)
        if first != i:
            raise InputError(
                f"{file}: ids of {what} must differ without the prefix sub-, because they are matched "
                f"without it, but {abbreviate(ids[first])} and {abbreviate(one)} do not. Rename or remove "
                "one of them."
            )
    return positions


def _one_sided(no_row: list[str], no_file: list[str], file: Path, n_common: int) -> InputError:
    n_files, n_rows = n_common + len(no_row), n_common + len(no_file)
    parts = [
        f"there is no {what} for {counted(len(ids), 'subject')} ({first_few(ids)})"
        for ids, what in ((no_row, "row"), (no_file, "file"))
        if ids
    ]
    rows = [bare_id(one) for one in no_file]
    pattern, n_found = suggested_pattern(no_row, rows)
    way: Sentence
    if {bare_id(one).lstrip("0") for one in no_row} & {one.lstrip("0") for one in rows}:
        way = "Some differ only in leading zeros, which spreadsheets remove: restore them in the table."
    elif pattern is not None and n_found > n_common:
        known = f"The file names contain the ids of the table: {n_found} of {n_files} match with "
        way = (known, Setting("id_pattern", pattern), ".")
    elif n_common:
        common = f"Complete them, or take the {counted(n_common, 'common one')} with "
        way = (common, Setting("intersect", True), ".")
    else:
        way = ("No id matches: check ", Setting("id_column"), " and ", Setting("id_pattern"), ".")
    return InputError(
        f"{file}: every subject must have a file and a row, but {n_common:,} of {counted(n_files, 'file')} "
        f"{'matches' if n_common == 1 else 'match'} one of {counted(n_rows, 'row')}: {' and '.join(parts)}.",
        way_out=way,
    )


def first_few(ids: Sequence[str], most: int = 5) -> str:
    """List the first ids, and how many more there are."""
    more = len(ids) - most
    shorter = ", ".join(abbreviate(one) for one in ids[:most])
    return f"{shorter} and {more:,} more" if more > 0 else shorter


def _check_agree(own: Sequence[str], groups: Sequence[str], ids: Sequence[str], file: Path) -> None:
    """Refuse a table that puts a subject into another class than its file or folder does."""
    differing = [i for i, (a, b) in enumerate(zip(own, groups, strict=True)) if a != b]
    # The table may use other names for the classes.
    if differing and set(own) == set(groups):
        i = differing[0]
        raise InputError(
            f"{file}: a subject must have one class, but {counted(len(differing), 'subject')} "
            f"({listed((ids[k] for k in differing), 8)}) {'is' if len(differing) == 1 else 'are'} of another "
            f"class in the connectomes: {abbreviate(ids[i])} is {abbreviate(groups[i])!r} in the table and "
            f"{abbreviate(own[i])!r} there. Correct one of them, or leave out the table."
        )


# --- Patterns: where file names contain the id, such as {id}_REST1* -----------------------------------------

_ID = "{id}"
# Ids that are compared with the file names before a pattern is suggested.
_TRIED = 50
# Sub11 does not contain the id 1.
_NOT_WITHIN_NUMBER = r"(?:(?<!\d)|(?!\d))"


def ids_by_pattern(names: Sequence[str], pattern: str | None) -> tuple[list[int], list[str], dict[str, Any]]:
    """Return the positions of the file names that fit a pattern, their ids, and a record for the provenance.

    ``{id}`` stands for the id, ``*`` for any text, ``?`` for one character; None keeps whole names.
    """
    if pattern is None:
        return list(range(len(names))), list(names), {}
    compiled = _compiled(pattern)
    matches = [compiled.fullmatch(one) for one in names]
    fitting = [i for i, match in enumerate(matches) if match is not None]
    if not fitting:
        raise InputError(
            f"id_pattern must fit the names of the files, but {abbreviate(pattern)!r} fits none of "
            f"{listed(names, 6)}.",
            parameter="id_pattern",
        )
    record: dict[str, Any] = {"id_pattern": pattern}
    others = [one for one, match in zip(names, matches, strict=True) if match is None]
    if others:
        record["not_of_the_pattern"] = others
    return fitting, [match[1] for match in matches if match is not None], record


def suggested_pattern(names: Sequence[str], ids: Sequence[str]) -> tuple[str | None, int]:
    """Return a pattern by which at least half of the file names give unique ids of the table.

    The second value is the number of files that it matches with the table.
    """
    around: Counter[tuple[str, str]] = Counter()
    for one in ids[:_TRIED]:
        whole = re.compile(_NOT_WITHIN_NUMBER + re.escape(one) + _NOT_WITHIN_NUMBER)
        for name in names:
            found = whole.search(name)
            if found is not None:
                around[name[: found.start()], name[found.end() :]] += 1
    if not around:
        return None, 0
    (prefix, suffix), _ = around.most_common(1)[0]
    shared_prefix = _common([before[::-1] for before, _ in around])[::-1]
    shared_suffix = _common([after for _, after in around])
    candidates = [
        f"{prefix}{_ID}{suffix}",
        f"{prefix}{_ID}{shared_suffix}*",
        f"*{shared_prefix}{_ID}{suffix}",
        f"*{shared_prefix}{_ID}{shared_suffix}*",
    ]
    known = set(ids)
    n_found = {pattern: _n_found(pattern, names, known) for pattern in candidates}
    # The first of the best candidates is the most specific.
    best = max(candidates, key=n_found.__getitem__)
    enough = 2 * n_found[best] >= min(len(names), len(ids))
    return (best, n_found[best]) if enough else (None, 0)


def _common(texts: Sequence[str]) -> str:
    """Return the longest common prefix."""
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:n]


def _n_found(pattern: str, names: Sequence[str], known: set[str]) -> int:
    matches = [_compiled(pattern).fullmatch(name) for name in names]
    found = [match[1] for match in matches if match is not None and match[1] in known]
    return len(found) if len(set(found)) == len(found) else 0


def _compiled(pattern: str) -> re.Pattern[str]:
    if not isinstance(pattern, str) or pattern.count(_ID) != 1:
        raise InputError(
            f"id_pattern must hold {_ID} once, such as {_ID}_REST1*, but is {abbreviate(pattern)!r}.",
            parameter="id_pattern",
        )
    # The shortest possible id, so that the text after it is not part of it.
    parts = re.split(r"(\{id\}|\*|\?)", pattern)
    wild = {_ID: "(.+?)", "*": ".*", "?": "."}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts), re.DOTALL)
