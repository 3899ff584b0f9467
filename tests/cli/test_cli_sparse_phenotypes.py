"""`dugraph sparse` of a phenotype and with covariates: tables, folders, new graphs, refusals."""

import json
import tomllib

import numpy as np
import pytest
from exact_tables import read_csv

import dugraph as dg
from dugraph.cli import main
from dugraph.estimators import aligned_graphs, load_model

N = 60
FIT = {"alpha": "cv", "cv": 3, "n_alphas": 5, "max_edges": 2}
FLAGS = ["--cv", "3", "--n-alphas", "5", "--max-edges", "2"]


def make_graphs(seed=0, labels=tuple("ABCD"), n=N):
    """Two edges follow the dose, which is larger at one site; a third edge follows the site."""
    rng = np.random.default_rng(seed)
    site, dose = rng.integers(0, 3, n), rng.uniform(0, 10, n)
    X = rng.uniform(0.3, 0.6, (n, 6))
    X[:, :2] = (0.2 + 0.07 * dose)[:, None]
    X[:, 5] = 0.3 + 0.3 * site
    dose = dose + 3.0 * (site == 2)
    table = {
        "dose": dose,
        "site": [f"site {k}" for k in site],
        "arm": np.array(["high", "low", "none"])[np.arange(n) % 3],
        "ill": np.where(dose > np.median(dose), "yes", "no"),
        "sex": np.arange(n) % 2,
        "copy": 2 * dose + 1,
    }
    return dg.UncertainGraphs(
        X, node_labels=labels, participants=table, graph_ids=[f"g{k}" for k in range(n)]
    )


@pytest.fixture
def data(tmp_path):
    dg.save_cohort(tmp_path / "cohort.npz", make_graphs())
    return tmp_path / "cohort.npz"


@pytest.fixture
def fitted(data, tmp_path, capsys):
    folder = tmp_path / "out"
    flags = ["--phenotype", "dose", "--covariates", "site,sex", *FLAGS, "--report"]
    assert main(["sparse", str(data), *flags, "-o", str(folder)]) == 0
    return folder, capsys.readouterr().out


def test_the_record_is_that_of_the_api(data, fitted):
    folder, shown = fitted
    graphs, _ = dg.load_cohort(data)
    model = dg.SparseSubgraphRegressor(**FIT, covariates=["site", "sex"])
    model.fit(graphs, graphs.participants["dose"])
    assert len(model.subgraphs_)
    stored = json.loads((folder / "results.json").read_bytes())
    assert [s["coefficient"] for s in stored["subgraphs"]] == model.subgraph_coef_.tolist()
    assert stored["intercept"] == model.intercept_
    assert [one["coefficient"] for one in stored["covariates"]] == model.covariate_coef_.tolist()
    assert [one["name"] for one in stored["covariates"]] == ["site: site 1", "site: site 2", "sex"]
    assert stored["parameters"]["loss"] == "squared"
    assert stored["parameters"]["covariates"] == ["site", "sex"]
    assert (stored["input"]["labels"], stored["input"]["phenotype"]) == ("phenotype", "dose")
    record = dg.load_result(folder)
    assert record.result.subgraphs_ == model.subgraphs_
    assert record.result.predict(graphs).tobytes() == model.predict(graphs).tobytes()
    assert record.covariates == list(zip(model.covariate_names_, model.covariate_coef_.tolist(), strict=True))
    assert (record.cohort.kind, record.source.phenotype) == ("phenotype", "dose")
    assert "positive coefficients predict a larger dose" in shown
    assert "covariates (not penalised)" in shown
    assert f"{model.covariate_coef_[1]:+.4g}" in shown


def test_a_run_repeats_from_its_record(data, fitted, tmp_path):
    folder, _ = fitted
    config = tomllib.loads((folder / "config.toml").read_text())
    assert (config["phenotype"], config["covariates"], config["loss"]) == ("dose", "site,sex", "squared")
    # The same from Python, and once more from what was read.
    python = tmp_path / "python"
    dg.save_result(load_model(folder / "model.json"), python, data=data, settings={"phenotype": "dose"})
    dg.save_result(dg.load_result(folder), tmp_path / "read")
    for name in ("results.json", "results.csv", "path.csv", "features.csv", "model.json"):
        assert (python / name).read_bytes() == (folder / name).read_bytes()
        assert (tmp_path / "read" / name).read_bytes() == (folder / name).read_bytes()
    assert tomllib.loads((tmp_path / "read" / "config.toml").read_text())["covariates"] == "site,sex"


def test_predictions_for_new_graphs_use_their_covariates(data, fitted, tmp_path):
    folder, _ = fitted
    frame = read_csv(folder / "features.csv")
    model = load_model(folder / "model.json")
    graphs, _ = dg.load_cohort(data)
    assert list(frame) == ["graph_id", "phenotype", "forecast", *model.get_feature_names_out()]
    assert frame["forecast"].tolist() == model.predict(graphs).tolist()
    assert frame["phenotype"].tolist() == graphs.participants["dose"].tolist()
    new = make_graphs(1, n=9)
    turned = dg.UncertainGraphs(
        new.edge_probability,
        edges=[(3 - a, 3 - b) for a, b in new.edges.tolist()],
        node_labels=list("DCBA"),
        graph_ids=new.graph_ids,
        participants=new.participants,
    )
    dg.save_cohort(tmp_path / "new.npz", turned)
    words = [str(folder / "model.json"), str(tmp_path / "new.npz"), "-o", str(tmp_path / "new.csv")]
    assert main(["transform", *words]) == 0
    forecast = read_csv(tmp_path / "new.csv")["forecast"].to_numpy()
    np.testing.assert_allclose(forecast, model.predict(new), rtol=1e-12)
    np.testing.assert_allclose(model.predict(aligned_graphs(model, turned)), forecast, rtol=1e-12)


def test_classes_of_a_column_with_covariates(data, tmp_path, capsys):
    folder = tmp_path / "out"
    flags = ["--phenotype", "ill", "--covariates", "site", *FLAGS]
    assert main(["sparse", str(data), *flags, "-o", str(folder)]) == 0
    assert "favour yes" in capsys.readouterr().out
    graphs, _ = dg.load_cohort(data)
    model = dg.SparseSubgraphClassifier(**FIT, covariates=["site"]).fit(graphs, graphs.participants["ill"])
    record = dg.load_result(folder)
    assert [one.value for one in record.subgraphs] == model.subgraph_coef_[0].tolist()
    assert [value for _, value in record.covariates] == model.covariate_coef_[0].tolist()
    frame = read_csv(folder / "features.csv")
    np.testing.assert_array_equal(frame["decision"], model.decision_function(graphs))
    # The other class as the positive one turns all signs.
    turned = tmp_path / "turned"
    assert main(["sparse", str(data), *flags, "--pos-label", "no", "-o", str(turned)]) == 0
    other = dg.load_result(turned)
    assert [-one.value for one in other.subgraphs] == [one.value for one in record.subgraphs]
    assert [-value for _, value in other.covariates] == [value for _, value in record.covariates]
    assert other.intercept == -record.intercept


def test_a_model_and_labels_of_different_kinds_are_refused(data):
    graphs, _ = dg.load_cohort(data)
    model = dg.SparseSubgraphRegressor(alpha=0.1).fit(graphs, graphs.participants["dose"])
    with pytest.raises(dg.InputError, match="which were a phenotype, but these are classes"):
        dg.save_result(model, "nowhere", graphs, graphs.participants["ill"])
