"""How a search behaves: statuses, warnings, limits, progress, errors, views."""

import math
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from dugraph import mine_subgraphs, simulate
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning, SearchInterrupted
from dugraph.probability import measure_subgraph
from dugraph.search import Status, limits
from dugraph.search.mining import mine_within
from dugraph.search.progress import StatusLine, progress_line, progress_reporter

X = np.array([[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]])
Y = [1, 1, 0, 0]

# Twenty seconds with pruning by frequency only, milliseconds with all bounds: a long search of known answer.
LONG = {"score": "g_test", "measure": "expectation", "min_expected_frequency": 0.4}


@pytest.fixture(scope="module")
def hiv():
    graphs, y, _ = simulate("hiv", random_state=0)
    return graphs, y


@pytest.fixture(scope="module")
def best(hiv):
    return mine_subgraphs(*hiv, **LONG)


def assert_valid_but_unproven(result, best, hiv):
    assert not result.success
    assert list(result.values) == sorted(result.values, reverse=True)
    assert len(set(result.subgraphs)) == len(result)
    for g, value in list(zip(result.subgraphs, result.values, strict=True))[:5]:
        assert value == pytest.approx(measure_subgraph(*hiv, g, score="g_test"), rel=1e-12)
    if len(result) == 100:
        assert result.threshold == result.values[-1]
    missed = [v for g, v in zip(best.subgraphs, best.values, strict=True) if g not in set(result.subgraphs)]
    # Every subgraph of the true list is listed, or is open and within the bound.
    assert not missed or result.best_open_bound >= max(missed)
    assert result.gap == max(0.0, result.best_open_bound - result.threshold)
    assert not missed or result.gap >= max(missed) - result.threshold


def test_optimal():
    result = mine_subgraphs(X, Y, n_subgraphs=2, min_expected_frequency=0.3)
    assert result.status is Status.OPTIMAL
    assert result.success
    assert result.subgraphs == [(0, 1), (1,)]
    assert result.gap == 0
    assert result.best_open_bound == -np.inf
    assert result.message == "Proven: no other admitted connected subgraph is better than the 2 listed."
    assert result.threshold == result.values[-1]
    assert 0 <= result.setup_seconds <= result.seconds
    assert result.n_visited >= 3
    assert result.parameters["bound"] == "mass"


def test_fewer_subgraphs_than_requested():
    with pytest.warns(FewerSubgraphsWarning, match="100 subgraphs were requested, but only 3 are admitted"):
        result = mine_subgraphs(X, Y, min_expected_frequency=0.3)
    assert result.success
    assert len(result) == 3
    assert result.threshold == -np.inf


@pytest.mark.parametrize("limit", [0.676, 0.9, 0.999])
def test_none_admitted(limit):
    with pytest.raises(InputError, match=r"No subgraph.*= 0\.\d+; the most frequent edge has 0\.675\. Lower"):
        mine_subgraphs(X, Y, min_expected_frequency=limit)


def test_the_admission_limit_is_strict():
    half = [[0.5], [0.5], [0.5]]
    with pytest.raises(InputError, match=r"the most frequent edge has 0\.5"):
        mine_subgraphs(half, [1, 1, 0], min_expected_frequency=0.5)
    assert len(mine_subgraphs(half, [1, 1, 0], min_expected_frequency=0.5 - 1e-9, n_subgraphs=1)) == 1


def test_max_edges_restricts_the_problem(hiv):
    result = mine_subgraphs(*hiv, **LONG, max_edges=1, n_subgraphs=20)
    assert result.success
    assert {len(g) for g in result.subgraphs} == {1}
    frequent = np.flatnonzero(hiv[0].edge_probability.mean(axis=0) > 0.4)
    values = sorted((measure_subgraph(*hiv, (e,), score="g_test") for e in frequent.tolist()), reverse=True)
    np.testing.assert_allclose(result.values, values[:20], rtol=1e-12)


