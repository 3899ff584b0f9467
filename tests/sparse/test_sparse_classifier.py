"""SparseSubgraphClassifier and sparse_path: choice of the penalty, input types, refits, displays, errors."""

import gc
import weakref

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from dugraph import (
    EdgeProbability,
    InputError,
    SparseSubgraphClassifier,
    SubgraphSelector,
    UncertainGraphs,
    simulate,
)
from dugraph.exceptions import LimitReachedWarning
from dugraph.search import Status
from dugraph.search.problem import GainSearch
from dugraph.sparse import sparse_path
from dugraph.sparse.column_generation import PathFinder

RNG = np.random.default_rng(7)
Y = np.tile([0, 1], 15)
X = RNG.uniform(0.2, 0.8, (30, 10))
X[Y == 1, :2] += 0.15


@pytest.fixture(scope="module")
def cohort():
    graphs, y, _ = simulate("adhd", n_graphs=60, random_state=1)
    return graphs, np.where(y == 1, "patient", "control")


def test_a_model_with_a_given_penalty(cohort):
    graphs, y = cohort
    model = SparseSubgraphClassifier(alpha=0.02).fit(graphs, y)
    assert model.classes_.tolist() == ["control", "patient"]
    assert model.subgraph_coef_.shape == (1, len(model.subgraphs_))
    assert (np.diff(np.abs(model.subgraph_coef_[0])) <= 0).all()
    assert 0 <= model.duality_gap_ <= 1e-4 * np.log(2)
    features = model.transform(graphs)
    for column, g in zip(features.T, model.subgraphs_, strict=True):
        np.testing.assert_allclose(column, graphs.edge_probability[:, g].prod(axis=1), rtol=1e-14)
    decision = model.decision_function(graphs)
    np.testing.assert_allclose(decision, features @ model.subgraph_coef_[0] + model.intercept_[0])
    np.testing.assert_allclose(model.predict_proba(graphs)[:, 1], expit(decision))
    assert np.array_equal(model.predict(graphs) == "patient", decision > 0)
    margin = np.where(y == "patient", 1, -1) * decision
    objective = np.logaddexp(0, -margin).mean() + 0.02 * np.abs(model.subgraph_coef_).sum()
    assert model.objective_ == pytest.approx(objective, rel=1e-12)
    names = model.get_feature_names_out()
    assert names[0] == graphs.subgraph_name(model.subgraphs_[0])
    assert model.set_output(transform="pandas").transform(graphs).columns.tolist() == names.tolist()


def test_any_container_gives_the_same_model(cohort):
    graphs, y = cohort
    X = graphs.edge_probability
    settings = {"alpha": 0.03, "min_expected_frequency": 0.3}
    expected = SparseSubgraphClassifier(**settings).fit(graphs, y)
    for data in (X, sparse.csr_matrix(X)):
        model = SparseSubgraphClassifier(edges=graphs.edges, **settings).fit(data, y)
        assert model.subgraph_coef_.tobytes() == expected.subgraph_coef_.tobytes()
        assert np.array_equal(model.predict(data), expected.predict(graphs))


@pytest.mark.parametrize("n_nonzero", [1, 5, 12])
def test_n_nonzero_limits_the_number_of_subgraphs(cohort, n_nonzero: int):
    model = SparseSubgraphClassifier(alpha=None, n_nonzero=n_nonzero).fit(*cohort)
    assert 1 <= len(model.subgraphs_) <= n_nonzero
    tuned = SparseSubgraphClassifier(n_nonzero=n_nonzero, cv=3, n_alphas=10).fit(*cohort)
    assert len(tuned.subgraphs_) <= n_nonzero
    assert len(tuned.cv_losses_) < len(tuned.path_) <= 10
    assert model.alpha_ == min(m.alpha for m in model.path_ if len(m.coef) <= n_nonzero)


