"""The paper's 22 methods by name, and methods of the user's own: the same splits, features and rules."""

import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, check_cv, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import dugraph as dg
from dugraph import InputError, RandomSplits, SubgraphSelector, evaluate
from dugraph.evaluation import METHODS, make_method
from dugraph.evaluation.adjusted import TunedRidge
from dugraph.evaluation.methods import KNOWN, SERIES_COMPARISONS
from dugraph.exceptions import AssumedClassWarning, FewerSubgraphsWarning
from dugraph.probability.scores import hsic
from dugraph.search.mining import mine_within
from dugraph.words import TASKS

LOW = {"min_expected_frequency": 0.1}
QUICK = {"n_subgraphs": [2, 4], "cv": RandomSplits(3), **LOW}


@pytest.fixture(scope="module")
def cohort():
    return dg.simulate("adhd", n_graphs=40, random_state=3)


def test_there_are_22_methods_each_with_a_diverse_variant():
    scores = ("hsic", "frequency_ratio", "g_test", "confidence")
    measured = {f"{measure}-{score}" for measure in ("exp", "med", "mod", "phi") for score in scores}
    assert set(METHODS) == {*measured, "exp-freq", "freq", *scores}
    assert len(METHODS) == 22
    for name in METHODS:
        plain, diverse = (make_method(n)["selector"].get_params() for n in (name, name + "+div"))
        assert plain["max_correlation"] is None
        assert diverse == {**plain, "max_correlation": 0.5}
    assert make_method("hsic+div", max_correlation=0.7)["selector"].max_correlation == 0.7


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
def test_features_are_probabilities_or_certain_and_classified_by_ridge_or_a_machine(cohort, name):
    method = make_method(name, n_subgraphs=10)
    assert isinstance(method[-1], TunedRidge)
    assert make_method(name, C=1.0)[-1].get_params() == SVC(kernel="linear").get_params()
    features = method["selector"].fit(cohort.graphs, cohort.y).transform(cohort.graphs)
    assert (set(np.unique(features)) <= {0.0, 1.0}) == ("-" not in name)


def test_names_determine_scores_and_measures(cohort):
    parameters = make_method("phi-g_test", phi=3.0, C=2.0, n_jobs=2).get_params()
    expected = {"measure": "phi_probability", "score_func": "g_test", "phi": 3.0, "n_jobs": 2}
    assert {f"selector__{name}": value for name, value in expected.items()}.items() <= parameters.items()
    assert parameters["classifier__C"] == 2.0
    assert make_method("confidence", binarize_at=0.3)["selector"].binarize_at == 0.3
    frequent = make_method("exp-freq", n_subgraphs=5).fit(cohort.graphs, cohort.y)["selector"]
    assert frequent.values_[0] == pytest.approx(cohort.graphs.edge_probability.mean(axis=0).max())
    with pytest.warns(FewerSubgraphsWarning):
        make_method("exp-hsic", n_subgraphs=10**6).fit(cohort.graphs, cohort.y)


def test_the_error_for_an_unknown_name_lists_valid_names():
    message = r"A method must be one of exp-hsic, .*, confidence, .*; .* may have \+div appended; got "
    for name in ("exp-auc", "+div", "exp-hsic+div+div", "exp-auc+div"):
        with pytest.raises(InputError, match=message + re.escape(repr(name))):
            make_method(name)
    with pytest.raises(InputError, match="'min_sup' is not one of binarize_at, "):
        make_method("exp-hsic", min_sup=0.2)
    for wrong in ({}, {"name": "exp-hsic", "score": "hsic"}):
        with pytest.raises(InputError, match="either by name or by score"):
            make_method(**wrong)


@pytest.mark.system
def test_importing_dugraph_does_not_import_scikit_learn():
    code = "import sys, dugraph; dugraph.mine_subgraphs; assert 'sklearn' not in sys.modules"
    code += "; dugraph.evaluation.make_method('freq')"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'Selector'"):
        _ = dg.Selector


