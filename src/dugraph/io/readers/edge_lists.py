"""One edge list per subject: `.edgelist` of networkx, `.ssv` of ndmg, or a .csv with source and target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.delimited import MISSING, column_names, must_be_number, names_in_head
from dugraph.io.format import Format
from dugraph.io.guards import check_length, file_head, read_text
from dugraph.io.options import ReadOptions
from dugraph.io.readers.edge_columns import REQUIRED, is_plain_number, value_name
from dugraph.io.readers.edge_rows import CERTAIN, EdgeRows, united
from dugraph.io.readers.per_subject import files_with, subject_files
from dugraph.io.source import Source
from dugraph.words import MATRIX_VALUES

_OWN = (".edgelist", ".ssv")
_TABLES = (".csv", ".tsv", ".txt")
_HEAD = 4096
# networkx writes the attributes of an edge as Python does.
_NETWORKX = re.compile(r"(\S+)\s+(\S+)\s+\{(?:'(\w+)':\s*([^\s,{}]+))?\}")
_ENDS = REQUIRED[1:]
_MOST_COLUMNS = 100


@dataclass
class _Rows:
    """The edges of all subjects, and where each is listed."""

    graph: list[int] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    places: list[tuple[Path, int]] = field(default_factory=list)
    regions: dict[str, int] = field(default_factory=dict)


def finds(source: Source) -> str | None:
    """Return whether there are edge lists, by their endings, or by the header of the first table."""
    files = files_with(source, _OWN)
    if files:
        return f"{counted(len(files), 'file')} {' or '.join(_OWN)}"
    files = files_with(source, _TABLES)
    head = file_head(files[0], _HEAD) if files else None
    if head is None:
        return None
    names = names_in_head(head)
    fits = set(_ENDS) <= names and REQUIRED[0] not in names
    return f"{counted(len(files), 'table')} with the columns {', '.join(_ENDS)}" if fits else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one edge list per file; the subject is the name of the file, or its folder."""
    own = bool(files_with(source, _OWN))
    found = subject_files(source, _OWN if own else _TABLES, "edge lists", options)
    if options.select:
        raise InputError(
            "select must be left out for edge lists: every file is one subject.", parameter="select"
        )
    options.budget.check_files(found.files)
    rows, named = _Rows(), set()
    for i, file in enumerate(found.files):
        named.add(_read(file, i, rows, options))
    if len(named) > 1:
        raise InputError(
            "Either the edges of all files must have values or none. Write them all with one program."
        )
    certain = named == {""}
    if certain and options.values is not None:
        raise InputError(
            f"{found.files[0]}: edges must have values if their kind is stated, but they have none.",
            parameter="values",
            way_out=("Leave out ", Setting("values"), "."),
        )
    kind = options.values or "probability"
    notes = {"edge_values": CERTAIN} if certain else {}
    ends = np.array(rows.ends, dtype=np.int64).reshape(-1, 2)
    edges = EdgeRows(
        np.array(rows.graph, dtype=np.int64),
        ends[:, 0],
        ends[:, 1],
        np.zeros(len(ends), dtype=np.int64),
        np.array(rows.values),
        tuple(rows.regions),
        None,
        lambda row: f"{rows.places[row][0]}, line {rows.places[row][1]}",
    )
    edges.check_values(kind)
    listed = set(zip(rows.graph, *ends.T.tolist(), strict=True))
    both_ways = len(listed) == len(ends) and all((g, v, u) in listed for g, u, v in listed)
    once = edges.without_reversed(both_ways)
    connectomes = united(once, found.ids, found.files, kind, options, notes=notes)
    return replace(connectomes, y=found.y, y_file=source.path)


def _read(file: Path, graph: int, rows: _Rows, options: ReadOptions) -> str:
    """Add the edges of a file; give the name of their values, empty if they have none."""
    named: set[str] = set()
    for line, cells in _lines(file, options):
        source, target, name, value = cells
        named.add(name)
        if len(named) > 1:
            raise InputError(f"{file}, line {line}: either all edges of a file have a value or none.")
        if not is_plain_number(value):
            raise InputError(f"{file}, line {line}: the value of an edge {must_be_number(value)}")
        at = []
        for region in (source, target):
            if not region:
                raise InputError(f"{file}, line {line}: an edge must have a source and a target. Fill it in.")
            at.append(rows.regions.setdefault(check_length(region, file, "region name"), len(rows.regions)))
        rows.graph.append(graph)
        rows.ends.append((at[0], at[1]))
        rows.values.append(np.nan if value in MISSING else float(value))
        rows.places.append((file, line))
    if not named:
        raise InputError(f"{file}: an edge list must have rows, but there are none. Write it again.")
    return named.pop()


def _lines(file: Path, options: ReadOptions) -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    """Return each line as source, target, name of the value and value; 1 where there is none."""
    text = read_text(file, options.budget).decode()
    options.budget.check(100 * text.count("\n"), file)
    columns: tuple[int, int, int] | None = None
    name = "value"
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = _NETWORKX.fullmatch(line)
        if match is not None:
            yield number, (match[1], match[2], _stated(match[3] or "", file, options), match[4] or "1")
            continue
        delimiter = next((d for d in "\t,;" if d in line), None)
        cells = [cell.strip().strip('"') for cell in line.split(delimiter, _MOST_COLUMNS)]
        if columns is None and {*map(str.lower, cells)} >= set(_ENDS):
            names = [cell.lower() for cell in column_names(cells, file)]
            name = value_name(names, options.values, file) if len(names) > len(_ENDS) else ""
            columns = names.index(_ENDS[0]), names.index(_ENDS[1]), names.index(name) if name else -1
            n_columns = len(names)
            continue
        if columns is None:
            columns, n_columns = (0, 1, 2 if len(cells) > len(_ENDS) else -1), len(cells)
            name = _stated("value", file, options) if len(cells) > len(_ENDS) else ""
            if len(cells) not in (2, 3):
                raise InputError(
                    f"{file}, line {number}: a line must hold a source, a target and optionally a value, "
                    f"but holds {counted(len(cells), 'cell')}: {shown(line)}. Name the columns, or drop "
                    "some."
                )
        if len(cells) != n_columns:
            raise InputError(
                f"{file}, line {number}: every line must have as many cells as the first, {n_columns}, but "
                f"it has {len(cells)}. The file is cut short or damaged; write it again."
            )
        value = cells[columns[2]] if columns[2] >= 0 else "1"
        yield number, (cells[columns[0]], cells[columns[1]], name, value)


def _stated(name: str, file: Path, options: ReadOptions) -> str:
    """Refuse values of which neither their name nor the user says what they are."""
    if name and name != "probability" and options.values is None:
        raise InputError(
            f"{file}: it must be known what the edge values are, but the file has only numbers.",
            parameter="values",
            way_out=("State it with ", Setting("values"), f": {', '.join(MATRIX_VALUES)}."),
        )
    return name


FORMAT = Format(
    "edge-lists",
    "one edge list per subject: .edgelist, .ssv, or .csv with the columns source and target",
    finds,
    read,
)
