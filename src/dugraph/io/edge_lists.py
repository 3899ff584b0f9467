"""Edge lists: one table of all graphs (.csv, .tsv, .txt, .parquet), or one list per subject."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.delimited import (
    MISSING,
    NOT_PLAIN,
    DelimitedText,
    column_names,
    is_number,
    must_be_number,
    split_line,
    to_number,
    unix_lines,
)
from dugraph.io.edge_rows import CERTAIN, EdgeRows, Ints, Names, common_names, merge_edges, value_name
from dugraph.io.guards import MAX_NAME, check_length, library, read_bytes, read_text
from dugraph.io.input_files import (
    InputFiles,
    NamedFile,
    ReadOptions,
    Subjects,
    by_file_name,
    only_file,
    unknown_values,
)
from dugraph.io.matrices import Floats

REQUIRED = ("graph_id", "source", "target")
CLASSES = ("y", "label")
PARQUET = (".parquet", ".pq")


class _EdgeTable(NamedTuple):
    """A table of all graphs: the text of each role, the values, and the place of a row, for messages."""

    text: dict[str, Names]
    value: Floats
    place: Callable[[int], str]


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
    lacking = [name for name in REQUIRED if name not in lower]
    if lacking:
        raise InputError(
            f"{file}: an edge list must have the columns {', '.join(REQUIRED)} and {value}, but "
            f"{listed(lacking)} is not among {listed(lower.values(), 12)}. Rename the columns."
        )
    classes = [name for name in CLASSES if name in lower]
    if len(classes) > 1:
        raise InputError(
            f"{file}: one column must hold the class of each graph, but y and label could. Drop one."
        )
    text = {name: lower[name] for name in (*REQUIRED, "layer") if name in lower}
    if classes:
        text["y"] = lower[classes[0]]
    used = {*text.values(), lower[value]}
    return _Roles(text, lower[value], [name for name in lower.values() if name not in used])


# One table of all graphs.


def read_edge_list(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read the edges of all graphs; graphs and regions in the order in which the rows name them."""
    file = only_file(found, files)
    if file.suffix.lower() in PARQUET:
        table, roles = _read_parquet(file, options)
    else:
        table, roles = _read_text(file, options)
    kind = options.values or "probability"
    for role, column in table.text.items():
        if role != "y":
            _check_names(role, column, table)
    (graph,) = common_names(table.text["graph_id"])
    one, other = common_names(table.text["source"], table.text["target"])
    layer = common_names(table.text["layer"])[0] if "layer" in table.text else None
    layers = (np.zeros_like(graph.codes), None) if layer is None else (layer.codes, layer.names)
    rows = EdgeRows(
        graph.codes, one.codes, other.codes, layers[0], table.value, one.names, layers[1], table.place
    )
    rows.check_values(kind)
    y = _classes(table, graph) if "y" in table.text else None
    notes = {"ignored_columns": [abbreviate(name) for name in roles.ignored]} if roles.ignored else {}
    edges_of = rows.undirected().by_graph(len(graph.names))
    subjects = Subjects(graph.names, (file,) * len(graph.names), y)
    return merge_edges(subjects, edges_of, one.names, layers[1], kind, options, notes=notes)


def _read_text(file: Path, options: ReadOptions) -> tuple[_EdgeTable, _Roles]:
    text = DelimitedText.read(file, options.budget)
    header = column_names(text.first, file)
    roles = _roles(header, options.values, file)
    if len(text.lines) == 1:
        raise InputError(f"{file}: an edge list must have rows, but it has a header only.")
    # Positions, values and the sorting of them.
    options.budget.check(len(text.lines) * (len(header) * 8 + 100), file)
    # Distinct cells are few: each is in memory once, with its number.
    wanted = [header.index(name) for name in (*roles.text.values(), roles.value)]
    known: list[dict[str, int]] = [defaultdict(count().__next__) for _ in wanted]
    codes: list[list[int]] = [[] for _ in wanted]
    for block in text.column_blocks():
        for column, names, k in zip(codes, known, wanted, strict=True):
            column += map(names.__getitem__, block[k])

    def place(row: int) -> str:
        return f"{file}, line {int(text.lines[row + 1])}"

    *columns, values = (
        Names(np.array(column, dtype=np.int64), tuple(map(str.strip, names)))
        for column, names in zip(codes, known, strict=True)
    )
    columns_by_role = dict(zip(roles.text, columns, strict=True))
    return _EdgeTable(columns_by_role, _numbers(values, roles.value, place), place), roles


