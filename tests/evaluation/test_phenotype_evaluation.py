"""Evaluation of phenotypes: methods by hand, no leak from test graphs, metrics, confounded sites."""

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
from dugraph.evaluation import cells
from dugraph.evaluation.adjusted import Adjustment
from dugraph.evaluation.cells import forecast_metrics, group_metrics
from dugraph.evaluation.methods import KNOWN
from dugraph.evaluation.splits import inner_folds

FORECASTERS = KNOWN["phenotype"]


def predicted_by_covariates(y, graphs, covariates, train, test):
    """Predictions of covariates alone for test graphs."""
    adjustment = Adjustment(graphs[train], covariates)
    return adjustment.predict(graphs[test], y[train])


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
    inner = inner_folds(AGE[train], None)
    # Penalties of ours, tried by scikit-learn.
    grid = GridSearchCV(
        Ridge(), {"alpha": np.geomspace(1e-2, 1e4, 19)}, cv=inner, scoring="neg_mean_squared_error"
    )
    expected = grid.fit(X[train], y).predict(X[test]) - mean
    np.testing.assert_allclose(forecasts_of("all-edges"), expected, atol=1e-8)

    r, p = np.transpose([stats.pearsonr(column, y) for column in X[train].T])
    positive, negative = (p < 0.01) & (r > 0), (p < 0.01) & (r < 0)
    sums = [
        np.column_stack([part[:, c].sum(axis=1) for c in (positive, negative) if c.any()])
        for part in (X[train], X[test])
    ]
    np.testing.assert_allclose(
        forecasts_of("cpm"), LinearRegression().fit(sums[0], y).predict(sums[1]) - mean, atol=1e-9
    )

    largest = np.abs((y - mean) @ (X[train] - X[train].mean(axis=0))).max() / len(y) / 0.5
    penalties = {"alpha": np.geomspace(largest, 0.02 * largest, 20)}
    net = GridSearchCV(ElasticNet(tol=1e-8), penalties, cv=inner, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(
        forecasts_of("elastic-net"), net.fit(X[train], y).predict(X[test]) - mean, atol=0.05
    )

    model = dg.SparseSubgraphRegressor(
        refit="ridge",
        cv=inner,
        n_nonzero=3,
        n_alphas=20,
        alpha_min_ratio=0.02,
        tol=1e-3,
        min_expected_frequency=0.1,
        max_edges=2,
    ).fit(X[train], y)
    np.testing.assert_allclose(forecasts_of("sparse"), model.predict(X[test]) - mean, atol=1e-9)


def test_mined_subgraphs_are_those_of_the_selector():
    train, _ = folds()[0]
    selector = dg.SubgraphSelector(n_subgraphs=3, min_expected_frequency=0.1, max_edges=2).fit(
        GRAPHS[train], AGE[train]
    )
    features = selector.transform(GRAPHS)
    as_edges = dg.UncertainGraphs(features, edges=[(0, 1), (1, 2), (2, 3)])
    np.testing.assert_allclose(
        forecasts_of("exp-hsic"), forecasts_of("all-edges", graphs=as_edges), atol=1e-8
    )


# Single edges are the sparse model of other settings.
@pytest.mark.parametrize("name", [name for name in FORECASTERS if name != "l1-edges"])
@pytest.mark.parametrize("covariates", [None, ["site"]])
@pytest.mark.filterwarnings("ignore::dugraph.exceptions.FewerSubgraphsWarning")
def test_forecasts_do_not_depend_on_other_test_graphs(name, covariates):
    """Their phenotype changes no forecast; their edges and covariates change no forecast of another graph."""
    train, test = folds()[0]
    y, edges, site = AGE.copy(), X.copy(), SITE.copy()
    y[test] = 1e3 * RNG.random(len(test))
    edges[test[:5]] = RNG.random((5, 10))
    site[test[:5]] = "Q"
    spoiled = dg.UncertainGraphs(edges, participants={"site": site})
    asked = {"cv": [(train, test)], "n_subgraphs": [3], "covariates": covariates, **LIMITS}
    expected, found = (
        dg.evaluate(
            graphs, labels, [name], signed=2 * graphs.edge_probability - 1, **asked
        ).held_out.forecasts[name, 3]
        for graphs, labels in ((GRAPHS, AGE), (spoiled, y))
    )
    np.testing.assert_allclose(found[5:], expected[5:], rtol=1e-9, atol=1e-12)
    by_hand = forecasts_of(name, covariates=covariates)
    np.testing.assert_allclose(expected, by_hand, rtol=1e-9, atol=1e-12)


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
    forecast = forecasts_of(name, random.normal(size=60), graphs, ["scanner"])
    assert forecast.std() < 0.3


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
    result = dg.evaluate(GRAPHS, AGE, covariates="site", min_expected_frequency=0.1, max_edges=2, **QUICK)
    assert result.methods == tuple(name for name in FORECASTERS if name != "signed-edges")
    assert result.task == "phenotype"
    assert result.values("r").shape == (7, 1, 3)
    assert result.ranks("mae").min() == 1
    assert result.mean("r")[result.methods.index("sparse"), 0] > 0.5
    table = result.table("markdown")
    assert "correlation t=3" in table
    assert "mean absolute error t=3" in table
    for (train, test), cell in zip(folds(), result.cells[3 * 3 :], strict=False):
        assert len(train) + len(test) == N
        assert cell.method == "all-edges"
    train, test = folds()[0]
    # Covariates alone predict the training mean of each site.
    means = {site: AGE[train][SITE[train] == site].mean() for site in "ABC"}
    predicted = predicted_by_covariates(AGE, GRAPHS, ["site"], train, test)
    np.testing.assert_allclose(predicted, [means[s] for s in SITE[test]])


def test_a_run_is_resumed_and_extended(tmp_path, monkeypatch):
    asked = {**QUICK, "methods": ["cpm", "all-edges"], "cache": tmp_path / "cache"}
    dg.evaluate(GRAPHS, AGE, **asked)
    ran, run = [], cells.run_cell
    monkeypatch.setattr(
        cells, "run_cell", lambda subjects, job: (ran.append(job.method), run(subjects, job))[1]
    )
    asked["cv"] = RepeatedFolds(3, n_repeats=2)
    longer = dg.evaluate(GRAPHS, AGE, **asked)
    assert sorted(ran) == ["all-edges"] * 3 + ["cpm"] * 3
    fresh = dg.evaluate(GRAPHS, AGE, **{**asked, "cache": None})
    one, other = longer.files(), fresh.files()
    assert all(one[name] == other[name] for name in one if name != "timings.csv")


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
        ({"y": GROUPS, "task": "phenotype"}, 'must be numbers, but y has dtype .* use task="groups"'),
        ({"y": np.where(np.arange(N) == 1, np.inf, AGE)}, "A phenotype must be finite: that of .* is inf"),
        ({"covariates": "iq"}, "covariates must name columns of participants: there is no iq"),
    ],
)
def test_wrong_settings_for_a_phenotype_are_refused(asked, message):
    with pytest.raises(dg.InputError, match=message):
        dg.evaluate(GRAPHS, **{"y": AGE, "n_subgraphs": [3], **asked})


