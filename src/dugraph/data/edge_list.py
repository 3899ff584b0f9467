"""The edge list: default lower triangle, checks, normal form."""

from collections.abc import Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import shown, shown_pair
from dugraph.exceptions import InputError

# Above this, an index is likely an identifier and no position, and naming all nodes would exhaust memory.
MOST_UNNAMED_NODES = 1_000_000


def triangle_size(n_edges: int, n_nodes: int | None) -> int:
    """Find how many nodes have `n_edges` pairs; `n_nodes` is their number when it is known.

    Parameters
    ----------
    n_edges : int
    n_nodes : int or None

    Returns
    -------
    int
    """
    if n_nodes is not None:
        n_pairs = n_nodes * (n_nodes - 1) // 2
        if n_pairs != n_edges:
            raise InputError(
                f"Without edges, edge_probability must have one column per pair of nodes: {n_nodes} "
                f"node_labels make {n_pairs} pairs, but there are {n_edges} columns. Pass edges of shape "
                f"({n_edges}, 2)."
            )
        return n_nodes
    size = (1 + isqrt(1 + 8 * n_edges)) // 2
    if size * (size - 1) // 2 != n_edges:
        below, above = size * (size - 1) // 2, size * (size + 1) // 2
        raise InputError(
            "Without edges, edge_probability must have V(V-1)/2 columns, one per pair of V nodes: "
            f"got {n_edges} columns; the nearest such numbers are {below} (V={size}) and {above} "
            f"(V={size + 1}). Pass edges of shape ({n_edges}, 2)."
        )
    return size


def triangle_edges(n_nodes: int) -> NDArray[np.int32]:
    """List all pairs of nodes in ``np.tril_indices(n_nodes, -1)`` order, shape (n_pairs, 2)."""
    return np.stack(np.tril_indices(n_nodes, -1), axis=1).astype(np.int32)


def integer_edges(edges: object, n_edges: int | None = None) -> NDArray[np.int64]:
    """Check the shape of an edge list and that its entries are integers.

    Parameters
    ----------
    edges : array-like of shape (n_edges, 2)
        Integers; floats are accepted when they have no fraction, since text files often give them.
    n_edges : int, optional
        Number of columns of edge_probability, when that is known.

    Returns
    -------
    ndarray of int64, shape (n_edges, 2)
    """
    try:
        pairs = np.asarray(edges)
    except ValueError as error:
        raise InputError(f"edges must have two nodes in each row: {error}.") from error
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(
            f"edges must have shape (n_edges, 2): got {pairs.shape}. Give each edge as two node indices."
        )
    if n_edges is not None and len(pairs) != n_edges:
        raise InputError(
            f"edges must have one row per column of edge_probability: got {len(pairs)} edges for {n_edges} "
            "columns. Drop the surplus edges or columns."
        )
    if pairs.dtype.kind not in "iuf":
        raise InputError(
            f"edges must hold integer node indices: edge 0 is {shown(pairs[0].tolist())} of dtype "
            f"{pairs.dtype}. Convert them to int; a node name becomes its position in node_labels."
        )
    with np.errstate(invalid="ignore"):
        # NaN and infinity leave NaN, which is not 0.
        whole = np.mod(pairs, 1) == 0
    _refuse_first(~whole, pairs, "edges must hold integer node indices", "Give positions in node_labels.")
    # Refused here, so that the conversion below never wraps around; smaller ones are judged with their names.
    limit = np.iinfo(np.int32).max
    beyond = (pairs > limit) | (pairs < -limit)
    _refuse_first(beyond, pairs, "edges must hold node indices below 2^31", "Count nodes from 0.")
    return pairs.astype(np.int64)


def _refuse_first(bad: NDArray[np.bool_], pairs: NDArray[np.generic], rule: str, way_out: str) -> None:
    if bad.any():
        e, side = (int(k) for k in np.argwhere(bad)[0])
        raise InputError(
            f"{rule}: edge {e} is {shown(pairs[e].tolist())}, entry {side} breaks this. {way_out}"
        )


def inferred_n_nodes(edges: NDArray[np.int64]) -> int:
    """Return the number of nodes when nodes have no names: the largest index plus one."""
    n_nodes = max(int(edges.max()) + 1, 1)
    if n_nodes > MOST_UNNAMED_NODES:
        e = int(edges.max(axis=1).argmax())
        raise InputError(
            f"Without node_labels, node indices must be below {MOST_UNNAMED_NODES}: edge {e} is "
            f"{edges[e].tolist()}. Number the nodes 0, 1, 2, ... or pass node_labels."
        )
    return n_nodes


def normal_edges(
    edges: NDArray[np.int64], node_labels: Sequence[str], edge_layers: Sequence[str] | None
) -> NDArray[np.int32]:
    """Check an edge list against the nodes and write each edge as (larger node, smaller node).

    Parameters
    ----------
    edges : ndarray of int64, shape (n_edges, 2)
    node_labels : sequence of str, length n_nodes
    edge_layers : sequence of str, length n_edges, or None

    Returns
    -------
    ndarray of int32, shape (n_edges, 2)
        In the order given.
    """
    n_nodes = len(node_labels)
    outside = np.argwhere((edges < 0) | (edges >= n_nodes))
    if len(outside):
        e, side = (int(k) for k in outside[0])
        other = int(edges[e, 1 - side])
        known = f", whose other node is {shown(node_labels[other])}" if 0 <= other < n_nodes else ""
        raise InputError(
            f"edges must join nodes 0 to {n_nodes - 1}: edge {e} is {edges[e].tolist()}{known}. "
            "Count nodes from 0, or add the missing names to node_labels."
        )
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        e, node = int(loops[0]), int(edges[loops[0], 0])
        raise InputError(
            f"An edge must join two different nodes: edge {e} joins node {node} ({shown(node_labels[node])}) "
            "to itself. Drop self-loops and their columns of edge_probability."
        )
    larger, smaller = edges.max(axis=1), edges.min(axis=1)
    _check_distinct(edges, larger, smaller, node_labels, edge_layers)
    return np.stack([larger, smaller], axis=1).astype(np.int32)


def _check_distinct(
    edges: NDArray[np.int64],
    larger: NDArray[np.int64],
    smaller: NDArray[np.int64],
    node_labels: Sequence[str],
    edge_layers: Sequence[str] | None,
) -> None:
    codes: dict[str, int] = {}
    layers = [codes.setdefault(layer, len(codes)) for layer in edge_layers or [""] * len(edges)]
    keys = np.stack([larger, smaller, np.array(layers, dtype=np.int64)])
    # lexsort is stable: among equal edges the first one given stays first.
    order = np.lexsort(keys)
    repeats = np.flatnonzero((keys[:, order[1:]] == keys[:, order[:-1]]).all(axis=0))
    if len(repeats) == 0:
        return
    at = int(repeats[order[repeats + 1].argmin()])
    first, second = int(order[at]), int(order[at + 1])
    name = shown_pair(node_labels, int(smaller[first]), int(larger[first]))
    how = "repeats" if (edges[first] == edges[second]).all() else "is the reverse of"
    if edge_layers is None:
        raise InputError(
            f"Edges must be distinct and undirected: edge {second} {how} edge {first} ({name}). "
            "Drop one of them, or separate them with edge_layers."
        )
    raise InputError(
        f"Edges within one layer must be distinct and undirected: edge {second} {how} edge {first} ({name}) "
        f"in layer {shown(edge_layers[first])}. Drop one of them, or give it another layer."
    )
