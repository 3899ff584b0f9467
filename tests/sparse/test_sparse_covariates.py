"""Covariates in sparse models: sources, effect on the fit, no leakage from test graphs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from dugraph import (
    InputError,
    LabelledGraphs,
    SparseSubgraphClassifier,
    SparseSubgraphRegressor,
    UncertainGraphs,
)
from dugraph.sparse.path import Fitting

RNG = np.random.default_rng(5)
N = 60
EDGES = RNG.uniform(0.2, 1.0, (N, 6))
SITE = np.array(["A", "B", "C"])[RNG.integers(0, 3, N)]
AGE = RNG.normal(40, 10, N)
Y = 4 * EDGES[:, 0] * EDGES[:, 1] + 2.0 * (SITE == "B") + 0.1 * AGE + 0.1 * RNG.normal(size=N)
CLASSES = np.where(Y + RNG.normal(size=N) > np.median(Y), "patient", "control")
FRAME = pd.DataFrame(EDGES, columns=[f"x{k}" for k in range(6)]).assign(site=SITE, age=AGE)
GRAPHS = UncertainGraphs(EDGES, participants={"site": SITE, "age": AGE})
NAMES = ["site", "age"]
QUICK = {"n_alphas": 5, "cv": 3}
PAIRS = [(SparseSubgraphRegressor, Y), (SparseSubgraphClassifier, CLASSES)]


@pytest.mark.parametrize(("kind", "y"), PAIRS)
def test_covariates_by_name_or_by_column_number(kind, y):
    framed = kind(covariates=NAMES, **QUICK).fit(FRAME, y)
    graphs = kind(covariates=NAMES, **QUICK).fit(GRAPHS, y)
    array = np.column_stack([SITE == "B", EDGES, SITE == "C", AGE]).astype(float)
    numbered = kind(covariates=[0, -2, -1], **QUICK).fit(array, y)
    for model, X in ((framed, FRAME), (graphs, GRAPHS), (numbered, array)):
        np.testing.assert_allclose(model.predict(X) == framed.predict(FRAME), 1)
        assert model.subgraphs_ == framed.subgraphs_
        assert model.n_features_in_ == 6
        assert model.transform(X).shape == (N, len(model.subgraphs_))
    np.testing.assert_allclose(numbered.covariate_coef_, framed.covariate_coef_, rtol=1e-9)


def test_without_subgraphs_the_covariates_alone_predict():
    numbers = np.column_stack([SITE == "B", SITE == "C", AGE]).astype(float)
    model = SparseSubgraphRegressor(alpha=100.0, covariates=NAMES).fit(FRAME, Y)
    assert model.subgraphs_ == []
    np.testing.assert_allclose(model.predict(FRAME), LinearRegression().fit(numbers, Y).predict(numbers))
    classifier = SparseSubgraphClassifier(alpha=100.0, covariates=NAMES).fit(FRAME, CLASSES)
    scaled = numbers / numbers.std(axis=0)
    expected = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(scaled, CLASSES)
    np.testing.assert_allclose(classifier.predict_proba(FRAME), expected.predict_proba(scaled), atol=1e-5)


def test_subgraphs_explain_what_covariates_cannot():
    """Phenotype and edge both depend on the site: after adjustment nothing is left for subgraphs."""
    X = EDGES.copy()
    X[:, 3] = np.where(SITE == "B", 0.9, 0.3) + 0.05 * RNG.random(N)
    y = 3.0 * (SITE == "B") + 0.5 * RNG.normal(size=N)
    frame = FRAME.assign(**{f"x{k}": X[:, k] for k in range(6)})
    unadjusted = SparseSubgraphRegressor(**QUICK).fit(X, y)
    adjusted = SparseSubgraphRegressor(covariates="site", **QUICK).fit(frame.drop(columns="age"), y)
    assert any(3 in g for g in unadjusted.subgraphs_)
    share = np.abs(unadjusted.subgraph_coef_).sum()
    assert np.abs(adjusted.subgraph_coef_).sum() < 0.2 * share


@pytest.mark.parametrize(("kind", "y"), PAIRS)
def test_a_new_category_counts_as_the_average(kind, y):
    model = kind(covariates=NAMES, alpha=0.05).fit(FRAME, y)
    new = FRAME.assign(site="Z", age=AGE.mean())
    ask = model.predict if kind is SparseSubgraphRegressor else model.decision_function
    expected = model.transform(FRAME) @ model.subgraph_coef_.ravel() + model.intercept_
    np.testing.assert_allclose(ask(new), expected, rtol=1e-9)


def coded_by_training_graphs(columns, train, test):
    whole = Fitting(GRAPHS, np.zeros(N), columns, [""] * N, np.ones(N), {})
    parts = whole.part(train), whole.part(test)
    return [parts[0].code.numbers(one.columns, one.graph_ids) for one in parts]


def test_folds_code_covariates_by_their_training_graphs():
    train, test = np.arange(40), np.arange(40, 60)
    columns = {"site": SITE, "age": AGE}
    spoiled = {"site": SITE.copy(), "age": AGE.copy()}
    spoiled["site"][test], spoiled["age"][test[1:]] = "Q", 1e9
    ours, theirs = (coded_by_training_graphs(c, train, test) for c in (columns, spoiled))
    assert np.array_equal(ours[0], theirs[0])
    np.testing.assert_allclose(ours[0].mean(axis=0), 0, atol=1e-12)
    assert theirs[1][0].tolist() == [0.0, 0.0, ours[1][0, 2]]


@pytest.mark.parametrize(
    ("covariates", "X", "message"),
    [
        ("iq", FRAME, "covariates must name columns of X, but there is no iq"),
        ([], FRAME, "covariates must be different columns, at least one"),
        (["age", "age"], FRAME, "covariates must be different columns"),
        (3, FRAME, "covariates must be names of columns, since X is a data frame"),
        ("age", EDGES, "covariates must be numbers of columns, since X is an array"),
        (6, EDGES, "covariates must be columns of X from 0 to 5, or from -6 to -1, but are"),
        ("iq", GRAPHS, "covariates must name columns of participants: there is no iq"),
        (
            "age",
            FRAME.assign(age=np.r_[np.nan, AGE[1:]]),
            "must be known for every graph, .* missing for 1 graph: 0",
        ),
        (NAMES, FRAME.assign(age=np.r_[np.inf, AGE[1:]]), "A covariate must be finite: age of 0 is inf"),
    ],
)
def test_invalid_covariates_are_refused(covariates, X, message):
    with pytest.raises(InputError, match=message):
        SparseSubgraphRegressor(covariates=covariates, alpha=0.1).fit(X, Y)


def test_covariates_that_explain_all_of_y_are_refused():
    message = "The covariates must leave something of y to explain"
    with pytest.raises(InputError, match=message):
        SparseSubgraphRegressor(covariates="y", alpha=0.1).fit(
            FRAME.drop(columns=NAMES).assign(y=2 * Y + 1), Y
        )
    with pytest.raises(InputError, match=message):
        SparseSubgraphClassifier(covariates="y", alpha=0.1).fit(
            FRAME.drop(columns=NAMES).assign(y=CLASSES), CLASSES
        )
    model = SparseSubgraphRegressor(covariates=NAMES, alpha=0.1).fit(FRAME, Y)
    with pytest.raises(
        InputError, match="A covariate must be what it was in fit: age was a column of numbers"
    ):
        model.predict(FRAME.assign(age="old"))


def test_covariates_of_labelled_graphs():
    ours = SparseSubgraphClassifier(covariates=NAMES, alpha=0.05).fit(LabelledGraphs(GRAPHS, CLASSES))
    theirs = SparseSubgraphClassifier(covariates=NAMES, alpha=0.05).fit(GRAPHS, CLASSES)
    assert ours.subgraph_coef_.tobytes() == theirs.subgraph_coef_.tobytes()
