"""GraphML: a folder with one file per graph."""

from __future__ import annotations

import io
import re
from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, edge_label, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, Floats, check_regions
from dugraph.io.delimited import to_number
from dugraph.io.edge_rows import CERTAIN, EdgeRows, merge_edges, places_of, value_name
from dugraph.io.guards import library, line_of, read_text
from dugraph.io.input_files import ReadOptions, Subjects, unknown_values

# Memory of an element.
_BYTES_PER_TAG = 1_000
# The graphs of connectomics have thousands of nodes; beyond these limits a file is damaged or hostile.
_DEEPEST = 50
_MOST_NODES = 20_000
_LONGEST_TAG = 65_536
_LONG_TAG = re.compile(rb"<[^<>]{%d}" % _LONGEST_TAG)


@dataclass(frozen=True)
class _Document:
    """The content of a file: the attributes of nodes and edges, with the defaults of their keys."""

    nodes: dict[str, dict[str, str]]
    edges: list[tuple[str, str, dict[str, str]]]
    is_directed: bool


@dataclass(frozen=True)
class _OneGraph:
    """A graph whose edges are listed once; regions by their own positions."""

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
    where = [places_of(graph.rows.node_labels, position) for graph in graphs]
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
    strata = [places_of(graph.rows.layers or ("",), layers) for graph in graphs]
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


def _one_graph(file: Path, kind: str, options: ReadOptions) -> _OneGraph:
    document = _document(file, options)
    named_by, names = _names_of(document.nodes)
    check_regions(names, file, len(names))
    position = {node: i for i, node in enumerate(document.nodes)}
    ends = [[position[node] for node in edge[:2]] for edge in document.edges]
    edges = [attributes for *_, attributes in document.edges]
    value = _value_name({name for one in edges for name in one}, options, file) if edges else ""
    has_layer = [bool(one.get("layer")) for one in edges]
    if any(has_layer) and not all(has_layer):
        pair = edge_label(names, *ends[has_layer.index(False)])
        raise InputError(f"{file}: either all edges have a layer or none, but {pair} has none. Fill it in.")
    layers: dict[str, int] = {}
    codes = places_of(tuple(one.get("layer", "") for one in edges), layers)
    values = [
        _number(one, value, file, names[u]) if value else 1.0 for one, (u, _) in zip(edges, ends, strict=True)
    ]
    source, target = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    found = tuple(layers) if any(has_layer) else None
    rows = EdgeRows(source, target, np.array(values), names, lambda _: str(file), layer=codes, layers=found)
    rows, rule = rows.symmetrize(kind) if document.is_directed else (rows.without_reversed(), "")
    return _OneGraph(rows, named_by, _coordinates_of(document, file, names), rule, bool(edges) and not value)


def _value_name(attributes: set[str], options: ReadOptions, file: Path) -> str:
    """Return the attribute that holds the values; an empty name if the edges have none and are certain."""
    asked = options.edge_attribute
    if asked is None:
        # A graph without any attribute says which edges there are, as a TUDataset may.
        return value_name(attributes, options.values, file) if attributes - {"layer"} else ""
    if asked not in attributes:
        there = listed(sorted(attributes), 12) or "none"
        rule = f" must be one that the edges have, but {abbreviate(asked)!r} is not one of {there}."
        raise InputError((f"{file}: ", Setting("edge_attribute"), rule), parameter="edge_attribute")
    if options.values is None and asked != "probability":
        raise unknown_values(file, f"but {abbreviate(asked)!r} is only a name")
    return asked


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


def _names_of(nodes: dict[str, dict[str, str]]) -> tuple[str, tuple[str, ...]]:
    """Return the attribute that names the nodes, and the names: label, name, an ending of them, or the id."""
    present = sorted({name for attributes in nodes.values() for name in attributes})
    prefixed = [name for ending in _NAME_ENDINGS for name in present if name.endswith(ending)]
    for attribute in (*_NAMES, *prefixed):
        names = [attributes.get(attribute, "").strip() for attributes in nodes.values()]
        # A word with something before it may also be one of a group of nodes.
        if names and all(names) and (attribute in _NAMES or len(set(names)) == len(names)):
            return f"node {attribute}", tuple(names)
    return "node id", tuple(nodes)


def _coordinates_of(document: _Document, file: Path, names: tuple[str, ...]) -> Floats | None:
    """Return the positions of the nodes if all have them: x, y, z, or one word before each of these."""
    nodes = list(document.nodes.values())
    common = set.intersection(*map(set, nodes)) if nodes else set()
    starts = sorted(name[:-1] for name in common if name == "x" or name.endswith("_x"))
    axes = next(([s + a for a in _AXES] for s in starts if {s + a for a in _AXES} <= common), None)
    if axes is None:
        return None
    rows = [[_number(d, a, file, name) for a in axes] for d, name in zip(nodes, names, strict=True)]
    positions = np.array(rows).reshape(-1, 3)
    if not np.isfinite(positions).all():
        raise InputError(
            f"{file}: {', '.join(axes[:-1])} and {axes[-1]} of every region must be finite numbers. Correct "
            "or drop them."
        )
    return positions


