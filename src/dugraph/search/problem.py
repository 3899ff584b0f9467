"""The problem of a search: graphs in canonical order (rule 4), and the goal that the core maximises.

A score with a measure is a table by supports, except for the expected HSIC, which has a closed form in
weights of the graphs. Sparse models search for the gain of one more subgraph, abs(sum_i w_i x_i).
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import RawProbability
from dugraph.probability.measures import JUMP_TOLERANCE
from dugraph.probability.scores import Score, check_score_cap, check_score_name, level_table, score_values
from dugraph.search.core import (
    NO_LIMIT,
    Bound,
    Frontier,
    Goal,
    Limits,
    Prepared,
    Report,
    ScoreName,
    Threshold,
    reporting,
    search,
)
from dugraph.search.core import score_values as compiled_values
from dugraph.search.limits import FREQUENCY_TOLERANCE, check_memory
from dugraph.words import FREQUENCY, Status

# Columns that are compared first; they distinguish most graphs.
_FIRST_COLUMNS = 64
# Bytes of keys compared at a time.
_KEYS = 2**25
# Graphs transposed together.
_AT_ONCE = 512
# Edges this far below the limit are not admitted, whatever the rounding of their mean.
_SLACK = 1e-9
_COMPILING = threading.Lock()


@dataclass(frozen=True)
class CanonicalGraphs:
    """Uncertain graphs for the core: without labels, and without edges that are never admitted.

    `edges` are ordered by (larger node, smaller node, layer). `original` and `graphs` are the indices of
    edges and graphs in the input, whose `raw_probability` is not copied; on a worker it is `in_order`.
    """

    edges: NDArray[np.int32]
    n_nodes: int
    original: NDArray[np.intp]
    graphs: NDArray[np.intp]
    raw_probability: RawProbability
    in_order: bool = False

    @cached_property
    def edge_probability(self) -> NDArray[np.float64]:
        """A copy in canonical order, shape (n_kept, n_graphs)."""
        return self._transposed(np.dtype(np.float64))

    def sorted_among_equals(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Labels in canonical order, with those of equal graphs sorted, whatever the order of the input."""
        rows = self.edge_probability
        alike = (rows[:, 1:] == rows[:, :-1]).all(axis=0)
        return np.asarray(labels[np.lexsort((labels, np.cumsum([False, *~alike])))])

    def prepared(self, min_expected_frequency: float) -> Prepared:
        """Prepare the graphs for searches with this limit or a higher one."""
        return Prepared(
            edges=self.edges,
            edge_probability=self.raw_probability,
            graph_places=None if self.in_order else self.graphs,
            edge_places=None if self.in_order else self.original,
            n_nodes=self.n_nodes,
            min_expected_frequency=min_expected_frequency,
        )

    def _transposed(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """One row for each edge, copied in blocks of graphs to save memory."""
        if self.in_order:
            return np.asarray(self.raw_probability.T, dtype=dtype)
        rows = np.empty((len(self.original), len(self.graphs)), dtype)
        for first in range(0, len(self.graphs), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            rows[:, some] = self.raw_probability[np.ix_(self.graphs[some], self.original)].T
        return rows

    def __getstate__(self) -> dict[str, Any]:
        # Workers receive the edges that may be admitted, in the precision of the input.
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return state | {"raw_probability": self._transposed(self.raw_probability.dtype).T, "in_order": True}


def canonical_graphs(
    graphs: UncertainGraphs, min_expected_frequency: float, labels: NDArray[np.float64] | None = None
) -> CanonicalGraphs:
    """Put edges and graphs into canonical order, without edges that no admitted subgraph contains.

    `labels`, of shape (n_graphs, n_columns), order graphs with equal rows.
    """
    larger, smaller = graphs.edges.max(axis=1), graphs.edges.min(axis=1)
    order = canonical_edges(graphs)
    kept = order[graphs.edge_means[order] > min_expected_frequency - _SLACK]
    return CanonicalGraphs(
        edges=np.ascontiguousarray(np.column_stack([larger[kept], smaller[kept]]), dtype=np.int32),
        n_nodes=graphs.n_nodes,
        original=kept,
        # All edges count, so that the value of a subgraph does not depend on the limit.
        graphs=_by_rows(graphs.raw_probability, order, labels),
        raw_probability=graphs.raw_probability,
    )


def canonical_edges(graphs: UncertainGraphs) -> NDArray[np.intp]:
    """Edges in order of (larger node, smaller node, layer)."""
    keys: tuple[NDArray[Any], ...] = (graphs.edges.min(axis=1), graphs.edges.max(axis=1))
    if graphs.edge_layers is not None:
        keys = (np.array(graphs.edge_layers), *keys)
    return np.lexsort(keys)


def _by_rows(
    raw: RawProbability, order: NDArray[np.intp], labels: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    """Sort graphs by the bytes of their rows, a block of columns at a time."""
    sorted_rows: list[int] = []
    undecided = [(np.arange(len(raw)), 0)]
    while undecided:
        alike, begin = undecided.pop()
        if len(alike) == 1 or begin >= len(order):
            if labels is not None:  # adding 0 turns -0.0, which has other bytes, into 0.0
                alike = np.array(sorted(alike, key=lambda i: (labels[i] + 0).tobytes()), dtype=np.intp)
            sorted_rows += alike.tolist()
            continue
        columns = order[begin : begin + max(_FIRST_COLUMNS, _KEYS // (8 * len(alike)) if begin else 0)]
        keys = [row.tobytes() for row in raw[np.ix_(alike, columns)].astype(np.float64)]
        by_key = sorted(range(len(alike)), key=keys.__getitem__)
        groups = [alike[list(same)] for _, same in itertools.groupby(by_key, key=keys.__getitem__)]
        undecided += [(group, begin + len(columns)) for group in reversed(groups)]
    return np.array(sorted_rows, dtype=np.intp)


@dataclass(frozen=True)
class SearchProblem:
    """The constant arguments of all parts of a search, sent to each worker once.

    `make_goal` returns the core's goal, which cannot be pickled.
    """

    graphs: CanonicalGraphs
    min_expected_frequency: float
    make_goal: Callable[[], Goal]
    max_edges: int
    bound: str
    n_threads: int

    @cached_property
    def _compiled(self) -> tuple[Prepared, Goal]:
        return self.graphs.prepared(self.min_expected_frequency), self.make_goal()

    def compiled(self) -> tuple[Prepared, Goal]:
        """The core's objects, made at the first call and shared by all parts in this process."""
        with _COMPILING:  # a worker may run two parts at once
            return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in self.__dataclass_fields__}


def class_goal(
    positive: NDArray[np.bool_],
    score: Score,
    measure: str,
    score_cap: float | None,
    phi: float | None,
    quantile: float,
) -> Goal:
    """Make the goal of two classes from valid arguments of `mine_subgraphs`, graphs in canonical order."""
    if measure == FREQUENCY:
        return Goal.frequency()
    n_pos = int(positive.sum())
    n_neg = len(positive) - n_pos
    classes = np.ascontiguousarray(positive, dtype=np.uint8)
    if measure == "expectation" and has_closed_form(score, score_cap, n_pos, n_neg):
        weights = np.where(positive, float(n_neg), -float(n_pos))[None]
        return Goal.squared_counts(weights, _hsic_scale(n_pos, n_neg), classes)
    name = compiled_score(score)
    values = score_values(score, n_pos, n_neg) if name is None else compiled_values(name, n_pos, n_neg)
    # For an average it does not matter which scores are equal.
    table = level_table(values, score_cap, merge=measure != "expectation")
    tabulated = (classes, table.level_of, table.levels)
    if measure == "expectation":
        return Goal.expectation(*tabulated)
    if measure == "phi_probability":
        assert phi is not None
        least = phi - JUMP_TOLERANCE * max(1.0, abs(phi))  # rule 8
        return Goal.phi_probability(*tabulated, first_level=int(np.searchsorted(table.levels, least)))
    if measure == "mode":
        return Goal.mode(*tabulated)
    quantiles = {"median": 0.5, "quantile": quantile}
    return Goal.quantile(*tabulated, quantile=quantiles[measure])


def has_closed_form(score: Score, score_cap: float | None, n_pos: int, n_neg: int) -> bool:
    """Whether the expectation of a score needs no table: that of HSIC, unless a cap cuts it off."""
    if compiled_score(score) != ScoreName.hsic:
        return False
    largest = _hsic_scale(n_pos, n_neg) * (float(n_pos) * n_neg) ** 2
    return score_cap is None or check_score_cap(score_cap, 0.0) >= largest * (1 - 1e-12)


def _hsic_scale(n_pos: int, n_neg: int) -> float:
    """HSIC is this times the square of a n_neg - b n_pos."""
    n = float(n_pos + n_neg)
    return 1.0 / ((n - 1) ** 2 * n**2)


def compiled_score(score: Score) -> ScoreName | None:
    """The compiled function with that name, or None."""
    return getattr(ScoreName, check_score_name(score), None) if isinstance(score, str) else None


@dataclass(frozen=True)
class Gains:
    """The subgraphs with the largest gains above a floor, in canonical edges, the largest first.

    No admitted subgraph has a gain above `most`. The status is OPTIMAL if the search was completed.
    """

    subgraphs: list[tuple[int, ...]]
    values: NDArray[np.float64]
    most: float
    status: Status
    n_visited: int


class GainSearch:
    """Searches over one cohort for successive weights of its graphs, in canonical order.

    `original` and `graphs` are the indices of edges and graphs in the cohort as it was given. Edges below the
    limit, which are not searched, come last.
    """

    def __init__(
        self,
        cohort: UncertainGraphs,
        *,
        min_expected_frequency: float,
        max_edges: int | None = None,
        n_threads: int = 1,
    ) -> None:
        # A fit stores the column of every edge, twice while its pool grows.
        check_memory(cohort, min_expected_frequency, 0, n_threads, columns=2)
        self._ordered = canonical_graphs(cohort, min_expected_frequency)
        self._prepared = self._ordered.prepared(min_expected_frequency)
        self._max_edges = cohort.n_edges if max_edges is None else max_edges
        self._n_threads = n_threads
        self.graphs = self._ordered.graphs
        # Edges that no admitted subgraph contains follow those of the search.
        order, means = canonical_edges(cohort), cohort.edge_means
        rare = order[(means[order] > FREQUENCY_TOLERANCE) & ~np.isin(order, self._ordered.original)]
        self.original = np.concatenate([self._ordered.original, rare])
        self._rare_rows = np.asarray(cohort.edge_probability[np.ix_(self.graphs, rare)].T, dtype=np.float64)

    def find(
        self,
        weights: NDArray[np.float64],
        floor: float,
        n_subgraphs: int,
        time_limit: float = math.inf,
        progress: Report | None = None,
    ) -> Gains:
        """Find the subgraphs with the largest gains above a floor, for weights in canonical order.

        After the time limit the best so far are returned, with a bound on the others.
        """
        if not len(self._ordered.original):
            return Gains([], np.empty(0), floor, Status.OPTIMAL, 0)
        limits = Limits(
            n_subgraphs=n_subgraphs,
            max_edges=self._max_edges,
            bound=Bound.worldwise,  # max(sum of the positive w_i x_i, sum of the negative ones)
            n_threads=self._n_threads,
            time_limit=time_limit,
            node_limit=NO_LIMIT,
        )
        found = search(
            prepared=self._prepared,
            goal=Goal.gain(np.ascontiguousarray(weights)),
            frontier=Frontier(),
            start=Threshold(floor, 0),
            limits=limits,
            progress=reporting(progress),
        )
        status, edge_index = Status[found.status.name.upper()], found.edge_index.tolist()
        subgraphs = [tuple(edge_index[a:b]) for a, b in itertools.pairwise(found.indptr.tolist())]
        listed = float(found.values[0]) if len(subgraphs) else floor
        most = listed if status is Status.OPTIMAL else max(listed, found.best_open_bound)
        return Gains(subgraphs, found.values, most, status, found.counters.n_visited)

    def single_edges(self) -> list[tuple[int, ...]]:
        """Return all subgraphs of one edge that occur, however rare."""
        return [(edge,) for edge in range(len(self.original))]

    def containment(self, subgraphs: list[tuple[int, ...]]) -> NDArray[np.float64]:
        """Containment probabilities of subgraphs of canonical edges, shape (n_graphs, n_subgraphs)."""
        rows = self._ordered.edge_probability
        columns = np.empty((rows.shape[1], len(subgraphs)), order="F")
        for k, subgraph in enumerate(subgraphs):
            if subgraph[0] >= len(rows):
                columns[:, k] = self._rare_rows[subgraph[0] - len(rows)]
            else:
                columns[:, k] = np.multiply.reduce(rows[list(subgraph)], axis=0)
        return columns
