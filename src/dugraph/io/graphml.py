"""GraphML: a folder with one file per graph, read by networkx once it has been validated."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, edge_label, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes
from dugraph.io.edge_rows import CERTAIN, EdgeRows, Ints, merge_edges, value_name
from dugraph.io.guards import MemoryBudget, library, line_of, read_text, reason
from dugraph.io.input_files import ReadOptions, Subjects, unknown_values
from dugraph.io.matrices import Floats, check_regions

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


def read_graphml(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one graph per file."""
    files = list(subjects.files)
    kind = options.values or "probability"
    graphs = [_one_graph(file, kind, options) for file in options.each(files, len(files))]
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
    layers: dict[str, int] = {}
    edges_of = []
    strata = [_places(graph.rows.layers or ("",), layers) for graph in graphs]
    found = None if all(graph.rows.layers is None for graph in graphs) else tuple(layers)
    for graph, at, stratum in zip(graphs, where, strata, strict=True):
        rows = graph.rows
        edges_of.append(
            (
                replace(
                    rows,
                    source=at[rows.source],
                    target=at[rows.target],
                    layer=stratum[rows.layer],
                    node_labels=tuple(position),
                    layers=found,
                ).numbers(),
                rows.value,
            )
        )
    return merge_edges(
        subjects,
        edges_of,
        tuple(position),
        found,
        kind,
        options,
        has_node=has_node,
        coordinates=None if np.isnan(coordinates).any() else coordinates,
        notes=notes,
    )


def _places(names: tuple[str, ...], position: dict[str, int]) -> Ints:
    """Return the position of each name, new ones at the end."""
    return np.array([position.setdefault(name, len(position)) for name in names], dtype=np.int64)


def _one_graph(file: Path, kind: str, options: ReadOptions) -> _OneGraph:
    graph, outline = _networkx_graph(file, options.budget)
    named_by, names = _names_of(graph)
    check_regions(names, file, len(names))
    position = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(u, v, {**graph.graph["edge_default"], **data}) for u, v, data in graph.edges(data=True)]
    attributes = {name for _, _, data in edges for name in data}
    value = _value_name(attributes, options, file) if edges else ""
    has_layer = [data.get("layer", "") != "" for _, _, data in edges]
    if any(has_layer) and not all(has_layer):
        u, v, _ = edges[has_layer.index(False)]
        pair = edge_label(names, position[u], position[v])
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
        folded, rule = rows.symmetrize(kind)
    else:
        folded, rule = rows.without_reversed(outline.both_ways), ""
    return _OneGraph(folded, named_by, _coordinates_of(graph, file, names), rule, bool(edges) and not value)


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
                f" must be one that the edges have, but {abbreviate(asked)!r} is none of "
                f"{listed(sorted(attributes), 12) or 'none'}.",
            ),
            parameter="edge_attribute",
        )
    if options.values is None and asked != "probability":
        raise unknown_values(file, f"but {abbreviate(asked)!r} is only a name")
    return asked


def _edge_values(edges: list[Any], name: str, file: Path, regions: list[str]) -> Floats:
    if not name:
        return np.ones(len(edges))
    pairs = zip(edges, regions, strict=True)
    return np.array([_number(data.get(name), name, file, region) for (_, _, data), region in pairs])


def _networkx_graph(file: Path, budget: MemoryBudget) -> tuple[Any, GraphMLValidator]:
    networkx = library("networkx")
    content = read_text(file, budget)
    budget.check(content.count(b"<") * _BYTES_PER_TAG, file)
    outline = GraphMLValidator.of(file, content)
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
            f"{file}: an edge must join nodes of the file, but {abbreviate(unlisted[0])!r} is none. Add the "
            "node."
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


# Names and positions of nodes, whatever a program calls their attributes.

_NAMES = ("label", "name")
# Programs put their own word before it: dn_fsname of the Connectome Mapper, dn_position_x.
_NAME_ENDINGS = ("_fsname", "_label", "_name")
_AXES = ("x", "y", "z")


def _names_of(graph: Any) -> tuple[str, tuple[str, ...]]:
    """Return the attribute that names the nodes, and the names: label, name, an ending of them, or the id."""
    nodes = [{**graph.graph["node_default"], **data} for _, data in graph.nodes(data=True)]
    present = sorted({str(name) for data in nodes for name in data})
    prefixed = [name for ending in _NAME_ENDINGS for name in present if name.endswith(ending)]
    for attribute in (*_NAMES, *prefixed):
        names = [str(data.get(attribute) or "").strip() for data in nodes]
        # A word with something before it may also be one of a group of nodes.
        if names and all(names) and (attribute in _NAMES or len(set(names)) == len(names)):
            return f"node {attribute}", tuple(names)
    return "node id", tuple(graph.nodes)


