"""Weights of graphs and classes, the elastic net and the ridge refit, against solvers with every column."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sparse_cohorts import LIMIT, all_columns, random_cohort
from test_sparse_oracle import solve_by_barrier

from dugraph import InputError, SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.exceptions import LimitReachedWarning
from dugraph.search import Status
from dugraph.sparse import column_generation, sparse_path
from dugraph.sparse.path import RIDGE_PENALTIES

RNG = np.random.default_rng(5)
Y = np.arange(40) % 2
X = RNG.uniform(0.2, 0.9, (40, 10))
X[:, :2] = np.where(Y[:, None] == 1, X[:, :2], X[:, :2] * 0.8)
PHENOTYPE = 3 + 5 * X[:, 0] * X[:, 1] + RNG.normal(size=40) / 3
SETTINGS = {"min_expected_frequency": LIMIT, "max_edges": 3}


def unregularised_or_l2(C: float) -> LogisticRegression:
    return LogisticRegression(C=C, tol=1e-10, max_iter=10_000)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
@pytest.mark.parametrize("seed", range(8))
def test_weighted_elastic_nets_of_classes_are_optimal_over_all_subgraphs(loss, seed):
    random = np.random.default_rng(seed)
    graphs, y = random_cohort(random)
    _, columns = all_columns(graphs)
    weights = random.exponential(size=len(y)) + 0.01
    l1_ratio = (1.0, 0.9, 0.5, 0.1)[seed % 4]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitReachedWarning)
        model = sparse_path(
            graphs,
            y,
            loss=loss,
            sample_weight=weights,
            l1_ratio=l1_ratio,
            min_expected_frequency=LIMIT,
            n_alphas=2,
            alpha_min_ratio=0.1,
            tol=1e-9,
        )[-1]
    truth, _, _ = solve_by_barrier(loss, columns, y, model.alpha, weights, l1_ratio)
    assert model.status is Status.OPTIMAL or 1e-9 < model.duality_gap < 1e-8
    assert model.objective == pytest.approx(truth, abs=1e-8)
    assert model.objective - model.duality_gap <= truth + 1e-11


@pytest.mark.parametrize("l1_ratio", [1.0, 0.95, 0.5, 0.1])
@pytest.mark.parametrize("batch", [1000, 1])
def test_weighted_elastic_nets_of_a_phenotype_agree_with_scikit_learn(l1_ratio, batch, monkeypatch):
    """Also if each search lists a single new subgraph, beside those in the model that gain as much."""
    monkeypatch.setattr(column_generation, "_BATCH", batch)
    graphs, _ = random_cohort(np.random.default_rng(0), X)
    subgraphs, columns = all_columns(graphs)
    weights = RNG.exponential(size=40)
    settings = {"loss": "squared", "sample_weight": weights, "l1_ratio": l1_ratio, "tol": 1e-9}
    path = sparse_path(graphs, PHENOTYPE, min_expected_frequency=LIMIT, n_alphas=4, **settings)
    assert len(path[0].coef) == 0
    for model in path[1:]:
        net = ElasticNet(model.alpha, l1_ratio=l1_ratio, tol=1e-12, max_iter=500_000)
        net.fit(columns, PHENOTYPE, weights)
        rest = weights / weights.sum() @ (PHENOTYPE - net.predict(columns)) ** 2 / 2
        absolute, squares = np.abs(net.coef_).sum(), (net.coef_**2).sum()
        truth = rest + model.alpha * (l1_ratio * absolute + (1 - l1_ratio) / 2 * squares)
        assert model.status is Status.OPTIMAL
        assert model.objective == pytest.approx(truth, rel=1e-7)
        assert model.objective - model.duality_gap <= truth * (1 + 1e-9)
        np.testing.assert_allclose(model.decision_function(X), net.predict(columns), atol=2e-3)
        if l1_ratio < 1:
            found = dict(zip(model.subgraphs, model.coef, strict=True))
            expected = {g: c for g, c in zip(subgraphs, net.coef_, strict=True) if abs(c) > 0.02}
            assert all(found[g] == pytest.approx(c, abs=0.02) for g, c in expected.items())


def test_a_weighted_elastic_net_agrees_with_the_logistic_regression_of_scikit_learn():
    graphs, _ = random_cohort(np.random.default_rng(0), X)
    _, columns = all_columns(graphs)
    weights = RNG.exponential(size=40)
    alpha, l1_ratio = 0.01, 0.5
    model = SparseSubgraphClassifier(alpha=alpha, l1_ratio=l1_ratio, min_expected_frequency=LIMIT, tol=1e-8)
    model.fit(graphs, Y, sample_weight=weights)
    newest = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)
    other = LogisticRegression(
        **({} if newest else {"penalty": "elasticnet"}),
        l1_ratio=l1_ratio,
        solver="saga",
        C=1 / (alpha * 40),
        tol=1e-7,
        max_iter=20_000,
        random_state=0,
    ).fit(columns, Y, weights / weights.mean())
    np.testing.assert_allclose(
        model.decision_function(graphs), other.decision_function(columns), atol=2e-3, rtol=0
    )


@pytest.mark.parametrize("kind", [SparseSubgraphClassifier, SparseSubgraphRegressor])
def test_a_weight_of_two_is_a_graph_given_twice_and_of_zero_one_left_out(kind):
    y = Y if kind is SparseSubgraphClassifier else PHENOTYPE
    times = RNG.integers(0, 3, 40)
    rows = np.repeat(np.arange(40), times)
    model = kind(alpha=0.01, min_expected_frequency=0.0, max_edges=2, tol=1e-9)
    predict = "decision_function" if kind is SparseSubgraphClassifier else "predict"
    weighted = getattr(model.fit(X, y, sample_weight=times * 0.7), predict)(X)
    repeated = getattr(model.fit(X[rows], y[rows]), predict)(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-3)


def test_graphs_without_weight_are_not_used_in_folds_either():
    """Removing them changes nothing: neither folds nor held-out losses depend on their edges or labels."""
    weights = np.r_[np.zeros(8), RNG.exponential(size=32)]
    parts = np.array_split(np.arange(40)[::-1], 3)
    folds = [(np.setdiff1d(np.arange(40), part), part) for part in parts]
    model = SparseSubgraphClassifier(cv=folds, n_alphas=4, refit="ridge", **SETTINGS)
    model.fit(X, Y, sample_weight=weights)
    other = X.copy()
    other[:8] = RNG.random((8, 10))
    losses = model.cv_losses_
    again = model.fit(other, np.r_[1 - Y[:8], Y[8:]], sample_weight=weights)
    np.testing.assert_array_equal(again.cv_losses_, losses)


def test_class_weights_are_weights_of_graphs():
    rare = np.r_[np.ones(10, int), np.zeros(30, int)]
    model = SparseSubgraphClassifier(alpha=0.01, class_weight="balanced", **SETTINGS)
    balanced = model.fit(X, rare).decision_function(X)
    by_hand = model.set_params(class_weight=None).fit(X, rare, sample_weight=np.where(rare, 2, 2 / 3))
    np.testing.assert_allclose(by_hand.decision_function(X), balanced, atol=1e-12)
    by_dict = model.set_params(class_weight={0: 1.0, 1: 3.0}).fit(X, rare)
    np.testing.assert_allclose(by_dict.decision_function(X), balanced, atol=1e-12)
    three = np.arange(40) % 3
    weights = {0: 1.0, 1: 2.0, 2: 0.5}
    grouped = model.set_params(class_weight=weights).fit(X, three).decision_function(X)
    by_hand = model.set_params(class_weight=None).fit(X, three, sample_weight=[weights[k] for k in three])
    np.testing.assert_array_equal(by_hand.decision_function(X), grouped)


@pytest.mark.parametrize("weights", [np.ones(39), -np.ones(40), np.full(40, np.nan)])
def test_wrong_weights_are_refused(weights):
    for model in (SparseSubgraphClassifier(alpha=0.1), SparseSubgraphRegressor(alpha=0.1)):
        with pytest.raises(InputError, match="sample_weight must be a finite number of at least 0 for each"):
            model.fit(X, Y, sample_weight=weights)
        with pytest.raises(InputError, match="but all weights are zero"):
            model.fit(X, Y, sample_weight=np.zeros(40))


def test_the_refit_is_a_ridge_fit_of_the_chosen_subgraphs():
    numbers = SparseSubgraphRegressor(alpha=0.05, cv=4, refit="ridge", tol=1e-9, **SETTINGS).fit(X, PHENOTYPE)
    columns, penalty = numbers.transform(X), numbers.model_.ridge_alpha
    ridge = Ridge(penalty * 40).fit(columns, PHENOTYPE)
    np.testing.assert_allclose(numbers.subgraph_coef_, ridge.coef_, atol=1e-6)
    np.testing.assert_allclose(numbers.intercept_, ridge.intercept_, atol=1e-6)
    classes = SparseSubgraphClassifier(alpha=0.02, cv=4, refit="ridge", tol=1e-9, **SETTINGS).fit(X, Y)
    columns, penalty = classes.transform(X), classes.model_.ridge_alpha
    logistic = unregularised_or_l2(1 / (penalty * 40)).fit(columns, Y)
    np.testing.assert_allclose(classes.subgraph_coef_, logistic.coef_, atol=1e-4)
    plain = SparseSubgraphClassifier(alpha=0.02, tol=1e-9, **SETTINGS).fit(X, Y)
    assert sorted(plain.subgraphs_) == sorted(classes.subgraphs_)
    assert (plain.objective_, plain.duality_gap_) == (classes.objective_, classes.duality_gap_)


def test_held_out_losses_of_the_refit_come_from_training_graphs_alone():
    """Losses computed by hand with scikit-learn in each fold, from models of its training graphs."""
    model = SparseSubgraphClassifier(cv=KFold(4), n_alphas=4, refit="ridge", tol=1e-9, **SETTINGS).fit(X, Y)
    alphas = [one.alpha for one in model.path_]
    losses = np.zeros((4, len(RIDGE_PENALTIES), 4))
    for k, (train, test) in enumerate(KFold(4).split(X)):
        path = sparse_path(X[train], Y[train], alphas=alphas, tol=1e-9, **SETTINGS)
        for i, chosen in enumerate(path):
            for j, penalty in enumerate(RIDGE_PENALTIES):
                odds = np.full(len(test), np.log(Y[train].mean() / (1 - Y[train].mean())))
                if chosen.subgraphs:
                    fit = unregularised_or_l2(1 / (penalty * len(train)))
                    fit.fit(chosen.containment(X[train]), Y[train])
                    odds = fit.decision_function(chosen.containment(X[test]))
                losses[i, j, k] = np.logaddexp(0, np.where(Y[test], -odds, odds)).mean()
    best = losses.mean(axis=2).argmin(axis=1)
    np.testing.assert_allclose(model.cv_losses_, losses[np.arange(4), best], atol=1e-5)
    chosen = int(losses.mean(axis=2).min(axis=1).argmin())
    assert model.alpha_ == alphas[chosen]
    assert model.model_.ridge_alpha == (RIDGE_PENALTIES[best[chosen]])
