"""`dugraph power`: the numbers of power_analysis as a table and a folder."""

import csv
import json

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.cli.test import PILOT_GRAPHS

ASKED = ["--n-edges", "1", "--frequencies", "0.7,0.3", "--n-permutations", "399"]


@pytest.fixture
def data(tmp_path):
    graphs = dg.UncertainGraphs(np.random.default_rng(0).random((50, 10)))
    dg.save_cohort(tmp_path / "pilot.npz", graphs, np.arange(50) % 2)
    return str(tmp_path / "pilot.npz")


def test_table_and_files(data, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["power", data, *ASKED, "--n-graphs", "30,60", "-o", str(out)]) == 0
    shown = capsys.readouterr()
    graphs, _ = dg.load_cohort(data)
    ours = dg.power_analysis(graphs, n_edges=1, frequencies=(0.7, 0.3), n_graphs=(30, 60), n_permutations=399)
    assert shown.out.rstrip().endswith(ours.message)
    rows = [line.split() for line in shown.out.splitlines() if line.split()[:1] in (["30"], ["60"])]
    assert [row[1] for row in rows] == [f"{power:.3f}" for power in ours.power]
    assert [row[3] for row in rows] == [f"{found:.3f}" for found in ours.detectable]
    with open(out / "results.csv", newline="") as opened:
        table = list(csv.DictReader(opened))
    for name in ("n_graphs", "power", "admitted", "detectable"):
        assert [float(row[name]) for row in table] == getattr(ours, name).tolist()
    record = json.loads((out / "results.json").read_text())
    assert record["n_needed"] == ours.n_needed
    assert record["input"]["file"] == "pilot.npz"
    assert record["sizes"][1]["power"] == ours.power[1]
    for name in ("power.svg", "detectable.svg"):
        assert (out / name).read_text().rstrip().endswith("</svg>")
        assert f"written: {out / name}" in shown.err


def test_the_labels_are_not_used(data, tmp_path, capsys):
    assert main(["power", data, *ASKED]) == 0
    first = capsys.readouterr().out
    graphs, _ = dg.load_cohort(data)
    dg.save_cohort(data, graphs)
    assert main(["power", data, *ASKED]) == 0
    assert capsys.readouterr().out == first


def test_a_simulated_pilot(capsys):
    flags = ["--min-expected-frequency", "0.3", "--random-state", "2", "--max-edges", "2"]
    assert main(["power", "--like", "adhd", *ASKED, *flags]) == 0
    pilot = dg.simulate("adhd", n_graphs=PILOT_GRAPHS, n_planted=0, random_state=2).graphs
    asked = {"min_expected_frequency": 0.3, "random_state": 2, "n_permutations": 399, "max_edges": 2}
    ours = dg.power_analysis(pilot, n_edges=1, frequencies=(0.7, 0.3), **asked)
    assert ours.message in capsys.readouterr().out


def test_frequencies_that_are_never_admitted(data, capsys):
    asked = ["--n-edges", "1", "--frequencies", "0.2,0.05", "--min-expected-frequency", "0.3"]
    assert main(["power", data, *asked]) == 0
    shown = capsys.readouterr().out
    assert "No number of graphs finds" in shown
    assert "lower this limit before looking at the labels" in shown
