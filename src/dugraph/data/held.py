"""Probabilities as they are held, in float64 or float32, and their sums in float64 without a second copy."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

Held = NDArray[np.float64] | NDArray[np.float32]
"""What a cohort keeps: float32 where it was given so. Both are exact; only the memory differs."""

# Bytes of what is widened at a time.
_PIECE = 2**24


def pieces(held: Held, chosen: NDArray[np.bool_] | None = None) -> Iterator[NDArray[np.float64]]:
    """The rows of an array, or those that are `chosen`, in float64, some at a time."""
    at_once = max(1, _PIECE // (8 * max(1, held.shape[1])))
    for first in range(0, len(held), at_once):
        some: Any = slice(first, first + at_once)
        if chosen is not None:
            some = first + np.flatnonzero(chosen[some])
        yield np.asarray(held[some], dtype=np.float64)


def edge_means(held: Held) -> NDArray[np.float64]:
    """The mean of each column: the expected frequency of each edge."""
    return np.asarray(held.mean(axis=0, dtype=np.float64))


def row_sums(held: Held) -> NDArray[np.float64]:
    """The sum of each row: the expected number of edges of each graph."""
    return np.concatenate([piece.sum(axis=1) for piece in pieces(held)])


def has_negative_zero(held: Held) -> bool:
    """Whether -0.0, or any other negative number, is there."""
    return any(np.signbit(piece).any() for piece in pieces(held))


class HeldProbabilities:
    """What `UncertainGraphs` has of its probabilities: as they are held, in float64, and their means."""

    _held: Held
    _widened: NDArray[np.float64] | None
    _means: NDArray[np.float64] | None

    def _hold_probability(self, held: Held) -> None:
        self._held, self._widened, self._means = held, None, None

    @property
    def edge_probability(self) -> NDArray[np.float64]:
        """Probabilities, of shape (n_graphs, n_edges); in float64, whatever they were given in."""
        if self._held.dtype == np.float64:
            return cast(NDArray[np.float64], self._held)
        if self._widened is None:  # kept, since callers ask again and again
            self._widened = self._held.astype(np.float64)
            self._widened.flags.writeable = False
        return self._widened

    @property
    def held_probability(self) -> Held:
        """The same numbers as they are held: float32 where they were given so, in half the memory."""
        return self._held

    @property
    def edge_means(self) -> NDArray[np.float64]:
        """The expected frequency of each edge."""
        if self._means is None:
            self._means = edge_means(self._held)
        return self._means

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is None or np.dtype(dtype) == np.float64:
            return self.edge_probability.copy() if copy else self.edge_probability
        if copy is False:
            raise ValueError(
                f"edge_probability is float64; without a copy it cannot become {np.dtype(dtype)}."
            )
        return self._held.astype(dtype)

    def __getstate__(self) -> dict[str, Any]:
        # What can be made again does not travel.
        return self.__dict__ | {"_widened": None, "_means": None}