@pytest.mark.parametrize("bound", ["frequency", "worldwise", "mass"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_node_limit(hiv, best, bound, n_jobs):
    with pytest.warns(LimitReachedWarning, match="The node limit was reached: the 100 subgraphs listed"):
        result = mine_within(20_000, *hiv, **LONG, bound=bound, n_jobs=n_jobs)
    assert result.status is Status.NODE_LIMIT
    assert 20_000 <= result.n_visited < 30_000
    assert_valid_but_unproven(result, best, hiv)


@pytest.mark.parametrize("bound", ["frequency", "worldwise"])
def test_time_limit(hiv, best, bound):
    with pytest.warns(LimitReachedWarning, match="The time limit was reached"):
        result = mine_subgraphs(*hiv, **LONG, time_limit=0.2, bound=bound, n_jobs=2)
    assert result.status is Status.TIME_LIMIT
    assert_valid_but_unproven(result, best, hiv)


def test_a_time_limit_before_the_first_subgraph(hiv, best):
    with pytest.warns(LimitReachedWarning):
        result = mine_subgraphs(*hiv, **LONG, bound="frequency", time_limit=1e-9)
    assert result.status is Status.TIME_LIMIT
    assert_valid_but_unproven(result, best, hiv)


def test_limits_that_are_not_reached(best, hiv):
    result = mine_within(10**15, *hiv, **LONG, time_limit=1000, n_jobs=-1)
    assert result.success
    assert result.subgraphs == best.subgraphs
    assert mine_subgraphs(*hiv, **LONG, n_jobs=None).values.tobytes() == best.values.tobytes()


def interrupted(graphs, n_reports=1, **settings):
    """The partial result of a search that is interrupted at its n-th report."""
    reports = []

    def press(now):
        reports.append(now)
        if len(reports) == n_reports:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        mine_subgraphs(*graphs, **settings, progress=press)
    assert isinstance(raised.value, SearchInterrupted)
    assert len(reports) == n_reports
    assert raised.value.result.status is Status.INTERRUPTED
    return raised.value.result


@pytest.mark.parametrize("bound", ["frequency", "worldwise"])
@pytest.mark.parametrize(("n_reports", "n_jobs"), [(1, 1), (2, 2), (3, 4)])
def test_an_interrupt_raises_the_best_so_far(hiv, best, bound, n_reports, n_jobs):
    result = interrupted(hiv, n_reports, **LONG, bound=bound, n_jobs=n_jobs)
    listed = f"the {len(result)} subgraphs listed are the best"
    assert result.message.startswith(f"The search was interrupted: {listed}")
    assert_valid_but_unproven(result, best, hiv)


@pytest.mark.parametrize("measure", ["median", "mode", "phi_probability"])
def test_other_measures_are_interrupted(hiv, measure):
    settings = {"score": "g_test", "measure": measure, "phi": 20.0, "min_expected_frequency": 0.35}
    assert interrupted(hiv, **settings, bound="frequency").gap > 0


def test_an_interrupt_ends_a_search_that_was_complete(monkeypatch):
    """The last report comes when all subgraphs have been seen; ignoring it would keep a loop running."""
    monkeypatch.setattr("dugraph.search.progress._PAUSE", 0.0)

    def press(_):
        raise KeyboardInterrupt

    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            mine_subgraphs(X, Y, n_subgraphs=1, progress=press)


def test_an_interrupt_ends_all_searches_of_one_against_the_rest(hiv):
    groups = np.array(["a", "b", "c"])[np.arange(len(hiv[1])) % 3]
    result = interrupted((hiv[0], groups), **LONG, bound="frequency", multi_class="ovr")
    assert set(result.contrasts or []) == {"a against the rest"}
    assert result.best_open_bound == math.inf


def test_progress_function(hiv, monkeypatch):
    seen = []

    def watch(now):
        seen.append(now)
        if len(seen) >= 4 and now["n_visited"]:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted):
        mine_subgraphs(*hiv, **LONG, bound="frequency", progress=watch)
    assert set(seen[0]) > {"n_visited", "n_evaluated", "threshold", "best_open_bound", "seconds"}
    visited = [now["n_visited"] for now in seen]
    assert visited == sorted(visited)
    assert visited[-1] > 0
    assert "admitted" in progress_line(seen[-1])


def test_progress_is_reported_ten_times_a_second(monkeypatch):
    clock = iter([0.0, 0.0, 0.02, 0.09, 0.11, 0.11, 0.2, 0.22, 0.22])
    monkeypatch.setattr("dugraph.search.progress.time", SimpleNamespace(monotonic=lambda: next(clock)))
    seen = []
    with progress_reporter(seen.append) as report:
        assert report is not None
        for number in range(6):
            report({"n": number})
    assert [now["n"] for now in seen] == [0, 3, 5]


def test_an_exception_in_the_progress_function_ends_the_search(hiv):
    calls = []

    def fail(_):
        calls.append(1)
        raise RuntimeError("no room on the screen")

    with pytest.raises(RuntimeError, match="no room on the screen"):
        mine_subgraphs(*hiv, **LONG, bound="frequency", n_jobs=2, progress=fail)
    assert len(calls) == 1


@pytest.mark.system
def test_more_threads_than_the_system_allows():
    """More threads than the machine can start: an error or fewer threads, never the end of the process."""
    program = (
        "import resource, dugraph\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 * 2**29,) * 2)\n"
        "try: dugraph.mine_subgraphs([[0.9], [0.8], [0.3]], [1, 1, 0], n_subgraphs=1, n_jobs=400)\n"
        "except Exception: pass\n"
        "print('alive')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "alive\n", done.stderr


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_goes_to_stderr_with_control_codes_only_on_terminals(hiv, terminal, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # which must not turn a file into a terminal
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    show = StatusLine.show

    def show_and_press(self, text, seconds, last=False):
        show(self, text, seconds, last)
        raise KeyboardInterrupt  # after one line

    monkeypatch.setattr(StatusLine, "show", show_and_press)
    with pytest.raises(SearchInterrupted):
        mine_subgraphs(*hiv, **LONG, bound="frequency", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "admitted" in err
    assert ("\x1b" in err or "\r" in err) is terminal
    assert terminal or err.endswith(" s\n")
    mine_subgraphs(X, Y, n_subgraphs=1, progress=False)
    assert capsys.readouterr() == ("", "")


def test_memory_is_checked_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 4096)
    with pytest.raises(
        InputError,
        match=r"needs about 0\.0 GiB for 4 graphs with 2 admitted edges on 2 threads.*Raise min_exp",
    ):
        mine_subgraphs(X, Y, n_jobs=2)
    monkeypatch.setattr(limits, "available_memory", lambda: 2**36)
    with pytest.raises(
        InputError, match=r"GiB for 100000 graphs with 1000000 admitted edges.*64\.0 GiB is available"
    ):
        limits.refuse_beyond_memory(100_000, 1_000_000, 50_000, 8)
    with pytest.raises(
        InputError, match=r'Most of it is the table of the score.*score="hsic" and measure="expectation"'
    ):
        limits.refuse_beyond_memory(100_000, 10, 50_000, 1)
    assert limits.memory_needed(50, 4005, 25, 1) < 2**24
