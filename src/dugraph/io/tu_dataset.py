"""TUDataset: a folder `DS` of `DS_A.txt`, `DS_graph_indicator.txt` and further tables, one line per item."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.delimited import DelimitedText, read_numbers
from dugraph.io.edge_rows import CERTAIN, EdgeRows, Ints, Names, common_names, merge_edges
from dugraph.io.guards import check_length, read_text
from dugraph.io.input_files import InputFiles, ReadOptions, Subjects, only_file
from dugraph.io.matrices import Floats

_EDGES, _INDICATOR, _CLASSES = "_A.txt", "_graph_indicator.txt", "_graph_labels.txt"


@dataclass(frozen=True)
class _Files:
    """The tables of a data set, by their endings."""

    folder: Path
    name: str

    def __getitem__(self, ending: str) -> Path:
        return self.folder / f"{self.name}{ending}"


def _data_sets(found: InputFiles, files: list[Path]) -> list[Path]:
    names = {file.name for file in found.top} if found.is_folder else set()
    return [file for file in files if f"{file.name.removesuffix(_EDGES)}{_INDICATOR}" in names]


def read_tu(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read all graphs; ids are their numbers, regions the node labels, classes the graph labels."""
    tables = _Files(found.path, only_file(found, _data_sets(found, files) or files).name.removesuffix(_EDGES))
    options.budget.check_files(file for file in found.top if file.name.startswith(f"{tables.name}_"))
    y = tuple(_text(tables[_CLASSES], options))
    graph_of, _ = _whole(tables[_INDICATOR], 1, len(y), options)
    graph_of = graph_of[:, 0] - 1
    node = _regions(tables["_node_labels.txt"], graph_of, options)
    node, named_by = _with_readme_names(node, found.top, options)
    ends, lines = _whole(tables[_EDGES], 2, len(graph_of), options)
    ends -= 1
    across = np.flatnonzero(graph_of[ends[:, 0]] != graph_of[ends[:, 1]])
    if len(across):
        raise InputError(
            f"{tables[_EDGES]}, line {int(lines[across[0]])}: an edge must join nodes of one graph, but "
            f"joins graphs {' and '.join(str(int(g) + 1) for g in graph_of[ends[across[0]]])}."
        )
    kind = options.values or "probability"
    value, notes = _values(tables, len(ends), options)
    rows = EdgeRows(
        graph_of[ends[:, 0]],
        node.codes[ends[:, 0]],
        node.codes[ends[:, 1]],
        np.zeros(len(ends), dtype=np.int64),
        value,
        node.names,
        None,
        lambda row: f"{tables[_EDGES]}, line {int(lines[row])}",
    )
    rows.check_values(kind)
    rows, rule = rows.symmetrize(kind)
    notes |= {"regions_named_by": named_by} | ({"symmetry": rule} if rule else {})
    n_lacking = int((np.bincount(graph_of, minlength=len(y)) < len(node.names)).sum())
    if n_lacking:
        notes["n_graphs_without_some_regions"] = n_lacking
    ids = tuple(str(g + 1) for g in range(len(y)))
    subjects = Subjects(ids, (tables[_EDGES],) * len(ids), y, tables[_CLASSES])
    return merge_edges(subjects, rows.by_graph(len(ids)), node.names, None, kind, options, notes=notes)


def _whole(file: Path, n_columns: int, largest: int, options: ReadOptions) -> tuple[Ints, NDArray[np.int64]]:
    """Read whole numbers from 1 to `largest`, and the line of each row."""
    table = read_numbers(_there(file), options.budget, header=False, delimiter=",")
    numbers = table.numbers
    if numbers.shape[1] != n_columns:
        raise InputError(f"{file}: every line must hold {n_columns} numbers, but has {numbers.shape[1]}.")
    with np.errstate(invalid="ignore"):
        wrong = np.argwhere(~((numbers >= 1) & (numbers <= largest) & (numbers % 1 == 0)))
    if len(wrong):
        i, j = (int(k) for k in wrong[0])
        raise InputError(
            f"{file}, line {int(table.lines[i])}: numbers must be whole, from 1 to {largest}, but there is "
            f"{float(numbers[i, j])!r}. The files do not belong together, or are damaged."
        )
    return numbers.astype(np.int64), table.lines


