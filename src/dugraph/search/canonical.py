"""Canonical order of graphs and edges (rule 4): the answer does not depend on the order of the input."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import RawProbability
from dugraph.search.core import Prepared

# Columns that are compared first; they distinguish most graphs.
_FIRST_COLUMNS = 64
# Bytes of keys compared at a time.
_KEYS = 2**25
# Graphs transposed together.
_AT_ONCE = 512
# Edges this far below the limit are not admitted, whatever the rounding of their mean.
_SLACK = 1e-9


@dataclass(frozen=True)
class CanonicalGraphs:
    """Uncertain graphs for the core: without labels, and without edges that are never admitted.

    Attributes
    ----------
    edges : ndarray of int32, shape (n_kept, 2)
        Ordered by (larger node, smaller node, layer).
    n_nodes : int
    original : ndarray of int, shape (n_kept,)
        The index of each edge in the input.
    graphs : ndarray of int, shape (n_graphs,)
        The index of each graph in the input.
    raw_probability : ndarray of shape (n_graphs, n_edges)
        The probabilities as given, not copied.
    in_order : bool
        Whether `raw_probability` is in canonical order, as on a worker.
    """

    edges: NDArray[np.int32]
    n_nodes: int
    original: NDArray[np.intp]
    graphs: NDArray[np.intp]
    raw_probability: RawProbability
    in_order: bool = False

    @cached_property
    def edge_probability(self) -> NDArray[np.float64]:
        """A copy in canonical order, shape (n_kept, n_graphs)."""
        return self._transposed(np.dtype(np.float64))

    def sorted_among_equals(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Labels in canonical order, with those of equal graphs sorted, whatever the order of the input."""
        rows = self.edge_probability
        alike = (rows[:, 1:] == rows[:, :-1]).all(axis=0)
        return np.asarray(labels[np.lexsort((labels, np.cumsum([False, *~alike])))])

    def prepared(self, min_expected_frequency: float) -> Prepared:
        """Prepare the graphs for searches with this limit or a higher one."""
        return Prepared(
            edges=self.edges,
            edge_probability=self.raw_probability,
            graph_places=None if self.in_order else self.graphs,
            edge_places=None if self.in_order else self.original,
            n_nodes=self.n_nodes,
            min_expected_frequency=min_expected_frequency,
        )

    def _transposed(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """One row for each edge, copied in blocks of graphs to save memory."""
        if self.in_order:
            return np.asarray(self.raw_probability.T, dtype=dtype)
        rows = np.empty((len(self.original), len(self.graphs)), dtype)
        for first in range(0, len(self.graphs), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            rows[:, some] = self.raw_probability[np.ix_(self.graphs[some], self.original)].T
        return rows

    def __getstate__(self) -> dict[str, Any]:
        # Workers receive the edges that may be admitted, in the precision of the input.
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return state | {"raw_probability": self._transposed(self.raw_probability.dtype).T, "in_order": True}


def canonical_graphs(
    graphs: UncertainGraphs, min_expected_frequency: float, labels: NDArray[np.float64] | None = None
) -> CanonicalGraphs:
    """Put edges and graphs into canonical order, without edges that no admitted subgraph contains.

    `labels`, of shape (n_graphs, n_columns), order graphs with equal rows.
    """
    larger, smaller = graphs.edges.max(axis=1), graphs.edges.min(axis=1)
    order = canonical_edges(graphs)
    kept = order[graphs.edge_means[order] > min_expected_frequency - _SLACK]
    return CanonicalGraphs(
        edges=np.ascontiguousarray(np.column_stack([larger[kept], smaller[kept]]), dtype=np.int32),
        n_nodes=graphs.n_nodes,
        original=kept,
        # All edges count, so that the value of a subgraph does not depend on the limit.
        graphs=_by_rows(graphs.raw_probability, order, labels),
        raw_probability=graphs.raw_probability,
    )


def canonical_edges(graphs: UncertainGraphs) -> NDArray[np.intp]:
    """Edges in order of (larger node, smaller node, layer)."""
    keys: tuple[NDArray[Any], ...] = (graphs.edges.min(axis=1), graphs.edges.max(axis=1))
    if graphs.edge_layers is not None:
        keys = (np.array(graphs.edge_layers), *keys)
    return np.lexsort(keys)


def _by_rows(
    raw: RawProbability, order: NDArray[np.intp], labels: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    """Sort graphs by the bytes of their rows, a block of columns at a time."""
    sorted_rows: list[int] = []
    undecided = [(np.arange(len(raw)), 0)]
    while undecided:
        alike, begin = undecided.pop()
        if len(alike) == 1 or begin >= len(order):
            if labels is not None:  # adding 0 turns -0.0, which has other bytes, into 0.0
                alike = np.array(sorted(alike, key=lambda i: (labels[i] + 0).tobytes()), dtype=np.intp)
            sorted_rows += alike.tolist()
            continue
        columns = order[begin : begin + max(_FIRST_COLUMNS, _KEYS // (8 * len(alike)) if begin else 0)]
        keys = [row.tobytes() for row in raw[np.ix_(alike, columns)].astype(np.float64)]
        by_key = sorted(range(len(alike)), key=keys.__getitem__)
        groups = [alike[list(same)] for _, same in groupby(by_key, key=keys.__getitem__)]
        undecided += [(group, begin + len(columns)) for group in reversed(groups)]
    return np.array(sorted_rows, dtype=np.intp)
