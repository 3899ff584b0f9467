"""Sparse regression, and covariates in all sparse models, against a solver that gets every subgraph."""

import os

import numpy as np
import pytest
from scipy.special import expit
from sparse_cohorts import LIMIT, all_columns, random_cohort

from dugraph import sparse_path
from dugraph.search import Status

N_COHORTS = 500 if os.environ.get("DUGRAPH_SOAK") else 12


def coordinate_descent(
    columns: np.ndarray, y: np.ndarray, free: np.ndarray, alpha: float
) -> tuple[float, np.ndarray]:
    """The lasso by its textbook: one coordinate after the other, columns without a penalty by least squares.

    Returns the objective and what is forecast.
    """
    n, k = columns.shape
    offset, beta, said = y.mean(), np.zeros(k), np.zeros(n)
    y = y - offset  # the intercept is free, and rounding does not drown what varies
    projector = free @ np.linalg.pinv(free)
    inside = columns - projector @ columns
    rest, squares = y - projector @ y, (inside**2).sum(axis=0)
    for _ in range(20_000):
        largest = 0.0
        for j in np.flatnonzero(squares > 1e-12):
            pull = inside[:, j] @ (rest - said) + squares[j] * beta[j]
            new = np.sign(pull) * max(abs(pull) - n * alpha, 0.0) / squares[j]
            said += inside[:, j] * (new - beta[j])
            largest = max(largest, abs(new - beta[j]))
            beta[j] = new
        if largest < 1e-13:
            break
    # On the columns in use the optimum solves linear equations: what many steps come close to, to the end.
    used = np.flatnonzero(beta)
    pull = inside[:, used].T @ rest - n * alpha * np.sign(beta[used])
    exact = np.linalg.lstsq(inside[:, used].T @ inside[:, used], pull, rcond=1e-13)[0]
    if (np.sign(exact) == np.sign(beta[used])).all():
        beta[used] = exact
    forecast = projector @ (y - columns @ beta) + columns @ beta
    return ((y - forecast) ** 2).sum() / 2 / n + alpha * np.abs(beta).sum(), forecast + offset


def random_phenotype(random: np.random.Generator, X: np.ndarray) -> np.ndarray:
    scale, offset = 10.0 ** random.integers(-3, 4), 10.0 ** random.integers(-1, 3)
    return scale * (X[:, :2].prod(axis=1) + 0.3 * random.normal(size=len(X))) + offset


def random_covariates(random: np.random.Generator, n: int) -> np.ndarray | None:
    if random.random() < 0.4:
        return None
    numbers = random.normal(size=(n, int(random.integers(1, 3)))) * 100.0
    if random.random() < 0.3:  # one that says the same again, and one that does not vary
        numbers = np.column_stack([numbers, 1.0 - 2.0 * numbers[:, 0], np.full(n, 7.0)])
    return numbers


def with_intercept(n: int, covariates: np.ndarray | None) -> np.ndarray:
    return np.column_stack([np.ones(n), *([] if covariates is None else [covariates])])


@pytest.mark.parametrize("part", range(5))
def test_no_regression_over_all_subgraphs_is_better(part: int):
    adjusted = 0
    for seed in range(part, N_COHORTS, 5):
        random = np.random.default_rng(seed)
        graphs, _ = random_cohort(random)
        X = graphs.edge_probability
        y, covariates = random_phenotype(random, X), random_covariates(random, len(X))
        if len(X) < 8:
            covariates = None
        adjusted += covariates is not None
        subgraphs, columns = all_columns(graphs)
        if not subgraphs:
            continue
        path = sparse_path(
            graphs,
            y,
            loss="squared",
            covariates=covariates,
            min_expected_frequency=LIMIT,
            n_alphas=2,
            alpha_min_ratio=float(random.choice([0.5, 0.2, 0.05])),
            tol=1e-10,
        )
        model, free = path[-1], with_intercept(len(y), covariates)
        assert model.status is Status.OPTIMAL
        truth, forecast = coordinate_descent(columns, y, free, model.alpha)
        unit = y.var()
        assert model.objective == pytest.approx(truth, abs=1e-8 * unit)
        assert model.objective - model.duality_gap <= truth + 1e-12 * unit
        # The squared loss is strictly convex in what is forecast, which is therefore unique.
        np.testing.assert_allclose(
            model.decision_function(X, covariates), forecast, atol=1e-4 * np.sqrt(unit)
        )
        rest = y - model.decision_function(X, covariates)
        assert np.abs(free.T @ rest).max() <= 1e-7 * np.abs(free).max() * np.abs(y).max()
        # The first model of the path has no subgraph, and just below its penalty there is one.
        assert len(path[0].coef) == 0
        gains = np.abs(columns.T @ (y - free @ np.linalg.lstsq(free, y, rcond=None)[0])) / len(y)
        assert path[0].alpha == pytest.approx(gains.max(), rel=1e-9)
    assert adjusted or N_COHORTS < 500  # in a slice of eight there may be none


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_covariates_of_classes_have_no_penalty(loss: str):
    """Subgradients by hand: those of all subgraphs are within the penalty, those of covariates are 0."""
    for seed in range(N_COHORTS // 5):
        random = np.random.default_rng(seed)
        n = 40
        y = random.integers(0, 2, n)
        X = random.random((n, 6)) ** 0.5
        X[:, 0] *= np.where(y == 1, 1.0, 0.7)
        covariates = np.column_stack([random.normal(size=n) + 0.8 * y, random.integers(0, 2, n)])
        graphs = random_cohort(random, X)[0]
        model = sparse_path(
            graphs,
            y,
            loss=loss,
            covariates=covariates,
            min_expected_frequency=LIMIT,
            n_alphas=2,
            alpha_min_ratio=0.3,
            tol=1e-11,
        )[-1]
        assert model.status is Status.OPTIMAL
        sign = np.where(y == 1, 1.0, -1.0)
        margin = sign * model.decision_function(X, covariates)
        slope = expit(-margin) if loss == "logistic" else 2 * np.maximum(0, 1 - margin)
        w = sign * slope / n
        subgraphs, columns = all_columns(graphs)
        assert np.abs(with_intercept(n, covariates).T @ w).max() < 1e-5
        gains = dict(zip(subgraphs, columns.T @ w, strict=True))
        assert max(map(abs, gains.values())) <= model.alpha * (1 + 1e-4)
        for subgraph, coefficient in zip(model.subgraphs, model.coef, strict=True):
            assert gains[subgraph] == pytest.approx(np.sign(coefficient) * model.alpha, rel=1e-3)
