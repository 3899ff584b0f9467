"""Open work in arrays: the core's frontier as it is kept in files, sent to workers, divided and joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.search.core import Frontier, OpenTask

Ints = NDArray[np.int32]
# Work is divided into at most this many pieces, however many children are open: each repeats its siblings.
_MOST_UNITS = 4096
# And into fewer if these repeat too much: edges written down in all pieces together.
_MOST_ENTRIES = 2**22


class Task(NamedTuple):
    """Supergraphs of ``path + children[k]``, begin <= k < end, are still to be met.

    Later children extend earlier ones: a list of children is never cut at its end, only ranged.
    """

    path: Ints
    children: Ints
    begin: int
    end: int


class _Cost(NamedTuple):
    """Of work in pieces."""

    n_units: int
    n_entries: int


class OpenWork(NamedTuple):
    """What is still to do, tasks one behind the other.

    Attributes
    ----------
    at_start : bool
        Everything: nothing has been met yet, and there are no tasks.
    path_ptr, paths, child_ptr, children : ndarray
        Path and children of task k are ``paths[path_ptr[k]:path_ptr[k + 1]]`` and accordingly.
    ranges : ndarray of int, shape (n_tasks, 2)
    """

    at_start: bool
    path_ptr: NDArray[np.int64]
    paths: Ints
    child_ptr: NDArray[np.int64]
    children: Ints
    ranges: NDArray[np.int64]

    @classmethod
    def of_tasks(cls, tasks: Iterable[Task], at_start: bool = False) -> OpenWork:
        """Lay tasks out."""
        kept = [task for task in tasks if task.begin < task.end]
        none = np.zeros(0, dtype=np.int32)
        return cls(
            at_start,
            np.cumsum([0, *(len(task.path) for task in kept)], dtype=np.int64),
            np.concatenate([none, *(task.path for task in kept)]).astype(np.int32, copy=False),
            np.cumsum([0, *(len(task.children) for task in kept)], dtype=np.int64),
            np.concatenate([none, *(task.children for task in kept)]).astype(np.int32, copy=False),
            np.array([(task.begin, task.end) for task in kept], dtype=np.int64).reshape(-1, 2),
        )

    @classmethod
    def everything(cls) -> OpenWork:
        """All of a search."""
        return cls.of_tasks((), at_start=True)

    @classmethod
    def of(cls, frontier: Frontier) -> OpenWork:
        """What a search of the core has left."""
        tasks = (
            Task(np.array(t.path, dtype=np.int32), np.array(t.children, dtype=np.int32), t.begin, t.end)
            for t in frontier.tasks
        )
        # The core takes the last one first: the deepest, so that little is open at a time.
        return cls.of_tasks(sorted(tasks, key=lambda task: len(task.path)), frontier.at_start)

    def frontier(self) -> Frontier:
        """The same for the core."""
        if self.at_start:
            return Frontier()
        return Frontier(
            [OpenTask(t.path.tolist(), t.children.tolist(), t.begin, t.end) for t in self.tasks()]
        )

    def tasks(self) -> Iterator[Task]:
        """Its tasks, as views."""
        for k, (begin, end) in enumerate(self.ranges.tolist()):
            path = self.paths[self.path_ptr[k] : self.path_ptr[k + 1]]
            children = self.children[self.child_ptr[k] : self.child_ptr[k + 1]]
            yield Task(path, children, begin, end)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left."""
        return not self.at_start and not len(self.ranges)

    @property
    def n_open(self) -> int:
        """Subgraphs whose supergraphs are still to be met."""
        return int((self.ranges[:, 1] - self.ranges[:, 0]).sum())

    @property
    def n_entries(self) -> int:
        """Edges that are written down as children: 4 bytes each."""
        return len(self.children)

    @property
    def n_bytes(self) -> int:
        """What it takes in memory and on the way to a worker, but for some bytes each time."""
        return int(self._byte_ends()[-1]) if len(self.ranges) else 0

    @property
    def depth(self) -> int:
        """Edges of the smallest subgraph that is open; the smaller, the more work lies below."""
        return int(np.diff(self.path_ptr).min(initial=2**31 - 1))

    def dealt(self, n_hands: int) -> list[OpenWork]:
        """The tasks, range by range, to so many hands in turn: neighbours are alike, so hands are too.

        Hands that would be empty are left out. All of a search cannot be dealt.
        """
        length = max(1, -(-self.n_open // max(_MOST_UNITS, 64 * n_hands)))
        most = max(_MOST_ENTRIES, 2 * self.n_entries)
        while (cost := self._cost(length)).n_entries > most and cost.n_units > 2 * n_hands:
            length *= 2
        hands: list[list[Task]] = [[] for _ in range(n_hands)]
        turn = 0
        for task in self.tasks():
            for begin in range(task.begin, task.end, length):
                hands[turn % n_hands].append(_ranged(task, begin, min(begin + length, task.end)))
                turn += 1
        # The last one is taken first.
        return [OpenWork.of_tasks(reversed(hand)) for hand in hands if hand]

    def _cost(self, length: int) -> _Cost:
        """What cutting into ranges of this length makes of it: each repeats the siblings behind it."""
        n_siblings, at_root = np.diff(self.child_ptr), np.diff(self.path_ptr) == 0
        begin, end = self.ranges.T
        n_units = -(-(end - begin) // length)
        repeated = n_units * (n_siblings - begin) - length * (n_units * (n_units - 1) // 2)
        return _Cost(int(n_units.sum()), int(np.where(at_root, end - begin, repeated).sum()))

    def cut(self, most: int) -> Iterator[OpenWork]:
        """The tasks in their order, in pieces of at most so many bytes; one task, however long, is one piece.

        Pieces are copies: of the whole nothing stays in memory for the sake of one of them.
        """
        ends = self._byte_ends()
        begin, n_tasks = 0, len(self.ranges)
        while begin < n_tasks:
            fits = int(np.searchsorted(ends, (ends[begin - 1] if begin else 0) + most, side="right"))
            end = max(fits, begin + 1)
            yield self._between(begin, end)
            begin = end

    def _byte_ends(self) -> NDArray[np.int64]:
        """What the tasks up to each one take."""
        n_tasks = len(self.ranges)
        per_task = 2 * self.path_ptr.itemsize + 2 * self.ranges.itemsize
        return 4 * (self.path_ptr[1:] + self.child_ptr[1:]) + per_task * np.arange(1, n_tasks + 1)

    def _between(self, begin: int, end: int) -> OpenWork:
        paths, children = (ptr[begin : end + 1] for ptr in (self.path_ptr, self.child_ptr))
        return OpenWork(
            False,
            paths - paths[0],
            self.paths[paths[0] : paths[-1]].copy(),
            children - children[0],
            self.children[children[0] : children[-1]].copy(),
            self.ranges[begin:end].copy(),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> OpenWork:
        """The same back from a file."""
        return cls(bool(arrays["at_start"][0]), *(arrays[name] for name in cls._fields[1:]))


def _ranged(task: Task, begin: int, end: int) -> Task:
    """A range of a task, without the siblings that it does not need."""
    # Of single edges the later ones are no extensions: what touches them is found by its nodes.
    last = end if not len(task.path) else len(task.children)
    return Task(task.path, task.children[begin:last], 0, end - begin)


LAYOUT = {
    "at_start": "|b1 1",
    "path_ptr": "<i8 1",
    "paths": "<i4 1",
    "child_ptr": "<i8 1",
    "children": "<i4 1",
    "ranges": "<i8 2",
}
"""The arrays of open work in a file."""
