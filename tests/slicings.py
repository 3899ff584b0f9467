"""Searches in parts, by other routes than one search: sliced at random, dealt to workers that come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dugraph import MiningResult, mine_subgraphs
from dugraph.cluster.pool import Crew, Done

Random = np.random.Generator


def same(one: MiningResult, other: MiningResult) -> bool:
    """Whether two proven answers are the same to the byte."""
    return (
        one.success
        and other.success
        and one.subgraphs == other.subgraphs
        and one.values.tobytes() == other.values.tobytes()
        and (one.threshold, one.best_open_bound) == (other.threshold, other.best_open_bound)
    )


def in_slices(
    file: Path, random: Random, most_nodes: int, *given: Any, most_jobs: int = 2, **asked: Any
) -> MiningResult:
    """Mine with a checkpoint and limits that end every call early, until the answer is proven.

    Several threads stop at nodes that nobody can foresee; one stops at the same nodes every time.
    """
    for _ in range(100_000):
        limit, n_jobs = int(random.integers(1, most_nodes)), int(random.integers(1, most_jobs + 1))
        result = mine_subgraphs(*given, **asked, node_limit=limit, n_jobs=n_jobs, checkpoint=file)
        if result.success:
            return result
    raise AssertionError("no end")


class UnreliableWorkers:
    """A cluster without processes: tasks are cut short at random, come back in any order, and get lost.

    Parameters
    ----------
    subject : object
    random : Generator
    most_nodes : int
        After which a slice is cut short at the latest.
    """

    def __init__(self, subject: Any, random: Random, most_nodes: int = 40) -> None:
        self._subject, self._random, self._most_nodes = subject, random, most_nodes
        self._tasks: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
        self._number = 0
        self.most_tasks = 0

    def crew(self) -> Crew:
        n_workers = int(self._random.integers(1, 6))  # they come and go
        return Crew(n_workers, n_workers, 2 * n_workers)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        self._number += 1
        self._tasks[self._number] = (function, arguments)
        self.most_tasks = max(self.most_tasks, len(self._tasks))
        return self._number

    def done(self) -> Iterable[Done]:
        for number in self._random.permutation(list(self._tasks)).tolist():
            if self._random.random() < 0.5:
                continue  # still at it
            function, (work, effort, *more) = self._tasks[number]
            short = effort._replace(n_nodes=int(self._random.integers(0, self._most_nodes)))
            found = function(self._subject, work, short, *more)
            if self._random.random() < 0.2:
                continue  # the worker was lost with what it found; another one begins again
            del self._tasks[number]
            yield number, found

    def cancel(self) -> None:
        self._tasks.clear()
