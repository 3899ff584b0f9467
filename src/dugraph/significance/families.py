"""Which significant subgraphs to show first: irreducible ones, in families that share edges.

A significant subgraph often has idle edges: an edge that differs is significant together with any common edge
beside it. All rejections hold at once, so any selection from them is valid, and a selection without idle
edges says more. `benchmarks/irreducible.py` compares rules of selection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.statistics import TIE_TOLERANCE


@dataclass(frozen=True)
class SubgraphFamily:
    """A representative, and the other significant subgraphs that share most edges with it.

    Attributes
    ----------
    representative : tuple of int
        The first irreducible subgraph of the family; it shares no edge with other representatives.
    irreducible : list of int
        Positions, in the list of significant subgraphs, of the irreducible ones; the representative first.
    members : list of int
        Positions of all significant subgraphs of the family.
    edges : tuple of int
        The edges of its irreducible subgraphs.
    """

    representative: tuple[int, ...]
    irreducible: list[int]
    members: list[int]
    edges: tuple[int, ...]


def irreducible_subgraphs(
    subgraphs: Sequence[tuple[int, ...]], statistics: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Mark each subgraph of which no listed part has a statistic at least as large.

    A reducible part can be left out of the comparison: a part of it has a statistic at least as large, and is
    a part of the whole as well.

    Examples
    --------
    >>> irreducible_subgraphs([(0, 1), (0,), (1, 2)], np.array([3.0, 3.5, 4.0])).tolist()
    [False, True, True]
    """
    marked = np.zeros(len(subgraphs), dtype=bool)
    by_first_edge: dict[int, list[int]] = {}
    for k in sorted(range(len(subgraphs)), key=lambda k: len(subgraphs[k])):
        edges, least = set(subgraphs[k]), statistics[k] * (1 - TIE_TOLERANCE)
        parts = (j for edge in subgraphs[k] for j in by_first_edge.get(edge, ()))
        if not any(statistics[j] >= least and edges.issuperset(subgraphs[j]) for j in parts):
            marked[k] = True
            by_first_edge.setdefault(subgraphs[k][0], []).append(k)
    return marked


def edge_disjoint(
    subgraphs: Sequence[Sequence[int]], candidates: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Going down the list, mark each candidate that shares no edge with one marked before it."""
    taken: set[int] = set()
    marked = np.zeros(len(subgraphs), dtype=bool)
    for k, subgraph in enumerate(subgraphs):
        if (candidates is None or candidates[k]) and taken.isdisjoint(subgraph):
            marked[k] = True
            taken.update(subgraph)
    return marked


def subgraph_families(
    subgraphs: Sequence[tuple[int, ...]], irreducible: NDArray[np.bool_]
) -> list[SubgraphFamily]:
    """Assign every subgraph to the representative with which it shares most edges, the first of equal ones.

    Every subgraph shares an edge with a representative: it contains an irreducible one, which does or is one.
    """
    representatives = np.flatnonzero(edge_disjoint(subgraphs, irreducible)).tolist()
    family_of_edge = {edge: f for f, k in enumerate(representatives) for edge in subgraphs[k]}
    members: list[list[int]] = [[] for _ in representatives]
    for k, subgraph in enumerate(subgraphs):
        shared = np.bincount([family_of_edge[e] for e in subgraph if e in family_of_edge])
        members[int(shared.argmax())].append(k)
    families = []
    for k, inside in zip(representatives, members, strict=True):
        first = [k, *(j for j in inside if irreducible[j] and j != k)]
        edges = sorted({edge for j in first for edge in subgraphs[j]})
        families.append(SubgraphFamily(subgraphs[k], first, inside, tuple(edges)))
    return families
