"""Subgraphs that complement each other: the greedy selection down the ranking, by `max_correlation`.

A subgraph is left out if the absolute Pearson correlation of its containment probabilities with those of one
selected before exceeds the limit by more than 1e-12. Two constant vectors have correlation 1; a constant one
and one that varies have correlation 0.

Matrix products decide where the correlation differs clearly from the limit. Closer cases are decided by one
routine with exact sums, so the answer depends neither on the number of threads nor on the order of graphs.

Whether a subgraph is selected depends only on those before it. The selection from an exact beginning of the
ranking is therefore the beginning of that from the whole ranking, and the search lists longer beginnings
until enough subgraphs are selected (docs/searching.md).
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from dugraph.search.core import Answer, Counters, Listing, Report, continuing
from dugraph.search.limits import longest_list
from dugraph.search.parts import PartedSearch
from dugraph.search.problem import CanonicalGraphs
from dugraph.search.result import Status

Floats = NDArray[np.float64]

# Rule 8 for correlations: the limit is exceeded only by more than this.
CORRELATION_TOLERANCE = 1e-12
# A vector whose range is at most this share of its largest entry is constant up to rounding.
_SPREAD = 1e-12
# Far above the rounding of a matrix product.
_MARGIN = 1e-9
# At most this many subgraphs, and this many numbers, are processed together.
_BATCH, _NUMBERS = 256, 2**20


class Thinner:
    """Choose `wanted` subgraphs greedily down a ranking, which is read piece by piece.

    `chosen` are the ranks of the chosen subgraphs, from 0, among the `n_read` that were read so far.
    """

    def __init__(self, graphs: CanonicalGraphs, max_correlation: float, wanted: int) -> None:
        self.chosen: list[int] = []
        self.n_read = 0
        self._probability = graphs.edge_probability
        self._limit = max_correlation + CORRELATION_TOLERANCE
        self._wanted = wanted
        self._constant_chosen = False
        n_graphs = graphs.edge_probability.shape[1]
        self._batch = max(1, min(_BATCH, _NUMBERS // n_graphs))
        # Standardised vectors of the chosen subgraphs that vary; the remaining rows are spare.
        self._rows: Floats = np.empty((16, n_graphs))
        self._n_varying = 0

    @property
    def is_full(self) -> bool:
        """Whether as many are chosen as wanted."""
        return len(self.chosen) >= self._wanted

    def read(self, ranking: Listing, deadline: float = math.inf) -> bool:
        """Continue where the last call ended; the ranking is given from its beginning.

        Returns False if the deadline, on the clock of `time.perf_counter`, came before the end.
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
                    self._constant_chosen = True
                else:
                    exact = _standardised_exactly(batch[k])
                    self._remember(exact)
                    np.maximum(largest, np.abs(screen @ exact), out=largest)
                self.chosen.append(first + k)
            self.n_read = first + k + 1
            if self.is_full:
                return

    @property
    def _varying(self) -> Floats:
        return self._rows[: self._n_varying]

    def _remember(self, vector: Floats) -> None:
        if self._n_varying == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self._n_varying] = vector
        self._n_varying += 1

    def _is_new(self, x: Floats, screen: Floats, constant: bool, largest: float) -> bool:
        if constant:
            return not self._constant_chosen or self._limit >= 1.0
        if abs(largest - self._limit) > _MARGIN:
            return largest < self._limit
        near = self._varying[np.abs(self._varying @ screen) > self._limit - 2 * _MARGIN]
        exact = _standardised_exactly(x)
        return all(abs(math.fsum((exact * other).tolist())) <= self._limit for other in near)


def _standardised(batch: Floats, constant: NDArray[np.bool_]) -> Floats:
    """Rows with mean 0 and length 1; constant rows become 0.

    Subtracting the mean a second time takes away the rounding of the first, which matters where a vector is
    nearly constant.
    """
    centred = batch / batch.max(axis=1, keepdims=True)
    centred -= centred.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(np.divide(centred, length, out=np.zeros_like(centred), where=~constant[:, None]))