def _text(file: Path, options: ReadOptions) -> list[str]:
    """Read a column of text, one cell per line."""
    text = DelimitedText.read(_there(file), options.budget, ",")
    if len(text.first) != 1:
        raise InputError(
            f"{file}: every line must hold one label, but has {len(text.first)}. Keep the intended column."
        )
    return text.first_column(header=False)


def _there(file: Path) -> Path:
    if not file.is_file():
        raise InputError(f"{file}: a TUDataset of connectomes must have this file, but it is missing.")
    return file


def _regions(file: Path, graph_of: Ints, options: ReadOptions) -> Names:
    """Return the region of every node; a label must name one node of a graph, to align graphs by label."""
    labels = _text(file, options)
    if len(labels) != len(graph_of):
        raise InputError(
            f"{file}: every node must have one label, but there are {len(labels)} labels for {len(graph_of)} "
            "nodes. The files do not belong together, or are damaged."
        )
    (region,) = common_names(Names(np.arange(len(labels)), tuple(labels)))
    order = np.lexsort([region.codes, graph_of])
    twice = (np.diff(region.codes[order]) == 0) & (np.diff(graph_of[order]) == 0)
    if twice.any():
        at = int(np.argmax(twice))
        first, second = int(order[at]), int(order[at + 1])
        raise InputError(
            f"{file}, line {second + 1}: a label must name one node of a graph, because graphs are aligned "
            f"by label, but {abbreviate(labels[second])!r} is on nodes {first + 1} and {second + 1} of graph "
            f"{int(graph_of[first]) + 1}. Only data with one node per region can be read, such as brain "
            "networks."
        )
    return region


def _values(files: _Files, n_edges: int, options: ReadOptions) -> tuple[Floats, dict[str, Any]]:
    file = files["_edge_attributes.txt"]
    if not file.is_file():
        if options.values is not None:
            raise InputError(f"{file}: values describe this file, but it is missing. Leave out values.")
        return np.ones(n_edges), {"edge_values": CERTAIN}
    numbers = read_numbers(file, options.budget, header=False, delimiter=",").numbers
    if numbers.shape != (n_edges, 1):
        raise InputError(
            f"{file}: there must be one number for each of the {n_edges} lines of {files[_EDGES].name}, but "
            f"there are {numbers.shape[0]} lines of {numbers.shape[1]}."
        )
    return numbers[:, 0], {}


# Names of regions in readme.txt: the section that explains the node labels.

_MAP = re.compile(r"^=+ *Node Label Conversion *=+ *$(.*?)(?=^===|\Z)", re.MULTILINE | re.DOTALL)
_COMPONENT = re.compile(r"^Component \d+:", re.MULTILINE)
_ROW = re.compile(r"^[ \t]+(\d+)[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_NO_MAP = "node labels, which are numbers of this data set, not of an atlas"


def _with_readme_names(node: Names, files: Iterable[Path], options: ReadOptions) -> tuple[Names, str]:
    """Replace node labels by the names in the readme.txt; also return the source of the names."""
    file = next((one for one in files if one.name.lower() in ("readme.txt", "readme")), None)
    names = {} if file is None else _names(file, options)
    if not names:
        if options.atlas is not None and all(name.isdecimal() for name in node.names):
            raise InputError(
                "atlas must be left out for a TUDataset whose readme.txt does not say what its node labels "
                f"stand for: {listed(node.names)} are numbers of the data set, not of an atlas.",
                parameter="atlas",
                way_out=("Add the section Node Label Conversion, or leave out ", Setting("atlas"), "."),
            )
        return node, _NO_MAP
    unknown = [name for name in node.names if name not in names]
    if unknown:
        raise InputError(
            f"{file}: the readme must say what every node label stands for, but lacks {listed(unknown, 8)}. "
            "Take the readme of this data set, or move it away."
        )
    return Names(node.codes, tuple(names[name] for name in node.names)), "readme.txt"


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
