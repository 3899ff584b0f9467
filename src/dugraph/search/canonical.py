"""Canonical order of graphs and edges, rule 4: the order in which they come never shows in the answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.search.core import Prepared
from dugraph.search.limits import pair_memory

# Columns that tell most graphs apart; the others are looked at only where these are the same.
_FIRST_COLUMNS = 64
# Graphs that are turned together.
_AT_ONCE = 512
# Edges this far below the limit are surely not admitted, whatever the rounding of their mean.
_SLACK = 1e-9


@dataclass(frozen=True)
class CanonicalGraphs:
    """Uncertain graphs as the core takes them: without labels, and without edges that are never admitted.

    Attributes
    ----------
    edges : ndarray of int32, shape (n_kept, 2)
        Ordered by (larger node, smaller node, layer).
    edge_probability : ndarray of shape (n_kept, n_graphs)
        Graphs ordered by their rows.
    n_nodes : int
    original : ndarray of int, shape (n_kept,)
        The index of each edge among those given.
    graphs : ndarray of int, shape (n_graphs,)
        The index of each graph among those given.
    """

    edges: NDArray[np.int32]
    edge_probability: NDArray[np.float64]
    n_nodes: int
    original: NDArray[np.intp]
    graphs: NDArray[np.intp]

    def settled(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Labels, given in canonical order, with those of graphs that are alike sorted among themselves.

        For comparison: such graphs stand in the order in which they came.
        """
        rows = self.edge_probability
        alike = (rows[:, 1:] == rows[:, :-1]).all(axis=0)
        return np.asarray(labels[np.lexsort((labels, np.cumsum([False, *~alike])))])

    def prepared(self, min_expected_frequency: float) -> Prepared:
        """Lay them out for searches; the limit is the one they were ordered with, or a higher one."""
        return Prepared(
            edges=self.edges,
            edge_probability=self.edge_probability,
            n_nodes=self.n_nodes,
            min_expected_frequency=min_expected_frequency,
            pair_memory=pair_memory(),
        )


def canonical_graphs(
    graphs: UncertainGraphs, min_expected_frequency: float, labels: NDArray[np.float64] | None = None
) -> CanonicalGraphs:
    """Put edges and graphs into canonical order, leaving out edges that no admitted subgraph can hold.

    Parameters
    ----------
    graphs : UncertainGraphs
    min_expected_frequency : float
    labels : ndarray of shape (n_graphs, n_columns), optional
        Numbers that order graphs with equal rows, where these differ in what they weigh.
    """
    probability = graphs.edge_probability
    larger, smaller = graphs.edges.max(axis=1), graphs.edges.min(axis=1)
    order = canonical_edges(graphs)
    kept = order[probability.mean(axis=0)[order] > min_expected_frequency - _SLACK]
    # By all edges, not by those kept: so the value of a subgraph does not depend on the limit either.
    by_rows = _by_rows(probability, order, labels)
    return CanonicalGraphs(
        edges=np.ascontiguousarray(np.column_stack([larger[kept], smaller[kept]]), dtype=np.int32),
        edge_probability=_turned(probability, by_rows, kept),
        n_nodes=graphs.n_nodes,
        original=kept,
        graphs=by_rows,
    )


def _turned(
    probability: NDArray[np.float64], rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> NDArray[np.float64]:
    """One row for each of the columns; some graphs at a time, so that there is one copy at most."""
    turned = np.empty((len(columns), len(rows)))
    for first in range(0, len(rows), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        turned[:, some] = probability[np.ix_(rows[some], columns)].T
    return turned


def canonical_edges(graphs: UncertainGraphs) -> NDArray[np.intp]:
    """Edges in order of (larger node, smaller node, layer)."""
    keys: tuple[NDArray[Any], ...] = (graphs.edges.min(axis=1), graphs.edges.max(axis=1))
    if graphs.edge_layers is not None:
        keys = (np.array(graphs.edge_layers), *keys)
    return np.lexsort(keys)


def _by_rows(
    probability: NDArray[np.float64], order: NDArray[np.intp], labels: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    # Any order will do that depends on nothing but the numbers; their bytes sort fastest.
    first = [row.tobytes() for row in probability[:, order[:_FIRST_COLUMNS]]]
    times = Counter(first)

    def key(i: int) -> tuple[bytes, bytes, bytes]:
        if times[first[i]] == 1:
            return first[i], b"", b""
        # Adding 0 turns -0.0, which has other bytes, into 0.0.
        return first[i], probability[i, order].tobytes(), b"" if labels is None else (labels[i] + 0).tobytes()

    return np.array(sorted(range(len(first)), key=key), dtype=np.intp)
