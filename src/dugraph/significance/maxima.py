"""The largest statistic of each permutation over all admitted subgraphs, and the subgraphs above a threshold.

One traversal by the compiled core serves any number of permutations. Permutations do not influence each
other: a range of them gives the same bytes wherever and beside whichever others it is computed. A test can
therefore be computed in ranges of permutations: with a checkpoint between them, on a cluster, or as one shard
of a job array.
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

from dugraph.cluster.parts import (
    Checkpoint,
    Identity,
    PathLike,
    Pool,
    Shard,
    ShardFile,
    check_layout,
    digest,
    make_pool,
    of_shard,
    run_parts,
    write_part,
)
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
_DIGITS = 9  # after the decimal point
_NUMBERS = ("n_visited", "seconds")  # of a search, for the progress function


class Maxima(NamedTuple):
    """The largest statistics of a range of permutations, in each size class; 0 in an empty class.

    `n_admitted`, per size class, includes excluded subgraphs; `n_visited` had their statistics computed.
    """

    maxima: Floats
    n_admitted: NDArray[np.int64]
    n_visited: int


class Listed(NamedTuple):
    """Subgraphs whose observed statistic reaches a threshold, by size, then in lexicographic order of edges.

    `contrasts` are those with the largest statistic, the first of equal ones.
    """

    subgraphs: list[Subgraph]
    statistics: Floats
    contrasts: NDArray[np.int64]


@dataclass(frozen=True)
class TestProblem:
    """The constant arguments of all ranges of a test; sent to each worker once."""

    __test__ = False  # not a pytest class

    family: Family
    denominator: Denominator
    n_threads: int = 1

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "family": replace(self.family)}  # without the core's objects

    def relabelings(self, weights: Floats) -> Relabelings:
        """The weights and denominators for the core."""
        denominator = self.denominator
        return Relabelings(
            statistic=getattr(Statistic, denominator.statistic),
            weights=np.ascontiguousarray(weights.transpose(1, 0, 2)),
            cells=np.ascontiguousarray(denominator.cells, dtype=np.int64),
            cell_scale=np.ascontiguousarray(denominator.cell_scale),
            basis=np.ascontiguousarray(denominator.basis.T),
            n_classes=self.family.n_classes,
            one_sided=denominator.one_sided,
        )

    def limits(self, time_limit: float) -> Limits:
        """The limits of one traversal."""
        if time_limit <= 0:
            raise unfinished(0)
        return Limits(
            n_subgraphs=1,
            max_edges=self.family.max_edges or max(1, len(self.family.edges)),
            bound=Bound.frequency,
            n_threads=self.n_threads,
            time_limit=time_limit,
            node_limit=NO_LIMIT,
        )


def null_maxima(
    problem: TestProblem,
    weights: Floats,
    excluded: Collection[Subgraph] = (),
    time_limit: float = math.inf,
    progress: Report | None = None,
) -> Maxima:
    """Find the largest statistic of each permutation in each size class, over all admitted subgraphs.

    `weights` are scaled, of shape (n_permutations, n_contrasts, n_graphs), for any range of permutations,
    graphs in the family's order. Excluded subgraphs are counted but left out of the maxima, for step-down.
    After the time limit UnfinishedTestError is raised, because partial maxima are too small.
    """
    found = core_null_maxima(
        prepared=problem.family.prepared,
        relabelings=problem.relabelings(weights),
        excluded=[list(subgraph) for subgraph in excluded],
        limits=problem.limits(time_limit),
        progress=reporting(progress, _NUMBERS),
    )
    _check_finished(found)
    maxima = np.array(found.maxima).reshape(len(weights), problem.family.n_classes)
    return Maxima(maxima, np.array(found.n_admitted), found.counters.n_visited)


def list_subgraphs(
    problem: TestProblem,
    weights: Floats,
    thresholds: Floats,
    time_limit: float = math.inf,
    progress: Report | None = None,
) -> Listed:
    """List all admitted subgraphs whose statistic is at least the threshold of their size class.

    `weights` are those of the observed labels, shape (1, n_contrasts, n_graphs).
    """
    found = reached(
        prepared=problem.family.prepared,
        relabelings=problem.relabelings(weights),
        thresholds=np.ascontiguousarray(thresholds, dtype=np.float64),
        limits=problem.limits(time_limit),
        progress=reporting(progress, _NUMBERS),
    )
    _check_finished(found)
    edges = found.edge_index.tolist()
    subgraphs = [tuple(edges[a:b]) for a, b in itertools.pairwise(found.indptr.tolist())]
    return Listed(subgraphs, np.array(found.values), np.array(found.contrasts))


def _check_finished(found: NullMaxima | Reached) -> None:
    if found.status == CoreStatus.interrupted:
        raise KeyboardInterrupt
    if found.status != CoreStatus.optimal:
        raise unfinished(found.counters.n_visited)


class PartedMaxima:
    """The maxima of a test, computed in ranges, on a client's workers, with a checkpoint, or as a shard.

    Each of its steps is a `dugraph.cluster.parts.Job`; the problem is the subject of the pool. `parameters`
    are those of `significant_subgraphs`.
    """

    def __init__(
        self,
        problem: TestProblem,
        weights: Floats,
        parameters: Mapping[str, Any],
        *,
        checkpoint: PathLike | None = None,
        shard: Shard | None = None,
        client: Any = None,
    ) -> None:
        family = problem.family

        def identify() -> Identity:
            inputs = {
                "graphs": digest(family.edges, family.edge_probability),
                # The last digits differ between machines.
                "labels, blocks or covariates": digest(np.round(weights, _DIGITS) + 0.0),
            }
            return of_shard(Identity("test", dict(parameters), inputs), shard)

        self._weights, self._pool = weights, make_pool(client, problem)
        self._wanted = _permutations_of(shard or Shard(1, 1), len(weights))
        # By step of step-down and permutation; nan where they are not computed yet.
        self._maxima = np.full((0, len(weights), family.n_classes), np.nan)
        self._n_admitted = np.zeros(family.n_classes, dtype=np.int64)
        self._n_visited = 0
        self._checkpoint = Checkpoint(checkpoint, identify)
        saved = self._checkpoint.load(self.content())
        if saved is not None:
            self._maxima = np.array(saved["maxima"])
            self._n_admitted = np.array(saved["n_admitted"])
            self._n_visited = int(saved["n_visited"][0])
        self._step = -1

    def __call__(self, excluded: Collection[Subgraph], time_limit: float, progress: Report | None) -> Maxima:
        """The maxima of the next step, without some subgraphs."""
        self._step += 1
        if self._step == len(self._maxima):
            new = np.full((1, *self._maxima.shape[1:]), np.nan)
            self._maxima = np.concatenate([self._maxima, new])
        self._excluded, self._progress = list(excluded), progress
        self._begin, self._time_limit = time.monotonic(), time_limit
        self._running: dict[int, slice] = {}
        run_parts(self, self._pool, self._checkpoint, progress)
        return Maxima(self._maxima[self._step], self._n_admitted, self._n_visited)

    @property
    def is_done(self) -> bool:
        """Whether all maxima of this step are known."""
        return not self._open().any()

    def _open(self) -> NDArray[np.bool_]:
        is_open: NDArray[np.bool_] = np.isnan(self._maxima[self._step]).any(axis=1)
        is_open[: self._wanted.start] = is_open[self._wanted.stop :] = False
        return is_open

    def submit(self, pool: Pool) -> None:
        """Submit ranges of permutations; raises UnfinishedTestError after the time limit."""
        left = self._time_limit - (time.monotonic() - self._begin)
        if left <= 0:
            raise unfinished(self._n_visited)
        is_open = self._open()
        for some in self._running.values():
            is_open[some] = False
        here = pool.n_workers is None
        n_ranges = N_RANGES if self._checkpoint or not here else 1
        n_ranges = max(n_ranges, 1 if here else pool.n_wanted)
        length = math.ceil(len(self._wanted) / n_ranges)
        while is_open.any() and len(self._running) < pool.n_wanted:
            begin = int(is_open.argmax())
            some = slice(begin, begin + int(np.append(is_open[begin : begin + length], False).argmin()))
            more = (self._progress,) if here else ()
            task = pool.submit(null_maxima, self._weights[some], self._excluded, left, *more)
            self._running[task] = some
            is_open[some] = False

    def receive(self, task: int, found: Maxima) -> None:
        """Add the maxima of a range."""
        self._n_admitted, self._n_visited = found.n_admitted, self._n_visited + found.n_visited
        self._maxima[self._step, self._running[task]] = found.maxima
        del self._running[task]

    def numbers(self) -> Numbers:
        """Counters for the progress function."""
        seconds = time.monotonic() - self._begin
        return {"n_visited": self._n_visited, "seconds": seconds, "n_tasks": len(self._running)}

    def content(self) -> dict[str, NDArray[Any]]:
        """The state as arrays, for a checkpoint."""
        return _saved(self._maxima, self._n_admitted, self._n_visited)


def _saved(maxima: Floats, n_admitted: NDArray[np.int64], n_visited: int) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint."""
    return {"maxima": maxima, "n_admitted": n_admitted, "n_visited": np.array([n_visited])}


def _permutations_of(shard: Shard, n_permutations: int) -> range:
    return range(*(n_permutations * k // shard.n_shards for k in (shard.number - 1, shard.number)))


def write_merged(files: Sequence[ShardFile], path: Path) -> None:
    """Write the checkpoint of the whole test from those of all shards, which must be done."""
    for file in files:
        check_layout(file.path, file.content, _saved(np.empty((0, 0, 0)), np.empty(0, np.int64), 0))
    n_permutations, n_classes = files[0].content["maxima"].shape[1:]
    maxima = np.full((1, n_permutations, n_classes), np.nan)
    for file in files:
        own = _permutations_of(file.shard, n_permutations)
        found = file.content["maxima"][:1, own.start : own.stop]
        if not len(found) or np.isnan(found).any():
            raise InputError(
                f"{file.path}: all shards must be done, but {file.shard} is not. Run it again: it resumes "
                "where it stopped."
            )
        maxima[:, own.start : own.stop] = found
    n_admitted = np.max([file.content["n_admitted"] for file in files], axis=0)
    n_visited = sum(int(file.content["n_visited"][0]) for file in files)
    write_part(path, files[0].whole, _saved(maxima, n_admitted, n_visited))
