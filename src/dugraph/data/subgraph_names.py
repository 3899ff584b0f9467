"""Names of edges and of subgraphs, created on demand: a long list of subgraphs has many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import as_list, whole_number
from dugraph.exceptions import InputError


class _Edge(NamedTuple):
    """In default order."""

    larger: int
    smaller: int
    name: str


class SubgraphNaming:
    """What the names of subgraphs are made of.

    Parameters
    ----------
    edges : ndarray of int32, shape (n_edges, 2)
        Each row as (larger node, smaller node).
    node_labels : tuple of str
    edge_layers : tuple of str, or None
    """

    def __init__(
        self, edges: NDArray[np.int32], node_labels: tuple[str, ...], edge_layers: tuple[str, ...] | None
    ) -> None:
        self._edges, self._labels, self._layers = edges, node_labels, edge_layers
        self._known: dict[int, _Edge] = {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubgraphNaming):
            return NotImplemented
        names = (self._labels, self._layers) == (other._labels, other._layers)
        return names and np.array_equal(self._edges, other._edges)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_known": {}}

    def _edge(self, edge: int) -> _Edge:
        edge = whole_number(edge, "edge")
        if edge not in self._known:
            if not 0 <= edge < len(self._edges):
                raise InputError(f"An edge index must be from 0 to {len(self._edges) - 1}: got {edge}.")
            larger, smaller = self._edges[edge].tolist()
            name = f"{self._labels[smaller]}--{self._labels[larger]}"
            layered = name if self._layers is None else f"{name} [{self._layers[edge]}]"
            self._known[edge] = _Edge(larger, smaller, layered)
        return self._known[edge]

    def edge_key(self, edge: int) -> tuple[frozenset[str], str | None]:
        """The names of an edge's regions and its layer, which identify it in any cohort."""
        larger, smaller = self._edges[edge].tolist()
        layer = None if self._layers is None else self._layers[edge]
        return frozenset((self._labels[larger], self._labels[smaller])), layer

    def edge_name(self, edge: int) -> str:
        """Name an edge by its nodes, the earlier node first: ``A--B``, or ``A--B [layer]``."""
        return self._edge(edge).name

    def subgraph_name(self, subgraph: Iterable[int]) -> str:
        """Name a subgraph by its edges: ``{A--B, B--C}``."""
        # Not in the order of the columns, so that equal subgraphs have equal names whatever that is.
        return (
            "{"
            + ", ".join(
                edge.name for edge in sorted(map(self._edge, as_list(subgraph, "subgraph", "edge indices")))
            )
            + "}"
        )

    def subgraph_names(self, subgraphs: Iterable[Iterable[int]]) -> list[str]:
        """Name many subgraphs."""
        return [self.subgraph_name(subgraph) for subgraph in subgraphs]
