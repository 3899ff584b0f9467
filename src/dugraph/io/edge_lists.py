"""Edge lists: one table of all graphs (.csv, .tsv, .txt, .parquet), or one list per subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    names_in_head,
    read_columns,
)
from dugraph.io.edge_rows import CERTAIN, EdgeRows, Ints, Names, common_names, merge_edges, value_name
from dugraph.io.guards import MAX_NAME, check_length, file_head, library, read_bytes, read_text
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
_HEAD = 4096


def is_plain_number(cell: str) -> bool:
    """Return whether a cell holds a number in digits, or stands for a missing one."""
    # Python would read 1_0 as 10, and the digits of other scripts.
    return cell.isascii() and "_" not in cell and is_number(cell)


@dataclass(frozen=True)
class EdgeTable:
    """A long edge list, column by column.

    Attributes
    ----------
    text : dict of str to Names
        By the names of `Roles`: graph_id, source, target, and layer and y if they are there.
    value : ndarray of float, shape (n_rows,)
        NaN where there is none.
    place : callable
        Says where a row is, for messages.
    """

    text: dict[str, Names]
    value: Floats
    place: Callable[[int], str]


@dataclass(frozen=True)
class Roles:
    """Which column plays which role.

    Attributes
    ----------
    text : dict of str to str
        Role -> name of the column: graph_id, source, target, and layer and y if they are there.
    value : str
    ignored : list of str
    """

    text: dict[str, str]
    value: str
    ignored: list[str]

    @classmethod
    def of(cls, columns: Iterable[str], values: str | None, file: Path) -> Roles:
        """Find the columns by name, whatever their order and capitals.

        Parameters
        ----------
        columns : iterable of str
        values : str, or None
            What the user says the numbers are.
        file : Path
            For messages.
        """
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
        return cls(text, lower[value], [name for name in lower.values() if name not in used])


# One table of all graphs.


def is_edge_list(found: InputFiles, files: list[Path]) -> bool:
    """Whether there is one table with graphs, sources and targets as columns, or one Parquet file."""
    head = file_head(files[0], _HEAD) if len(files) == 1 else None
    if head is None:
        return False
    if files[0].suffix.lower() in PARQUET:
        return head.startswith(b"PAR1")
    return set(REQUIRED) <= names_in_head(head)


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
            f"{len(name)}: {abbreviate(name)}. Fill it in, or copy the file again if it is damaged."
        )


def _classes(table: EdgeTable, graph: Names) -> tuple[str, ...]:
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


_BATCH = 65_536
# A row names an edge that no other row names, so it takes some bits; beyond this the file is a bomb.
_ROWS_PER_BYTE, _MANY_ROWS = 16, 500_000
_BYTES_PER_BYTE, _MANY_BYTES = 200, 64 * 2**20


def _read_parquet(file: Path, options: ReadOptions) -> tuple[EdgeTable, Roles]:
    """Read a Parquet file: the footer is judged first, then columns are read in batches."""
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    content = read_bytes(file, options.budget)
    try:
        opened = parquet.ParquetFile(pyarrow.BufferReader(content))
        schema = opened.schema_arrow
        roles = Roles.of(schema.names, options.values, file)
        _check_types(pyarrow, schema, roles, file)
        _check_sizes(opened.metadata, roles, options, file, len(content))
        texts = [
            name for name in roles.text.values() if not pyarrow.types.is_integer(schema.field(name).type)
        ]
        # Names stay positions in a dictionary, so that a long name in a million rows is one long name.
        opened = parquet.ParquetFile(
            pyarrow.BufferReader(content), read_dictionary=texts, page_checksum_verification=True
        )
        return _batches(pyarrow, opened, roles, file), roles
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


def _check_types(pyarrow: Any, schema: Any, roles: Roles, file: Path) -> None:
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


def _check_sizes(metadata: Any, roles: Roles, options: ReadOptions, file: Path, n_content: int) -> None:
    """Refuse a file by what its footer claims: rows, and bytes when unpacked."""
    n_rows = metadata.num_rows
    if n_rows <= 0:
        raise InputError(f"{file}: an edge list must have rows, but its footer says {n_rows}.")
    if n_rows > _ROWS_PER_BYTE * n_content + _MANY_ROWS:
        raise InputError(
            f"{file}: a file of {n_content} bytes cannot list {n_rows} different edges. Write it again from "
            "its source."
        )
    # By row groups: asked about a column, pyarrow ends the process if its statistics are damaged.
    n_bytes = sum(abs(metadata.row_group(i).total_byte_size) for i in range(metadata.num_row_groups))
    if n_bytes > _BYTES_PER_BYTE * n_content + _MANY_BYTES:
        raise InputError(
            f"{file}: a file of {n_content} bytes must not unpack to {n_bytes}. Write it again from its "
            "source."
        )
    # Unpacked pages, then positions and values and the sorting of them.
    n_columns = len(roles.text) + 1
    options.budget.check(n_bytes + n_rows * (n_columns * 8 + 100), file)


def _batches(pyarrow: Any, opened: Any, roles: Roles, file: Path) -> EdgeTable:
    known: dict[str, dict[str, int]] = {role: {} for role in roles.text}
    codes: dict[str, list[NDArray[np.int64]]] = {role: [] for role in roles.text}
    values = []
    n_rows = 0
    columns = [*roles.text.values(), roles.value]
    for batch in opened.iter_batches(_BATCH, columns=columns, use_threads=False):
        for role, name in roles.text.items():
            codes[role].append(_codes(pyarrow, batch.column(name), known[role], role, n_rows, file))
        numbers = batch.column(roles.value).cast(pyarrow.float64(), safe=False)
        values.append(numbers.to_numpy(zero_copy_only=False).astype(np.float64))
        n_rows += len(batch)
        if n_rows > opened.metadata.num_rows:
            raise InputError(f"{file}: the footer must give the number of rows, but there are more.")
    if n_rows != opened.metadata.num_rows:
        raise InputError(
            f"{file}: the footer promises {opened.metadata.num_rows} rows, but there are {n_rows}. The file "
            "is damaged; write it again."
        )
    text = {role: Names(np.concatenate(codes[role]), tuple(known[role])) for role in roles.text}
    return EdgeTable(text, np.concatenate(values), lambda row: f"{file}, row {row + 1}")


def _codes(
    pyarrow: Any, column: Any, known: dict[str, int], role: str, n_before: int, file: Path
) -> NDArray[np.int64]:
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column.validate(full=True)
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        if role != "y":
            raise InputError(f"{file}, row {n_before + row + 1}: {role} must be filled in, but is null.")
    # -1 stands for a null, the last place of the table below.
    indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    used = np.unique(indices[indices >= 0])
    names = column.dictionary.take(pyarrow.array(used)).to_pylist()
    table = np.empty(len(column.dictionary) + 1, dtype=np.int64)
    table[used] = [known.setdefault("" if n is None else str(n).strip(), len(known)) for n in names]
    if column.null_count:
        table[-1] = known.setdefault("", len(known))
    return np.asarray(table[indices])


# One edge list per subject: .edgelist of networkx, .ssv of ndmg, or tables with source and target.

_OWN_ENDINGS = (".edgelist", ".ssv")
# networkx writes the attributes of an edge as Python does.
_NETWORKX = re.compile(r"(\S+)\s+(\S+)\s+\{(?:'(\w+)':\s*([^\s,{}]+))?\}")
_ENDS = REQUIRED[1:]
_MOST_COLUMNS = 100


def edge_list_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take files with endings of their own; without these, tables."""
    own = _with_own_ending([one.file for one in named])
    return by_file_name(found, [one for one in named if one.file in own] or named, options)


