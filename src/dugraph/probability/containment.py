"""Containment probabilities, expected frequencies and supports of subgraphs, by the paper's definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dugraph.data.graphs import edges_and_probability
from dugraph.data.subgraphs import check_subgraph, check_subgraphs, is_several


def containment_probability(X: ArrayLike, subgraph: object) -> NDArray[np.float64]:
    """Probability that each uncertain graph contains the subgraph.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
        Edge probabilities in [0, 1].
    subgraph : sequence of int, sequence of str, str, or a result
        Edge indices, each once; or names, ``"A--B"``, ``["A--B", "B--C"]`` or ``"{A--B, B--C}"``. Several
        subgraphs may be given as a list or as a result, such as a `MiningResult`. Subgraphs of a result are
        matched by the names of their regions if `X` is another cohort.

    Returns
    -------
    ndarray of shape (n_graphs,), or (n_graphs, n_subgraphs) of several subgraphs
        ``x_i(g)``, the product of the probabilities of the subgraph's edges in graph i. It is also the
        feature value for a classifier.

    Raises
    ------
    InputError
        If a subgraph is invalid, or was found in a cohort with other regions.

    Examples
    --------
    >>> containment_probability([[0.5, 0.4], [1.0, 0.0]], (0, 1))
    array([0.2, 0. ])

    A cohort with its regions in another order:

    >>> import dugraph as dg
    >>> edges = [(1, 0), (2, 1)]
    >>> first = dg.UncertainGraphs([[0.9, 0.8], [0.2, 0.3]], edges, node_labels=["A", "B", "C"])
    >>> second = dg.UncertainGraphs([[0.7, 0.1], [0.6, 0.2]], edges, node_labels=["C", "B", "A"])
    >>> result = dg.mine_subgraphs(first, [1, 0], n_subgraphs=1)
    >>> result.names, containment_probability(second, result.subgraphs[0])
    (['{A--B}'], array([0.1, 0.2]))
    """
    probability, space = edges_and_probability(X)
    if is_several(subgraph):
        return containment_columns(probability, check_subgraphs(subgraph, space))
    edges = check_subgraph(subgraph, space)
    return np.asarray(np.prod(probability[:, list(edges)], axis=1))


def containment_columns(
    probability: NDArray[Any], subgraphs: Sequence[Sequence[int]], dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """Containment probabilities of many subgraphs, shape (n_graphs, n_subgraphs).

    Arrays and subgraphs must be valid; they are not checked. Products are computed in float64 and stored in
    `dtype`, by default that of the array; only the columns of the subgraphs are read.
    """
    columns = np.empty((len(probability), len(subgraphs)), dtype=dtype or probability.dtype)
    for column, subgraph in zip(columns.T, subgraphs, strict=True):
        column[:] = np.prod(probability[:, list(subgraph)], axis=1, dtype=np.float64)
    return columns


def expected_frequency(X: ArrayLike, subgraph: object) -> Any:
    """Mean containment probability over the graphs: the paper's Exp-Freq, which never grows with g.

    Parameters
    ----------
    X, subgraph
        As for `containment_probability`.

    Returns
    -------
    float, or ndarray of shape (n_subgraphs,) of several subgraphs

    Examples
    --------
    >>> expected_frequency([[0.5, 0.4], [1.0, 0.0]], (0, 1))
    0.1
    """
    contained = containment_probability(X, subgraph)
    return float(np.mean(contained)) if contained.ndim == 1 else contained.mean(axis=0)


def support_distribution(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Distribution of the number of graphs that contain a subgraph (Poisson-binomial).

    Entry i of the last axis is Pr[i, D~(n)], from the containment probabilities in n independent graphs.
    O(n^2). Probabilities are only multiplied and added, so tiny ones keep their relative accuracy.

    Examples
    --------
    >>> support_distribution([0.5, 0.5])
    array([0.25, 0.5 , 0.25])
    """
    x = np.asarray(probabilities, dtype=np.float64)
    n = x.shape[-1]
    pmf = np.zeros((*x.shape[:-1], n + 1))
    pmf[..., 0] = 1.0
    for k in range(n):
        present = x[..., k, np.newaxis]
        absent = 1.0 - present
        # Graph k either contains the subgraph, and the support was one less before, or it does not.
        pmf[..., 1 : k + 2] = absent * pmf[..., 1 : k + 2] + present * pmf[..., : k + 1]
        pmf[..., :1] *= absent
    return pmf
