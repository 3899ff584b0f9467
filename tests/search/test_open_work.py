"""Open work in pieces: nothing is lost or doubled, however it is cut, and what is written down is bounded."""

import math

import numpy as np
import pytest
from gain_problems import MIN_FREQUENCY, found_gains, gain_problem
from hypothesis import given
from hypothesis import strategies as st
from random_cohorts import SOAK
from slicings import UnreliableWorkers, same

import dugraph as dg
from dugraph.cluster.pool import InThisProcess
from dugraph.search import in_parts, open_work, parted
from dugraph.search.gains import GainSearch
from dugraph.search.open_work import OpenWork, Task
from dugraph.search.pieces import Piece, joined_arrays
from dugraph.search.search_state import SearchState

GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
ASKED = {"min_expected_frequency": 0.5, "n_subgraphs": 10}


@st.composite
def works(draw):
    """Tasks as the core leaves them: of single edges first, of deeper subgraphs behind them."""
    tasks = []
    for depth in sorted(draw(st.lists(st.integers(0, 5), max_size=8))):
        children = draw(st.lists(st.integers(0, 99), min_size=1, max_size=20, unique=True))
        begin = draw(st.integers(0, len(children) - 1))
        end = draw(st.integers(begin + 1, len(children)))
        path = np.arange(100, 100 + depth, dtype=np.int32)
        tasks.append(Task(path, np.array(children, dtype=np.int32), begin, end))
    return OpenWork.of_tasks(tasks)


def opened(works):
    """Every open subgraph with the siblings that may extend it."""
    found = []
    for work in works:
        for path, children, begin, end in work.tasks():
            for k in range(begin, end):
                later = tuple(children[k + 1 :].tolist()) if len(path) else ()
                found.append((tuple(path.tolist()), int(children[k]), later))
    return sorted(found)


def joined(works):
    """Several as one, as they are written into a file."""
    arrays = joined_arrays([Piece(work, 1.0) for work in works])
    return OpenWork.from_arrays({name: np.asarray(array) for name, array in arrays.items()})


def array_bytes(work):
    """What a piece takes, but for the first pointers."""
    return sum(array.nbytes for array in work[1:]) - 2 * 8


@given(works(), st.integers(1, 12), st.integers(1, 400))
def test_dealing_and_cutting_lose_nothing(work, n_hands, most):
    hands = work.dealt(n_hands)
    assert opened(hands) == opened([work])
    assert len(hands) <= n_hands
    assert opened([joined(hands)]) == opened([work])
    parts = list(work.cut(most))
    assert all(part.n_bytes <= most or len(part.ranges) == 1 for part in parts)
    assert all(array_bytes(part) == part.n_bytes for part in parts)
    assert all(np.array_equal(a, b) for a, b in zip(joined(parts), work, strict=True))


@given(works(), st.integers(1, 6))
def test_dealt_work_is_not_much_more_than_the_whole(work, n_hands):
    """Only as far as every hand would otherwise be empty."""
    kept = open_work._MOST_UNITS, open_work._MOST_ENTRIES
    try:
        open_work._MOST_UNITS, open_work._MOST_ENTRIES = 64, 8
        hands = work.dealt(n_hands)
    finally:
        open_work._MOST_UNITS, open_work._MOST_ENTRIES = kept
    n_units = sum(len(hand.ranges) for hand in hands)
    n_entries = sum(hand.n_entries for hand in hands)
    assert n_entries <= max(8, 2 * work.n_entries) or n_units <= 2 * n_hands or n_units == len(work.ranges)


@pytest.mark.parametrize("seed", range(100 if SOAK else 4))
def test_gains_in_parts_are_those_of_one_search(seed):
    random = np.random.default_rng(seed)
    weights = random.normal(size=GRAPHS.n_graphs)
    search = GainSearch(GRAPHS, min_expected_frequency=MIN_FREQUENCY)
    whole = search.find(weights, -math.inf, 20)
    problem = gain_problem(weights, GRAPHS)
    for pool in (InThisProcess(problem), UnreliableWorkers(problem, random, 2000)):
        listing = found_gains(problem, pool)
        assert listing.values.tobytes() == whole.values.tobytes()
        assert [tuple(listing.subgraph(k).tolist()) for k in range(20)] == whole.subgraphs


class Watched(UnreliableWorkers):
    """Workers that note how much open work they are sent."""

    def __init__(self, subject, random):
        super().__init__(subject, random, 60)
        self.sent = []

    def submit(self, function, *arguments):
        self.sent.append(arguments[0].n_entries)
        return super().submit(function, *arguments)


@pytest.mark.parametrize("seed", range(100 if SOAK else 5))
def test_open_work_stays_within_its_formula(seed, monkeypatch):
    """docs/clusters.md: a piece has (64 + L) C entries, L edges of the largest subgraph, C that touch one."""
    random, totals, pools = np.random.default_rng(seed), [], []
    X, y, longest, n_nodes = random.uniform(0.3, 1, (10, 36)), np.arange(10) % 2, 5, 9
    touching = min(36, (longest + 1) * (n_nodes - 1))

    def make(subject):
        pools.append(Watched(subject, random))
        return pools[-1]

    returned = SearchState.returned

    def noted(self, *arguments):
        state = returned(self, *arguments)
        pieces = [*state.ready, *state.away.values()]
        totals.append((len(pieces), sum(piece.work.n_entries for piece in pieces)))
        return state

    monkeypatch.setattr(in_parts, "InThisProcess", make)
    monkeypatch.setattr(SearchState, "returned", noted)
    asked = {"min_expected_frequency": 0.2, "max_edges": longest, "bound": "frequency", "n_subgraphs": 5}
    dg.mine_subgraphs(X, y, **asked)
    assert len(totals) > 100
    assert max(n_pieces for n_pieces, _ in totals) <= 10  # two for each of at most five workers
    assert all(n_entries <= n_pieces * (64 + longest) * touching for n_pieces, n_entries in totals)
    # And the bound is no idle one: without depth-first walks there would be more.
    assert max(pools[0].sent) <= (64 + longest) * touching


@pytest.mark.parametrize("most", [1, 500, 10_000])
def test_pieces_too_large_to_be_sent_are_cut(most, monkeypatch, tmp_path):
    """A search with much open work goes on from a file in small pieces, the deepest first."""
    asked = {**ASKED, "measure": "mode"}
    whole, file = dg.mine_subgraphs(GRAPHS, Y, **asked), tmp_path / "search.npz"
    monkeypatch.setattr(parted, "MOST_SENT", most)
    sent, search_slice = [], parted.search_slice

    def noted(problem, work, *rest):
        sent.append(work.n_bytes if len(work.ranges) > 1 else 0)
        return search_slice(problem, work, *rest)

    monkeypatch.setattr(parted, "search_slice", noted)
    with pytest.warns(dg.LimitReachedWarning):
        dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=file, node_limit=whole.n_visited // 2)
    assert same(dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=file), whole)
    assert max(sent) <= most
