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
from dugraph.evaluation.methods import COMPARISONS, fit_sizes
from dugraph.exceptions import FewerSubgraphsWarning
from dugraph.words import DEFAULT_PHI, METRICS

ALL = (*METHODS, *COMPARISONS)
QUICK = {"cv": RandomSplits(3), "n_subgraphs": [3, 6], "min_expected_frequency": 0.1}
SERIES_LENGTH = 30


def make_series(n_graphs, n_nodes=6):
    rng = np.random.default_rng(1)
    return [rng.normal(size=(SERIES_LENGTH, n_nodes)) for _ in range(n_graphs)]


def by_hand(pipeline, X, y, **split):
    """The metrics of a pipeline, split by split, from scikit-learn alone."""
    rows = []
    for train, test in StratifiedShuffleSplit(3, test_size=0.2, random_state=0, **split).split(X, y):
        pipeline.fit(X[train], y[train])
        predicted, decision = pipeline.predict(X[test]), pipeline.decision_function(X[test])
        rows.append(
            (
                1 - (predicted == y[test]).mean(),
                f1_score(y[test], predicted, zero_division=0.0),
                balanced_accuracy_score(y[test], predicted),
                roc_auc_score(y[test], decision),
            )
        )
    return np.array(rows).T


@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
@pytest.mark.parametrize("name", [*METHODS, "exp-hsic+div", "phi-hsic+div", "exp-freq+div", "hsic+div"])
def test_mining_once_gives_the_values_of_each_pipeline(small, name):
    result = evaluate(*small, methods=[name], **QUICK)
    for column, t in enumerate(QUICK["n_subgraphs"]):
        expected = by_hand(make_method(name, n_subgraphs=t, min_expected_frequency=0.1), *small)
        for metric, values in zip(METRICS, expected, strict=True):
            np.testing.assert_allclose(result.values(metric)[0, column], values, atol=1e-12)


