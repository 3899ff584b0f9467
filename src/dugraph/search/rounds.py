"""A search whose answer is thinned: growing beginnings of the ranking, until enough subgraphs are kept.

Every round lists the exact top of the total ranking, so it begins with what the round before listed, and only
its tail is new. The greedy choice down the ranking never looks ahead; so what it keeps of an exact beginning
is the beginning of what it keeps of the whole ranking (docs/search.md).
"""

from __future__ import annotations

import math
import time
from typing import Protocol

from dugraph.search.answer import Answer
from dugraph.search.canonical import CanonicalGraphs
from dugraph.search.core import Counters, Report, continuing
from dugraph.search.limits import longest_list
from dugraph.search.listing import Listing
from dugraph.search.result import Status
from dugraph.search.thinning import Thinner

# How many subgraphs the first round lists for each that is wanted. A longer list costs little, a second round
# costs a search; real cohorts need two to six.
_FIRST = 8
# A round lists at least and at most this many times the subgraphs of the previous round.
_LEAST, _MOST = 2, 8
# Share of the time limit that going through the list may take after a search that used it up.
_SHARE_AFTER_STOP = 0.1


class Ask(Protocol):
    """A search for the `n_subgraphs` best within limits."""

    def __call__(
        self, n_subgraphs: int, time_limit: float, node_limit: int, progress: Report | None
    ) -> Answer: ...


def search_rounds(
    ask: Ask,
    graphs: CanonicalGraphs,
    n_subgraphs: int,
    max_correlation: float,
    time_limit: float,
    node_limit: int,
    progress: Report | None,
) -> Answer:
    """Find the greedy choice of subgraphs whose containment probabilities do not correlate above a limit.

    Parameters
    ----------
    ask : Ask
    graphs : CanonicalGraphs
    n_subgraphs : int
        How many to keep.
    max_correlation : float in [0, 1]
    time_limit, node_limit
        For all rounds together.
    progress : callable or None

    Returns
    -------
    Answer
        As of one search, with the subgraphs kept only. Counters and times are sums over the rounds.
    """
    begin = time.perf_counter()
    thinner = Thinner(graphs, max_correlation, n_subgraphs)
    counters, setup_seconds = Counters(), 0.0
    listing = Listing.empty()
    size, most = _FIRST * n_subgraphs, max(longest_list(), n_subgraphs)
    while True:
        size = min(size, most)
        left = max(time_limit - (time.perf_counter() - begin), 1e-9)
        so_far = continuing(progress, counters, time.perf_counter() - begin)
        answer = ask(size, left, node_limit - counters.n_visited, so_far)
        counters, setup_seconds = counters + answer.counters, setup_seconds + answer.setup_seconds
        status, bound, found = answer.status, answer.best_open_bound, answer.listing
        is_all = status is Status.OPTIMAL and found.n_subgraphs < size
        if not is_all and found.n_subgraphs == size:
            bound = max(bound, found.last_value)  # so much may be worth what found no room in the list
        # A proven list begins with the one before; an unproven one can only add to it.
        bound = min(bound, listing.last_value)
        listing = found if status is Status.OPTIMAL else listing.continued(found)
        try:
            # What a stopped search has found is of use only when it is gone through: that may take some more.
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
        size = _next_size(size, n_subgraphs, len(thinner.kept))
    kept = listing.chosen(thinner.kept)
    return Answer(
        listing=kept,
        status=status,
        threshold=kept.last_value if kept.n_subgraphs == n_subgraphs else -math.inf,
        best_open_bound=-math.inf if status is Status.OPTIMAL else bound,
        counters=counters,
        seconds=time.perf_counter() - begin,
        setup_seconds=setup_seconds,
        n_ranked=thinner.n_read,
    )


def _next_size(size: int, wanted: int, n_kept: int) -> int:
    # The share kept falls further down, so a little more than what it promises so far.
    guess = math.ceil(1.25 * size * wanted / max(n_kept, 1))
    return min(max(guess, _LEAST * size), _MOST * size)
