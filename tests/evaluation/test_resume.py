"""Cells on disk: a killed run goes on and ends with the same bytes; a cache of something else is refused."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dugraph import InputError, evaluate_methods
from dugraph.evaluation import cell_store, protocol

COMPARED = ("results.csv", "table.csv", "table.md", "table.tex", "evaluation.json")
SETTINGS = {"methods": ["exp-hsic", "hsic+div", "all-edges"], "n_subgraphs": [3, 6], "n_splits": 4}
# Evaluations that end themselves by SIGKILL at a call of a function that cells are computed or written by: in
# copies of one process, since to begin is what takes time. Says how each ended and how many cells there are.
SCRIPT = """
import os, signal, sys
from pathlib import Path
import test_resume
from dugraph.evaluation import protocol

folder = sys.argv[1]

def killed(owner, place, number):
    function, calls = getattr(owner, place), []

    def call(*arguments, **options):
        calls.append(1)
        if len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    setattr(owner, place, call)
    test_resume.evaluate(folder)

for owner, place, number in ((protocol, "run_cell", 4), (os, "fsync", 3), (os, "replace", 6)):
    child = os.fork()
    if child == 0:
        killed(owner, place, number)
        os._exit(0)
    print(-os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), test_resume.n_cells(Path(folder)))
"""


def evaluate(folder):
    X, y = np.random.default_rng(0).uniform(0.2, 0.9, (30, 15)), np.arange(30) % 2
    evaluate_methods(X, y, **SETTINGS, cache=Path(folder, "cache")).save(folder)


def n_cells(folder):
    return len(list((folder / "cache").glob("cells/[!.]*.json")))


@pytest.mark.system
def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    evaluate(whole)
    assert n_cells(whole) == 12
    # In the computation of a cell, before its bytes are safe, and before it gets its name; the fingerprint of
    # the first run is a file, too.
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    command = [sys.executable, "-c", SCRIPT, str(killed)]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(word) for n in (3, 5, 10) for word in (int(signal.SIGKILL), n)]
    evaluate(killed)
    for name in COMPARED:
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


def test_finished_cells_are_not_computed_again(small, tmp_path, monkeypatch):
    first = evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    monkeypatch.setattr(protocol, "run_cell", lambda *_: pytest.fail("a cell was computed again"))
    again = evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    assert again.cells == first.cells


def test_methods_and_splits_may_be_added(small, tmp_path):
    evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    more = {**SETTINGS, "methods": ["hsic+div", "exp-freq"], "n_splits": 6}
    grown, fresh = evaluate_methods(*small, **more, cache=tmp_path), evaluate_methods(*small, **more)
    assert grown.values("auc").tolist() == fresh.values("auc").tolist()


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"random_state": 1}, "its random_state differ"),
        ({"min_expected_frequency": 0.3}, "its min_expected_frequency differ"),
        ({"n_subgraphs": [3]}, "its n_subgraphs differ"),
    ],
)
def test_a_cache_of_other_parameters_is_refused(small, tmp_path, change, cause):
    evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    with pytest.raises(InputError, match=cause):
        evaluate_methods(*small, **{**SETTINGS, **change}, cache=tmp_path)


def test_a_cache_of_other_data_is_refused(small, tmp_path):
    X, y = small
    evaluate_methods(X, y, **SETTINGS, cache=tmp_path)
    other = X.copy()
    other[0, 0] = np.nextafter(other[0, 0], 1)
    with pytest.raises(InputError, match="its data differ"):
        evaluate_methods(other, y, **SETTINGS, cache=tmp_path)
    with pytest.raises(InputError, match="its data differ"):
        evaluate_methods(X, 1 - y, **SETTINGS, cache=tmp_path)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"fingerprint": 1}'])
def test_damaged_cells_are_computed_again(small, tmp_path, damage):
    whole = evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    cell = tmp_path / "cells" / "hsic+div.0002.json"
    before = json.loads(cell.read_bytes())
    cell.write_bytes(damage)
    again = evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    assert again.values("auc").tolist() == whole.values("auc").tolist()
    assert json.loads(cell.read_bytes())["metrics"] == before["metrics"]


@pytest.mark.parametrize("change", [{"fingerprint": "0" * 64}, {"split": 3}, {"method": "exp-hsic"}])
def test_a_cell_of_another_run_split_or_method_is_computed_again(small, tmp_path, monkeypatch, change):
    """As when cells were copied or renamed by hand: each holds what its own run, split and method gave."""
    first = evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    cell = tmp_path / "cells" / "hsic+div.0002.json"
    before = cell.read_bytes()
    cell.write_bytes(json.dumps({**json.loads(before), **change, "mining_seconds": 1e6}).encode())
    computed, run = [], protocol.run_cell

    def watched(*arguments):
        computed.append(run(*arguments))
        return computed[-1]

    monkeypatch.setattr(protocol, "run_cell", watched)
    again = evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    assert [(one.method, one.split) for one in computed] == [("hsic+div", 2)]
    assert again.values("auc").tolist() == first.values("auc").tolist()
    assert json.loads(cell.read_bytes()).keys() == json.loads(before).keys()
    assert json.loads(cell.read_bytes())["mining_seconds"] < 1e6


def test_a_renamed_cell_is_not_taken_for_another(small, tmp_path):
    evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    mark = json.loads((tmp_path / "fingerprint.json").read_bytes())["fingerprint"]
    store = cell_store.CellStore(tmp_path, mark, {})
    cells = tmp_path / "cells"
    assert store.load("hsic+div", 2).split == 2
    (cells / "hsic+div.0003.json").write_bytes((cells / "hsic+div.0002.json").read_bytes())
    (cells / "all-edges.0002.json").write_bytes((cells / "hsic+div.0002.json").read_bytes())
    assert store.load("hsic+div", 3) is None
    assert store.load("all-edges", 2) is None


def test_a_damaged_fingerprint_is_refused(small, tmp_path):
    evaluate_methods(*small, **SETTINGS, cache=tmp_path)
    (tmp_path / "fingerprint.json").write_bytes(b"{}")
    with pytest.raises(InputError, match="fingerprint of a cache must be readable"):
        evaluate_methods(*small, **SETTINGS, cache=tmp_path)


@pytest.mark.parametrize(("method", "split"), [("../x", 0), ("exp-hsic", -1), ("exp-hsic", 10**7)])
def test_only_known_cells_become_files(tmp_path, method, split):
    store = cell_store.CellStore(tmp_path, "0", {})
    with pytest.raises(InputError, match="A cell must be of a known method"):
        store.load(method, split)
