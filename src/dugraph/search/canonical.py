"""Canonical order of graphs and edges, rule 4: the order in which they come never shows in the answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.held import Held
from dugraph.search.core import Prepared

# Columns that tell most graphs apart; the others are looked at only where these are the same.
_FIRST_COLUMNS = 64
# Bytes of keys that are compared at a time.
_KEYS = 2**25
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
    n_nodes : int
    original : ndarray of int, shape (n_kept,)
        The index of each edge among those given.
    graphs : ndarray of int, shape (n_graphs,)
        The index of each graph among those given.
    held : ndarray of shape (n_graphs, n_edges)
        The probabilities as they were given: nothing is copied, and the core takes from them what it needs.
    in_order : bool
        Whether `held` has been put into canonical order, as on a worker that it was sent to.
    """

    edges: NDArray[np.int32]
    n_nodes: int
    original: NDArray[np.intp]
    graphs: NDArray[np.intp]
    held: Held
    in_order: bool = False

    @cached_property
    def edge_probability(self) -> NDArray[np.float64]:
        """A copy in canonical order, shape (n_kept, n_graphs), for those who need one."""
        return self._turned(np.dtype(np.float64))

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
            edge_probability=self.held,
            graph_places=None if self.in_order else self.graphs,
            edge_places=None if self.in_order else self.original,
            n_nodes=self.n_nodes,
            min_expected_frequency=min_expected_frequency,
        )

    def _turned(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """One row for each edge; some graphs at a time, so that there is one copy at most."""
        if self.in_order:
            return np.asarray(self.held.T, dtype=dtype)
        turned = np.empty((len(self.original), len(self.graphs)), dtype)
        for first in range(0, len(self.graphs), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            turned[:, some] = self.held[np.ix_(self.graphs[some], self.original)].T
        return turned

    def __getstate__(self) -> dict[str, Any]:
        # Workers get the edges that are kept, and in the precision in which they are held.
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return state | {"held": self._turned(self.held.dtype).T, "in_order": True}


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
    larger, smaller = graphs.edges.max(axis=1), graphs.edges.min(axis=1)
    order = canonical_edges(graphs)
    kept = order[graphs.edge_means[order] > min_expected_frequency - _SLACK]
    return CanonicalGraphs(
        edges=np.ascontiguousarray(np.column_stack([larger[kept], smaller[kept]]), dtype=np.int32),
        n_nodes=graphs.n_nodes,
        original=kept,
        # By all edges, not by those kept: so the value of a subgraph does not depend on the limit either.
        graphs=_by_rows(graphs.held_probability, order, labels),
        held=graphs.held_probability,
    )


def canonical_edges(graphs: UncertainGraphs) -> NDArray[np.intp]:
    """Edges in order of (larger node, smaller node, layer)."""
    keys: tuple[NDArray[Any], ...] = (graphs.edges.min(axis=1), graphs.edges.max(axis=1))
    if graphs.edge_layers is not None:
        keys = (np.array(graphs.edge_layers), *keys)
    return np.lexsort(keys)


def _by_rows(held: Held, order: NDArray[np.intp], labels: NDArray[np.float64] | None) -> NDArray[np.intp]:
    """Graphs in an order that depends on nothing but their numbers: by the bytes of their rows.

    Some columns are compared at a time, and further ones where these are the same.
    """
    sorted_rows: list[int] = []
    undecided = [(np.arange(len(held)), 0)]
    while undecided:
        alike, begin = undecided.pop()
        if len(alike) == 1 or begin >= len(order):
            if labels is not None:  # adding 0 turns -0.0, which has other bytes, into 0.0
                alike = np.array(sorted(alike, key=lambda i: (labels[i] + 0).tobytes()), dtype=np.intp)
            sorted_rows += alike.tolist()
            continue
        columns = order[begin : begin + max(_FIRST_COLUMNS, _KEYS // (8 * len(alike)) if begin else 0)]
        keys = [row.tobytes() for row in held[np.ix_(alike, columns)].astype(np.float64)]
        by_key = sorted(range(len(alike)), key=keys.__getitem__)
        groups = [alike[list(same)] for _, same in groupby(by_key, key=keys.__getitem__)]
        undecided += [(group, begin + len(columns)) for group in reversed(groups)]
    return np.array(sorted_rows, dtype=np.intp)
