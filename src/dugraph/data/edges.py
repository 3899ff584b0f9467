"""Edges as pairs of nodes, the signs of edges, and names of edges, ``A--B``: given and read."""

from __future__ import annotations

import heapq
import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.arguments import abbreviate, as_list, edge_label, listed, whole_number
from dugraph.data.columns import check_names
from dugraph.exceptions import AssumedEdgesWarning, InputError

Pair = tuple[str, str]
Ends = tuple[str, str, str | None]
EdgeKey = tuple[frozenset[str], str | None]
SEPARATOR = "--"
_LAYER = re.compile(r"(.+) \[([^\[\]]+)\]")


def edge_text(a: str, b: str, layer: str | None = None) -> str:
    """Name an edge between two nodes: ``A--B``, or ``A--B [layer]``."""
    return f"{a}{SEPARATOR}{b}" if layer is None else f"{a}{SEPARATOR}{b} [{layer}]"


def tidy(name: str) -> str:
    """Return the name of an edge without spaces around its regions."""
    return SEPARATOR.join(part.strip() for part in name.split(SEPARATOR))


# A larger index is likely an identifier, not a position, and naming all nodes would exhaust memory.
MOST_UNNAMED_NODES = 1_000_000


def triangle_size(n_edges: int, n_nodes: int | None) -> int:
    """Return how many nodes have `n_edges` pairs; `n_nodes` is their number if it is known."""
    size = (1 + isqrt(1 + 8 * n_edges)) // 2 if n_nodes is None else n_nodes
    if size * (size - 1) // 2 != n_edges:
        pairs = f"V = {size} has {size * (size - 1) // 2} pairs"
        if n_nodes is None:
            pairs += f", V = {size + 1} has {size * (size + 1) // 2}"
        raise InputError(
            "Without edges, edge_probability must have V(V-1)/2 columns, one per pair of V nodes: got "
            f"{n_edges} columns, but {pairs}. Pass edges of shape ({n_edges}, 2)."
        )
    return size


def triangle_edges(n_nodes: int) -> NDArray[np.int32]:
    """List all pairs of nodes in ``np.tril_indices(n_nodes, -1)`` order, shape (n_pairs, 2)."""
    return np.stack(np.tril_indices(n_nodes, -1), axis=1).astype(np.int32)


def integer_edges(edges: object, n_edges: int | None = None) -> NDArray[np.int64]:
    """Return a list of `n_edges` edges as int64; floats without a fraction are accepted."""
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
    with np.errstate(invalid="ignore"):  # NaN and infinity leave NaN, which is not 0
        # Indices below 2^31, so that the conversion below never wraps around.
        valid = (np.mod(pairs, 1) == 0) & (np.abs(pairs) < 2**31)
    if not valid.all():
        e, side = (int(k) for k in np.argwhere(~valid)[0])
        raise InputError(
            f"edges must hold integer node indices below 2^31: edge {e} is {abbreviate(pairs[e].tolist())}, "
            f"and its entry {side} is not one. Give positions in node_labels, counted from 0."
        )
    return pairs.astype(np.int64)


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
    ends = np.stack([edges.max(axis=1), edges.min(axis=1)], axis=1)
    layers = np.unique(edge_layers or [""] * len(edges), return_inverse=True)[1]
    keys = (ends[:, 0] * n_nodes + ends[:, 1]) * (layers.max() + 1) + layers
    _, first_with, key_of = np.unique(keys, return_index=True, return_inverse=True)
    repeats = np.flatnonzero(first_with[key_of] != np.arange(len(edges)))
    if len(repeats):
        second = int(repeats[0])
        first = int(first_with[key_of[second]])
        how = "repeats" if (edges[first] == edges[second]).all() else "is the reverse of"
        name = edge_label(node_labels, *ends[first][::-1].tolist())
        if edge_layers is not None:
            name += f" [{abbreviate(edge_layers[first])}]"
        raise InputError(
            f"Edges must be distinct and undirected: edge {second} {how} edge {first} ({name}). Drop one of "
            "them, or separate them with edge_layers."
        )
    return ends.astype(np.int32)


SIGNS = ("negative", "positive")  # the layers, in the order of the columns and of the ranking


def is_signed(edge_layers: object) -> bool:
    """Return whether layers are given as "signed"; an array of names is not compared with the word."""
    return isinstance(edge_layers, str) and edge_layers == "signed"


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


