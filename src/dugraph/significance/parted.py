"""The maxima of a test in ranges of relabelings: kept in a checkpoint, on a cluster, or one shard of them.

Relabelings do not see each other (engine.py), so that ranges of any length give the same bytes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.cluster.checkpoint import SECONDS, Checkpoint
from dugraph.cluster.dask_pool import DaskPool
from dugraph.cluster.identity import Identity, digest
from dugraph.cluster.part_file import PathLike, write_part
from dugraph.cluster.pool import Crew, InThisProcess, Pool
from dugraph.cluster.shards import Shard, ShardFile, of_shard
from dugraph.exceptions import InputError
from dugraph.search.core import Report
from dugraph.significance.engine import Maxima, null_maxima
from dugraph.significance.family import Family, Subgraph
from dugraph.significance.messages import unfinished
from dugraph.significance.statistics import Denominator

Floats = NDArray[np.float64]
_DIGITS = 9  # after the point
_FIRST = 16  # relabelings of the first range, which tells how long one takes


@dataclass(frozen=True)
class TestProblem:
    """What is tested: the part of a range that never changes, and travels once.

    Attributes
    ----------
    family : Family
    denominator : Denominator
    n_threads : int
        Of a range.
    n_exact : int
        As for `null_maxima`, of all relabelings together. A range may use it, too: its own critical values
        are no higher than those of all.
    """

    __test__ = False  # pytest takes names like this for tests

    family: Family
    denominator: Denominator
    n_threads: int
    n_exact: int = 0

    def __getstate__(self) -> dict[str, Any]:
        # Without what the core has made of the edges: that cannot travel.
        family = self.family
        return {**vars(self), "family": replace(family)}


class Range(NamedTuple):
    """Some of the relabelings."""

    begin: int
    end: int


def range_maxima(
    problem: TestProblem,
    weights: Floats,
    excluded: Collection[Subgraph],
    time_limit: float,
    progress: Report | None = None,
) -> tuple[Maxima, float]:
    """The maxima of a range of relabelings, and the seconds that they took."""
    begin = time.monotonic()
    found = null_maxima(
        problem.family,
        weights,
        problem.denominator,
        excluded,
        problem.n_threads,
        time_limit,
        progress,
        n_exact=problem.n_exact,
    )
    return found, time.monotonic() - begin


class PartedMaxima:
    """Maxima over all relabelings, done by a pool and kept in a checkpoint.

    Parameters
    ----------
    problem : TestProblem
    weights : ndarray of shape (n_relabelings, n_contrasts, n_graphs)
    checkpoint : Checkpoint
    pool : Pool
        Whose subject is the problem.
    wanted : Range, optional
        The relabelings of a shard; by default all.
    """

    def __init__(
        self,
        problem: TestProblem,
        weights: Floats,
        checkpoint: Checkpoint,
        pool: Pool,
        wanted: Range | None = None,
    ) -> None:
        self._n_exact, n_classes = problem.n_exact, problem.family.n_classes
        self._weights, self._checkpoint, self._pool = weights, checkpoint, pool
        self._wanted = Range(0, len(weights)) if wanted is None else wanted
        # By step and relabeling; steps are those of step-down, one after the other.
        self._maxima = np.full((0, len(weights), n_classes), np.nan)
        self._n_admitted = np.zeros(n_classes, dtype=np.int64)
        self._n_visited = 0
        saved = checkpoint.load(FILE)
        if saved is not None:
            self._maxima = np.array(saved["maxima"])
            self._n_admitted = np.array(saved["n_admitted"])
            self._n_visited = int(saved["n_visited"][0])
        self._step = 0

    def __call__(self, excluded: Collection[Subgraph], time_limit: float, progress: Report | None) -> Maxima:
        """The maxima of the next step, without some subgraphs."""
        if self._step == len(self._maxima):
            new = np.full((1, *self._maxima.shape[1:]), np.nan)
            self._maxima = np.concatenate([self._maxima, new])
        begin, left = time.monotonic(), time_limit
        open_ranges = self._missing()
        away: dict[int, Range] = {}
        length = _FIRST if self._checkpoint or self._pool.crew().is_elsewhere else self._maxima.shape[1]
        try:
            while open_ranges or away:
                crew = self._pool.crew()
                while open_ranges and len(away) < crew.n_wanted:
                    part, open_ranges = _cut(open_ranges, length, crew, len(away))
                    more = () if crew.is_elsewhere else (progress,)
                    weights = self._weights[part.begin : part.end]
                    task = self._pool.submit(range_maxima, weights, list(excluded), left, *more)
                    away[task] = part
                for task, (found, seconds) in self._pool.done():
                    part = away.pop(task)
                    self._maxima[self._step, part.begin : part.end] = found.maxima
                    self._n_admitted, self._n_visited = found.n_admitted, self._n_visited + found.n_visited
                    length = _next_length(part.end - part.begin, seconds)
                if crew.is_elsewhere and progress is not None:
                    progress(self._numbers(crew, len(away), time.monotonic() - begin))
                if self._checkpoint.is_due:
                    self._checkpoint.save(self.content())
                left = time_limit - (time.monotonic() - begin)
                if left <= 0 and (open_ranges or away):
                    raise unfinished(self._n_visited)
        finally:
            self._pool.cancel()
            self._checkpoint.save(self.content())
        self._step += 1
        maxima = _down_to_critical(self._maxima[self._step - 1], self._n_exact)
        return Maxima(maxima, self._n_admitted, self._n_visited)

    def _missing(self) -> list[Range]:
        """Runs of relabelings without maxima."""
        is_open = np.isnan(self._maxima[self._step]).any(axis=1)
        is_open[: self._wanted.begin] = is_open[self._wanted.end :] = False
        ends = np.flatnonzero(np.diff(np.concatenate([[False], is_open, [False]]).astype(np.int8)))
        return [Range(*pair) for pair in ends.reshape(-1, 2).tolist()]

    def _numbers(self, crew: Crew, n_tasks: int, seconds: float) -> dict[str, Any]:
        return {
            "n_visited": self._n_visited,
            "seconds": seconds,
            "n_workers": crew.n_workers,
            "n_tasks": n_tasks,
        }

    def content(self) -> dict[str, NDArray[Any]]:
        """All that a later run needs, by name, for a file."""
        return {
            "maxima": self._maxima,
            "n_admitted": self._n_admitted,
            "n_visited": np.array([self._n_visited]),
        }


FILE = {"maxima": "<f8 3", "n_admitted": "<i8 1", "n_visited": "<i8 1"}
"""The arrays of `PartedMaxima.content`."""


def _down_to_critical(maxima: Floats, n_exact: int) -> Floats:
    """Maxima of ranges as one walk over all relabelings gives them: exact down to the critical values."""
    if not 0 < n_exact <= len(maxima):
        return maxima
    critical = np.sort(maxima, axis=0)[-n_exact]
    return np.concatenate([maxima[:1], np.maximum(maxima[1:], critical)])


def _cut(ranges: list[Range], length: int, crew: Crew, n_away: int) -> tuple[Range, list[Range]]:
    """The next range to do, and those that are left."""
    left = sum(part.end - part.begin for part in ranges)
    fair = math.ceil(left / max(1, crew.n_wanted - n_away))  # nobody shall wait for the last one
    first, *others = ranges
    end = min(first.end, first.begin + max(1, min(length, fair)))
    rest = [Range(end, first.end)] if end < first.end else []
    return Range(first.begin, end), [*rest, *others]


def _next_length(length: int, seconds: float) -> int:
    """So many relabelings that a range takes half the time between two writings."""
    return max(1, min(4 * length, int(length * SECONDS / 2 / max(seconds, 1e-9))))


def parted_maxima(
    problem: TestProblem,
    weights: Floats,
    parameters: Mapping[str, Any],
    *,
    checkpoint: PathLike | None = None,
    shard: Shard | None = None,
    client: Any = None,
) -> PartedMaxima:
    """The maxima of a test, in ranges as far as it was asked for them.

    Parameters
    ----------
    problem : TestProblem
    weights : ndarray of shape (n_relabelings, n_contrasts, n_graphs)
    parameters : mapping
        Those of `significant_subgraphs`.
    checkpoint : path-like or None
    shard : Shard or None
    client : distributed.Client or None
    """
    kept = Checkpoint(checkpoint, lambda: of_shard(_identity(problem, weights, parameters), shard))
    wanted = None if shard is None else shard_range(shard, len(weights))
    pool: Pool = InThisProcess(problem) if client is None else DaskPool(client, problem)
    return PartedMaxima(problem, weights, kept, pool, wanted)


def shard_range(shard: Shard, n_relabelings: int) -> Range:
    """The relabelings of a shard."""
    ends = [n_relabelings * k // shard.n_shards for k in (shard.number - 1, shard.number)]
    return Range(*ends)


def write_merged(files: Sequence[ShardFile], path: Path) -> None:
    """Write the checkpoint of the whole test that shards are parts of.

    Raises
    ------
    InputError
        If a shard is not done: a part of the relabelings has no p-values.
    """
    n_relabelings, n_classes = files[0].content["maxima"].shape[1:]
    maxima = np.full((1, n_relabelings, n_classes), np.nan)
    for file in files:
        begin, end = shard_range(file.shard, n_relabelings)
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


def _identity(problem: TestProblem, weights: Floats, parameters: Mapping[str, Any]) -> Identity:
    family = problem.family
    return Identity(
        command="test",
        parameters=dict(parameters),
        inputs={
            "graphs": digest(family.edges, family.edge_probability),
            # Their last digits differ between machines.
            "labels, blocks or covariates": digest(np.round(weights, _DIGITS) + 0.0),
        },
    )
