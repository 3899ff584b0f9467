"""What a search, or several one after the other, answered: as the core gives it, in canonical edges."""

from __future__ import annotations

from dataclasses import dataclass

from dugraph.search.core import Counters, Found
from dugraph.search.listing import Listing
from dugraph.search.result import Status


@dataclass(frozen=True)
class Answer:
    """The subgraphs listed and the account of the search for them.

    Attributes
    ----------
    listing : Listing
    status : Status
    threshold : float
        The value of the worst subgraph listed, if as many were found as requested; otherwise minus infinity.
    best_open_bound : float
        No unseen subgraph exceeds this; minus infinity when the answer is proven.
    counters : Counters
    seconds, setup_seconds : float
    n_ranked : int
        How much of the ranking was gone through for the list.
    """

    listing: Listing
    status: Status
    threshold: float
    best_open_bound: float
    counters: Counters
    seconds: float
    setup_seconds: float
    n_ranked: int

    @classmethod
    def of(cls, found: Found) -> Answer:
        """The answer of one search."""
        listing = Listing(found.indptr, found.edge_index, found.values)
        return cls(
            listing=listing,
            status=Status[found.status.name.upper()],
            threshold=found.threshold,
            best_open_bound=found.best_open_bound,
            counters=found.counters,
            seconds=found.seconds,
            setup_seconds=found.setup_seconds,
            n_ranked=listing.n_subgraphs,
        )
