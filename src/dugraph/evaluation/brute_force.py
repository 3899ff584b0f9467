"""The brute force that the paper compares with: a measure from all possible worlds, one by one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from dugraph.probability.scores import score_table
from dugraph.simulation import possible_worlds

_MOST_WORLDS = 2**24


def mode_by_worlds(X: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """Return the mode of HSIC of the subgraph of all edges, by enumeration of the possible worlds.

    Takes time and memory that double with every uncertain edge of every graph.

    Parameters
    ----------
    X : ndarray of shape (n_graphs, n_edges)
        Probabilities of the edges of the subgraph.
    positive : ndarray of bool, shape (n_graphs,)

    Returns
    -------
    float

    Examples
    --------
    >>> mode_by_worlds(np.array([[0.9], [0.8], [0.1], [0.3]]), np.array([True, True, False, False]))
    0.1111111111111111
    """
    worlds, probabilities = possible_worlds(X, max_worlds=_MOST_WORLDS)
    contains = np.asarray(worlds.all(axis=2))
    table = score_table("hsic", int(positive.sum()), int((~positive).sum()))
    supports = zip(contains[:, positive].sum(axis=1), contains[:, ~positive].sum(axis=1), strict=True)
    mass: dict[int, float] = defaultdict(float)
    for (a, b), probability in zip(supports, probabilities.tolist(), strict=True):
        mass[int(table.level_of[a, b])] += probability
    largest = max(mass.values())
    # Of levels that tie the higher counts.
    return float(table.levels[max(level for level, p in mass.items() if p >= largest - 1e-12)])
