"""The oracle of the engine, by definition: every admitted subgraph, every relabeling, in NumPy.

Both functions depend on nothing but their arguments, and relabelings do not see each other: a range of them
gives the same rows wherever and with whichever others it is computed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.engine import Listed, Maxima
from dugraph.significance.family import Family, Subgraph
from dugraph.significance.messages import unfinished
from dugraph.significance.statistics import Denominator, contrast_statistics

Floats = NDArray[np.float64]
Report = Callable[[dict[str, Any]], object]
_CELLS = 4_000_000  # statistics held at a time
# The admission limit's tolerance (rule 8).
FREQUENCY_TOLERANCE = 1e-12


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
    return Maxima(maxima, n_admitted, int(n_admitted.sum()))


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


def admitted_levels(family: Family) -> Iterator[tuple[list[Subgraph], Floats]]:
    """All admitted subgraphs, size by size, with their containment probabilities.

    Every connected set of edges can lose an edge and stay connected, and no expected frequency grows with the
    set: so the admitted subgraphs of a size are among those of the size before with one adjacent edge more.

    Yields
    ------
    subgraphs : list of tuple of int
        Sorted edge indices; all of one size, sorted.
    containment : ndarray of shape (n_subgraphs, n_graphs)
        Products in ascending order of the edges.
    """
    touching: dict[int, set[int]] = {}
    for edge, pair in enumerate(family.edges.tolist()):
        for node in pair:
            touching.setdefault(node, set()).add(edge)
    candidates: list[Subgraph] = [(edge,) for edge in range(len(family.edges))]
    size = 1
    single: set[int] = set()
    while candidates and (family.max_edges is None or size <= family.max_edges):
        index = np.array(candidates)
        containment = family.edge_probability[index[:, 0]].copy()
        for k in range(1, size):
            containment *= family.edge_probability[index[:, k]]
        keep = containment.mean(axis=1) > family.min_expected_frequency + FREQUENCY_TOLERANCE
        level = [subgraph for subgraph, admitted in zip(candidates, keep, strict=True) if admitted]
        if not level:
            return
        yield level, containment[keep]
        single = single or {edge for (edge,) in level}
        larger: set[Subgraph] = set()
        for subgraph in level:
            nodes = {node for edge in subgraph for node in family.edges[edge].tolist()}
            near = set().union(*(touching[node] for node in nodes)) & single
            larger.update(tuple(sorted((*subgraph, edge))) for edge in near.difference(subgraph))
        candidates = sorted(larger)
        size += 1
