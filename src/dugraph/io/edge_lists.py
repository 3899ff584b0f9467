"""Edge lists: one table of all graphs (.csv, .tsv, .txt, .parquet), or one list per subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, Floats
from dugraph.io.delimited import (
    MISSING,
    TextTable,
    column_names,
    ends_in_attributes,
    is_number,
    json_numbers,
    must_be_number,
    to_number,
)
from dugraph.io.edge_rows import CERTAIN, EdgeRows, Ints, merge_edges, places_of, value_name
from dugraph.io.guards import MAX_NAME, check_length, library, read_bytes
from dugraph.io.input_files import (
    InputFiles,
    NamedFile,
    ReadOptions,
    Subjects,
    by_file_name,
    only_file,
    unknown_values,
)

_ENDS = ("source", "target")
_REQUIRED = ("graph_id", *_ENDS)
_CLASSES = ("y", "label")
_PARQUET = (".parquet", ".pq")
# A row of Parquet names an edge that no other row names, so it takes some bits.
_ROWS_PER_BYTE, _MANY_ROWS = 16, 500_000
_BYTES_PER_BYTE, _MANY_BYTES = 200, 64 * 2**20

Place = Callable[[int], str]
"""Describes the place of a row, for messages."""


class _Names(NamedTuple):
    """A column of text: the position of each cell in a list of names."""

    codes: Ints
    names: tuple[str, ...]


class _Roles(NamedTuple):
    """Columns by role (graph_id, source, target, perhaps layer and y), of the values, and others."""

    text: dict[str, str]
    value: str
    ignored: list[str]


def _roles(columns: Iterable[str], values: str | None, file: Path) -> _Roles:
    """Find the columns by their names, in any order and case."""
    lower: dict[str, str] = {}
    for name in columns:
        if name.lower() in lower:
            raise InputError(
                f"{file}: column names must differ in more than capitals, but "
                f"{abbreviate(lower[name.lower()])!r} and {abbreviate(name)!r} do not. Rename one."
            )
        lower[name.lower()] = name
    value = value_name(lower, values, file)
    lacking = [name for name in _REQUIRED if name not in lower]
    if lacking:
        raise InputError(
            f"{file}: an edge list must have the columns {', '.join(_REQUIRED)} and {value}, but "
            f"{listed(lacking)} is not among {listed(lower.values(), 12)}. Rename the columns."
        )
    classes = [name for name in _CLASSES if name in lower]
    if len(classes) > 1:
        raise InputError(
            f"{file}: one column must hold the class of each graph, but y and label could. Drop one."
        )
    text = {name: lower[name] for name in (*_REQUIRED, "layer") if name in lower}
    if classes:
        text["y"] = lower[classes[0]]
    used = {*text.values(), lower[value]}
    return _Roles(text, lower[value], [name for name in lower.values() if name not in used])


# One table of all graphs.


def read_edge_list(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read the edges of all graphs; graphs and regions in the order in which the rows name them."""
    file = only_file(found, files)
    read = _read_parquet if file.suffix.lower() in _PARQUET else _read_text
    text, value, ignored, place = read(file, options)
    for role, column in text.items():
        if role != "y":
            _check_names(role, column, place)
    (graph,), ids = _in_order(text["graph_id"])
    (source, target), regions = _in_order(text["source"], text["target"])
    rows = EdgeRows(source, target, value, regions, place, graph)
    if "layer" in text:
        (layer,), layers = _in_order(text["layer"])
        rows = EdgeRows(source, target, value, regions, place, graph, layer, layers)
    kind = options.values or "probability"
    rows.check_values(kind)
    y = _classes(text["y"], graph, ids, place) if "y" in text else None
    notes = {"ignored_columns": [abbreviate(name) for name in ignored]} if ignored else {}
    subjects = Subjects(ids, (file,) * len(ids), y)
    edges_of = rows.undirected().by_graph(len(ids))
    return merge_edges(subjects, edges_of, regions, rows.layers, kind, options, notes=notes)


def _in_order(*columns: _Names) -> tuple[list[Ints], tuple[str, ...]]:
    """Return columns of the same things as positions in one list of names, in the order of the rows."""
    known: dict[str, int] = {}
    codes = np.stack([places_of(names, known)[column] for column, names in columns], axis=1)
    places, used = pandas.factorize(codes.ravel())
    names = tuple(known)
    return list(places.reshape(codes.shape).T), tuple(names[k] for k in used)


