"""Where a value is: which edge, which regions, which file, for messages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dugraph.data.edge_list import triangle_edges
from dugraph.data.wording import shown_pair
from dugraph.io.connectomes import Connectomes


@dataclass(frozen=True)
class Places:
    """The edges and files of a cohort of connectomes."""

    edges: NDArray[np.int64]
    labels: tuple[str, ...]
    files: tuple[Path, ...]

    @classmethod
    def of(cls, connectomes: Connectomes, n_edges: int) -> Places:
        """Take them from connectomes with this many edges."""
        if connectomes.edges is not None:
            edges = connectomes.edges
        else:
            edges = triangle_edges(round((1 + (1 + 8 * n_edges) ** 0.5) / 2)).astype(np.int64)
        labels = connectomes.node_labels or tuple(map(str, range(int(edges.max()) + 1)))
        return cls(edges, labels, connectomes.files)

    def first(self, marked: NDArray[np.bool_]) -> str:
        """Name the first marked entry of an array of shape (n_graphs, n_edges)."""
        i, e = (int(k) for k in np.argwhere(marked)[0])
        u, v = (int(node) for node in self.edges[e])
        return f"{shown_pair(self.labels, min(u, v), max(u, v))} in {self.files[i]}"

    def whole_regions(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the regions of which every edge of a graph is marked, in shape (n_graphs, n_regions)."""
        n_regions, n_edges = len(self.labels), len(self.edges)
        ends = csr_array(
            (np.ones(2 * n_edges), (np.repeat(np.arange(n_edges), 2), self.edges.ravel())),
            shape=(n_edges, n_regions),
        )
        n_marked = np.asarray(marked.astype(np.float64) @ ends)
        return np.asarray((n_marked == ends.sum(axis=0)) & (n_marked > 0))