def test_cross_validation_chooses_the_penalty_with_the_least_held_out_loss(cohort):
    graphs, y = cohort
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    settings = {"min_expected_frequency": 0.3, "n_alphas": 8}
    model = SparseSubgraphClassifier(cv=folds, **settings).fit(graphs, y)
    assert model.cv_losses_.shape == (8, 3)
    assert model.alpha_ == model.path_[int(model.cv_losses_.mean(axis=1).argmin())].alpha
    # The same by hand for one fold.
    train, test = next(folds.split(graphs.edge_probability, y))
    alphas = [m.alpha for m in model.path_]
    path = sparse_path(graphs[train], y[train], alphas=alphas, min_expected_frequency=0.3)
    sign = np.where(y[test] == "patient", 1, -1)
    for m, expected in zip(path, model.cv_losses_[:, 0], strict=True):
        margin = sign * m.decision_function(graphs.edge_probability[test])
        assert np.logaddexp(0, -margin).mean() == pytest.approx(expected, rel=1e-12)


def test_a_path_begins_without_subgraphs_and_follows_the_penalties_given(cohort):
    path = sparse_path(*cohort, n_alphas=6)
    assert path[0].subgraphs == []
    assert [len(m.coef) for m in path][-1] > 0
    objectives = [m.objective for m in path]
    assert objectives == sorted(objectives, reverse=True)
    short = sparse_path(*cohort, n_alphas=6, n_nonzero=1)
    assert [len(m.coef) for m in short] == [len(m.coef) for m in path][: len(short)]
    assert len(short[-1].coef) > 1 >= len(short[-2].coef)
    given = sparse_path(*cohort, alphas=[path[4].alpha, path[2].alpha])
    assert [m.alpha for m in given] == [path[2].alpha, path[4].alpha]
    assert given[1].objective == pytest.approx(path[4].objective, abs=2e-4)


def dense_cohort() -> tuple[np.ndarray, np.ndarray]:
    """A cohort with many admitted subgraphs, for which a search takes a while."""
    return 0.4 + 0.6 * np.random.default_rng(0).random((30, 45)), np.repeat([0, 1], 15)


def test_classes_without_any_difference():
    model = SparseSubgraphClassifier(alpha="cv", cv=2).fit(np.full((8, 3), 0.5), [0, 1] * 4)
    assert model.subgraphs_ == []
    assert model.subgraph_coef_.shape == (1, 0)
    assert model.transform(np.full((2, 3), 0.5)).shape == (2, 0)
    np.testing.assert_allclose(model.predict_proba(np.full((2, 3), 0.5)), 0.5)


def test_pipelines(cohort):
    graphs, y = cohort
    r = graphs.edge_probability * 2 - 1
    sparse_model = SparseSubgraphClassifier(edges=graphs.edges, alpha=0.03, min_expected_frequency=0.1)
    pipeline = make_pipeline(EdgeProbability(), sparse_model)
    assert cross_val_score(clone(pipeline), r, y, cv=3).shape == (3,)
    features = make_pipeline(sparse_model, SVC(kernel="linear"))
    assert features.fit(graphs.edge_probability, y).score(graphs.edge_probability, y) > 0.6


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": "best"}, 'alpha must be a positive number, "cv" or None'),
        ({"alpha": -1.0}, "alpha must be a positive number"),
        ({"alpha": None}, "give n_nonzero too"),
        ({"alpha": 0.1, "n_nonzero": 3}, "alpha or n_nonzero, but not both"),
        ({"n_nonzero": 0}, "n_nonzero must be a whole number of at least 1"),
        ({"loss": "hinge"}, "loss must be one of logistic, squared_hinge, but is 'hinge'"),
        ({"tol": 0}, "tol must be a number above 0 and below 1"),
        ({"alpha_min_ratio": 2.0}, "alpha_min_ratio must be a number above 0"),
        ({"n_alphas": 0}, "n_alphas must be a whole number of at least 1"),
        ({"max_edges": 0}, "max_edges must be a whole number of at least 1"),
        (
            {"min_expected_frequency": 1.5},
            "min_expected_frequency must be a number of at least 0 and below 1",
        ),
        ({"time_limit": -1}, "time_limit must be a positive number"),
        ({"l1_ratio": 0}, "l1_ratio must be a number above 0 and at most 1, but is 0"),
        ({"l1_ratio": "half"}, "l1_ratio must be a number above 0 and at most 1, but is 'half'"),
        ({"refit": "lasso"}, "refit must be one of ridge, but is 'lasso'"),
        ({"class_weight": "equal"}, 'class_weight must be "balanced" or a dict of a number for each class'),
        ({"class_weight": {7: 1.0}}, 'class_weight must be "balanced" or a dict of a number for each class'),
    ],
)
def test_invalid_parameters_are_refused(cohort, parameters, message: str):
    with pytest.raises(InputError, match=message):
        SparseSubgraphClassifier(**parameters).fit(*cohort)
    for alphas in ([], [0.1, -0.1], [[0.1]], "x", [np.nan]):
        with pytest.raises(InputError, match="alphas must be a flat sequence of positive numbers"):
            sparse_path(*cohort, alphas=alphas)


