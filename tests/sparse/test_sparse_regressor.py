"""SparseSubgraphRegressor, and classifiers of more than two classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso
from sklearn.model_selection import KFold
from sparse_cohorts import LIMIT, all_columns

from dugraph import (
    InputError,
    LabelledGraphs,
    SparseSubgraphClassifier,
    SparseSubgraphRegressor,
    UncertainGraphs,
)
from dugraph.sparse import sparse_path

RNG = np.random.default_rng(2)
X = RNG.uniform(0.2, 1.0, (45, 10))
Y = 5 * X[:, 0] * X[:, 1] - 2 * X[:, 5] + 0.3 * RNG.normal(size=45)
GROUPS = np.array(["low", "middle", "high"])[np.digitize(Y, np.quantile(Y, [1 / 3, 2 / 3]))]


def test_it_is_the_lasso_over_all_subgraphs():
    graphs = UncertainGraphs(X[:, :6])
    _, columns = all_columns(graphs)
    model = SparseSubgraphRegressor(alpha=0.02, min_expected_frequency=LIMIT, tol=1e-10).fit(graphs, Y)
    lasso = Lasso(0.02, tol=1e-12, max_iter=10**6).fit(columns, Y)
    np.testing.assert_allclose(model.predict(graphs), lasso.predict(columns), atol=1e-6)
    assert model.score(graphs, Y) == pytest.approx(lasso.score(columns, Y), abs=1e-7)
    assert len(model.subgraphs_) < len(columns.T) / 4


@settings(max_examples=15, deadline=None)
@given(st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_units_of_the_phenotype_do_not_matter(unit, zero):
    ours = SparseSubgraphRegressor(alpha=0.05).fit(X, Y)
    theirs = SparseSubgraphRegressor(alpha=0.05 * unit).fit(X, unit * Y + zero)
    assert theirs.subgraphs_ == ours.subgraphs_
    np.testing.assert_allclose(
        theirs.predict(X), unit * ours.predict(X) + zero, rtol=1e-6, atol=1e-6 * unit + 1e-9 * abs(zero)
    )


def test_the_penalty_minimises_the_held_out_loss():
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    model = SparseSubgraphRegressor(cv=folds, n_alphas=6).fit(X, Y)
    alphas = [one.alpha for one in model.path_]
    losses = np.empty((len(alphas), len(folds)))
    for i, alpha in enumerate(alphas):
        for k, (train, test) in enumerate(folds):
            forecast = SparseSubgraphRegressor(alpha=alpha).fit(X[train], Y[train]).predict(X[test])
            losses[i, k] = ((Y[test] - forecast) ** 2).mean() / 2
    np.testing.assert_allclose(model.cv_losses_, losses, rtol=0.02)
    assert model.alpha_ == alphas[int(np.argmin(losses.mean(axis=1)))]
    few = SparseSubgraphRegressor(cv=folds, n_alphas=6, n_nonzero=2).fit(X, Y)
    assert len(few.subgraphs_) <= 2


def test_a_path_of_a_phenotype_and_its_file(tmp_path):
    model = SparseSubgraphRegressor(alpha=None, n_nonzero=3).fit(X, Y)
    assert len(model.subgraphs_) == 3
    assert not hasattr(model, "classes_")
    model.to_json(tmp_path / "model.json")
    back = SparseSubgraphRegressor.from_json(tmp_path / "model.json")
    assert back.predict(X).tobytes() == model.predict(X).tobytes()
    assert (back.intercept_, back.alpha_) == (model.intercept_, model.alpha_)
    with pytest.raises(InputError, match=r"Read it with SparseSubgraphRegressor\.from_json"):
        SparseSubgraphClassifier.from_json(tmp_path / "model.json")
    path = sparse_path(X, Y, loss="squared", alphas=[model.alpha_])
    np.testing.assert_allclose(path[0].decision_function(X), model.predict(X), atol=1e-3)


def test_invalid_phenotypes_are_refused():
    model = SparseSubgraphRegressor(alpha=0.1)
    with pytest.raises(InputError, match="y must take at least two values, but is the same for every graph"):
        model.fit(X, np.full(45, 3.0))
    with pytest.raises(
        InputError, match=r"A phenotype must be numeric, but y has dtype <U6\. For names of groups"
    ):
        model.fit(X, GROUPS)
    with pytest.raises(InputError, match="X must be graphs without classes, and y their phenotype"):
        model.fit(LabelledGraphs(X, Y > 0))
    for y, message in (
        (GROUPS, "A phenotype must be numeric"),
        (np.r_[np.inf, Y[1:]], "A phenotype must be finite"),
    ):
        with pytest.raises(InputError, match=message):
            sparse_path(X, y, loss="squared")
    with pytest.raises(InputError, match="which has no classes"):
        sparse_path(X, Y, loss="squared", pos_label=1)


def test_a_fold_with_a_constant_phenotype_is_allowed():
    y = np.repeat([1.0, 2.0], [30, 15])
    model = SparseSubgraphRegressor(cv=[(np.arange(30), np.arange(30, 45))], n_alphas=3).fit(X, y)
    assert model.cv_losses_.tolist() == [[0.5]] * len(model.cv_losses_)


def test_each_of_several_classes_against_the_rest():
    model = SparseSubgraphClassifier(alpha=0.01).fit(X, GROUPS)
    assert model.classes_.tolist() == ["high", "low", "middle"]
    assert model.subgraph_coef_.shape == (3, len(model.subgraphs_))
    for k, name in enumerate(model.classes_):
        alone = SparseSubgraphClassifier(alpha=0.01).fit(X, name == GROUPS)
        assert model.models_[k].subgraphs == alone.subgraphs_
        np.testing.assert_allclose(model.decision_function(X)[:, k], alone.decision_function(X), rtol=1e-12)
    chance = model.predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    assert np.array_equal(model.classes_[chance.argmax(axis=1)], model.predict(X))
    assert model.score(X, GROUPS) > 0.6
    assert not hasattr(model, "path_")
    again = model.fit(X, GROUPS == "low")  # two classes after three
    assert again.subgraph_coef_.shape[0] == 1
    assert again.path_ == [again.model_]


def test_continuous_y_points_to_the_regressor():
    with pytest.raises(InputError, match="Use SparseSubgraphRegressor for a phenotype"):
        SparseSubgraphClassifier(alpha=0.1).fit(X, Y)