def _numbers(column: Names, name: str, place: Callable[[int], str]) -> Floats:
    values = [to_number(cell) for cell in column.names]
    wrong = np.array([value is None for value in values])
    rows = np.flatnonzero(wrong[column.codes])
    if len(rows):
        cell = column.names[int(column.codes[rows[0]])]
        raise InputError(f"{place(int(rows[0]))}: {name} {must_be_number(cell)}")
    return np.asarray(np.array(values)[column.codes])


def _check_names(role: str, column: Names, table: _EdgeTable) -> None:
    wrong = [k for k, name in enumerate(column.names) if not name or len(name) > MAX_NAME or "\0" in name]
    rows = np.flatnonzero(np.isin(column.codes, wrong))
    if len(rows):
        name = column.names[int(column.codes[rows[0]])]
        raise InputError(
            f"{table.place(int(rows[0]))}: {role} must have 1 to {MAX_NAME} characters and no NUL, but has "
            f"{len(name)}: {abbreviate(name)}. Fill it in, or copy the file again if it is damaged."
        )


def _classes(table: _EdgeTable, graph: Names) -> tuple[str, ...]:
    column = common_names(table.text["y"])[0]
    first = np.unique(graph.codes, return_index=True)[1]
    of_graph = column.codes[first]
    differs = np.flatnonzero(of_graph[graph.codes] != column.codes)
    if len(differs):
        row = int(differs[0])
        g = int(graph.codes[row])
        raise InputError(
            f"{table.place(row)}: all rows of a graph must have one class, but {abbreviate(graph.names[g])} "
            f"is {abbreviate(column.names[int(column.codes[row])])!r} here and "
            f"{abbreviate(column.names[int(of_graph[g])])!r} in {table.place(int(first[g]))}."
        )
    return tuple("" if column.names[k] in MISSING else column.names[k] for k in of_graph.tolist())


# A row names an edge that no other row names, so it takes some bits; beyond this the file is a bomb.
_ROWS_PER_BYTE, _MANY_ROWS = 16, 500_000
_BYTES_PER_BYTE, _MANY_BYTES = 200, 64 * 2**20


def _read_parquet(file: Path, options: ReadOptions) -> tuple[_EdgeTable, _Roles]:
    """Read a Parquet file, after its footer is checked."""
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    content = read_bytes(file, options.budget)
    try:
        opened = parquet.ParquetFile(pyarrow.BufferReader(content))
        schema = opened.schema_arrow
        roles = _roles(schema.names, options.values, file)
        _check_types(pyarrow, schema, roles, file)
        _check_sizes(opened.metadata, roles, options, file, len(content))
        texts = [
            name for name in roles.text.values() if not pyarrow.types.is_integer(schema.field(name).type)
        ]
        # Names stay positions in a dictionary, so that a long name in a million rows is one long name.
        opened = parquet.ParquetFile(
            pyarrow.BufferReader(content), read_dictionary=texts, page_checksum_verification=True
        )
        table = opened.read(columns=[*roles.text.values(), roles.value], use_threads=False)
        if len(table) != opened.metadata.num_rows:
            raise ValueError(f"{opened.metadata.num_rows} rows are claimed, but {len(table)} are there")
        names = {role: _names(table.column(name), role, file) for role, name in roles.text.items()}
        numbers = table.column(roles.value).cast(pyarrow.float64(), safe=False).to_numpy()
        values = np.array(numbers, dtype=np.float64)
        return _EdgeTable(names, values, lambda row: f"{file}, row {row + 1}"), roles
    except InputError:
        raise
    # Damaged content may raise nearly anything, OSError included: the file itself was read above.
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise InputError(
            f"{file}: the file must be intact Parquet: {abbreviate(error)}. Write or copy it again."
        ) from error
    except MemoryError as error:
        raise InputError(
            f"{file}: the file must be intact Parquet, but claims more than it contains."
        ) from error


