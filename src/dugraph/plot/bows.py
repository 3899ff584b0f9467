"""Which straight edges would run through another node, and so must bow: shared with the report's pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

BOW = 0.16
"""Height of a bow, as a share of the length of its edge."""
_NEAR = 0.07  # of the length: a node so close to a line hides whether the line ends there


def bows(
    pairs: Sequence[tuple[int, int]], places: Mapping[int, NDArray[np.float64]] | NDArray[np.float64]
) -> list[float]:
    """Return the height of each edge's bow as a share of its length; 0 if it can be straight.

    Three edges among three regions of the midline would be one line: the longest passes the region between.
    Only nodes of the edges count, since only these are drawn as dots.

    Parameters
    ----------
    pairs : sequence of (int, int)
        The nodes of each edge.
    places : mapping or ndarray
        The place of each node in the picture.

    Examples
    --------
    >>> line = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    >>> bows([(0, 1), (1, 2), (0, 2)], line)
    [0.0, 0.0, 0.16]
    """
    nodes = sorted({node for pair in pairs for node in pair})
    return [BOW if _passes(u, v, nodes, places) else 0.0 for u, v in pairs]


def sideways(start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vector across an edge, as long as the edge: always to the same side, whichever end comes first."""
    along = end - start
    across = np.array([-along[1], along[0]])
    return across if (across[0], across[1]) > (0, 0) else -across


def _passes(
    u: int, v: int, nodes: list[int], places: Mapping[int, NDArray[np.float64]] | NDArray[np.float64]
) -> bool:
    start, end = np.asarray(places[u], float), np.asarray(places[v], float)
    length = float(np.hypot(*(end - start)))
    if length == 0:
        return False
    along = (end - start) / length
    for node in nodes:
        if node in (u, v):
            continue
        way = np.asarray(places[node], float) - start
        share = float(way @ along) / length
        beside = abs(float(way[0] * along[1] - way[1] * along[0])) / length
        if beside < _NEAR and _NEAR < share < 1 - _NEAR:
            return True
    return False
