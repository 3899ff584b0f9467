"""Any folder of series, one table of time points by regions per subject, as text or as an array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dugraph.data.wording import counted, listed
from dugraph.exceptions import InputError, Setting, either
from dugraph.io.connectomes import Connectomes, Floats, Sample, joined
from dugraph.io.delimited import read_series
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.per_subject import subject_files
from dugraph.io.readers.table_samples import numbered
from dugraph.io.readers.variables import ARRAY_FILES, Shape, read_variable
from dugraph.io.source import Source
from dugraph.words import TIME_AXES

_ENDINGS = (".csv", ".tsv", ".txt", ".1d", *ARRAY_FILES)


@dataclass(frozen=True)
class _Table:
    """A table as its file holds it."""

    graph_id: str
    file: Path
    values: Floats
    names: tuple[str, ...] | None


def finds(source: Source) -> str | None:
    """Never by itself: a matrix that was cut short looks like series, so the user must say so."""
    return None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read the series of each subject; which axis is time is stated, or follows from names and shapes."""
    options.check_for_series()
    found = subject_files(source, _ENDINGS, "series", options)
    if options.select:
        raise InputError(
            "select must be left out for a folder of series: every file is one subject.", parameter="select"
        )
    options.budget.check_files(found.files)
    tables = []
    for graph_id, file in zip(found.ids, found.files, strict=True):
        table = read_table(graph_id, file, options)
        options.budget.claim(table.values.nbytes, file)
        tables.append(table)
    axis, reason = _time_axis(tables, options)
    notes = {"time_axis": f"{axis}, {reason}", "folders": found.layout}
    connectomes = joined(_samples(tables, axis), "series", options.budget, options.atlas, notes)
    return replace(connectomes, y=found.y, y_file=source.path)


def read_table(graph_id: str, file: Path, options: ReadOptions) -> _Table:
    """Read one table of series in whatever orientation; what is a matrix of connectivity is refused."""
    if file.suffix.lower() in ARRAY_FILES:
        one = read_variable(file, options, is_table, "a table of series")
        values, names = one.values, one.region_names
    else:
        table = read_series(file, options.budget)
        values, names = table.numbers, None if numbered(table.columns) else table.columns
    if values.shape[0] == values.shape[1] and np.array_equal(values, values.T, equal_nan=True):
        raise InputError(
            f"{file}: series must be time points by regions, but this is a symmetric matrix of shape "
            f"{values.shape}, as connectivity is.",
            parameter="format",
            way_out=("Say ", Setting("format", "matrices"), "."),
        )
    return _Table(graph_id, file, values, names)


def is_table(shape: Shape) -> bool:
    """Return whether an array of a shape may be series."""
    return len(shape) == 2 and min(shape) > 1


def _time_axis(tables: list[_Table], options: ReadOptions) -> tuple[str, str]:
    """Tell along which axis time runs, and why; refuse where nothing tells."""
    named = [table.file for table in tables if table.names is not None]
    if named:
        if options.time_axis == "columns":
            raise InputError(
                f"time_axis must not be columns where these are named, as in {named[0]}: names are those "
                "of regions.",
                parameter="time_axis",
            )
        return "rows", "because the columns have names"
    if options.time_axis is not None:
        return options.time_axis, "as stated"
    shapes = [table.values.shape for table in tables]
    n_regions = None if options.atlas is None else options.atlas.n_regions
    # Regions are as many in all subjects; series may be of different length.
    fitting = [
        word
        for word, axis in zip(TIME_AXES, (1, 0), strict=True)
        if len({shape[axis] for shape in shapes}) == 1 and n_regions in (None, shapes[0][axis])
    ]
    if len(fitting) == 1:
        return fitting[0], "because only then do all subjects have the same regions"
    found = listed(dict.fromkeys(f"{rows} x {columns}" for rows, columns in shapes), 4)
    but = "either axis may be" if fitting else "neither axis has one length"
    raise InputError(
        f"It must be known whether rows or columns are time points, but {but}: the "
        f"{counted(len(tables), 'file')} have {found} rows and columns.",
        parameter="time_axis",
        way_out=("Say ", *either([Setting("time_axis", word) for word in TIME_AXES]), "."),
    )


def _samples(tables: list[_Table], axis: str) -> Iterator[Sample]:
    for table in tables:
        values = table.values if axis == "rows" else np.ascontiguousarray(table.values.T)
        yield Sample(table.graph_id, table.file, values, table.names)


FORMAT = Format(
    "series",
    "one table of time points by regions per subject, named after the subject",
    finds,
    read,
    takes=("variable", "names_variable", "time_axis"),
)
