"""Methods of the user's own stand beside the paper's, with the same splits, numbers of features and rules."""

from functools import partial

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dugraph import InputError, RandomSplits, SubgraphSelector, UncertainGraphs, evaluate
from dugraph.evaluation import make_method
from dugraph.evaluation.adjusted import TunedRidge
from dugraph.exceptions import AssumedClassWarning
from dugraph.probability.scores import hsic
from dugraph.search.mining import mine_within

QUICK = {"n_subgraphs": [2, 4], "cv": RandomSplits(3), "min_expected_frequency": 0.1}
LOW = {"min_expected_frequency": 0.1}


def test_a_named_method_under_another_name_has_the_same_values(small):
    own = {"twin": make_method("exp-hsic", **LOW), "edges": SVC(kernel="linear")}
    result = evaluate(*small, methods=["exp-hsic", own, "all-edges"], **QUICK)
    assert result.methods == ("exp-hsic", "twin", "edges", "all-edges")
    for metric in ("error", "f1", "auc"):
        values = result.values(metric)
        assert np.array_equal(values[0], values[1])
        assert np.array_equal(values[2], values[3])
    assert [cell.n_found for cell in result.cells[:3]] == [cell.n_found for cell in result.cells[3:6]]


def test_a_score_function_gives_the_values_of_the_same_score_by_name(small):
    own = {"mine": make_method(score=hsic, **LOW)}
    result = evaluate(*small, methods=["exp-hsic", own], **QUICK)
    assert np.array_equal(*result.values("error"))
    other = {"mine": make_method(score="g_test", measure="median", **LOW)}
    result = evaluate(*small, methods=["med-g_test", other], **QUICK)
    assert np.array_equal(*result.values("f1"))


def test_selectors_inside_pipelines_receive_the_edges_of_the_cohort(small):
    X, y = small
    shuffled = np.random.default_rng(0).permutation(X.shape[1])
    graphs = UncertainGraphs(X)
    mixed = UncertainGraphs(X[:, shuffled], edges=graphs.edges[shuffled])
    # Not the first step of its pipeline, so that it is fitted whole.
    inner = make_pipeline("passthrough", SubgraphSelector(n_subgraphs=4, **LOW), SVC(kernel="linear"))
    values = [evaluate(c, y, methods={"inner": inner}, **QUICK).values("auc") for c in (graphs, mixed)]
    assert np.allclose(*values)


def test_any_classifier_can_be_evaluated(small):
    own = {
        "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
        "grid": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
        "bayes": GaussianNB(),
        "dummy": DummyClassifier(),
    }
    result = evaluate(*small, methods=own, **QUICK)
    assert not np.isnan(result.mean("auc")).any()
    assert np.array_equal(result.values("error")[:, 0], result.values("error")[:, 1])  # t is not for them
    assert not hasattr(own["scaled"][-1], "coef_")  # clones were fitted


def test_estimators_of_users_are_not_cached(small, tmp_path):
    first = evaluate(*small, methods={"mine": DummyClassifier()}, cache=tmp_path, **QUICK)
    own = {"mine": SVC(kernel="linear")}
    second = evaluate(*small, methods=[own, "all-edges"], cache=tmp_path, **QUICK)
    assert not np.array_equal(first.values("auc")[0], second.values("auc")[0])
    assert np.array_equal(*second.values("auc"))
    assert not list(tmp_path.rglob("mine*"))


def test_failures_and_limits_of_own_methods_are_recorded(small, monkeypatch):
    monkeypatch.setattr("dugraph.estimators.selector.mine_subgraphs", partial(mine_within, 1))
    own = {
        "none": make_method(score="hsic", min_expected_frequency=0.99),
        "limited": make_method(score="hsic", **LOW),
    }
    with pytest.warns(UserWarning, match="None|none|proven|rank|Fewer"):
        result = evaluate(*small, methods=own, **QUICK)
    assert "none" in result.failures
    assert result.unproven == {"limited": 3}


def test_a_one_sided_score_of_an_own_method_is_warned_about(small):
    X, y = small
    labels = np.where(y == 1, "td", "adhd")
    with pytest.warns(AssumedClassWarning, match="'td'"):
        evaluate(X, labels, methods={"mine": make_method(score="confidence", **LOW)}, **QUICK)


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"exp-hsic": SVC()}, "must be new, but 'exp-hsic' is taken"),
        ({"all": SVC()}, "must be new, but 'all' is taken"),
        ([{"mine": SVC()}, {"mine": SVC()}], "must be new, but 'mine' is taken"),
        ({"a/b": SVC()}, "1 to 40 letters, digits"),
        ({"<b>": SVC()}, "1 to 40 letters"),
        ({1: SVC()}, "1 to 40 letters"),
        ({"mine": SVC}, "must be a scikit-learn classifier"),
        ({"mine": abs}, r"use make_method\(score=...\)"),
        ({"mine": Ridge()}, "must predict the classes that it was fitted with"),
    ],
)
def test_wrong_methods_are_refused(small, methods, message):
    with pytest.raises(InputError, match=message):
        evaluate(*small, methods=methods, **QUICK)


def test_a_method_is_made_by_name_or_by_score():
    for wrong in ({}, {"name": "exp-hsic", "score": "hsic"}):
        with pytest.raises(InputError, match="either by name or by score"):
            make_method(**wrong)


class Names(DummyRegressor):
    def predict(self, X):
        return np.full(len(X), "a name")


def test_own_regressors_and_classifiers_of_groups(small):
    X, _ = small
    age = 20 + 10 * X[:, 0] + np.arange(30) % 3
    quick = {"n_subgraphs": [3], "cv": 3}
    ridge = {"ridge": Ridge(alpha=0.5), "mined": make_pipeline(SubgraphSelector(**LOW), LinearRegression())}
    result = evaluate(X, age, [ridge, "all-edges"], **quick)
    for split, (train, test) in enumerate(KFold(3).split(X)):
        selector = SubgraphSelector(n_subgraphs=3, **LOW).fit(X[train], age[train])
        models = [Ridge(alpha=0.5).fit(X[train], age[train]), make_pipeline(selector, LinearRegression())]
        models[1].fit(X[train], age[train])
        for row, model in enumerate(models):
            expected = np.corrcoef(age[test], model.predict(X[test]))[0, 1]
            assert result.values("r")[row, 0, split] == pytest.approx(expected, abs=1e-9)
    groups = np.array(["a", "b", "c"])[np.arange(30) % 3]
    own = {"bayes": GaussianNB(), "mined": make_pipeline(SubgraphSelector(**LOW), TunedRidge())}
    result = evaluate(X, groups, [own, "exp-hsic"], min_expected_frequency=0.1, **quick)
    assert np.array_equal(*result.values("error")[1:])
    with pytest.raises(InputError, match="must predict finite numbers for a phenotype"):
        evaluate(X, age, {"names": Names()}, **quick)
