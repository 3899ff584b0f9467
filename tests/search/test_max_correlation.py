"""Messages, constant subgraphs, limits, interrupts and counters of a search with `max_correlation`."""

import math
import re

import numpy as np
import pytest

from dugraph import InputError, mine_subgraphs
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, SearchInterrupted
from dugraph.search import Status, diversity
from dugraph.search.mining import mine_within

X = np.array([[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]])
Y = [1, 1, 0, 0]
SETTINGS = {"min_expected_frequency": 0.45, "max_correlation": 0.5, "n_subgraphs": 20}
RARE = {"min_expected_frequency": 0.1}


@pytest.fixture(scope="module")
def best(hiv):
    return mine_subgraphs(*hiv, **SETTINGS)


def assert_beginning_is_right(result, best):
    """Subgraphs listed above the bound are the first ones of the complete list."""
    sure = [g for g, v in zip(result.subgraphs, result.values, strict=True) if v > result.best_open_bound]
    assert sure == best.subgraphs[: len(sure)]
    assert not any(v > result.best_open_bound for v in best.values[len(sure) :])
    full = len(result) == SETTINGS["n_subgraphs"]
    assert result.threshold == (result.values[-1] if full else -np.inf)
    assert result.gap == max(0.0, result.best_open_bound - result.threshold)
    assert list(result.values) == sorted(result.values, reverse=True)


@pytest.mark.parametrize("limit", [-0.1, 1.01, np.nan, True, "0.5"])
def test_an_invalid_max_correlation_is_refused(limit):
    message = f"max_correlation must be a number from 0 to 1, or None, but is {limit!r}."
    with pytest.raises(InputError, match=re.escape(message)):
        mine_subgraphs(X, Y, max_correlation=limit)


def test_message_and_parameters():
    result = mine_subgraphs(X, Y, n_subgraphs=2, min_expected_frequency=0.3, max_correlation=0.55)
    assert result.subgraphs == [(0, 1), (0,)]
    assert result.parameters["max_correlation"] == 0.55
    assert result.message == (
        "Proven: going down the 3 best admitted connected subgraphs, the 2 listed are those that do not "
        "correlate above 0.55 with an earlier one."
    )
    assert (result.success, result.gap, result.best_open_bound) == (True, 0, -np.inf)
    assert result.threshold == result.values[-1]


def test_max_correlation_of_one_leaves_nothing_out():
    twice = np.repeat(X[:, :1], 3, axis=1)
    plain = mine_subgraphs(twice, Y, n_subgraphs=6, **RARE)
    thinned = mine_subgraphs(twice, Y, n_subgraphs=6, max_correlation=1, **RARE)
    assert (thinned.subgraphs, thinned.message) == (plain.subgraphs, plain.message)
    with pytest.warns(FewerSubgraphsWarning, match="only 7 are admitted; all are returned"):
        mine_subgraphs(twice, Y, n_subgraphs=9, max_correlation=1, **RARE)


def test_copies_are_kept_once_and_so_are_constants_which_correlate_with_nothing_else():
    copies = np.column_stack([X[:, 0], X[:, 0], X[:, 1]])
    with pytest.warns(FewerSubgraphsWarning, match=r"only 2 can be kept without a correlation above 0\.9999"):
        result = mine_subgraphs(copies, Y, max_edges=1, max_correlation=0.9999, **RARE)
    assert result.subgraphs == [(2,), (0,)]
    assert result.threshold == -np.inf
    some = np.column_stack([[0.9, 0.8, 0.2, 0.1], [0.7] * 4, [0.5] * 4])
    with pytest.warns(FewerSubgraphsWarning):
        result = mine_subgraphs(some, Y, max_edges=1, max_correlation=0, **RARE)
    assert sorted(result.subgraphs) == [(0,), (2,)]