def _with_own_ending(files: list[Path]) -> list[Path]:
    return [file for file in files if file.suffix.lower() in _OWN_ENDINGS]


def are_edge_lists(found: InputFiles, files: list[Path]) -> bool:
    """Whether files are edge lists by their endings, or by the first lines of the first table."""
    if _with_own_ending(files):
        return True
    head = file_head(files[0], _HEAD) or b""
    names = names_in_head(head)
    if set(_ENDS) <= names:
        return REQUIRED[0] not in names
    is_tu_dataset = any(file.name.endswith("_graph_indicator.txt") for file in files)
    return _has_edge_rows(head) and not is_tu_dataset


def _has_edge_rows(head: bytes) -> bool:
    """Whether a text has more rows than a matrix of its two or three columns: two regions, and a number."""
    lines = head.decode("utf-8", "replace").splitlines()
    if len(head) == _HEAD:
        lines = lines[:-1]  # cut off
    rows = [_cells(line) for line in lines if line.strip() and not line.startswith("#")]
    # The first row may be a header.
    n_cells, rows = len(rows[0]) if rows else 0, rows[1:]
    if n_cells not in (2, 3) or len(rows) <= n_cells or any(len(cells) != n_cells for cells in rows):
        return False
    # Series have decimals in all columns.
    ends = [cell for cells in rows for cell in cells[:2]]
    are_regions = all(cell.isdecimal() or (cell and not is_number(cell)) for cell in ends)
    return are_regions and all(is_plain_number(cell) for cells in rows for cell in cells[2:])


