"""The greedy choice of subgraphs that do not repeat each other, down a ranking.

A subgraph is kept unless the absolute Pearson correlation of its containment probabilities with those of one
kept before exceeds the limit by more than 1e-12. Two constant vectors repeat each other (correlation 1); a
constant one and one that varies do not (correlation 0).

As everywhere in the search, fast arithmetic only screens: matrix products decide what is clear by a margin,
and what is near the limit is decided by one routine whose sums are exact, so that neither the number of
threads nor the order of graphs shows in the answer.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from dugraph.search.canonical import CanonicalGraphs
from dugraph.search.listing import Listing

Floats = NDArray[np.float64]

# Rule 8 for correlations: what exceeds the limit by less is not above it.
CORRELATION_TOLERANCE = 1e-12
# A vector whose spread is at most this share of its largest entry is constant but for rounding.
_SPREAD = 1e-12
# Far above the rounding of a matrix product, far below what anyone would call a difference.
_MARGIN = 1e-9
# At most this many subgraphs, and this many numbers, are processed together.
_BATCH, _NUMBERS = 256, 2**20


class Thinner:
    """Goes down a ranking, piece by piece, and remembers what it kept.

    Parameters
    ----------
    graphs : CanonicalGraphs
    max_correlation : float in [0, 1]
    wanted : int
        Stop when so many are kept.

    Attributes
    ----------
    kept : list of int
        Places in the ranking of the subgraphs kept, counted from 0.
    n_read : int
        How much of the ranking has been gone through.
    """

    def __init__(self, graphs: CanonicalGraphs, max_correlation: float, wanted: int) -> None:
        self.kept: list[int] = []
        self.n_read = 0
        self._probability = graphs.edge_probability
        self._limit = max_correlation + CORRELATION_TOLERANCE
        self._wanted = wanted
        self._constant_kept = False
        n_graphs = graphs.edge_probability.shape[1]
        self._batch = max(1, min(_BATCH, _NUMBERS // n_graphs))
        # Standardised vectors of the varying subgraphs kept; the rows behind them are room for more.
        self._room: Floats = np.empty((16, n_graphs))
        self._n_varying = 0

    @property
    def is_full(self) -> bool:
        """Whether as many are kept as wanted."""
        return len(self.kept) >= self._wanted

    def read(self, ranking: Listing, deadline: float = math.inf) -> bool:
        """Go on where the last piece ended; the ranking is given from its beginning.

        Returns False if time (of `time.perf_counter`) was up before its end.
        """
        while self.n_read < ranking.n_subgraphs and not self.is_full:
            last = min(self.n_read + self._batch, ranking.n_subgraphs)
            self._read_batch(
                np.array([self._containment(ranking.subgraph(k)) for k in range(self.n_read, last)])
            )
            if time.perf_counter() >= deadline:
                break
        return self.is_full or self.n_read == ranking.n_subgraphs

    def _containment(self, edges: NDArray[np.int32]) -> Floats:
        # In ascending canonical order, factor by factor: the canonical product of rule 6.
        x: Floats = self._probability[edges[0]].copy()
        for edge in edges[1:]:
            x *= self._probability[edge]
        return x

    def _read_batch(self, batch: Floats) -> None:
        constant = np.ptp(batch, axis=1) <= _SPREAD * batch.max(axis=1)
        screen = _standardised(batch, constant)
        largest = np.abs(screen @ self._varying.T).max(axis=1, initial=0.0)
        first = self.n_read
        for k in range(len(batch)):
            if self._is_new(batch[k], screen[k], bool(constant[k]), float(largest[k])):
                if constant[k]:
                    self._constant_kept = True
                else:
                    exact = _standardised_exactly(batch[k])
                    self._remember(exact)
                    np.maximum(largest, np.abs(screen @ exact), out=largest)
                self.kept.append(first + k)
            self.n_read = first + k + 1
            if self.is_full:
                return

    @property
    def _varying(self) -> Floats:
        return self._room[: self._n_varying]

    def _remember(self, vector: Floats) -> None:
        if self._n_varying == len(self._room):
            self._room = np.concatenate([self._room, np.empty_like(self._room)])
        self._room[self._n_varying] = vector
        self._n_varying += 1

    def _is_new(self, x: Floats, screen: Floats, constant: bool, largest: float) -> bool:
        if constant:
            return not self._constant_kept or self._limit >= 1.0
        if abs(largest - self._limit) > _MARGIN:
            return largest < self._limit
        near = self._varying[np.abs(self._varying @ screen) > self._limit - 2 * _MARGIN]
        exact = _standardised_exactly(x)
        return all(abs(math.fsum((exact * other).tolist())) <= self._limit for other in near)


def _standardised(batch: Floats, constant: NDArray[np.bool_]) -> Floats:
    """Rows of mean 0 and length 1; those that are constant become 0.

    Subtracting the mean a second time takes away the rounding of the first, which matters where a vector is
    nearly constant.
    """
    centred = batch / batch.max(axis=1, keepdims=True)
    centred -= centred.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(np.divide(centred, length, out=np.zeros_like(centred), where=~constant[:, None]))


def _standardised_exactly(x: Floats) -> Floats:
    """The same for one vector that varies, by sums that do not depend on the order of their terms."""
    centred = x / x.max()
    for _ in range(2):
        centred = centred - math.fsum(centred.tolist()) / len(centred)
    return np.asarray(centred / math.sqrt(math.fsum((centred * centred).tolist())))
