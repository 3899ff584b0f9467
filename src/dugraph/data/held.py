"""Probabilities as they are held, in float64 or float32, and their sums in float64 without a second copy."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Held = NDArray[np.float64] | NDArray[np.float32]
"""What a cohort keeps: float32 where it was given so. Both are exact; only the memory differs."""

# Bytes of what is widened at a time.
_PIECE = 2**24


def pieces(held: Held) -> Iterator[NDArray[np.float64]]:
    """The rows of an array in float64, some at a time."""
    at_once = max(1, _PIECE // (8 * max(1, held.shape[1])))
    for first in range(0, len(held), at_once):
        yield np.asarray(held[first : first + at_once], dtype=np.float64)


def edge_means(held: Held) -> NDArray[np.float64]:
    """The mean of each column: the expected frequency of each edge."""
    return np.asarray(held.mean(axis=0, dtype=np.float64))


def row_sums(held: Held) -> NDArray[np.float64]:
    """The sum of each row: the expected number of edges of each graph."""
    return np.concatenate([piece.sum(axis=1) for piece in pieces(held)])


def has_negative_zero(held: Held) -> bool:
    """Whether -0.0, or any other negative number, is there."""
    return any(np.signbit(piece).any() for piece in pieces(held))