def test_a_phenotype_related_to_the_site_only():
    """Site shifts both edges and phenotype, which have nothing else in common."""
    asked = {
        "n_subgraphs": [5],
        "cv": RepeatedFolds(3, n_repeats=1),
        "max_edges": 2,
        "min_expected_frequency": 0.05,
    }
    asked["methods"] = ["exp-hsic", "sparse", "all-edges", "cpm"]
    found, adjusted, saved = [], [], []
    for seed in range(2):
        random = np.random.default_rng(seed)
        site = np.array(["A", "B"])[random.integers(0, 2, 100)]
        shift = 0.3 * (site == "B")[:, None] * (np.arange(10) < 4)
        edges = random.uniform(0.2, 0.7, (100, 10)) + shift
        y = 3.0 * (site == "B") + random.normal(size=100)
        graphs = dg.UncertainGraphs(edges, participants={"site": site})
        found.append(dg.evaluate(graphs, y, **asked).mean("r")[:, 0])
        beyond = dg.evaluate(graphs, y, covariates="site", **asked)
        adjusted.append(beyond.mean("r")[:, 0])
        saved.append(beyond.mean("r2")[:, 0])
    assert np.mean(found, axis=0).min() > 0.5
    assert np.mean(adjusted, axis=0).max() < 0.15
    assert np.mean(saved, axis=0).max() < 0.02


def test_the_command_line(tmp_path, capsys):
    dg.save_cohort(tmp_path / "c.npz", GRAPHS, np.arange(N) % 2)
    command = [
        "evaluate",
        str(tmp_path / "c.npz"),
        "--phenotype",
        "age",
        "--n-subgraphs",
        "3",
        "--n-folds",
        "3",
    ]
    command += ["--n-repeats", "1", "--methods", "cpm,all-edges", "-o", str(tmp_path / "out")]
    assert main([*command, "--covariates", "site"]) == 0
    shown = capsys.readouterr().out
    assert "age beyond site" in shown
    assert "correlation" in shown
    expected = dg.evaluate(GRAPHS, AGE, covariates="site", methods=["cpm", "all-edges"], **QUICK)
    assert (tmp_path / "out/results.csv").read_bytes() == expected.files()["results.csv"]
    config = ["evaluate", str(tmp_path / "c.npz"), "--config", str(tmp_path / "out/config.toml")]
    assert main([*config, "-o", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again/table.csv").read_bytes() == (tmp_path / "out/table.csv").read_bytes()
    capsys.readouterr()
    for more, message in (
        (["--like-paper", "adhd"], "--like-paper applies to two classes, not to --phenotype"),
        (
            ["--n-splits", "5"],
            "--n-splits applies to random splits, but a phenotype is predicted in repeated folds",
        ),
        (["--no-stratify"], "--stratify applies to random splits"),
        (["--phenotype", "iq"], "must name columns of participants: there is no iq"),
    ):
        assert main([*command, *more]) == 1
        assert message in capsys.readouterr().err
    plain = ["evaluate", str(tmp_path / "c.npz"), "--covariates", "site", "-o", str(tmp_path / "other")]
    assert main(plain) == 1
    assert "--covariates applies only with --phenotype COLUMN, which is not given" in capsys.readouterr().err
