"""A search in parts: in slices with a checkpoint between them, on a cluster, or one shard of a job array.

The best subgraphs of all parts together are those of one search, to the byte (cpp/search/search.hpp); only
the order of work and the counters differ.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dugraph.cluster.checkpoint import Checkpoint
from dugraph.cluster.pool import Crew, Pool
from dugraph.files.archive_writing import AnyArray
from dugraph.files.shelf import Shelf
from dugraph.search.answer import Answer
from dugraph.search.core import COUNTERS, NO_LIMIT, Counters, Numbers, Report, continuing
from dugraph.search.result import Status
from dugraph.search.search_state import LAYOUT, SearchState
from dugraph.search.shared_threshold import SharedThreshold
from dugraph.search.slices import Effort, SearchProblem, search_slice

SLICE_SECONDS = 5.0
"""A slice on a cluster: long against the way there and back, short against the life of a worker."""
SHORT_SECONDS = 0.5
"""A slice while there is too little work for all workers: what it leaves can be divided."""
SHARE = 0.1
"""Of the time so far: a slice is no longer than that."""
PER_TASK = 0.004
"""Seconds between two tasks that one client can well give out."""
MOST_SENT = 2**20
"""Bytes of open work that one slice is given: the rest waits."""
MOST_WAITING = 2**28
"""Bytes of open work that wait in memory: the rest waits on the disk."""
_FINISHED = "finished_"

FirstState = Callable[[int], SearchState]


class PartedSearch:
    """An `Ask` (rounds.py) whose work is done by a pool, and kept in a checkpoint.

    Parameters
    ----------
    problem : SearchProblem
    checkpoint : Checkpoint
    pool : Pool
        Whose subject is the problem.
    first_state : callable, optional
        What a search for so many subgraphs begins with; by default everything is open.
    shared : SharedThreshold, optional
        Through which shards help each other.
    """

    def __init__(
        self,
        problem: SearchProblem,
        checkpoint: Checkpoint,
        pool: Pool,
        first_state: FirstState = SearchState,
        shared: SharedThreshold | None = None,
    ) -> None:
        self._problem, self._checkpoint, self._pool = problem, checkpoint, pool
        self._first_state, self._shared = first_state, shared
        self._state: SearchState | None = None
        self._shelf = Shelf(checkpoint.folder)
        self._finished = SearchState(0, ready=())
        self.seconds_before, self.counters_before = 0.0, Counters()
        saved = checkpoint.load(FILE)
        if saved is not None:
            self._state = SearchState.from_arrays(saved)
            finished = {name: saved[f"{_FINISHED}{name}"] for name in LAYOUT}
            self._finished = SearchState.from_arrays(finished)
            self.seconds_before = float(saved["seconds"][0])
            self.counters_before = Counters(*saved["counters"].tolist())
        self._begin = time.monotonic()
        self._counted = Counters()  # of searches that this run has finished

    @property
    def state(self) -> SearchState:
        """How far the last search has come."""
        return self._finished if self._state is None else self._state

    def __call__(
        self, n_subgraphs: int, time_limit: float, node_limit: int, progress: Report | None
    ) -> Answer:
        """Search, from where an earlier run has stopped; limits are those of this run."""
        begin = time.monotonic()
        if self._finished.n_subgraphs >= n_subgraphs:  # whose list begins with the one that is asked for
            known = replace(self._finished, counters=Counters())
            return _answer(known, n_subgraphs, Status.OPTIMAL, time.monotonic() - begin)
        if self._state is None or self._state.n_subgraphs != n_subgraphs:
            self._state = self._first_state(n_subgraphs)
        try:
            status = self._run(begin, time_limit, node_limit, progress)
        except BaseException:
            self._save()  # whatever ends the run, what was found is not lost
            raise
        self._state = self._state.recalled()
        if self._state.is_done:
            if not self._state.dealt:  # of a shard, what others have found is not in its list
                self._state.check_told()
            self._finished = self._state
        self._save()
        if self._state.is_done and status is Status.INTERRUPTED:
            raise KeyboardInterrupt  # pressed when the search had come to its end: it is not answered by that
        answer = _answer(self._state, n_subgraphs, status, time.monotonic() - begin)
        if self._state.is_done:
            self._counted, self._state = self._counted + self._state.counters, None
        return answer

    def _run(self, begin: float, time_limit: float, node_limit: int, progress: Report | None) -> Status:
        assert self._state is not None
        n_before = self._state.counters.n_visited
        try:
            left, nodes = time_limit, node_limit
            while not self._state.is_done:
                self._exchange()
                crew = self._pool.crew()
                self._give_out(crew, left, nodes, begin, progress)
                for task, found in self._pool.done():
                    self._state = self._state.returned(task, found)
                    if found.status is Status.INTERRUPTED:
                        raise KeyboardInterrupt
                if crew.is_elsewhere and progress is not None:
                    progress(_numbers(self._state, crew, time.monotonic() - begin))
                if self._checkpoint.is_due:
                    self._save()
                # After a first slice, however small the limits: it tells what is open.
                left = time_limit - (time.monotonic() - begin)
                if node_limit != NO_LIMIT:
                    nodes = node_limit - (self._state.counters.n_visited - n_before)
                if left <= 0 or nodes <= 0:
                    self._await_the_last(crew)
                    if not self._state.is_done:  # a limit that comes with the end has left nothing out
                        return Status.TIME_LIMIT if left <= 0 else Status.NODE_LIMIT
        except KeyboardInterrupt:
            return Status.INTERRUPTED
        finally:
            self._pool.cancel()
            self._exchange(at_once=True)
        return Status.OPTIMAL

    def _exchange(self, at_once: bool = False) -> None:
        assert self._state is not None
        if self._shared:
            self._state = self._state.hearing(self._shared.exchanged(self._state.reached, at_once))

    def _await_the_last(self, crew: Crew) -> None:
        """Take in what is still away when a limit is reached: such slices end by themselves."""
        assert self._state is not None
        patience = time.monotonic() + 2 * SLICE_SECONDS
        while crew.is_elsewhere and self._state.away and time.monotonic() < patience:
            for task, found in self._pool.done():
                self._state = self._state.returned(task, found)

    def _give_out(self, crew: Crew, left: float, nodes: int, begin: float, progress: Report | None) -> None:
        assert self._state is not None
        elapsed = time.monotonic() - begin
        room = self._shelf, MOST_SENT, MOST_WAITING
        self._state = self._state.taken_back(crew.n_wanted).packed(*room)
        if crew.is_elsewhere:
            self._state = self._state.divided(crew.n_wanted).packed(*room)
            n_pieces = len(self._state.ready) + len(self._state.away)
            # At the end workers wait for the slices that are still away: these are short against all before.
            seconds = max(SHORT_SECONDS, elapsed * SHARE, crew.n_slots * PER_TASK)
            seconds = min(seconds, SLICE_SECONDS) if n_pieces >= crew.n_wanted else SHORT_SECONDS
        else:
            # Short ones first: a slice knows the threshold that the ones before it have reached.
            longest = SLICE_SECONDS if self._shared else SLICE_SECONDS * 4
            seconds = min(max(elapsed, 1.0), longest) if self._checkpoint else math.inf
        while self._state.ready and len(self._state.away) < crew.n_wanted:
            # Where only one is at work it goes on with what it left: so the least is open.
            ready = self._state.ready[-1:] if not crew.is_elsewhere else self._state.ready
            piece = max(reversed(ready), key=lambda one: one.bound)
            effort = self._effort(min(seconds * 2.0**piece.stalls, left), nodes)
            more = () if crew.is_elsewhere else (continuing(progress, self._state.counters, elapsed),)
            task = self._pool.submit(search_slice, piece.work, effort, self._state.listing, *more)
            self._state = self._state.sent(task, piece)
        self._state = self._state.shelved(self._shelf, MOST_WAITING)

    def _effort(self, seconds: float, nodes: int) -> Effort:
        assert self._state is not None
        return Effort(self._state.n_subgraphs, *self._state.start, seconds, nodes)

    @property
    def _counters(self) -> Counters:
        """Of all that was done for the problem, by earlier runs too."""
        counters = self.counters_before + self._counted
        return counters if self._state is None else counters + self._state.counters

    def _save(self) -> None:
        if self._checkpoint:
            self._checkpoint.save(self.content())

    def content(self) -> dict[str, AnyArray]:
        """All that a later run needs, by name, for a file."""
        finished = {f"{_FINISHED}{name}": array for name, array in self._finished.arrays().items()}
        seconds = self.seconds_before + time.monotonic() - self._begin
        counters = self._counters
        return {
            **self.state.arrays(),
            **finished,
            "seconds": np.array([seconds]),
            "counters": np.array([getattr(counters, name) for name in COUNTERS], dtype=np.int64),
        }


FILE = {
    **LAYOUT,
    **{f"{_FINISHED}{name}": kind for name, kind in LAYOUT.items()},
    "seconds": "<f8 1",
    "counters": "<i8 1",
}
"""The arrays of `PartedSearch.content`."""


def _answer(state: SearchState, n_subgraphs: int, status: Status, seconds: float) -> Answer:
    listing = state.listing
    if listing.n_subgraphs > n_subgraphs:
        listing = listing.chosen(range(n_subgraphs))
    return Answer(
        listing=listing,
        status=status,
        threshold=listing.last_value if listing.n_subgraphs == n_subgraphs else -math.inf,
        best_open_bound=state.best_open_bound,
        counters=state.counters,
        seconds=seconds,
        setup_seconds=state.setup_seconds,
        n_ranked=listing.n_subgraphs,
    )


def _numbers(state: SearchState, crew: Crew, seconds: float) -> Numbers:
    return {
        **{name: getattr(state.counters, name) for name in COUNTERS},
        "threshold": state.threshold,
        "best_open_bound": state.best_open_bound,
        "seconds": seconds,
        "n_workers": crew.n_workers,
        "n_tasks": len(state.open),
    }
