"""Sparse models against an independent solver that gets every admitted connected subgraph as a column."""

import os

import numpy as np
import pytest
from scipy.special import expit
from sparse_cohorts import LIMIT, all_columns, random_cohort

from dugraph import UncertainGraphs, sparse_path
from dugraph.search.gains import GainSearch

N_COHORTS = 5_000 if os.environ.get("DUGRAPH_SOAK") else 25


def loss_of(name: str, margin: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The loss, its first and its second derivatives."""
    n = len(margin)
    if name == "logistic":
        value = np.logaddexp(0, -margin).mean()
        return value, -expit(-margin) / n, expit(margin) * expit(-margin) / n
    hinge = np.maximum(0, 1 - margin)
    return (hinge**2).mean(), -2 * hinge / n, 2.0 * (hinge > 0) / n


def solve_by_barrier(
    name: str, columns: np.ndarray, y: np.ndarray, alpha: float
) -> tuple[float, np.ndarray, float]:
    """Newton's method with a logarithmic barrier on positive and negative parts of the coefficients.

    At weight t the minimum is known to 2 k / t. Returns the objective, the coefficients and the intercept.
    """
    sign, k = np.where(y == 1, 1.0, -1.0), columns.shape[1]
    design = np.column_stack([columns, -columns, np.ones(len(y))]) * sign[:, np.newaxis]
    penalty = np.r_[np.full(2 * k, alpha), 0.0]
    v = np.r_[np.full(2 * k, 0.1), 0.0]

    def with_barrier(v: np.ndarray, t: float) -> float:
        return (
            np.inf
            if v[:-1].min() <= 0
            else t * (loss_of(name, design @ v)[0] + penalty @ v) - np.log(v[:-1]).sum()
        )

    t = 10.0
    while 2 * k / t > 1e-10:
        t *= 8.0
        for _ in range(60):
            _, first, second = loss_of(name, design @ v)
            barrier = np.r_[1 / v[:-1], 0.0]
            gradient = t * (design.T @ first + penalty) - barrier
            hessian = t * (design.T * second) @ design + np.diag(barrier**2)
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
    return loss_of(name, design @ v)[0] + penalty @ v, v[:k] - v[k:-1], v[-1]


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_no_model_over_all_subgraphs_is_better(loss: str, part: int):
    compared = 0
    for seed in range(part, N_COHORTS, 5):
        random = np.random.default_rng(seed)
        graphs, y = random_cohort(random)
        subgraphs, columns = all_columns(graphs)
        if not subgraphs or np.abs(columns).max() == 0:
            continue
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
    """Whether the columns that tie at the penalty are independent, and all of them clearly in or out."""
    sign = np.where(y == 1, 1.0, -1.0)
    _, slope, curvature = loss_of(loss, sign * (columns @ coef + intercept))
    at_penalty = np.abs(columns.T @ (slope * sign)) > alpha * (1 - 1e-3)
    if np.any(at_penalty != (np.abs(coef) > 1e-3)):
        return False
    curved = curvature > 0  # beyond the hinge the loss is flat
    tied = np.column_stack([columns[curved][:, at_penalty], np.ones(curved.sum())])
    spread = np.linalg.svd(tied, compute_uv=False)
    return tied.shape[1] <= len(tied) and spread[-1] > 1e-3 * spread[0]


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_graphs_and_edges_does_not_show(seed: int):
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


def test_the_search_meets_weights_in_its_own_order():
    graphs, _ = random_cohort(np.random.default_rng(3))
    search = GainSearch(graphs, min_expected_frequency=0.0)
    rows = search.containment([(0,), (1,)])
    assert np.array_equal(rows, graphs.edge_probability[np.ix_(search.graphs, search.original[:2])])
