"""Evaluation of groups: methods by hand, with and without covariates, no leak from test graphs."""

import os

import numpy as np
import pytest
from aged_cohort import AGE, GRAPHS, GROUPS, LIMITS, QUICK, RNG, SITE, X, folds
from ridge_oracle import RidgeByHand
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold

import dugraph as dg
from dugraph import RepeatedFolds
from dugraph.cli import main
from dugraph.evaluation import cells
from dugraph.evaluation.cells import forecast_metrics, group_metrics
from dugraph.evaluation.methods import KNOWN, fit_sizes
from dugraph.evaluation.splits import inner_folds

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))


def predictions_of(name, y, edges=X, site=None):
    graphs = dg.UncertainGraphs(edges, participants=None if site is None else {"site": site})
    (train, test), covariates = folds()[0], None if site is None else ["site"]
    limits = {**LIMITS, "n_subgraphs": 3, "covariates": covariates, "cv": inner_folds(y[train], None)}
    method = dg.evaluation.make_method(name, task="groups", **limits)
    return method.fit(graphs[train], y[train]).predict(graphs[test])


@pytest.mark.parametrize("name", [name for name in KNOWN["groups"] if name != "l1-edges"])
@pytest.mark.parametrize("adjusted", [False, True])
def test_predicted_groups_do_not_depend_on_other_test_graphs(name, adjusted, monkeypatch):
    train, test = folds()[0]
    wrong, edges, site = GROUPS.copy(), X.copy(), SITE.copy()
    wrong[test] = np.roll(GROUPS[test], 1)
    edges[test[:5]] = RNG.random((5, 10))
    site[test[:5]] = "Q"
    predicted = []

    def watched(*arguments):
        fitted = fit_sizes(*arguments)
        predicted.append(fitted.models[3].predict(graphs[test]))
        return fitted

    monkeypatch.setattr(cells, "fit_sizes", watched)
    asked = {"cv": [(train, test)], "n_subgraphs": [3], "covariates": "site" if adjusted else None, **LIMITS}
    for x, y, sites in ((X, GROUPS, SITE), (edges, wrong, site)):
        graphs = dg.UncertainGraphs(x, participants={"site": sites})
        dg.evaluate(graphs, y, [name], signed=2 * x - 1, **asked)
    ours, theirs = predicted
    assert np.array_equal(ours[5:], theirs[5:])
    assert np.array_equal(ours, predictions_of(name, GROUPS, site=SITE if adjusted else None))


def test_groups_are_predicted_from_adjusted_features():
    train, test = folds()[0]
    known = np.column_stack([SITE == "B", SITE == "C"]).astype(float)

    def beyond(features):
        return features - LinearRegression().fit(known[train], features[train]).predict(known)

    rest = beyond(X)
    machine = RidgeByHand().fit(rest[train], GROUPS[train])
    assert np.array_equal(predictions_of("all-edges", GROUPS, site=SITE), machine.predict(rest[test]))

    limits = {"min_expected_frequency": 0.1, "max_edges": 2}
    selector = dg.SubgraphSelector(n_subgraphs=3, **limits).fit(
        X[train], GROUPS[train], covariates=SITE[train]
    )
    features = beyond(selector.transform(X))
    machine = RidgeByHand().fit(features[train], GROUPS[train])
    assert np.array_equal(predictions_of("exp-hsic", GROUPS, site=SITE), machine.predict(features[test]))

    # One model of each group against the rest; covariates are in the fit, but not in what is decided.
    inner = inner_folds(GROUPS[train], None)
    graphs = dg.UncertainGraphs(X, participants={"site": SITE})
    asked = {"n_nonzero": 3, "n_alphas": 20, "alpha_min_ratio": 0.02, "tol": 1e-3, "cv": inner, **limits}
    asked["refit"] = "ridge"
    decisions = []
    for group in np.unique(GROUPS):
        model = dg.SparseSubgraphClassifier(covariates="site", **asked)
        model.fit(graphs[train], GROUPS[train] == group)
        columns = model.transform(graphs)
        moved = beyond(columns)[test] + columns[train].mean(axis=0)
        decisions.append(moved @ model.subgraph_coef_[0] + model.intercept_[0])
    expected = np.unique(GROUPS)[np.argmax(decisions, axis=0)]
    assert np.array_equal(predictions_of("sparse", GROUPS, site=SITE), expected)