def _check_types(pyarrow: Any, schema: Any, roles: _Roles, file: Path) -> None:
    types = pyarrow.types
    for name in roles.text.values():
        kind = schema.field(name).type
        plain = kind.value_type if types.is_dictionary(kind) else kind
        if not (types.is_string(plain) or types.is_large_string(plain) or types.is_integer(kind)):
            raise InputError(
                f"{file}: column {name} must be text or whole numbers, but is {abbreviate(kind)}. Convert "
                "it first."
            )
    kind = schema.field(roles.value).type
    if not (types.is_floating(kind) or types.is_integer(kind)):
        raise InputError(f"{file}: column {roles.value} must hold numbers, but is {abbreviate(kind)}.")


def _check_sizes(metadata: Any, roles: _Roles, options: ReadOptions, file: Path, n_content: int) -> None:
    """Refuse a file by what its footer claims: rows, and bytes when unpacked."""
    n_rows = metadata.num_rows
    if n_rows <= 0:
        raise InputError(f"{file}: an edge list must have rows, but its footer says {n_rows}.")
    if n_rows > _ROWS_PER_BYTE * n_content + _MANY_ROWS:
        raise InputError(
            f"{file}: a file of {n_content} bytes cannot list {n_rows} different edges. Write it again from "
            "its source."
        )
    # Row groups, because pyarrow's statistics of a column end the process if they are damaged.
    n_bytes = sum(abs(metadata.row_group(i).total_byte_size) for i in range(metadata.num_row_groups))
    if n_bytes > _BYTES_PER_BYTE * n_content + _MANY_BYTES:
        raise InputError(
            f"{file}: a file of {n_content} bytes must not unpack to {n_bytes}. Write it again from its "
            "source."
        )
    # Unpacked pages, then positions and values and the sorting of them.
    n_columns = len(roles.text) + 1
    options.budget.check(n_bytes + n_rows * (n_columns * 8 + 100), file)


def _names(column: Any, role: str, file: Path) -> Names:
    column.validate(full=True)
    if column.null_count and role != "y":
        row = int(np.flatnonzero(column.is_null().to_numpy())[0])
        raise InputError(f"{file}, row {row + 1}: {role} must be filled in, but is null.")
    if not library("pyarrow").types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    column.validate(full=True)
    names = ["" if name is None else str(name).strip() for name in column.dictionary.to_pylist()]
    # A null has the last place.
    codes = column.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)
    return Names(codes.astype(np.int64), (*names, ""))


# One edge list per subject: .edgelist of networkx, .ssv of ndmg, or tables with source and target.

OWN_ENDINGS = (".edgelist", ".ssv")
# networkx writes the attributes of an edge as Python does.
_NETWORKX = re.compile(r"(\S+)\s+(\S+)\s+\{(?:'(\w+)':\s*([^\s,{}]+))?\}")
_ENDS = REQUIRED[1:]
_JSON_CELLS = msgspec.json.Decoder(list[int | float])


def edge_list_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take files with endings of their own; without these, tables."""
    own = [one for one in named if one.file.suffix.lower() in OWN_ENDINGS]
    return by_file_name(found, own or named, options)


def read_edge_lists(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one edge list per file."""
    kind = options.values or "probability"
    files = subjects.files
    regions: dict[str, int] = {}
    edges_of: list[tuple[Ints, Floats]] = []
    value_names: set[str] = set()
    ends: _Ends | None = None
    both_ways = False
    for file in options.each(files, len(files)):
        listing = _read_list(file, options, ends)
        value_names.add(listing.value_name)
        if len(value_names) > 1:
            raise InputError(
                "Either the edges of all files must have values or none. Write them all with one program."
            )
        # Most studies list the same edges for all subjects.
        is_new = listing.ends != ends
        if is_new:
            ends = listing.ends
            source, target = _regions(ends, regions, file)
        rows = EdgeRows.of_one_graph(source, target, listing.value, tuple(regions), listing.place)
        rows.check_values(kind)
        if is_new or both_ways:
            both_ways = rows.both_ways()
            rows = rows.without_reversed(both_ways)
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


