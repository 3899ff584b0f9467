"""Data frames whose columns name edges, ``A--B``: which edges and nodes these are, in any order."""

from __future__ import annotations

import heapq
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, listed
from dugraph.data.columns import check_names
from dugraph.data.edges import SIGNS, inferred_n_nodes, integer_edges, signed_edges, signed_names
from dugraph.exceptions import AssumedEdgesWarning, InputError

Pair = tuple[str, str]
SEPARATOR = "--"
_LAYER = re.compile(r"(.+) \[([^\[\]]+)\]")


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
    if not names or names in (_positions(len(names)), signed_names(_positions(len(names) // 2))):
        return
    warnings.warn(
        f"Columns should name their edges as A{SEPARATOR}B, but are called {listed(names)}: they are read by "
        "position, as the pairs of np.tril_indices(n_nodes, -1), which is right only if they are in this "
        f"order. Rename the columns as A{SEPARATOR}B, or pass edges.",
        AssumedEdgesWarning,
        stacklevel=stacklevel,
    )


def _positions(n_columns: int) -> list[str]:
    return [f"x{e}" for e in range(n_columns)]


def named_edges(
    names: Sequence[str], edges: Any = None, node_labels: object = None, edge_layers: object = None
) -> NamedEdges:
    """Return the edges, nodes and layers that columns are named after; refuse arguments that contradict.

    Parameters
    ----------
    names : sequence of str, length n_edges
        ``A--B``, or ``A--B [layer]``, as `UncertainGraphs` and `EdgeProbability` name edges.
    edges : array-like of int, shape (n_edges, 2), optional
        If given, they must join the same nodes; one row for both signs with ``edge_layers="signed"``.
    node_labels : sequence of str, optional
        If given, they must include every node, and their order counts. Default: each node before those that
        it is named before, else in alphabetical order, so that the order of the columns does not matter.
    edge_layers : sequence of str, length n_edges, or "signed", optional
        If given, the names must agree.

    Examples
    --------
    >>> found = named_edges(["Thalamus--Insula", "Cuneus--Thalamus"])
    >>> found.node_labels, found.edges.tolist()
    (('Cuneus', 'Thalamus', 'Insula'), [[1, 2], [0, 1]])
    """
    own = None if node_labels is None else check_names(node_labels, "node_labels", noun="node")
    known = None if own is None else {label.strip(): node for node, label in enumerate(own)}
    bare, layers = _without_layers(names, known, edge_layers)
    pairs = [_pair(name, known) for name in bare]
    if edges is None:
        labels = ordered_nodes(pairs) if own is None else own
        position = {label.strip(): node for node, label in enumerate(labels)}
        rows = np.array([[position[a], position[b]] for a, b in pairs], dtype=np.int64)
        return NamedEdges(rows, labels, layers)
    given = integer_edges(signed_edges(edges)[0] if _is_signed(edge_layers) else edges, len(names))
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


def named_columns(
    names: Iterable[str], wanted: Iterable[tuple[str, str, str | None]]
) -> dict[tuple[str, str, str | None], int]:
    """Return the column of each wanted edge (node, node, layer or None) that is among the `names`.

    Either node may come first.
    """
    clean = [_tidy(name) for name in names]
    position = {name: e for e, name in enumerate(clean)}
    count = Counter(clean)
    found = {}
    for a, b, layer in wanted:
        suffix = "" if layer is None else f" [{layer}]"
        spellings = {_tidy(f"{u}{SEPARATOR}{v}{suffix}") for u, v in ((a, b), (b, a))}
        present = [name for name in spellings if name in count]
        if sum(count[name] for name in present) > 1:
            raise InputError(
                f"An edge must have one column, but {abbreviate(f'{a}{SEPARATOR}{b}{suffix}')!r} has "
                f"{sum(count[name] for name in present)}. Drop all but one of them."
            )
        if present:
            found[a, b, layer] = position[present[0]]
    return found


def _tidy(name: str) -> str:
    return SEPARATOR.join(part.strip() for part in name.split(SEPARATOR))


def _is_signed(edge_layers: object) -> bool:
    return isinstance(edge_layers, str) and edge_layers == "signed"


def _splits(name: str) -> list[Pair]:
    cuts = [at for at in range(len(name)) if name.startswith(SEPARATOR, at)]
    return [(name[:at].strip(), name[at + len(SEPARATOR) :].strip()) for at in cuts]


def known_splits(name: str, known: Collection[str]) -> list[Pair]:
    """Return the ways to read a name as two known nodes."""
    return [(a, b) for a, b in _splits(name) if a in known and b in known]


def _pair(name: str, known: Collection[str] | None) -> Pair:
    splits = _splits(name) if known is None else known_splits(name, known)
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
    given: tuple[str, ...] | None = None
    if edge_layers is not None and not _is_signed(edge_layers):
        given = check_names(edge_layers, "edge_layers", len(names), "edge", unique=False)
    matches = [match for name in names if (match := _LAYER.fullmatch(name))]
    layers = tuple(match[2] for match in matches)
    if len(matches) < len(names) or not _are_layers(names, layers, known, edge_layers):
        if _is_signed(edge_layers):
            raise InputError(
                'edge_layers="signed" needs column names that include the sign, such as "A--B [negative]", '
                f"but they are {listed(names)}. Take the columns of EdgeProbability(layers="
                '"signed"), or leave edge_layers out.'
            )
        return names, given
    allowed: Collection[str] = SIGNS if _is_signed(edge_layers) else layers
    for e, layer in enumerate(layers):
        if layer not in allowed or (given is not None and given[e] != layer):
            stated = given[e] if given is not None else " or ".join(SIGNS)
            raise InputError(
                f"Column names must agree with edge_layers: column {e} is {abbreviate(names[e])!r}, but its "
                f"layer is {abbreviate(stated)!r}. Leave edge_layers out."
            )
    return [match[1] for match in matches], layers


def _are_layers(
    names: Sequence[str], words: Sequence[str], known: Collection[str] | None, edge_layers: object
) -> bool:
    """Return whether the brackets at the end of every name hold a layer, or are part of a node's name."""
    if known is not None:
        return not all(known_splits(name, known) for name in names)
    if edge_layers is not None or set(words) <= set(SIGNS):
        return True
    if any(_LAYER.fullmatch(a) for name in names for a, _ in _splits(name)):
        return False
    raise InputError(
        f"Brackets at the end of column names may hold a layer or belong to a node: {listed(names)}. Say "
        "which by edge_layers or node_labels, for example of UncertainGraphs."
    )


def ordered_nodes(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Order nodes so that A--B stays A--B; alphabetically where the names leave it open."""
    later: dict[str, set[str]] = {node: set() for pair in pairs for node in pair}
    n_before = Counter[str]()
    for a, b in pairs:
        if b not in later[a]:
            later[a].add(b)
            n_before[b] += 1
    ready = [(_alphabetical(node), node) for node in later if not n_before[node]]
    heapq.heapify(ready)
    order = []
    while ready:
        node = heapq.heappop(ready)[1]
        order.append(node)
        for other in later[node]:
            n_before[other] -= 1
            if not n_before[other]:
                heapq.heappush(ready, (_alphabetical(other), other))
    if len(order) < len(later):  # names such as A--B, B--C, C--A have no such order
        order = sorted(later, key=lambda node: (_alphabetical(node), node))
    return tuple(order)


def _alphabetical(label: str) -> list[tuple[int, str]]:
    """Sort r2 before r10."""
    parts = re.findall(r"([^0-9]*)([0-9]*)", label)
    return [item for text, digits in parts for item in ((-1, text), (int(digits or -1), ""))]


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
