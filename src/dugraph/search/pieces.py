"""Pieces of open work: in memory, and on the disk those for which there is no room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.files.archive_writing import AnyArray, ArrayInParts
from dugraph.files.shelf import Shelf, Shelved
from dugraph.search.open_work import OpenWork


class Piece(NamedTuple):
    """Open work that is done by one worker at a time.

    Attributes
    ----------
    work : OpenWork
    bound : float
        No subgraph in it is better.
    stalls : int
        Slices in a row that were too short to get anywhere.
    """

    work: OpenWork
    bound: float
    stalls: int = 0

    def cut(self, most: int) -> Iterator[Piece]:
        """The same in pieces of at most so many bytes, or of one task; the last is to be done first."""
        if self.work.n_bytes <= most or len(self.work.ranges) < 2:
            yield self
        else:
            yield from (self._replace(work=work) for work in self.work.cut(most))

    def array(self, k: int) -> NDArray[Any]:
        """Array k of the work."""
        return self.work[1:][k]

    def length(self, k: int) -> int:
        """Of array k."""
        return len(self.array(k))


class StoredPiece(NamedTuple):
    """A piece on the disk: the arrays of its work, and the rest of it."""

    arrays: Shelved
    bound: float
    stalls: int

    @classmethod
    def of(cls, piece: Piece, shelf: Shelf) -> StoredPiece:
        """Put a piece onto a shelf."""
        return cls(shelf.put(piece.work[1:]), piece.bound, piece.stalls)

    def piece(self) -> Piece:
        """The piece, read back."""
        arrays = [self.arrays.array(k) for k in range(len(self.arrays))]
        return Piece(OpenWork(False, *arrays), self.bound, self.stalls)

    def array(self, k: int) -> NDArray[Any]:
        """Array k of the work, read back."""
        return self.arrays.array(k)

    def length(self, k: int) -> int:
        """Of array k, without looking at it."""
        return self.arrays.length(k)


AnyPiece = Piece | StoredPiece


def joined_arrays(pieces: Sequence[AnyPiece]) -> dict[str, AnyArray]:
    """All open work as one, by name, for a file; of what is on the disk, one piece at a time is in memory."""
    at_start = any(isinstance(piece, Piece) and piece.work.at_start for piece in pieces)
    joined = {name: _joined(pieces, k, name.endswith("_ptr")) for k, name in enumerate(OpenWork._fields[1:])}
    return {"at_start": np.array([at_start]), **joined}


def _joined(pieces: Sequence[AnyPiece], k: int, is_pointer: bool) -> ArrayInParts:
    """Array k of all pieces, one behind the other."""
    nothing: NDArray[Any] = OpenWork.of_tasks(())[1:][k]
    n_rows = sum(piece.length(k) for piece in pieces)
    if is_pointer:
        n_rows += 1 - len(pieces)

    def parts() -> Iterator[NDArray[Any]]:
        arrays = (piece.array(k) for piece in pieces)
        return _pointers(arrays) if is_pointer else arrays

    return ArrayInParts(nothing.dtype, (n_rows, *nothing.shape[1:]), parts)


def _pointers(parts: Iterable[NDArray[np.int64]]) -> Iterator[NDArray[np.int64]]:
    """Those of lists that are laid one behind the other."""
    end = 0
    yield np.zeros(1, dtype=np.int64)
    for part in parts:
        yield part[1:] + end
        end += int(part[-1])
