"""Containment probability and expected frequency of a subgraph: the paper's Pr(g in G~) and Exp-Freq."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dugraph.data.graphs import check_edge_probability
from dugraph.exceptions import InputError


def containment_probability(X: ArrayLike, subgraph: Sequence[int]) -> NDArray[np.float64]:
    """Probability that each uncertain graph contains the subgraph.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
        Edge probabilities in [0, 1].
    subgraph : sequence of int
        Edge indices, each once.

    Returns
    -------
    ndarray of shape (n_graphs,)
        ``x_i(g)``, the product of the probabilities of the subgraph's edges in graph i. It is also the
        feature value for a classifier.

    Examples
    --------
    >>> containment_probability([[0.5, 0.4], [1.0, 0.0]], (0, 1))
    array([0.2, 0. ])
    """
    probability = check_edge_probability(X)
    edges = check_subgraph(subgraph, probability.shape[1])
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


def expected_frequency(X: ArrayLike, subgraph: Sequence[int]) -> float:
    """Mean containment probability over the graphs: the paper's Exp-Freq, which never grows with g.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
        Edge probabilities in [0, 1].
    subgraph : sequence of int
        Edge indices, each once.

    Examples
    --------
    >>> expected_frequency([[0.5, 0.4], [1.0, 0.0]], (0, 1))
    0.1
    """
    return float(np.mean(containment_probability(X, subgraph)))


def check_subgraph(subgraph: Sequence[int], n_edges: int) -> tuple[int, ...]:
    """Return the subgraph as a sorted tuple; raise InputError if it is invalid."""
    try:
        edges = tuple(operator.index(e) for e in subgraph)
    except TypeError as error:
        raise InputError(
            f"A subgraph is a sequence of integers, but {subgraph!r} was given ({error}). "
            "Give edge indices, e.g. (0, 3) or result.subgraphs[0]."
        ) from error
    if not edges:
        raise InputError(
            "A subgraph needs at least one edge, but it is empty. Give edge indices, e.g. (0, 3)."
        )
    for e in edges:
        if not 0 <= e < n_edges:
            raise InputError(
                f"A subgraph's edges are column indices from 0 to {n_edges - 1}, but {e} was given. "
                "Use the positions of the edges in `edges`."
            )
    if len(set(edges)) != len(edges):
        twice = next(e for e in edges if edges.count(e) > 1)
        raise InputError(
            f"A subgraph contains each edge once, but edge {twice} appears twice in {edges}. Remove one."
        )
    return tuple(sorted(edges))


def check_subgraphs(subgraphs: object, n_edges: int, *, gaps: bool = False) -> list[tuple[int, ...]]:
    """Return subgraphs as sorted tuples of edge indices; raise InputError if one is invalid.

    Parameters
    ----------
    subgraphs : sequence of sequence of int
    n_edges : int
    gaps : bool
        Whether a subgraph may be empty, to preserve the ranks of those after it.

    Returns
    -------
    list of tuple of int

    Examples
    --------
    >>> check_subgraphs([(2, 0), [1]], 3)
    [(0, 2), (1,)]
    """
    several: list[Any] = list(subgraphs) if isinstance(subgraphs, Iterable) else [subgraphs]
    numbers = [entry for entry in several if isinstance(entry, Integral)]
    if numbers:
        raise InputError(
            f"subgraphs must be a sequence of subgraphs, but it holds the number {numbers[0]}. "
            "Put a single subgraph into a list: [subgraph]."
        )
    return [
        () if gaps and isinstance(subgraph, tuple) and not subgraph else check_subgraph(subgraph, n_edges)
        for subgraph in several
    ]
