"""Edges as results.json holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dugraph.data import UncertainGraphs


def edges_json(edges: Sequence[int], graphs: UncertainGraphs) -> list[dict[str, Any]]:
    """Edges by their indices and by the names of their nodes."""
    return [_edge_json(edge, graphs) for edge in edges]


def _edge_json(edge: int, graphs: UncertainGraphs) -> dict[str, Any]:
    nodes = sorted(int(node) for node in graphs.edges[edge])
    layer = {} if graphs.edge_layers is None else {"layer": graphs.edge_layers[edge]}
    return {
        "index": edge,
        "nodes": nodes,
        "node_labels": [graphs.node_labels[node] for node in nodes],
        **layer,
    }
