"""Positions for the nodes of edges where there are no coordinates: a layout by networkx."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.exceptions import InputError

_MOST_FOR_DISTANCES = 80  # nodes up to which a layout after all distances is quick

Floats = NDArray[np.float64]


def components(graphs: UncertainGraphs, edges: Collection[int]) -> list[list[int]]:
    """Split edges into connected components, in the order of their smallest edges."""
    nodes: list[tuple[set[int], list[int]]] = []
    for edge in sorted(edges):
        touched, members = set(graphs.edges[edge].tolist()), [edge]
        for part in [part for part in nodes if part[0] & touched]:
            nodes.remove(part)
            touched |= part[0]
            members += part[1]
        nodes.append((touched, sorted(members)))
    return sorted(members for _, members in nodes)


def network_layout(graphs: UncertainGraphs, edges: Collection[int]) -> Floats:
    """Lay out the nodes of edges, each component by itself, one below the other and side by side.

    Parameters
    ----------
    graphs : UncertainGraphs
    edges : collection of int

    Returns
    -------
    ndarray of shape (n_nodes, 2)
        The same for the same edges; NaN for nodes without an edge.
    """
    xy = np.full((graphs.n_nodes, 2), np.nan)
    parts = components(graphs, edges)
    columns = max(int(np.sqrt(len(parts))), 1)
    top = 0.0
    for row in range(0, len(parts), columns):
        placed = [_component_layout(graphs, part) for part in parts[row : row + columns]]
        left, tallest = 0.0, max(float(np.ptp(points[:, 1])) for _, points in placed)
        for nodes, points in placed:
            xy[nodes] = points - points.min(axis=0) + (left, top - tallest)
            left += float(np.ptp(points[:, 0])) + 1.0
        top -= tallest + 1.0
    return xy


def _component_layout(graphs: UncertainGraphs, edges: list[int]) -> tuple[list[int], Floats]:
    try:
        import networkx
    except ImportError as error:
        raise InputError(
            "A subgraph without node_coordinates is laid out by networkx, which is missing: "
            "pip install 'dugraph[plot]'."
        ) from error
    network = networkx.Graph(graphs.edges[edges].tolist())
    if len(network) <= _MOST_FOR_DISTANCES:
        layout = networkx.kamada_kawai_layout(network)
    else:
        layout = networkx.spring_layout(network, seed=0)
    nodes = sorted(layout)
    points = np.array([layout[node] for node in nodes]) * np.sqrt(len(nodes))
    return nodes, _upright(points)


def _upright(points: Floats) -> Floats:
    """Turn a clearly elongated shape upright, since names go to its left and right."""
    centred = points - points.mean(axis=0)
    _, extent, axes = np.linalg.svd(centred, full_matrices=False)
    if extent[0] < 1.2 * extent[1]:
        return np.asarray(centred)
    upright = centred @ axes[::-1].T
    # An axis of a decomposition has no sign of its own: the first node goes up and left.
    return np.asarray(upright * np.where(upright[0] * (-1, 1) < 0, -1.0, 1.0))
