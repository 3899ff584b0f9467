"""The paper's studies give the rows that they promise, and pictures of them."""

import csv
import io
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from dugraph import InputError, measure_subgraph
from dugraph.evaluation import phi_study, pruning_study, scaling_study, sweep
from dugraph.evaluation.brute_force import mode_by_worlds


def test_phi(small, tmp_path):
    settings = {"n_subgraphs": [3, 6], "n_splits": 2, "min_expected_frequency": 0.1}
    study = phi_study(*small, phis=[0.01, 0.06], cache=tmp_path, **settings)
    assert study.column("phi") == [0.01, 0.01, 0.06, 0.06]
    assert study.column("t") == [3, 6, 3, 6]
    assert phi_study(*small, phis=[0.01, 0.06], cache=tmp_path, **settings) == study
    assert {path.name for path in tmp_path.iterdir()} == {"phi-0.01", "phi-0.06"}


def test_pruning_changes_the_work_only(small):
    study = pruning_study(*small, min_expected_frequencies=[0.1, 0.3, 0.999], n_subgraphs=5)
    rows = list(csv.DictReader(io.StringIO(study.csv())))
    assert [(row["bound"], row["min_expected_frequency"]) for row in rows] == [
        (bound, limit) for bound in ("frequency", "worldwise", "mass") for limit in ("0.3", "0.1")
    ]
    assert {row["status"] for row in rows} == {"OPTIMAL"}
    visited = {(row["bound"], row["min_expected_frequency"]): int(row["n_visited"]) for row in rows}
    assert visited["mass", "0.1"] <= visited["worldwise", "0.1"] <= visited["frequency", "0.1"]


def test_a_bound_that_hits_the_limit_is_not_tried_lower(small):
    limits = [0.0, 0.001]
    study = pruning_study(*small, min_expected_frequencies=limits, bounds=["frequency"], node_limit=1)
    assert study.column("status") == ["NODE_LIMIT"]


def test_scaling_with_the_brute_force_as_far_as_it_gets(small, monkeypatch):
    # Every step takes a thousandth of a second by this clock; 2^22 times that is too long.
    monkeypatch.setattr(sweep, "time", SimpleNamespace(perf_counter=itertools.count(0.0, 1e-3).__next__))
    study = scaling_study(
        *small, n_graphs=[4, 8, 30], n_subgraphs=3, min_expected_frequency=0.1, time_limit=4000
    )
    ways = list(zip(study.column("way"), study.column("n_graphs"), study.column("status"), strict=True))
    assert ways[:5] == [
        *(("search", n, "OPTIMAL") for n in (4, 8, 30)),
        *(("possible worlds", n, "OPTIMAL") for n in (4, 8)),
    ]
    assert ways[5:] == [("possible worlds", 30, "not tried: about 4.19e+03 s")]
    with pytest.raises(InputError, match="even numbers from 4 to 30"):
        scaling_study(*small, n_graphs=[5])


def test_all_values_are_checked_before_the_first_is_tried(small, monkeypatch):
    monkeypatch.setattr(sweep, "evaluate_methods", lambda *_, **__: pytest.fail("an evaluation was begun"))
    monkeypatch.setattr(sweep, "mine_subgraphs", lambda *_, **__: pytest.fail("a search was begun"))
    with pytest.raises(InputError, match="phi must be a finite number, but is inf"):
        phi_study(*small, phis=[0.01, float("inf")])
    with pytest.raises(InputError, match="phis must be at least one number"):
        phi_study(*small, phis=[])
    with pytest.raises(
        InputError, match="min_expected_frequency must be a number of at least 0 and below 1, but is -1"
    ):
        pruning_study(*small, min_expected_frequencies=[0.5, -1])


@pytest.mark.parametrize("seed", range(5))
def test_the_brute_force_agrees_with_the_dynamic_program(seed):
    rng = np.random.default_rng(seed)
    X, positive = rng.uniform(size=(7, 1)), np.arange(7) < 3
    expected = measure_subgraph(X, positive, (0,), score="hsic", measure="mode")
    assert mode_by_worlds(X, positive) == pytest.approx(expected, rel=1e-12)


def test_a_study_can_be_drawn(small, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from dugraph.plot import draw_study

    study = scaling_study(*small, n_graphs=[4, 30], n_subgraphs=3, min_expected_frequency=0.1, time_limit=10)
    draw_study(tmp_path / "study.png", study)
    assert (tmp_path / "study.png").stat().st_size > 5000
