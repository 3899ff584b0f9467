"""Preview of a folder before it is converted, by the functions of `dugraph.io` that read it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.app.study import MOST_LISTED, Problem, Study
from dugraph.estimators import EdgeProbability
from dugraph.exceptions import InputError
from dugraph.io.delimited import read_records
from dugraph.io.detection import choose_layout, matching, subjects_by_name
from dugraph.io.guards import MemoryBudget
from dugraph.io.input_files import OTHER_FILES, InputFiles, ReadOptions, table_in
from dugraph.io.participants import Participants, SubjectFilter, bare_id, ids_by_pattern, participants_of
from dugraph.io.probabilities import METHODS
from dugraph.plot.chart import Chart
from dugraph.report.pictures import chart_svg
from dugraph.words import NONE

_MOST_FILES = 100_000  # below one folder, unless requested
_MOST_BYTES = 2**28  # of a participants table, for a preview
_ROWS, _MOST_TABLES = 8, 50
_TABLES = (".tsv", ".csv", ".txt")
EXAMPLE_TIMEPOINTS = 200
"""Time points of the picture of the map that depends on them."""


@dataclass
class Table:
    """The participants table: its first rows, which columns were recognised, and the size of each group."""

    columns: list[str]
    rows: list[list[str]]
    n_rows: int
    varying: list[str]
    id_column: str | None = None
    group_column: str | None = None
    groups: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class Inspection:
    """How the reader interprets a folder: the format, empty if none fits, and why it was recognised."""

    n_files: int = 0
    names: list[str] = field(default_factory=list)  # of the first files that are read
    layout: str = ""
    description: str = ""
    reason: str = ""
    table: Table | None = None
    match: dict[str, list[str]] | None = None  # ids with a file and a row, without a row, without a file
    note: str = ""  # why no match is shown
    problems: list[Problem] = field(default_factory=list)


def inspect(study: Study, path: Path, values: Mapping[str, Any], options: Container[str]) -> Inspection:
    """Recognise files and participants; errors become problems, with fixes that set one of `options`.

    `values` are the settings of `dugraph convert`, parsed.
    """
    found = Inspection()

    @contextmanager
    def noted() -> Iterator[None]:
        try:
            yield
        except (InputError, OSError) as error:
            found.problems.append(Problem.of(error, options, study))

    people = None
    named = values.get("participants") or table_in(path)
    beside = [study.resolve(str(named))] if named and named != NONE else []
    for table in beside:
        with noted():
            people = _read_table(table, found, values)
    with noted():
        _check_size(path)
        files = InputFiles.of(path, without=beside)
        found.n_files = len(files.files)
        study.check_links(files.files)
        layout, found.reason = choose_layout(files, values.get("format"))
        found.layout, found.description = layout.name, layout.description
        chosen = matching(layout, files)
        found.names = [study.name(file) for file in chosen[:MOST_LISTED]]
        if layout.read_all or layout.read:
            found.note = "All participants are read together; their ids are compared when the files are read."
            return found
        select, pattern = values.get("select") or {}, values.get("id_pattern")
        reading = ReadOptions(MemoryBudget(_MOST_BYTES), select=select, id_pattern=pattern)
        subjects = subjects_by_name(layout, files, chosen, reading)
        _, ids, _ = ids_by_pattern(subjects.graph_ids, pattern)
        if people is None:
            found.match = {"both": [], "without a row": list(ids), "without a file": []}
            return found
        if values.get("where"):
            people = people.select(values["where"])
        found.match = _matched(ids, people)
        sides = (values.get("positive"), values.get("negative"))
        choice = SubjectFilter(people, pattern, *sides, bool(values.get("intersect")))
        choice.labels_in_table(choice.choose(subjects.graph_ids, subjects.files, subjects.id_digits)[1])
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
                "the files of all participants."
            )


def _read_table(file: Path, found: Inspection, values: Mapping[str, Any]) -> Participants:
    if file.stat().st_size > _MOST_BYTES:
        raise InputError(
            f"{file.name}: the participants table has {file.stat().st_size:,} bytes. Choose another file."
        )
    frame, lines, *_ = read_records(file, MemoryBudget(_MOST_BYTES))
    columns = [str(name) for name in frame.columns]
    rows = [[str(cell) for cell in row] for row in frame.head(_ROWS).to_numpy().tolist()]
    varying = [one for one in columns if frame[one].nunique() > 1]
    asked = values.get("id_column"), values.get("group_column")
    found.table = Table(columns, rows, len(frame), varying, *asked)
    people = participants_of(frame, lines, file, *asked)
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
    here = folder if folder.is_dir() else folder.parent
    found: list[Path] = []
    for place in dict.fromkeys((here, folder.parent, study.home)):
        if study.contains(place):
            names = [name for name in study.entries(place)[1] if Path(name).suffix.lower() in _TABLES]
            names.sort(key=lambda name: (not OTHER_FILES.match(name), name.endswith(".txt")))
            found += [place / name for name in names[:_MOST_TABLES]]
    found.sort(key=lambda file: not OTHER_FILES.match(file.name))
    return list(dict.fromkeys(study.name(file) for file in found))


def likely_table(tables: Sequence[str]) -> str:
    """The first table with a usual name of a participants table, or an empty string."""
    return next((one for one in tables if OTHER_FILES.match(Path(one).name) and not one.endswith(".txt")), "")


@cache
def map_pictures(threshold: float | None) -> dict[str, Any]:
    """The probability that each map gives to a correlation, as a chart by the name of the map."""
    r = np.linspace(-1, 1, 161)
    pictures = {}
    for name in METHODS["correlation"]:
        if name == NONE:
            continue
        signed = name == "signed"
        step = EdgeProbability(
            "positive" if signed else name, EXAMPLE_TIMEPOINTS, threshold, layers="signed" if signed else None
        )
        mapped = step.fit_transform(r[None])[0]
        chart = Chart(
            f"Edge probability by correlation with the map {name}.",
            *((-1.0, 1.0), (0.0, 1.05)),
            *("correlation", "probability"),
            y_ticks=(0.0, 0.5, 1.0),
        )
        for line in (mapped[1::2], mapped[::2]) if signed else (mapped,):
            chart.add("line", zip(r.tolist(), line.tolist(), strict=True), "mean")
        pictures[name] = chart_svg(chart, width=260.0, height=150.0)
    return pictures
