"""The edge list: default order, checks, signed layers, and the names of edges and subgraphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.arguments import abbreviate, as_list, edge_label, whole_number
from dugraph.exceptions import InputError

# A larger index is likely an identifier, not a position, and naming all nodes would exhaust memory.
MOST_UNNAMED_NODES = 1_000_000


def triangle_size(n_edges: int, n_nodes: int | None) -> int:
    """Return how many nodes have `n_edges` pairs; `n_nodes` is their number if it is known."""
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
    """Return an edge list of shape (n_edges, 2) as int64; floats without a fraction are accepted.

    `n_edges` is the number of columns of edge_probability, if it is known.
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
            f"edges must hold integer node indices: edge 0 is {abbreviate(pairs[0].tolist())} of dtype "
            f"{pairs.dtype}. Convert them to int; a node name becomes its position in node_labels."
        )
    with np.errstate(invalid="ignore"):
        # NaN and infinity leave NaN, which is not 0.
        whole = np.mod(pairs, 1) == 0
    _refuse_first(~whole, pairs, "edges must hold integer node indices", "Give positions in node_labels.")
    # So that the conversion below never wraps around; smaller indices are checked in `normal_edges`.
    limit = np.iinfo(np.int32).max
    beyond = (pairs > limit) | (pairs < -limit)
    _refuse_first(beyond, pairs, "edges must hold node indices below 2^31", "Count nodes from 0.")
    return pairs.astype(np.int64)


