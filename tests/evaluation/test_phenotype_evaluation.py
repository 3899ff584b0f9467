"""Evaluation of phenotypes: methods by hand, averaged forecasts, metrics, files with labels of any kind."""

import numpy as np
import pytest
from aged_cohort import AGE, GRAPHS, GROUPS, LIMITS, QUICK, RNG, SITE, N, X, folds
from scipy import stats
from sklearn.linear_model import ElasticNet, LinearRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, f1_score, mean_absolute_error, r2_score
from sklearn.model_selection import GridSearchCV

import dugraph as dg
from dugraph import RepeatedFolds
from dugraph.cli import main
from dugraph.evaluation.adjusted import Adjustment
from dugraph.evaluation.cells import forecast_metrics, group_metrics
from dugraph.evaluation.methods import KNOWN
from dugraph.evaluation.splits import inner_folds

SHALLOW = {"min_expected_frequency": 0.1, "max_edges": 2}


def predicted_by_covariates(y, graphs, covariates, train, test):
    """Predictions of covariates alone for test graphs."""
    return Adjustment(graphs[train], covariates).predict(graphs[test], y[train])


def forecasts_of(name, y=AGE, graphs=GRAPHS, covariates=None, rows=None):
    """Forecasts for test graphs, minus what covariates alone predict."""
    train, test = folds()[0] if rows is None else rows
    limits = {**LIMITS, "n_subgraphs": 3, "covariates": covariates, "cv": inner_folds(y[train], None)}
    method = dg.evaluation.make_method(name, task="phenotype", **limits)
    forecast = method.fit(graphs[train], y[train]).predict(graphs[test])
    return forecast - predicted_by_covariates(y, graphs, covariates, train, test)


def test_methods_give_the_forecasts_of_scikit_learn():
    train, test = folds()[0]
    y, mean = AGE[train], AGE[train].mean()
    inner = inner_folds(y, None)

    def tuned(model, alphas):
        """Penalties of ours, tried by scikit-learn."""
        grid = GridSearchCV(model, {"alpha": alphas}, cv=inner, scoring="neg_mean_squared_error")
        return grid.fit(X[train], y).predict(X[test]) - mean

    expected = tuned(Ridge(), np.geomspace(1e-2, 1e4, 19))
    np.testing.assert_allclose(forecasts_of("all-edges"), expected, atol=1e-8)

    r, p = np.transpose([stats.pearsonr(column, y) for column in X[train].T])
    chosen = [c for c in ((p < 0.01) & (r > 0), (p < 0.01) & (r < 0)) if c.any()]
    sums = np.column_stack([X[:, c].sum(axis=1) for c in chosen])
    expected = LinearRegression().fit(sums[train], y).predict(sums[test]) - mean
    np.testing.assert_allclose(forecasts_of("cpm"), expected, atol=1e-9)

    largest = np.abs((y - mean) @ (X[train] - X[train].mean(axis=0))).max() / len(y) / 0.5
    expected = tuned(ElasticNet(tol=1e-8), np.geomspace(largest, 0.02 * largest, 20))
    np.testing.assert_allclose(forecasts_of("elastic-net"), expected, atol=0.05)

    path = {"n_nonzero": 3, "n_alphas": 20, "alpha_min_ratio": 0.02, "tol": 1e-3}
    model = dg.SparseSubgraphRegressor(refit="ridge", cv=inner, **path, **SHALLOW).fit(X[train], y)
    np.testing.assert_allclose(forecasts_of("sparse"), model.predict(X[test]) - mean, atol=1e-9)

    selector = dg.SubgraphSelector(n_subgraphs=3, **SHALLOW).fit(GRAPHS[train], y)
    as_edges = dg.UncertainGraphs(selector.transform(GRAPHS), edges=[(0, 1), (1, 2), (2, 3)])
    expected = forecasts_of("all-edges", graphs=as_edges)
    np.testing.assert_allclose(forecasts_of("exp-hsic"), expected, atol=1e-8)


def test_forecasts_are_averaged_over_the_folds_that_tested_a_graph():
    asked = {**QUICK, "cv": RepeatedFolds(3, n_repeats=2), "methods": ["cpm", "all-edges"]}
    held = dg.evaluate(GRAPHS, AGE, covariates="site", **asked).held_out
    assert held.graph_ids == GRAPHS.graph_ids
    assert list(held.forecasts) == [("cpm", 3), ("all-edges", 3)]
    observed, forecast = np.zeros(N), np.zeros(N)
    for train, test in [*folds(0), *folds(1)]:
        observed[test] += (AGE[test] - predicted_by_covariates(AGE, GRAPHS, ["site"], train, test)) / 2
        forecast[test] += forecasts_of("cpm", covariates=["site"], rows=(train, test)) / 2
    np.testing.assert_allclose(held.observed, observed, rtol=1e-12)
    np.testing.assert_allclose(held.forecasts["cpm", 3], forecast, rtol=1e-12)
    # Graphs that no split tested are not there.
    train, test = folds()[0]
    once = dg.evaluate(GRAPHS, AGE, methods="cpm", cv=[(train, test)], n_subgraphs=[3]).held_out
    assert once.graph_ids == tuple(GRAPHS.graph_ids[i] for i in test)
    assert dg.evaluate(GRAPHS, GROUPS, **{**asked, "methods": "all-edges"}).held_out is None


@pytest.mark.parametrize("name", ["all-edges", "elastic-net"])
def test_penalties_are_chosen_by_folds_that_adjust_for_themselves(name):
    """Noise with many covariates: folds of what one adjustment left would know the graphs left out."""
    random = np.random.default_rng(0)
    scanner = np.array(list("abcdefghijkl"))[np.arange(60) % 12]
    graphs = dg.UncertainGraphs(random.random((60, 105)), participants={"scanner": scanner})
    assert forecasts_of(name, random.normal(size=60), graphs, ["scanner"]).std() < 0.3