_Ends = tuple[list[Any], list[Any]]
"""The cells of sources and targets: int, bytes or str."""
_Lines = Iterable[tuple[int, str]]


class _Listing(NamedTuple):
    """The edges of one file; `value_name` is empty if they have no values."""

    ends: _Ends
    value: Floats
    value_name: str
    place: Callable[[int], str]


class _Columns(NamedTuple):
    """How many cells a line has, and which of them are source, target and value."""

    n_cells: int
    places: tuple[int, ...]
    value_name: str
    n_header: int = 0


def _regions(ends: _Ends, regions: dict[str, int], file: Path) -> list[Ints]:
    """Return the positions of the regions; new ones are added to those that are known."""
    code = {}
    for cell in dict.fromkeys(chain.from_iterable(zip(*ends, strict=True))):
        region = cell.decode() if isinstance(cell, bytes) else str(cell)
        code[cell] = regions.setdefault(check_length(region, file, "region name"), len(regions))
    return [np.array([code[cell] for cell in cells], dtype=np.int64) for cells in ends]


def _read_list(file: Path, options: ReadOptions, known: _Ends | None) -> _Listing:
    """Read the list of one subject; `known` are the ends that another file has."""
    content = unix_lines(read_text(file, options.budget)).replace(b"\r", b"\n")
    options.budget.check(25 * len(content), file)
    first = list(islice(_filled_lines(content), 2))
    columns = _columns_of(first, file, options)
    if len(first) == columns.n_header:
        raise InputError(f"{file}: an edge list must have rows, but there are none. Write it again.")
    found = None
    is_plain = columns.places == tuple(range(columns.n_cells))
    if is_plain and not any(mark in content for mark in (*NOT_PLAIN, b"#", b"{")):
        body = content.strip(b"\n")
        body = body.partition(b"\n")[2] if columns.n_header else body
        delimiter = next((d for d in "\t,;" if d in first[0][1]), "")
        found = _fast_columns(body, delimiter.encode(), columns.n_cells, known)
    source, target, value = found or _columns_by_cell(content, columns, file)

    def place(row: int) -> str:
        return f"{file}, line {next(islice(_filled_lines(content), row + columns.n_header, None))[0]}"

    cells = split_line(first[0][1])
    if columns.n_header and not _names_ends(cells):
        names = {cell.encode() if isinstance(source[0], bytes) else cell for cell in cells[:2]}
        if not names.isdisjoint(source) or not names.isdisjoint(target):
            # The first row is an edge with a damaged value, not a header.
            raise InputError(f"{file}, line {first[0][0]}: the value of an edge {must_be_number(cells[2])}")
    return _Listing((source, target), value, columns.value_name, place)


