"""The largest statistic of each permutation over all admitted subgraphs, and the subgraphs above a threshold.

One walk of the compiled core over all admitted subgraphs serves any number of permutations. Permutations do
not influence each other: a range of them gives the same bytes wherever and beside whichever others it is
computed. A test can therefore be computed in ranges of permutations: with a checkpoint between them, on a
cluster, or as one shard of a job array.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.cluster.checkpoint import Checkpoint, Identity, PathLike, digest, write_part
from dugraph.cluster.parts import Pool, make_pool, run_parts
from dugraph.cluster.shards import Shard, ShardFile, of_shard
from dugraph.exceptions import InputError
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
from dugraph.significance.design import Family, Subgraph
from dugraph.significance.result import unfinished
from dugraph.significance.statistics import Denominator

Floats = NDArray[np.float64]
N_RANGES = 16
"""Ranges of a test with a checkpoint: the most that a killed run loses is one of them."""
BOUND = Bound.mass
"""Subgraphs are skipped that this bound proves too small; the answer is the same with any other."""
_DIGITS = 9  # after the decimal point


class Maxima(NamedTuple):
    """The largest statistics of a range of permutations.

    Attributes
    ----------
    maxima : ndarray of shape (n_permutations, n_classes)
        Per permutation and size class, over all admitted subgraphs; 0 in an empty class.
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
) -> Maxima:
    """Find the largest statistic of each permutation in each size class, over all admitted subgraphs.

    Parameters
    ----------
    family : Family
    weights : ndarray of shape (n_permutations, n_contrasts, n_graphs)
        Scaled weights of any range of permutations, graphs in the family's order.
    denominator : Denominator
    excluded : collection of tuple of int
        Subgraphs that are counted but left out of the maxima, for step-down.
    n_jobs : int
        Threads; the answer does not depend on them.
    time_limit : float
        Seconds after which UnfinishedTestError is raised: partial maxima are too small.
    progress : callable, optional
        Receives a dict with n_visited and seconds.
    """
    found = core_null_maxima(
        prepared=family.prepared,
        relabelings=_relabelings(family, weights, denominator),
        excluded=[list(subgraph) for subgraph in excluded],
        limits=_limits(family, n_jobs, time_limit),
        progress=reporting(_without_threshold(progress)),
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
) -> Listed:
    """List all admitted subgraphs whose statistic is at least the threshold of their size class.

    Parameters
    ----------
    family, denominator, n_jobs, time_limit, progress
        As for `null_maxima`.
    weights : ndarray of shape (1, n_contrasts, n_graphs)
        Scaled weights of the observed labels.
    thresholds : ndarray of shape (n_classes,)
    """
    found = reached(
        prepared=family.prepared,
        relabelings=_relabelings(family, weights, denominator),
        thresholds=np.ascontiguousarray(thresholds, dtype=np.float64),
        limits=_limits(family, n_jobs, time_limit),
        progress=reporting(_without_threshold(progress)),
    )
    _check_finished(found)
    edges = found.edge_index.tolist()
    subgraphs = [tuple(edges[a:b]) for a, b in itertools.pairwise(found.indptr.tolist())]
    return Listed(subgraphs, np.array(found.values), np.array(found.contrasts))


def _relabelings(family: Family, weights: Floats, denominator: Denominator) -> Relabelings:
    return Relabelings(
        statistic=getattr(Statistic, denominator.statistic),
        weights=np.ascontiguousarray(weights.transpose(1, 0, 2)),
        cells=np.ascontiguousarray(denominator.cells, dtype=np.int64),
        cell_scale=np.ascontiguousarray(denominator.cell_scale),
        basis=np.ascontiguousarray(denominator.basis.T),
        n_classes=family.n_classes,
        one_sided=denominator.one_sided,
    )


def _limits(family: Family, n_jobs: int, time_limit: float) -> Limits:
    if time_limit <= 0:
        raise unfinished(0)
    return Limits(
        n_subgraphs=1,
        max_edges=family.max_edges or max(1, len(family.edges)),
        bound=BOUND,
        n_threads=n_jobs,
        time_limit=time_limit,
        node_limit=NO_LIMIT,
    )


