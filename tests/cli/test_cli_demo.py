"""`dugraph demo`: all files, the planted subgraphs found again, nothing leaked, extras missing."""

import json
import re
import sys
from pathlib import Path

import pytest

from dugraph import load_cohort, simulate
from dugraph.cli import demo, main

README = Path(__file__).parents[2] / "README.md"


def test_the_whole_way(tmp_path, capsys):
    folder = tmp_path / "demo"
    assert main(["demo", "-o", str(folder)]) == 0
    shown = capsys.readouterr()
    assert "3 of 3 planted subgraphs recovered by exp-hsic" in shown.out
    promised = re.findall(r"```text\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[0]
    assert "3 of 3 planted subgraphs are significant" in promised
    assert promised in shown.out
    report, blank, *summary = shown.out.splitlines()[-7:]
    assert (report, blank, len(summary)) == (f"  {folder / 'report.html'}", "", 5)
    assert summary[-2].startswith("Every list is proven")
    assert summary[-1] == f"To look at the results in the app: dugraph app {folder}"
    named = [line.strip() for line in shown.out.splitlines() if line.startswith(f"  {folder}")]
    assert sorted(named) == sorted(str(path) for path in folder.rglob("*") if path.is_file())
    assert (folder / "subgraphs.png").read_bytes()[1:4] == b"PNG"
    graphs, y = load_cohort(folder / "cohort.npz")
    assert graphs.describe(y)["n_graphs"] == 200
    planted = json.loads((folder / "cohort.planted.json").read_text())["planted"]
    listed = json.loads((folder / "exp-hsic" / "results.json").read_text())["subgraphs"]
    best = [[edge["index"] for edge in subgraph["edges"]] for subgraph in listed[:10]]
    assert all(subgraph["edge_index"] in best for subgraph in planted)
    assert "What the test claims" in (folder / "report.html").read_text()
    assert shown.err.count("\n") == 5  # one line per step


@pytest.mark.xdist_group("joblib")
def test_without_matplotlib_the_picture_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(demo, "N_SPLITS", 1)
    assert main(["demo", "-o", str(tmp_path), "--random-state", "1", "--n-jobs", "2"]) == 0
    shown = capsys.readouterr()
    assert "pip install 'dugraph[plot]'" in shown.err
    assert "png" not in shown.out


def test_relation_to_planted():
    graphs, _, planted = simulate("hiv", n_graphs=4, random_state=0)
    triangle = planted[1]
    assert demo._relation_to_planted(triangle, graphs, planted) == "yes"
    assert demo._relation_to_planted(triangle[:1], graphs, planted) == "part"
    nodes = sorted(set(graphs.edges[list(planted[2])].ravel().tolist()))
    among = [e for e, pair in enumerate(graphs.edges.tolist()) if set(pair) <= set(nodes)]
    assert demo._relation_to_planted(tuple(among), graphs, planted) == "its regions"
    assert demo._relation_to_planted((*triangle, *planted[2]), graphs, planted) == "no"


def test_a_wrong_number_of_threads_is_refused(tmp_path, capsys):
    assert main(["demo", "-o", str(tmp_path), "--n-jobs", "0"]) == 1
    assert "--n-jobs must be -1 or a whole number" in capsys.readouterr().err


def test_an_interruption_ends_the_demo(tmp_path, monkeypatch, capsys):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dugraph.mine_subgraphs", stopped)
    assert main(["demo", "-o", str(tmp_path)]) == 130
