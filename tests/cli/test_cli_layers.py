"""Parallel edges of two layers in the table and in the files of `dugraph mine`."""

import csv
import json

import numpy as np

from dugraph import UncertainGraphs, load_cohort, save_cohort, signed_edges
from dugraph.cli import main
from dugraph.search import enumerate_subgraphs


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


def test_signs_from_files_to_the_features_of_new_graphs(tmp_path, capsys):
    """A link that is more negative in patients is found with signed layers, and is invisible without."""
    rng = np.random.default_rng(0)
    rows = ["id,group"]
    (tmp_path / "in").mkdir()
    for k in range(24):
        r = np.tril(rng.uniform(-0.1, 0.3, (5, 5)), -1)
        r[1, 0] = (-0.7 if k % 2 else -0.2) + rng.normal(0, 0.05)
        r[3, 2] = 0.5 + rng.normal(0, 0.05)
        np.savetxt(tmp_path / "in" / f"s{k:02d}.csv", r + r.T + np.eye(5), delimiter=",")
        rows.append(f"s{k:02d},{'patient' if k % 2 else 'control'}")
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "atlas.txt").write_text("\n".join(f"Region {c}" for c in "ABCDE") + "\n")
    read = [str(tmp_path / "in"), "--participants", str(tmp_path / "p.csv"), "--positive", "patient"]
    read += ["--atlas", str(tmp_path / "atlas.txt")]
    shown = {}
    for probability in ("signed", "positive"):
        cohort, folder = str(tmp_path / f"{probability}.npz"), str(tmp_path / probability)
        assert main(["convert", *read, "--probability", probability, "-o", cohort]) == 0
        capsys.readouterr()
        assert main(["test", cohort, "--n-permutations", "99", "--report", "-o", folder]) == 0
        shown[probability] = capsys.readouterr().out
    assert "Region A--Region B [negative]" in shown["signed"]
    assert "Region A--Region B" not in shown["positive"]
    assert "negative</bdi> edge" in (tmp_path / "signed" / "report.html").read_text()
    features = tmp_path / "features.csv"
    signed = str(tmp_path / "signed.npz")
    assert main(["transform", str(tmp_path / "signed"), signed, "-o", str(features)]) == 0
    graphs, _ = load_cohort(signed)
    with open(features, newline="") as file:
        table = list(csv.DictReader(file))
    found = [float(row["{Region A--Region B [negative]}"]) for row in table]
    names = [graphs.edge_name(edge) for edge in range(graphs.n_edges)]
    edge = names.index("Region A--Region B [negative]")
    np.testing.assert_array_equal(found, graphs.edge_probability[:, edge])