def _standardised_exactly(x: Floats) -> Floats:
    """Standardise one vector that varies, with exact sums."""
    centred = x / x.max()
    for _ in range(2):
        centred = centred - math.fsum(centred.tolist()) / len(centred)
    return np.asarray(centred / math.sqrt(math.fsum((centred * centred).tolist())))


# Subgraphs that the first round lists for each that is wanted. A longer list costs little, a second round
# costs a search; real cohorts need two to six.
_FIRST = 8
# A round lists at least and at most this many times the subgraphs of the previous round.
_LEAST, _MOST = 2, 8
# Share of the time limit for reading the list after a search that used up the limit.
_SHARE_AFTER_STOP = 0.1


def search_rounds(
    search: PartedSearch,
    graphs: CanonicalGraphs,
    n_subgraphs: int,
    max_correlation: float,
    time_limit: float,
    node_limit: int,
    progress: Report | None,
) -> Answer:
    """Search until `n_subgraphs` are chosen that do not correlate above `max_correlation`.

    Limits hold for all rounds together. In the answer, counters and times are sums over the rounds.
    """
    begin = time.perf_counter()
    thinner = Thinner(graphs, max_correlation, n_subgraphs)
    counters, setup_seconds = Counters(), 0.0
    listing = Listing.empty()
    size, most = max(_FIRST * n_subgraphs, search.n_saved), max(longest_list(), n_subgraphs)
    while True:
        size = min(size, most)
        left = max(time_limit - (time.perf_counter() - begin), 1e-9)
        so_far = continuing(progress, counters, time.perf_counter() - begin)
        answer = search(size, left, node_limit - counters.n_visited, so_far)
        counters, setup_seconds = counters + answer.counters, setup_seconds + answer.setup_seconds
        status, bound, found = answer.status, answer.best_open_bound, answer.listing
        is_all = status is Status.OPTIMAL and found.n_subgraphs < size
        if not is_all and found.n_subgraphs == size:
            bound = max(bound, found.last_value)  # of subgraphs beyond the end of the list
        # A proven list begins with the previous one; an unproven list can only add to it.
        bound = min(bound, listing.last_value)
        listing = found if status is Status.OPTIMAL else listing.continued(found)
        try:
            # Even after a stop the list must be read, which may take a little longer.
            deadline = max(begin + time_limit, time.perf_counter() + _SHARE_AFTER_STOP * time_limit)
            stopped = None if thinner.read(listing, deadline) else Status.TIME_LIMIT
        except KeyboardInterrupt:
            stopped = Status.INTERRUPTED
        if stopped:
            status = stopped
            bound = max(bound, float(listing.values[min(thinner.n_read, listing.n_subgraphs - 1)]))
        if status is not Status.OPTIMAL or is_all or thinner.is_full:
            break
        if size == most:
            status = Status.MEMORY_LIMIT
        elif time.perf_counter() - begin >= time_limit:
            status = Status.TIME_LIMIT
        elif counters.n_visited >= node_limit:
            status = Status.NODE_LIMIT
        if status is not Status.OPTIMAL:
            break
        size = _next_size(size, n_subgraphs, len(thinner.chosen))
    chosen = listing.chosen(thinner.chosen)
    return Answer(
        listing=chosen,
        status=status,
        threshold=chosen.last_value if chosen.n_subgraphs == n_subgraphs else -math.inf,
        best_open_bound=-math.inf if status is Status.OPTIMAL else bound,
        counters=counters,
        seconds=time.perf_counter() - begin,
        setup_seconds=setup_seconds,
        n_ranked=thinner.n_read,
    )


def _next_size(size: int, wanted: int, n_chosen: int) -> int:
    # The share of chosen subgraphs decreases down the ranking, so a quarter more than it predicts.
    guess = math.ceil(1.25 * size * wanted / max(n_chosen, 1))
    return min(max(guess, _LEAST * size), _MOST * size)