@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
@pytest.mark.parametrize(
    ("task", "name"),
    [(task, name) for task in TASKS for name in KNOWN[task] if name not in SERIES_COMPARISONS],
)
def test_every_method_is_an_estimator_for_scikit_learn(task, name, small):
    X, y = small
    groups = np.array(["a", "b", "c"])[np.arange(30) % 3]
    labels = {"classes": y, "groups": groups, "phenotype": 5 * X[:, 1] + y}[task]
    method = make_method(name, task=task, n_subgraphs=3, max_edges=2, cv=2, **LOW)
    assert (is_regressor if task == "phenotype" else is_classifier)(method)
    folds = list(check_cv(3, labels, classifier=task != "phenotype").split(X, labels))
    predicted = cross_val_predict(clone(method), X, labels, cv=folds)
    result = evaluate(X, labels, {"own": method}, task=task, n_subgraphs=[3], cv=folds)
    if task == "phenotype":
        assert result.values("mae").mean() == pytest.approx(np.abs(predicted - labels).mean())
    else:
        assert result.values("error").mean() == pytest.approx(np.mean(predicted != labels))


def test_a_named_method_under_another_name_has_the_same_values(small):
    own = {
        "twin": make_method("exp-hsic", **LOW),
        "function": make_method(score=hsic, **LOW),
        "edges": SVC(kernel="linear"),
        "other": make_method(score="g_test", measure="median", **LOW),
    }
    result = evaluate(*small, methods=["exp-hsic", own, "all-edges", "med-g_test"], **QUICK)
    assert result.methods == ("exp-hsic", *own, "all-edges", "med-g_test")
    for metric in ("error", "f1", "auc"):
        hsics, twins, functions, edges, others, all_edges, g_tests = result.values(metric)
        assert np.array_equal(hsics, twins)
        assert np.array_equal(hsics, functions)
        assert np.array_equal(edges, all_edges)
        assert np.array_equal(others, g_tests)
    assert [cell.n_found for cell in result.cells[:3]] == [cell.n_found for cell in result.cells[3:6]]


def test_selectors_inside_pipelines_receive_the_edges_of_the_cohort(small):
    X, y = small
    shuffled = np.random.default_rng(0).permutation(X.shape[1])
    graphs = dg.UncertainGraphs(X)
    mixed = dg.UncertainGraphs(X[:, shuffled], edges=graphs.edges[shuffled])
    # Not the first step of its pipeline, so that it is fitted whole.
    inner = make_pipeline("passthrough", SubgraphSelector(n_subgraphs=4, **LOW), SVC(kernel="linear"))
    values = [evaluate(c, y, methods={"inner": inner}, **QUICK).values("auc") for c in (graphs, mixed)]
    assert np.allclose(*values)


def test_any_classifier_can_be_evaluated_and_is_not_cached(small, tmp_path):
    own = {
        "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
        "grid": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
        "bayes": GaussianNB(),
        "dummy": DummyClassifier(),
    }
    result = evaluate(*small, methods=own, cache=tmp_path, **QUICK)
    assert not np.isnan(result.mean("auc")).any()
    assert np.array_equal(result.values("error")[:, 0], result.values("error")[:, 1])  # t is not for them
    assert not hasattr(own["scaled"][-1], "coef_")  # clones were fitted
    again = evaluate(*small, [{"dummy": SVC(kernel="linear")}, "all-edges"], cache=tmp_path, **QUICK)
    assert np.array_equal(*again.values("auc"))
    assert not list(tmp_path.rglob("dummy*"))


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
    labels = np.where(small[1] == 1, "td", "adhd")
    with pytest.warns(AssumedClassWarning, match="'td'"):
        evaluate(small[0], labels, methods={"mine": make_method(score="confidence", **LOW)}, **QUICK)


class Names(DummyRegressor):
    def predict(self, X):
        return np.full(len(X), "a name")


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
    with pytest.raises(InputError, match="must predict finite numbers for a phenotype"):
        evaluate(small[0], np.arange(30.0), {"names": Names()}, n_subgraphs=[3], cv=3)