def _without_threshold(progress: Report | None) -> Report | None:
    """A progress function that receives only what a test has: subgraphs and seconds."""
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


@dataclass(frozen=True)
class TestProblem:
    """The constant arguments of all ranges of a test; sent to each worker once.

    Attributes
    ----------
    family : Family
    denominator : Denominator
    n_threads : int
        Threads of each range.
    """

    __test__ = False  # not a pytest class

    family: Family
    denominator: Denominator
    n_threads: int

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "family": replace(self.family)}  # without the core's objects


class Range(NamedTuple):
    """Permutations from `begin` up to, but not including, `end`."""

    begin: int
    end: int


def range_maxima(
    problem: TestProblem,
    weights: Floats,
    excluded: Collection[Subgraph],
    time_limit: float,
    progress: Report | None = None,
) -> Maxima:
    """`null_maxima` of a range of permutations, as a task."""
    family, denominator, n_threads = problem.family, problem.denominator, problem.n_threads
    return null_maxima(family, weights, denominator, excluded, n_threads, time_limit, progress)


class PartedMaxima:
    """Maxima over all permutations, computed in ranges and saved in a checkpoint.

    It is the `dugraph.cluster.parts.Job` of each of its steps.

    Parameters
    ----------
    weights : ndarray of shape (n_permutations, n_contrasts, n_graphs)
    n_classes : int
    checkpoint : Checkpoint
    pool : Pool
        With the `TestProblem` as its subject.
    wanted : Range, optional
        The permutations of a shard; by default all.
    """

    def __init__(
        self,
        weights: Floats,
        n_classes: int,
        checkpoint: Checkpoint,
        pool: Pool,
        wanted: Range | None = None,
    ) -> None:
        self._weights, self._checkpoint, self._pool = weights, checkpoint, pool
        self._wanted = Range(0, len(weights)) if wanted is None else wanted
        # By step of step-down and permutation; nan where they are not computed yet.
        self._maxima = np.full((0, len(weights), n_classes), np.nan)
        self._n_admitted = np.zeros(n_classes, dtype=np.int64)
        self._n_visited = 0
        saved = checkpoint.load(LAYOUT)
        if saved is not None:
            self._maxima = np.array(saved["maxima"])
            self._n_admitted = np.array(saved["n_admitted"])
            self._n_visited = int(saved["n_visited"][0])
        self._step = -1
        self._running: dict[int, Range] = {}

    def __call__(self, excluded: Collection[Subgraph], time_limit: float, progress: Report | None) -> Maxima:
        """The maxima of the next step, without some subgraphs."""
        self._step += 1
        if self._step == len(self._maxima):
            new = np.full((1, *self._maxima.shape[1:]), np.nan)
            self._maxima = np.concatenate([self._maxima, new])
        self._excluded, self._progress = list(excluded), progress
        self._begin, self._time_limit = time.monotonic(), time_limit
        self._running = {}
        run_parts(self, self._pool, self._checkpoint, progress)
        return Maxima(self._maxima[self._step], self._n_admitted, self._n_visited)

    @property
    def is_done(self) -> bool:
        """Whether all maxima of this step are known."""
        return not self._open().any()

    def _open(self) -> NDArray[np.bool_]:
        is_open: NDArray[np.bool_] = np.isnan(self._maxima[self._step]).any(axis=1)
        is_open[: self._wanted.begin] = is_open[self._wanted.end :] = False
        return is_open

    def submit(self, pool: Pool) -> None:
        """Submit ranges of permutations; raises UnfinishedTestError after the time limit."""
        left = self._time_limit - (time.monotonic() - self._begin)
        if left <= 0:
            raise unfinished(self._n_visited)
        is_open = self._open()
        for begin, end in self._running.values():
            is_open[begin:end] = False
        here = pool.n_workers is None
        n_ranges = N_RANGES if self._checkpoint or not here else 1
        n_ranges = max(n_ranges, 1 if here else pool.n_wanted)
        length = math.ceil((self._wanted.end - self._wanted.begin) / n_ranges)
        while is_open.any() and len(self._running) < pool.n_wanted:
            begin = int(is_open.argmax())
            end = begin + int(np.append(is_open[begin : begin + length], False).argmin())
            more = (self._progress,) if here else ()
            task = pool.submit(range_maxima, self._weights[begin:end], self._excluded, left, *more)
            self._running[task] = Range(begin, end)
            is_open[begin:end] = False

    def receive(self, task: int, found: Maxima) -> None:
        """Add the maxima of a range."""
        begin, end = self._running[task]
        self._n_admitted, self._n_visited = found.n_admitted, self._n_visited + found.n_visited
        self._maxima[self._step, begin:end] = found.maxima
        del self._running[task]

    def numbers(self) -> Numbers:
        """Counters for the progress function."""
        return {
            "n_visited": self._n_visited,
            "seconds": time.monotonic() - self._begin,
            "n_tasks": len(self._running),
        }

    def content(self) -> dict[str, NDArray[Any]]:
        """The state as arrays, for a checkpoint."""
        return {
            "maxima": self._maxima,
            "n_admitted": self._n_admitted,
            "n_visited": np.array([self._n_visited]),
        }


