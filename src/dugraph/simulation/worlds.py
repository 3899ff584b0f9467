"""Possible worlds W(D~) by enumeration: the definition of every probability, an oracle for small cohorts."""

from __future__ import annotations

import itertools
import numbers

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.graphs import check_edge_probability
from dugraph.exceptions import InputError

_MOST = 2**26


def possible_worlds(
    X: ArrayLike, *, max_worlds: int = 2**16
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Enumerate all possible worlds of an uncertain cohort, each a cohort of certain graphs.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
        Edge probabilities in [0, 1].
    max_worlds : int, default 65536
        Largest number of worlds, which is two to the power of the number of uncertain edges.

    Returns
    -------
    worlds : ndarray of bool, shape (n_worlds, n_graphs, n_edges)
        Which edges exist in each world.
    probabilities : ndarray of shape (n_worlds,)
        The probability of each world; they sum to one.

    Examples
    --------
    >>> worlds, probabilities = possible_worlds([[1.0, 0.25]])
    >>> worlds.astype(int).tolist(), probabilities.tolist()
    ([[[1, 0]], [[1, 1]]], [0.75, 0.25])
    """
    if not isinstance(max_worlds, numbers.Integral) or not 1 <= max_worlds <= _MOST:
        raise InputError(
            f"max_worlds must be a whole number from 1 to {_MOST}, but is {max_worlds!r}: more do not fit "
            "into memory."
        )
    probability = check_edge_probability(X)
    uncertain = np.argwhere((probability > 0) & (probability < 1))
    if 2 ** len(uncertain) > max_worlds:
        raise InputError(
            f"possible_worlds enumerates at most max_worlds = {max_worlds} worlds, but {len(uncertain)} "
            f"edges with a probability between 0 and 1 make 2**{len(uncertain)}. Take fewer graphs or edges, "
            "or raise max_worlds."
        )
    worlds = np.repeat((probability == 1)[None], 2 ** len(uncertain), axis=0)
    probabilities = np.ones(len(worlds))
    for w, choice in enumerate(itertools.product((False, True), repeat=len(uncertain))):
        for (i, e), exists in zip(uncertain, choice, strict=True):
            worlds[w, i, e] = exists
            probabilities[w] *= probability[i, e] if exists else 1 - probability[i, e]
    return worlds, probabilities
