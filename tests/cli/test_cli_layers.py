"""Parallel edges of two layers in the table and in the files of `dugraph mine`."""

import csv
import json
import tomllib

import numpy as np

from dugraph import UncertainGraphs, enumerate_subgraphs, load_cohort, save_cohort, signed_edges
from dugraph.cli import main


def test_parallel_edges_in_table_and_files(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    edges, layers = signed_edges([(1, 0), (2, 0), (2, 1)])
    X = rng.uniform(0.1, 0.5, (12, 6))
    X[:, 0] = np.where(y, 0.9, 0.2)
    X[:, 1] = rng.permutation(X[:, 1]) + np.where(y, 0.0, 0.3)
    graphs = UncertainGraphs(X, edges, ["A", "B", "C"], edge_layers=layers)
    save_cohort(tmp_path / "signed.npz", graphs, y)
    asked = ["--n-subgraphs", "5", "--min-expected-frequency", "0.01", "--max-correlation", "0.95"]
    assert main(["mine", str(tmp_path / "signed.npz"), *asked, "-o", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "A--B [negative]" in shown
    assert "A--B [positive]" in shown
    record = json.loads((tmp_path / "out" / "results.json").read_text())
    ranked, _ = enumerate_subgraphs(*load_cohort(tmp_path / "signed.npz"), min_expected_frequency=0.01)
    found = [tuple(edge["index"] for edge in s["edges"]) for s in record["subgraphs"]]
    assert found[0] == ranked[0]
    assert [g for g in ranked if g in found] == found
    for s in record["subgraphs"]:
        for edge in s["edges"]:
            assert edge["layer"] == layers[edge["index"]]
            assert edge["nodes"] == sorted(edges[edge["index"]].tolist())
    with open(tmp_path / "out" / "results.csv", newline="") as file:
        names = [row["subgraph"] for row in csv.DictReader(file)]
    assert names == [graphs.subgraph_name(g) for g in found]
    assert record["parameters"]["max_correlation"] == 0.95
    config = tmp_path / "out" / "config.toml"
    assert tomllib.loads(config.read_text())["max_correlation"] == 0.95
    again = ["mine", str(tmp_path / "signed.npz"), "--config", str(config), "-o", str(tmp_path / "again")]
    assert main(again) == 0
    results = [(tmp_path / folder / "results.json").read_bytes() for folder in ("out", "again")]
    assert results[0] == results[1]
