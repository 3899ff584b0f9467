"""Searches and tests in parts: stopped at random, and run by workers that come, go and get lost."""

from collections.abc import Callable
from typing import Any

from dugraph.search.mining import mine_within
from dugraph.search.parts import PartLimits


def same(one, other):
    """Whether two proven answers are the same to the byte."""
    return (
        one.success
        and other.success
        and one.subgraphs == other.subgraphs
        and one.values.tobytes() == other.values.tobytes()
        and (one.threshold, one.best_open_bound) == (other.threshold, other.best_open_bound)
    )


def in_slices(file, random, most_nodes, *given, most_jobs=2, **settings):
    """Mine with a checkpoint and limits that end every call early, until the answer is proven.

    Several threads stop at unpredictable nodes; one thread stops at the same nodes every time.
    """
    for _ in range(100_000):
        limit, n_jobs = int(random.integers(1, most_nodes)), int(random.integers(1, most_jobs + 1))
        result = mine_within(limit, *given, **settings, n_jobs=n_jobs, checkpoint=file)
        if result.success:
            return result
    raise AssertionError("no end")


class UnreliableWorkers:
    """A cluster without processes: parts stop early, finish in any order, and get lost with their worker.

    Parameters
    ----------
    subject : object
    random : Generator
    most_nodes : int
        Parts of a search stop before this many subgraphs.
    """

    def __init__(self, subject, random, most_nodes=40):
        self._subject, self._random, self._most_nodes = subject, random, most_nodes
        self._tasks: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
        self._number = 0
        self.most_tasks = 0

    @property
    def n_workers(self):
        return int(self._random.integers(1, 6))  # they come and go

    @property
    def n_wanted(self):
        return 2 * self.n_workers

    def submit(self, function, *arguments):
        self._number += 1
        self._tasks[self._number] = (function, arguments)
        self.most_tasks = max(self.most_tasks, len(self._tasks))
        return self._number

    def done(self):
        for number in self._random.permutation(list(self._tasks)).tolist():
            if self._random.random() < 0.5:
                continue  # still running
            function, arguments = self._tasks[number]
            if isinstance(arguments[1], PartLimits):
                tasks, limits, *more = arguments
                short = limits._replace(n_nodes=int(self._random.integers(0, self._most_nodes)))
                arguments = (tasks, short, *more)
            found = function(self._subject, *arguments)
            if self._random.random() < 0.2:
                continue  # lost with its worker; it runs again
            del self._tasks[number]
            yield number, found

    def cancel(self):
        self._tasks.clear()
