"""Long edge lists: one .csv, .tsv or .parquet file with a row per edge of a graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Floats
from dugraph.io.delimited import MISSING, DelimitedText, column_names, must_be_number, names_in_head
from dugraph.io.format import Format
from dugraph.io.guards import MAX_NAME, file_head, library
from dugraph.io.options import ReadOptions
from dugraph.io.readers.edge_columns import REQUIRED, EdgeTable, Names, Roles, is_plain_number, joined_names
from dugraph.io.readers.edge_rows import EdgeRows, united
from dugraph.io.readers.parquet_edges import PARQUET, read_parquet_edges
from dugraph.io.source import OTHER_FILES, Source

_TEXT = (".csv", ".tsv", ".txt")
_HEAD = 4096


def finds(source: Source) -> str | None:
    """Return whether there is one table with graphs, sources and targets as columns, or one Parquet file."""
    files = _files(source)
    head = file_head(files[0], _HEAD) if len(files) == 1 else None
    if head is None:
        return None
    if files[0].suffix.lower() in PARQUET:
        return "one Parquet file" if head.startswith(b"PAR1") else None
    fits = set(REQUIRED) <= names_in_head(head)
    return f"one table with the columns {', '.join(REQUIRED)}" if fits else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read the edges of all graphs; graphs and regions in the order in which the rows name them."""
    files = _files(source)
    if len(files) != 1:
        raise InputError(
            f"{source.path}: an edge list must be one {', '.join((*_TEXT, *PARQUET))} file, but there are "
            f"{len(files)} among {source.seen()}. Name the file."
        )
    if options.select:
        raise InputError(
            "select must be left out for an edge list: all of its rows are read.", parameter="select"
        )
    file = files[0]
    if file.suffix.lower() in PARQUET:
        table, roles = read_parquet_edges(file, options)
    else:
        table, roles = _read_text(file, options)
    kind = options.values or "probability"
    for role, column in table.text.items():
        if role != "y":
            _check_names(role, column, table)
    (graph,) = joined_names(table.text["graph_id"])
    one, other = joined_names(table.text["source"], table.text["target"])
    layer = joined_names(table.text["layer"])[0] if "layer" in table.text else None
    layers = (np.zeros_like(graph.codes), None) if layer is None else (layer.codes, layer.names)
    rows = EdgeRows(
        graph.codes, one.codes, other.codes, layers[0], table.value, one.names, layers[1], table.place
    )
    rows.check_values(kind)
    y = _classes(table, graph) if "y" in table.text else None
    notes = {"ignored_columns": [shown(name) for name in roles.ignored]} if roles.ignored else {}
    return united(rows.undirected(), graph.names, (file,) * len(graph.names), kind, options, y=y, notes=notes)


def _files(source: Source) -> list[Path]:
    found = [file for file in source.top if file.suffix.lower() in (*_TEXT, *PARQUET)]
    return [file for file in found if not (source.is_folder and OTHER_FILES.match(file.name))]


def _read_text(file: Path, options: ReadOptions) -> tuple[EdgeTable, Roles]:
    text = DelimitedText.read(file, options.budget)
    header = column_names(text.first, file)
    roles = Roles.of(header, options.values, file)
    if len(text.lines) == 1:
        raise InputError(f"{file}: an edge list must have rows, but it has a header only.")
    # Positions, values and the sorting of them.
    options.budget.check(len(text.lines) * (len(header) * 8 + 100), file)
    frame = text.frame(True, str)
    frame.columns = header

    def column(name: str) -> Names:
        codes, names = library("pandas").factorize(frame[name])
        return Names(codes.astype(np.int64), tuple(map(str.strip, names)))

    def place(row: int) -> str:
        return f"{file}, line {int(text.lines[row + 1])}"

    cells = {role: column(name) for role, name in roles.text.items()}
    return EdgeTable(cells, _numbers(column(roles.value), roles.value, place), place), roles


def _numbers(column: Names, name: str, place: Callable[[int], str]) -> Floats:
    wrong = np.array([not is_plain_number(cell) for cell in column.names])
    rows = np.flatnonzero(wrong[column.codes])
    if len(rows):
        cell = column.names[int(column.codes[rows[0]])]
        raise InputError(f"{place(int(rows[0]))}: {name} {must_be_number(cell)}")
    values = [np.nan if cell in MISSING else float(cell) for cell in column.names]
    return np.asarray(np.array(values)[column.codes])


def _check_names(role: str, column: Names, table: EdgeTable) -> None:
    wrong = [k for k, name in enumerate(column.names) if not name or len(name) > MAX_NAME or "\0" in name]
    rows = np.flatnonzero(np.isin(column.codes, wrong))
    if len(rows):
        name = column.names[int(column.codes[rows[0]])]
        raise InputError(
            f"{table.place(int(rows[0]))}: {role} must have 1 to {MAX_NAME} characters and no NUL, but has "
            f"{len(name)}: {shown(name)}. Fill it in, or copy the file again if it is damaged."
        )


def _classes(table: EdgeTable, graph: Names) -> tuple[str, ...]:
    column = joined_names(table.text["y"])[0]
    first = np.unique(graph.codes, return_index=True)[1]
    of_graph = column.codes[first]
    differs = np.flatnonzero(of_graph[graph.codes] != column.codes)
    if len(differs):
        row = int(differs[0])
        g = int(graph.codes[row])
        raise InputError(
            f"{table.place(row)}: all rows of a graph must have one class, but {shown(graph.names[g])} is "
            f"{shown(column.names[int(column.codes[row])])!r} here and "
            f"{shown(column.names[int(of_graph[g])])!r} in {table.place(int(first[g]))}."
        )
    return tuple("" if column.names[k] in MISSING else column.names[k] for k in of_graph.tolist())


FORMAT = Format(
    "edge-list",
    "one table with a row per edge of a graph",
    finds,
    read,
)