@dataclass(eq=False, repr=False)
class SubgraphNaming:
    """The nodes and edges of a cohort without its probabilities: what a result needs to name and draw itself.

    Each row of `edges` is (larger node, smaller node). Names are built on demand, since a long list of
    subgraphs has many. Two are equal if their names are.
    """

    edges: NDArray[np.int32]
    node_labels: tuple[str, ...]
    edge_layers: tuple[str, ...] | None
    node_coordinates: NDArray[np.float64] | None = None
    node_networks: Sequence[str] | None = None

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.node_labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubgraphNaming):
            return NotImplemented
        return self.node_labels == other.node_labels and self._same_edges(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:  # without what was computed on demand
        parts = self.edges, self.node_labels, self.edge_layers, self.node_coordinates, self.node_networks
        return SubgraphNaming, parts

    def _same_edges(self, other: SubgraphNaming) -> bool:
        return np.array_equal(self.edges, other.edges) and self.edge_layers == other.edge_layers

    @cached_property
    def is_numbered(self) -> bool:
        """Whether nodes have no names, only their positions."""
        return self.node_labels == tuple(map(str, range(self.n_nodes)))

    def same_positions(self, other: SubgraphNaming) -> bool:
        """Whether edges have the same positions in both cohorts, one of which has no names of nodes."""
        numbered = self.is_numbered or other.is_numbered
        return numbered and self.n_nodes == other.n_nodes and self._same_edges(other)

    @cached_property
    def edge_of(self) -> dict[EdgeKey, int]:
        """The index of each edge by its `edge_key`."""
        return {self.edge_key(edge): edge for edge in range(self.n_edges)}

    @cached_property
    def edges_called(self) -> dict[str, list[int]]:
        """The edges by name, without surplus spaces; either region may come first."""
        found: dict[str, list[int]] = {}
        for edge in range(self.n_edges):
            (a, b), layer = self.edge_ends(edge)[1:]
            for name in (edge_text(a, b, layer), edge_text(b, a, layer)):
                found.setdefault(tidy(name), []).append(edge)
        return found

    @cached_property
    def most_commas(self) -> int:
        """The most commas in the name of an edge."""
        return max(name.count(",") for name in self.edges_called)

    def edge_key(self, edge: int) -> EdgeKey:
        """Return the names of an edge's regions and its layer, which identify it in any cohort."""
        _, labels, layer = self.edge_ends(edge)
        return frozenset(labels), layer

    def edge_ends(self, edge: int) -> tuple[list[int], list[str], str | None]:
        """Return the two nodes of an edge, the earlier first, their labels, and its layer."""
        larger, smaller = self.edges[edge].tolist()
        layer = None if self.edge_layers is None else self.edge_layers[edge]
        return [smaller, larger], [self.node_labels[smaller], self.node_labels[larger]], layer

    def edge_name(self, edge: int) -> str:
        """Name an edge by its nodes, the earlier node first: ``A--B``, or ``A--B [layer]``."""
        edge = whole_number(edge, "edge")
        if not 0 <= edge < self.n_edges:
            raise InputError(f"An edge index must be from 0 to {self.n_edges - 1}: got {edge}.")
        (a, b), layer = self.edge_ends(edge)[1:]
        return edge_text(a, b, layer)

    def subgraph_name(self, subgraph: Iterable[int]) -> str:
        """Name a subgraph by its edges: ``{A--B, B--C}``."""
        name_of = {edge: self.edge_name(edge) for edge in as_list(subgraph, "subgraph", "edge indices")}
        # In default order, so that equal subgraphs have equal names whatever the order of the columns.
        ordered = sorted(name_of, key=lambda edge: (*self.edges[edge].tolist(), name_of[edge]))
        return "{" + ", ".join(name_of[edge] for edge in ordered) + "}"

    def subgraph_names(self, subgraphs: Iterable[Iterable[int]]) -> list[str]:
        """Name many subgraphs."""
        return [self.subgraph_name(subgraph) for subgraph in subgraphs]


# --- Edges by the names of columns --------------------------------------------------------------------------


class NamedEdges(NamedTuple):
    """The parts of a cohort that the names of its columns determine."""

    edges: NDArray[np.int64]
    node_labels: tuple[str, ...]
    edge_layers: tuple[str, ...] | None


def edge_columns(X: object) -> tuple[str, ...] | None:
    """Return the column names of a data frame if they name edges; None for other names and for arrays."""
    columns = getattr(X, "columns", None)
    if columns is None or callable(columns):
        return None
    names = tuple(columns)
    if not all(isinstance(name, str) for name in names):
        return None
    naming = [SEPARATOR in name for name in names]
    if not any(naming):
        return None
    if not all(naming):
        e = naming.index(False)
        raise InputError(
            f"Either all columns or none must name an edge as A{SEPARATOR}B: column {naming.index(True)} is "
            f"{abbreviate(names[naming.index(True)])!r}, but column {e} is {abbreviate(names[e])!r}. Drop "
            "the columns that are not edges."
        )
    return names


def warn_of_other_names(X: object, edges: object = None, stacklevel: int = 3) -> None:
    """Warn if a data frame is read by position although its columns have names that are not edges.

    Names that scikit-learn gives to columns of an array, ``x0``, ``x1``, ..., are positions themselves, and
    given `edges` say which edge each column is.
    """
    columns = getattr(X, "columns", None)
    if edges is not None or columns is None or callable(columns) or edge_columns(X) is not None:
        return
    names = [str(name) for name in columns]
    positions = [f"x{e}" for e in range(len(names))]
    if not names or names in (positions, signed_names(positions[: len(names) // 2])):
        return
    warnings.warn(
        f"Columns should name their edges as A{SEPARATOR}B, but are called {listed(names)}: they are read by "
        "position, as the pairs of np.tril_indices(n_nodes, -1), which is right only if they are in this "
        f"order. Rename the columns as A{SEPARATOR}B, or pass edges.",
        AssumedEdgesWarning,
        stacklevel=stacklevel,
    )


def named_edges(
    names: Sequence[str], edges: Any = None, node_labels: object = None, edge_layers: object = None
) -> NamedEdges:
    """Return the edges, nodes and layers that columns are named after; refuse arguments that contradict.

    Columns are named ``A--B``, or ``A--B [layer]``. Given `edges` must join the same nodes; with
    ``edge_layers="signed"``, one row stands for both signs. The order of given `node_labels` counts; by
    default each node comes before those that it is named before, else in alphabetical order, so that the
    order of the columns does not matter.

    Examples
    --------
    >>> found = named_edges(["Thalamus--Insula", "Cuneus--Thalamus"])
    >>> found.node_labels, found.edges.tolist()
    (('Cuneus', 'Thalamus', 'Insula'), [[1, 2], [0, 1]])
    """
    own = None if node_labels is None else check_names(node_labels, "node_labels", noun="node")
    known = None if own is None else dict.fromkeys(label.strip() for label in own)
    bare, layers = _without_layers(names, known, edge_layers)
    pairs = [_pair(name, known) for name in bare]
    if edges is None:
        labels = ordered_nodes(pairs) if own is None else own
        position = {label.strip(): node for node, label in enumerate(labels)}
        rows = np.array([[position[a], position[b]] for a, b in pairs], dtype=np.int64)
        return NamedEdges(rows, labels, layers)
    given = integer_edges(signed_edges(edges)[0] if is_signed(edge_layers) else edges, len(names))
    labels = labels_of(given, pairs) if own is None else own
    for e, (row, pair) in enumerate(zip(given.tolist(), pairs, strict=True)):
        joined = [labels[node] if 0 <= node < len(labels) else str(node) for node in row]
        if {label.strip() for label in joined} != set(pair):
            raise InputError(
                f"Column names must agree with edges: column {e} is {abbreviate(names[e])!r}, but edges[{e}] "
                f"is {row}, which is {abbreviate(SEPARATOR.join(joined))!r} by the other columns or "
                "node_labels. Leave edges out: the names say which edge each column is."
            )
    return NamedEdges(given, labels, layers)


def find_columns(names: Iterable[str], wanted: Iterable[Ends]) -> dict[Ends, int]:
    """Return the column of each wanted edge (node, node, layer or None); either node may come first."""
    columns: dict[str, list[int]] = {}
    for e, name in enumerate(names):
        columns.setdefault(tidy(name), []).append(e)
    found = {}
    for a, b, layer in wanted:
        spellings = {tidy(edge_text(a, b, layer)), tidy(edge_text(b, a, layer))}
        present = [e for name in spellings for e in columns.get(name, ())]
        if len(present) > 1:
            raise InputError(
                f"An edge must have one column, but {abbreviate(edge_text(a, b, layer))!r} has "
                f"{len(present)}. Drop all but one of them."
            )
        if present:
            found[a, b, layer] = present[0]
    return found


def _splits(name: str, known: Collection[str] | None) -> list[Pair]:
    """Return the ways to read a name as two nodes, of those known."""
    cuts = [at.start() for at in re.finditer(f"(?={SEPARATOR})", name)]
    ways = [(name[:at].strip(), name[at + len(SEPARATOR) :].strip()) for at in cuts]
    return ways if known is None else [(a, b) for a, b in ways if a in known and b in known]


def _pair(name: str, known: Collection[str] | None) -> Pair:
    splits = _splits(name, known)
    if len(splits) == 1 and all(splits[0]):
        return splits[0]
    if known is not None and not splits:
        raise InputError(
            f"Column names must be made of node_labels: {abbreviate(name)!r} is not, because node_labels are "
            f"{listed(known)}. Give the names of all nodes, or leave node_labels out."
        )
    raise InputError(
        f"A column must name its edge as A{SEPARATOR}B, in one way only: {abbreviate(name)!r} does not. "
        "Rename it" + (", or give node_labels." if known is None else ".")
    )


def _without_layers(
    names: Sequence[str], known: Collection[str] | None, edge_layers: object
) -> tuple[Sequence[str], tuple[str, ...] | None]:
    """Split off the layers, where the names have any; they must be those given."""
    signed = is_signed(edge_layers)
    given: tuple[str, ...] | None = None
    if edge_layers is not None and not signed:
        given = check_names(edge_layers, "edge_layers", len(names), "edge", unique=False)
    matches = [match for name in names if (match := _LAYER.fullmatch(name))]
    layers = tuple(match[2] for match in matches)
    if len(matches) < len(names) or not _are_layers(names, layers, known, edge_layers):
        if signed:
            raise InputError(
                'edge_layers="signed" needs column names that include the sign, such as "A--B [negative]", '
                f"but they are {listed(names)}. Take the columns of EdgeProbability(layers="
                '"signed"), or leave edge_layers out.'
            )
        return names, given
    for e, layer in enumerate(layers):
        allowed = SIGNS if signed else (layer if given is None else given[e],)
        if layer not in allowed:
            raise InputError(
                f"Column names must agree with edge_layers: column {e} is {abbreviate(names[e])!r}, but its "
                f"layer is {abbreviate(' or '.join(allowed))!r}. Leave edge_layers out."
            )
    return [match[1] for match in matches], layers


def _are_layers(
    names: Sequence[str], words: Sequence[str], known: Collection[str] | None, edge_layers: object
) -> bool:
    """Return whether the brackets at the end of every name hold a layer, or are part of a node's name."""
    if known is not None:
        return not all(_splits(name, known) for name in names)
    if edge_layers is not None or set(words) <= set(SIGNS):
        return True
    if any(_LAYER.fullmatch(a) for name in names for a, _ in _splits(name, None)):
        return False
    raise InputError(
        f"Brackets at the end of column names may hold a layer or belong to a node: {listed(names)}. Say "
        "which by edge_layers or node_labels, for example of UncertainGraphs."
    )


def ordered_nodes(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Order nodes so that A--B stays A--B; alphabetically, r2 before r10, where the names leave it open."""
    nodes = {node for pair in pairs for node in pair}
    key = {node: [int(p) if k % 2 else p for k, p in enumerate(re.split("([0-9]+)", node))] for node in nodes}
    before = TopologicalSorter[str]()
    for a, b in pairs:
        before.add(b, a)
    try:
        before.prepare()
    except CycleError:  # A--B, B--C, C--A
        return tuple(sorted(nodes, key=lambda node: (key[node], node)))
    order: list[str] = []
    ready: list[tuple[Any, str]] = []
    while before.is_active():
        for node in before.get_ready():
            heapq.heappush(ready, (key[node], node))
        order.append(heapq.heappop(ready)[1])
        before.done(order[-1])
    return tuple(order)


def labels_of(edges: NDArray[np.int64], pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Name the nodes of given edges: a node has the name that all its columns share."""
    shared: dict[int, set[str]] = {}
    for row, pair in zip(edges.tolist(), pairs, strict=True):
        for node in row:
            shared[node] = shared.get(node, set(pair)) & set(pair)
    for (u, v), (a, b) in zip(edges.tolist(), pairs, strict=True):
        if shared[u] == shared[v] == {a, b}:  # no other column tells them apart
            shared[min(u, v)] = {a}
        for node, neighbour in ((u, v), (v, u)):
            if len(shared[node]) > 1:
                shared[node] = shared[node] - shared[neighbour]
    nodes = range(inferred_n_nodes(edges))
    return tuple(min(shared[node]) if shared.get(node) else str(node) for node in nodes)
