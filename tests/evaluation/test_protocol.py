"""The protocol: what is mined where, what is measured, and which settings the paper's names stand for."""

import numpy as np
import pytest
from ridge_oracle import RidgeByHand
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from dugraph import InputError, RandomSplits, UncertainGraphs, evaluate
from dugraph.evaluation import METHODS, cells, make_method
from dugraph.evaluation import methods as methods_module
from dugraph.evaluation.cells import Subjects
from dugraph.evaluation.evaluate import PAPER_SIZES, draw_balanced
from dugraph.evaluation.methods import COMPARISONS
from dugraph.exceptions import FewerSubgraphsWarning
from dugraph.words import DEFAULT_PHI, METRICS

ALL = (*METHODS, *COMPARISONS)
QUICK = {"cv": RandomSplits(3), "n_subgraphs": [3, 6], "min_expected_frequency": 0.1}
SERIES = [np.random.default_rng(k).normal(size=(30, 6)) for k in range(30)]


def assert_metrics_by_hand(result, name, t, pipeline, X, y):
    """The metrics of a pipeline, split by split, from scikit-learn alone."""
    rows = []
    for train, test in StratifiedShuffleSplit(3, test_size=0.2, random_state=0).split(X, y):
        pipeline.fit(X[train], y[train])
        predicted, decision = pipeline.predict(X[test]), pipeline.decision_function(X[test])
        scored = [f(y[test], predicted) for f in (f1_score, balanced_accuracy_score)]
        rows.append([1 - (predicted == y[test]).mean(), *scored, roc_auc_score(y[test], decision)])
    for metric, values in zip(METRICS, np.transpose(rows), strict=True):
        found = result.values(metric)[result.methods.index(name), QUICK["n_subgraphs"].index(t)]
        np.testing.assert_allclose(found, values, atol=1e-12)


@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
@pytest.mark.parametrize("name", [*METHODS, "exp-hsic+div", "phi-hsic+div", "exp-freq+div", "hsic+div"])
def test_mining_once_gives_the_values_of_each_pipeline(small, name):
    result = evaluate(*small, methods=[name], **QUICK)
    for t in QUICK["n_subgraphs"]:
        pipeline = make_method(name, n_subgraphs=t, min_expected_frequency=0.1)
        assert_metrics_by_hand(result, name, t, pipeline, *small)


def test_the_comparisons_give_the_values_of_scikit_learn(small):
    result = evaluate(*small, methods="comparisons", **QUICK)
    for t in QUICK["n_subgraphs"]:
        assert_metrics_by_hand(result, "all-edges", t, RidgeByHand(), *small)
        best = make_pipeline(SelectKBest(f_classif, k=t), RidgeByHand())
        assert_metrics_by_hand(result, "select-k-best", t, best, *small)


def test_all_methods_run_and_are_ranked(small):
    seen = []
    result = evaluate(*small, **QUICK, progress=seen.append)
    assert result.methods == ALL
    assert result.values("auc").shape == (24, 2, 3)
    assert result.average_rank().shape == (24,)
    assert result.ranks("f1").min(axis=0).tolist() == [1, 1]
    assert result.failures == {}
    assert [now["done"] for now in seen] == list(range(1, 73))
    assert seen[-1]["seconds_left"] == 0


def test_time_series_are_compared_by_nilearn(small):
    pytest.importorskip("nilearn")
    methods = ["all-edges", "nilearn-correlation", "nilearn-tangent"]
    result = evaluate(*small, methods=methods, series=SERIES, **QUICK)
    assert np.isfinite(result.values("auc")).all()
    message = "nilearn-correlation, nilearn-tangent: time series .* are needed, .* only in Python: evaluate"
    with pytest.raises(InputError, match=message):
        evaluate(*small, methods=methods, **QUICK)
    with pytest.raises(InputError, match="time series for each of 30 graphs; got 2"):
        evaluate(*small, series=SERIES[:2], **QUICK)