def _cells(line: str) -> list[str]:
    delimiter = next((d for d in "\t,;" if d in line), None)
    return [cell.strip().strip('"') for cell in line.split(delimiter, _MOST_COLUMNS)]


def read_edge_lists(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one edge list per file."""
    kind = options.values or "probability"
    files = subjects.files
    regions: dict[str, int] = {}
    named: set[str] = set()
    edges_of: list[tuple[Ints, Floats]] = []
    stacked: Floats | None = None
    last: _Table | None = None
    for i, file in enumerate(options.each(files, len(files))):
        table = _read_table(file, options, last)
        if table is None:
            rows, name = _read_lines(file, regions, options)
        else:
            rows, name, last = table.rows(regions), table.name, table
        named.add(name)
        if len(named) > 1:
            raise InputError(
                "Either the edges of all files must have values or none. Write them all with one program."
            )
        rows.check_values(kind)
        if table is not None and table.numbers is not None:
            numbers, found = table.numbers, rows.value
        else:
            both_ways = rows.both_ways()
            rows = rows.without_reversed(both_ways)
            numbers, found = rows.numbers(), rows.value
            if edges_of and np.array_equal(edges_of[0][0], numbers):
                numbers = edges_of[0][0]  # once in memory
            if table is not None and not both_ways:
                table.numbers = numbers
        if stacked is None:
            # Most studies list the same edges for all subjects: then this is the cohort. Memory that is not
            # written to is not taken.
            options.budget.check(2 * 8 * len(files) * len(numbers), file)
            stacked = np.empty((len(files), len(numbers)))
        if not edges_of or numbers is edges_of[0][0]:
            stacked[i] = found
            found = stacked[i]
        edges_of.append((numbers, found))
    certain = named == {""}
    if certain and options.values is not None:
        raise InputError(
            f"{subjects.files[0]}: edges must have values if their kind is stated, but they have none.",
            parameter="values",
            way_out=("Leave out ", Setting("values"), "."),
        )
    notes = {"edge_values": CERTAIN} if certain else {}
    return merge_edges(subjects, edges_of, tuple(regions), None, kind, options, notes=notes, stacked=stacked)


@dataclass
class _Table:
    """A plain table of two or three columns.

    Attributes
    ----------
    file : Path
    content : bytes
    ends : tuple of two lists of int or bytes
        The cells of the columns of sources and targets.
    value : ndarray of float
    name : str
        Of the values; empty if there are none.
    has_header : bool
    codes : tuple of two ndarrays of int, or None
        The regions of the ends, once known.
    numbers : ndarray of int, or None
        Those of the edges, once it is known that each is listed once.
    """

    file: Path
    content: bytes
    ends: tuple[list[Any], list[Any]]
    value: Floats
    name: str
    has_header: bool
    codes: tuple[Ints, Ints] | None = None
    numbers: Ints | None = None

    def rows(self, regions: dict[str, int]) -> EdgeRows:
        """Return the rows; new regions are added to those that are known."""
        if self.codes is None:
            code = {}
            for cell in dict.fromkeys(chain.from_iterable(zip(*self.ends, strict=True))):
                region = str(cell) if isinstance(cell, int) else cell.decode()
                code[cell] = regions.setdefault(check_length(region, self.file, "region name"), len(regions))
            source, target = (np.array([code[cell] for cell in cells], dtype=np.int64) for cells in self.ends)
            self.codes = source, target
        none = np.zeros(len(self.value), dtype=np.int64)
        return EdgeRows(none, *self.codes, none, self.value, tuple(regions), None, self._place)

    def _place(self, row: int) -> str:
        lines = [i for i, line in enumerate(self.content.split(b"\n"), 1) if line.strip()]
        return f"{self.file}, line {lines[row + self.has_header]}"


def _read_table(file: Path, options: ReadOptions, last: _Table | None) -> _Table | None:
    """Read a plain table of two or three columns; None if a line is not plain, or wrong."""
    content = read_text(file, options.budget)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    options.budget.check(25 * len(content), file)
    # Comments, quotes and attributes are read line by line, as is what else Python takes for a line end.
    if any(mark in content for mark in (*NOT_PLAIN, b"#", b"{")):
        return None
    if not content.isascii() and any(end in content for end in (b"\xc2\x85", b"\xe2\x80")):
        return None
    start = content.lstrip() if content[:1].isspace() else content
    begin = start[:_HEAD].decode("utf-8", "replace").splitlines()[:2]
    first, second = _cells(begin[0]), _cells(begin[-1])
    delimiter = next((d for d in "\t,;" if d in begin[0]), "")
    n_columns = len(first)
    if n_columns not in (2, 3) or len(second) != n_columns:
        return None
    header = [cell.lower() for cell in first]
    has_names = set(_ENDS) <= set(header)
    if has_names and header[:2] != list(_ENDS):
        return None
    has_header = has_names or (n_columns == 3 and not any(map(is_number, first)) and is_number(second[2]))
    name = ""
    if n_columns == 3:
        name = value_name(header, options.values, file) if has_names else _stated("value", file, options)
    body = content.strip(b"\n")
    body = body.partition(b"\n")[2] if has_header else body
    columns = read_columns(body, delimiter.encode(), n_columns, None if last is None else last.ends)
    if columns is None:
        return None
    source, target, value = columns
    table = _Table(file, content, (source, target), value, name, has_header)
    if last is not None and last.ends == table.ends:
        table.ends, table.codes, table.numbers = last.ends, last.codes, last.numbers
    if has_header and isinstance(source[0], bytes):
        # A first row whose value is wrong is not a header.
        names = {cell.encode() for cell in first}
        if not (names.isdisjoint(source) and names.isdisjoint(target)):
            return None
    return table


def _read_lines(file: Path, regions: dict[str, int], options: ReadOptions) -> tuple[EdgeRows, str]:
    """Return the edges of a file, and the name of their values, empty if they have none."""
    named: set[str] = set()
    ends: list[tuple[int, int]] = []
    values: list[float] = []
    lines: list[int] = []
    for line, (source, target, name, value) in _lines(file, options):
        named.add(name)
        if len(named) > 1:
            raise InputError(f"{file}, line {line}: either all edges of a file have a value or none.")
        if not is_plain_number(value):
            raise InputError(f"{file}, line {line}: the value of an edge {must_be_number(value)}")
        if not source or not target:
            raise InputError(f"{file}, line {line}: an edge must have a source and a target. Fill it in.")
        at = [
            regions.setdefault(check_length(region, file, "region name"), len(regions))
            for region in (source, target)
        ]
        ends.append((at[0], at[1]))
        values.append(np.nan if value in MISSING else float(value))
        lines.append(line)
    if not named:
        raise InputError(f"{file}: an edge list must have rows, but there are none. Write it again.")
    source_of, target_of = np.array(ends, dtype=np.int64).T
    none = np.zeros(len(ends), dtype=np.int64)
    rows = EdgeRows(
        none,
        source_of,
        target_of,
        none,
        np.array(values),
        tuple(regions),
        None,
        lambda row: f"{file}, line {lines[row]}",
    )
    return rows, named.pop()


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
        cells = _cells(line)
        if columns is None and {*map(str.lower, cells)} >= set(_ENDS):
            names = [cell.lower() for cell in column_names(cells, file)]
            name = value_name(names, options.values, file) if len(names) > len(_ENDS) else ""
            columns = names.index(_ENDS[0]), names.index(_ENDS[1]), names.index(name) if name else -1
            n_columns = len(names)
            continue
        if columns is None:
            columns, n_columns = (0, 1, 2 if len(cells) > len(_ENDS) else -1), len(cells)
            if len(cells) not in (2, 3):
                raise InputError(
                    f"{file}, line {number}: a line must hold a source, a target and optionally a value, "
                    f"but holds {counted(len(cells), 'cell')}: {abbreviate(line)}.",
                    way_out="Name the columns, or drop some; if these are matrices, leave out the format.",
                )
            name = _stated("value", file, options) if len(cells) > len(_ENDS) else ""
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
        raise unknown_values(file, "but the file has only numbers")
    return name
