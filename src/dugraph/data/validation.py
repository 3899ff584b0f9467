"""The checks that every public function begins with: what are the graphs, what are their classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.class_labels import check_labels
from dugraph.data.graph_arrays import real_array
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.exceptions import InputError

__all__ = ["check_cohort", "check_edge_probability", "check_labels"]


def check_cohort(X: Any, edges: Any = None) -> UncertainGraphs:
    """Return `X` as a checked cohort.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
        A cohort is passed through as it is; an array becomes one.
    edges : array-like of int, shape (n_edges, 2), optional
        The two nodes of each column, for an array only; by default all pairs of nodes in
        ``np.tril_indices(n_nodes, -1)`` order.

    Returns
    -------
    UncertainGraphs
    """
    if not isinstance(X, UncertainGraphs):
        return UncertainGraphs(X, edges=edges)
    if edges is not None:
        raise InputError(
            "edges must be given once: X is an UncertainGraphs, which has its own edges. "
            "Leave edges out, or pass X.edge_probability with them."
        )
    return X


def check_edge_probability(X: Any) -> NDArray[np.float64]:
    """Return the probabilities of `X` for functions to which it is all the same which nodes an edge joins.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)

    Returns
    -------
    ndarray of float64, shape (n_graphs, n_edges)
    """
    if isinstance(X, UncertainGraphs):
        return X.edge_probability
    probability = real_array(X, "X", 2, "(n_graphs, n_edges)")
    # Written so that NaN, which compares false with everything, is refused too.
    inside = (probability >= 0) & (probability <= 1)
    if not inside.all():
        i, e = (int(k) for k in np.argwhere(~inside)[0])
        raise InputError(
            f"Edge probabilities must lie in [0, 1]: X[{i}, {e}] is {float(probability[i, e])!r}. "
            "Use 0 for an absent edge, and map other values to probabilities first."
        )
    return probability
