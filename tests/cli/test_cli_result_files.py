"""The files of `dugraph mine -o`: exact, equal for equal runs, all or nothing, repeatable."""

import csv
import dataclasses
import hashlib
import json
import os
import sys
import tomllib
from pathlib import Path

import networkx
import numpy as np
import pytest
from exact_tables import read_csv

from dugraph import SubgraphSelector, containment_probability, load_cohort, mine_subgraphs, score_distribution
from dugraph.cli import main
from dugraph.results.paper import PAPER_FILES
from dugraph.search import Status
from dugraph.settings import MineSettings

NAMES = (
    *("config.toml", "features.csv", "model.json", "results.csv", "results.graphml", "results.json"),
    *("brainnet.node", "brainnet.edge", *PAPER_FILES),
)
QUANTILES = ("0.05", "0.25", "0.75", "0.95")
PLACES = np.arange(15.0).reshape(5, 3)


@pytest.fixture
def mined(make_cohort, tmp_path):
    path = make_cohort(node_coordinates=PLACES)
    folder = tmp_path / "out"
    arguments = ["mine", path, "--measure", "phi_probability", "--phi", "0.01", "--n-subgraphs", "4"]
    assert main([*arguments, "-o", str(folder)]) == 0
    return path, folder, arguments


def test_the_record_is_exact(mined):
    path, folder, _ = mined
    assert sorted(os.listdir(folder)) == sorted(NAMES)
    text = (folder / "results.json").read_text()
    record = json.loads(text)
    assert text == json.dumps(record, indent=1, sort_keys=True) + "\n"
    graphs, y = load_cohort(path)
    result = mine_subgraphs(graphs, y, measure="phi_probability", phi=0.01, n_subgraphs=4)
    subgraphs = record["subgraphs"]
    assert [tuple(e["index"] for e in s["edges"]) for s in subgraphs] == result.subgraphs
    assert [s["value"] for s in subgraphs] == result.values.tolist()
    x = containment_probability(graphs, result.subgraphs[0])
    assert subgraphs[0]["expected_frequency_positive"] == x[y == "patient"].mean()
    assert subgraphs[0]["expected_frequency_negative"] == x[y == "control"].mean()
    first = subgraphs[0]["edges"][0]
    assert first["node_labels"] == [graphs.node_labels[node] for node in first["nodes"]]
    assert record["parameters"] == result.parameters
    assert record["input"]["sha256"] == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert record["input"]["path"] == "../cohort.npz"
    assert record["input"]["file"] == "cohort.npz"
    assert record["input"]["positive_class"] == "patient"
    assert "provenance" not in record["input"]
    assert record["proof"]["status"] == "OPTIMAL"
    assert record["proof"]["gap"] == 0
    assert record["counters"]["n_visited"] == result.n_visited


def test_the_score_distribution_of_every_subgraph_is_summed_up(mined):
    path, folder, _ = mined
    graphs, y = load_cohort(path)
    for subgraph in json.loads((folder / "results.json").read_text())["subgraphs"]:
        edges = [edge["index"] for edge in subgraph["edges"]]
        law = score_distribution(graphs, y, edges, "hsic")
        below = np.cumsum(law.probabilities)
        second = law.probabilities @ law.values**2
        assert subgraph["score_distribution"] == {
            "score": "hsic",
            "expectation": pytest.approx(law.expectation(), rel=1e-15),
            "standard_deviation": pytest.approx(np.sqrt(second - law.expectation() ** 2), rel=1e-9),
            "median": law.median(),
            "mode": law.mode(),
            "phi": 0.01,
            "phi_probability": pytest.approx(subgraph["value"], rel=1e-12),  # by which they were ranked
            "quantiles": {
                level: law.values[np.argmax(below >= float(level))]
                for level in ("0.05", "0.25", "0.75", "0.95")
            },
        }


def test_layers_and_provenance_are_recorded(make_cohort, tmp_path):
    layers = ["positive", "negative"] * 5
    pairs = [[0, 1], [0, 1], [1, 2], [1, 2], [2, 3], [2, 3], [3, 4], [3, 4], [0, 4], [0, 4]]
    origin = {"format": "made up"}
    path = make_cohort(edges=pairs, edge_layers=layers, node_coordinates=PLACES, provenance=origin)
    assert main(["mine", path, "--n-subgraphs", "1", "-o", str(tmp_path)]) == 0
    record = json.loads((tmp_path / "results.json").read_text())
    assert [edge["layer"] for edge in record["subgraphs"][0]["edges"]] == ["positive", "negative"]
    assert record["input"]["provenance"] == origin
    assert record["input"]["path"] == "cohort.npz"
    assert networkx.read_graphml(tmp_path / "results.graphml").is_multigraph()
    assert (tmp_path / "brainnet.negative.edge").read_text().startswith("0\t1\t0")


