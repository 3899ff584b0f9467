"""Two edges for each pair of nodes: one for a negative link between them, one for a positive link."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.edge_list import integer_edges

SIGNS = ("negative", "positive")
"""Names of the layers, in the order of the columns, which is that of the ranking too."""


def signed_names(names: Iterable[str]) -> list[str]:
    """Name the two links of each pair as `UncertainGraphs` names edges of layers: ``A--B [negative]``."""
    return [f"{name} [{sign}]" for name in names for sign in SIGNS]


def signed_edges(edges: ArrayLike) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return every edge twice, as a negative and as a positive link.

    This is the order of the columns of ``EdgeProbability(layers="signed")``, so that edges that are in
    default order stay so (larger node, smaller node, layer).

    Parameters
    ----------
    edges : array-like of int, shape (n_pairs, 2)
        The two nodes of each pair.

    Returns
    -------
    edges : ndarray of int32, shape (2 * n_pairs, 2)
        Each row twice.
    edge_layers : tuple of str, length 2 * n_pairs
        "negative", "positive", "negative", ...

    Examples
    --------
    >>> import dugraph as dg
    >>> edges, edge_layers = dg.signed_edges([(1, 0), (2, 0)])
    >>> graphs = dg.UncertainGraphs([[0.0, 0.9, 0.4, 0.0]], edges=edges, edge_layers=edge_layers)
    >>> graphs.edge_name(1), graphs.edge_name(2)
    ('0--1 [positive]', '0--2 [negative]')
    """
    pairs = integer_edges(edges).astype(np.int32)
    return np.repeat(pairs, len(SIGNS), axis=0), SIGNS * len(pairs)
