"""Sparse fits that stop early: interrupts, time limits, invalid folds and types."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dugraph import InputError, SparseSubgraphClassifier
from dugraph.estimators import load_model
from dugraph.exceptions import LimitReachedWarning
from dugraph.search import Status
from dugraph.search.problem import Gains, GainSearch
from dugraph.sparse import column_generation, losses, path, sparse_path
from dugraph.sparse.column_generation import PathFinder
from dugraph.sparse.losses import Fit, Problem, check_loss

RNG = np.random.default_rng(3)
Y = np.tile([0, 1], 15)
X = RNG.uniform(0.2, 0.8, (30, 10))
X[Y == 1, :2] += 0.15


@pytest.fixture
def interrupt_after(monkeypatch: pytest.MonkeyPatch):
    """Interrupt every search after the first n; returns the list of searches."""
    find, searches = GainSearch.find, []

    def interrupt(n):
        def interrupted(self, *arguments):
            gains = find(self, *arguments)
            searches.append(gains)
            status = Status.INTERRUPTED if len(searches) > n else gains.status
            return Gains(gains.subgraphs, gains.values, gains.most, status, gains.n_visited)

        monkeypatch.setattr(GainSearch, "find", interrupted)
        return searches

    return interrupt


@pytest.mark.parametrize("parameters", [{"alpha": 0.001}, {"alpha": None, "n_nonzero": 5}, {"alpha": "cv"}])
def test_an_interrupted_fit_raises_and_stays_unfitted(parameters, interrupt_after):
    interrupt_after(0)
    model = SparseSubgraphClassifier(**parameters)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert not hasattr(model, "subgraphs_")


@pytest.mark.parametrize("n", range(4))
def test_an_interrupt_of_any_search_is_raised(interrupt_after, n: int):
    """Even if the gap is within the tolerance already: the last search only proves it."""
    searches = interrupt_after(n)
    with pytest.raises(KeyboardInterrupt):
        sparse_path(X, Y, n_alphas=5, min_expected_frequency=0.1)
    assert len(searches) == n + 1


def test_the_path_stops_if_its_largest_penalty_is_only_a_bound(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(PathFinder, "_largest_gain", lambda _: (5.0, False))
    with pytest.warns(LimitReachedWarning, match="smaller penalties or the folds of cv were not all tried"):
        path = sparse_path(X, Y, min_expected_frequency=0.1)
    assert [(model.alpha, len(model.coef)) for model in path] == [(5.0, 0)]
    with pytest.warns(LimitReachedWarning):
        model = SparseSubgraphClassifier(alpha=None, n_nonzero=3).fit(X, Y)
    assert not model.finished_


def test_a_given_penalty_needs_no_search_for_the_largest(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(PathFinder, "_largest_gain", None)
    assert SparseSubgraphClassifier(alpha=0.02).fit(X, Y).model_.status is Status.OPTIMAL
    assert len(sparse_path(X, Y, alphas=[0.05, 0.02])) == 2


def test_refits_respect_the_time_limit(monkeypatch: pytest.MonkeyPatch):
    """Each Newton step takes a tenth of a second; the one in which time runs out is the last."""
    newton, steps = Problem._newton_step, []

    def slow(self, columns, fit, alpha, precision):
        if columns.shape[1]:
            steps.append(0.1)
        return newton(self, columns, fit, alpha, precision)

    monkeypatch.setattr(Problem, "_newton_step", slow)
    clock = SimpleNamespace(monotonic=lambda: sum(steps))
    for module in (column_generation, losses, path):
        monkeypatch.setattr(module, "time", clock)
    with pytest.warns(LimitReachedWarning):
        (model,) = sparse_path(X, Y, alphas=[1e-5], min_expected_frequency=0.01, tol=1e-9, time_limit=0.35)
    assert model.status is Status.TIME_LIMIT
    assert len(steps) == 4
    monkeypatch.undo()
    (best,) = sparse_path(X, Y, alphas=[1e-3], min_expected_frequency=0.01, tol=1e-9)
    with pytest.warns(LimitReachedWarning):
        (stopped,) = sparse_path(X, Y, alphas=[1e-3], min_expected_frequency=0.01, tol=1e-9, time_limit=1e-6)
    assert stopped.objective - stopped.duality_gap <= best.objective <= stopped.objective
    assert stopped.duality_gap > 0


def test_no_step_is_made_after_the_deadline():
    problem = Problem(check_loss("logistic")(np.where(Y == 1, 1.0, -1.0), np.ones(30)), np.ones((30, 1)))
    start = Fit(np.zeros(10), np.zeros(1), np.zeros(30))
    assert problem.refit(X, start, 0.01, 1e-9, deadline=-math.inf) is start
    assert problem.refit(X, start, 0.01, 1e-9) is not start


def test_invalid_folds_are_refused(tmp_path):
    model = SparseSubgraphClassifier(n_alphas=3)
    for cv, message in (
        ([], r"cv must give folds with graphs to train on and graphs to test, but is \[\]"),
        ([([0, 1, 99], [2])], "cv must be able to split these graphs: index 99"),
        ([([0, 1], [])], "cv must give folds with graphs"),
        ([([0, 2, 4], [1])], "the smaller class has 15 graphs"),
    ):
        with pytest.raises(InputError, match=message):
            model.set_params(cv=cv).fit(X, Y)
    lonely = np.where(np.arange(30)[:, None] < 15, X, 0.0)
    model.set_params(cv=[(np.arange(15, 30), np.arange(15))])
    with pytest.raises(InputError, match=r"training graphs of fold 1 of cv: No subgraph is admitted"):
        model.fit(lonely, Y)
    model.set_params(cv=np.int64(2)).fit(X, Y).to_json(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").cv == 2


def test_types_of_parameters_and_labels():
    model = SparseSubgraphClassifier(alpha=np.float32(0.02), tol=np.float32(1e-4))
    assert model.fit(X, Y.astype(object)).classes_.tolist() == [0, 1]
    for y in (Y.astype("S1"), [b"a", b"b"] * 15):
        with pytest.raises(InputError, match="y must hold text, numbers"):
            model.fit(X, y)
    for limit in ("0.2", None, True):
        with pytest.raises(InputError, match="min_expected_frequency must be a number of at least 0"):
            model.set_params(min_expected_frequency=limit).fit(X, Y)


def test_single_edges_are_admitted_however_rare():
    rare = np.zeros((40, 3))
    rare[:6, 0] = 0.3
    y = np.arange(40) < 6
    (model,) = sparse_path(rare, y, alphas=[0.001], min_expected_frequency=0.9)
    assert model.subgraphs == [(0,)]
    assert model.status is Status.OPTIMAL
    with pytest.raises(InputError, match="1e-12 or less counts as absent"):
        sparse_path(np.full((4, 3), 1e-13), [0, 1, 0, 1])
