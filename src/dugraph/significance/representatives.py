"""Edge-disjoint representatives: rejections hold simultaneously, so thinning them costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def edge_disjoint(subgraphs: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Going down the list, mark each subgraph that shares no edge with one marked before it."""
    taken: set[int] = set()
    marked = np.zeros(len(subgraphs), dtype=bool)
    for k, subgraph in enumerate(subgraphs):
        if taken.isdisjoint(subgraph):
            marked[k] = True
            taken.update(subgraph)
    return marked
