"""`dugraph sparse` of several groups: a model for each against the rest, in one folder and on one page."""

import json

import numpy as np
import pytest
from exact_tables import read_csv

import dugraph as dg
from dugraph.cli import main
from dugraph.estimators import load_model

N = 60
GROUPS = ("=mild", "none", "severe <b>")  # names come from files
FIT = {"alpha": None, "n_nonzero": 4, "n_alphas": 5, "max_edges": 2}
FLAGS = ["--n-nonzero", "4", "--n-alphas", "5", "--max-edges", "2"]


def make_graphs(seed=0, n=N):
    """One edge is of the severe, another of the mild."""
    rng = np.random.default_rng(seed)
    group, X = np.arange(n) % 3, rng.uniform(0.3, 0.6, (n, 6))
    X[:, 0] += 0.3 * (group == 2)
    X[:, 3] += 0.2 * (group == 0)
    table = {
        "group": np.array(GROUPS)[group],
        "arm": group + 1,
        "site": [f"site {k}" for k in rng.integers(0, 2, n)],
    }
    ids = [f"g{k}" for k in range(n)]
    return dg.UncertainGraphs(X, node_labels=tuple("ABCD"), participants=table, graph_ids=ids)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    file = tmp_path_factory.mktemp("groups") / "cohort.npz"
    graphs = make_graphs()
    dg.save_cohort(file, graphs, graphs.participants["group"])
    return file


@pytest.fixture(scope="module")
def folder(data):
    flags = ["--covariates", "site", *FLAGS, "--report"]
    assert main(["sparse", str(data), *flags, "-o", str(data.parent / "out")]) == 0
    return data.parent / "out"


def test_each_group_has_the_model_of_two_classes(data, folder):
    """A column that names one group and the rest gives the same coefficients, penalty and proof."""
    record = dg.load_result(folder)
    graphs, y = dg.load_cohort(data)
    assert [one.group for one in record.models] == list(GROUPS)
    found = [one.edges for one in record.subgraphs]
    assert len(found) >= 4
    for one in record.models:
        alone = dg.SparseSubgraphClassifier(**FIT, covariates="site").fit(graphs, y == one.group)
        own = {g: value for g, value in zip(found, one.coefficients, strict=True) if value}
        assert own == dict(zip(alone.subgraphs_, alone.subgraph_coef_[0].tolist(), strict=True))
        assert (one.alpha, one.objective, one.duality_gap) == (
            *(alone.alpha_, alone.objective_),
            alone.duality_gap_,
        )
        assert one.intercept == alone.intercept_[0]
        assert one.covariates == [("site: site 1", alone.covariate_coef_[0, 0])]
        assert [step.alpha for step in one.path] == [step.alpha for step in alone.path_]
    values = [max((one.coefficients[k] for one in record.models), key=abs) for k in range(len(found))]
    assert [one.value for one in record.subgraphs] == values == sorted(values, key=lambda v: -abs(v))
    assert record.proof["success"]
    assert record.proof["objective"] == sum(one.objective for one in record.models)
    assert record.parameters["alpha_in_use"] is None


def test_tables_have_a_column_for_each_group(folder):
    ranking, path = (
        read_csv(folder / "results.csv"),
        read_csv(folder / "path.csv"),
    )
    record = dg.load_result(folder)
    for one in record.models:
        assert ranking[f"coefficient of {one.group}"].tolist() == list(one.coefficients)
    assert path["group"].unique().tolist() == [f"{{{name}}}" for name in GROUPS]


def test_the_printed_table_shows_the_fitted_models(data, folder, capsys):
    assert main(["sparse", str(data), "--covariates", "site", *FLAGS]) == 0
    shown = capsys.readouterr().out
    assert "positive coefficients favour a group over the rest" in shown
    record = dg.load_result(folder)
    for one in record.models:
        assert all(f"{value:+.4g}" in shown for value in one.coefficients if value)
        assert f"{one.covariates[0][1]:+.4g}" in shown
    page = (folder / "report.html").read_text()
    assert "What distinguishes 3 groups" in page
    assert 'id="models"' in page
    assert page.count("The regularisation path of") == 3
    assert "severe &lt;b&gt;" in page
    assert "severe <b>" not in page


def test_a_run_repeats_from_its_record(data, folder, tmp_path):
    again, python = tmp_path / "again", tmp_path / "python"
    assert main(["sparse", str(data), "--config", str(folder / "config.toml"), "-o", str(again)]) == 0
    dg.save_result(load_model(folder / "model.json"), python, data=data)
    dg.save_result(dg.load_result(folder), tmp_path / "read", data=data)
    for name in ("results.json", "results.csv", "path.csv", "features.csv", "model.json"):
        for other in (again, python, tmp_path / "read"):
            # Numbers agree to the byte; the way to the cohort is another from another folder.
            mine, theirs = (json.loads(f.read_text()) if name == "results.json" else f.read_bytes()
                            for f in (folder / name, other / name))  # fmt: skip
            if name == "results.json":
                mine["input"].pop("path"), theirs["input"].pop("path")
            assert mine == theirs


def test_new_graphs_are_assigned_to_the_group_with_the_largest_decision_value(folder, tmp_path):
    new = make_graphs(1, 9)
    dg.save_cohort(tmp_path / "new.npz", new)
    model, table = folder / "model.json", tmp_path / "new.csv"
    assert main(["transform", str(model), str(tmp_path / "new.npz"), "-o", str(table)]) == 0
    new_table = read_csv(table)
    record = dg.load_result(folder)
    containment = np.column_stack(
        [new.edge_probability[:, list(one.edges)].prod(axis=1) for one in record.subgraphs]
    )
    site = np.array([name == "site 1" for name in new.participants["site"]])
    known, _ = dg.load_cohort(folder.parent / "cohort.npz")
    site = site - np.mean([name == "site 1" for name in known.participants["site"]])
    decisions = [
        containment @ one.coefficients + one.intercept + site * one.covariates[0][1] for one in record.models
    ]
    for name, decision in zip(GROUPS, decisions, strict=True):
        np.testing.assert_allclose(new_table[f"decision for {name}"], decision, rtol=1e-9)
    predicted = [
        name.lstrip("'") for name in new_table["predicted_class"]
    ]  # which keeps = from being a formula
    assert predicted == [GROUPS[k] for k in np.argmax(decisions, axis=0)]


def test_numeric_codes_of_groups(data, tmp_path):
    """Classes that are numbers are groups for a classifier, whatever their order as text."""
    graphs, _ = dg.load_cohort(data)
    y = np.array([9, 10, 100])[np.arange(N) % 3]
    model = dg.SparseSubgraphClassifier(**FIT).fit(graphs, y)
    dg.save_result(model, tmp_path / "out", graphs, y)
    record = dg.load_result(tmp_path / "out")
    assert [one.group for one in record.models] == ["10", "100", "9"]
    fitted = dict(zip(["9", "10", "100"], model.intercept_.tolist(), strict=True))
    assert {one.group: one.intercept for one in record.models} == fitted


def test_a_model_and_labels_of_different_kinds_are_refused(data):
    graphs, y = dg.load_cohort(data)
    model = dg.SparseSubgraphClassifier(alpha=0.05).fit(graphs, y)
    with pytest.raises(dg.InputError, match="which were groups, but these are classes"):
        dg.save_result(model, "nowhere", graphs, y == "none")
    of_two = dg.SparseSubgraphClassifier(alpha=0.05).fit(graphs, y == "none")
    with pytest.raises(dg.InputError, match="y must have exactly two classes: got 3"):
        dg.save_result(of_two, "nowhere", graphs, y)
