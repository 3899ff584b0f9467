"""Arrays for which there is no room in memory: they wait in a temporary file until they are asked for.

The file has no name, so that nothing of it is left, whatever ends the process. It keeps nothing beyond that:
what must survive belongs into a file of its own.
"""

from __future__ import annotations

import errno
import tempfile
import weakref
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.files.atomic import naming


class _Extent(NamedTuple):
    begin: int
    end: int


class Shelf:
    """Takes arrays and gives them back; the file is made when it is first needed.

    Parameters
    ----------
    folder : Path or None
        Where the file is; None: in the folder of the system for temporary files.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = Path(tempfile.gettempdir()) if folder is None else folder
        self._file: IO[bytes] | None = None
        self._end = 0
        self._free: list[_Extent] = []

    @property
    def n_bytes(self) -> int:
        """The length of the file."""
        return self._end

    def put(self, arrays: Sequence[NDArray[Any]]) -> Shelved:
        """Keep arrays; their place is free again when nothing refers to the value that is returned.

        Raises
        ------
        OSError
            If there is no room on the disk either.
        """
        place = self._place(sum(array.nbytes for array in arrays))
        shelved = Shelved(self)
        weakref.finalize(shelved, self._free.append, place).atexit = False
        with naming(self.folder):
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115 (closed with the shelf)
                weakref.finalize(self, self._file.close)
            self._file.seek(place.begin)
            for array in arrays:
                begin, data = self._file.tell(), array.tobytes()
                self._file.write(data)
                shelved.kept.append(_Kept(begin, len(data), zlib.crc32(data), array.dtype, array.shape))
            self._file.flush()
        return shelved

    def _place(self, n_bytes: int) -> _Extent:
        """Room for so much: what became free, or the end."""
        for k, (begin, end) in enumerate(self._free):
            if end - begin >= n_bytes:
                rest = _Extent(begin + n_bytes, end)
                self._free[k : k + 1] = [rest] if rest.begin < rest.end else []
                return _Extent(begin, begin + n_bytes)
        place = _Extent(self._end, self._end + n_bytes)
        self._end = place.end
        return place

    def read(self, kept: _Kept) -> NDArray[Any]:
        """One of the arrays, as it was put."""
        assert self._file is not None
        with naming(self.folder):
            self._file.seek(kept.begin)
            data = self._file.read(kept.n_bytes)
        if len(data) != kept.n_bytes or zlib.crc32(data) != kept.checksum:
            raise OSError(errno.EIO, "what was put into a temporary file came back damaged", str(self.folder))
        return np.frombuffer(data, kept.dtype).reshape(kept.shape)


class _Kept(NamedTuple):
    """An array on a shelf."""

    begin: int
    n_bytes: int
    checksum: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class Shelved:
    """Arrays on a shelf, in the order in which they were put there."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf, self.kept = shelf, list[_Kept]()

    def __len__(self) -> int:
        return len(self.kept)

    def length(self, k: int) -> int:
        """Of array k, without looking at it."""
        return self.kept[k].shape[0]

    def array(self, k: int) -> NDArray[Any]:
        """Array k, read from the disk.

        Raises
        ------
        OSError
            If it is not what was put there.
        """
        return self._shelf.read(self.kept[k])
