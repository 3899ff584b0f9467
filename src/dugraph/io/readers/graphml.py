"""GraphML: a folder with one file per graph, read by networkx once defusedxml has let it pass."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.wording import counted, listed, shown, shown_pair
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, Floats
from dugraph.io.format import Format
from dugraph.io.guards import MemoryBudget, library, read_text, reason
from dugraph.io.options import ReadOptions
from dugraph.io.readers.edge_columns import value_name
from dugraph.io.readers.edge_rows import CERTAIN, EdgeRows, Ints, united
from dugraph.io.readers.graphml_nodes import coordinates_of, names_of, number
from dugraph.io.readers.graphml_outline import Outline
from dugraph.io.readers.subject_names import by_name
from dugraph.io.regions import check_regions
from dugraph.io.source import Source
from dugraph.words import MATRIX_VALUES

# Memory that networkx takes for an element.
_BYTES_PER_TAG = 1_000
_SLIPS = (TypeError, LookupError, AttributeError, ArithmeticError)


@dataclass(frozen=True)
class _OneGraph:
    """A graph, its edges folded, its regions by their own positions."""

    rows: EdgeRows
    named_by: str
    coordinates: Floats | None
    rule: str
    certain: bool


def finds(source: Source) -> str | None:
    """Return whether there are GraphML files, by their ending."""
    files = _files(source)
    return f"{counted(len(files), 'file')} .graphml" if files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one graph per file; the subject is the name of the file, or its ``sub-...`` part."""
    files = _files(source)
    if not files:
        raise InputError(
            f"{source.path}: graphs must be .graphml files, but there are none among {source.seen()}. Check "
            "the path."
        )
    if options.select:
        raise InputError(
            "select must be left out for GraphML: every file is one subject.", parameter="select"
        )
    options.budget.check_files(files)
    kind = options.values or "probability"
    graphs = [_one_graph(file, kind, options) for file in files]
    _check_alike(graphs, files)
    position: dict[str, int] = {}
    where = [_places(graph.rows.node_labels, position) for graph in graphs]
    has_node = np.zeros((len(graphs), len(position)), dtype=bool)
    coordinates = np.full((len(position), 3), np.nan)
    for i, (graph, at) in enumerate(zip(graphs, where, strict=True)):
        has_node[i, at] = True
        if graph.coordinates is not None:
            # The first file that has a region places it.
            coordinates[at] = np.where(np.isnan(coordinates[at]), graph.coordinates, coordinates[at])
    notes: dict[str, Any] = {"regions_named_by": graphs[0].named_by}
    if rules := sorted({graph.rule for graph in graphs} - {""}):
        notes["symmetry"] = ", ".join(rules)
    if any(graph.certain for graph in graphs):
        notes["edge_values"] = CERTAIN
    if options.edge_attribute is not None:
        notes["edge_attribute"] = options.edge_attribute
    names = [file.stem for file in files]
    return united(
        _all_rows([graph.rows for graph in graphs], where, tuple(position), files),
        tuple(names if options.id_pattern is not None else by_name(names)),
        tuple(files),
        kind,
        options,
        has_node=has_node,
        coordinates=None if np.isnan(coordinates).any() else coordinates,
        notes=notes,
    )


def _places(names: tuple[str, ...], position: dict[str, int]) -> Ints:
    """Return the position of each name, new ones at the end."""
    return np.array([position.setdefault(name, len(position)) for name in names], dtype=np.int64)


def _all_rows(
    graphs: list[EdgeRows], where: list[Ints], labels: tuple[str, ...], files: list[Path]
) -> EdgeRows:
    """Put the edges of all graphs below each other, over common regions and layers."""
    layers: dict[str, int] = {}
    strata = [_places(rows.layers or ("",), layers) for rows in graphs]
    graph = np.repeat(np.arange(len(graphs)), [len(rows.value) for rows in graphs])
    return EdgeRows(
        graph,
        np.concatenate([at[rows.source] for rows, at in zip(graphs, where, strict=True)]),
        np.concatenate([at[rows.target] for rows, at in zip(graphs, where, strict=True)]),
        np.concatenate([at[rows.layer] for rows, at in zip(graphs, strata, strict=True)]),
        np.concatenate([rows.value for rows in graphs]),
        labels,
        None if all(rows.layers is None for rows in graphs) else tuple(layers),
        lambda row: str(files[int(graph[row])]),
    )


def _files(source: Source) -> list[Path]:
    return [file for file in source.top if file.suffix.lower() == ".graphml"]