def test_without_nilearn_its_methods_are_left_out_with_a_message(small, monkeypatch):
    monkeypatch.setattr(methods_module, "nilearn_is_installed", lambda: False)
    result = evaluate(*small, methods=["all-edges", "nilearn-tangent"], series=SERIES, **QUICK)
    assert result.methods == ("all-edges",)
    assert "pip install" in result.skipped["nilearn-tangent"]


def test_a_method_without_subgraphs_has_no_rank(small):
    X, y = np.minimum(small[0], 0.49), small[1]
    notes = (
        "No rank for freq, hsic: no features in 3 of 3 splits. No subgraph has an expected frequency above"
    )
    with pytest.warns(FewerSubgraphsWarning, match=notes):
        result = evaluate(X, y, methods=["freq", "exp-freq", "hsic"], **QUICK)
    assert list(result.failures) == ["freq", "hsic"]
    assert np.isnan(result.mean("error")[0]).all()
    np.testing.assert_array_equal(result.ranks("error")[:, 0], [np.nan, 1, np.nan])
    np.testing.assert_array_equal(result.average_rank(), [np.nan, 1, np.nan])
    wrong = r"none of freq, hsic has\. No subgraph .* above min_expected_frequency = 0.1; .* Lower the limit"
    with pytest.raises(InputError, match=wrong):
        evaluate(X, y, methods=["freq", "hsic"], **QUICK)


def test_fewer_subgraphs_than_t_give_a_warning(small):
    X, y = small
    asked = {"cv": RandomSplits(4), "n_subgraphs": [3, 20, 40], "max_edges": 1, "min_expected_frequency": 0.5}
    with pytest.warns(FewerSubgraphsWarning, match="Fewer subgraphs than t were found") as notes:
        result = evaluate(X, y, methods=["exp-hsic", "all-edges"], **asked)
    # Single edges: those admitted are counted by hand.
    splits = StratifiedShuffleSplit(4, test_size=0.2, random_state=0).split(X, y)
    smallest = min((X[train].mean(axis=0) > 0.5).sum() for train, _ in splits)
    assert 3 < smallest < 20
    assert result.fewer == {"exp-hsic": {20: smallest, 40: smallest}}
    assert f": {smallest} by exp-hsic for t=20, 40." in str(notes[0].message)
    assert result.notes == [str(notes[0].message)]
    assert np.isfinite(result.mean("error")).all()


def test_the_papers_settings_by_name(small, monkeypatch):
    X, y = small
    make, classifiers = cells.make_method, []
    monkeypatch.setattr(
        cells, "make_method", lambda name, **given: classifiers.append(given["C"]) or make(name, **given)
    )
    asked = {"methods": ["exp-freq"], "n_subgraphs": [2], "cv": RandomSplits(1)}
    for name, limit in (("adni", 0.4), ("hiv", 0.4)):
        result = evaluate(X, y, like_paper=name, **asked)
        assert result.parameters["min_expected_frequency"] == limit
        phi = {"confidence": 0.5, "frequency_ratio": 1, "g_test": 200, "hsic": 0.03}
        assert result.parameters["phi"] == DEFAULT_PHI | phi
        assert result.scoring == ("error", "f1")
    evaluate(X, y, **asked)
    assert classifiers == [1.0, 1.0, None]
    with pytest.raises(InputError, match="100 graphs of each class are needed"):
        evaluate(X, y, like_paper="adhd", **asked)
    many = np.tile(X, (8, 1)), np.concatenate([np.tile(y, 7), np.ones(30, dtype=int)])
    assert evaluate(*many, like_paper="adhd", **asked).parameters["min_expected_frequency"] == 0.2
    whole = evaluate(X, y, methods=["all-edges"], like_paper="adni")
    assert (whole.n_subgraphs, whole.n_splits) == (PAPER_SIZES, 20)


