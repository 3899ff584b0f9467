"""The engine by definition: every admitted subgraph, every relabeling, in NumPy.

Both functions depend on nothing but their arguments, and relabelings do not see each other: a range of them
gives the same rows wherever and with whichever others it is computed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.family import Family, Subgraph, admitted_levels
from dugraph.significance.messages import unfinished
from dugraph.significance.statistics import Denominator, contrast_statistics

Floats = NDArray[np.float64]
Report = Callable[[dict[str, Any]], object]
_CELLS = 4_000_000  # statistics held at a time


class Maxima(NamedTuple):
    """The largest statistics of a range of relabelings.

    Attributes
    ----------
    maxima : ndarray of shape (n_relabelings, n_classes)
        Per relabeling and size class, over all admitted subgraphs; 0 in an empty class.
    n_admitted : ndarray of int, shape (n_classes,)
        Admitted subgraphs per size class, excluded ones among them.
    """

    maxima: Floats
    n_admitted: NDArray[np.int64]


class Listed(NamedTuple):
    """Subgraphs whose observed statistic reaches a threshold.

    Attributes
    ----------
    subgraphs : list of tuple of int
        By size, then in lexicographic order of their edges, in the family's order of edges.
    statistics : ndarray of shape (n_subgraphs,)
    contrasts : ndarray of int, shape (n_subgraphs,)
        The contrast with the largest statistic; the first of equal ones.
    """

    subgraphs: list[Subgraph]
    statistics: Floats
    contrasts: NDArray[np.int64]


def null_maxima(
    family: Family,
    weights: Floats,
    denominator: Denominator,
    excluded: Collection[Subgraph] = (),
    n_jobs: int = 1,
    time_limit: float = math.inf,
    progress: Report | None = None,
) -> Maxima:
    """The largest statistic of each relabeling in each size class, over all admitted subgraphs.

    Parameters
    ----------
    family : Family
    weights : ndarray of shape (n_relabelings, n_contrasts, n_graphs)
        Scaled weights of any range of relabelings, graphs in the family's order.
    denominator : Denominator
    excluded : collection of tuple of int
        Subgraphs that are counted but left out of the maxima, for step-down.
    n_jobs : int
        Threads; the answer does not depend on them. This engine uses one.
    time_limit : float
        Seconds after which UnfinishedTestError is raised: partial maxima are too small.
    progress : callable, optional
        Receives a dict with n_visited and seconds.
    """
    left_out = set(excluded)
    maxima = np.zeros((len(weights), family.n_classes))
    n_admitted = np.zeros(family.n_classes, dtype=np.int64)
    for subgraphs, containment in _parts(family, weights, time_limit, progress):
        size_class = family.size_class(len(subgraphs[0]))
        n_admitted[size_class] += len(subgraphs)
        counted = np.array([subgraph not in left_out for subgraph in subgraphs])
        if counted.any():
            values = contrast_statistics(containment[counted], weights, denominator).max(axis=(0, 2))
            maxima[:, size_class] = np.maximum(maxima[:, size_class], values)
    return Maxima(maxima, n_admitted)


def list_subgraphs(
    family: Family,
    weights: Floats,
    denominator: Denominator,
    thresholds: Floats,
    n_jobs: int = 1,
    time_limit: float = math.inf,
    progress: Report | None = None,
) -> Listed:
    """All admitted subgraphs whose statistic is at least the threshold of their size class.

    Parameters
    ----------
    family, denominator, n_jobs, time_limit, progress
        As for `null_maxima`.
    weights : ndarray of shape (1, n_contrasts, n_graphs)
        Scaled weights of the observed labels.
    thresholds : ndarray of shape (n_classes,)
    """
    found: list[Subgraph] = []
    statistics, contrasts = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for subgraphs, containment in _parts(family, weights, time_limit, progress):
        values = contrast_statistics(containment, weights, denominator)[:, 0]
        largest = values.max(axis=1)
        keep = np.flatnonzero(largest >= thresholds[family.size_class(len(subgraphs[0]))])
        found += [subgraphs[k] for k in keep]
        statistics.append(largest[keep])
        contrasts.append(values[keep].argmax(axis=1))
    return Listed(found, np.concatenate(statistics), np.concatenate(contrasts))


def _parts(
    family: Family, weights: Floats, time_limit: float, progress: Report | None
) -> Iterator[tuple[list[Subgraph], Floats]]:
    """Admitted subgraphs of one size at a time, few enough for memory."""
    begin, n_visited = time.monotonic(), 0
    most = max(1, _CELLS // max(1, weights.shape[0] * weights.shape[1]))
    for subgraphs, containment in admitted_levels(family):
        for first in range(0, len(subgraphs), most):
            seconds = time.monotonic() - begin
            if seconds > time_limit:
                raise unfinished(n_visited)
            yield subgraphs[first : first + most], containment[first : first + most]
            n_visited += len(subgraphs[first : first + most])
            if progress is not None:
                progress({"n_visited": n_visited, "seconds": seconds})
