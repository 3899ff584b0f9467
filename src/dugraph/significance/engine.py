"""One walk over all admitted subgraphs for all relabelings, by the compiled core.

Both functions depend on nothing but their arguments, and relabelings do not see each other: a range of them
gives the same bytes wherever and beside whichever others it is computed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.search.core import (
    NO_LIMIT,
    Bound,
    Limits,
    NullMaxima,
    Numbers,
    Reached,
    Relabelings,
    Report,
    Statistic,
    reached,
    reporting,
)
from dugraph.search.core import Status as CoreStatus
from dugraph.search.core import null_maxima as core_null_maxima
from dugraph.significance.family import Family, Subgraph
from dugraph.significance.messages import unfinished
from dugraph.significance.statistics import Denominator

Floats = NDArray[np.float64]


class Maxima(NamedTuple):
    """The largest statistics of a range of relabelings.

    Attributes
    ----------
    maxima : ndarray of shape (n_relabelings, n_classes)
        Per relabeling and size class, over all admitted subgraphs; 0 in an empty class.
    n_admitted : ndarray of int, shape (n_classes,)
        Admitted subgraphs per size class, excluded ones among them.
    n_visited : int
        Subgraphs whose statistics were computed; bounds proved the others too small.
    """

    maxima: Floats
    n_admitted: NDArray[np.int64]
    n_visited: int


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
    bounded: bool = True,
    n_exact: int = 0,
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
        Threads; the answer does not depend on them.
    time_limit : float
        Seconds after which UnfinishedTestError is raised: partial maxima are too small.
    progress : callable, optional
        Receives a dict with n_visited and seconds.
    bounded : bool, default True
        Whether subgraphs are left out that bounds prove too small; the answer is the same without.
    n_exact : int, default 0
        If not 0, the maxima of a class are exact down to the largest but `n_exact` - 1, and the lower ones,
        except in the first row, are given as that value: bounds then skip far more.
    """
    found = core_null_maxima(
        prepared=family.prepared,
        relabelings=_relabelings(family, weights, denominator, n_exact),
        excluded=[list(subgraph) for subgraph in excluded],
        limits=_limits(family, n_jobs, time_limit, bounded),
        progress=reporting(_reduced(progress)),
    )
    _check_finished(found)
    maxima = np.array(found.maxima).reshape(len(weights), family.n_classes)
    return Maxima(maxima, np.array(found.n_admitted), found.counters.n_visited)


def list_subgraphs(
    family: Family,
    weights: Floats,
    denominator: Denominator,
    thresholds: Floats,
    n_jobs: int = 1,
    time_limit: float = math.inf,
    progress: Report | None = None,
    bounded: bool = True,
) -> Listed:
    """All admitted subgraphs whose statistic is at least the threshold of their size class.

    Parameters
    ----------
    family, denominator, n_jobs, time_limit, progress, bounded
        As for `null_maxima`.
    weights : ndarray of shape (1, n_contrasts, n_graphs)
        Scaled weights of the observed labels.
    thresholds : ndarray of shape (n_classes,)
    """
    found = reached(
        prepared=family.prepared,
        relabelings=_relabelings(family, weights, denominator),
        thresholds=np.ascontiguousarray(thresholds, dtype=np.float64),
        limits=_limits(family, n_jobs, time_limit, bounded),
        progress=reporting(_reduced(progress)),
    )
    _check_finished(found)
    edges = found.edge_index.tolist()
    subgraphs = [tuple(edges[a:b]) for a, b in itertools.pairwise(found.indptr.tolist())]
    return Listed(subgraphs, np.array(found.values), np.array(found.contrasts))


def _relabelings(family: Family, weights: Floats, denominator: Denominator, n_exact: int = 0) -> Relabelings:
    return Relabelings(
        statistic=getattr(Statistic, denominator.statistic),
        weights=np.ascontiguousarray(weights.transpose(1, 0, 2)),
        cells=np.ascontiguousarray(denominator.cells, dtype=np.int64),
        cell_scale=np.ascontiguousarray(denominator.cell_scale),
        basis=np.ascontiguousarray(denominator.basis.T),
        n_classes=family.n_classes,
        n_exact=n_exact,
    )


def _limits(family: Family, n_jobs: int, time_limit: float, bounded: bool) -> Limits:
    if time_limit <= 0:
        raise unfinished(0)
    return Limits(
        n_subgraphs=1,
        max_edges=family.max_edges or max(1, len(family.edges)),
        bound=Bound.mass if bounded else Bound.frequency,
        n_threads=n_jobs,
        time_limit=time_limit,
        node_limit=NO_LIMIT,
    )


def _reduced(progress: Report | None) -> Report | None:
    """A progress function that is shown what a test has to say."""
    if progress is None:
        return None

    def call(now: Numbers) -> None:
        progress({"n_visited": now["n_visited"], "seconds": now["seconds"]})

    return call


def _check_finished(found: NullMaxima | Reached) -> None:
    if found.status == CoreStatus.interrupted:
        raise KeyboardInterrupt
    if found.status != CoreStatus.optimal:
        raise unfinished(found.counters.n_visited)
