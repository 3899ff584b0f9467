"""`dugraph sparse` of two classes: the API's model as a table and as files, applied to new graphs."""

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
    x = graphs.edge_probability[:, model.subgraphs_[0]].prod(axis=1)
    assert record["subgraphs"][0]["expected_frequency_positive"] == pytest.approx(x[y == "patient"].mean())
    assert record["intercept"] == model.intercept_[0]
    assert (record["parameters"]["alpha"], record["parameters"]["alpha_in_use"]) == ("cv", model.alpha_)
    proof = record["proof"]
    assert (proof["objective"], proof["duality_gap"]) == (model.objective_, model.duality_gap_)
    assert proof["success"] is True
    assert record["counters"]["n_searches"] == model.n_searches_
    assert (record["input"]["positive_class"], record["input"]["path"]) == ("patient", "../cohort.npz")


def test_the_path_has_a_row_for_each_penalty(fitted):
    _, folder, _, _, model = fitted
    with open(folder / "path.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, expected in {
        "alpha": [m.alpha for m in model.path_],
        "n_nonzero": [len(m.coef) for m in model.path_],
        "objective": [m.objective for m in model.path_],
        "cv_loss_mean": model.cv_losses_.mean(axis=1).tolist(),
        "cv_loss_sd": model.cv_losses_.std(axis=1).tolist(),
    }.items():
        assert [float(row[name]) for row in rows] == expected


def test_edges_are_weighted_by_their_coefficients(fitted):
    _, folder, graphs, _, model = fitted
    matrix = np.loadtxt(folder / "brainnet.edge")
    for edge, (u, v) in enumerate(graphs.edges):
        own = [c for c, g in zip(model.subgraph_coef_[0], model.subgraphs_, strict=True) if edge in g]
        assert matrix[u, v] == matrix[v, u] == pytest.approx(np.sign(sum(own)) * sum(map(abs, own)))
    union = networkx.read_graphml(folder / "results.graphml")
    for *_, edge in union.edges(data=True):
        expected = [model.subgraph_coef_[0][int(rank) - 1] for rank in edge["ranks"].split()]
        assert [float(c) for c in edge["coefficients"].split()] == expected


def test_the_model_is_applied_to_new_graphs(fitted, tmp_path, shell):
    _, folder, graphs, y, model = fitted
    save_cohort(tmp_path / "new.npz", graphs[::-1], y[::-1])
    shell("transform", folder / "model.json", tmp_path / "new.npz", "-o", tmp_path / "new.csv")
    frame = read_csv(tmp_path / "new.csv")
    decided = ["predicted_class", "decision", "probability of patient"]
    assert list(frame) == ["graph_id", "class", *decided, *model.get_feature_names_out()]
    assert frame["predicted_class"].tolist() == model.predict(graphs[::-1]).tolist()
    np.testing.assert_array_equal(frame["decision"], model.decision_function(graphs[::-1]))
    np.testing.assert_array_equal(frame[decided[2]], model.predict_proba(graphs[::-1])[:, 1])
    np.testing.assert_array_equal(frame.iloc[:, 5:], model.transform(graphs[::-1]))


def test_the_printed_table_and_status_line(make_cohort, shell):
    shown = shell("sparse", make_cohort(), "--alpha", "0.05")
    for text in (
        *("positive coefficients favour patient", "OPTIMAL in", "penalty 0.05, objective", "duality gap"),
        "all admitted subgraphs were searched",
    ):
        assert text in shown.out
    assert "the model uses no subgraph" not in shown.err
    assert "the model uses no subgraph" in shell("sparse", make_cohort(), "--alpha", "10").err


def test_a_model_without_subgraphs_has_a_folder_and_a_page(make_cohort, tmp_path, shell):
    out = tmp_path / "out"
    flags = ["--alpha", "5", "--loss", "squared_hinge", "--report"]
    assert "there is no subgraph" in shell("sparse", make_cohort(), *flags, "-o", out).err
    assert record_of(out)["subgraphs"] == []
    assert load_model(out / "model.json").subgraphs_ == []
    assert list(pd.read_csv(out / "features.csv")) == ["graph_id", "class", "predicted_class", "decision"]
    assert "0 chosen subgraphs" in (out / "report.html").read_text()


def test_a_time_limit_gives_exit_code_3(tmp_path, shell):
    X = 0.4 + 0.6 * np.random.default_rng(0).random((30, 91))
    save_cohort(tmp_path / "dense.npz", UncertainGraphs(X), np.repeat([0, 1], 15))
    flags = ["--alpha", "0.01", "--min-expected-frequency", "0.02", "--time-limit", "0.01"]
    shown = shell("sparse", tmp_path / "dense.npz", *flags, "-o", tmp_path / "out", code=3)
    assert "time limit was reached" in shown.err
    proof = record_of(tmp_path / "out")["proof"]
    assert (proof["status"], proof["success"]) == ("TIME_LIMIT", False)
    assert proof["duality_gap"] > 0


def test_hostile_names_are_escaped(hostile_cohort, tmp_path, shell):
    out = tmp_path / "out"
    shown = shell("sparse", hostile_cohort, "--alpha", "0.02", "--report", "-o", out).out
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "favour ill\\n\\u202e;" in shown
    frame = read_csv(out / "features.csv")
    assert frame.columns[4] == "probability of ill\\n\\u202e"
    assert set(frame["predicted_class"]) <= {"[b]healthy", r"ill\n\u202e"}
    assert (out / "report.html").read_text().count("</script>") == 4  # those of the page itself
