"""The scripts that repeat the paper's studies, run on small cohorts."""

import csv
import importlib
import itertools
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

import dugraph as dg
from dugraph.search.mining import mine_within

matplotlib.use("Agg")
FOLDER = Path(__file__).parent.parent / "examples" / "paper"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module


@pytest.fixture(scope="module")
def cohort():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.uniform(0.2, 0.8, (30, 15))
    X[:, :2] = np.where(y[:, None] == 1, rng.uniform(0.6, 1, (30, 2)), rng.uniform(0, 0.6, (30, 2)))
    return dg.LabelledGraphs(X, y)


SMALL = {
    "phi": ["--phis", "0.01", "0.02", "--n-subgraphs", "2", "3", "--n-splits", "2"],
    "pruning": ["--min-expected-frequencies", "0.5", "0.4", "--n-subgraphs", "3"],
    "number_of_graphs": ["--n-graphs", "4", "8", "--n-subgraphs", "3"],
}


def test_every_script_has_a_small_run():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*SMALL, "paper_figures"}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("simulated", [True, False])
def test_a_script_writes_its_values_and_its_figure(name, simulated, script, cohort, tmp_path, capsys):
    data = ["--like", "hiv", "--simulate", "12"]
    if not simulated:
        dg.save_cohort(tmp_path / "cohort.npz", cohort.graphs, cohort.y)
        data = [str(tmp_path / "cohort.npz")]
    script(name).main([*data, *SMALL[name], "-o", str(tmp_path / "out")])
    assert f"{name}.png" in capsys.readouterr().out
    assert (tmp_path / "out" / f"{name}.png").stat().st_size > 5000
    text = (tmp_path / "out" / f"{name}.csv").read_text(encoding="utf-8")
    assert len(list(csv.DictReader(text.splitlines()))) >= 4


def test_phi_is_evaluated_as_a_method(script, cohort):
    asked = {"n_subgraphs": [3, 6], "cv": dg.RandomSplits(2), "min_expected_frequency": 0.1}
    rows = script("phi").study(cohort, [0.01, 0.06], **asked)
    assert [(row["phi"], row["t"]) for row in rows] == [(0.01, 3), (0.01, 6), (0.06, 3), (0.06, 6)]
    result = dg.evaluate(cohort, methods=["phi-hsic"], phi=0.06, **asked)
    assert [row["error"] for row in rows[2:]] == result.mean("error")[0].tolist()
    assert [row["f1"] for row in rows[2:]] == result.mean("f1")[0].tolist()


def test_pruning_changes_only_the_work(script, cohort):
    rows = script("pruning").study(cohort, [0.1, 0.3, 0.999], n_subgraphs=5)
    assert [(row["bound"], row["min_expected_frequency"]) for row in rows] == [
        (bound, limit) for bound in ("frequency", "worldwise", "mass") for limit in (0.3, 0.1)
    ]
    assert {row["status"] for row in rows} == {"OPTIMAL"}
    visited = {(row["bound"], row["min_expected_frequency"]): row["n_visited"] for row in rows}
    assert visited["mass", 0.1] <= visited["worldwise", 0.1] <= visited["frequency", 0.1]


def test_a_bound_that_reaches_the_limit_is_not_tried_lower(script, cohort, monkeypatch):
    monkeypatch.setattr(dg, "mine_subgraphs", partial(mine_within, 1))
    rows = script("pruning").study(cohort, [0.0, 0.001], ["frequency"])
    assert [row["status"] for row in rows] == ["NODE_LIMIT"]


def test_brute_force_ends_before_the_time_limit(script, cohort, monkeypatch):
    module = script("number_of_graphs")
    # Every step takes a thousandth of a second by this clock; 2^22 times that is too long.
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=itertools.count(0.0, 1e-3).__next__))
    rows = module.study(cohort, [4, 8, 30], 4000, n_subgraphs=3, min_expected_frequency=0.1)
    assert [(row["way"], row["n_graphs"], row["status"]) for row in rows] == [
        *(("search", n, "OPTIMAL") for n in (4, 8, 30)),
        *(("possible worlds", n, "OPTIMAL") for n in (4, 8)),
        ("possible worlds", 30, "not tried"),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_brute_force_agrees_with_the_dynamic_program(seed, script):
    rng = np.random.default_rng(seed)
    X, positive = rng.uniform(size=(7, 1)), np.arange(7) < 3
    expected = dg.probability.measure_subgraph(X, positive, (0,), score="hsic", measure="mode")
    assert script("number_of_graphs").mode_by_worlds(X, positive) == pytest.approx(expected, rel=1e-12)
