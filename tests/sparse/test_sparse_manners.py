"""A sparse classifier at the edges: types, tiny classes, order, refits, time, and the looks of models."""

import gc
import warnings
import weakref

import numpy as np
import pandas as pd
import pytest

from dugraph import InputError, LimitReachedWarning, SparseSubgraphClassifier, UncertainGraphs, sparse_path
from dugraph.search import Status
from dugraph.search.gains import GainSearch
from dugraph.sparse.column_generation import ColumnGeneration

RNG = np.random.default_rng(7)
Y = np.tile([0, 1], 15)
X = RNG.uniform(0.2, 0.8, (30, 10))
X[Y == 1, :2] += 0.15


def test_single_precision_gives_the_model_of_the_same_numbers():
    narrow = X.astype(np.float32)
    model = SparseSubgraphClassifier(alpha=0.02).fit(narrow, Y)
    wide = SparseSubgraphClassifier(alpha=0.02).fit(narrow.astype(np.float64), Y)
    assert model.subgraphs_ == wide.subgraphs_
    assert model.coef_.tobytes() == wide.coef_.tobytes()
    assert model.transform(narrow).dtype == np.float32
    np.testing.assert_allclose(model.decision_function(narrow), wide.decision_function(narrow), rtol=1e-5)


def test_columns_of_a_frame_are_remembered_and_checked():
    frame = pd.DataFrame(X, columns=[f"e{i}" for i in range(10)])
    model = SparseSubgraphClassifier(alpha=0.02).fit(frame, Y)
    assert model.feature_names_in_.tolist() == list(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])


def test_the_order_of_graphs_does_not_matter():
    order = RNG.permutation(30)
    model = SparseSubgraphClassifier(alpha=0.02).fit(X, Y)
    turned = SparseSubgraphClassifier(alpha=0.02).fit(X[order], Y[order])
    assert turned.subgraphs_ == model.subgraphs_
    assert turned.coef_.tobytes() == model.coef_.tobytes()
    assert turned.predict(X).tolist() == model.predict(X).tolist()


def test_one_graph_in_each_class():
    two = np.array([[0.9, 0.9, 0.2], [0.1, 0.5, 0.2]])
    model = SparseSubgraphClassifier(alpha=0.01).fit(two, ["a", "b"])
    assert model.predict(two).tolist() == ["a", "b"]
    with pytest.raises(InputError, match="cv must be able to split these graphs"):
        SparseSubgraphClassifier().fit(two, ["a", "b"])


def test_a_class_too_small_for_the_folds_is_told():
    few = np.array([0] * 29 + [1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn's, of a class smaller than the folds
        with pytest.raises(InputError, match="Both classes are needed in every training fold"):
            SparseSubgraphClassifier(cv=3, n_alphas=3).fit(X, few)


def test_a_refit_forgets_what_it_no_longer_knows():
    model = SparseSubgraphClassifier(cv=2, n_alphas=3).fit(X, Y)
    assert model.cv_losses_.shape == (3, 2)
    model.set_params(alpha=0.02).fit(X, Y)
    assert not hasattr(model, "cv_losses_")
    assert [m.alpha for m in model.path_] == [0.02]


def test_a_time_limit_in_the_folds_is_told():
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
    whole = ColumnGeneration.solve

    def watched(self, *step):
        begun.append(self)
        solved.append(step)
        return whole(self, *step)

    monkeypatch.setattr(ColumnGeneration, "solve", watched)
    path = sparse_path(X, Y, n_alphas=6, min_expected_frequency=0.1)
    assert len(path) == len(solved) == len(set(solved)) == 6
    assert len(set(map(id, begun))) == 1


def test_models_take_graphs_and_show_themselves_shortly():
    graphs = UncertainGraphs(X)
    path = sparse_path(graphs, Y, n_alphas=10, alpha_min_ratio=0.001, min_expected_frequency=0.1)
    model = path[-1]
    assert model.status is Status.OPTIMAL
    assert model.decision_function(graphs).tobytes() == model.decision_function(X).tobytes()
    assert len(model.coef) > 10
    lines = repr(model).splitlines()
    assert lines[0].startswith(f"SparseModel: {len(model.coef)} subgraphs at the penalty")
    assert len(lines) == 12
    assert lines[-1] == f"  ... and {len(model.coef) - 10} more"
    assert f"{model.coef[0]:+.6g}" in lines[1]
    html = model._repr_html_()
    assert html.count("<tr>") == 11
    assert f"and {len(model.coef) - 10} more" in html
    assert "0 subgraphs" in repr(path[0])


@pytest.mark.parametrize("progress", [None, lambda _: None])
@pytest.mark.parametrize("parameters", [{"alpha": "cv", "cv": 3, "n_alphas": 4}, {"alpha": 0.02}])
def test_a_fit_leaves_no_columns_to_the_garbage_collector(monkeypatch, parameters, progress):
    """It counts objects, not bytes: with hundreds of fits in one process, gigabytes would wait for it."""
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