def test_the_features_are_those_of_the_model_and_of_the_api(mined):
    path, folder, _ = mined
    graphs, y = load_cohort(path)
    frame = read_csv(folder / "features.csv", dtype={"graph_id": str})
    selector = SubgraphSelector(measure="phi_probability", phi=0.01, n_subgraphs=4).fit(graphs, y)
    assert frame["graph_id"].tolist() == list(graphs.graph_ids)
    assert frame["class"].tolist() == y.tolist()
    assert list(frame)[2:] == selector.get_feature_names_out().tolist()
    np.testing.assert_array_equal(frame.iloc[:, 2:].to_numpy(), selector.transform(graphs))
    saved = SubgraphSelector.from_json(folder / "model.json")
    np.testing.assert_array_equal(saved.transform(graphs), selector.transform(graphs))
    assert saved.get_params() == selector.get_params()
    assert saved.classes_.tolist() == ["control", "patient"]


def test_files_of_an_older_run_that_the_new_one_has_not_are_removed(mined, make_cohort):
    _, folder, arguments = mined
    (folder / "notes.txt").write_text("mine")
    flat = make_cohort("flat.npz")
    assert main(["mine", flat, *arguments[2:], "--features", "parquet", "-o", str(folder)]) == 0
    expected = {"notes.txt", "features.parquet", *NAMES} - {"features.csv", "brainnet.node", "brainnet.edge"}
    assert set(os.listdir(folder)) == expected
    assert main(["mine", flat, *arguments[2:], "--features", "none", "-o", str(folder)]) == 0
    assert set(os.listdir(folder)) == expected - {"features.parquet"}


def test_files_left_out_are_reported(make_cohort, tmp_path, monkeypatch, capsys, refused):
    monkeypatch.setitem(sys.modules, "networkx", None)
    assert main(["mine", make_cohort(), "--n-subgraphs", "2", "-o", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().err
    assert "results.graphml not written: GraphML is written by networkx, which is missing" in shown
    assert "brainnet.node and .edge not written: BrainNet Viewer files need coordinates" in shown
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("dugraph.cli.mine.call", None)  # never reached
    assert "Parquet is written by pyarrow, which is missing" in refused(
        "mine", make_cohort(), "--features", "parquet", "-o", str(tmp_path / "out")
    )


def test_a_search_that_found_nothing_yet_leaves_a_record(make_cohort, tmp_path, monkeypatch, capsys):
    real = mine_subgraphs

    def stopped(*arguments, **options):
        found = real(*arguments, **options)
        return dataclasses.replace(found, subgraphs=[], values=found.values[:0], status=Status.TIME_LIMIT)

    monkeypatch.setattr("dugraph.search.mining.mine_subgraphs", stopped)
    monkeypatch.setattr("dugraph.mine_subgraphs", stopped)
    assert main(["mine", make_cohort(), "-o", str(tmp_path / "out")]) == 3
    assert set(os.listdir(tmp_path / "out")) == {"results.json", "results.csv", "config.toml", *PAPER_FILES}
    assert "not written: there is no subgraph" in capsys.readouterr().err


def test_the_table_of_numbers(mined):
    _, folder, _ = mined
    with open(folder / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    record = json.loads((folder / "results.json").read_text())
    assert [float(row["value"]) for row in rows] == [s["value"] for s in record["subgraphs"]]
    assert [float(row["median"]) for row in rows] == [
        s["score_distribution"]["median"] for s in record["subgraphs"]
    ]
    assert [row["edge_index"].split() for row in rows] == [
        [str(e["index"]) for e in s["edges"]] for s in record["subgraphs"]
    ]


def test_flags_win_over_the_configuration(make_cohort, tmp_path, capsys):
    config = tmp_path / "c.toml"
    config.write_text('score = "confidence"\nn-subgraphs = 2\nprogress = false\npos_label = "control"\n')
    assert main(["mine", make_cohort(), "--config", str(config), "--score", "g_test"]) == 0
    assert "exp-g_test: 2 subgraphs" in capsys.readouterr().out


def test_every_kind_of_value_survives_config_toml():
    settings = {
        "pos_label": 'x"\\\n\x7f\u202e',
        "phi": 1e-300,
        "score_cap": float("inf"),
        "n_subgraphs": 10**18,
    }
    read = tomllib.loads(MineSettings.of({**settings, "test": True, "time_limit": None}).to_toml().decode())
    assert {name: read[name] for name in settings} == settings
    assert read["test"] is True
    assert "time_limit" not in read