def test_metrics_are_those_of_scikit_learn():
    y, forecast = RNG.normal(size=30), RNG.normal(size=30)
    found = forecast_metrics(y - y.mean(), forecast)
    assert found["r"] == pytest.approx(stats.pearsonr(y, forecast)[0])
    assert found["r2"] == pytest.approx(r2_score(y - y.mean(), forecast))
    assert found["mae"] == pytest.approx(mean_absolute_error(y - y.mean(), forecast))
    assert forecast_metrics(y, np.full(30, 0.1))["r"] == 0.0
    a, b = RNG.integers(0, 3, 40), RNG.integers(0, 3, 40)
    groups = group_metrics(a, b)
    assert groups["macro_f1"] == pytest.approx(f1_score(a, b, average="macro"))
    assert groups["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(a, b))


def test_a_phenotype_is_evaluated_and_ranked():
    result = dg.evaluate(GRAPHS, AGE, covariates="site", **SHALLOW, **QUICK)
    assert result.methods == tuple(name for name in KNOWN["phenotype"] if name != "signed-edges")
    assert result.task == "phenotype"
    assert result.values("r").shape == (7, 1, 3)
    assert result.ranks("mae").min() == 1
    assert result.mean("r")[result.methods.index("sparse"), 0] > 0.5
    table = result.table("markdown")
    assert "correlation t=3" in table
    assert "mean absolute error t=3" in table
    # Covariates alone predict the training mean of each site.
    train, test = folds()[0]
    means = {site: AGE[train][SITE[train] == site].mean() for site in "ABC"}
    predicted = predicted_by_covariates(AGE, GRAPHS, ["site"], train, test)
    np.testing.assert_allclose(predicted, [means[s] for s in SITE[test]])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"methods": "svm"}, "A method for a phenotype must be one of all, exp-hsic, sparse, .*; got 'svm'"),
        ({"cv": RepeatedFolds(1)}, "n_folds must be a whole number from 2 to 60, .* but is 1"),
        (
            {"cv": RepeatedFolds(4), "groups": "site"},
            "n_folds must be a whole number from 2 to 3, .* in their groups allow",
        ),
        ({"cv": RepeatedFolds(n_repeats=0)}, "n_repeats must be"),
        ({"y": GROUPS, "task": "phenotype"}, 'must be numeric, but y has dtype .* use task="groups"'),
        ({"y": np.where(np.arange(N) == 1, np.inf, AGE)}, "A phenotype must be finite: that of .* is inf"),
        ({"covariates": "iq"}, "covariates must name columns of participants: there is no iq"),
    ],
)
def test_wrong_settings_for_a_phenotype_are_refused(asked, message):
    with pytest.raises(dg.InputError, match=message):
        dg.evaluate(GRAPHS, **{"y": AGE, "n_subgraphs": [3], **asked})


COMMAND = ["--n-subgraphs", "3", "--n-folds", "3", "--n-repeats", "1", "--methods", "cpm,all-edges"]


@pytest.mark.parametrize(
    ("y", "kind", "column", "methods"),
    [(GROUPS, "groups", "stage", "all-edges"), (AGE, "phenotype", "age", "cpm,all-edges")],
)
def test_labels_in_the_file_are_evaluated_as_a_column_of_participants_is(
    y, kind, column, methods, tmp_path, capsys
):
    dg.save_cohort(tmp_path / "c.npz", GRAPHS, y)
    command = [
        "evaluate",
        str(tmp_path / "c.npz"),
        *COMMAND[:-1],
        methods,
        "--covariates",
        "site",
        "--report",
    ]
    assert main([*command, "-o", str(tmp_path / "own")]) == 0
    assert f"{kind} beyond site" in capsys.readouterr().out
    assert main([*command, "--phenotype", column, "-o", str(tmp_path / "column")]) == 0
    assert f"{column} beyond site" in capsys.readouterr().out
    config = ["evaluate", str(tmp_path / "c.npz"), "--config", str(tmp_path / "own/config.toml")]
    assert main([*config, "-o", str(tmp_path / "again")]) == 0
    expected = dg.evaluate(GRAPHS, y, covariates="site", methods=methods.split(","), **QUICK)
    for folder in ("own", "column", "again"):
        assert (tmp_path / folder / "results.csv").read_bytes() == expected.files()["results.csv"]
    assert dg.load_result(tmp_path / "again").cohort.kind == kind


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--like-paper", "adhd"], "--like-paper applies to two classes, not to --phenotype"),
        (["--phi", "1"], "--phi applies to two classes, not to --phenotype or other labels."),
        (
            ["--n-splits", "5"],
            "--n-splits applies to random splits, but a phenotype is predicted in repeated folds",
        ),
        (["--no-stratify"], "--stratify applies to random splits"),
        (["--phenotype", "iq"], "must name columns of participants: there is no iq"),
    ],
)
def test_flags_of_two_classes_are_refused_for_a_phenotype(more, message, tmp_path, capsys):
    dg.save_cohort(tmp_path / "c.npz", GRAPHS, np.arange(N) % 2)
    command = ["evaluate", str(tmp_path / "c.npz"), *COMMAND, "-o", str(tmp_path / "out")]
    assert main([*command, "--phenotype", "age", *more]) == 1
    assert message in capsys.readouterr().err
    assert main([*command[:2], "--covariates", "site", *command[-2:]]) == 1
    assert "--covariates applies only with --phenotype COLUMN, which is not given" in capsys.readouterr().err
