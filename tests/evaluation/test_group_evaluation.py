"""Several groups evaluated: methods by hand, with and without covariates, honest folds, groups kept whole."""

import os

import numpy as np
import pytest
from aged_cohort import AGE, GRAPHS, GROUPS, LIMITS, QUICK, RNG, SITE, X, folds
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold
from sklearn.svm import SVC

import dugraph as dg
from dugraph.cli import main
from dugraph.evaluation.forecasts import FORECASTERS
from dugraph.evaluation.group_predictions import PREDICTORS
from dugraph.evaluation.metrics import forecast_metrics, group_metrics
from dugraph.evaluation.phenotype_cell import PhenotypeSubjects, _task

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))


def predictions_of(name, y, edges=X, covariates=None):
    subjects = PhenotypeSubjects(dg.UncertainGraphs(edges), y, "groups", covariates or {}, None)
    return PREDICTORS[name](_task(subjects, *folds()[0]), [3], LIMITS).values[3]


@pytest.mark.parametrize("name", [name for name in PREDICTORS if name != "l1-edges"])
@pytest.mark.parametrize("adjusted", [False, True])
def test_test_graphs_have_no_part_in_what_is_learned_of_groups(name, adjusted):
    _, test = folds()[0]
    codes = np.unique(GROUPS, return_inverse=True)[1]
    wrong, edges, site = codes.copy(), X.copy(), SITE.copy()
    wrong[test] = (codes[test] + 1) % 3
    edges[test[:5]] = RNG.random((5, 10))
    site[test[:5]] = "Q"
    ours = predictions_of(name, codes, covariates={"site": SITE} if adjusted else None)
    theirs = predictions_of(name, wrong, edges, {"site": site} if adjusted else None)
    assert np.array_equal(ours[5:], theirs[5:])


def test_groups_are_told_by_what_covariates_leave_of_features():
    train, test = folds()[0]
    codes = np.unique(GROUPS, return_inverse=True)[1]
    known = np.column_stack([SITE == "B", SITE == "C"]).astype(float)
    site = {"site": SITE}

    def beyond(features):
        return features - LinearRegression().fit(known[train], features[train]).predict(known)

    rest = beyond(X)
    machine = SVC(kernel="linear").fit(rest[train], codes[train])
    assert np.array_equal(predictions_of("all-edges", codes, covariates=site), machine.predict(rest[test]))

    limits = {"min_expected_frequency": 0.1, "max_edges": 2}
    selector = dg.SubgraphSelector(n_subgraphs=3, **limits).fit(
        X[train], GROUPS[train], covariates=SITE[train]
    )
    features = beyond(selector.transform(X))
    machine = SVC(kernel="linear").fit(features[train], codes[train])
    assert np.array_equal(predictions_of("exp-hsic", codes, covariates=site), machine.predict(features[test]))

    # One model of each group against the rest; covariates are in the fit, but not in what is decided.
    inner = _task(PhenotypeSubjects(GRAPHS, codes, "groups", site, None), train, test).folds
    graphs = dg.UncertainGraphs(X, participants={"site": SITE})
    asked = {"n_nonzero": 3, "n_alphas": 20, "alpha_min_ratio": 0.02, "tol": 1e-3, "cv": inner, **limits}
    decisions = []
    for k in range(3):
        model = dg.SparseSubgraphClassifier(covariates="site", **asked).fit(graphs[train], codes[train] == k)
        columns = model.transform(graphs)
        moved = beyond(columns)[test] + columns[train].mean(axis=0)
        decisions.append(moved @ model.coef_[0] + model.intercept_[0])
    expected = np.argmax(decisions, axis=0)
    assert np.array_equal(predictions_of("sparse", codes, covariates=site), expected)


def test_groups_that_go_along_with_the_site_only():
    """Site shifts edges and the shares of three groups, which have nothing else in common."""
    asked = {"n_subgraphs": [5], "n_folds": 2, "n_repeats": 1, "max_edges": 2, "min_expected_frequency": 0.05}
    asked["methods"] = ["exp-hsic", "all-edges", *(["sparse"] if SOAK else [])]
    random = np.random.default_rng(0)
    site = random.integers(0, 3, 100)
    group = np.where(random.random(100) < 0.8, site, random.integers(0, 3, 100))
    edges = random.uniform(0.2, 0.5, (100, 6))
    edges[:, :3] += 0.4 * (site[:, None] == np.arange(3))
    names = np.array(["a", "b", "c"])
    graphs = dg.UncertainGraphs(edges, participants={"site": names[site]})
    found = dg.evaluate_phenotype(graphs, names[group], **asked)
    assert found.mean("balanced_accuracy").min() > 0.6
    beyond = dg.evaluate_phenotype(graphs, names[group], covariates="site", **asked)
    assert beyond.mean("balanced_accuracy").max() < 0.45


def test_groups_are_evaluated_and_kept_whole():
    some = ["exp-hsic", "sparse", "select-k-best"]
    asked = {"methods": some, "min_expected_frequency": 0.1, "max_edges": 2, **QUICK}
    result = dg.evaluate_phenotype(GRAPHS, GROUPS, **asked)
    assert result.task == "groups"
    assert list(result.metrics) == ["error", "macro_f1", "balanced_accuracy"]
    assert result.mean("balanced_accuracy").max() > 0.5
    by_site = dg.evaluate_phenotype(GRAPHS, AGE, groups="site", methods="cpm", **QUICK)
    train, test = next(GroupKFold(3, shuffle=True, random_state=0).split(X, AGE, SITE))
    assert not set(SITE[train]) & set(SITE[test])
    subjects = PhenotypeSubjects(GRAPHS, AGE, "phenotype", {}, None)
    task = _task(subjects, train, test)
    expected = forecast_metrics(
        AGE[test] - AGE[train].mean(), FORECASTERS["cpm"](task, [3], LIMITS).values[3]
    )
    assert by_site.cells[0].metrics[3] == pytest.approx(expected)
    codes = np.unique(GROUPS, return_inverse=True)[1]
    first = dg.evaluate_phenotype(
        GRAPHS, GROUPS, methods="all-edges", cv=[(train, test)], n_subgraphs=[3]
    ).cells[0]
    predicted = SVC(kernel="linear").fit(X[train], codes[train]).predict(X[test])
    assert first.metrics[3] == group_metrics(codes[test], predicted)


def test_labels_of_a_cohort_that_are_no_two_classes(tmp_path, capsys):
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
