"""Open work of a search, and one part of a search.

A part is a pure function of the problem, some open work, the best subgraphs so far and limits. It returns the
best subgraphs including its own, and the work left. The best of all parts are those of one search, to the
byte (cpp/search/search.hpp); only the order of work and the counters differ.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.search.canonical import CanonicalGraphs
from dugraph.search.core import (
    COUNTERS,
    NO_LIMIT,
    Bound,
    Frontier,
    Goal,
    Known,
    Limits,
    Listing,
    OpenTask,
    Prepared,
    Report,
    Threshold,
    reporting,
    search,
)
from dugraph.search.result import Status

_RANGES_PER_PIECE = 64
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class SearchProblem:
    """The constant arguments of all parts of a search; sent to each worker once.

    Attributes
    ----------
    graphs : CanonicalGraphs
    min_expected_frequency : float
    make_goal : callable
        Returns the core's goal. It can be pickled, the goal cannot.
    max_edges : int
    bound : str
    n_threads : int
        Threads of each part.
    """

    graphs: CanonicalGraphs
    min_expected_frequency: float
    make_goal: Callable[[], Goal]
    max_edges: int
    bound: str
    n_threads: int

    @cached_property
    def _compiled(self) -> tuple[Prepared, Goal]:
        return self.graphs.prepared(self.min_expected_frequency), self.make_goal()

    def compiled(self) -> tuple[Prepared, Goal]:
        """The core's objects, made at the first call and shared by all parts in this process."""
        with _COMPILING:  # a worker may run two parts at once
            return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in self.__dataclass_fields__}


_COMPILING = threading.Lock()


class Task(NamedTuple):
    """Open are the supergraphs of ``path + children[k]`` for begin <= k < end.

    Later children extend earlier ones, so that a list of children is divided into ranges, never shortened.
    """

    path: Ints
    children: Ints
    begin: int
    end: int

    def range(self, begin: int, end: int) -> Task:
        """The task for a range of children, without siblings that it does not need."""
        # Single edges are not extended by later siblings, but by the edges at their nodes.
        last = len(self.children) if len(self.path) else end
        return Task(self.path, self.children[begin:last], 0, end - begin)


Tasks = tuple[Task, ...] | None
"""Open work; None for all of it, before the search has started."""


class Piece(NamedTuple):
    """Open work for one worker at a time.

    Attributes
    ----------
    tasks : tuple of Task, or None
    bound : float
        No subgraph in it has a larger value.
    stalls : int
        Consecutive parts that ended before they came to a subgraph.
    """

    tasks: Tasks
    bound: float
    stalls: int = 0

    @property
    def n_open(self) -> int:
        """Subgraphs whose supergraphs are open; 0 if the search has not started."""
        return sum(task.end - task.begin for task in self.tasks or ())

    @property
    def depth(self) -> int:
        """Fewest edges of an open subgraph: the fewer, the more work is above it."""
        return min((len(task.path) for task in self.tasks or ()), default=0)

    def divided(self, n_pieces: int) -> list[Piece]:
        """At most `n_pieces` pieces, to which ranges of children are assigned in turn."""
        length = max(1, self.n_open // (_RANGES_PER_PIECE * n_pieces))
        ranges = [
            task.range(begin, min(begin + length, task.end))
            for task in self.tasks or ()
            for begin in range(task.begin, task.end, length)
        ]
        # The core starts with the last task.
        dealt = (ranges[k::n_pieces] for k in range(min(n_pieces, len(ranges))))
        return [Piece(tuple(reversed(one)), self.bound) for one in dealt]


class PartLimits(NamedTuple):
    """How far a part goes.

    Attributes
    ----------
    n_subgraphs : int
        Length of the list.
    start : tuple of float and int
        Value and size that a subgraph must beat, reached elsewhere.
    seconds : float
    n_nodes : int
    open_at : int
        Subgraphs of this many edges are left open.
    n_threads : int or None
        None: as in the problem.
    """

    n_subgraphs: int
    start: tuple[float, int]
    seconds: float
    n_nodes: int = NO_LIMIT
    open_at: int = NO_LIMIT
    n_threads: int | None = None


class PartResult(NamedTuple):
    """The list after a part, and the work left."""

    listing: Listing
    left: Tasks
    best_open_bound: float
    status: Status
    counters: tuple[int, ...]
    setup_seconds: float


def search_part(
    problem: SearchProblem,
    tasks: Tasks,
    limits: PartLimits,
    known: Listing,
    progress: Report | None = None,
) -> PartResult:
    """Search open work within limits; the list includes the known subgraphs."""
    prepared, goal = problem.compiled()
    found = search(
        prepared=prepared,
        goal=goal,
        frontier=_frontier(tasks),
        start=Threshold(*limits.start),
        known=Known(*known),
        limits=Limits(
            n_subgraphs=limits.n_subgraphs,
            max_edges=problem.max_edges,
            bound=Bound[problem.bound],
            n_threads=limits.n_threads or problem.n_threads,
            time_limit=limits.seconds,
            node_limit=limits.n_nodes,
            open_at=limits.open_at,
        ),
        progress=reporting(progress),
    )
    return PartResult(
        listing=Listing(found.indptr, found.edge_index, found.values),
        left=_tasks(found.frontier),
        best_open_bound=found.best_open_bound,
        status=Status[found.status.name.upper()],
        counters=tuple(getattr(found.counters, name) for name in COUNTERS),
        setup_seconds=found.setup_seconds,
    )


def _frontier(tasks: Tasks) -> Frontier:
    if tasks is None:
        return Frontier()
    return Frontier([OpenTask(t.path.tolist(), t.children.tolist(), t.begin, t.end) for t in tasks])


def _tasks(frontier: Frontier) -> Tasks:
    if frontier.at_start:
        return None
    tasks = (
        Task(np.array(t.path, dtype=np.int32), np.array(t.children, dtype=np.int32), t.begin, t.end)
        for t in frontier.tasks
        if t.begin < t.end
    )
    # The core starts with the last task: the deepest, so that little is open at a time.
    return tuple(sorted(tasks, key=lambda task: len(task.path)))