def _check_names(role: str, column: _Names, place: Place) -> None:
    wrong = [k for k, name in enumerate(column.names) if not name or len(name) > MAX_NAME or "\0" in name]
    rows = np.flatnonzero(np.isin(column.codes, wrong))
    if len(rows):
        name = column.names[column.codes[rows[0]]]
        raise InputError(
            f"{place(int(rows[0]))}: {role} must have 1 to {MAX_NAME} characters and no NUL, but has "
            f"{len(name)}: {abbreviate(name)}. Fill it in, or copy the file again if it is damaged."
        )


def _classes(column: _Names, graph: Ints, ids: tuple[str, ...], place: Place) -> tuple[str, ...]:
    (y,), names = _in_order(column)
    first = np.unique(graph, return_index=True)[1]
    differs = y[first][graph] != y
    if differs.any():
        row = int(np.argmax(differs))
        at = int(first[graph[row]])
        raise InputError(
            f"{place(row)}: all rows of a graph must have one class, but {abbreviate(ids[graph[row]])} is "
            f"{abbreviate(names[y[row]])!r} here and {abbreviate(names[y[at]])!r} in {place(at)}."
        )
    return tuple("" if names[k] in MISSING else names[k] for k in y[first])


_Table = tuple[dict[str, _Names], Floats, list[str], Place]
"""The text of each role, the values, names of columns that are ignored, and the place of a row."""


def _read_text(file: Path, options: ReadOptions) -> _Table:
    table = TextTable.read(file, options.budget)
    header = column_names(table.first, file)
    roles = _roles(header, options.values, file)
    if len(table.lines) == 1:
        raise InputError(f"{file}: an edge list must have rows, but it has a header only.")
    # Positions, values and the sorting of them.
    options.budget.check(len(table.lines) * (len(header) * 8 + 100), file)
    wanted = [header.index(name) for name in (*roles.text.values(), roles.value)]
    known: list[dict[str, int]] = [{} for _ in roles.text]
    codes: list[list[Ints]] = [[] for _ in roles.text]
    values: list[Floats] = []

    def place(row: int) -> str:
        return f"{file}, line {table.lines[row + 1]}"

    begin = 0
    for block in table.column_blocks(header=True):
        *texts, cells = (block[k] for k in wanted)
        for text, column, names in zip(texts, codes, known, strict=True):
            column.append(places_of(map(str.strip, text), names))
        values.append(_numbers(cells, roles.value, place, begin))
        begin += len(cells)
    columns = [
        _Names(np.concatenate(column), tuple(names)) for column, names in zip(codes, known, strict=True)
    ]
    return dict(zip(roles.text, columns, strict=True)), np.concatenate(values), roles.ignored, place


def _numbers(cells: list[Any], name: str, place: Place, begin: int = 0) -> Floats:
    """Return the numbers in the cells of a column, of which the first is in row `begin`."""
    if not isinstance(cells[0], str):
        return np.array(cells, dtype=np.float64)
    numbers = json_numbers(",".join(cells), len(cells))
    if numbers is not None:
        return np.array(numbers)
    found = [to_number(cell) for cell in cells]
    if None in found:
        row = found.index(None)
        raise InputError(f"{place(begin + row)}: {name} {must_be_number(cells[row])}")
    return np.array(found, dtype=np.float64)


