"""TUDataset: a folder `DS` of `DS_A.txt`, `DS_graph_indicator.txt` and further tables, one line per item."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, Floats
from dugraph.io.delimited import TextTable, read_numbers
from dugraph.io.edge_rows import CERTAIN, EdgeRows, Ints, merge_edges, places_of
from dugraph.io.guards import check_length, read_text
from dugraph.io.input_files import InputFiles, ReadOptions, Subjects, only_file

_EDGES, _INDICATOR = "_A.txt", "_graph_indicator.txt"


def read_tu(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read all graphs; ids are their numbers, regions the node labels, classes the graph labels."""
    names = {file.name for file in found.top} if found.is_folder else set()
    data_sets = [file for file in files if file.name.removesuffix(_EDGES) + _INDICATOR in names]
    edges = only_file(found, data_sets or files)
    name = edges.name.removesuffix(_EDGES)
    options.budget.check_files(file for file in found.top if file.name.startswith(f"{name}_"))

    def table(ending: str) -> Path:
        return edges.with_name(f"{name}{ending}")

    y = tuple(_text(table("_graph_labels.txt"), options))
    graph_of = _whole(table(_INDICATOR), 1, len(y), options)[0][:, 0]
    node, labels = _regions(table("_node_labels.txt"), graph_of, options)
    regions, named_by = _with_readme_names(labels, found.top, options)
    ends, lines = _whole(edges, 2, len(graph_of), options)
    graph = graph_of[ends]
    across = graph[:, 0] != graph[:, 1]
    if across.any():
        row = int(np.argmax(across))
        raise InputError(
            f"{edges}, line {lines[row]}: an edge must join nodes of one graph, but joins graphs "
            f"{' and '.join(str(one + 1) for one in graph[row])}."
        )
    kind = options.values or "probability"
    value, notes = _values(table("_edge_attributes.txt"), edges.name, len(ends), options)
    source, target = node[ends].T
    rows = EdgeRows(source, target, value, regions, lambda row: f"{edges}, line {lines[row]}", graph[:, 0])
    rows.check_values(kind)
    rows, rule = rows.symmetrize(kind)
    notes |= {"regions_named_by": named_by} | ({"symmetry": rule} if rule else {})
    n_lacking = int((np.bincount(graph_of, minlength=len(y)) < len(regions)).sum())
    if n_lacking:
        notes["n_graphs_without_some_regions"] = n_lacking
    ids = tuple(str(one + 1) for one in range(len(y)))
    subjects = Subjects(ids, (edges,) * len(ids), y, table("_graph_labels.txt"))
    return merge_edges(subjects, rows.by_graph(len(ids)), regions, None, kind, options, notes=notes)


def _whole(file: Path, n_columns: int, largest: int, options: ReadOptions) -> tuple[Ints, Ints]:
    """Read whole numbers from 1 to `largest` as positions from 0, and the line of each row."""
    table = read_numbers(_there(file), options.budget, header=False, delimiter=",")
    numbers = table.numbers
    if numbers.shape[1] != n_columns:
        raise InputError(f"{file}: every line must hold {n_columns} numbers, but has {numbers.shape[1]}.")
    with np.errstate(invalid="ignore"):
        wrong = np.argwhere(~((numbers >= 1) & (numbers <= largest) & (numbers % 1 == 0)))
    if len(wrong):
        i, j = (int(k) for k in wrong[0])
        raise InputError(
            f"{file}, line {table.lines[i]}: numbers must be whole, from 1 to {largest}, but there is "
            f"{float(numbers[i, j])!r}. The files do not belong together, or are damaged."
        )
    return numbers.astype(np.int64) - 1, table.lines


def _text(file: Path, options: ReadOptions) -> list[str]:
    """Read a column of text, one cell per line."""
    table = TextTable.read(_there(file), options.budget, ",")
    if len(table.first) != 1:
        raise InputError(
            f"{file}: every line must hold one label, but has {len(table.first)}. Keep the intended column."
        )
    return table.first_column(header=False)


