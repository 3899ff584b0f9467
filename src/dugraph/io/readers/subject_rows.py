"""One table with a row per subject and a column per edge: named ``A--B``, or one triangle of numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.edge_names import SEPARATOR, named_edges
from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import ids_in_order
from dugraph.io.connectomes import NUMBERED, Connectomes, Floats
from dugraph.io.delimited import DelimitedText, column_names, is_number, must_be_number
from dugraph.io.format import Format
from dugraph.io.guards import file_head
from dugraph.io.options import ReadOptions
from dugraph.io.participants import ID_COLUMNS
from dugraph.io.regions import check_regions
from dugraph.io.source import OTHER_FILES, Source
from dugraph.words import MATRIX_VALUES

_ENDINGS = (".csv", ".tsv", ".txt")
_HEAD = 65_536


def finds(source: Source) -> str | None:
    """Return whether there is one table whose header names edges; without names only the user can know."""
    files = _files(source)
    head = file_head(files[0], _HEAD) if len(files) == 1 else None
    if head is None:
        return None
    n_edges = head.split(b"\n", 1)[0].decode("utf-8", "replace").count(SEPARATOR)
    return f"one table with {n_edges} columns named A{SEPARATOR}B" if n_edges > 1 else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one row per subject: edges by the names of the columns, or by the triangle that is stated."""
    files = _files(source)
    if len(files) != 1:
        raise InputError(
            f"{source.path}: a table with a row per subject must be one {', '.join(_ENDINGS)} file, but "
            f"there are {len(files)} among {source.seen()}. Name the file."
        )
    if options.select:
        raise InputError(
            "select must be left out for a table with a row per subject: all of it is read.",
            parameter="select",
        )
    if options.values is None:
        raise InputError(
            f"{files[0]}: it must be known what the numbers are, and there is no diagonal to tell.",
            parameter="values",
            way_out=("State it with ", Setting("values"), f": {', '.join(MATRIX_VALUES)}."),
        )
    text = DelimitedText.read(files[0], options.budget)
    options.budget.check(len(text.lines) * len(text.first) * 100, files[0])
    if any(SEPARATOR in cell for cell in text.first):
        return _by_names(text, options, options.values)
    return _by_triangle(text, options, options.values)


def _files(source: Source) -> list[Path]:
    found = [file for file in source.top if file.suffix.lower() in _ENDINGS]
    return [file for file in found if not (source.is_folder and OTHER_FILES.match(file.name))]


def _by_names(text: DelimitedText, options: ReadOptions, kind: str) -> Connectomes:
    file = text.file
    if options.triangle is not None:
        raise InputError(
            f"triangle must be left out where the columns name their edges, as those of {file} do.",
            parameter="triangle",
        )
    names = column_names(text.first, file)
    at = [i for i, name in enumerate(names) if SEPARATOR in name]
    others = [i for i in range(len(names)) if i not in set(at)]
    id_column = _id_column(names, others, file)
    table, values = _read(text, True, at)
    found = named_edges([names[i] for i in at])
    check_regions(found.node_labels, file, len(found.node_labels))
    notes: dict[str, Any] = {}
    if ignored := [shown(names[i]) for i in others if i != id_column]:
        notes["ignored_columns"] = ignored
    labels: tuple[str, ...] | None = found.node_labels
    coordinates = None
    if options.atlas is not None:
        labels, coordinates = options.atlas.applied(labels, len(found.node_labels), file)
        notes["atlas"] = options.atlas.file.name
    return Connectomes(
        kind=kind,
        graph_ids=_ids(table[id_column]),
        files=(file,) * len(table),
        values=values,
        edges=found.edges,
        node_labels=labels,
        node_coordinates=coordinates,
        edge_layers=found.edge_layers,
        notes=notes,
    )


