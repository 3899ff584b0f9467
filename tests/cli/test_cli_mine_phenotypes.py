"""`dugraph mine` of a phenotype, of several groups and with covariates: tables, folders, refusals."""

import json
import tomllib

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.estimators import load_model


@pytest.fixture
def cohort_file(tmp_path):
    """Two edges follow the dose, a third one the site; the file has three arms and no classes."""
    rng = np.random.default_rng(0)
    dose, site = np.linspace(0, 10, 60), rng.integers(0, 3, 60)
    X = rng.uniform(0.3, 0.6, (60, 6))
    X[:, :2] = (0.2 + 0.07 * dose)[:, None]
    X[:, 5] = 0.3 + 0.3 * site
    table = {
        "dose": dose,
        "site": [f"site {k}" for k in site],
        "arm": np.array(["high", "low", "none"])[np.arange(60) % 3],
        "sex": np.arange(60) % 2,
        "missing": np.where(np.arange(60) == 7, np.nan, dose),
    }
    graphs = dg.UncertainGraphs(X, node_labels=list("ABCD"), participants=table)
    dg.save_cohort(tmp_path / "cohort.npz", graphs)
    dg.save_cohort(tmp_path / "arms.npz", graphs, table["arm"])
    return tmp_path / "cohort.npz"


def test_a_phenotype(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    asked = ["--phenotype", "dose", "--covariates", "site,sex", "--n-subgraphs", "5"]
    assert main(["mine", str(cohort_file), *asked, "-o", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "adjusted slope per unit of dose" in shown
    graphs, _ = dg.load_cohort(cohort_file)
    expected = dg.mine_subgraphs(
        graphs, graphs.participants["dose"], covariates=["site", "sex"], n_subgraphs=5
    )
    record = dg.load_result(folder)
    assert record.result.subgraphs == expected.subgraphs
    assert record.result.values.tobytes() == expected.values.tobytes()
    assert record.result.effects.tobytes() == expected.effects.tobytes()
    assert record.result.parameters == expected.parameters
    assert (record.cohort.kind, record.source.phenotype) == ("phenotype", "dose")
    stored = json.loads((folder / "results.json").read_bytes())
    assert stored["input"]["labels"] == "phenotype"
    assert "positive_class" not in stored["input"]
    config = tomllib.loads((folder / "config.toml").read_text())
    assert (config["phenotype"], config["covariates"]) == ("dose", "site,sex")
    # The record of one run is the --config of another, and a model for new graphs.
    assert main(["mine", str(cohort_file), "--config", str(folder / "config.toml")]) == 0
    assert capsys.readouterr().out.splitlines()[2:7] == shown.splitlines()[2:7]
    model = load_model(folder / "model.json")
    x = graphs.edge_probability[:, list(expected.subgraphs[0])].prod(axis=1)
    assert model.transform(graphs)[:, 0].tolist() == pytest.approx(x.tolist())
    assert model.classes_.size == 0
    assert model.result_.positive_class is None


def test_a_slope_is_that_of_a_regression(cohort_file):
    graphs, _ = dg.load_cohort(cohort_file)
    dose, sex = graphs.participants["dose"], graphs.participants["sex"]
    result = dg.mine_subgraphs(graphs, dose, covariates="sex", n_subgraphs=3)
    for subgraph, effect in zip(result.subgraphs, result.effects, strict=True):
        x = graphs.edge_probability[:, list(subgraph)].prod(axis=1)
        known = np.column_stack([np.ones(60), sex])
        left = [v - known @ np.linalg.lstsq(known, v, rcond=None)[0] for v in (dose, x)]
        assert effect == pytest.approx(np.polyfit(*left, 1)[0])


def test_groups(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    assert main(["mine", str(tmp_path / "arms.npz"), "--n-subgraphs", "3", "-o", str(folder)]) == 0
    heading = capsys.readouterr().out.splitlines()[1]
    assert heading.split()[:5] == ["rank", "value", "high", "low", "none"]
    record = dg.load_result(folder)
    assert record.cohort.kind == "groups"
    first = record.subgraphs[0]
    for group, frequency in zip(("high", "low", "none"), first.by_group, strict=True):
        chosen = record.cohort.graphs.edge_probability[record.cohort.y == group]
        assert frequency == pytest.approx(chosen[:, list(first.edges)].prod(axis=1).mean())
    assert "expected_frequency of low" in (folder / "results.csv").read_text().splitlines()[0]
    again = tmp_path / "again"
    dg.save_result(record, again)
    assert (again / "results.csv").read_bytes() == (folder / "results.csv").read_bytes()


def test_each_group_against_the_rest(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    asked = ["--multi-class", "ovr", "--measure", "median", "--n-subgraphs", "6", "-o", str(folder)]
    assert main(["mine", str(tmp_path / "arms.npz"), *asked]) == 0
    assert "high against the rest" in capsys.readouterr().out
    record = dg.load_result(folder)
    graphs, y = dg.load_cohort(tmp_path / "arms.npz")
    expected = dg.mine_subgraphs(graphs, y, measure="median", multi_class="ovr", n_subgraphs=6)
    assert record.result.subgraphs == expected.subgraphs
    assert record.result.contrasts == expected.contrasts


def test_a_test_of_the_same(cohort_file, tmp_path):
    folder = tmp_path / "out"
    asked = ["--phenotype", "dose", "--covariates", "sex", "--test", "-o", str(folder)]
    assert main(["mine", str(cohort_file), *asked]) == 0
    assert dg.load_result(folder).p_values[0] < 0.05
    record = dg.load_result(folder / "test")
    assert record.phenotype == "dose"
    assert record.result.parameters["covariates"] == ["sex"]


def test_two_values_of_a_column_are_two_classes_of_their_own_names(cohort_file, tmp_path, capsys):
    folder = tmp_path / "out"
    assert (
        main(["mine", str(cohort_file), "--phenotype", "sex", "--n-subgraphs", "2", "-o", str(folder)]) == 0
    )
    record = dg.load_result(folder)
    assert (record.cohort.kind, record.cohort.names) == ("classes", ("1", "0"))
    assert record.result.positive_class == "1"
