"""Sparse methods and baselines of the comparison, against scikit-learn and the definition by hand."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

import dugraph as dg
from dugraph import RandomSplits, SparseSubgraphClassifier, evaluate
from dugraph.cli import main
from dugraph.evaluation import make_method
from dugraph.evaluation.adjusted import TunedRidge
from dugraph.evaluation.methods import BASELINES, KNOWN, SIGNED_COMPARISONS
from dugraph.evaluation.splits import inner_folds
from dugraph.exceptions import InputError

PATH = {"n_alphas": 20, "alpha_min_ratio": 0.02, "tol": 1e-3, "refit": "ridge"}


@pytest.mark.parametrize(
    ("method", "own"),
    [
        ("l1-edges", {"max_edges": 1, "min_expected_frequency": 0.0}),
        ("sparse", {"alpha": None, "l1_ratio": 0.5}),
    ],
)
def test_errors_are_those_of_a_refitted_classifier_for_each_number(small, method, own):
    X, y = small
    result = evaluate(X, y, [method], n_subgraphs=[1, 4], cv=RandomSplits(3, random_state=5))
    for k, (train, test) in enumerate(StratifiedShuffleSplit(3, test_size=0.2, random_state=5).split(X, y)):
        folds = inner_folds(y[train].astype(str), None)
        for i, t in enumerate([1, 4]):
            model = SparseSubgraphClassifier(n_nonzero=t, cv=folds, **PATH, **own).fit(X[train], y[train])
            assert len(model.subgraphs_) <= t
            assert result.values("error")[0, i, k] == np.mean(model.predict(X[test]) != y[test])
            assert result.values("auc")[0, i, k] == roc_auc_score(y[test], model.decision_function(X[test]))
            known = make_method(method, n_subgraphs=t)[-1].get_params()
            assert {**own, "n_nonzero": t, **PATH}.items() <= known.items()
    assert result.proven
    assert result.values("error").min() < 0.5


def test_the_names_are_documented(capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    shown = "".join(capsys.readouterr().out.split())
    for name in ("sparse", *BASELINES, *SIGNED_COMPARISONS, "+div"):
        assert name in shown
        assert f'"{name}"' in evaluate.__doc__
        assert name == "+div" or name in KNOWN["classes"]


def test_logistic_regression_on_components_is_that_on_all_edges(small):
    X, y = small
    folds = inner_folds(y.astype(str), None)
    method = make_method("all-edges-logistic", cv=folds).fit(X, y)
    losses = {}
    for C in np.geomspace(1e-4, 10, 11):
        parts = [LogisticRegression(C=C, max_iter=1000).fit(X[a], y[a]).predict_proba(X[b]) for a, b in folds]
        losses[C] = np.mean([log_loss(y[b], p) for (_, b), p in zip(folds, parts, strict=True)])
    best = LogisticRegression(C=min(losses, key=losses.get), max_iter=1000).fit(X, y)
    np.testing.assert_allclose(method.predict_proba(X), best.predict_proba(X), atol=1e-3)


def test_connectome_based_modelling_sums_edges_by_the_sign_of_their_correlation(small):
    X, y = small
    r, p = np.transpose([stats.pearsonr(column, y) for column in X.T])
    sums = [X[:, (p < 0.01) & (sign * r > 0)].sum(axis=1) for sign in (1, -1)]
    method = make_method("cpm").fit(X, y)
    np.testing.assert_allclose(method[:-1].transform(X), np.transpose(sums))
    assert isinstance(method[-1], TunedRidge)
    noise = np.full((30, 15), 0.5)
    assert set(make_method("cpm").fit(noise, np.arange(30) < 20).predict(noise)) == {True}


def test_signed_matrices_may_be_edges_squares_or_layers():
    rng = np.random.default_rng(2)
    y = np.arange(40) % 2
    r = np.clip(rng.normal(0, 0.3, (40, 10)) - 0.5 * y[:, None] * (np.arange(10) < 3), -1, 1)
    square, (rows, columns) = np.zeros((40, 5, 5)), np.tril_indices(5, -1)
    square[:, rows, columns] = square[:, columns, rows] = r
    positive = np.maximum(r, 0)
    asked = {"methods": ["signed-edges"], "cv": RandomSplits(3), "n_subgraphs": [2]}
    ridge = evaluate((r + 1) / 2, y, ["all-edges"], **{k: v for k, v in asked.items() if k != "methods"})
    found = [evaluate(positive, y, signed=one, **asked) for one in (r, square)]
    edges, layers = dg.signed_edges(np.column_stack([rows, columns]))
    layered = dg.EdgeProbability(layers="signed").fit_transform(r)
    found.append(evaluate(dg.UncertainGraphs(layered, edges, edge_layers=layers), y, **asked))
    for one in found:
        np.testing.assert_allclose(one.values("auc"), ridge.values("auc"))
    assert ridge.mean("auc")[0, 0] > 0.7
    fewer = evaluate(positive, y, signed=square, regions=3, **asked)
    by_hand = evaluate(positive[:, :3], y, signed=r[:, :3], **asked)
    np.testing.assert_array_equal(fewer.values("auc"), by_hand.values("auc"))


def test_missing_or_wrong_signed_matrices_are_refused(small):
    X, y = small
    with pytest.raises(InputError, match="signed-edges: the signed matrices of the graphs are needed"):
        evaluate(X, y, ["signed-edges"])
    for wrong in (2 * X, X[:, :4], X[:5], X * np.nan, X[:, 0]):
        with pytest.raises(InputError, match="signed must be correlations from -1 to 1 of 30 graphs, for 15"):
            evaluate(X, y, ["signed-edges"], signed=wrong)