def _id_column(names: list[str], others: list[int], file: Path) -> int:
    usual = [i for i in others if names[i].lower() in ID_COLUMNS] or others[:1]
    if len(usual) != 1:
        found = f"{listed((names[i] for i in usual), 8)} could" if usual else "all columns name edges"
        raise InputError(f"{file}: one column must hold the id of each subject, but {found}. Name it id.")
    return usual[0]


def _by_triangle(text: DelimitedText, options: ReadOptions, kind: str) -> Connectomes:
    file, n_columns = text.file, len(text.first)
    triangle = options.triangle
    if triangle is None:
        raise InputError(
            f"{file}: columns without names of edges, A{SEPARATOR}B, must be one triangle of the matrix, "
            "and it must be known which.",
            parameter="triangle",
            way_out=(
                *("Say ", Setting("triangle", "lower"), " (21, 31, 32, 41, ...) or "),
                *(Setting("triangle", "upper"), " (12, 13, 14, ..., 23, ...)."),
            ),
        )
    # Ids beside numbers of edges: no two neighbouring numbers are both those of a triangle, but 0 and 1.
    n_edges = next((n for n in (n_columns, n_columns - 1) if _n_regions(n)), 0)
    if not n_edges:
        raise InputError(
            f"{file}: a row must hold V(V-1)/2 numbers, one per pair of V regions, and optionally an id "
            f"before them, but it has {counted(n_columns, 'cell')}. Check whether a column is missing."
        )
    skipped = n_columns - n_edges
    # A row of which some cells are numbers is data, or damaged.
    header = not any(is_number(cell) for cell in text.first[skipped:])
    table, values = _read(text, header, list(range(skipped, n_columns)))
    if skipped:
        ids, notes = _ids(table[0]), {}
    else:
        ids, order = ids_in_order(len(table), options.subjects, file)
        notes = {"subjects": order}
    n_regions = _n_regions(n_edges)
    if triangle == "upper":
        rows, columns = np.triu_indices(n_regions, 1)
        ordered = np.empty_like(values)
        ordered[:, columns * (columns - 1) // 2 + rows] = values
        values = ordered
    labels, coordinates = None, None
    notes |= {"triangle": triangle}
    if options.atlas is not None:
        labels, coordinates = options.atlas.applied(None, n_regions, file)
        notes["atlas"] = options.atlas.file.name
    if labels is None:
        notes["regions"] = NUMBERED
    return Connectomes(
        kind=kind,
        graph_ids=ids,
        files=(file,) * len(ids),
        values=values,
        node_labels=labels,
        node_coordinates=coordinates,
        notes=notes,
    )


def _n_regions(n_edges: int) -> int:
    """The number of regions that have so many pairs; 0 if there is none."""
    n = round((1 + (1 + 8 * n_edges) ** 0.5) / 2)
    return n if n > 1 and n * (n - 1) // 2 == n_edges else 0


def _ids(column: Any) -> tuple[str, ...]:
    return tuple("" if cell != cell else str(cell).strip() for cell in column)


def _read(text: DelimitedText, header: bool, at: list[int]) -> tuple[Any, Floats]:
    """Return the table, and the numbers of some of its columns."""
    if len(text.lines) == int(header):
        raise InputError(f"{text.file}: a table must have rows, but it has a header only.")
    types = dict.fromkeys(range(len(text.first)), str) | dict.fromkeys(at, np.float64)
    try:
        table = text.frame(header, types)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        for cells, line in text.rows(int(header)):
            for i in at:
                if not is_number(cells[i]):
                    raise InputError(
                        f"{text.file}, line {line}: column {i + 1} {must_be_number(cells[i])}"
                    ) from error
        raise InputError(f"{text.file}: the table must hold numbers: {shown(error)}.") from error
    return table, np.ascontiguousarray(table.iloc[:, at].to_numpy(dtype=np.float64))


FORMAT = Format(
    "subject-rows",
    "one table with a row per subject and a column per edge",
    finds,
    read,
    takes=("triangle",),
)
