"""TUDataset: a folder `DS` of `DS_A.txt`, `DS_graph_indicator.txt` and further tables, one line per item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Floats
from dugraph.io.delimited import DelimitedText, read_numbers
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.edge_columns import Names, joined_names
from dugraph.io.readers.edge_rows import CERTAIN, EdgeRows, Ints, united
from dugraph.io.readers.tu_readme import with_readme_names
from dugraph.io.source import Source

_EDGES, _INDICATOR, _CLASSES = "_A.txt", "_graph_indicator.txt", "_graph_labels.txt"


@dataclass(frozen=True)
class _Files:
    """The tables of one data set, by their endings."""

    folder: Path
    name: str

    def __getitem__(self, ending: str) -> Path:
        return self.folder / f"{self.name}{ending}"


def finds(source: Source) -> str | None:
    """Return whether there are the two tables that every data set has."""
    found = _found(source)
    return f"{found[0].name}{_EDGES} and {found[0].name}{_INDICATOR}" if len(found) == 1 else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read all graphs; ids are their numbers, regions the node labels, classes the graph labels."""
    found = _found(source)
    if len(found) != 1:
        raise InputError(
            f"{source.path}: a TUDataset must be one pair of DS{_EDGES} and DS{_INDICATOR}, but there are "
            f"{len(found)} among {source.seen()}. Check the path."
        )
    if options.select:
        raise InputError(
            "select must be left out for a TUDataset: all of its graphs are read.", parameter="select"
        )
    files = found[0]
    options.budget.check_files(file for file in source.top if file.name.startswith(f"{files.name}_"))
    y = tuple(_text(files[_CLASSES], options))
    graph_of, _ = _whole(files[_INDICATOR], 1, len(y), options)
    graph_of = graph_of[:, 0] - 1
    node = _regions(files["_node_labels.txt"], graph_of, options)
    node, named_by = with_readme_names(node, source.top, options)
    ends, lines = _whole(files[_EDGES], 2, len(graph_of), options)
    ends -= 1
    across = np.flatnonzero(graph_of[ends[:, 0]] != graph_of[ends[:, 1]])
    if len(across):
        raise InputError(
            f"{files[_EDGES]}, line {int(lines[across[0]])}: an edge must join nodes of one graph, but joins "
            f"graphs {' and '.join(str(int(g) + 1) for g in graph_of[ends[across[0]]])}."
        )
    kind = options.values or "probability"
    value, notes = _values(files, len(ends), options)
    rows = EdgeRows(
        graph_of[ends[:, 0]],
        node.codes[ends[:, 0]],
        node.codes[ends[:, 1]],
        np.zeros(len(ends), dtype=np.int64),
        value,
        node.names,
        None,
        lambda row: f"{files[_EDGES]}, line {int(lines[row])}",
    )
    rows.check_values(kind)
    rows, rule = rows.folded(kind)
    notes |= {"regions_named_by": named_by} | ({"symmetry": rule} if rule else {})
    n_lacking = int((np.bincount(graph_of, minlength=len(y)) < len(node.names)).sum())
    if n_lacking:
        notes["n_graphs_without_some_regions"] = n_lacking
    ids = tuple(str(g + 1) for g in range(len(y)))
    connectomes = united(rows, ids, (files[_EDGES],) * len(ids), kind, options, y=y, notes=notes)
    return replace(connectomes, y_file=files[_CLASSES])


def _found(source: Source) -> list[_Files]:
    names = {file.name for file in source.top} if source.is_folder else set()
    stems = [name.removesuffix(_EDGES) for name in sorted(names) if name.endswith(_EDGES)]
    return [_Files(source.path, stem) for stem in stems if f"{stem}{_INDICATOR}" in names]


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
    return [cells[0].strip() for cells, _ in text.rows()]


def _there(file: Path) -> Path:
    if not file.is_file():
        raise InputError(f"{file}: a TUDataset of connectomes must have this file, but it is missing.")
    return file


def _regions(file: Path, graph_of: Ints, options: ReadOptions) -> Names:
    """Return the region of every node; a label names one node of a graph, or graphs cannot be compared."""
    labels = _text(file, options)
    if len(labels) != len(graph_of):
        raise InputError(
            f"{file}: every node must have one label, but there are {len(labels)} labels for {len(graph_of)} "
            "nodes. The files do not belong together, or are damaged."
        )
    (region,) = joined_names(Names(np.arange(len(labels)), tuple(labels)))
    order = np.lexsort([region.codes, graph_of])
    twice = (np.diff(region.codes[order]) == 0) & (np.diff(graph_of[order]) == 0)
    if twice.any():
        at = int(np.argmax(twice))
        first, second = int(order[at]), int(order[at + 1])
        raise InputError(
            f"{file}, line {second + 1}: a label must name one node of a graph, because graphs are aligned "
            f"by label, but {shown(labels[second])!r} is on nodes {first + 1} and {second + 1} of graph "
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


FORMAT = Format(
    "tu-dataset",
    "a TUDataset of brain networks: node labels are regions, graph labels are classes",
    finds,
    read,
)
