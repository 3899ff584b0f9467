"""The gain of a linear model from one more subgraph, abs(sum_i w_i x_i), maximised over all admitted ones."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.search.canonical import canonical_edges, canonical_graphs
from dugraph.search.core import NO_LIMIT, Bound, Frontier, Goal, Limits, Report, Threshold, reporting, search
from dugraph.search.exhaustive import FREQUENCY_TOLERANCE
from dugraph.search.limits import check_memory
from dugraph.search.result import Status


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
    """Searches over one cohort for successive weights of its graphs.

    Graphs and edges are in canonical order (rule 4), so that results do not depend on the order of the input.

    Attributes
    ----------
    original, graphs : ndarray of int
        The index of each edge and of each graph in the cohort as it was given. Edges below the limit, which
        are not searched, come last.
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
