"""How a search behaves: statuses, warnings, limits, progress, interrupts."""

import math
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from dugraph import RandomSplits, SparseSubgraphClassifier, evaluate, mine_subgraphs, significant_subgraphs
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning, SearchInterrupted
from dugraph.probability import measure_subgraph
from dugraph.search import Status, limits
from dugraph.search.limits import StatusLine, clear_line, progress_line, progress_reporter
from dugraph.search.mining import mine_within

X = np.array([[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]])
Y = [1, 1, 0, 0]

# Twenty seconds with pruning by frequency only, milliseconds with all bounds: a long search of known answer.
LONG = {"score": "g_test", "measure": "expectation", "min_expected_frequency": 0.4}


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
    assert (result.status, result.success, result.gap) == (Status.OPTIMAL, True, 0)
    assert result.subgraphs == [(0, 1), (1,)]
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


def test_the_admission_limit_is_strict():
    half = [[0.5], [0.5], [0.5]]
    with pytest.raises(InputError, match=r"No subgraph.*= 0\.5; the most frequent edge has 0\.5\. Lower"):
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


@pytest.mark.parametrize(("bound", "seconds"), [("frequency", 0.2), ("worldwise", 0.2), ("frequency", 1e-9)])
def test_time_limit(hiv, best, bound, seconds):
    with pytest.warns(LimitReachedWarning, match="The time limit was reached"):
        result = mine_subgraphs(*hiv, **LONG, time_limit=seconds, bound=bound, n_jobs=2)
    assert result.status is Status.TIME_LIMIT
    assert_valid_but_unproven(result, best, hiv)


def test_limits_that_are_not_reached(best, hiv):
    result = mine_within(10**15, *hiv, **LONG, time_limit=1000, n_jobs=-1)
    assert result.success
    assert result.subgraphs == best.subgraphs
    assert mine_subgraphs(*hiv, **LONG, n_jobs=None).values.tobytes() == best.values.tobytes()


def interrupted(graphs, n_reports=1, **settings):
    """The partial result of a search that is interrupted at its n-th report, and the reports."""
    reports = []

    def press(now):
        reports.append(now)
        if len(reports) >= n_reports and now["n_visited"]:
            raise KeyboardInterrupt

    with pytest.raises(SearchInterrupted) as raised:
        mine_subgraphs(*graphs, **settings, progress=press)
    assert raised.value.result.status is Status.INTERRUPTED
    return raised.value.result, reports


@pytest.mark.parametrize("bound", ["frequency", "worldwise"])
@pytest.mark.parametrize(("n_reports", "n_jobs"), [(1, 1), (2, 2), (3, 4)])
def test_an_interrupt_raises_the_best_so_far(hiv, best, bound, n_reports, n_jobs):
    result, reports = interrupted(hiv, n_reports, **LONG, bound=bound, n_jobs=n_jobs)
    listed = f"the {len(result)} subgraphs listed are the best"
    assert result.message.startswith(f"The search was interrupted: {listed}")
    assert_valid_but_unproven(result, best, hiv)
    assert set(reports[0]) > {"n_visited", "n_evaluated", "threshold", "best_open_bound", "seconds"}
    visited = [now["n_visited"] for now in reports]
    assert visited == sorted(visited)


@pytest.mark.parametrize("measure", ["median", "mode", "phi_probability"])
def test_other_measures_are_interrupted(hiv, measure):
    settings = {"score": "g_test", "measure": measure, "phi": 20.0, "min_expected_frequency": 0.35}
    assert interrupted(hiv, **settings, bound="frequency")[0].gap > 0


def test_an_interrupt_ends_a_search_that_was_complete(monkeypatch):
    """The last report comes when all subgraphs have been seen; ignoring it would keep a loop running."""
    monkeypatch.setattr("dugraph.search.limits._PAUSE", 0.0)

    def press(_):
        raise KeyboardInterrupt

    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            mine_subgraphs(X, Y, n_subgraphs=1, progress=press)


def test_an_interrupt_ends_all_searches_of_one_against_the_rest(hiv):
    groups = np.array(["a", "b", "c"])[np.arange(len(hiv[1])) % 3]
    result, _ = interrupted((hiv[0], groups), **LONG, bound="frequency", multi_class="ovr")
    assert set(result.contrasts or []) == {"a against the rest"}
    assert result.best_open_bound == math.inf


