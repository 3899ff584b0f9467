"""Preview of a folder before it is converted.

Everything comes from `dugraph.io`: the layout and why it was recognised, the participants table, and which
ids match.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dugraph.app.study import MOST_LISTED, Problem, Study
from dugraph.exceptions import InputError
from dugraph.io.delimited import read_records
from dugraph.io.detection import choose_layout, matching, subjects_by_name
from dugraph.io.guards import MemoryBudget
from dugraph.io.input_files import OTHER_FILES, InputFiles
from dugraph.io.matching import ids_by_pattern, match_subjects
from dugraph.io.options import ReadOptions
from dugraph.io.participants import Participants, bare_id, participants_of, two_classes

_MOST_FILES = 100_000  # below one folder, unless requested
_MOST_BYTES = 2**28  # of a participants table, for a preview
_ROWS, _MOST_TABLES = 8, 50
_TABLES = (".tsv", ".csv", ".txt")


@dataclass
class Table:
    """The participants table: its first rows, which columns were recognised, and the size of each group."""

    columns: list[str]
    rows: list[list[str]]
    n_rows: int
    id_column: str | None = None
    group_column: str | None = None
    groups: list[tuple[str, int]] = field(default_factory=list)
    varying: list[str] = field(default_factory=list)


@dataclass
class Inspection:
    """How the reader interprets a folder.

    Attributes
    ----------
    n_files : int
    names : list of str
        The first files of the layout.
    layout, reason : str
        The format, its description, and why it was recognised; empty if none fits.
    several : list of (name, reason)
        The formats that fit if more than one does.
    table : Table or None
    match : dict of str to list of str, or None
        Ids with a file and a row, without a row, and without a file.
    note : str
        Why no match is shown.
    problems : list of Problem
    """

    n_files: int = 0
    names: list[str] = field(default_factory=list)
    layout: str = ""
    description: str = ""
    reason: str = ""
    table: Table | None = None
    match: dict[str, list[str]] | None = None
    note: str = ""
    problems: list[Problem] = field(default_factory=list)


def inspect(study: Study, path: Path, values: Mapping[str, Any], options: Mapping[str, Any]) -> Inspection:
    """Recognise files and participants with the reader's own functions; errors become problems.

    Parameters
    ----------
    study : Study
    path : Path
        A folder or file within the study.
    values : dict
        Settings of `dugraph convert`, parsed.
    options : dict
        Its options by name.
    """
    found = Inspection()

    @contextmanager
    def noted() -> Iterator[None]:
        try:
            yield
        except (InputError, OSError) as error:
            found.problems.append(Problem.of(error, options, study))

    table_file = values.get("participants")
    people = None
    if table_file:
        with noted():
            people = _table(study.resolve(table_file), found, values)
    with noted():
        _check_size(path)
        files = InputFiles.of(path, without=[study.resolve(table_file)] if table_file else [])
        found.n_files = len(files.files)
        study.check_links(files.files)
        layout, found.reason = choose_layout(files, values.get("format"))
        found.layout, found.description = layout.name, layout.description
        chosen = matching(layout, files)
        found.names = [study.name(file) for file in chosen[:MOST_LISTED]]
        if layout.read_all or layout.read:
            found.note = "All participants are read together; their ids are compared when the files are read."
            return found
        options_of = ReadOptions(
            MemoryBudget(_MOST_BYTES), select=values.get("select") or {}, id_pattern=values.get("id_pattern")
        )
        subjects = subjects_by_name(layout, files, chosen, options_of)
        _, ids, _ = ids_by_pattern(subjects.graph_ids, options_of.id_pattern)
        if people is None:
            found.match = {"both": [], "without a row": list(ids), "without a file": []}
            return found
        if values.get("where"):
            people = people.select(values["where"])
        found.match = _matched(ids, people)
        sides = (values.get("positive"), values.get("negative"))
        match = match_subjects(ids, people, *sides, bool(values.get("intersect")), subjects.id_digits)
        groups = [match.participants.groups[row] for row in match.rows]
        if not (match.participants.keeps_all(groups) and sides == (None, None)):
            two_classes(groups, [ids[i] for i in match.files], *sides, people.file)
    return found


def _check_size(path: Path) -> None:
    """Refuse to search a folder with very many files, such as a home directory."""
    n_files = 0
    for _, names, files in os.walk(path):
        names[:] = [name for name in names if not name.startswith(".")]
        n_files += len(files)
        if n_files > _MOST_FILES:
            raise InputError(
                f"There are more than {_MOST_FILES:,} files below this folder. Choose the folder that holds "
                f"the "
                "files of all participants."
            )


def _table(file: Path, found: Inspection, values: Mapping[str, Any]) -> Participants:
    if file.stat().st_size > _MOST_BYTES:
        raise InputError(
            f"{file.name}: the participants table has {file.stat().st_size:,} bytes. Choose another file."
        )
    records = read_records(file, MemoryBudget(_MOST_BYTES))
    frame, lines = records[0], records[1]
    columns = [str(name) for name in frame.columns]
    rows = [[str(cell) for cell in row] for row in frame.head(_ROWS).to_numpy().tolist()]
    found.table = Table(columns, rows, len(frame), values.get("id_column"), values.get("group_column"))
    found.table.varying = [one for one in columns if frame[one].nunique() > 1]
    people = participants_of(frame, lines, file, values.get("id_column"), values.get("group_column"))
    found.table.id_column, found.table.group_column = people.id_column, people.group_column
    found.table.groups = sorted(Counter(group for group in people.groups if group).items())
    return people


def _matched(ids: Sequence[str], people: Participants) -> dict[str, list[str]]:
    ignored = {bare_id(one) for one in people.excluded}
    files = {bare_id(one): one for one in ids if bare_id(one) not in ignored}
    rows = {bare_id(one): one for one in people.ids}
    return {
        "both": [one for bare, one in files.items() if bare in rows],
        "without a row": [one for bare, one in files.items() if bare not in rows],
        "without a file": [one for bare, one in rows.items() if bare not in files],
    }


def participants_tables(study: Study, folder: Path) -> list[str]:
    """Tables that may list the participants in a folder, its parent and the study; usual names first."""
    places = dict.fromkeys((folder if folder.is_dir() else folder.parent, folder.parent, study.home))
    found = []
    for place in places:
        if study.contains(place):
            names = [name for name in study.entries(place)[1] if Path(name).suffix.lower() in _TABLES]
            names.sort(key=lambda name: (not OTHER_FILES.match(name), name.endswith(".txt")))
            found += [place / name for name in names[:_MOST_TABLES]]
    named = sorted(found, key=lambda file: not OTHER_FILES.match(file.name))
    return list(dict.fromkeys(study.name(file) for file in named))


def likely_table(tables: Sequence[str]) -> str:
    """The first table with a usual name for a participants table; empty if there is none."""
    return next((one for one in tables if OTHER_FILES.match(Path(one).name) and not one.endswith(".txt")), "")