def _there(file: Path) -> Path:
    if not file.is_file():
        raise InputError(f"{file}: a TUDataset of connectomes must have this file, but it is missing.")
    return file


def _regions(file: Path, graph_of: Ints, options: ReadOptions) -> tuple[Ints, list[str]]:
    """Return the region of every node; a label must name one node of a graph, to align graphs by label."""
    labels = _text(file, options)
    if len(labels) != len(graph_of):
        raise InputError(
            f"{file}: every node must have one label, but there are {len(labels)} labels for {len(graph_of)} "
            "nodes. The files do not belong together, or are damaged."
        )
    first: dict[tuple[int, str], int] = {}
    for node, key in enumerate(zip(graph_of.tolist(), labels, strict=True)):
        if first.setdefault(key, node) != node:
            raise InputError(
                f"{file}, line {node + 1}: a label must name one node of a graph, because graphs are aligned "
                f"by label, but {abbreviate(key[1])!r} is on nodes {first[key] + 1} and {node + 1} of graph "
                f"{key[0] + 1}. Only data with one node per region can be read, such as brain networks."
            )
    regions: dict[str, int] = {}
    return places_of(labels, regions), list(regions)


def _values(file: Path, edges: str, n_edges: int, options: ReadOptions) -> tuple[Floats, dict[str, Any]]:
    if not file.is_file():
        if options.values is not None:
            raise InputError(f"{file}: values describe this file, but it is missing. Leave out values.")
        return np.ones(n_edges), {"edge_values": CERTAIN}
    numbers = read_numbers(file, options.budget, header=False, delimiter=",").numbers
    if numbers.shape != (n_edges, 1):
        raise InputError(
            f"{file}: there must be one number for each of the {n_edges} lines of {edges}, but there are "
            f"{numbers.shape[0]} lines of {numbers.shape[1]}."
        )
    return numbers[:, 0], {}


# Names of regions in readme.txt: the section that explains the node labels.

_MAP = re.compile(r"^=+ *Node Label Conversion *=+ *$(.*?)(?=^===|\Z)", re.MULTILINE | re.DOTALL)
_COMPONENT = re.compile(r"^Component \d+:", re.MULTILINE)
_ROW = re.compile(r"^[ \t]+(\d+)[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_NO_MAP = "node labels, which are numbers of this data set, not of an atlas"


def _with_readme_names(
    labels: list[str], files: Iterable[Path], options: ReadOptions
) -> tuple[tuple[str, ...], str]:
    """Return the names that a readme.txt gives to node labels, or the labels; also their source."""
    file = next((one for one in files if one.name.lower() in ("readme.txt", "readme")), None)
    names = {} if file is None else _names(file, options)
    if not names:
        if options.atlas is not None and all(map(str.isdecimal, labels)):
            raise InputError(
                "atlas must be left out for a TUDataset whose readme.txt does not say what its node labels "
                f"stand for: {listed(labels)} are numbers of the data set, not of an atlas.",
                parameter="atlas",
                way_out=("Add the section Node Label Conversion, or leave out ", Setting("atlas"), "."),
            )
        return tuple(labels), _NO_MAP
    unknown = [label for label in labels if label not in names]
    if unknown:
        raise InputError(
            f"{file}: the readme must say what every node label stands for, but lacks {listed(unknown, 8)}. "
            "Take the readme of this data set, or move it away."
        )
    return tuple(names[label] for label in labels), "readme.txt"


def _names(file: Path, options: ReadOptions) -> dict[str, str]:
    part = _MAP.search(read_text(file, options.budget).decode())
    # Several components would be several labels of a node.
    if part is None or len(_COMPONENT.findall(part[1])) > 1:
        return {}
    names: dict[str, str] = {}
    for label, name in _ROW.findall(part[1]):
        if label in names or name in names.values():
            raise InputError(
                f"{file}: every node label must stand for a region of its own, but {abbreviate(label)} or "
                f"{abbreviate(name)} appears twice. Correct it, or move the file away."
            )
        names[label] = check_length(name, file, "region name")
    return names
