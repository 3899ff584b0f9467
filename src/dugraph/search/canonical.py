"""Canonical order of a cohort, rule 4: the order in which graphs and edges come never shows in the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs


@dataclass(frozen=True)
class CanonicalCohort:
    """A cohort as the core takes it.

    Attributes
    ----------
    edges : ndarray of int32, shape (n_edges, 2)
        Ordered by (larger node, smaller node, layer).
    edge_probability : ndarray of shape (n_edges, n_graphs)
        Positive graphs first; within a class ordered by their rows.
    n_pos : int
        Number of positive graphs.
    original : ndarray of int, shape (n_edges,)
        The index of each edge in the cohort as it was given.
    graphs : ndarray of int, shape (n_graphs,)
        The index of each graph, likewise.
    """

    edges: NDArray[np.int32]
    edge_probability: NDArray[np.float64]
    n_pos: int
    original: NDArray[np.intp]
    graphs: NDArray[np.intp]


def canonical_cohort(cohort: UncertainGraphs, positive: NDArray[np.bool_]) -> CanonicalCohort:
    """Put edges and graphs into canonical order."""
    layers = np.array(cohort.edge_layers if cohort.edge_layers is not None else [""] * cohort.n_edges)
    larger, smaller = cohort.edges.max(axis=1), cohort.edges.min(axis=1)
    order = np.lexsort((layers, smaller, larger))
    rows = cohort.edge_probability[:, order]
    graphs = np.concatenate(
        [_by_rows(rows, np.flatnonzero(positive)), _by_rows(rows, np.flatnonzero(~positive))]
    )
    return CanonicalCohort(
        edges=np.ascontiguousarray(np.column_stack([larger, smaller])[order], dtype=np.int32),
        edge_probability=np.ascontiguousarray(rows[graphs].T),
        n_pos=int(positive.sum()),
        original=order,
        graphs=graphs,
    )


def _by_rows(rows: NDArray[np.float64], graphs: NDArray[np.intp]) -> NDArray[np.intp]:
    # Any order will do that depends on nothing but the numbers; their bytes sort fastest.
    keys = [rows[i].tobytes() for i in graphs]
    return graphs[sorted(range(len(graphs)), key=keys.__getitem__)]
