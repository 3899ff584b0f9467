"""Sparse models against independent solvers that get every admitted connected subgraph as a column."""

import os
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sparse_cohorts import LIMIT, all_columns, random_cohort

from dugraph import UncertainGraphs
from dugraph.exceptions import LimitReachedWarning
from dugraph.search import Status
from dugraph.search.problem import GainSearch
from dugraph.sparse import sparse_path

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
N_COHORTS = 5_000 if SOAK else 25
N_PHENOTYPES = 500 if SOAK else 12


def loss_of(name: str, margin: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The mean of the weighted loss, its first and its second derivatives; weights sum to 1."""
    if name == "logistic":
        value = weights @ np.logaddexp(0, -margin)
        return value, -weights * expit(-margin), weights * expit(margin) * expit(-margin)
    hinge = np.maximum(0, 1 - margin)
    return weights @ hinge**2, -2 * weights * hinge, 2.0 * weights * (hinge > 0)


def solve_by_barrier(
    name: str,
    columns: np.ndarray,
    y: np.ndarray,
    alpha: float,
    weights: np.ndarray | None = None,
    l1_ratio: float = 1.0,
) -> tuple[float, np.ndarray, float]:
    """Newton's method with a logarithmic barrier on positive and negative parts of the coefficients.

    At weight t the minimum is known to 2 k / t. Returns the objective, the coefficients and the intercept.
    """
    weights = np.full(len(y), 1 / len(y)) if weights is None else weights / weights.sum()
    sign, k = np.where(y == 1, 1.0, -1.0), columns.shape[1]
    design = np.column_stack([columns, -columns, np.ones(len(y))]) * sign[:, np.newaxis]
    penalty = np.r_[np.full(2 * k, alpha * l1_ratio), 0.0]
    ridge = np.zeros((2 * k + 1, 2 * k + 1))  # of the difference of both parts
    ridge[:-1, :-1] = alpha * (1 - l1_ratio) * np.kron([[1, -1], [-1, 1]], np.eye(k))
    v = np.r_[np.full(2 * k, 0.1), 0.0]

    def objective(v: np.ndarray) -> float:
        return loss_of(name, design @ v, weights)[0] + penalty @ v + v @ ridge @ v / 2

    def with_barrier(v: np.ndarray, t: float) -> float:
        return np.inf if v[:-1].min() <= 0 else t * objective(v) - np.log(v[:-1]).sum()

    t = 10.0
    while 2 * k / t > 1e-10:
        t *= 8.0
        for _ in range(60):
            _, first, second = loss_of(name, design @ v, weights)
            barrier = np.r_[1 / v[:-1], 0.0]
            gradient = t * (design.T @ first + penalty + ridge @ v) - barrier
            hessian = t * ((design.T * second) @ design + ridge) + np.diag(barrier**2)
            hessian[-1, -1] += 1e-9 * t  # flat beyond the hinge
            step = -np.linalg.solve(hessian, gradient)
            if -gradient @ step < 1e-9:
                break
            length = min(1.0, 0.99 / max((-step[:-1] / v[:-1]).max(), 1e-300))
            now = with_barrier(v, t)
            while (
                with_barrier(v + length * step, t) > now + 0.1 * length * (gradient @ step) and length > 1e-12
            ):
                length /= 2
            v = v + length * step
    return objective(v), v[:k] - v[k:-1], v[-1]


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_classifiers_are_optimal_over_all_subgraphs(loss: str, part: int):
    compared = 0
    for seed in range(part, N_COHORTS, 5):
        random = np.random.default_rng(seed)
        graphs, y = random_cohort(random)
        subgraphs, columns = all_columns(graphs)
        if not subgraphs or np.abs(columns).max() == 0:
            continue
        with warnings.catch_warnings():
            # A few in thousands of cohorts cannot reach this tolerance in double precision; they say so.
            warnings.simplefilter("ignore", LimitReachedWarning)
            path = sparse_path(
                graphs,
                y,
                loss=loss,
                min_expected_frequency=LIMIT,
                n_alphas=2,
                alpha_min_ratio=float(random.choice([0.5, 0.2, 0.05])),
                tol=1e-10,
            )
        model = path[-1]
        truth, coef, intercept = solve_by_barrier(loss, columns, y, model.alpha)
        assert model.status is Status.OPTIMAL or 1e-10 < model.duality_gap < 1e-9
        assert model.objective == pytest.approx(truth, abs=1e-8)
        assert model.objective - model.duality_gap <= truth + 1e-12
        if is_unique(loss, columns, y, coef, intercept, model.alpha):
            compared += 1
            chosen = {g: c for g, c in zip(model.subgraphs, model.coef, strict=True) if abs(c) > 1e-3}
            expected = {g: c for g, c in zip(subgraphs, coef, strict=True) if abs(c) > 1e-3}
            assert chosen.keys() == expected.keys()
    assert compared > N_COHORTS / 5 / 5


def is_unique(
    loss: str, columns: np.ndarray, y: np.ndarray, coef: np.ndarray, intercept: float, alpha: float
) -> bool:
    """Whether the columns with a gain at the penalty are independent, and each is clearly in or out."""
    sign = np.where(y == 1, 1.0, -1.0)
    _, slope, curvature = loss_of(loss, sign * (columns @ coef + intercept), np.full(len(y), 1 / len(y)))
    at_penalty = np.abs(columns.T @ (slope * sign)) > alpha * (1 - 1e-3)
    if np.any(at_penalty != (np.abs(coef) > 1e-3)):
        return False
    curved = curvature > 0  # beyond the hinge the loss is flat
    tied = np.column_stack([columns[curved][:, at_penalty], np.ones(curved.sum())])
    spread = np.linalg.svd(tied, compute_uv=False)
    return tied.shape[1] <= len(tied) and spread[-1] > 1e-3 * spread[0]


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_graphs_and_edges_does_not_matter(seed: int):
    random = np.random.default_rng(seed)
    graphs, y = random_cohort(random)
    rows, columns = random.permutation(len(y)), random.permutation(graphs.n_edges)
    turned = UncertainGraphs(graphs.edge_probability[np.ix_(rows, columns)], graphs.edges[columns])
    settings = {"min_expected_frequency": 0.0, "n_alphas": 4}
    first = sparse_path(graphs, y, **settings)
    second = sparse_path(turned, y[rows], **settings, n_jobs=2)
    for a, b in zip(first, second, strict=True):
        assert a.subgraphs == [tuple(sorted(int(columns[e]) for e in g)) for g in b.subgraphs]
        assert a.coef.tobytes() == b.coef.tobytes()
        assert (a.intercept, a.objective, a.duality_gap) == (b.intercept, b.objective, b.duality_gap)


def test_the_search_uses_its_canonical_order():
    graphs, _ = random_cohort(np.random.default_rng(3))
    search = GainSearch(graphs, min_expected_frequency=0.0)
    rows = search.containment([(0,), (1,)])
    assert np.array_equal(rows, graphs.edge_probability[np.ix_(search.graphs, search.original[:2])])


def coordinate_descent(
    columns: np.ndarray, y: np.ndarray, free: np.ndarray, alpha: float
) -> tuple[float, np.ndarray]:
    """The textbook lasso: cyclic coordinate descent, unpenalised columns by least squares.

    Returns the objective and the predictions.
    """
    n, k = columns.shape
    offset, beta, said = y.mean(), np.zeros(k), np.zeros(n)
    y = y - offset  # the intercept is free; centring avoids rounding errors
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
    # On the active columns the optimum solves linear equations, which removes the remaining error.
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
    if random.random() < 0.3:  # a collinear and a constant column
        numbers = np.column_stack([numbers, 1.0 - 2.0 * numbers[:, 0], np.full(n, 7.0)])
    return numbers


def with_intercept(n: int, covariates: np.ndarray | None) -> np.ndarray:
    return np.column_stack([np.ones(n), *([] if covariates is None else [covariates])])


@pytest.mark.parametrize("part", range(5))
def test_regressions_are_optimal_over_all_subgraphs(part: int):
    adjusted = 0
    for seed in range(part, N_PHENOTYPES, 5):
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
        # The squared loss is strictly convex in the predictions, which are therefore unique.
        np.testing.assert_allclose(
            model.decision_function(X, covariates), forecast, atol=1e-4 * np.sqrt(unit)
        )
        rest = y - model.decision_function(X, covariates)
        assert np.abs(free.T @ rest).max() <= 1e-7 * np.abs(free).max() * np.abs(y).max()
        # The first model of the path has no subgraph, and just below its penalty there is one.
        assert len(path[0].coef) == 0
        gains = np.abs(columns.T @ (y - free @ np.linalg.lstsq(free, y, rcond=None)[0])) / len(y)
        assert path[0].alpha == pytest.approx(gains.max(), rel=1e-9)
    assert adjusted or N_PHENOTYPES < 500  # in a slice of eight there may be none


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_covariates_of_classifiers_are_not_penalised(loss: str):
    """Optimality conditions: gains of subgraphs are within the penalty, those of covariates are 0."""
    for seed in range(N_PHENOTYPES // 5):
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
