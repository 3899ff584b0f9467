"""A search in parts: with a checkpoint between them, on a cluster, or as one shard of a job array.

A part is a pure function of the problem, some open work, the best subgraphs so far and limits. It returns the
best subgraphs including its own, and the work left. The best of all parts are those of one search, to the
byte (docs/searching.md); only the order of work and the counters differ.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
    COUNTERS,
    NO_LIMIT,
    Answer,
    Bound,
    Counters,
    Frontier,
    Known,
    Limits,
    Listing,
    Numbers,
    OpenTask,
    Report,
    Threshold,
    continuing,
    reporting,
    search,
)
from dugraph.search.problem import SearchProblem
from dugraph.search.result import Status

PART_SECONDS = 20.0
"""Length of a part in this process, if there is a checkpoint."""
TASK_SECONDS = 2.0
"""Length of a part on a cluster."""
SHORT_SECONDS = 0.5
"""Length of a part on a cluster while there are fewer pieces of open work than tasks wanted."""
OPEN_PER_SHARD = 64
"""Subgraphs to extend for each shard, at least: enough for shards of about equal length."""
_DEEPEST = 5  # most edges of the subgraphs that are distributed to shards
_RANGES_PER_PIECE = 64

Ints = NDArray[np.int32]
Arrays = dict[str, NDArray[Any]]


class Task(NamedTuple):
    """Open are the supergraphs of ``path + children[k]`` for begin <= k < end.

    Later children extend earlier ones, so a list of children is divided into ranges, never shortened.
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
    """Open work for one worker at a time, in which no subgraph has a value above `bound`.

    `stalls` counts consecutive parts that ended before they came to a subgraph.
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

    `start` is the value and size that a subgraph must beat. Subgraphs of `open_at` edges are left open.
    `n_threads` is by default that of the problem.
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
    problem: SearchProblem, tasks: Tasks, limits: PartLimits, known: Listing, progress: Report | None = None
) -> PartResult:
    """Search open work within limits; the list includes the known subgraphs."""
    prepared, goal = problem.compiled()
    frontier = Frontier()
    if tasks is not None:
        frontier = Frontier([OpenTask(t.path.tolist(), t.children.tolist(), t.begin, t.end) for t in tasks])
    found = search(
        prepared=prepared,
        goal=goal,
        frontier=frontier,
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
        left=None if found.frontier.at_start else _tasks(found.frontier),
        best_open_bound=found.best_open_bound,
        status=Status[found.status.name.upper()],
        counters=tuple(getattr(found.counters, name) for name in COUNTERS),
        setup_seconds=found.setup_seconds,
    )


def _tasks(frontier: Frontier) -> tuple[Task, ...]:
    tasks = (
        Task(np.array(t.path, dtype=np.int32), np.array(t.children, dtype=np.int32), t.begin, t.end)
        for t in frontier.tasks
        if t.begin < t.end
    )
    # The core starts with the last task: the deepest, so that little is open at a time.
    return tuple(sorted(tasks, key=lambda task: len(task.path)))


@dataclass
class SearchState:
    """The best `n_subgraphs` so far and the open work.

    A running piece, listed by the number of its task, is open until its result arrives. Counters are those of
    this run. `divided` is, for a shard, a digest of all the work of which it is a part.
    """

    n_subgraphs: int
    listing: Listing = field(default_factory=Listing.empty)
    ready: list[Piece] = field(default_factory=lambda: [Piece(None, math.inf)])
    running: dict[int, Piece] = field(default_factory=dict)
    counters: Counters = field(default_factory=Counters)
    setup_seconds: float = 0.0
    divided: bytes = b""

    @property
    def open(self) -> list[Piece]:
        """All open work."""
        return [*self.ready, *self.running.values()]

    @property
    def start(self) -> tuple[float, int]:
        """Value and size of the worst subgraph in a full list: what others must beat."""
        if self.listing.n_subgraphs < self.n_subgraphs:
            return -math.inf, NO_LIMIT
        return self.listing.last_value, len(self.listing.subgraph(self.n_subgraphs - 1))

    @property
    def best_open_bound(self) -> float:
        """No unseen subgraph exceeds this; minus infinity when nothing is open."""
        return max((piece.bound for piece in self.open), default=-math.inf)

    def add(self, piece: Piece, found: PartResult) -> None:
        """Add what a part has found and left; the piece itself is removed by the caller, afterwards."""
        self.listing = self.listing.merged(found.listing, self.n_subgraphs)
        if found.left is None or found.left:
            stalls = 0 if found.counters[0] else piece.stalls + 1
            self.ready.append(Piece(found.left, found.best_open_bound, stalls))
        self.counters += Counters(*found.counters)
        self.setup_seconds += found.setup_seconds

    def divide(self, n_wanted: int) -> None:
        """Divide ready pieces until there are `n_wanted` pieces, as far as possible."""
        while (missing := n_wanted - len(self.open)) > 0:
            divisible = [piece for piece in self.ready if piece.n_open > 1]
            if not divisible:
                return
            largest = min(divisible, key=lambda piece: (piece.depth, -piece.n_open))
            others = [piece for piece in self.ready if piece is not largest]
            self.ready = [*others, *largest.divided(missing + 1)]

    def arrays(self) -> Arrays:
        """The state as arrays, for a file; running pieces are open there."""
        tasks = [task for piece in self.open for task in piece.tasks or ()]
        return {
            **self.listing._asdict(),
            "at_start": np.array([any(piece.tasks is None for piece in self.open)]),
            "path_ptr": _ends(task.path for task in tasks),
            "paths": np.concatenate([np.zeros(0, np.int32), *(task.path for task in tasks)]),
            "child_ptr": _ends(task.children for task in tasks),
            "children": np.concatenate([np.zeros(0, np.int32), *(task.children for task in tasks)]),
            "ranges": np.array([task[2:] for task in tasks], dtype=np.int64).reshape(-1, 2),
            "n_subgraphs": np.array([self.n_subgraphs]),
            "numbers": np.array([self.best_open_bound, self.setup_seconds]),
            "divided": np.frombuffer(self.divided, dtype=np.uint8),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> SearchState:
        """Inverse of `arrays`; all open work is one piece."""
        bound, setup_seconds = arrays["numbers"].tolist()
        paths = np.split(arrays["paths"], arrays["path_ptr"][1:-1])
        children = np.split(arrays["children"], arrays["child_ptr"][1:-1])
        tasks = tuple(
            Task(path, later, begin, end)
            for path, later, (begin, end) in zip(paths, children, arrays["ranges"].tolist(), strict=False)
        )
        at_start = bool(arrays["at_start"][0])
        return cls(
            n_subgraphs=int(arrays["n_subgraphs"][0]),
            listing=Listing(*(arrays[name] for name in Listing._fields)),
            ready=[Piece(None if at_start else tasks, bound)] if at_start or tasks else [],
            setup_seconds=setup_seconds,
            divided=arrays["divided"].tobytes(),
        )


def _ends(lists: Iterable[Ints]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


class PartedSearch:
    """A search for the best subgraphs in parts: on a client's workers, with a checkpoint, or as a shard.

    Each of its calls is a `dugraph.cluster.parts.Job`; the problem is the subject of the pool. `parameters`
    are those of `mine_subgraphs`. `inputs` returns the inputs besides the graphs, by their names in an error
    message; it is called only if there is a checkpoint.

    Attributes
    ----------
    counters_before, seconds_before
        Of earlier runs, from the checkpoint.
    n_saved : int
        Length of the list in the checkpoint; 0 without one.
    """

    def __init__(
        self,
        problem: SearchProblem,
        parameters: Mapping[str, Any],
        inputs: Callable[[], Mapping[str, NDArray[Any]]],
        *,
        client: Any = None,
        checkpoint: PathLike | None = None,
        shard: Shard | None = None,
    ) -> None:
        def identify() -> Identity:
            digests = {name: digest(array) for name, array in inputs().items()}
            digests["graphs"] = digest(problem.graphs.edges, problem.graphs.edge_probability)
            # The answer does not depend on the bound.
            settings = {name: value for name, value in parameters.items() if name != "bound"}
            return of_shard(Identity("mine", settings, digests), shard)

        self._problem, self._shard, self._pool = problem, shard, make_pool(client, problem)
        self._checkpoint = Checkpoint(checkpoint, identify)
        self._state = SearchState(0)
        saved = self._checkpoint.load(_saved(self._state, 0.0, Counters()))
        self.seconds_before, self.counters_before = 0.0, Counters()
        if saved is not None:
            self._state = SearchState.from_arrays(saved)
            self.seconds_before = float(saved["seconds"][0])
            self.counters_before = Counters(*saved["counters"].tolist())
        self.n_saved = self._state.n_subgraphs
        self._first_begin = time.monotonic()
        self._finished = Counters()  # of earlier calls

    def __call__(
        self, n_subgraphs: int, time_limit: float, node_limit: int, progress: Report | None
    ) -> Answer:
        """Search from where an earlier run stopped; limits are those of this call."""
        self._begin, self._time_limit, self._progress = time.monotonic(), time_limit, progress
        if self._state.n_subgraphs != n_subgraphs:
            self._finished += self._state.counters
            shard = self._shard
            self._state = (
                SearchState(n_subgraphs) if shard is None else shard_state(self._problem, shard, n_subgraphs)
            )
        state = self._state
        self._most_visited = min(NO_LIMIT, state.counters.n_visited + node_limit)
        self._started = False
        try:
            run_parts(self, self._pool, self._checkpoint, progress)
            # A limit reached together with the end has left nothing out.
            status = (self._limit or Status.OPTIMAL) if state.open else Status.OPTIMAL
        except KeyboardInterrupt:
            if not state.open:
                raise  # after the end of the search
            status = Status.INTERRUPTED
        state.ready, state.running = state.open, {}
        listing = state.listing
        return Answer(
            listing=listing,
            status=status,
            threshold=listing.last_value if listing.n_subgraphs == n_subgraphs else -math.inf,
            best_open_bound=state.best_open_bound,
            counters=state.counters,
            seconds=time.monotonic() - self._begin,
            setup_seconds=state.setup_seconds,
            n_ranked=listing.n_subgraphs,
        )

    @property
    def _seconds_left(self) -> float:
        return self._time_limit - (time.monotonic() - self._begin)

    @property
    def _nodes_left(self) -> int:
        if self._most_visited == NO_LIMIT:
            return NO_LIMIT
        return self._most_visited - self._state.counters.n_visited

    @property
    def _limit(self) -> Status | None:
        """The limit that has been reached, if any."""
        if self._seconds_left <= 0:
            return Status.TIME_LIMIT
        return Status.NODE_LIMIT if self._nodes_left <= 0 else None

    @property
    def is_done(self) -> bool:
        """Whether nothing is open, or a limit has been reached and the running parts have ended."""
        if not self._state.open:
            return True
        if not self._started or self._limit is None:
            return False
        return not self._state.running or self._seconds_left <= -2 * TASK_SECONDS

    def submit(self, pool: Pool) -> None:
        """Submit the most promising pieces; the first time, however small the limits are."""
        if self._started and self._limit is not None:
            return
        self._started = True
        state, n_wanted, here = self._state, pool.n_wanted, pool.n_workers is None
        if here:
            seconds = PART_SECONDS if self._checkpoint else math.inf
        else:
            state.divide(n_wanted)
            seconds = TASK_SECONDS if len(state.open) >= n_wanted else SHORT_SECONDS
        while state.ready and len(state.running) < n_wanted:
            piece = max(reversed(state.ready), key=lambda one: one.bound)
            limits = PartLimits(
                state.n_subgraphs,
                state.start,
                max(1e-9, min(seconds * 2.0**piece.stalls, self._seconds_left)),
                max(1, self._nodes_left),
            )
            elapsed = time.monotonic() - self._begin
            more = (continuing(self._progress, state.counters, elapsed),) if here else ()
            task = pool.submit(search_part, piece.tasks, limits, state.listing, *more)
            state.running[task] = piece
            state.ready = [one for one in state.ready if one is not piece]

    def receive(self, task: int, found: PartResult) -> None:
        """Add the result of a part; one that was interrupted interrupts the search."""
        self._state.add(self._state.running[task], found)
        del self._state.running[task]
        if found.status is Status.INTERRUPTED:
            raise KeyboardInterrupt

    def numbers(self) -> Numbers:
        """Counters, threshold and bound, for the progress function."""
        return {
            **{name: getattr(self._state.counters, name) for name in COUNTERS},
            "threshold": self._state.start[0],
            "best_open_bound": self._state.best_open_bound,
            "seconds": time.monotonic() - self._begin,
            "n_tasks": len(self._state.open),
        }

    def content(self) -> Arrays:
        """The state as arrays, for a checkpoint."""
        seconds = self.seconds_before + time.monotonic() - self._first_begin
        return _saved(self._state, seconds, self.counters_before + self._finished + self._state.counters)


def _saved(state: SearchState, seconds: float, counters: Counters) -> Arrays:
    """The arrays of a checkpoint."""
    numbers = np.array([getattr(counters, name) for name in COUNTERS], dtype=np.int64)
    return {**state.arrays(), "seconds": np.array([seconds]), "counters": numbers}


def shard_state(problem: SearchProblem, shard: Shard, n_subgraphs: int) -> SearchState:
    """The start of a shard: all subgraphs of a few edges, and a piece of the work that extends them.

    Every shard computes the frontier anew, on one thread, so that all divide the same work;
    `SearchState.divided` shows whether they did.
    """
    state = SearchState(n_subgraphs)
    for size in range(2, _DEEPEST + 1):
        if not state.ready or state.ready[0].n_open >= OPEN_PER_SHARD * shard.n_shards:
            break
        piece = state.ready[0]
        limits = PartLimits(n_subgraphs, state.start, math.inf, open_at=size, n_threads=1)
        found = search_part(problem, piece.tasks, limits, state.listing)
        if found.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        state.add(piece, found)
        state.ready = state.ready[1:]
    if state.ready:
        arrays = state.arrays()
        work = ("path_ptr", "paths", "child_ptr", "children", "ranges")
        state.divided = bytes.fromhex(digest(*(arrays[name] for name in work)))
        state.ready = state.ready[0].divided(shard.n_shards)[shard.number - 1 : shard.number]
    return state


def write_merged(files: Sequence[ShardFile], path: Path) -> bool:
    """Write the checkpoint of the whole search from those of all shards; True if all of them are done."""
    for file in files:
        check_layout(file.path, file.content, _saved(SearchState(0), 0.0, Counters()))
    states = [SearchState.from_arrays(file.content) for file in files]
    merged = SearchState(states[0].n_subgraphs, ready=[])
    for file, state in zip(files, states, strict=True):
        if state.divided != states[0].divided:
            raise InputError(
                f"{file.path}: all shards must divide the work in the same way, but this one differs from "
                f"{files[0].path}. Run them with the same build of dugraph."
            )
        merged.listing = merged.listing.merged(state.listing, merged.n_subgraphs)
        merged.ready += state.ready
    sums = {name: np.sum([file.content[name] for file in files], axis=0) for name in ("seconds", "counters")}
    write_part(path, files[0].whole, {**merged.arrays(), **sums})
    return not merged.open
