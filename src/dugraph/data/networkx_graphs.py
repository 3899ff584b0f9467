"""Cohorts from and to networkx graphs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    networkx = _networkx()
    check_kind(probability, str, "probability")
    cohort = as_list(graphs, "graphs", "networkx graphs")
    for i, graph in enumerate(cohort):
        if not isinstance(graph, networkx.Graph) or graph.is_directed():
            raise InputError(
                f"graphs must be a list of undirected networkx graphs: entry {i} is of type "
                f"{type(graph).__name__}. Pass [graph] for a single graph, and convert directed ones with "
                "graph.to_undirected()."
            )
        if graph.is_multigraph() != cohort[0].is_multigraph():
            raise InputError(
                f"Either all graphs must have layers or none: graph {i} is a {type(graph).__name__}, graph 0 "
                f"a {type(cohort[0]).__name__}. Convert all of them to one type."
            )
    attributes: dict[Any, dict[str, Any]] = {}  # of nodes; those of the first graph that has them count
    for graph in cohort:
        for node, own in graph.nodes(data=True):
            attributes[node] = own | attributes.get(node, {})
    position = {node: v for v, node in enumerate(attributes)}
    rows = [_row(i, graph, probability, position) for i, graph in enumerate(cohort)]
    edges = sorted({edge for row in rows for edge in row})
    has_layers = any(graph.is_multigraph() for graph in cohort)
    nodes = list(attributes.values())
    located = all({*"xyz"} <= node.keys() for node in nodes)
    names = [str(graph.graph.get("name", "")) for graph in cohort]
    return {
        "edge_probability": np.array([[row.get(edge, 0.0) for edge in edges] for row in rows], ndmin=2),
        "edges": [(larger, smaller) for larger, smaller, _ in edges],
        "edge_layers": [layer for *_, layer in edges] if has_layers else None,
        "node_labels": check_names(list(attributes), "networkx node names", noun="node"),
        "node_coordinates": [[node[axis] for axis in "xyz"] for node in nodes] if located else None,
        "graph_ids": names if all(names) and len(set(names)) == len(names) else None,
        "node_networks": ["" if node.get("network") is None else str(node["network"]) for node in nodes],
    }


def _row(
    i: int, graph: Any, probability: str, position: Mapping[Any, int]
) -> dict[tuple[int, int, str], float]:
    """Return the probabilities of graph `i` by (larger node, smaller node, layer)."""
    row = {}
    edges = graph.edges(keys=True, data=True) if graph.is_multigraph() else graph.edges(data=True)
    for a, b, *key, attributes in edges:
        where, layer = f"edge {abbreviate(a)}--{abbreviate(b)} of graph {i}", key[0] if key else ""
        if not isinstance(layer, str):
            raise InputError(
                f"The keys of a MultiGraph are the layers of its edges and must be text: {where} has the key "
                f"{abbreviate(repr(layer))}. Name it with add_edge(..., key=...), or merge parallel edges "
                "with networkx.Graph(graph)."
            )
        u, v = position[a], position[b]
        if u == v:
            raise InputError(
                f"An edge must join two different nodes: graph {i} joins {abbreviate(a)} to itself. Remove "
                "self-loops: graph.remove_edges_from(networkx.selfloop_edges(graph))."
            )
        try:
            row[max(u, v), min(u, v), layer] = float(attributes[probability])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"Every edge must have a number as attribute {abbreviate(probability)!r}: {where} has "
                f"{abbreviate(attributes)}. Name the right attribute with probability=..."
            ) from error
    return row


def write_networkx(graphs: "UncertainGraphs") -> list["networkx.Graph"]:
    """Return one networkx graph per graph of the cohort; see `UncertainGraphs.to_networkx`."""
    written = []
    for graph_id, row in zip(graphs.graph_ids, graphs.edge_probability, strict=True):
        graph = _with_nodes(graphs.naming, range(graphs.n_nodes), name=graph_id)
        for e in np.flatnonzero(row).tolist():
            _add_edge(graph, graphs.naming, e, probability=float(row[e]))
        written.append(graph)
    return written


def subgraphs_to_networkx(
    naming: "SubgraphNaming", subgraphs: Sequence[tuple[int, ...]], values: Mapping[str, Any]
) -> "networkx.Graph":
    """Return the union of subgraphs, best first, as one networkx graph, or MultiGraph with layers as keys.

    Nodes have `x`, `y`, `z` and `network` where these are known; edges have `index`, `rank` (of the best
    subgraph that contains it), `n_subgraphs` and the `values` of this subgraph by name.
    """
    counts = Counter(edge for subgraph in subgraphs for edge in subgraph)
    best = {edge: k for k in reversed(range(len(subgraphs))) for edge in subgraphs[k]}
    graph = _with_nodes(naming, np.unique(naming.edges[sorted(best)]).tolist())
    for edge, k in sorted(best.items()):
        own = {name: np.asarray(column[k]).item() for name, column in values.items()}
        _add_edge(graph, naming, edge, index=edge, rank=k + 1, n_subgraphs=counts[edge], **own)
    return graph


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise ImportError("to_networkx needs networkx: install it with pip install 'dugraph[io]'.") from error
    return networkx


def _with_nodes(naming: "SubgraphNaming", nodes: Iterable[int], **attributes: Any) -> "networkx.Graph":
    """Return a graph, or a MultiGraph for layers, without edges."""
    networkx = _networkx()
    graph = (networkx.Graph if naming.edge_layers is None else networkx.MultiGraph)(**attributes)
    for v in nodes:
        known: dict[str, Any] = {}
        if naming.node_coordinates is not None:
            known |= zip("xyz", naming.node_coordinates[v].tolist(), strict=True)
        if naming.node_networks is not None and naming.node_networks[v]:
            known["network"] = naming.node_networks[v]
        graph.add_node(naming.node_labels[v], **known)
    return graph


def _add_edge(graph: "networkx.Graph", naming: "SubgraphNaming", e: int, **attributes: Any) -> None:
    _, (smaller, larger), layer = naming.edge_ends(e)
    graph.add_edge(smaller, larger, **({} if layer is None else {"key": layer}), **attributes)