def test_the_comparisons_give_the_values_of_scikit_learn(small):
    result = evaluate(*small, methods="comparisons", **QUICK)
    machine = RidgeByHand()
    for column, t in enumerate(QUICK["n_subgraphs"]):
        for row, pipeline in enumerate([machine, make_pipeline(SelectKBest(f_classif, k=t), machine)]):
            expected = by_hand(pipeline, *small)
            for metric, values in zip(METRICS, expected, strict=True):
                np.testing.assert_allclose(result.values(metric)[row, column], values, atol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_test_graphs_do_not_influence_training(small, name, monkeypatch):
    X, y = small
    train, test = np.arange(24), np.arange(24, 30)
    garbage, wrong = X.copy(), y.copy()
    garbage[test] = np.random.default_rng(9).integers(0, 2, (6, 15))
    wrong[test] = 1 - y[test]
    learned = []

    def watched(*arguments):
        learned.append(fit_sizes(*arguments))
        return learned[-1]

    monkeypatch.setattr(cells, "fit_sizes", watched)
    for graphs, labels in ((X, y), (garbage, wrong)):
        evaluate(graphs, labels, [name], cv=[(train, test)], n_subgraphs=[6], min_expected_frequency=0.1)
    ours, theirs = learned
    assert ours.n_found == theirs.n_found
    assert (ours.n_found is not None) == (name in METHODS)
    assert np.array_equal(ours.models[6].decision_function(X), theirs.models[6].decision_function(X))


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
    series = make_series(30)
    methods = ["all-edges", "nilearn-correlation", "nilearn-tangent"]
    result = evaluate(*small, methods=methods, series=series, **QUICK)
    assert np.isfinite(result.values("auc")).all()
    message = "nilearn-correlation, nilearn-tangent: time series .* are needed, .* only in Python: evaluate"
    with pytest.raises(InputError, match=message):
        evaluate(*small, methods=methods, **QUICK)
    with pytest.raises(InputError, match="time series for each of 30 graphs; got 2"):
        evaluate(*small, series=series[:2], **QUICK)


def test_without_nilearn_its_methods_are_left_out_with_a_message(small, monkeypatch):
    monkeypatch.setattr(methods_module, "nilearn_is_installed", lambda: False)
    methods = ["all-edges", "nilearn-tangent"]
    result = evaluate(*small, methods=methods, series=make_series(30), **QUICK)
    assert result.methods == ("all-edges",)
    assert "pip install" in result.skipped["nilearn-tangent"]


def test_a_method_without_subgraphs_has_no_rank(small):
    X, y = small
    notes = (
        "No rank for freq, hsic: no features in 3 of 3 splits. No subgraph has an expected frequency above"
    )
    with pytest.warns(FewerSubgraphsWarning, match=notes):
        result = evaluate(np.minimum(X, 0.49), y, methods=["freq", "exp-freq", "hsic"], **QUICK)
    assert list(result.failures) == ["freq", "hsic"]
    assert np.isnan(result.mean("error")[0]).all()
    np.testing.assert_array_equal(result.ranks("error")[:, 0], [np.nan, 1, np.nan])
    np.testing.assert_array_equal(result.average_rank(), [np.nan, 1, np.nan])


def test_no_method_with_features_is_an_error(small):
    X, y = small
    wrong = r"none of freq, hsic has\. No subgraph .* above min_expected_frequency = 0.1; .* Lower the limit"
    with pytest.raises(InputError, match=wrong):
        evaluate(np.minimum(X, 0.49), y, methods=["freq", "hsic"], **QUICK)


def test_fewer_subgraphs_than_t_give_a_warning(small):
    settings = {
        "cv": RandomSplits(4),
        "n_subgraphs": [3, 20, 40],
        "max_edges": 1,
        "min_expected_frequency": 0.5,
    }
    with pytest.warns(FewerSubgraphsWarning, match="Fewer subgraphs than t were found") as notes:
        result = evaluate(*small, methods=["exp-hsic", "all-edges", "l1-edges"], **settings)
    # Single edges: those admitted are counted by hand.
    X, y = small
    splits = StratifiedShuffleSplit(4, test_size=0.2, random_state=0).split(X, y)
    smallest = min((X[train].mean(axis=0) > 0.5).sum() for train, _ in splits)
    assert 3 < smallest < 20
    assert result.fewer == {"exp-hsic": {20: smallest, 40: smallest}}
    assert f": {smallest} by exp-hsic for t=20, 40." in str(notes[0].message)
    assert result.notes == [str(notes[0].message)]
    assert np.isfinite(result.mean("error")).all()


def test_the_papers_settings_by_name(small):
    X, y = small
    methods = ["exp-freq"]
    for name, limit in (("adni", 0.4), ("hiv", 0.4)):
        result = evaluate(X, y, methods=methods, like_paper=name, n_subgraphs=[2], cv=RandomSplits(2))
        assert result.parameters["min_expected_frequency"] == limit
        phi = {"confidence": 0.5, "frequency_ratio": 1, "g_test": 200, "hsic": 0.03}
        assert result.parameters["phi"] == DEFAULT_PHI | phi
    with pytest.raises(InputError, match="100 graphs of each class are needed"):
        evaluate(X, y, methods=methods, like_paper="adhd")
    many = np.tile(X, (8, 1)), np.concatenate([np.tile(y, 7), np.ones(30, dtype=int)])
    result = evaluate(*many, methods=methods, like_paper="adhd", n_subgraphs=[2], cv=RandomSplits(2))
    assert result.parameters["min_expected_frequency"] == 0.2
    whole = evaluate(X, y, methods=["all-edges"], like_paper="adni")
    assert whole.n_subgraphs == PAPER_SIZES
    assert whole.n_splits == 20


def test_balanced_drawing_is_seeded_and_keeps_order(small):
    X, y = small
    graphs = UncertainGraphs(X[:-3], graph_ids=[str(i) for i in range(27)])
    subjects = Subjects(graphs, y[:-3], "classes")
    first, again, other = (draw_balanced(subjects, 10, seed) for seed in (0, 0, 1))
    assert first.y.sum() == 10
    assert len(first.y) == 20
    assert first.graphs.graph_ids == again.graphs.graph_ids != other.graphs.graph_ids
    assert list(first.graphs.graph_ids) == sorted(first.graphs.graph_ids, key=int)


def test_regions_keep_the_edges_among_the_first_nodes(small):
    X, y = small
    fewer = evaluate(X, y, methods=["all-edges", "exp-hsic"], regions=4, **QUICK)
    alone = evaluate(X[:, :6], y, methods=["all-edges", "exp-hsic"], **QUICK)
    assert fewer.values("auc").tolist() == alone.values("auc").tolist()
    with pytest.raises(InputError, match="from 2 to the number of nodes, 6; got 90"):
        evaluate(X, y, regions=90)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"methods": ["exp-hsci"]}, "got 'exp-hsci'"),
        ({"n_subgraphs": []}, "different positive numbers"),
        ({"n_subgraphs": [5, 5]}, "different positive numbers"),
        ({"like_paper": "abide"}, "adhd, adni, hiv; got 'abide'"),
        ({"phi": {"chi": 1}}, "got 'chi'"),
        ({"cv": RandomSplits(test_size=2.0)}, "test_size"),
        ({"scoring": "accuracy"}, "scoring must be .* but is 'accuracy'"),
        ({"scoring": []}, "scoring must be different metrics, at least one"),
        ({"task": "regression"}, "task must be"),
        ({"task": "classes", "covariates": np.arange(30)}, "covariates apply to groups and phenotypes"),
        ({"task": "phenotype", "phi": 0.1}, "phi applies to two classes only"),
    ],
)
def test_wrong_settings_are_refused(small, wrong, message):
    with pytest.raises(InputError, match=message):
        evaluate(*small, **wrong)


