"""Duals of the losses, and the status OPTIMAL: the duality gap is within the tolerance."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dugraph import SparseSubgraphClassifier, save_cohort
from dugraph.cli import main
from dugraph.data import UncertainGraphs
from dugraph.exceptions import LimitReachedWarning
from dugraph.search import Status
from dugraph.sparse import sparse_path
from dugraph.sparse.losses import Logistic, Squared, SquaredHinge
from dugraph.words import LOSSES

RNG = np.random.default_rng(4)
Y = np.tile([0, 0, 1], 10)
X = RNG.uniform(0.2, 0.8, (30, 10))
X[Y == 1, :2] += 0.15


def null_loss(loss: str) -> float:
    """The loss of the best intercept alone, in closed form."""
    p = Y.mean()
    return -p * math.log(p) - (1 - p) * math.log(1 - p) if loss == "logistic" else 4 * p * (1 - p)


@pytest.mark.parametrize("kind", [Logistic, SquaredHinge, Squared])
@pytest.mark.parametrize("weight", [1.0, 0.3, 7.0])
def test_the_dual_is_the_minimum_of_loss_plus_slope_times_decision(kind, weight):
    loss = kind(np.ones(1), np.full(1, weight))
    for slope in weight * np.array([0.0, 1e-3, 0.1, 0.5, 0.9, 0.999]):
        least = minimize_scalar(lambda m, u=slope: loss.value(np.array([m])) + u * m, (-1, 1), tol=1e-12).fun
        assert loss.dual(np.array([slope])) == pytest.approx(least, abs=1e-6)
    margins = np.linspace(-6, 0.99, 40)
    many = kind(np.ones(40), np.full(40, weight))
    for margin in margins[:, np.newaxis]:
        slope = loss.slope(margin)
        touching = loss.value(margin) + float(slope[0] * margin[0])
        assert loss.dual(slope) == pytest.approx(touching, rel=1e-12)
    assert many.dual(many.slope(margins)) == pytest.approx(
        np.mean([loss.dual(loss.slope(margins[k : k + 1])) for k in range(40)])
    )


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8, 1e-11])
@pytest.mark.parametrize("loss", LOSSES)
def test_optimal_means_a_gap_within_the_tolerance(loss, tol):
    path = sparse_path(X, Y, loss=loss, min_expected_frequency=0.1, n_alphas=12, tol=tol)
    assert len(path) == 12
    for model in path:
        assert model.status is Status.OPTIMAL
        assert 0 <= model.duality_gap <= tol * null_loss(loss)


def test_a_gap_above_the_tolerance_is_not_optimal(monkeypatch, tmp_path, capsys):
    """With a dual that is too low, the pool stops growing while the gap is large."""
    dual = SquaredHinge.dual
    monkeypatch.setattr(SquaredHinge, "dual", lambda self, slope: dual(self, slope) - 0.25)
    with pytest.warns(
        LimitReachedWarning,
        match=r"^tol is below rounding error at the penalty 0\.05: its model is valid, but another one may "
        r"have an objective lower by up to 0\.25\.$",
    ):
        path = sparse_path(X, Y, loss="squared_hinge", alphas=[0.05, 0.02], min_expected_frequency=0.1)
    # The fit itself is optimal, so the path goes on.
    assert [model.status for model in path] == [Status.PRECISION_LIMIT] * 2
    assert all(model.duality_gap > 0.2 for model in path)
    with pytest.warns(LimitReachedWarning, match="tol is below rounding error"):
        fitted = SparseSubgraphClassifier(alpha=0.05, loss="squared_hinge").fit(X, Y)
    assert fitted.finished_
    save_cohort(tmp_path / "c.npz", UncertainGraphs(X), Y)
    asked = ["sparse", str(tmp_path / "c.npz"), "--alpha", "0.05", "--loss", "squared_hinge"]
    assert main(asked) == 3
    shown = capsys.readouterr()
    assert "PRECISION_LIMIT in " in shown.out
    assert "dugraph: tol is below rounding error: the model is valid, but another one over the" in shown.err


@pytest.mark.parametrize("loss", LOSSES)
def test_an_unreachable_tolerance_gives_precision_limit(loss):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitReachedWarning)
        path = sparse_path(X, Y, loss=loss, min_expected_frequency=0.1, n_alphas=12, tol=1e-17)
    assert len(path) == 12
    for model in path:
        assert (model.status is Status.OPTIMAL) == (model.duality_gap <= 1e-17 * null_loss(loss))
        assert model.duality_gap < 1e-10
    assert any(model.status is Status.PRECISION_LIMIT for model in path)