def _read_parquet(file: Path, options: ReadOptions) -> _Table:
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    types, content = pyarrow.types, read_bytes(file, options.budget)
    try:
        opened = parquet.ParquetFile(pyarrow.BufferReader(content))
        schema, footer = opened.schema_arrow, opened.metadata
        roles = _roles(schema.names, options.values, file)
        texts = []
        for name in roles.text.values():
            kind = schema.field(name).type
            plain = kind.value_type if types.is_dictionary(kind) else kind
            if types.is_string(plain) or types.is_large_string(plain):
                texts.append(name)
            elif not types.is_integer(kind):
                raise InputError(
                    f"{file}: column {name} must be text or whole numbers, but is {abbreviate(kind)}. "
                    "Convert it first."
                )
        kind = schema.field(roles.value).type
        if not (types.is_floating(kind) or types.is_integer(kind)):
            raise InputError(f"{file}: column {roles.value} must hold numbers, but is {abbreviate(kind)}.")
        if footer.num_rows <= 0:
            raise InputError(f"{file}: an edge list must have rows, but its footer says {footer.num_rows}.")
        # Unpacked pages, then positions and values and the sorting of them. The sizes of row groups, because
        # pyarrow's statistics of a column end the process if they are damaged.
        n_bytes = sum(abs(footer.row_group(i).total_byte_size) for i in range(footer.num_row_groups))
        options.budget.check(n_bytes + footer.num_rows * (len(roles.text) * 8 + 108), file)
        for n, most, what in (
            (footer.num_rows, _MANY_ROWS + _ROWS_PER_BYTE * len(content), "rows of different edges"),
            (n_bytes, _MANY_BYTES + _BYTES_PER_BYTE * len(content), "bytes when unpacked"),
        ):
            if n > most:
                raise InputError(
                    f"{file}: a file of {len(content)} bytes may hold {most} {what}, but claims {n}. "
                    "Write it again from its source."
                )
        # Names stay positions in a dictionary, so that a long name in a million rows is one long name.
        opened = parquet.ParquetFile(
            pyarrow.BufferReader(content), read_dictionary=texts, page_checksum_verification=True
        )
        table = opened.read(columns=[*roles.text.values(), roles.value], use_threads=False)
        if len(table) != footer.num_rows:
            raise ValueError(f"{footer.num_rows} rows are claimed, but {len(table)} are there")
        table.validate(full=True)
        columns = {}
        for role, name in roles.text.items():
            cells = table.column(name)
            if cells.null_count and role != "y":
                row = int(np.flatnonzero(cells.is_null().to_numpy())[0])
                raise InputError(f"{file}, row {row + 1}: {role} must be filled in, but is null.")
            if not types.is_dictionary(cells.type):
                cells = cells.dictionary_encode()
            cells = cells.unify_dictionaries().combine_chunks()
            names = ["" if name is None else str(name).strip() for name in cells.dictionary.to_pylist()]
            # A null has the last place.
            codes = cells.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)
            columns[role] = _Names(codes.astype(np.int64), (*names, ""))
        values = table.column(roles.value).cast(pyarrow.float64(), safe=False).to_numpy()
        return (
            columns,
            np.array(values, dtype=np.float64),
            roles.ignored,
            lambda row: f"{file}, row {row + 1}",
        )
    except InputError:
        raise
    # Damaged content may raise nearly anything, OSError included: the file itself was read above.
    except (
        *(pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError, MemoryError),
    ) as error:
        raise InputError(
            f"{file}: the file must be intact Parquet: {abbreviate(error)}. Write or copy it again."
        ) from error


# One edge list per subject: .edgelist of networkx, .ssv of ndmg, or tables with source and target.

_OWN_ENDINGS = (".edgelist", ".ssv")
_QUOTES = re.compile(r'(?<![^\t\n ])"|"(?![^\t\n ])')
# networkx writes the attributes of an edge as Python does.
_NETWORKX = re.compile(r"(\S+) (\S+) \{(?:'(\w+)': ?(\S+))?\}")


def edge_list_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take files with endings of their own; without these, tables."""
    own = [one for one in named if one.file.suffix.lower() in _OWN_ENDINGS]
    return by_file_name(found, own or named, options)


def read_edge_lists(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one edge list per file."""
    kind = options.values or "probability"
    files = subjects.files
    regions: dict[str, int] = {}
    edges_of: list[tuple[Ints, Floats]] = []
    value_names: set[str] = set()
    ends: list[list[Any]] = []
    for file in options.each(files, len(files)):
        listing = _read_list(file, options)
        value_names.add(listing.value_name)
        if len(value_names) > 1:
            raise InputError(
                "Either the edges of all files must have values or none. Write them all with one program."
            )
        # Most studies list the same edges for all subjects.
        if listing.ends != ends:
            ends = listing.ends
            source, target = _regions(listing, regions, file)
        rows = EdgeRows(source, target, listing.value, tuple(regions), listing.place)
        rows.check_values(kind)
        rows = rows.without_reversed()
        numbers = rows.numbers()
        if edges_of and np.array_equal(edges_of[-1][0], numbers):
            numbers = edges_of[-1][0]  # once in memory
        options.budget.check(2 * 8 * len(files) * len(numbers), file)
        edges_of.append((numbers, rows.value))
    are_certain = value_names == {""}
    if are_certain and options.values is not None:
        raise InputError(
            f"{subjects.files[0]}: edges must have values if their kind is stated, but they have none.",
            parameter="values",
            way_out=("Leave out ", Setting("values"), "."),
        )
    notes = {"edge_values": CERTAIN} if are_certain else {}
    return merge_edges(subjects, edges_of, tuple(regions), None, kind, options, notes=notes)