def test_progress_is_reported():
    def stop(now):
        seen.append(now)
        raise RuntimeError("stop")  # the whole path would take long

    seen = []
    X, y = dense_cohort()
    with pytest.raises(RuntimeError, match="stop"):
        sparse_path(X, y, min_expected_frequency=0.02, progress=stop)
    assert len(seen) == 1
    assert {"alpha", "n_nonzero", "n_visited", "seconds"} <= seen[0].keys()


def joint_presence(random: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two adjacent edges, each high in half of the graphs of either class; only their product is informative.

    In positive graphs both are high or both are low, in negative graphs exactly one is high.
    """
    y = np.tile([1, 0], n // 2)
    X = 0.2 + 0.6 * random.random((n, 28))
    for label in (0, 1):
        members = np.flatnonzero(y == label)
        high = random.permutation(np.arange(len(members)) % 2 == 0)
        X[members, 0] = np.where(high, 0.9, 0.1)
        X[members, 1] = np.where(high == bool(label), 0.9, 0.1)
    return X, y


def test_an_effect_that_only_edges_together_show():
    single, together, dug = [], [], []
    for seed in range(6):
        random = np.random.default_rng(seed)
        (X, y), (X_new, y_new) = joint_presence(random, 80), joint_presence(random, 400)
        for label in (0, 1):  # each edge alone has the same distribution in both classes
            assert sorted(X[y == label, 0]) == sorted(X[y == label, 1]) == [0.1] * 20 + [0.9] * 20
        settings = {"alpha": 0.02, "min_expected_frequency": 0.05}
        single.append(SparseSubgraphClassifier(**settings, max_edges=1).fit(X, y).score(X_new, y_new))
        together.append(SparseSubgraphClassifier(**settings).fit(X, y).score(X_new, y_new))
        selector = SubgraphSelector(n_subgraphs=10, min_expected_frequency=0.05)
        dug.append(make_pipeline(selector, SVC(kernel="linear")).fit(X, y).score(X_new, y_new))
    assert 0.42 < np.mean(single) < 0.58
    assert np.mean(together) > 0.7
    assert np.mean(dug) > 0.7


def test_single_precision_gives_the_same_model():
    narrow = X.astype(np.float32)
    model = SparseSubgraphClassifier(alpha=0.02).fit(narrow, Y)
    wide = SparseSubgraphClassifier(alpha=0.02).fit(narrow.astype(np.float64), Y)
    assert model.subgraphs_ == wide.subgraphs_
    assert model.subgraph_coef_.tobytes() == wide.subgraph_coef_.tobytes()
    assert model.transform(narrow).dtype == np.float32
    np.testing.assert_allclose(model.decision_function(narrow), wide.decision_function(narrow), rtol=1e-5)


def test_one_graph_in_each_class():
    two = np.array([[0.9, 0.9, 0.2], [0.1, 0.5, 0.2]])
    model = SparseSubgraphClassifier(alpha=0.01).fit(two, ["a", "b"])
    assert model.predict(two).tolist() == ["a", "b"]
    with pytest.raises(InputError, match="cv must be able to split these graphs"):
        SparseSubgraphClassifier().fit(two, ["a", "b"])


def test_a_second_fit_removes_stale_attributes():
    model = SparseSubgraphClassifier(cv=2, n_alphas=3).fit(X, Y)
    assert model.cv_losses_.shape == (3, 2)
    model.set_params(alpha=0.02).fit(X, Y)
    assert not hasattr(model, "cv_losses_")
    assert [m.alpha for m in model.path_] == [0.02]


def test_a_time_limit_in_the_folds_is_reported():
    dense = 0.4 + 0.6 * np.random.default_rng(0).random((30, 91))
    settings = {"min_expected_frequency": 0.02, "cv": 2, "n_alphas": 4}
    with pytest.warns(LimitReachedWarning, match="time limit was reached"):
        model = SparseSubgraphClassifier(**settings, time_limit=0.3).fit(dense, np.repeat([0, 1], 15))
    assert not model.finished_
    assert model.cv_losses_.shape[1] == 2


def test_all_searches_are_counted():
    one = SparseSubgraphClassifier(alpha=0.02).fit(X, Y)
    assert one.n_searches_ >= 1  # the proof
    assert one.finished_
    folds = SparseSubgraphClassifier(cv=2, n_alphas=3).fit(X, Y)
    assert folds.n_searches_ >= 1 + 3 * 3  # the largest penalty, and the proofs of the path and of two folds


def test_no_penalty_of_a_path_is_fitted_twice(monkeypatch):
    begun, solved = [], []
    whole = PathFinder._solve

    def watched(self, *step):
        begun.append(self)
        solved.append(step)
        return whole(self, *step)

    monkeypatch.setattr(PathFinder, "_solve", watched)
    path = sparse_path(X, Y, n_alphas=6, min_expected_frequency=0.1)
    assert len(path) == len(solved) == len(set(solved)) == 6
    assert len(set(map(id, begun))) == 1


def test_models_accept_graphs_and_have_short_displays():
    graphs = UncertainGraphs(X)
    path = sparse_path(graphs, Y, n_alphas=10, alpha_min_ratio=0.001, min_expected_frequency=0.1)
    model = path[-1]
    assert model.status is Status.OPTIMAL
    assert model.decision_function(graphs).tobytes() == model.decision_function(X).tobytes()
    assert len(model.coef) > 10
    lines = repr(model).splitlines()
    assert lines[0].startswith(f"SparseModel: {len(model.coef)} subgraphs at the penalty")
    assert len(lines) == 13
    assert lines[1].split() == ["coefficient", "edges"]
    assert lines[-1] == f"  ... and {len(model.coef) - 10} more"
    assert f"{model.coef[0]:+.6g}" in lines[2]
    html = model._repr_html_()
    assert html.count("<tr>") == 11
    assert f"and {len(model.coef) - 10} more" in html
    assert "0 subgraphs" in repr(path[0])


@pytest.mark.parametrize("progress", [None, lambda _: None])
@pytest.mark.parametrize("parameters", [{"alpha": "cv", "cv": 3, "n_alphas": 4}, {"alpha": 0.02}])
def test_a_fit_leaves_no_reference_cycles(monkeypatch, parameters, progress):
    """The garbage collector counts objects, not bytes: cycles could hold gigabytes after many fits."""
    searches, begin = [], GainSearch.__init__

    def watched(self, *arguments, **options):
        searches.append(weakref.ref(self))
        begin(self, *arguments, **options)

    monkeypatch.setattr(GainSearch, "__init__", watched)
    gc.disable()
    try:
        SparseSubgraphClassifier(**parameters, progress=progress).fit(X, Y)
        assert [search() for search in searches] == [None] * len(searches)
    finally:
        gc.enable()
    assert len(searches) == (4 if parameters["alpha"] == "cv" else 1)


def test_only_the_logistic_loss_has_probabilities():
    model = SparseSubgraphClassifier(alpha=0.02).fit(X, Y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    model = SparseSubgraphClassifier(alpha=0.1, loss="squared_hinge").fit(X, Y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    assert model.decision_function(X).shape == (30,)
