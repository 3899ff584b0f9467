"""Whole graphs: a folder with one GraphML file per subject, or a TUDataset."""

from __future__ import annotations

import io
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, edge_label, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, Floats, check_regions
from dugraph.io.delimited import TextTable, read_numbers, to_number
from dugraph.io.edge_lists import CERTAIN, EdgeRows, Ints, merge_edges, places_of, value_name
from dugraph.io.guards import check_length, library, line_of, read_text
from dugraph.io.input_files import InputFiles, ReadOptions, Subjects, only_file, unknown_values

# --- GraphML ------------------------------------------------------------------------------------------------

# Memory of an element.
_BYTES_PER_TAG = 1_000
# The graphs of connectomics have thousands of nodes; beyond these limits a file is damaged or hostile.
_DEEPEST = 50
_MOST_NODES = 20_000
_LONGEST_TAG = 65_536
_LONG_TAG = re.compile(rb"<[^<>]{%d}" % _LONGEST_TAG)

Attributes = dict[str, str]


@dataclass(frozen=True)
class _Graph:
    """The edges of a file, each listed once, and the positions of its nodes among all regions."""

    rows: EdgeRows
    nodes: Ints
    named_by: str
    coordinates: Floats | None
    rule: str
    has_values: bool


def read_graphml(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one graph per file."""
    files = subjects.files
    kind = options.values or "probability"
    regions: dict[str, int] = {}
    layers: dict[str, int] = {}
    graphs = [_graph(file, kind, regions, layers, options) for file in options.each(files, len(files))]
    _check_alike(graphs, files)
    has_node = np.zeros((len(graphs), len(regions)), dtype=bool)
    coordinates = np.full((len(regions), 3), np.nan)
    for present, graph in zip(has_node, graphs, strict=True):
        present[graph.nodes] = True
        if graph.coordinates is not None:
            # The first file that has a region places it.
            known = coordinates[graph.nodes]
            coordinates[graph.nodes] = np.where(np.isnan(known), graph.coordinates, known)
    notes: dict[str, Any] = {"regions_named_by": graphs[0].named_by}
    if rules := sorted({graph.rule for graph in graphs} - {""}):
        notes["symmetry"] = ", ".join(rules)
    if any(len(graph.rows.value) and not graph.has_values for graph in graphs):
        notes["edge_values"] = CERTAIN
    if options.edge_attribute is not None:
        notes["edge_attribute"] = options.edge_attribute
    found = tuple(layers) or None
    return merge_edges(
        subjects,
        [(replace(graph.rows, layers=found).numbers(), graph.rows.value) for graph in graphs],
        tuple(regions),
        found,
        kind,
        options,
        has_node=has_node,
        coordinates=None if np.isnan(coordinates).any() else coordinates,
        notes=notes,
    )


def _graph(
    file: Path, kind: str, regions: dict[str, int], layers: dict[str, int], options: ReadOptions
) -> _Graph:
    """Read one file; its regions and layers are added to those that are known."""
    nodes, ends, edges, is_directed = _document(file, options)
    named_by, names = _names_of(nodes)
    check_regions(names, file, len(names))
    places, known = places_of(names, regions), tuple(regions)
    place_of = dict(zip(nodes, places, strict=True))
    source, target = (np.array([place_of[pair[k]] for pair in ends], dtype=np.int64) for k in (0, 1))
    value = _value_name({name for one in edges for name in one}, options, file) if edges else ""
    has_layer = [bool(one.get("layer")) for one in edges]
    if any(has_layer) and not all(has_layer):
        first = has_layer.index(False)
        pair = edge_label(known, int(source[first]), int(target[first]))
        raise InputError(f"{file}: either all edges have a layer or none, but {pair} has none. Fill it in.")
    layer = places_of([one["layer"] for one in edges], layers) if any(has_layer) else 0
    values = np.ones(len(edges))
    if value:
        values[:] = [_number(one, value, file, known[u]) for one, u in zip(edges, source, strict=True)]
    found = tuple(layers) if any(has_layer) else None
    rows = EdgeRows(source, target, values, known, lambda _: str(file), layer=layer, layers=found)
    rows, rule = rows.symmetrize(kind) if is_directed else (rows.without_reversed(), "")
    return _Graph(rows, places, named_by, _coordinates_of([*nodes.values()], file, names), rule, bool(value))


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


def _check_alike(graphs: list[_Graph], files: tuple[Path, ...]) -> None:
    for graph, file in zip(graphs, files, strict=True):
        if graph.named_by != graphs[0].named_by:
            raise InputError(
                f"All files must name their regions in the same way, but {files[0]} does so by "
                f"{graphs[0].named_by} and {file} by {graph.named_by}. Fill in the labels, or drop them."
            )
    with_edges = [(graph, file) for graph, file in zip(graphs, files, strict=True) if len(graph.rows.value)]
    for what, way_out, found in (
        ("values", " Write them all with one program.", {g.has_values: file for g, file in with_edges}),
        ("layers", "", {g.rows.layers is not None: file for g, file in with_edges}),
    ):
        if len(found) > 1:
            raise InputError(
                f"Either the edges of all files must have {what} or none, but {found[True]} has them and "
                f"{found[False]} does not.{way_out}"
            )


# Names and positions of nodes, whatever a program calls their attributes.

_NAMES = ("label", "name")
# Programs put their own word before it: dn_fsname of the Connectome Mapper, dn_position_x.
_NAME_ENDINGS = ("_fsname", "_label", "_name")
_AXES = ("x", "y", "z")


def _names_of(nodes: dict[str, Attributes]) -> tuple[str, tuple[str, ...]]:
    """Return the attribute that names the nodes, and the names: label, name, an ending of them, or the id."""
    present = sorted({name for attributes in nodes.values() for name in attributes})
    prefixed = [name for ending in _NAME_ENDINGS for name in present if name.endswith(ending)]
    for attribute in (*_NAMES, *prefixed):
        names = [attributes.get(attribute, "").strip() for attributes in nodes.values()]
        # A word with something before it may also be one of a group of nodes.
        if names and all(names) and (attribute in _NAMES or len(set(names)) == len(names)):
            return f"node {attribute}", tuple(names)
    return "node id", tuple(nodes)


def _coordinates_of(nodes: list[Attributes], file: Path, names: tuple[str, ...]) -> Floats | None:
    """Return the positions of the nodes if all have them: x, y, z, or one word before each of these."""
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


def _number(attributes: Attributes, name: str, file: Path, region: str) -> float:
    """Return an attribute as a number, NaN if it is empty."""
    text = attributes.get(name, "")
    value = to_number(text.strip())
    if value is None:
        raise InputError(
            f"{file}: {name} must be a number, but is {abbreviate(text)!r} at {abbreviate(region)}."
        )
    return value


# The XML, which defusedxml reads without entities, DTDs and external references.


def _document(
    file: Path, options: ReadOptions
) -> tuple[dict[str, Attributes], list[tuple[str, str]], list[Attributes], bool]:
    """Return nodes, the ends and attributes of edges, and whether a plain graph is directed.

    Other elements that could change its meaning, and repeated ones, are refused.
    """
    root = _tree(file, options)
    keys: dict[str, tuple[str, str, str]] = {}
    for element in root.iterfind("{*}key"):
        key = _new(element.get("id"), keys, "key", file)
        entry = element.get("for", "all"), element.get("attr.name", ""), element.findtext("{*}default", "")
        if entry[1] and any(entry[:2] == other[:2] for other in keys.values()):
            raise InputError(f"{file}: every key must appear once, but {' '.join(entry[:2])} appears twice.")
        keys[key] = entry
    graph = root.find("{*}graph")
    nodes: dict[str, Attributes] = {}
    for element in graph.iterfind("{*}node"):
        node = _new(element.get("id"), nodes, "node id", file)
        nodes[node] = _attributes(element, "node", keys, file)
    if len(nodes) > _MOST_NODES:
        raise InputError(f"{file}: a graph may have {_MOST_NODES} nodes, but has more; drop some.")
    elements = graph.findall("{*}edge")
    is_directed = graph.get("edgedefault") == "directed"
    ends = [(one.get("source", ""), one.get("target", "")) for one in elements]
    for element, pair in zip(elements, ends, strict=True):
        if not all(pair):
            raise InputError(f"{file}: an edge must have a source and a target.")
        if element.get("directed", str(is_directed)).lower() != str(is_directed).lower():
            raise InputError(
                f"{file}: all edges must be directed or none, but those of {abbreviate(pair[0])} differ."
            )
        for node in pair:
            if node not in nodes:
                rule = f"edges must join nodes of the file, but {abbreviate(node)!r} is not one. Add it."
                raise InputError(f"{file}: {rule}")
    return nodes, ends, [_attributes(one, "edge", keys, file) for one in elements], is_directed


def _attributes(element: Any, kind: str, keys: dict[str, tuple[str, str, str]], file: Path) -> Attributes:
    """Return the attributes of a node or an edge, with the defaults of their keys."""
    found = {name: default for target, name, default in keys.values() if default and target in (kind, "all")}
    seen: set[str] = set()
    for data in element.iterfind("{*}data"):
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


# --- TUDataset ----------------------------------------------------------------------------------------------

# A folder `DS` of `DS_A.txt`, `DS_graph_indicator.txt` and further tables, one line per item.
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

    y = tuple(_labels(table("_graph_labels.txt"), options))
    graph_of = _positions(table(_INDICATOR), 1, len(y), options)[0][:, 0]
    node, labels = _regions_of_nodes(table("_node_labels.txt"), graph_of, options)
    regions, named_by = _with_readme_names(labels, found.top, options)
    ends, lines = _positions(edges, 2, len(graph_of), options)
    graph = graph_of[ends]
    across = graph[:, 0] != graph[:, 1]
    if across.any():
        row = int(np.argmax(across))
        raise InputError(
            f"{edges}, line {lines[row]}: an edge must join nodes of one graph, but this one joins graphs "
            f"{' and '.join(str(one + 1) for one in graph[row])}."
        )
    kind = options.values or "probability"
    value, notes = _values_of_edges(table("_edge_attributes.txt"), edges.name, len(ends), options)
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


def _positions(file: Path, n_columns: int, largest: int, options: ReadOptions) -> tuple[Ints, Ints]:
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
            f"{file}, line {table.lines[i]}: numbers must be whole, from 1 to {largest}, but one is "
            f"{float(numbers[i, j])!r}. The files do not match, or are damaged."
        )
    return numbers.astype(np.int64) - 1, table.lines


def _labels(file: Path, options: ReadOptions) -> list[str]:
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


def _regions_of_nodes(file: Path, graph_of: Ints, options: ReadOptions) -> tuple[Ints, list[str]]:
    """Return the region of every node; a label must name one node of a graph, to align graphs by label."""
    labels = _labels(file, options)
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


def _values_of_edges(
    file: Path, edges: str, n_edges: int, options: ReadOptions
) -> tuple[Floats, dict[str, Any]]:
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
    names = {} if file is None else _readme_names(file, options)
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


def _readme_names(file: Path, options: ReadOptions) -> dict[str, str]:
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