def _filled_lines(content: bytes) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is neither blank nor a comment."""
    for number, line in enumerate(io.BytesIO(content), 1):
        text = line.decode().strip()
        if text and not text.startswith("#"):
            yield number, text


def _names_ends(cells: list[str]) -> bool:
    return set(_ENDS) <= {cell.lower() for cell in cells}


def _columns_of(first: list[tuple[int, str]], file: Path, options: ReadOptions) -> _Columns:
    """Find the columns by the first two lines."""
    if not first:
        return _Columns(0, (), "")
    number, line = first[0]
    if match := _NETWORKX.fullmatch(line):
        name = _stated(match[3] or "", file, options)
        return _Columns(0, (0, 1, 2), name)
    cells = split_line(line)
    if _names_ends(cells):
        names = [cell.lower() for cell in column_names(cells, file)]
        name = value_name(names, options.values, file) if len(names) > len(_ENDS) else ""
        wanted = (*_ENDS, name) if name else _ENDS
        return _Columns(len(names), tuple(map(names.index, wanted)), name, 1)
    n = len(cells)
    if n not in (2, 3):
        raise InputError(
            f"{file}, line {number}: a line must hold a source, a target and optionally a value, but holds "
            f"{counted(n, 'cell')}: {abbreviate(line)}.",
            way_out="Name the columns, or drop some; if these are matrices, leave out the format.",
        )
    name = _stated("value", file, options) if n == 3 else ""
    second = split_line(first[-1][1])
    has_header = n == len(second) == 3 and not any(map(is_number, cells)) and is_number(second[2])
    return _Columns(n, tuple(range(n)), name, int(has_header))


def _fast_columns(
    content: bytes, delimiter: bytes, n_columns: int, known: _Ends | None
) -> tuple[list[Any], list[Any], Floats] | None:
    """Read two columns of names, and one of numbers if there are three; None if a line has anything else.

    Names are bytes, or int if all are whole numbers without leading zeros; names equal to those that are
    `known` are not examined again. The delimiter is empty for white space.
    """
    mark = delimiter or (b"\t" if b"\t" in content else b" ")
    marks = content.translate(None, bytes({*range(256)} - {mark[0], ord("\n")})) + b"\n"
    is_plain = marks == (mark * (n_columns - 1) + b"\n") * (len(marks) // n_columns)
    if not is_plain and (delimiter or {len(line.split()) for line in content.split(b"\n")} != {n_columns}):
        return None
    # JSON is parsed exactly and several times as fast as cells one by one.
    commas = content.replace(b"\n", b",").replace(mark, b",")
    cells: list[Any] = []
    if is_plain and b"-0," not in commas:
        with suppress(msgspec.MsgspecError):
            cells = _JSON_CELLS.decode(b"[%b]" % commas)
    source, target, value = (cells[k::n_columns] for k in range(3))
    if (source, target) != known and {*map(type, source), *map(type, target)} != {int}:
        cells = content.replace(b"\n", mark).split(mark) if is_plain else content.split()
        if delimiter and b" " in content:
            cells = [cell.strip() for cell in cells]
        source, target, value = (cells[k::n_columns] for k in range(3))
        # Python reads .5 and +1 too, which JSON has not, but also 1_0.
        if b"" in source or b"" in target or (n_columns == 3 and any(b"_" in cell for cell in value)):
            return None
    if n_columns == 2:
        return source, target, np.ones(len(source))
    try:
        numbers = np.array(value if type(source[0]) is int else list(map(float, value)), dtype=np.float64)
    except (ValueError, OverflowError):
        return None
    return (source, target, numbers) if np.isfinite(numbers).all() else None


def _columns_by_cell(content: bytes, columns: _Columns, file: Path) -> tuple[list[str], list[str], Floats]:
    """Read the columns cell by cell, and refuse the first line that is wrong."""
    source, target, values = [], [], []
    for number, line in islice(_filled_lines(content), columns.n_header, None):
        if columns.n_cells:
            cells = split_line(line)
        else:
            match = _NETWORKX.fullmatch(line)
            if match is None:
                raise InputError(
                    f"{file}, line {number}: every line must have a source, a target and {{...}}, like the "
                    f"first, but is {abbreviate(line)!r}. The file is cut short or damaged; write it again."
                )
            if (match[3] or "") != columns.value_name:
                raise InputError(f"{file}, line {number}: either all edges of a file have a value or none.")
            cells = [match[1], match[2], match[4] or "1"]
        if len(cells) != (columns.n_cells or 3):
            raise InputError(
                f"{file}, line {number}: every line must have as many cells as the first, {columns.n_cells}, "
                f"but it has {len(cells)}. The file is cut short or damaged; write it again."
            )
        one, other, *rest = (cells[k] for k in columns.places)
        value = to_number(rest[0]) if rest else 1.0
        if value is None:
            raise InputError(f"{file}, line {number}: the value of an edge {must_be_number(rest[0])}")
        if not one or not other:
            raise InputError(f"{file}, line {number}: an edge must have a source and a target. Fill it in.")
        source.append(one)
        target.append(other)
        values.append(value)
    return source, target, np.array(values)


def _stated(name: str, file: Path, options: ReadOptions) -> str:
    """Refuse values of which neither their name nor the user says what they are."""
    if name and name != "probability" and options.values is None:
        raise unknown_values(file, "but the file has only numbers")
    return name