class _Listing(NamedTuple):
    """The edges of one file: the cells of sources and targets; `value_name` is empty without values."""

    ends: list[list[Any]]
    value: Floats
    value_name: str
    place: Place


def _regions(listing: _Listing, regions: dict[str, int], file: Path) -> list[Ints]:
    """Return the positions of the regions; new ones are added in the order of the rows."""
    ends = np.array([[str(cell).strip() for cell in cells] for cells in listing.ends], dtype=object)
    codes, names = pandas.factorize(ends.T.ravel())
    places = places_of((check_length(name, file, "region name") for name in names), regions)[codes]
    if "" in names:
        row = int(np.argmax(ends.T.ravel() == "")) // 2
        raise InputError(f"{listing.place(row)}: an edge must have a source and a target. Fill it in.")
    return list(places.reshape(-1, 2).T)


def _read_list(file: Path, options: ReadOptions) -> _Listing:
    """Read the list of one subject."""
    table = TextTable.read(file, options.budget, comments=True)
    if ends_in_attributes(table.rows[0]):
        return _read_networkx(table, options)
    if table.delimiter in "\t " and '"' in table.text:
        # R quotes text in tables of this kind too.
        table = replace(table, text=_QUOTES.sub("", table.text))
    options.budget.check(200 * len(table.lines), file)
    first = [cell.strip() for cell in table.first]
    n, lower = len(first), [cell.lower() for cell in first]
    at, name, header = list(range(n)), "value" * (n == 3), False
    is_named = set(_ENDS) <= set(lower)
    if is_named:
        names = [name.lower() for name in column_names(first, file)]
        name, header = value_name(names, options.values, file) if n > 2 else "", True
        at = [names.index(one) for one in (*_ENDS, name) if one]
    elif n not in (2, 3):
        raise InputError(
            f"{file}, line {table.lines[0]}: a line must hold a source, a target and optionally a value, but "
            f"holds {counted(n, 'cell')}: {abbreviate(table.rows[0])}.",
            way_out="Name the columns, or drop some; if these are matrices, leave out the format.",
        )
    elif n == 3:
        _check_stated(file, options)
        header = not any(map(is_number, first)) and len(table.lines) > 1 and is_number(table.cells(1)[2])
    if len(table.lines) == header:
        raise InputError(f"{file}: an edge list must have rows, but there are none. Write it again.")

    def place(row: int) -> str:
        return f"{file}, line {table.lines[row + header]}"

    cells = table.flat_cells(header)
    source, target = (cells[k::n] for k in at[:2])
    if header and not is_named and not {*first[:2]}.isdisjoint(map(str, source + target)):
        # The first row is an edge with a damaged value, not a header.
        raise InputError(f"{place(-1)}: the value of an edge {must_be_number(first[2])}")
    value = _numbers(cells[at[2] :: n], "the value of an edge", place) if name else np.ones(len(source))
    return _Listing([source, target], value, name, place)


def _read_networkx(table: TextTable, options: ReadOptions) -> _Listing:
    """Read ``source target {'weight': 0.5}``."""

    def place(row: int) -> str:
        return f"{table.file}, line {table.lines[row]}"

    found: list[re.Match[str]] = []
    for i, row in enumerate(table.rows):
        match = _NETWORKX.fullmatch(row)
        if match is None or match[3] != (found[0][3] if found else match[3]):
            raise InputError(
                f"{place(i)}: every line must have a source, a target and {{...}} with at most one value of "
                f"the same name, but is {abbreviate(row)!r}. Write the file again."
            )
        found.append(match)
    ends = [[match[k] for match in found] for k in (1, 2)]
    name = found[0][3] or ""
    if not name:
        return _Listing(ends, np.ones(len(found)), "", place)
    if name != "probability":
        _check_stated(table.file, options)
    return _Listing(ends, _numbers([match[4] for match in found], "the value of an edge", place), name, place)


def _check_stated(file: Path, options: ReadOptions) -> None:
    """Refuse values of which neither their name nor the user says what they are."""
    if options.values is None:
        raise unknown_values(file, "but the file has only numbers")
