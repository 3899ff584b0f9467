"""The family of a test: all admitted connected subgraphs, found without looking at any label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Subgraph = tuple[int, ...]
Floats = NDArray[np.float64]
# The admission limit's tolerance (rule 8).
FREQUENCY_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Family:
    """Which subgraphs are tested: connected, frequent enough, not too large.

    Attributes
    ----------
    edges : ndarray of int32, shape (n_edges, 2)
        In canonical order.
    edge_probability : ndarray of shape (n_edges, n_graphs)
        Graphs in canonical order.
    min_expected_frequency : float
        Admitted are subgraphs whose expected frequency is greater.
    max_edges : int or None
        The most edges of a subgraph.
    n_classes : int
        Size classes: subgraphs of 1, 2, ... edges, the last one also of more.
    """

    edges: NDArray[np.int32]
    edge_probability: Floats
    min_expected_frequency: float
    max_edges: int | None
    n_classes: int

    def size_class(self, n_edges: int) -> int:
        """The size class, from 0, of subgraphs with this many edges."""
        return min(n_edges, self.n_classes) - 1


def canonical_graphs(probability: Floats, *columns: NDArray[np.generic]) -> NDArray[np.intp]:
    """An order of the graphs that does not depend on the order in which they came.

    By the bytes of their rows, then of the columns. Relabelings are drawn by position, so the labels must
    come last: graphs that differ in nothing but labels are alike to every statistic.
    """
    keys = [
        b"".join([row.tobytes(), *(column[i].tobytes() for column in columns)])
        for i, row in enumerate(probability)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


def admitted_levels(family: Family) -> Iterator[tuple[list[Subgraph], Floats]]:
    """All admitted subgraphs, size by size, with their containment probabilities.

    Every connected set of edges can lose an edge and stay connected, and no expected frequency grows with the
    set: so the admitted subgraphs of a size are among those of the size before with one adjacent edge more.

    Yields
    ------
    subgraphs : list of tuple of int
        Sorted edge indices; all of one size, sorted.
    containment : ndarray of shape (n_subgraphs, n_graphs)
        Products in ascending order of the edges.
    """
    touching: dict[int, set[int]] = {}
    for edge, pair in enumerate(family.edges.tolist()):
        for node in pair:
            touching.setdefault(node, set()).add(edge)
    candidates: list[Subgraph] = [(edge,) for edge in range(len(family.edges))]
    size = 1
    single: set[int] = set()
    while candidates and (family.max_edges is None or size <= family.max_edges):
        index = np.array(candidates)
        containment = family.edge_probability[index[:, 0]].copy()
        for k in range(1, size):
            containment *= family.edge_probability[index[:, k]]
        keep = containment.mean(axis=1) > family.min_expected_frequency + FREQUENCY_TOLERANCE
        level = [subgraph for subgraph, admitted in zip(candidates, keep, strict=True) if admitted]
        if not level:
            return
        yield level, containment[keep]
        single = single or {edge for (edge,) in level}
        larger: set[Subgraph] = set()
        for subgraph in level:
            nodes = {node for edge in subgraph for node in family.edges[edge].tolist()}
            near = set().union(*(touching[node] for node in nodes)) & single
            larger.update(tuple(sorted((*subgraph, edge))) for edge in near.difference(subgraph))
        candidates = sorted(larger)
        size += 1
