"""The family of a test: all admitted connected subgraphs, found without looking at any label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dugraph.search.core import Prepared

Subgraph = tuple[int, ...]
Floats = NDArray[np.float64]
_DIGITS = 9  # after the point


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
        The largest number of edges in a subgraph.
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

    @cached_property
    def prepared(self) -> Prepared:
        """The edges as the core walks over them: one layout serves all relabelings."""
        return Prepared(
            edges=self.edges,
            edge_probability=self.edge_probability.T,
            n_nodes=int(self.edges.max(initial=-1)) + 1,
            min_expected_frequency=self.min_expected_frequency,
        )


def canonical_graphs(probability: Floats, *columns: NDArray[np.generic]) -> NDArray[np.intp]:
    """An order of the graphs that does not depend on the order in which they came.

    By the bytes of their rows, then of the columns. Relabelings are drawn by position, so the labels must
    come last: graphs that differ in nothing but labels are alike to every statistic. Rows are rounded first:
    the last digits differ between machines, and p-values should not.
    """
    rounded = np.round(probability, _DIGITS)
    keys = [
        b"".join([rounded[i].tobytes(), row.tobytes(), *(column[i].tobytes() for column in columns)])
        for i, row in enumerate(probability)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