LAYOUT = {"maxima": "<f8 3", "n_admitted": "<i8 1", "n_visited": "<i8 1"}
"""The arrays of a checkpoint of a test."""


def parted_maxima(
    problem: TestProblem,
    weights: Floats,
    parameters: Mapping[str, Any],
    *,
    checkpoint: PathLike | None = None,
    shard: Shard | None = None,
    client: Any = None,
) -> PartedMaxima:
    """Set up the maxima of a test, on a client's workers, with a checkpoint, or as a shard.

    Parameters
    ----------
    problem : TestProblem
    weights : ndarray of shape (n_permutations, n_contrasts, n_graphs)
    parameters : mapping
        Those of `significant_subgraphs`.
    checkpoint : path-like or None
    shard : Shard or None
    client : distributed.Client or None
    """
    family = problem.family

    def identify() -> Identity:
        inputs = {
            "graphs": digest(family.edges, family.edge_probability),
            # The last digits differ between machines.
            "labels, blocks or covariates": digest(np.round(weights, _DIGITS) + 0.0),
        }
        return of_shard(Identity("test", dict(parameters), inputs), shard)

    wanted = None if shard is None else shard_range(shard, len(weights))
    saved, pool = Checkpoint(checkpoint, identify), make_pool(client, problem)
    return PartedMaxima(weights, family.n_classes, saved, pool, wanted)


def shard_range(shard: Shard, n_permutations: int) -> Range:
    """The permutations of a shard."""
    return Range(*(n_permutations * k // shard.n_shards for k in (shard.number - 1, shard.number)))


def write_merged(files: Sequence[ShardFile], path: Path) -> None:
    """Write the checkpoint of the whole test from those of all shards.

    Raises
    ------
    InputError
        If a shard is not done: some of the permutations do not give p-values.
    """
    n_permutations, n_classes = files[0].content["maxima"].shape[1:]
    maxima = np.full((1, n_permutations, n_classes), np.nan)
    for file in files:
        begin, end = shard_range(file.shard, n_permutations)
        if not len(file.content["maxima"]) or np.isnan(file.content["maxima"][0, begin:end]).any():
            raise InputError(
                f"{file.path}: all shards must be done, but {file.shard} is not. Run it again: it resumes "
                "where it stopped."
            )
        maxima[0, begin:end] = file.content["maxima"][0, begin:end]
    content = {
        "maxima": maxima,
        "n_admitted": np.max([file.content["n_admitted"] for file in files], axis=0),
        "n_visited": np.sum([file.content["n_visited"] for file in files], axis=0),
    }
    write_part(path, files[0].whole, content)
