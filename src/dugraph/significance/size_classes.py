"""Size classes share alpha: each has its own null distribution, adjusted p-values and critical value."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TIE_TOLERANCE = 1e-10
"""A statistic this much smaller, relatively, counts as equal: it can only raise p-values."""


def n_size_classes(size_classes: int, max_edges: int | None, n_edges: int) -> int:
    """K, how many classes share alpha: no more than there can be sizes.

    A class that turns out empty keeps its share: whether it is empty may depend on subgraphs that truly
    differ, and so on labels, which the proof forbids.
    """
    return min(size_classes, n_edges, n_edges if max_edges is None else max_edges)


def size_class_names(n_classes: int, max_edges: int | None) -> tuple[str, ...]:
    """The classes in words: ``1 edge``, ``2 edges``, ``3 or more edges``."""
    names = [f"{size} edge{'s' if size > 1 else ''}" for size in range(1, n_classes)]
    if max_edges is not None and max_edges <= n_classes:
        last = f"{n_classes} edge{'s' if n_classes > 1 else ''}"
    else:
        last = f"{n_classes} or more edges" if n_classes > 1 else "any number of edges"
    return (*names, last)


def adjusted_p_values(statistics: Floats, classes: NDArray[np.int64], maxima: Floats) -> Floats:
    """min(1, K #{r : M_k(r) >= T} / (B + 1)), ties counted with a tolerance.

    Parameters
    ----------
    statistics : ndarray of shape (n_subgraphs,)
        Observed statistics T.
    classes : ndarray of int, shape (n_subgraphs,)
        Their size classes k.
    maxima : ndarray of shape (B + 1, K)
        M_k(r), the observed labels among the relabelings r.
    """
    ordered = np.sort(maxima, axis=0)
    p_values = np.ones(len(statistics))
    n_classes = maxima.shape[1]
    for k in range(n_classes):
        inside = classes == k
        below = np.searchsorted(ordered[:, k], statistics[inside] * (1 - TIE_TOLERANCE), side="left")
        p_values[inside] = np.minimum(1.0, n_classes * (len(maxima) - below) / len(maxima))
    return p_values


def is_significant(p_values: Floats, alpha: float) -> NDArray[np.bool_]:
    """Which p-values are at most alpha, in which a share of relabelings may be off by a rounding."""
    return np.asarray(p_values <= alpha * (1 + 1e-12))


def critical_values(maxima: Floats, alpha: float) -> Floats:
    """The value per class that a statistic must exceed for an adjusted p of at most alpha.

    At most m = floor(alpha (B + 1) / K) maxima may reach it, so it is the (m + 1)-th largest of them.
    """
    rank = critical_rank(alpha, *maxima.shape)
    # With one class and alpha near 1 every maximum may reach it.
    if rank > len(maxima):
        return np.zeros(maxima.shape[1])
    return np.asarray(np.sort(maxima, axis=0)[len(maxima) - rank])


def critical_rank(alpha: float, n_relabelings: int, n_classes: int) -> int:
    """Which of the maxima of a class, from the largest, is its critical value."""
    return math.floor(alpha * n_relabelings / n_classes * (1 + 1e-12)) + 1