def test_balanced_drawing_is_seeded_and_keeps_order(small):
    X, y = small
    graphs = UncertainGraphs(X[:-3], graph_ids=[str(i) for i in range(27)])
    subjects = Subjects(graphs, y[:-3], "classes")
    first, again, other = (draw_balanced(subjects, 10, seed) for seed in (0, 0, 1))
    assert (first.y.sum(), len(first.y)) == (10, 20)
    assert first.graphs.graph_ids == again.graphs.graph_ids != other.graphs.graph_ids
    assert list(first.graphs.graph_ids) == sorted(first.graphs.graph_ids, key=int)


def test_regions_keep_the_edges_among_the_first_nodes(small):
    X, y = small
    fewer = evaluate(X, y, methods=["all-edges", "exp-hsic"], regions=4, **QUICK)
    alone = evaluate(X[:, :6], y, methods=["all-edges", "exp-hsic"], **QUICK)
    assert fewer.values("auc").tolist() == alone.values("auc").tolist()


def test_without_strata_graphs_are_drawn_uniformly(small):
    result = evaluate(*small, methods=["all-edges"], **{**QUICK, "cv": RandomSplits(3, stratify=False)})
    assert np.isfinite(result.values("error")).all()
    with pytest.raises(InputError, match="include both classes"):
        evaluate(small[0][:10], [1] + [0] * 9, methods=["all-edges"], cv=RandomSplits(stratify=False))


def test_scoring_selects_the_metrics_of_ranks_and_tables(small):
    settings = {"methods": ["exp-hsic", "all-edges"], **QUICK}
    plain, chosen = evaluate(*small, **settings), evaluate(*small, scoring=["auc"], **settings)
    assert plain.scoring == ("error", "f1", "auc")
    for result, has_f1 in ((plain, True), (chosen, False)):
        assert "AUC t=3" in result.table()
        assert "auc@3" in result.table("csv")
        assert ("F1" in result.table()) is has_f1
    assert chosen.average_rank().tolist() == plain.ranks("auc").mean(axis=1).tolist()
    assert chosen.values("f1").tolist() == plain.values("f1").tolist()


def test_seeds_may_come_from_generators(small):
    settings = {"methods": ["all-edges"], "n_subgraphs": [3]}
    seed = int(np.random.default_rng(5).integers(2**32))
    first, again, by_number = (
        evaluate(*small, random_state=state, **settings).values("error").tolist()
        for state in (np.random.default_rng(5), np.random.default_rng(5), seed)
    )
    assert first == again == by_number
    for state in (np.random.RandomState(1), None):
        assert evaluate(*small, random_state=state, **settings).n_splits == 20


def test_labels_decide_about_the_task(small):
    X, y = small
    quick = {"methods": ["all-edges"], "n_subgraphs": [3], "cv": 3}
    assert evaluate(X, y, **quick).task == "classes"
    assert evaluate(X, y + 0.0, covariates=np.arange(30), **quick).task == "groups"
    assert evaluate(X, y, task="phenotype", **quick).task == "phenotype"
    assert evaluate(X, np.arange(30), **quick).task == "phenotype"
    assert evaluate(X, np.array(["a", "b", "c"])[np.arange(30) % 3], **quick).task == "groups"


def test_penalties_are_chosen_in_folds_that_do_not_divide_groups(small, monkeypatch):
    X, y = small
    groups = np.arange(len(y)) // 4
    train, test = np.flatnonzero(groups % 3), np.flatnonzero(groups % 3 == 0)
    make, folds = cells.make_method, []
    monkeypatch.setattr(
        cells, "make_method", lambda name, **asked: folds.extend(asked["cv"]) or make(name, **asked)
    )
    evaluate(X, y, ["all-edges"], groups=groups, cv=[(train, test)])
    assert len(folds) > 1
    for fitted, held_out in folds:
        assert not set(groups[train][fitted]) & set(groups[train][held_out])
