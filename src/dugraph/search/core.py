"""The compiled core, which only this module imports, and the lists of subgraphs that it returns."""

# ruff: noqa: F401 (other modules import the compiled names from here)

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.words import Status as SearchStatus

try:
    from dugraph._core import (
        Bound,
        Counters,
        Found,
        Frontier,
        Goal,
        Known,
        Limits,
        NullMaxima,
        OpenTask,
        Prepared,
        Progress,
        Reached,
        Relabelings,
        ScoreName,
        Statistic,
        Status,
        Threshold,
        compiler,
        instruction_set,
        largest_score,
        level_masses,
        level_start,
        null_maxima,
        reached,
        score_edges,
        score_values,
        search,
        support_distribution,
    )
except ImportError as error:
    raise ImportError(
        f"dugraph needs its compiled core, dugraph._core, which could not be loaded ({error}). "
        "Install a wheel of dugraph, or build it from source with `pip install .`."
    ) from error

NO_LIMIT = 2**64 - 1
"""No limit on the number of nodes."""
COUNTERS = ("n_visited", "n_candidates", "n_evaluated", "n_pruned_by_frequency", "n_pruned_by_bound")
"""The counters of a search."""
_BLOCK = 4096  # subgraphs converted to tuples at a time
Numbers = dict[str, Any]
"""The argument of a progress function: counters, threshold, best_open_bound, seconds."""
Report = Callable[[Numbers], None]


def reporting(report: Report | None, only: tuple[str, ...] = ()) -> Any:
    """Wrap a progress function for the core; with `only`, it receives these numbers and no others."""
    if report is None:
        return None

    def call(now: Progress) -> None:
        numbers: Numbers = {name: getattr(now.counters, name) for name in COUNTERS}
        numbers |= {name: getattr(now, name) for name in ("threshold", "best_open_bound", "seconds")}
        report({name: numbers[name] for name in only or numbers})

    return call


def continuing(report: Report | None, before: Counters, seconds: float) -> Report | None:
    """A progress function to which the counters and seconds of earlier searches are added."""
    if report is None:
        return None

    def call(now: Numbers) -> None:
        sums = {name: getattr(before, name) + now[name] for name in COUNTERS}
        report({**now, **sums, "seconds": seconds + now["seconds"]})

    return call


class Listing(NamedTuple):
    """Subgraph k is ``edge_index[indptr[k]:indptr[k + 1]]``, in ascending canonical edges."""

    indptr: NDArray[np.int64]
    edge_index: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def empty(cls) -> Listing:
        """An empty list."""
        return cls(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0))

    @property
    def n_subgraphs(self) -> int:
        """Length of the list."""
        return len(self.values)

    @property
    def last_value(self) -> float:
        """The smallest value listed; infinite for an empty list."""
        return float(self.values[-1]) if self.n_subgraphs else math.inf

    def subgraph(self, k: int) -> NDArray[np.int32]:
        """The edges of one subgraph."""
        return self.edge_index[self.indptr[k] : self.indptr[k + 1]]

    def subgraphs(self, original: NDArray[np.intp]) -> list[tuple[int, ...]]:
        """All subgraphs as sorted edge indices of the input; `original` has that of each canonical edge."""
        # One Python int per index, shared by all subgraphs, saves most of the memory of a long list.
        index, is_sorted = np.array(original.tolist(), dtype=object), bool((np.diff(original) > 0).all())
        found: list[tuple[int, ...]] = []
        for begin in range(0, self.n_subgraphs, _BLOCK):
            ends = self.indptr[begin : begin + _BLOCK + 1]
            edges = self.edge_index[ends[0] : ends[-1]]
            if not is_sorted:
                owner = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
                edges = edges[np.lexsort((original[edges], owner))]
            flat, places = index[edges].tolist(), (ends - ends[0]).tolist()
            found += [tuple(flat[one:other]) for one, other in itertools.pairwise(places)]
        return found

    def chosen(self, places: Sequence[int]) -> Listing:
        """Some of the subgraphs, in their order."""
        pieces = [self.subgraph(k) for k in places]
        return Listing(
            np.cumsum([0, *map(len, pieces)], dtype=np.int64),
            np.concatenate([self.edge_index[:0], *pieces]),
            self.values[list(places)],
        )

    def merged(self, other: Listing, n_subgraphs: int) -> Listing:
        """The best of both lists: larger value, fewer edges, smaller edges."""
        if not self.n_subgraphs or not other.n_subgraphs:
            return self if self.n_subgraphs else other
        both = self.continued(other)
        sizes, values = np.diff(both.indptr).tolist(), both.values.tolist()
        order = sorted(
            range(both.n_subgraphs), key=lambda k: (-values[k], sizes[k], both.subgraph(k).tolist())
        )
        return both.chosen(order[:n_subgraphs])

    def continued(self, other: Listing) -> Listing:
        """This list, followed by the subgraphs of another that are not in it."""
        here = {self.subgraph(k).tobytes() for k in range(self.n_subgraphs)}
        new = [k for k in range(other.n_subgraphs) if other.subgraph(k).tobytes() not in here]
        added = other.chosen(new)
        return Listing(
            np.concatenate([self.indptr, self.indptr[-1] + added.indptr[1:]]),
            np.concatenate([self.edge_index, added.edge_index]),
            np.concatenate([self.values, added.values]),
        )


@dataclass(frozen=True)
class Answer:
    """The outcome of one search, or of several rounds, in canonical edges; attributes as of `MiningResult`.

    `n_ranked` is the number of subgraphs of the ranking that were read for the list.
    """

    listing: Listing
    status: SearchStatus
    threshold: float
    best_open_bound: float
    counters: Counters
    seconds: float
    setup_seconds: float
    n_ranked: int