def _coordinates_of(graph: Any, file: Path, names: tuple[str, ...]) -> Floats | None:
    """Return the positions of the nodes if all have them: x, y, z, or one word before each of these."""
    nodes = [{**graph.graph["node_default"], **data} for _, data in graph.nodes(data=True)]
    common = set.intersection(*({str(name) for name in data} for data in nodes)) if nodes else set()
    starts = sorted(name[:-1] for name in common if name == "x" or name.endswith("_x"))
    axes = next(([s + a for a in _AXES] for s in starts if {s + a for a in _AXES} <= common), None)
    if axes is None:
        return None
    rows = [[_number(d[a], a, file, name) for a in axes] for d, name in zip(nodes, names, strict=True)]
    positions = np.array(rows).reshape(-1, 3)
    if not np.isfinite(positions).all():
        raise InputError(
            f"{file}: {', '.join(axes[:-1])} and {axes[-1]} of every region must be finite numbers. Correct "
            "or drop them."
        )
    return positions


def _number(value: Any, name: str, file: Path, region: str) -> float:
    """Return an attribute as a number, NaN if it is empty."""
    if value is None or value == "":
        return np.nan
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{file}: {name} must be a number, but is {abbreviate(value)!r} at {abbreviate(region)}."
        ) from error


# Checked by defusedxml before networkx may see a file.

_DEEPEST = 50
# The graphs of connectomics have thousands of nodes; beyond these a file is damaged or hostile.
_MOST_NODES = 20_000
_LONGEST_TAG = 65_536
_LONG_TAG = re.compile(rb"<[^<>]{%d}" % _LONGEST_TAG)


class GraphMLValidator:
    """What networkx would pass over in silence is refused here: things twice, nested graphs, ports.

    Attributes
    ----------
    nodes : set of str
        Ids of the nodes.
    n_edges : int
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.nodes: set[str] = set()
        self.n_edges = 0
        self._directions: set[tuple[str, str]] = set()
        self._n_graphs = 0
        self._path: list[str] = []
        self._keys: set[tuple[str, ...]] = set()
        self._data: set[str] = set()
        self._parser: Any = None

    @property
    def both_ways(self) -> bool:
        """Whether every edge is listed once in each direction."""
        pairs = self._directions
        return len(pairs) == self.n_edges > 0 and all((v, u) in pairs for u, v in pairs)

    @classmethod
    def of(cls, file: Path, content: bytes) -> GraphMLValidator:
        """Parse a document; entities, DTDs and external references are refused before they are read."""
        etree = library("defusedxml.ElementTree")
        outline = cls(file)
        if found := _LONG_TAG.search(content):
            line = line_of(content, found.start())
            raise InputError(
                f"{file}, line {line}: a tag may have {_LONGEST_TAG} bytes, but one has more. Copy or write "
                "the file again."
            )
        parser = etree.XMLParser(target=outline, forbid_dtd=True)
        outline._parser = parser.parser
        try:
            parser.feed(content)
            parser.close()
        except InputError:
            raise
        except library("defusedxml.common").DefusedXmlException as error:
            raise outline._refused(
                f"GraphML must come without DTD and entities: {abbreviate(error)}"
            ) from error
        except (SyntaxError, ValueError, LookupError) as error:
            raise outline._refused(f"the file must be well-formed XML: {abbreviate(error)}") from error
        if outline._n_graphs == 0:
            raise InputError(f"{file}: a GraphML file must hold a graph, but there is none.")
        return outline

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """See an element begin."""
        name = tag.rpartition("}")[2]
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        if len(self._path) > _DEEPEST:
            raise self._refused(f"elements may be nested {_DEEPEST} deep, but are deeper")
        if name == "graph":
            self._n_graphs += 1
            if self._n_graphs > 1 or parent != "graphml":
                raise self._refused("a file must hold one graph, but there are more; write one file for each")
        elif name in ("hyperedge", "port"):
            raise self._refused(f"a graph must have nodes and edges only, but there is a {name}")
        elif name == "node":
            self._data = set()
            self.nodes.add(self._new(attributes.get("id"), self.nodes, "node id"))
            if len(self.nodes) > _MOST_NODES:
                raise self._refused(f"a graph may have {_MOST_NODES} nodes, but has more; drop some")
        elif name == "edge":
            self._data = set()
            self.n_edges += 1
            if not (attributes.get("source") and attributes.get("target")):
                raise self._refused("an edge must have a source and a target")
            self._directions.add((attributes["source"], attributes["target"]))
        elif name == "key":
            self._add_key(attributes)
        elif name == "data" and parent in ("node", "edge"):
            self._data.add(self._new(attributes.get("key"), self._data, f"attribute of one {parent}"))

    def end(self, tag: str) -> None:
        """See an element end."""
        self._path.pop()

    def data(self, text: str) -> None:
        """Text is left to networkx."""

    def close(self) -> None:
        """See the document end."""

    def _add_key(self, attributes: dict[str, str]) -> None:
        named = (attributes.get(part, "") for part in ("for", "attr.name", "yfiles.type"))
        for key in (("id", attributes.get("id", "")), tuple(named)):
            if key in self._keys:
                raise self._refused(f"keys must differ, but {abbreviate(' '.join(key))} appears twice")
            self._keys.add(key)

    def _new(self, name: str | None, known: set[str], what: str) -> str:
        if not name:
            raise self._refused(f"every {what} must be filled in, but one is empty")
        if name in known:
            raise self._refused(f"every {what} must appear once, but {abbreviate(name)!r} appears twice")
        return name

    def _refused(self, message: str) -> InputError:
        return InputError(f"{self.file}, line {self._parser.CurrentLineNumber}: {message}.")
