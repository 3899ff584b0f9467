"""Folders that version 0.1.0 wrote are read: the files in folders_0_1_0 are its own, made by

dugraph mine cohort.npz --n-subgraphs 3 --pos-label control --features none -o mine
dugraph sparse cohort.npz --alpha cv --cv 2 --n-alphas 3 --features none -o sparse
dugraph evaluate cohort.npz --methods exp-hsic,all-edges --n-subgraphs 2,3 --n-splits 2 -o evaluate
"""

import json
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg

FOLDERS = Path(__file__).parent / "folders_0_1_0"


def test_a_search():
    record = dg.load_result(FOLDERS / "mine")
    assert record.cohort.names == ("control", "patient")
    again = dg.mine_subgraphs(record.cohort, n_subgraphs=3)
    assert record.result.subgraphs == again.subgraphs
    assert np.allclose(record.result.values, again.values, rtol=1e-12)
    assert (record.result.status, record.result.gap) == (again.status, again.gap)
    assert record.result.parameters == again.parameters


def test_a_fit():
    record = dg.load_result(FOLDERS / "sparse")
    model = record.result
    assert model.subgraphs_ == [one.edges for one in record.subgraphs]
    assert model.subgraph_coef_[0].tolist() == [one.value for one in record.subgraphs]
    assert [one.alpha for one in record.path] == [one.alpha for one in model.path_]
    assert [one.loss for one in record.path] == model.cv_losses_.mean(axis=1).tolist()


def test_an_evaluation():
    record = dg.load_result(FOLDERS / "evaluate")
    settings = {"methods": ["exp-hsic", "all-edges"], "n_subgraphs": [2, 3], "cv": dg.RandomSplits(2)}
    again = dg.evaluate(record.cohort, **settings)
    assert record.result.methods == again.methods
    for metric in ("error", "f1", "balanced_accuracy", "auc"):
        assert np.array_equal(record.result.values(metric), again.values(metric), equal_nan=True)
    assert record.result.proven is again.proven
    assert [cell.n_found for cell in record.result.cells] == [cell.n_found for cell in again.cells]


@pytest.mark.parametrize("command", ["mine", "sparse", "evaluate"])
def test_each_becomes_a_page_that_names_its_release(command, tmp_path):
    page = dg.write_report(FOLDERS / command, output=tmp_path / "page.html").read_text()
    assert 'id="cohort"' in page
    if command != "evaluate":
        release = json.loads((FOLDERS / command / "results.json").read_text())["versions"]["dugraph"]
        assert release == "0.1.0"
        assert release in page
