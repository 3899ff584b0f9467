"""How far a search in parts has come: a value, so that an interruption never finds it half changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.files.archive_writing import AnyArray
from dugraph.files.shelf import Shelf
from dugraph.search.core import Counters
from dugraph.search.levels import NO_LEVEL, Level, height, level_array, level_of
from dugraph.search.listing import Listing
from dugraph.search.open_work import LAYOUT as WORK_LAYOUT
from dugraph.search.open_work import OpenWork
from dugraph.search.pieces import AnyPiece, Piece, StoredPiece, joined_arrays
from dugraph.search.slices import Slice


@dataclass(frozen=True)
class SearchState:
    """The best subgraphs so far and the work that is open.

    Attributes
    ----------
    n_subgraphs : int
        How many are wanted.
    listing : Listing
    ready : tuple of Piece
        Work for the next free worker.
    stored : tuple of StoredPiece
        The same, on the disk: memory has no room for them.
    away : mapping
        Pieces that a worker is at, by its task. Until that is done, they are as open as the others.
    counters : Counters
        Of this run; those of earlier ones are not in it.
    setup_seconds : float
    dealt : bytes
        Of a shard: a digest of the work of which it is a part.
    told : Level
        What others have said that they have `n_subgraphs` subgraphs of: nothing below it was looked at.
    """

    n_subgraphs: int
    listing: Listing = field(default_factory=Listing.empty)
    ready: tuple[Piece, ...] = (Piece(OpenWork.everything(), math.inf),)
    stored: tuple[StoredPiece, ...] = ()
    away: Mapping[Any, Piece] = field(default_factory=dict)
    counters: Counters = field(default_factory=Counters)
    setup_seconds: float = 0.0
    dealt: bytes = b""
    told: Level = NO_LEVEL

    @property
    def is_done(self) -> bool:
        """Whether nothing is open."""
        return not self.open

    @property
    def open(self) -> tuple[AnyPiece, ...]:
        """All open work, the most promising last."""
        return (*self.stored, *self.ready, *self.away.values())

    @property
    def threshold(self) -> float:
        """The value that a subgraph must reach to be listed; minus infinity while the list is not full."""
        return self.start[0]

    @property
    def start(self) -> Level:
        """What a slice need not get below."""
        return max(self.reached, self.told, key=height)

    @property
    def reached(self) -> Level:
        """Value and size of the worst subgraph of a full list."""
        if self.listing.n_subgraphs < self.n_subgraphs:
            return NO_LEVEL
        return self.listing.last_value, len(self.listing.subgraph(self.n_subgraphs - 1))

    @property
    def best_open_bound(self) -> float:
        """No subgraph that was not looked at exceeds this; minus infinity when nothing is open."""
        return max((piece.bound for piece in self.open), default=-math.inf)

    def hearing(self, level: Level) -> SearchState:
        """With what others say that they have reached."""
        return replace(self, told=level) if height(level) > height(self.told) else self

    def check_told(self) -> None:
        """Refuse an answer that was cut by what nobody has reached.

        The shard that said so has that many subgraphs of that level; when all is joined and nothing is open,
        they are in the list.

        Raises
        ------
        InputError
            If they are not: then better ones than those listed may have been cut.
        """
        if height(self.told) > height(self.reached):
            raise InputError(
                f"The threshold file said that {self.n_subgraphs} subgraphs reach {self.told[0]:.6g}, "
                "but the shards together did not find them. Remove that file and the shards, and run them "
                "again."
            )

    def sent(self, task: Any, piece: Piece) -> SearchState:
        """With a piece of those that are ready given to a worker."""
        ready = tuple(one for one in self.ready if one is not piece)
        return replace(self, ready=ready, away={**self.away, task: piece})

    def returned(self, task: Any, found: Slice) -> SearchState:
        """With what a worker found; what it left is ready again."""
        piece, away = self.away[task], {key: one for key, one in self.away.items() if key != task}
        ready = self.ready
        if not found.left.is_empty:
            stalls = 0 if found.counters[0] else piece.stalls + 1
            ready = (*ready, Piece(found.left, found.best_open_bound, stalls))
        return replace(
            self,
            listing=self.listing.merged(found.listing, self.n_subgraphs),
            ready=ready,
            away=away,
            counters=self.counters + found.counted,
            setup_seconds=self.setup_seconds + found.setup_seconds,
        )

    def recalled(self, tasks: Iterable[Any] | None = None) -> SearchState:
        """With pieces taken back from workers that do not answer; by default from all."""
        gone = set(self.away if tasks is None else tasks)
        back = [piece for task, piece in self.away.items() if task in gone]
        away = {task: piece for task, piece in self.away.items() if task not in gone}
        return replace(self, ready=(*self.ready, *back), away=away)

    def packed(self, shelf: Shelf, most: int, room: int) -> SearchState:
        """With ready pieces cut into such as can be sent, of at most `most` bytes or one task each.

        What a large piece holds beyond the `room` in memory goes onto the disk at once: the first tasks,
        which are done last.
        """
        if all(piece.work.n_bytes <= most for piece in self.ready):
            return self
        excess = sum(piece.work.n_bytes for piece in self.ready) - room
        ready, stored = list[Piece](), list[StoredPiece]()
        for piece in self.ready:
            for part in piece.cut(most):
                if excess > 0 and part is not piece:
                    stored.append(StoredPiece.of(part, shelf))
                    excess -= part.work.n_bytes
                else:
                    ready.append(part)
        return replace(self, ready=tuple(ready), stored=(*self.stored, *stored))

    def shelved(self, shelf: Shelf, room: int) -> SearchState:
        """With the least promising of the ready pieces put onto the disk, until the others have room."""
        excess = sum(piece.work.n_bytes for piece in self.ready) - room
        gone: dict[int, StoredPiece] = {}
        for k in _by_promise(self.ready):
            if excess <= 0:
                break
            gone[k] = StoredPiece.of(self.ready[k], shelf)
            excess -= self.ready[k].work.n_bytes
        ready = tuple(piece for k, piece in enumerate(self.ready) if k not in gone)
        return replace(self, ready=ready, stored=(*self.stored, *gone.values()))

    def taken_back(self, n_wanted: int) -> SearchState:
        """With pieces read back from the disk, the most promising first, until `n_wanted` are to be done."""
        missing = n_wanted - len(self.ready) - len(self.away)
        if missing <= 0 or not self.stored:
            return self
        back = set(_by_promise(self.stored)[-missing:])
        ready = [piece.piece() for k, piece in enumerate(self.stored) if k in back]
        stored = tuple(piece for k, piece in enumerate(self.stored) if k not in back)
        return replace(self, ready=(*ready, *self.ready), stored=stored)

    def divided(self, n_wanted: int) -> SearchState:
        """With ready pieces divided until there are `n_wanted` in all, as far as that is possible."""
        state = self
        while state.ready and (missing := n_wanted - len(state.ready) - len(state.away)) > 0:
            able = [piece for piece in state.ready if piece.work.n_open > 1]
            if not able:
                break
            # The shallowest has most below it.
            largest = min(able, key=lambda piece: (piece.work.depth, -piece.work.n_open))
            parts = [Piece(work, largest.bound) for work in largest.work.dealt(missing + 1)]
            state = replace(state, ready=(*(piece for piece in state.ready if piece is not largest), *parts))
        return state

    def arrays(self) -> dict[str, AnyArray]:
        """By name, for a file; what workers are at is open there."""
        return {
            **self.listing._asdict(),
            **joined_arrays(self.open),
            "n_subgraphs": np.array([self.n_subgraphs]),
            "numbers": np.array([self.best_open_bound, self.setup_seconds]),
            "dealt": np.frombuffer(self.dealt, dtype=np.uint8),
            "told": level_array(self.told),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> SearchState:
        """The same back from a file."""
        work, (bound, setup_seconds) = OpenWork.from_arrays(arrays), arrays["numbers"].tolist()
        return cls(
            n_subgraphs=int(arrays["n_subgraphs"][0]),
            listing=Listing(*(arrays[name] for name in Listing._fields)),
            ready=() if work.is_empty else (Piece(work, bound),),
            setup_seconds=setup_seconds,
            dealt=arrays["dealt"].tobytes(),
            told=level_of(arrays["told"]),
        )


def _by_promise(pieces: Sequence[AnyPiece]) -> list[int]:
    """Their places, the least promising first: of equal bounds, the last piece is to be done first."""
    return sorted(range(len(pieces)), key=lambda k: pieces[k].bound)


LAYOUT = {
    **dict(zip(Listing._fields, ("<i8 1", "<i4 1", "<f8 1"), strict=True)),
    **WORK_LAYOUT,
    "n_subgraphs": "<i8 1",
    "numbers": "<f8 1",
    "dealt": "|u1 1",
    "told": "<f8 1",
}
"""The arrays of `SearchState.arrays`."""