def test_constant_but_for_rounding_is_constant():
    """(0.1 * 0.2) * 0.3 and (0.2 * 0.3) * 0.1 differ in their last bits; which graph has which is noise."""
    p = np.array([[0.1, 0.2, 0.3, 0.5], [0.3, 0.2, 0.1, 0.5], [0.2, 0.3, 0.1, 0.5], [0.1, 0.3, 0.2, 0.5]])
    assert len(set(p[:, :3].prod(axis=1))) > 1
    path = [(0, 1), (1, 2), (2, 3), (3, 4)]
    with pytest.warns(FewerSubgraphsWarning):
        result = mine_subgraphs(p, Y, edges=path, max_correlation=0.999, min_expected_frequency=0)
    assert len({(3,), (0, 1, 2), (0, 1, 2, 3)} & set(result.subgraphs)) == 1


def test_rounds_share_the_node_limit_and_report_their_sums(hiv, best, monkeypatch):
    monkeypatch.setattr(diversity, "_FIRST", 1)
    monkeypatch.setattr("dugraph.search.limits._PAUSE", 0.0)
    seen = []
    whole = mine_subgraphs(*hiv, **SETTINGS, progress=seen.append)
    assert whole.subgraphs == best.subgraphs
    assert whole.n_visited > best.n_visited  # several rounds, all counted
    for name in ("n_visited", "seconds"):
        numbers = [now[name] for now in seen]
        assert numbers == sorted(numbers)
        assert numbers[-1] <= getattr(whole, name)
    for share in (0.01, 0.1, 0.4, 0.7, 0.95):
        limit = max(1, int(share * whole.n_visited))
        with pytest.warns(LimitReachedWarning, match="The node limit was reached"):
            result = mine_within(limit, *hiv, **SETTINGS)
        assert result.status is Status.NODE_LIMIT
        assert limit <= result.n_visited <= limit + 10_000
        assert_beginning_is_right(result, best)


def test_time_limit(hiv):
    settings = {**SETTINGS, "max_correlation": 0.01, "bound": "frequency", "min_expected_frequency": 0.4}
    with pytest.warns(LimitReachedWarning, match="The time limit was reached"):
        result = mine_subgraphs(*hiv, score="g_test", **settings, time_limit=0.5)
    assert result.status is Status.TIME_LIMIT
    assert result.seconds >= 0.5


def test_memory_ends_the_rounds(hiv, best, monkeypatch):
    monkeypatch.setattr(diversity, "longest_list", lambda: 45)
    message = "The ranking is too long for memory: the .* are the best so"
    with pytest.warns(LimitReachedWarning, match=message):
        result = mine_subgraphs(*hiv, **SETTINGS)
    assert result.status is Status.MEMORY_LIMIT
    assert 0 < len(result) < 20
    assert_beginning_is_right(result, best)


def test_an_interrupt_while_thinning(hiv, best, monkeypatch):
    exact, calls = diversity._standardised_exactly, []

    def press(x):
        calls.append(1)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return exact(x)

    monkeypatch.setattr(diversity, "_standardised_exactly", press)
    with pytest.raises(SearchInterrupted, match=r"^The search was interrupted: ") as raised:
        mine_subgraphs(*hiv, **SETTINGS)
    result = raised.value.result
    assert result.status is Status.INTERRUPTED
    assert 5 <= len(result) <= 10
    assert_beginning_is_right(result, best)


def test_the_time_limit_holds_while_thinning(hiv, best, monkeypatch):
    """Time is up after the first batch."""
    monkeypatch.setattr(diversity, "_BATCH", 5)
    read = diversity.Thinner.read
    monkeypatch.setattr(diversity.Thinner, "read", lambda self, listing, _: read(self, listing, -math.inf))
    with pytest.warns(LimitReachedWarning, match="The time limit was reached"):
        result = mine_subgraphs(*hiv, **SETTINGS, time_limit=1000)
    assert result.status is Status.TIME_LIMIT
    assert result.parameters["n_subgraphs"] > 5 >= len(result) > 0
    assert_beginning_is_right(result, best)
