"""Cohorts from and to networkx graphs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dugraph.data.arguments import abbreviate, as_list, check_kind
from dugraph.data.columns import check_names
from dugraph.exceptions import InputError

if TYPE_CHECKING:
    import networkx

    from dugraph.data.edges import SubgraphNaming
    from dugraph.data.graphs import UncertainGraphs


def read_networkx(graphs: Sequence["networkx.Graph"], probability: str) -> dict[str, Any]:
    """Merge networkx graphs by the names of their nodes; return the arguments of `UncertainGraphs`."""
    if hasattr(graphs, "is_directed"):
        raise InputError("graphs must be a list of networkx graphs: got a single graph. Pass [graph].")
    cohort = as_list(graphs, "graphs", "networkx graphs")
    check_kind(probability, str, "probability")
    for i, graph in enumerate(cohort):
        _check_kind(i, graph)
    nodes = {node: None for graph in cohort for node in graph.nodes}
    node_labels = check_names(list(nodes), "networkx node names", noun="node")
    position = {node: v for v, node in enumerate(nodes)}

    has_layers = any(graph.is_multigraph() for graph in cohort)
    values: list[dict[tuple[int, int, str], float]] = []
    for i, graph in enumerate(cohort):
        row = {}
        for a, b, layer, attributes in _layered_edges(graph, i, has_layers):
            if a == b:
                raise InputError(
                    f"An edge must join two different nodes: graph {i} joins {abbreviate(a)} to itself. "
                    "Remove self-loops: graph.remove_edges_from(networkx.selfloop_edges(graph))."
                )
            u, v = position[a], position[b]
            row[max(u, v), min(u, v), layer] = _probability_of(attributes, probability, i, a, b)
        values.append(row)
    edges = sorted({edge for row in values for edge in row})
    if not edges:
        raise InputError(
            f"A cohort needs at least one graph and one edge: got {len(cohort)} networkx graphs without any "
            "edge."
        )
    table = np.array([[row.get(edge, 0.0) for edge in edges] for row in values])
    return {
        "edge_probability": table,
        "edges": [(larger, smaller) for larger, smaller, _ in edges],
        "edge_layers": [layer for *_, layer in edges] if has_layers else None,
        "node_labels": node_labels,
        "node_coordinates": _coordinates(cohort, list(nodes)),
        "graph_ids": _graph_names(cohort),
        "node_networks": _networks(cohort, list(nodes)),
    }


def _check_kind(i: int, graph: Any) -> None:
    if not all(hasattr(graph, name) for name in ("is_directed", "is_multigraph", "nodes", "edges")):
        raise InputError(
            f"graphs must be a list of networkx graphs: entry {i} is of type {type(graph).__name__}."
        )
    if graph.is_directed():
        raise InputError(
            f"Graphs must be undirected: graph {i} is a {type(graph).__name__}. "
            "Convert it first, for example with graph.to_undirected()."
        )


def _layered_edges(graph: Any, i: int, has_layers: bool) -> Iterator[tuple[Any, Any, str, dict[str, Any]]]:
    """Yield edges with their layer: the key in a multigraph, empty if no graph has layers."""
    if not has_layers:
        yield from ((a, b, "", attributes) for a, b, attributes in graph.edges(data=True))
        return
    if not graph.is_multigraph():
        raise InputError(
            f"Either all graphs must have layers or none: graph {i} is a {type(graph).__name__}, another "
            "one is a MultiGraph. Make all of them one kind."
        )
    for a, b, key, attributes in graph.edges(keys=True, data=True):
        if not isinstance(key, str):
            raise InputError(
                "The keys of a MultiGraph are the layers of its edges and must be text: edge "
                f"{abbreviate(a)}--{abbreviate(b)} of graph {i} has the key {abbreviate(repr(key))}. Name it "
                "with add_edge(..., key=...), or merge parallel edges with networkx.Graph(graph)."
            )
        yield a, b, key, attributes


def _probability_of(attributes: dict[str, Any], name: str, i: int, a: object, b: object) -> float:
    where = f"edge {abbreviate(a)}--{abbreviate(b)} of graph {i}"
    if name not in attributes:
        raise InputError(
            f"Every edge must have the attribute {abbreviate(name)!r}: {where} has "
            f"{abbreviate(sorted(map(str, attributes)))}. Name the right attribute with probability=..."
        )
    try:
        return float(attributes[name])
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The attribute {abbreviate(name)!r} must be a number: it is "
            f"{abbreviate(repr(attributes[name]))} at {where}. Convert it, or name another attribute with "
            "probability=..."
        ) from error


def _coordinates(cohort: list[Any], nodes: list[Any]) -> list[list[float]] | None:
    found: dict[Any, list[float]] = {}
    for graph in cohort:
        for node, attributes in graph.nodes(data=True):
            if node not in found and all(axis in attributes for axis in "xyz"):
                found[node] = [attributes[axis] for axis in "xyz"]
    return [found[node] for node in nodes] if len(found) == len(nodes) else None


def _networks(cohort: list[Any], nodes: list[Any]) -> list[str] | None:
    found: dict[Any, str] = {}
    for graph in cohort:
        for node, network in graph.nodes(data="network"):
            if network is not None:
                found.setdefault(node, str(network))
    return [found.get(node, "") for node in nodes] if found else None


def _graph_names(cohort: list[Any]) -> tuple[str, ...] | None:
    names = tuple(str(graph.graph.get("name", "")) for graph in cohort)
    return names if all(names) and len(set(names)) == len(names) else None


def write_networkx(graphs: "UncertainGraphs") -> list["networkx.Graph"]:
    """Return one networkx graph per graph of the cohort; see `UncertainGraphs.to_networkx`."""
    networkx = _networkx()
    written = []
    for i, graph_id in enumerate(graphs.graph_ids):
        kind = networkx.Graph if graphs.edge_layers is None else networkx.MultiGraph
        graph = kind(name=graph_id)
        for v in range(graphs.n_nodes):
            _add_node(graph, graphs, v)
        for e in np.flatnonzero(graphs.edge_probability[i]).tolist():
            _add_edge(graph, graphs, e, probability=float(graphs.edge_probability[i, e]))
        written.append(graph)
    return written


def subgraphs_to_networkx(
    naming: "SubgraphNaming", subgraphs: Sequence[tuple[int, ...]], values: Mapping[str, Any]
) -> "networkx.Graph":
    """Return the union of subgraphs, best first, as one networkx graph, or MultiGraph with layers as keys.

    Nodes have `x`, `y`, `z` and `network` where these are known; edges have `index`, `rank` (of the best
    subgraph that contains it), `n_subgraphs` and the `values` of this subgraph by name.
    """
    networkx = _networkx()
    graph = networkx.Graph() if naming.edge_layers is None else networkx.MultiGraph()
    best: dict[int, int] = {}
    counts: dict[int, int] = {}
    for k, subgraph in enumerate(subgraphs):
        for edge in subgraph:
            best.setdefault(edge, k)
            counts[edge] = counts.get(edge, 0) + 1
    for v in np.unique(naming.edges[sorted(best)]).tolist():
        _add_node(graph, naming, v)
    for edge, k in sorted(best.items()):
        own = {name: _plain(column[k]) for name, column in values.items()}
        _add_edge(graph, naming, edge, index=edge, rank=k + 1, n_subgraphs=counts[edge], **own)
    return graph


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise ImportError("to_networkx needs networkx: install it with pip install 'dugraph[io]'.") from error
    return networkx


def _add_node(graph: "networkx.Graph", graphs: "UncertainGraphs | SubgraphNaming", v: int) -> None:
    attributes: dict[str, Any] = {}
    if graphs.node_coordinates is not None:
        attributes = dict(zip("xyz", graphs.node_coordinates[v].tolist(), strict=True))
    if graphs.node_networks is not None and graphs.node_networks[v]:
        attributes["network"] = graphs.node_networks[v]
    graph.add_node(graphs.node_labels[v], **attributes)


def _add_edge(
    graph: "networkx.Graph", graphs: "UncertainGraphs | SubgraphNaming", e: int, **attributes: Any
) -> None:
    larger, smaller = (graphs.node_labels[v] for v in graphs.edges[e])
    key = {} if graphs.edge_layers is None else {"key": graphs.edge_layers[e]}
    graph.add_edge(smaller, larger, **key, **attributes)


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python, which every writer of networkx knows."""
    return value.item() if isinstance(value, np.generic) else value