def _one_graph(file: Path, kind: str, options: ReadOptions) -> _OneGraph:
    graph, outline = _networkx_graph(file, options.budget)
    named_by, names = names_of(graph)
    check_regions(names, file, len(names))
    position = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(u, v, {**graph.graph["edge_default"], **data}) for u, v, data in graph.edges(data=True)]
    attributes = {name for _, _, data in edges for name in data}
    value = _value_name(attributes, options, file) if edges else ""
    has_layer = [data.get("layer", "") != "" for _, _, data in edges]
    if any(has_layer) and not all(has_layer):
        u, v, _ = edges[has_layer.index(False)]
        pair = shown_pair(names, position[u], position[v])
        raise InputError(f"{file}: either all edges have a layer or none, but {pair} has none. Fill it in.")
    layers: dict[str, int] = {}
    codes = [layers.setdefault(str(data.get("layer", "")), len(layers)) for _, _, data in edges]
    rows = EdgeRows(
        np.zeros(len(edges), dtype=np.int64),
        np.array([position[u] for u, _, _ in edges], dtype=np.int64),
        np.array([position[v] for _, v, _ in edges], dtype=np.int64),
        np.array(codes, dtype=np.int64),
        _edge_values(edges, value, file, [names[position[u]] for u, _, _ in edges]),
        names,
        tuple(layers) if any(has_layer) else None,
        lambda _: str(file),
    )
    if graph.is_directed():
        folded, rule = rows.folded(kind)
    else:
        folded, rule = rows.without_reversed(outline.both_ways), ""
    return _OneGraph(folded, named_by, coordinates_of(graph, file, names), rule, bool(edges) and not value)


def _value_name(attributes: set[str], options: ReadOptions, file: Path) -> str:
    """Return the attribute that holds the values; an empty name if the edges have none and are certain."""
    asked = options.edge_attribute
    if asked is None:
        # A graph without any attribute says which edges there are, as a TUDataset may.
        return value_name(attributes, options.values, file) if attributes - {"layer", "id"} else ""
    if asked not in attributes:
        raise InputError(
            (
                *(f"{file}: ", Setting("edge_attribute")),
                f" must be one that the edges have, but {shown(asked)!r} is none of "
                f"{listed(sorted(attributes), 12) or 'none'}.",
            ),
            parameter="edge_attribute",
        )
    if options.values is None and asked != "probability":
        raise InputError(
            f"{file}: it must be known what the numbers are, but {shown(asked)!r} is only a name.",
            parameter="values",
            way_out=("State it with ", Setting("values"), f": {', '.join(MATRIX_VALUES)}."),
        )
    return asked


def _edge_values(edges: list[Any], name: str, file: Path, regions: list[str]) -> Floats:
    if not name:
        return np.ones(len(edges))
    pairs = zip(edges, regions, strict=True)
    return np.array([number(data.get(name), name, file, region) for (_, _, data), region in pairs])


def _networkx_graph(file: Path, budget: MemoryBudget) -> tuple[Any, Outline]:
    networkx = library("networkx")
    content = read_text(file, budget)
    budget.check(content.count(b"<") * _BYTES_PER_TAG, file)
    outline = Outline.of(file, content)
    try:
        with warnings.catch_warnings():
            # networkx warns of keys without a type, which it takes as text.
            warnings.simplefilter("ignore")
            graph = networkx.read_graphml(io.BytesIO(content), edge_key_type=str, force_multigraph=True)
    # Its reader lets pass whatever a lookup or a conversion raises.
    except (networkx.NetworkXException, SyntaxError, ValueError, *_SLIPS) as error:
        raise InputError(
            f"{file}: the file must be GraphML, but networkx says {type(error).__name__}: {reason(error)}."
        ) from error
    unlisted = [node for node in graph.nodes if node not in outline.nodes]
    if unlisted:
        raise InputError(
            f"{file}: an edge must join nodes of the file, but {shown(unlisted[0])!r} is none. Add the node."
        )
    if graph.number_of_edges() != outline.n_edges:
        raise InputError(
            f"{file}: every edge between two nodes must have its own id, but of {outline.n_edges} edges only "
            f"{graph.number_of_edges()} do. Drop the ids, or the edges that appear twice."
        )
    return graph, outline


def _check_alike(graphs: list[_OneGraph], files: list[Path]) -> None:
    for graph, file in zip(graphs, files, strict=True):
        if graph.named_by != graphs[0].named_by:
            raise InputError(
                f"All files must name their regions in the same way, but {files[0]} does so by "
                f"{graphs[0].named_by} and {file} by {graph.named_by}. Fill in the labels, or drop them."
            )
    with_edges = [i for i, graph in enumerate(graphs) if len(graph.rows.value)]
    certain = {graphs[i].certain: files[i] for i in with_edges}
    if len(certain) > 1:
        raise InputError(
            f"Either the edges of all files must have values or none, but {certain[False]} has them and "
            f"{certain[True]} has not. Write them all with one program."
        )
    layered = {graphs[i].rows.layers is None: files[i] for i in with_edges}
    if len(layered) > 1:
        raise InputError(
            f"Either the edges of all files must have layers or none, but {layered[False]} has them and "
            f"{layered[True]} has not."
        )


FORMAT = Format(
    "graphml",
    "a folder with one GraphML file per subject, named after the subject",
    finds,
    read,
    takes=("edge_attribute",),
)
