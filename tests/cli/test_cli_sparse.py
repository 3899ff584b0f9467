"""`dugraph sparse`: the API's model as a table and as files, repeated, and applied to new graphs."""

import csv
import json
import os

import networkx
import numpy as np
import pandas as pd
import pytest
from exact_tables import read_csv

from dugraph import SparseSubgraphClassifier, UncertainGraphs, load_cohort, save_cohort
from dugraph.cli import main
from dugraph.estimators import load_model

PLACES = np.arange(15.0).reshape(5, 3)
FILES = {
    *("results.json", "results.csv", "path.csv", "config.toml", "model.json", "features.csv"),
    *("results.graphml", "brainnet.node", "brainnet.edge", "methods.md", "results.md", "references.bib"),
}
CV = ["--cv", "3", "--n-alphas", "6"]


@pytest.fixture
def fitted(make_cohort, tmp_path):
    data, folder = make_cohort(node_coordinates=PLACES), tmp_path / "out"
    assert main(["sparse", data, *CV, "-o", str(folder)]) == 0
    graphs, y = load_cohort(data)
    return data, folder, graphs, y, SparseSubgraphClassifier(cv=3, n_alphas=6).fit(graphs, y)


def record_of(folder):
    return json.loads((folder / "results.json").read_text())


def test_the_record_is_that_of_the_api(fitted):
    _, folder, graphs, y, model = fitted
    assert set(os.listdir(folder)) == FILES
    record = record_of(folder)
    assert [tuple(e["index"] for e in s["edges"]) for s in record["subgraphs"]] == model.subgraphs_
    assert [s["coefficient"] for s in record["subgraphs"]] == model.subgraph_coef_[0].tolist()
    assert [s["coefficient"] for s in record["subgraphs"]] == model.subgraph_coef_[0].tolist()
    x = graphs.edge_probability[:, model.subgraphs_[0]].prod(axis=1)
    assert record["subgraphs"][0]["expected_frequency_positive"] == pytest.approx(x[y == "patient"].mean())
    assert record["intercept"] == model.intercept_[0]
    assert record["parameters"]["alpha"] == "cv"
    assert record["parameters"]["alpha_in_use"] == model.alpha_
    assert record["proof"]["objective"] == model.objective_
    assert record["proof"]["duality_gap"] == model.duality_gap_
    assert record["proof"]["success"] is True
    assert record["counters"]["n_searches"] == model.n_searches_
    assert record["input"]["positive_class"] == "patient"
    assert record["input"]["path"] == "../cohort.npz"


