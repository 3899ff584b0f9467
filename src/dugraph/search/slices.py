"""A slice of a search: a pure function of a problem, open work, a threshold and limits.

The same open work gives the same best subgraphs wherever and however often it is done; so a slice can be
repeated, moved to another machine, cut short and continued, and slices can be joined in any order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from dugraph.search.canonical import CanonicalGraphs
from dugraph.search.core import (
    COUNTERS,
    NO_LIMIT,
    Bound,
    Counters,
    Goal,
    Known,
    Limits,
    Prepared,
    Report,
    Threshold,
    reporting,
    search,
)
from dugraph.search.listing import Listing
from dugraph.search.open_work import OpenWork
from dugraph.search.result import Status

_PREPARING = threading.Lock()


@dataclass(frozen=True)
class SearchProblem:
    """What is searched, and for what: the part of a slice that never changes, and travels once.

    Attributes
    ----------
    graphs : CanonicalGraphs
    min_expected_frequency : float
    make_goal : callable
        Gives the core's goal; it can be pickled, the goal cannot.
    max_edges : int
    bound : str
    n_threads : int
        Of a slice.
    """

    graphs: CanonicalGraphs
    min_expected_frequency: float
    make_goal: Callable[[], Goal]
    max_edges: int
    bound: str
    n_threads: int

    @cached_property
    def _made(self) -> tuple[Prepared, Goal]:
        return self.graphs.prepared(self.min_expected_frequency), self.make_goal()

    def ready(self) -> tuple[Prepared, Goal]:
        """What the core needs, made when first asked for: slices of one problem share it."""
        with _PREPARING:  # two slices may begin at the same time
            return self._made

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name in self.__dataclass_fields__}


class Effort(NamedTuple):
    """How far a slice goes.

    Attributes
    ----------
    n_subgraphs : int
        The length of the list.
    start_value, start_size
        The threshold that was reached elsewhere.
    seconds : float
    n_nodes : int
    open_at : int
        Subgraphs of so many edges are left open.
    n_threads : int or None
        None: those of the problem.
    """

    n_subgraphs: int
    start_value: float
    start_size: int
    seconds: float
    n_nodes: int = NO_LIMIT
    open_at: int = NO_LIMIT
    n_threads: int | None = None


class Slice(NamedTuple):
    """What a slice found and left."""

    listing: Listing
    left: OpenWork
    best_open_bound: float
    status: Status
    counters: tuple[int, ...]
    setup_seconds: float
    seconds: float

    @property
    def counted(self) -> Counters:
        """The counters as the core has them."""
        return Counters(*self.counters)


def search_slice(
    problem: SearchProblem,
    work: OpenWork,
    effort: Effort,
    known: Listing,
    progress: Report | None = None,
) -> Slice:
    """Search open work as far as the effort goes; what is known already is listed with what is found."""
    prepared, goal = problem.ready()
    limits = Limits(
        n_subgraphs=effort.n_subgraphs,
        max_edges=problem.max_edges,
        bound=Bound[problem.bound],
        n_threads=effort.n_threads or problem.n_threads,
        time_limit=effort.seconds,
        node_limit=effort.n_nodes,
        open_at=effort.open_at,
    )
    found = search(
        prepared=prepared,
        goal=goal,
        frontier=work.frontier(),
        start=Threshold(effort.start_value, effort.start_size),
        known=Known(*known),
        limits=limits,
        progress=reporting(progress),
    )
    return Slice(
        listing=Listing(found.indptr, found.edge_index, found.values),
        left=OpenWork.of(found.frontier),
        best_open_bound=found.best_open_bound,
        status=Status[found.status.name.upper()],
        counters=tuple(getattr(found.counters, name) for name in COUNTERS),
        setup_seconds=found.setup_seconds,
        seconds=found.seconds,
    )