def _number(attributes: dict[str, str], name: str, file: Path, region: str) -> float:
    """Return an attribute as a number, NaN if it is empty."""
    text = attributes.get(name, "")
    value = to_number(text.strip())
    if value is None:
        raise InputError(
            f"{file}: {name} must be a number, but is {abbreviate(text)!r} at {abbreviate(region)}."
        )
    return value


# The XML, which defusedxml reads without entities, DTDs and external references.


def _document(file: Path, options: ReadOptions) -> _Document:
    """Read a plain graph; other elements that could change its meaning, and repeated ones, are refused."""
    root = _tree(file, options)
    keys: dict[str, tuple[str, str, str]] = {}
    for element in root:
        if _tag(element) == "key":
            key = _new(element.get("id"), keys, "key", file)
            default = next((one.text or "" for one in element if _tag(one) == "default"), "")
            entry = element.get("for", "all"), element.get("attr.name", ""), default
            if entry[1] and any(entry[:2] == other[:2] for other in keys.values()):
                raise InputError(
                    f"{file}: every key must appear once, but {' '.join(entry[:2])} appears twice."
                )
            keys[key] = entry
    graph = next(element for element in root if _tag(element) == "graph")
    is_directed = graph.get("edgedefault") == "directed"
    nodes: dict[str, dict[str, str]] = {}
    edges = []
    for element in graph:
        if _tag(element) == "node":
            node = _new(element.get("id"), nodes, "node id", file)
            nodes[node] = _attributes(element, "node", keys, file)
        elif _tag(element) == "edge":
            source, target = element.get("source"), element.get("target")
            if not (source and target):
                raise InputError(f"{file}: an edge must have a source and a target.")
            if element.get("directed", str(is_directed)).lower() != str(is_directed).lower():
                raise InputError(
                    f"{file}: all edges must be directed or none, but those of {abbreviate(source)} differ."
                )
            edges.append((source, target, _attributes(element, "edge", keys, file)))
    if len(nodes) > _MOST_NODES:
        raise InputError(f"{file}: a graph may have {_MOST_NODES} nodes, but has more; drop some.")
    unlisted = next((node for edge in edges for node in edge[:2] if node not in nodes), None)
    if unlisted is not None:
        raise InputError(
            f"{file}: edges must join nodes of the file, but {abbreviate(unlisted)!r} is not one. Add it."
        )
    return _Document(nodes, edges, is_directed)


def _attributes(element: Any, kind: str, keys: dict[str, tuple[str, str, str]], file: Path) -> dict[str, str]:
    found = {name: default for target, name, default in keys.values() if default and target in (kind, "all")}
    seen: set[str] = set()
    for data in element:
        if _tag(data) != "data":
            continue
        key = _new(data.get("key"), seen, f"attribute of one {kind}", file)
        seen.add(key)
        if key not in keys:
            raise InputError(
                f"{file}: every attribute must have a key, but there is no key {abbreviate(key)}."
            )
        name, text = keys[key][1], data.text
        label = data.find(".//{*}NodeLabel")
        if label is not None:
            name, text = "label", label.text  # of yEd
        if name and text:
            found[name] = text
    return found


def _tree(file: Path, options: ReadOptions) -> Any:
    """Parse a document with one graph."""
    content = read_text(file, options.budget)
    options.budget.check(content.count(b"<") * _BYTES_PER_TAG, file)
    if found := _LONG_TAG.search(content):
        raise InputError(
            f"{file}, line {line_of(content, found.start())}: a tag may have {_LONGEST_TAG} bytes, but one "
            "has more. Copy or write the file again."
        )
    path: list[str] = []
    n_graphs = 0
    try:
        parse = library("defusedxml.ElementTree").iterparse
        events = parse(io.BytesIO(content), ("start", "end"), forbid_dtd=True)
        for event, element in events:
            if event == "end":
                path.pop()
                continue
            path.append(_tag(element))
            n_graphs += path[-1] == "graph"
            if len(path) > _DEEPEST:
                raise InputError(f"{file}: elements may be nested {_DEEPEST} deep, but are deeper.")
            if n_graphs > 1 or (path[-1] == "graph" and len(path) != 2):
                raise InputError(
                    f"{file}: a file must hold one graph, but there are more; write one file for each."
                )
            if path[-1] in ("hyperedge", "port"):
                raise InputError(
                    f"{file}: a graph must have nodes and edges only, but there is a {path[-1]}."
                )
    except InputError:
        raise
    except library("defusedxml.common").DefusedXmlException as error:
        raise InputError(
            f"{file}: GraphML must come without DTD and entities: {abbreviate(error)}."
        ) from error
    except (SyntaxError, ValueError, LookupError) as error:
        raise InputError(f"{file}: the file must be well-formed XML: {abbreviate(error)}.") from error
    if not n_graphs:
        raise InputError(f"{file}: a GraphML file must contain a graph, but does not.")
    return events.root


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _new(name: str | None, known: Container[str], what: str, file: Path) -> str:
    if not name:
        raise InputError(f"{file}: every {what} must be filled in, but one is empty.")
    if name in known:
        raise InputError(f"{file}: every {what} must appear once, but {abbreviate(name)!r} appears twice.")
    return name