def _refuse_first(bad: NDArray[np.bool_], pairs: NDArray[np.generic], rule: str, way_out: str) -> None:
    if bad.any():
        e, side = (int(k) for k in np.argwhere(bad)[0])
        raise InputError(
            f"{rule}: edge {e} is {abbreviate(pairs[e].tolist())}, entry {side} breaks this. {way_out}"
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
    """Check edges against the nodes; return each as (larger node, smaller node), in the order given."""
    n_nodes = len(node_labels)
    outside = np.argwhere((edges < 0) | (edges >= n_nodes))
    if len(outside):
        e, side = (int(k) for k in outside[0])
        other = int(edges[e, 1 - side])
        known = f", whose other node is {abbreviate(node_labels[other])}" if 0 <= other < n_nodes else ""
        raise InputError(
            f"edges must join nodes 0 to {n_nodes - 1}: edge {e} is {edges[e].tolist()}{known}. "
            "Count nodes from 0, or add the missing names to node_labels."
        )
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        e, node = int(loops[0]), int(edges[loops[0], 0])
        raise InputError(
            f"An edge must join two different nodes: edge {e} joins node {node} "
            f"({abbreviate(node_labels[node])}) to itself. Drop self-loops and their columns of "
            "edge_probability."
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
    name = edge_label(node_labels, int(smaller[first]), int(larger[first]))
    how = "repeats" if (edges[first] == edges[second]).all() else "is the reverse of"
    if edge_layers is None:
        raise InputError(
            f"Edges must be distinct and undirected: edge {second} {how} edge {first} ({name}). "
            "Drop one of them, or separate them with edge_layers."
        )
    raise InputError(
        f"Edges within one layer must be distinct and undirected: edge {second} {how} edge {first} ({name}) "
        f"in layer {abbreviate(edge_layers[first])}. Drop one of them, or give it another layer."
    )


SIGNS = ("negative", "positive")
"""Names of the layers, in the order of the columns and of the ranking."""


def signed_names(names: Iterable[str]) -> list[str]:
    """Name the two links of each pair as `UncertainGraphs` names edges of layers: ``A--B [negative]``."""
    return [f"{name} [{sign}]" for name in names for sign in SIGNS]


def signed_edges(edges: ArrayLike) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return every edge twice, as a negative and as a positive link.

    This is the order of the columns of ``EdgeProbability(layers="signed")``, so that edges that are in
    default order stay so (larger node, smaller node, layer).

    Parameters
    ----------
    edges : array-like of int, shape (n_pairs, 2)
        The two nodes of each pair.

    Returns
    -------
    edges : ndarray of int32, shape (2 * n_pairs, 2)
        Each row twice.
    edge_layers : tuple of str, length 2 * n_pairs
        "negative", "positive", "negative", ...

    Examples
    --------
    >>> import dugraph as dg
    >>> edges, edge_layers = dg.signed_edges([(1, 0), (2, 0)])
    >>> graphs = dg.UncertainGraphs([[0.0, 0.9, 0.4, 0.0]], edges=edges, edge_layers=edge_layers)
    >>> graphs.edge_name(1), graphs.edge_name(2)
    ('0--1 [positive]', '0--2 [negative]')
    """
    pairs = integer_edges(edges).astype(np.int32)
    return np.repeat(pairs, len(SIGNS), axis=0), SIGNS * len(pairs)


class _Edge(NamedTuple):
    """Sorts in default order."""

    larger: int
    smaller: int
    name: str


class SubgraphNaming:
    """The nodes and edges of a cohort without its probabilities: what a result needs to name and draw itself.

    Names are built on demand, since a long list of subgraphs has many. Two are equal if their names are.

    Parameters
    ----------
    edges : ndarray of int32, shape (n_edges, 2)
        Each row as (larger node, smaller node).
    node_labels : tuple of str
    edge_layers : tuple of str, or None
    node_coordinates : ndarray of shape (n_nodes, 3), or None
    node_networks : sequence of str, length n_nodes, or None
    """

    def __init__(
        self,
        edges: NDArray[np.int32],
        node_labels: tuple[str, ...],
        edge_layers: tuple[str, ...] | None,
        node_coordinates: NDArray[np.float64] | None = None,
        node_networks: Sequence[str] | None = None,
    ) -> None:
        self._edges, self._labels, self._layers = edges, node_labels, edge_layers
        self.node_coordinates, self.node_networks = node_coordinates, node_networks
        self._known: dict[int, _Edge] = {}
        self._nodes: dict[str, int] = {}
        self._columns: dict[tuple[int, int, str | None], int] = {}

    @property
    def n_edges(self) -> int:
        """Number of edges that have a name."""
        return len(self._edges)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._labels)

    @property
    def edges(self) -> NDArray[np.int32]:
        """The nodes of each edge, shape (n_edges, 2)."""
        return self._edges

    @property
    def node_labels(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return self._labels

    @property
    def edge_layers(self) -> tuple[str, ...] | None:
        """The layer of each edge, if edges have layers."""
        return self._layers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubgraphNaming):
            return NotImplemented
        return self._labels == other._labels and self._same_edges(other)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_known": {}, "_nodes": {}, "_columns": {}}

    def _same_edges(self, other: SubgraphNaming) -> bool:
        same = self._edges is other._edges or np.array_equal(self._edges, other._edges)
        return same and self._layers == other._layers

    @property
    def is_numbered(self) -> bool:
        """Whether nodes have no names, only their positions."""
        return self._labels == tuple(map(str, range(len(self._labels))))

    def same_positions(self, other: SubgraphNaming) -> bool:
        """Whether edges have the same positions in both cohorts, one of which has no names of nodes."""
        return (
            (self.is_numbered or other.is_numbered)
            and len(self._labels) == len(other._labels)
            and self._same_edges(other)
        )

    @property
    def layers(self) -> tuple[str | None, ...]:
        """The layers in order of appearance; None stands for edges without layers."""
        return (None,) if self._layers is None else tuple(dict.fromkeys(self._layers))

    @property
    def label_index(self) -> dict[str, int]:
        """Node indices by label, with and without white space around it."""
        if not self._nodes:
            self._nodes = {label.strip(): node for node, label in enumerate(self._labels)}
            self._nodes |= {label: node for node, label in enumerate(self._labels)}
        return self._nodes

    def node(self, label: str) -> int | None:
        """Return the index of a node; None if there is no such label."""
        known = self.label_index
        return known.get(label, known.get(label.strip()))

    def edge_between(self, a: str, b: str, layer: str | None = None) -> int | None:
        """Return the index of the edge between two nodes in a layer; None if it is not listed."""
        if not self._columns:
            layers = self._layers or (None,) * len(self._edges)
            rows = zip(self._edges.tolist(), layers, strict=True)
            self._columns = {(u, v, name): edge for edge, ((u, v), name) in enumerate(rows)}
        ends = self.node(a), self.node(b)
        if None in ends:
            return None
        u, v = sorted(end for end in ends if end is not None)
        return self._columns.get((v, u, layer))

    def _edge(self, edge: int) -> _Edge:
        edge = whole_number(edge, "edge")
        if edge not in self._known:
            if not 0 <= edge < len(self._edges):
                raise InputError(f"An edge index must be from 0 to {len(self._edges) - 1}: got {edge}.")
            larger, smaller = self._edges[edge].tolist()
            name = f"{self._labels[smaller]}--{self._labels[larger]}"
            layered = name if self._layers is None else f"{name} [{self._layers[edge]}]"
            self._known[edge] = _Edge(larger, smaller, layered)
        return self._known[edge]

    def edge_key(self, edge: int) -> tuple[frozenset[str], str | None]:
        """Return the names of an edge's regions and its layer, which identify it in any cohort."""
        larger, smaller = self._edges[edge].tolist()
        layer = None if self._layers is None else self._layers[edge]
        return frozenset((self._labels[larger], self._labels[smaller])), layer

    def edge_ends(self, edge: int) -> tuple[list[int], list[str], str | None]:
        """Return the two nodes of an edge, the earlier first, their labels, and its layer."""
        nodes = sorted(self._edges[edge].tolist())
        layer = None if self._layers is None else self._layers[edge]
        return nodes, [self._labels[node] for node in nodes], layer

    def edge_name(self, edge: int) -> str:
        """Name an edge by its nodes, the earlier node first: ``A--B``, or ``A--B [layer]``."""
        return self._edge(edge).name

    def subgraph_name(self, subgraph: Iterable[int]) -> str:
        """Name a subgraph by its edges: ``{A--B, B--C}``."""
        # In default order, so that equal subgraphs have equal names whatever the order of the columns.
        edges = sorted(map(self._edge, as_list(subgraph, "subgraph", "edge indices")))
        return "{" + ", ".join(edge.name for edge in edges) + "}"

    def subgraph_names(self, subgraphs: Iterable[Iterable[int]]) -> list[str]:
        """Name many subgraphs."""
        return [self.subgraph_name(subgraph) for subgraph in subgraphs]