def test_groups_related_to_the_site_only():
    """Site shifts edges and the shares of three groups, which have nothing else in common."""
    asked = {
        "n_subgraphs": [5],
        "cv": RepeatedFolds(2, n_repeats=1),
        "max_edges": 2,
        "min_expected_frequency": 0.05,
    }
    asked["methods"] = ["exp-hsic", "all-edges", *(["sparse"] if SOAK else [])]
    random = np.random.default_rng(0)
    site = random.integers(0, 3, 100)
    group = np.where(random.random(100) < 0.8, site, random.integers(0, 3, 100))
    edges = random.uniform(0.2, 0.5, (100, 6))
    edges[:, :3] += 0.4 * (site[:, None] == np.arange(3))
    names = np.array(["a", "b", "c"])
    graphs = dg.UncertainGraphs(edges, participants={"site": names[site]})
    found = dg.evaluate(graphs, names[group], **asked)
    assert found.mean("balanced_accuracy").min() > 0.6
    beyond = dg.evaluate(graphs, names[group], covariates="site", **asked)
    assert beyond.mean("balanced_accuracy").max() < 0.45


def test_groups_are_evaluated_and_sites_are_not_divided():
    some = ["exp-hsic", "sparse", "select-k-best"]
    asked = {"methods": some, "min_expected_frequency": 0.1, "max_edges": 2, **QUICK}
    result = dg.evaluate(GRAPHS, GROUPS, **asked)
    assert result.task == "groups"
    assert list(result.metrics) == ["error", "macro_f1", "balanced_accuracy"]
    assert result.mean("balanced_accuracy").max() > 0.5
    by_site = dg.evaluate(GRAPHS, AGE, groups="site", methods="cpm", **QUICK)
    train, test = next(GroupKFold(3, shuffle=True, random_state=0).split(X, AGE, SITE))
    assert not set(SITE[train]) & set(SITE[test])
    forecast = (
        dg.evaluation.make_method("cpm", task="phenotype")
        .fit(GRAPHS[train], AGE[train])
        .predict(GRAPHS[test])
    )
    expected = forecast_metrics(AGE[test] - AGE[train].mean(), forecast - AGE[train].mean())
    assert by_site.cells[0].metrics[3] == pytest.approx(expected)
    first = dg.evaluate(GRAPHS, GROUPS, methods="all-edges", cv=[(train, test)], n_subgraphs=[3]).cells[0]
    predicted = RidgeByHand().fit(X[train], GROUPS[train]).predict(X[test])
    assert first.metrics[3] == group_metrics(GROUPS[test], predicted)


def test_a_cohort_file_with_groups_or_numbers_as_labels(tmp_path, capsys):
    """Three groups, or numbers, in the file itself: as a column of the participants would be."""
    command = ["--methods", "all-edges", "--n-subgraphs", "3", "--n-folds", "3", "--n-repeats", "1"]
    for y, name, column in ((GROUPS, "groups", "stage"), (AGE, "phenotype", "age")):
        dg.save_cohort(tmp_path / f"{name}.npz", GRAPHS, y)
        flags = [*command, "--covariates", "site", "--report"]
        assert main(["evaluate", str(tmp_path / f"{name}.npz"), *flags, "-o", str(tmp_path / name)]) == 0
        assert f"{name} beyond site" in capsys.readouterr().out
        out = tmp_path / column
        flags += ["--phenotype", column, "-o", str(out)]
        assert main(["evaluate", str(tmp_path / f"{name}.npz"), *flags]) == 0
        assert (out / "results.csv").read_bytes() == (tmp_path / name / "results.csv").read_bytes()
        config = ["--config", str(tmp_path / name / "config.toml"), "-o", str(tmp_path / f"{name} again")]
        assert main(["evaluate", str(tmp_path / f"{name}.npz"), *config]) == 0
        assert dg.load_result(tmp_path / f"{name} again").cohort.kind == name
        capsys.readouterr()
    assert main(["evaluate", str(tmp_path / "groups.npz"), "--phi", "1", "-o", str(tmp_path / "phi")]) == 1
    assert "--phi applies to two classes, not to --phenotype or other labels." in capsys.readouterr().err
