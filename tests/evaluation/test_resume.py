"""Cells on disk: a killed run goes on and ends with the same bytes; a cache of something else is refused."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from dugraph import InputError, evaluate_methods
from dugraph.evaluation import cell_store, protocol

COMPARED = ("results.csv", "table.csv", "table.md", "table.tex", "evaluation.json")
SETTINGS = {"methods": ["exp-hsic", "hsic+div", "all-edges"], "n_subgraphs": [3, 6], "n_splits": 4}
SCRIPT = """
import sys, time
import numpy as np
import dugraph as dg
from dugraph.evaluation import protocol

run = protocol.run_cell

def slowly(*arguments):
    time.sleep(0.05)
    return run(*arguments)

protocol.run_cell = slowly
graphs, y, _ = dg.simulate("adhd", n_graphs=40, random_state=0)
methods = ["exp-hsic", "mod-confidence", "exp-freq", "all-edges", "select-k-best"]
cache = sys.argv[1] + "/cache"
result = dg.evaluate_methods(graphs, y, methods=methods, n_subgraphs=[5, 10], n_splits=6, cache=cache)
result.save(sys.argv[1])
"""


def n_cells(folder):
    return len(list((folder / "cache").glob("cells/[!.]*.json")))


def run_script(folder, kill_at=None, delay=0.0):
    """Run the evaluation; end it by SIGKILL a moment after there are `kill_at` cells on disk."""
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)]) as process:
        if kill_at is not None:
            while n_cells(folder) < kill_at and process.poll() is None:
                time.sleep(0.005)
            time.sleep(delay)
            process.kill()
    return process.returncode


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert run_script(whole) == 0
    random = np.random.default_rng(0)
    for _ in range(5):
        wanted = n_cells(killed) + int(random.integers(1, 4))
        assert run_script(killed, wanted, random.uniform(0, 0.05)) == -signal.SIGKILL
        assert n_cells(killed) >= wanted
    assert n_cells(killed) < n_cells(whole)
    assert run_script(killed) == 0
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
