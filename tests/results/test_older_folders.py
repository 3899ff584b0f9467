"""Folders of earlier versions are read: folders_0_1_0 is of version 0.1.0, folders_2026_11 of November 2026.

They were made by

dugraph mine cohort.npz --n-subgraphs 3 --pos-label control --features none -o mine
dugraph sparse cohort.npz --alpha cv --cv 2 --n-alphas 3 --features none -o sparse
dugraph evaluate cohort.npz --methods exp-hsic,all-edges --n-subgraphs 2,3 --n-splits 2 -o evaluate
dugraph test cohort.npz --n-permutations 99 --alpha 0.5 --min-expected-frequency 0.3 -o test
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main

HOME = Path(__file__).parent
BOTH = pytest.mark.parametrize(
    "folders", [HOME / "folders_0_1_0", HOME / "folders_2026_11"], ids=["0.1.0", "2026-11"]
)


@BOTH
def test_a_search(folders):
    record = dg.load_result(folders / "mine")
    assert record.cohort.names == ("control", "patient")
    again = dg.mine_subgraphs(record.cohort, n_subgraphs=3)
    assert record.result.subgraphs == again.subgraphs
    assert np.allclose(record.result.values, again.values, rtol=1e-12)
    assert (record.result.status, record.result.gap) == (again.status, again.gap)
    assert record.result.parameters == again.parameters


@BOTH
def test_a_fit(folders):
    record = dg.load_result(folders / "sparse")
    model = record.result
    assert model.subgraphs_ == [one.edges for one in record.subgraphs]
    assert model.subgraph_coef_[0].tolist() == [one.value for one in record.subgraphs]
    assert [one.alpha for one in record.path] == [one.alpha for one in model.path_]
    assert [one.loss for one in record.path] == model.cv_losses_.mean(axis=1).tolist()


@BOTH
def test_an_evaluation(folders):
    record = dg.load_result(folders / "evaluate")
    settings = {"methods": ["exp-hsic", "all-edges"], "n_subgraphs": [2, 3], "cv": dg.RandomSplits(2)}
    again = dg.evaluate(record.cohort, **settings)
    assert record.result.methods == again.methods
    for metric in ("error", "f1", "balanced_accuracy", "auc"):
        assert np.array_equal(record.result.values(metric), again.values(metric), equal_nan=True)
    assert record.result.proven is again.proven
    assert [cell.n_found for cell in record.result.cells] == [cell.n_found for cell in again.cells]


def test_a_test_without_the_options_of_later_versions():
    record = dg.load_result(HOME / "folders_2026_11" / "test")
    asked = {"n_permutations": 99, "alpha": 0.5, "min_expected_frequency": 0.3}
    again = dg.significant_subgraphs(record.cohort, **asked)
    assert record.result.parameters == again.parameters
    assert record.result.subgraphs == again.subgraphs
    assert record.result.p_values.tolist() == again.p_values.tolist()
    assert np.array_equal(record.result.null_maxima, again.null_maxima)


@pytest.mark.parametrize("command", ["mine", "sparse", "evaluate", "test"])
def test_a_configuration_of_an_earlier_version_repeats_the_run(command, tmp_path):
    folder = HOME / "folders_2026_11" / command
    data = HOME / "folders_2026_11" / "cohort.npz"
    assert main([command, str(data), "--config", str(folder / "config.toml"), "-o", str(tmp_path)]) == 0
    tables = (folder / "results.csv", tmp_path / "results.csv")
    rows, ours = (list(csv.DictReader(table.read_text().splitlines())) for table in tables)
    for name in rows[0].keys() - {"effect_lower", "effect_upper"}:  # which later versions compute differently
        column, own = ([row[name] for row in table] for table in (rows, ours))
        try:  # the last digits depend on the processor
            np.testing.assert_allclose(list(map(float, own)), list(map(float, column)), rtol=1e-12)
        except ValueError:
            assert own == column


@BOTH
@pytest.mark.parametrize("command", ["mine", "sparse", "evaluate"])
def test_each_becomes_a_page_that_names_its_release(folders, command, tmp_path):
    page = dg.write_report(folders / command, output=tmp_path / "page.html").read_text()
    assert 'id="cohort"' in page
    if command != "evaluate":
        release = json.loads((folders / command / "results.json").read_text())["versions"]["dugraph"]
        assert release == "0.1.0"
        assert release in page