def test_without_strata_graphs_are_drawn_uniformly(small):
    result = evaluate(*small, methods=["all-edges"], **{**QUICK, "cv": RandomSplits(3, stratify=False)})
    assert np.isfinite(result.values("error")).all()
    with pytest.raises(InputError, match="of both classes"):
        evaluate(small[0][:10], [1] + [0] * 9, methods=["all-edges"], cv=RandomSplits(stratify=False))


def test_scoring_selects_the_metrics_of_ranks_and_tables(small):
    settings = {"methods": ["exp-hsic", "all-edges"], **QUICK}
    plain, chosen = evaluate(*small, **settings), evaluate(*small, scoring=["auc"], **settings)
    assert "AUC t=3" in chosen.table()
    assert "F1" not in chosen.table()
    assert chosen.average_rank().tolist() == plain.ranks("auc").mean(axis=1).tolist()
    assert chosen.values("f1").tolist() == plain.values("f1").tolist()


def test_seeds_may_come_from_generators(small):
    settings = {"methods": ["all-edges"], "n_subgraphs": [3]}
    first, again = (
        evaluate(*small, random_state=np.random.default_rng(5), **settings).values("error") for _ in range(2)
    )
    assert np.array_equal(first, again)
    seed = int(np.random.default_rng(5).integers(2**32))
    assert np.array_equal(evaluate(*small, random_state=seed, **settings).values("error"), first)
    old = evaluate(*small, random_state=np.random.RandomState(1), **settings)
    assert evaluate(*small, random_state=None, **settings).n_splits == old.n_splits == 20


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


def test_the_preset_has_the_classifier_of_the_paper(small, monkeypatch):
    asked = []
    make = cells.make_method
    monkeypatch.setattr(
        cells, "make_method", lambda name, **given: asked.append(given["C"]) or make(name, **given)
    )
    for preset in ("hiv", None):
        settings = {"cv": RandomSplits(1), "n_subgraphs": [3], "like_paper": preset}
        evaluate(*small, ["all-edges"], **settings)
    assert asked == [1.0, None]
