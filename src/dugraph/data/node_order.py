"""Nodes known from the names of edges only: their order, and which index of a given edge each of them is."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dugraph.data.edge_list import inferred_n_nodes

Pair = tuple[str, str]


def ordered_nodes(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Order nodes as the names do, so that A--B stays A--B; by the alphabet where names leave it open."""
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
    if len(order) < len(later):  # names that go round in a circle have no such order
        order = sorted(later, key=lambda node: (_alphabetical(node), node))
    return tuple(order)


def _alphabetical(label: str) -> list[tuple[int, str]]:
    """Sort r2 before r10."""
    parts = re.findall(r"([^0-9]*)([0-9]*)", label)
    return [item for text, digits in parts for item in ((-1, text), (int(digits or -1), ""))]


def labels_of(edges: NDArray[np.int64], pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Name the nodes of given edges: a node is the name that all its columns share."""
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
