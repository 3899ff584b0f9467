"""The paper's 22 methods by name."""

import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import check_cv, cross_val_predict
from sklearn.svm import SVC

import dugraph as dg
from dugraph.evaluation import METHODS, make_method
from dugraph.evaluation.adjusted import TunedRidge
from dugraph.evaluation.methods import KNOWN, SERIES_COMPARISONS
from dugraph.exceptions import FewerSubgraphsWarning, InputError
from dugraph.words import TASKS


@pytest.fixture(scope="module")
def cohort():
    return dg.simulate("adhd", n_graphs=40, random_state=3)


def test_there_are_22_methods():
    assert len(METHODS) == len(set(METHODS)) == 22
    scores = ("hsic", "frequency_ratio", "g_test", "confidence")
    assert set(METHODS) == {
        *(f"{measure}-{score}" for measure in ("exp", "med", "mod", "phi") for score in scores),
        *("exp-freq", "freq"),
        *scores,
    }


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
def test_every_method_classifies(cohort, name):
    method = make_method(name, n_subgraphs=10).fit(cohort.graphs, cohort.y)
    assert isinstance(method[-1], TunedRidge)
    assert make_method(name, C=1.0)[-1].get_params() == SVC(kernel="linear").get_params()
    assert method.predict(cohort.graphs).shape == (40,)
    features = method[:-1].transform(cohort.graphs)
    certain = "-" not in name
    assert (set(np.unique(features)) <= {0.0, 1.0}) == certain


def test_names_determine_scores_and_measures(cohort):
    parameters = make_method("phi-g_test", phi=3.0, C=2.0, n_jobs=2).get_params()
    assert parameters["selector__measure"] == "phi_probability"
    assert parameters["selector__score_func"] == "g_test"
    assert parameters["selector__phi"] == 3.0
    assert parameters["selector__n_jobs"] == 2
    assert parameters["classifier__C"] == 2.0
    assert make_method("confidence", binarize_at=0.3)["selector"].binarize_at == 0.3
    frequent = make_method("exp-freq", n_subgraphs=5).fit(cohort.graphs, cohort.y)["selector"]
    assert frequent.values_[0] == pytest.approx(cohort.graphs.edge_probability.mean(axis=0).max())


def test_every_method_has_a_diverse_variant():
    for name in METHODS:
        plain, diverse = (make_method(n)["selector"].get_params() for n in (name, name + "+div"))
        assert plain["max_correlation"] is None
        assert diverse == {**plain, "max_correlation": 0.5}
    assert make_method("hsic+div", max_correlation=0.7)["selector"].max_correlation == 0.7


def test_fewer_subgraphs_are_reported(cohort):
    with pytest.warns(FewerSubgraphsWarning):
        make_method("exp-hsic", n_subgraphs=10**6).fit(cohort.graphs, cohort.y)


def test_the_error_for_an_unknown_name_lists_valid_names():
    message = r"A method must be one of exp-hsic, .*, confidence, .*; .* may have \+div appended; got "
    for name in ("exp-auc", "+div", "exp-hsic+div+div", "exp-auc+div"):
        with pytest.raises(InputError, match=message + re.escape(repr(name))):
            make_method(name)
    with pytest.raises(InputError, match="'min_sup' is not one of binarize_at, "):
        make_method("exp-hsic", min_sup=0.2)


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
    method = make_method(name, task=task, n_subgraphs=3, min_expected_frequency=0.1, max_edges=2, cv=2)
    assert (is_regressor if task == "phenotype" else is_classifier)(method)
    folds = list(check_cv(3, labels, classifier=task != "phenotype").split(X, labels))
    predicted = cross_val_predict(clone(method), X, labels, cv=folds)
    result = dg.evaluate(X, labels, {"own": method}, task=task, n_subgraphs=[3], cv=folds)
    if task == "phenotype":
        assert result.values("mae").mean() == pytest.approx(np.abs(predicted - labels).mean())
    else:
        assert result.values("error").mean() == pytest.approx(np.mean(predicted != labels))