def test_progress_is_reported_ten_times_a_second(monkeypatch):
    clock = iter([0.0, 0.0, 0.02, 0.09, 0.11, 0.11, 0.2, 0.22, 0.22])
    monkeypatch.setattr("dugraph.search.limits.time", SimpleNamespace(monotonic=lambda: next(clock)))
    seen = []
    with progress_reporter(seen.append) as report:
        for number in range(6):
            report({"n": number})
    assert [now["n"] for now in seen] == [0, 3, 5]


def test_progress_line_before_the_first_threshold():
    now = {
        "n_visited": 0,
        "n_evaluated": 0,
        "seconds": 0.0,
        "threshold": -math.inf,
        "best_open_bound": math.inf,
    }
    assert progress_line(now) == "0 admitted (0/s), 0 evaluated, threshold ?, gap ?, 0.0 s"


def test_an_exception_in_the_progress_function_ends_the_search(hiv):
    calls = []

    def fail(_):
        calls.append(1)
        raise RuntimeError("no room on the screen")

    with pytest.raises(RuntimeError, match="no room on the screen"):
        mine_subgraphs(*hiv, **LONG, bound="frequency", n_jobs=2, progress=fail)
    assert len(calls) == 1


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_goes_to_stderr_with_control_codes_only_on_terminals(hiv, terminal, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # which must not turn a file into a terminal
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    show = StatusLine.show

    def show_and_press(self, text, seconds, last=False):
        show(self, text, seconds, last)
        raise KeyboardInterrupt  # after one line

    with monkeypatch.context() as patch:
        patch.setattr(StatusLine, "show", show_and_press)
        with pytest.raises(SearchInterrupted):
            mine_subgraphs(*hiv, **LONG, bound="frequency", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "admitted" in err
    assert ("\x1b" in err or "\r" in err) is terminal
    assert terminal or err.endswith(" s\n")
    line = StatusLine()  # in a file, a line every ten seconds and the last one
    for seconds in (0.0, 0.1, 9.9, 10.0, 15.0):
        line.show(f"at {seconds}", seconds)
    line.show("end", 16.0, last=True)
    clear_line()
    renewed = [f"\r\x1b[Kat {seconds}" for seconds in (0.0, 0.1, 9.9, 10.0, 15.0)]
    shown = "".join([*renewed, "\r\x1b[Kend\n\r\x1b[K"]) if terminal else "at 0.0\nat 10.0\nend\n"
    assert capsys.readouterr().err == shown
    mine_subgraphs(X, Y, n_subgraphs=1, progress=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "work",
    [
        lambda X, y: significant_subgraphs(X, y, n_permutations=99, progress=True),
        lambda X, y: SparseSubgraphClassifier(alpha=0.1, progress=True).fit(X, y),
        lambda X, y: evaluate(X, y, ["all-edges"], n_subgraphs=[2], cv=RandomSplits(3), progress=True),
    ],
    ids=["test", "sparse", "evaluate"],
)
def test_nothing_that_shows_progress_writes_control_codes_into_a_file(work, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    work(np.random.default_rng(0).uniform(0.3, 1, (20, 6)), np.arange(20) % 2)
    assert not {"\x1b", "\r"} & set(capsys.readouterr().err)


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


def test_memory_is_checked_before_anything_is_computed(monkeypatch):
    few = r"needs about 0\.0 GiB for 4 graphs with 2 admitted edges on 2 threads.*Raise min_exp"
    many = r"GiB for 100000 graphs with 1000000 admitted edges.*64\.0 GiB is available"
    table = r'Most of it is the table of the score.*score="hsic" and measure="expectation"'
    monkeypatch.setattr(limits, "available_memory", lambda: 4096)
    with pytest.raises(InputError, match=few):
        mine_subgraphs(X, Y, n_jobs=2)
    monkeypatch.setattr(limits, "available_memory", lambda: 2**36)
    for arguments, message in (((100_000, 1_000_000, 50_000, 8), many), ((100_000, 10, 50_000, 1), table)):
        with pytest.raises(InputError, match=message):
            limits.refuse_beyond_memory(*arguments)
    assert limits.memory_needed(50, 4005, 25, 1) < 2**24