def test_the_path_has_a_row_for_each_penalty(fitted):
    _, folder, _, _, model = fitted
    with open(folder / "path.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["alpha"]) for row in rows] == [m.alpha for m in model.path_]
    assert [int(row["n_nonzero"]) for row in rows] == [len(m.coef) for m in model.path_]
    assert [float(row["objective"]) for row in rows] == [m.objective for m in model.path_]
    assert [float(row["cv_loss_mean"]) for row in rows] == model.cv_losses_.mean(axis=1).tolist()
    assert [float(row["cv_loss_sd"]) for row in rows] == model.cv_losses_.std(axis=1).tolist()


def test_edges_are_weighted_by_their_coefficients(fitted):
    _, folder, graphs, _, model = fitted
    matrix = np.loadtxt(folder / "brainnet.edge")
    for edge in range(graphs.n_edges):
        own = [c for c, g in zip(model.subgraph_coef_[0], model.subgraphs_, strict=True) if edge in g]
        u, v = graphs.edges[edge]
        assert matrix[u, v] == matrix[v, u] == pytest.approx(np.sign(sum(own)) * sum(map(abs, own)))
    union = networkx.read_graphml(folder / "results.graphml")
    for *_, edge in union.edges(data=True):
        ranks = [int(rank) for rank in edge["ranks"].split()]
        assert [float(c) for c in edge["coefficients"].split()] == [
            model.subgraph_coef_[0][r - 1] for r in ranks
        ]


def test_the_model_is_applied_to_new_graphs(fitted, tmp_path):
    _, folder, graphs, y, model = fitted
    save_cohort(tmp_path / "new.npz", graphs[::-1], y[::-1])
    table = tmp_path / "new.csv"
    assert main(["transform", str(folder / "model.json"), str(tmp_path / "new.npz"), "-o", str(table)]) == 0
    frame = read_csv(table)
    decided = ["predicted_class", "decision", "probability of patient"]
    assert list(frame) == ["graph_id", "class", *decided, *model.get_feature_names_out()]
    assert frame["predicted_class"].tolist() == model.predict(graphs[::-1]).tolist()
    np.testing.assert_array_equal(frame["decision"], model.decision_function(graphs[::-1]))
    np.testing.assert_array_equal(frame[decided[2]], model.predict_proba(graphs[::-1])[:, 1])
    np.testing.assert_array_equal(frame.iloc[:, 5:], model.transform(graphs[::-1]))


def test_a_run_repeats_from_its_record(fitted, tmp_path):
    data, folder, *_ = fitted
    again = tmp_path / "again"
    assert main(["sparse", data, "--config", str(folder / "config.toml"), "-o", str(again)]) == 0
    for name in FILES:
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_the_printed_table_and_status_line(make_cohort, capsys):
    assert main(["sparse", make_cohort(), "--alpha", "0.05"]) == 0
    shown = capsys.readouterr().out
    assert "positive coefficients favour patient" in shown
    assert "OPTIMAL in" in shown
    assert "penalty 0.05, objective" in shown
    assert "duality gap" in shown
    assert "all admitted subgraphs were searched" in shown


def test_a_model_without_subgraphs_prints_a_hint(make_cohort, capsys):
    assert main(["sparse", make_cohort(), "--alpha", "10"]) == 0
    assert "the model uses no subgraph" in capsys.readouterr().err
    assert main(["sparse", make_cohort(), "--alpha", "0.05"]) == 0
    assert "the model uses no subgraph" not in capsys.readouterr().err


def test_the_positive_class_determines_the_signs(make_cohort, tmp_path):
    data = make_cohort()
    for label in ("patient", "control"):
        flags = ["--alpha", "0.05", "--pos-label", label, "--features", "none"]
        assert main(["sparse", data, *flags, "-o", str(tmp_path / label)]) == 0
    first, second = record_of(tmp_path / "patient"), record_of(tmp_path / "control")
    coefficients = [s["coefficient"] for s in first["subgraphs"]]
    assert coefficients
    assert [-s["coefficient"] for s in second["subgraphs"]] == coefficients
    assert second["intercept"] == -first["intercept"]
    assert "features.csv" not in os.listdir(tmp_path / "patient")


def test_n_nonzero(make_cohort, tmp_path):
    assert main(["sparse", make_cohort(), "--n-nonzero", "1", "-o", str(tmp_path / "out")]) == 0
    record = record_of(tmp_path / "out")
    assert len(record["subgraphs"]) == 1
    assert record["parameters"]["alpha"] is None


def test_a_model_without_subgraphs_has_a_folder_and_a_page(make_cohort, tmp_path, capsys):
    out = tmp_path / "out"
    flags = ["--alpha", "5", "--loss", "squared_hinge", "--report"]
    assert main(["sparse", make_cohort(), *flags, "-o", str(out)]) == 0
    assert record_of(out)["subgraphs"] == []
    assert "there is no subgraph" in capsys.readouterr().err
    assert load_model(out / "model.json").subgraphs_ == []
    assert list(pd.read_csv(out / "features.csv")) == ["graph_id", "class", "predicted_class", "decision"]
    assert "0 chosen subgraphs" in (out / "report.html").read_text()


def test_a_time_limit_gives_exit_code_3(tmp_path, capsys):
    X = 0.4 + 0.6 * np.random.default_rng(0).random((30, 91))
    save_cohort(tmp_path / "dense.npz", UncertainGraphs(X), np.repeat([0, 1], 15))
    flags = ["--alpha", "0.01", "--min-expected-frequency", "0.02", "--time-limit", "0.01"]
    assert main(["sparse", str(tmp_path / "dense.npz"), *flags, "-o", str(tmp_path / "out")]) == 3
    assert "time limit was reached" in capsys.readouterr().err
    proof = record_of(tmp_path / "out")["proof"]
    assert (proof["status"], proof["success"]) == ("TIME_LIMIT", False)
    assert proof["duality_gap"] > 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--alpha", "0.1", "--n-nonzero", "3"], "Give --alpha or --n-nonzero, but not both"),
        (["--alpha", "-1"], "alpha must be a positive number"),
        (["--cv", "1"], "cv must be able to split these graphs"),
        (["--cv", "11"], "cv must be able to split these graphs"),
        (["--pos-label", "nobody"], "--pos-label must be one of the two classes"),
        (["--report"], "--report needs a folder"),
    ],
)
def test_invalid_input_is_refused(flags, message, make_cohort, capsys):
    assert main(["sparse", make_cohort(), *flags]) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_invalid_usage(make_cohort, capsys):
    with pytest.raises(SystemExit) as error:
        main(["sparse", make_cohort(), "--alpha", "best"])
    assert error.value.code == 2
    assert "must be a number or cv, but is 'best'" in capsys.readouterr().err


def test_hostile_names_are_escaped(hostile_cohort, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["sparse", hostile_cohort, "--alpha", "0.02", "--report", "-o", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "favour ill\\n\\u202e;" in shown
    frame = read_csv(out / "features.csv")
    assert frame.columns[4] == "probability of ill\\n\\u202e"
    assert set(frame["predicted_class"]) <= {"[b]healthy", r"ill\n\u202e"}
    page = (out / "report.html").read_text()
    assert page.count("</script>") == 4  # those of the page itself
