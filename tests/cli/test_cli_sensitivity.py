"""`dugraph sensitivity`: the numbers of sensitivity_analysis as tables and a folder."""

import csv
import json

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main

ASKED = ["--min-expected-frequencies", "0.2,0.1", "--n-permutations", "199", "--blocks", "site"]


def make_graphs(names="ABCDE", n=40):
    random = np.random.default_rng(0)
    X, ill = random.uniform(0.1, 0.7, (n, 10)), np.arange(n) % 2
    X[:, :2] += 0.28 * ill[:, None]
    people = {"site": np.array(["a", "b"])[np.arange(n) // 2 % 2]}
    graphs = dg.UncertainGraphs(X, node_labels=list(names), participants=people)
    return graphs, np.array(["control", "patient"])[ill]


@pytest.fixture
def data(tmp_path):
    dg.save_cohort(tmp_path / "cohort.npz", *make_graphs(["=A", *"BCDE"]))
    return str(tmp_path / "cohort.npz")


def rows_of(path):
    with open(path, newline="") as opened:
        return list(csv.DictReader(opened))


def test_tables_and_files(data, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["sensitivity", data, *ASKED, "-o", str(out)]) == 0
    shown = capsys.readouterr()
    ours = dg.sensitivity_analysis(
        *dg.load_cohort(data), min_expected_frequencies=(0.2, 0.1), n_permutations=199, blocks="site"
    )
    assert shown.out.rstrip().endswith(ours.message)
    edges = rows_of(out / "results.csv")
    assert [row["edge"] for row in edges] == ["{" + name + "}" for name in ours.edges]
    assert [int(row["n_settings"]) for row in edges] == ours.found.sum(axis=1).tolist()
    for k, name in enumerate(ours.names):
        found = [row[f"effect at {name}"] for row in edges]
        assert [cell != "" for cell in found] == ours.found[:, k].tolist()
    settings = rows_of(out / "settings.csv")
    assert [row["setting"] for row in settings] == ["{" + name + "}" for name in ours.names]
    assert [int(row["n_significant"]) for row in settings] == [len(test) for test in ours.results]
    jaccard = [[float(cell) for cell in list(row.values())[1:]] for row in rows_of(out / "jaccard.csv")]
    assert jaccard == ours.jaccard.tolist()
    record = json.loads((out / "results.json").read_text())
    assert (record["command"], record["message"]) == ("sensitivity", ours.message)
    assert (out / "edges.svg").read_text().rstrip().endswith("</svg>")


def test_other_probability_maps_in_another_order(data, tmp_path, capsys, refused):
    graphs, y = dg.load_cohort(data)
    order = np.random.default_rng(1).permutation(len(graphs))
    dg.save_cohort(tmp_path / "other.npz", graphs[order], y[order])
    other = str(tmp_path / "other.npz")
    asked = ["--statistics", "z", "--min-expected-frequencies", "0.1", "--n-permutations", "199"]
    assert main(["sensitivity", data, "--also", other, *asked]) == 0
    shown = capsys.readouterr().out
    assert "other.npz, 0.1" in shown
    assert "The Jaccard index of the edges of two settings is 1.00 to 1.00" in shown
    dg.save_cohort(tmp_path / "few.npz", graphs[:30], y[:30])
    error = refused("sensitivity", data, "--also", str(tmp_path / "few.npz"), *asked)
    assert "must have all participants of cohort.npz, but 10 are missing" in error


def test_a_phenotype_and_some_of_the_participants(data, tmp_path, capsys):
    graphs, _ = make_graphs()
    people = {"dose": 3 * graphs.edge_probability[:, 0] + 0.01 * np.arange(40), **graphs.participants}
    dg.save_cohort(
        tmp_path / "doses.npz",
        dg.UncertainGraphs(graphs.edge_probability, node_labels=graphs.node_labels, participants=people),
    )
    asked = ["--phenotype", "dose", "--where", "site == 'a'", "--n-permutations", "199"]
    assert main(["sensitivity", str(tmp_path / "doses.npz"), *asked]) == 0
    assert "A--B" in capsys.readouterr().out
