"""Rows of a cohort gathered one after the other, without ever holding all of them twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Bytes of a block: the C library gives blocks of this size back to the system as soon as they are free.
_BLOCK = 2**26
# Bytes of the rows that are worked on together.
_PIECE = 2**22


class RowStore:
    """Rows of one length, in blocks that are given up one by one when the array is made of them."""

    def __init__(self) -> None:
        self._blocks: list[Floats] = []
        self.n_rows = 0

    def add(self, row: Floats) -> None:
        """Copy a row behind the others."""
        at_once = len(self._blocks[0]) if self._blocks else max(1, _BLOCK // max(1, row.nbytes))
        if self.n_rows % at_once == 0:
            self._blocks.append(np.empty((at_once, *row.shape)))
        self._blocks[-1][self.n_rows % at_once] = row
        self.n_rows += 1

    def array(self) -> Floats:
        """All rows, of shape (n_rows, length); the store is empty afterwards."""
        made = np.empty((self.n_rows, *self._blocks[0].shape[1:]))
        first = 0
        while self._blocks:
            block = self._blocks.pop(0)[: len(made) - first]
            made[first : first + len(block)] = block
            first += len(block)
        self.n_rows = 0
        return made


def row_blocks(values: Floats) -> Iterator[slice]:
    """Slices of rows that take a few megabytes each."""
    at_once = max(1, _PIECE // (8 * max(1, values.shape[1])))
    return (slice(first, first + at_once) for first in range(0, len(values), at_once))
