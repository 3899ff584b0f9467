"""The checks that every public function begins with: what are the graphs, what are their classes."""

from typing import Any

from dugraph.data.class_labels import check_labels
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.exceptions import InputError

__all__ = ["check_cohort", "check_labels"]


def check_cohort(X: Any, edges: Any = None) -> UncertainGraphs:
    """Give `X` as a checked cohort.

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
