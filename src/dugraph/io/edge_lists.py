"""Edges listed row by row: one table of all graphs (.csv, .tsv, .txt, .parquet), or one list per subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, edge_label, listed
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.connectomes import RELATIVE_TOLERANCE, Connectomes, Floats, check_regions, with_atlas
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
from dugraph.io.guards import MAX_NAME, check_length, intact, library, read_bytes
from dugraph.io.input_files import (
    InputFiles,
    NamedFile,
    ReadOptions,
    Subjects,
    by_file_name,
    only_file,
    unknown_values,
)

Ints = NDArray[np.int64]
Place = Callable[[int], str]
"""Describes the place of a row, for messages: ``edges.csv, line 7``."""

CERTAIN = "none in the files: every edge that is listed is certain"
"""Entry of the provenance for edges without values."""

# Larger than the number of regions.
_STRIDE = 2**24


def places_of(names: Iterable[str], known: dict[str, int]) -> Ints:
    """Return the position of each name among those that are known; new ones are added at the end."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


@dataclass(frozen=True)
class EdgeRows:
    """Edges as a file lists them, by the positions of their ends, graph and layer."""

    source: Ints
    target: Ints
    value: Floats
    node_labels: tuple[str, ...]
    place: Place
    graph: Ints | int = 0
    layer: Ints | int = 0
    layers: tuple[str, ...] | None = None

    def check_values(self, kind: str) -> None:
        """Refuse a row whose value is missing, infinite, or no probability where it should be one."""
        value = self.value
        no_probability = ((value < 0) | (value > 1)) & (kind == "probability")
        stated = ("If the numbers are something else, state it (", Setting("values", "correlation"), ").")
        for wrong, rule, way_out in (
            (np.isnan(value), "be there", "Drop the row if there is none: unlisted edges are absent."),
            (np.isinf(value), "be finite", "Write the file again."),
            (no_probability, "lie in [0, 1]", stated),
        ):
            if wrong.any():
                row = int(np.argmax(wrong))
                raise InputError(
                    f"{self.place(row)}: the {kind} of an edge must {rule}, but that of {self._edge(row)} is "
                    f"{float(value[row])!r}, the first of {counted(int(wrong.sum()), 'such row')}.",
                    way_out=way_out,
                )

    def check_loops(self) -> None:
        """Refuse edges from a region to itself."""
        loops = self.source == self.target
        if loops.any():
            row = int(np.argmax(loops))
            raise InputError(
                f"{self.place(row)}: an edge must join two different regions, but it joins "
                f"{abbreviate(self.node_labels[int(self.source[row])])} to itself. Drop self loops."
            )

    def check_once(self, rule: str, by_direction: bool = False) -> None:
        """Refuse loops, and edges listed twice in either direction, or in the same one."""
        self.check_loops()
        order, again = self._repeats(by_direction)
        if again.any():
            repeats = np.flatnonzero(again)
            at = int(repeats[order[repeats].argmin()])
            first, second = int(order[at - 1]), int(order[at])
            raise InputError(
                f"{self.place(second)}: an edge of a graph must be given {rule}, but {self._edge(second)} is "
                f"in {self.place(first)} too. Drop one of them, or separate them by layer."
            )

    def without_reversed(self) -> EdgeRows:
        """Take each edge once if all are listed in both directions with equal values; else refuse repeats."""
        self.check_loops()
        order, again = self._repeats()
        if not again.any():
            return self
        # A list of which only some are may be that of a directed graph.
        self.check_once("once", by_direction=2 * int(again.sum()) == len(again))
        again[1:] &= self.value[order][1:] == self.value[order][:-1]
        kept = self._chosen(np.sort(order[~again]))
        kept.check_once("once")
        return kept

    def symmetrize(self, kind: str) -> tuple[EdgeRows, str]:
        """Merge both directions of each edge into one row, by the rule for matrices.

        Edges that are all listed in one direction are taken as they are. Otherwise a direction that is not
        listed has the value 0: counts are averaged, other values must agree but for rounding. Also return the
        rule, empty if both directions agree.
        """
        self.check_once("once in each direction", by_direction=True)
        order, again = self._repeats()
        if not again.any():
            return self, "each edge listed in one direction"
        first = np.flatnonzero(~again)
        has_other = np.append(again, False)[first + 1]
        one = self.value[order[first]]
        other = np.where(has_other, np.append(self.value[order], 0.0)[first + 1], 0.0)
        kept = self._chosen(order[first])
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        if same.all():
            return kept, ""
        with np.errstate(invalid="ignore", over="ignore"):
            mean = np.where(same, one, one / 2 + other / 2)
            largest = np.max(np.abs(self.value), where=np.isfinite(self.value), initial=0.0)
            differs = ~(same | (np.abs(one - other) <= RELATIVE_TOLERANCE * largest))
        if kind != "count" and differs.any():
            i = int(np.argmax(differs))
            raise InputError(
                f"{kept.place(i)}: an edge must have one value in both directions, but {kept._edge(i)} has "
                f"{float(one[i])!r} in one and {float(other[i])!r} in the other (0 where it is not listed).",
                way_out=(
                    "Average them first; counts of streamlines (",
                    *(Setting("values", "count"), ") are averaged automatically."),
                ),
            )
        rule = "averaged over both directions" if kind == "count" else "rounding averaged out"
        return replace(kept, value=mean), rule

    def by_graph(self, n_graphs: int) -> list[tuple[Ints, Floats]]:
        """Return the numbers and values of the edges of each graph, as `merge_edges` takes them."""
        graph = np.broadcast_to(self.graph, self.value.shape)
        order = np.argsort(graph, kind="stable")
        ends = np.searchsorted(graph[order], np.arange(n_graphs + 1))
        numbers, values = self.numbers()[order], self.value[order]
        return [(numbers[a:b], values[a:b]) for a, b in pairwise(ends)]

    def numbers(self) -> Ints:
        """Number the edges: pairs of regions in the order of ``np.tril_indices``, then layers."""
        pairs = np.maximum(self.source, self.target) * _STRIDE + np.minimum(self.source, self.target)
        return np.asarray(pairs * len(self.layers or ("",)) + self.layer)

    def _repeats(self, by_direction: bool = False) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Sort the rows by graph and edge; also return which of them repeat the row before."""
        keys = [self.source < self.target] * by_direction + [self.numbers()]
        if isinstance(self.graph, np.ndarray):
            keys.append(self.graph)
        order = np.lexsort(keys)
        again = np.zeros(len(order), dtype=bool)
        again[1:] = np.all([key[order][1:] == key[order][:-1] for key in keys], axis=0)
        return order, again

    def _edge(self, row: int) -> str:
        pair = edge_label(self.node_labels, int(self.source[row]), int(self.target[row]))
        if self.layers is None or isinstance(self.layer, int):
            return pair
        return f"{pair} of layer {abbreviate(self.layers[int(self.layer[row])])}"

    def _chosen(self, rows: NDArray[np.intp]) -> EdgeRows:
        parts = {name: getattr(self, name) for name in ("graph", "source", "target", "layer", "value")}
        chosen: dict[str, Any] = {
            name: part[rows] for name, part in parts.items() if isinstance(part, np.ndarray)
        }
        place = self.place
        return replace(self, **chosen, place=lambda row: place(int(rows[row])))


def merge_edges(
    subjects: Subjects,
    edges_of: Sequence[tuple[Ints, Floats]],
    node_labels: tuple[str, ...],
    layers: tuple[str, ...] | None,
    kind: str,
    options: ReadOptions,
    *,
    has_node: NDArray[np.bool_] | None = None,
    coordinates: Floats | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Connectomes:
    """Make a cohort of all edges that some graph has; in other graphs they are absent, value 0.

    `edges_of` has the numbers (as from `EdgeRows.numbers`) and values of the edges of each graph, each once.
    Edges of a region that a graph has not, by `has_node` of shape (n_graphs, n_nodes), are missing, NaN.
    """
    file = subjects.files[0]
    check_regions(node_labels, file, len(node_labels))
    # Most studies list the same edges for all subjects.
    distinct = [edges_of[0][0]]
    for numbers, _ in edges_of[1:]:
        if numbers is not distinct[-1] and not np.array_equal(numbers, distinct[-1]):
            distinct.append(numbers)
    common = np.unique(np.concatenate(distinct))
    if not len(common):
        raise InputError(f"{file}: a cohort needs at least one edge, but there is none in any graph.")
    # The cohort itself will take as much again.
    options.budget.claim(2 * 8 * len(edges_of) * len(common), file)
    values = np.zeros((len(edges_of), len(common)))
    last = None
    for row, (numbers, found) in zip(values, edges_of, strict=True):
        if numbers is not last:
            last, places = numbers, np.searchsorted(common, numbers)
        row[places] = found
    pair, layer = np.divmod(common, len(layers or ("",)))
    edges = np.stack(np.divmod(pair, _STRIDE), axis=1)
    if has_node is not None:
        values[~(has_node[:, edges[:, 0]] & has_node[:, edges[:, 1]])] = np.nan
    seen = {**subjects.notes, **(notes or {})}
    regions = with_atlas(node_labels, coordinates, len(node_labels), file, options.atlas, seen)
    return Connectomes(
        kind=kind,
        graph_ids=subjects.graph_ids,
        files=subjects.files,
        values=values,
        edges=edges,
        node_labels=regions.names,
        node_coordinates=regions.coordinates,
        node_networks=regions.networks,
        edge_layers=None if layers is None else tuple(layers[k] for k in layer.tolist()),
        y=subjects.y,
        y_file=subjects.y_file,
        notes=seen,
    )


def value_name(names: Iterable[str], values: str | None, file: Path) -> str:
    """Return the column or edge attribute of the values.

    It is ``probability``, or ``weight`` if the user states another kind of values. Without a
    ``probability``, a weight is used as one only if the user states this.
    """
    found = set(names)
    wanted = "probability" if values in (None, "probability") else "weight"
    if wanted in found:
        return wanted
    if values == "probability" and "weight" in found:
        return "weight"
    way_out: Sentence = "Add or rename it."
    if wanted == "probability" and "weight" in found:
        way_out = (
            *("If you mean the weights, state what they are (", Setting("values")),
            ": correlation, count or probability).",
        )
    elif wanted == "weight" and "probability" in found:
        way_out = ("Leave out ", Setting("values", values), ", or rename it.")
    elif file.suffix.lower() == ".graphml":
        way_out = ("Name the attribute with ", Setting("edge_attribute"), ", or add it.")
    raise InputError(
        f"{file}: edges must have a {wanted}, but there is only {listed(sorted(found), 12) or 'nothing'}.",
        way_out=way_out,
    )


# One table of all graphs.

_ENDS = ("source", "target")
_REQUIRED = ("graph_id", *_ENDS)
_PARQUET = (".parquet", ".pq")
# A row of Parquet names an edge that no other row names, so it takes some bits.
_ROWS_PER_BYTE, _MANY_ROWS = 16, 500_000
_BYTES_PER_BYTE, _MANY_BYTES = 200, 64 * 2**20

Names = tuple[Ints, Sequence[str]]
"""A column of text: the position of each cell in a list of names."""


class _Table(NamedTuple):
    """Columns by role (graph_id, source, target, perhaps layer and y), the values, the columns not used."""

    text: dict[str, Names]
    value: Floats
    ignored: list[str]
    place: Place


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
    (layer,), layers = _in_order(text["layer"]) if "layer" in text else ([0], None)
    rows = EdgeRows(source, target, value, regions, place, graph, layer, layers)
    kind = options.values or "probability"
    rows.check_values(kind)
    y = _classes(text["y"], graph, ids, place) if "y" in text else None
    notes = {"ignored_columns": [abbreviate(name) for name in ignored]} if ignored else {}
    subjects = Subjects(ids, (file,) * len(ids), y)
    rows.check_once("once")
    return merge_edges(subjects, rows.by_graph(len(ids)), regions, layers, kind, options, notes=notes)


def _roles(columns: Iterable[str], values: str | None, file: Path) -> tuple[dict[str, str], list[str]]:
    """Find the columns by their names, in any order and case; the values last, then those not used."""
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
    if {"y", "label"} <= lower.keys():
        raise InputError(
            f"{file}: one column must hold the class of each graph, but y and label could. Drop one."
        )
    roles = {name: lower[name] for name in (*_REQUIRED, "layer") if name in lower}
    for name in {"y", "label"} & lower.keys():
        roles["y"] = lower[name]
    roles["value"] = lower[value]
    return roles, [name for name in lower.values() if name not in roles.values()]


def _in_order(*columns: Names) -> tuple[list[Ints], tuple[str, ...]]:
    """Return columns of the same things as positions in one list of names, in the order of the rows."""
    known: dict[str, int] = {}
    codes = np.stack([places_of(names, known)[column] for column, names in columns], axis=1)
    places, used = pandas.factorize(codes.ravel())
    names = tuple(known)
    return list(places.reshape(codes.shape).T), tuple(names[k] for k in used)


def _check_names(role: str, column: Names, place: Place) -> None:
    codes, names = column
    wrong = [k for k, name in enumerate(names) if not name or len(name) > MAX_NAME or "\0" in name]
    rows = np.flatnonzero(np.isin(codes, wrong))
    if len(rows):
        name = names[codes[rows[0]]]
        raise InputError(
            f"{place(int(rows[0]))}: {role} must have 1 to {MAX_NAME} characters and no NUL, but has "
            f"{len(name)}: {abbreviate(name)}. Fill it in, or copy the file again if it is damaged."
        )


def _classes(column: Names, graph: Ints, ids: tuple[str, ...], place: Place) -> tuple[str, ...]:
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


def _read_text(file: Path, options: ReadOptions) -> _Table:
    table = TextTable.read(file, options.budget)
    header = column_names(table.first, file)
    roles, ignored = _roles(header, options.values, file)
    if len(table.lines) == 1:
        raise InputError(f"{file}: an edge list must have rows, but it has a header only.")
    # Positions, values and the sorting of them.
    options.budget.check(len(table.lines) * (len(header) * 8 + 100), file)
    name = roles.pop("value")
    known: dict[str, dict[str, int]] = {role: {} for role in roles}
    codes: dict[str, list[Ints]] = {role: [] for role in roles}
    values: list[Floats] = []

    def place(row: int) -> str:
        return f"{file}, line {table.lines[row + 1]}"

    begin = 0
    for block in table.column_blocks(header=True):
        for role, column in roles.items():
            codes[role].append(places_of(map(str.strip, block[header.index(column)]), known[role]))
        values.append(_numbers(block[header.index(name)], name, place, begin))
        begin += len(block[0])
    text: dict[str, Names] = {role: (np.concatenate(codes[role]), tuple(known[role])) for role in roles}
    return _Table(text, np.concatenate(values), ignored, place)


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
    content = read_bytes(file, options.budget)
    with intact(file, "Parquet file"):
        opened = parquet.ParquetFile(pyarrow.BufferReader(content))
        schema, footer = opened.schema_arrow, opened.metadata
        roles, ignored = _roles(schema.names, options.values, file)
        _check_types({role: schema.field(name) for role, name in roles.items()}, file)
        if footer.num_rows <= 0:
            raise InputError(f"{file}: an edge list must have rows, but its footer says {footer.num_rows}.")
        # Unpacked pages, then positions and values and the sorting of them. The sizes of row groups, because
        # pyarrow's statistics of a column end the process if they are damaged.
        n_bytes = sum(abs(footer.row_group(i).total_byte_size) for i in range(footer.num_row_groups))
        options.budget.check(n_bytes + footer.num_rows * (len(roles) * 8 + 100), file)
        for n, most, what in (
            (footer.num_rows, _MANY_ROWS + _ROWS_PER_BYTE * len(content), "rows of different edges"),
            (n_bytes, _MANY_BYTES + _BYTES_PER_BYTE * len(content), "bytes when unpacked"),
        ):
            if n > most:
                raise InputError(
                    f"{file}: a file of {len(content)} bytes may contain {most} {what}, but declares {n}. "
                    "Write it again from its source."
                )
        # Names stay positions in a dictionary, so that a long name in a million rows is one long name.
        texts = [name for name in roles.values() if not pyarrow.types.is_primitive(schema.field(name).type)]
        opened = parquet.ParquetFile(
            pyarrow.BufferReader(content), read_dictionary=texts, page_checksum_verification=True
        )
        table = opened.read(columns=[*roles.values()], use_threads=False)
        if len(table) != footer.num_rows:
            raise ValueError(f"{footer.num_rows} rows are declared, but the file contains {len(table)}")
        table.validate(full=True)
        value = table.column(roles.pop("value")).cast(pyarrow.float64(), safe=False).to_numpy()
        text: dict[str, Names] = {}
        for role, name in roles.items():
            cells = table.column(name)
            if cells.null_count and role != "y":
                row = int(np.flatnonzero(cells.is_null().to_numpy())[0])
                raise InputError(f"{file}, row {row + 1}: {role} must be filled in, but is null.")
            codes, names = pandas.factorize(cells.to_pandas(integer_object_nulls=True))
            # A null has the position -1.
            text[role] = codes.astype(np.int64), [*(str(one).strip() for one in names), ""]
        return _Table(text, np.array(value, dtype=np.float64), ignored, lambda row: f"{file}, row {row + 1}")


def _check_types(fields: dict[str, Any], file: Path) -> None:
    types = library("pyarrow").types
    for role, field in fields.items():
        plain = field.type.value_type if types.is_dictionary(field.type) else field.type
        is_text = types.is_string(plain) or types.is_large_string(plain)
        if role == "value" and not (types.is_floating(field.type) or types.is_integer(field.type)):
            rule = f"must contain numbers, but is {abbreviate(field.type)}."
        elif role != "value" and not (is_text or types.is_integer(field.type)):
            rule = f"must be text or whole numbers, but is {abbreviate(field.type)}. Convert it first."
        else:
            continue
        raise InputError(f"{file}: column {field.name} {rule}")


# One edge list per subject: .edgelist of networkx, .ssv of ndmg, or tables with source and target.

_OWN_ENDINGS = (".edgelist", ".ssv")
_ONLY_NUMBERS = "but the file has only numbers"
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
        found, value, name, place = _read_list(file, options)
        value_names.add(name)
        if len(value_names) > 1:
            raise InputError(
                "Either the edges of all files must have values or none. Write them all with one program."
            )
        # Most studies list the same edges for all subjects.
        if found != ends:
            ends = found
            source, target = _regions(ends, regions, file, place)
        rows = EdgeRows(source, target, value, tuple(regions), place)
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


def _regions(ends: list[list[Any]], regions: dict[str, int], file: Path, place: Place) -> list[Ints]:
    """Return the positions of the regions; new ones are added in the order of the rows."""
    names: dict[str, int] = {}
    # Row by row, and without lists of all cells, since a table may have millions.
    cells = (str(cell).strip() for cell in chain.from_iterable(zip(*ends, strict=True)))
    codes = places_of(cells, names)
    places = places_of((check_length(name, file, "region name") for name in names), regions)[codes]
    if "" in names:
        row = int(np.argmax(codes == names[""])) // 2
        raise InputError(f"{place(row)}: an edge must have a source and a target. Fill in the empty cell.")
    return list(places.reshape(-1, 2).T)


_Listing = tuple[list[list[Any]], Floats, str, Place]
"""The cells of sources and targets, the values and their name, empty if there are none, and the places."""


def _read_list(file: Path, options: ReadOptions) -> _Listing:
    """Read the list of one subject."""
    table = TextTable.read(file, options.budget, comments=True)
    if ends_in_attributes(table.text.partition("\n")[0]):
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
        if options.values is None:
            raise unknown_values(file, _ONLY_NUMBERS)
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
    return [source, target], value, name, place


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
                f"the same name, but this one is {abbreviate(row)!r}. Write the file again."
            )
        found.append(match)
    ends = [[match[k] for match in found] for k in (1, 2)]
    name = found[0][3] or ""
    if not name:
        return ends, np.ones(len(found)), "", place
    if name != "probability" and options.values is None:
        raise unknown_values(table.file, _ONLY_NUMBERS)
    return ends, _numbers([match[4] for match in found], "the value of an edge", place), name, place
