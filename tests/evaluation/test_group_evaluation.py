"""Evaluation of groups: methods by hand, with and without covariates, sites that are not divided."""

import numpy as np
import pytest
from aged_cohort import AGE, GRAPHS, GROUPS, LIMITS, QUICK, SITE, X, folds
from ridge_oracle import RidgeByHand
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold

import dugraph as dg
from dugraph.evaluation import make_method
from dugraph.evaluation.cells import forecast_metrics, group_metrics
from dugraph.evaluation.splits import inner_folds


def predictions_of(name):
    """Predicted groups of test graphs by a method that adjusts for the site."""
    train, test = folds()[0]
    limits = {**LIMITS, "n_subgraphs": 3, "covariates": ["site"], "cv": inner_folds(GROUPS[train], None)}
    method = make_method(name, task="groups", **limits)
    return method.fit(GRAPHS[train], GROUPS[train]).predict(GRAPHS[test])


def test_groups_are_predicted_from_adjusted_features():
    train, test = folds()[0]
    known = np.column_stack([SITE == "B", SITE == "C"]).astype(float)

    def beyond(features):
        return features - LinearRegression().fit(known[train], features[train]).predict(known)

    limits = {"min_expected_frequency": 0.1, "max_edges": 2}
    selector = dg.SubgraphSelector(n_subgraphs=3, **limits)
    selector.fit(X[train], GROUPS[train], covariates=SITE[train])
    for name, features in (("all-edges", beyond(X)), ("exp-hsic", beyond(selector.transform(X)))):
        machine = RidgeByHand().fit(features[train], GROUPS[train])
        assert np.array_equal(predictions_of(name), machine.predict(features[test]))
    # One model of each group against the rest; covariates are in the fit, but not in what is decided.
    asked = {"n_nonzero": 3, "n_alphas": 20, "alpha_min_ratio": 0.02, "tol": 1e-3, "refit": "ridge", **limits}
    decisions = []
    for group in np.unique(GROUPS):
        model = dg.SparseSubgraphClassifier(covariates="site", cv=inner_folds(GROUPS[train], None), **asked)
        model.fit(GRAPHS[train], GROUPS[train] == group)
        columns = model.transform(GRAPHS)
        moved = beyond(columns)[test] + columns[train].mean(axis=0)
        decisions.append(moved @ model.subgraph_coef_[0] + model.intercept_[0])
    expected = np.unique(GROUPS)[np.argmax(decisions, axis=0)]
    assert np.array_equal(predictions_of("sparse"), expected)


def test_groups_are_evaluated_and_sites_are_not_divided():
    some = ["exp-hsic", "sparse", "select-k-best"]
    result = dg.evaluate(GRAPHS, GROUPS, some, min_expected_frequency=0.1, max_edges=2, **QUICK)
    assert result.task == "groups"
    assert list(result.metrics) == ["error", "macro_f1", "balanced_accuracy"]
    assert result.mean("balanced_accuracy").max() > 0.5
    by_site = dg.evaluate(GRAPHS, AGE, groups="site", methods="cpm", **QUICK)
    train, test = next(GroupKFold(3, shuffle=True, random_state=0).split(X, AGE, SITE))
    assert not set(SITE[train]) & set(SITE[test])
    forecast = make_method("cpm", task="phenotype").fit(GRAPHS[train], AGE[train]).predict(GRAPHS[test])
    expected = forecast_metrics(AGE[test] - AGE[train].mean(), forecast - AGE[train].mean())
    assert by_site.cells[0].metrics[3] == pytest.approx(expected)
    first = dg.evaluate(GRAPHS, GROUPS, methods="all-edges", cv=[(train, test)], n_subgraphs=[3]).cells[0]
    predicted = RidgeByHand().fit(X[train], GROUPS[train]).predict(X[test])
    assert first.metrics[3] == group_metrics(GROUPS[test], predicted)
