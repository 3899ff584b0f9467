"""Cells on disk: a killed run continues and ends with the same bytes; other runs do not use its cells."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dugraph
from dugraph import RandomSplits, RepeatedFolds
from dugraph.evaluation import cells

COMPARED = ("results.csv", "table.csv", "table.md", "table.tex", "evaluation.json")
SETTINGS = {"methods": ["exp-hsic", "hsic+div", "all-edges"], "n_subgraphs": [3, 6], "cv": RandomSplits(4)}
# Evaluations that end themselves by SIGKILL at a call of a function that cells are computed or written by: in
# copies of one process, since to begin is what takes time. Says how each ended and how many cells there are.
SCRIPT = """
import os, signal, sys
from pathlib import Path
import test_resume
from dugraph.evaluation import cells

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

for owner, place, number in ((cells, "run_cell", 4), (os, "fsync", 3), (os, "replace", 6)):
    child = os.fork()
    if child == 0:
        killed(owner, place, number)
        os._exit(0)
    print(-os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), test_resume.n_cells(Path(folder)))
"""


def evaluate(folder):
    X, y = np.random.default_rng(0).uniform(0.2, 0.9, (30, 15)), np.arange(30) % 2
    dugraph.evaluate(X, y, **SETTINGS, cache=Path(folder, "cache")).save(folder)


def n_cells(folder):
    return len(list((folder / "cache").glob("cells/[!.]*.json")))


@pytest.mark.system
def test_a_killed_run_continues_and_ends_with_the_same_bytes(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    evaluate(whole)
    assert n_cells(whole) == 12
    # Killed while a cell is computed, before its bytes are on the disk, and before it is renamed.
    folders = [os.path.dirname(__file__), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-c", SCRIPT, str(killed)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(word) for n in (3, 5, 10) for word in (int(signal.SIGKILL), n)]
    evaluate(killed)
    for name in COMPARED:
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


@pytest.fixture
def computed(monkeypatch):
    """The method and the split of each cell that is computed."""
    places, run = [], cells.run_cell

    def watched(subjects, job):
        places.append((job.method, job.split))
        return run(subjects, job)

    monkeypatch.setattr(cells, "run_cell", watched)
    return places


def test_methods_and_splits_may_be_added_and_finished_cells_are_not_computed_again(small, tmp_path, computed):
    first = dugraph.evaluate(*small, **SETTINGS, cache=tmp_path)
    computed.clear()
    assert dugraph.evaluate(*small, **SETTINGS, cache=tmp_path).cells == first.cells
    assert computed == []
    more = {**SETTINGS, "methods": ["hsic+div", "exp-freq"], "cv": RandomSplits(6)}
    grown = dugraph.evaluate(*small, **more, cache=tmp_path)
    added = [("hsic+div", 4), ("hsic+div", 5), *(("exp-freq", split) for split in range(6))]
    assert sorted(computed) == sorted(added)
    assert grown.values("auc").tolist() == dugraph.evaluate(*small, **more).values("auc").tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"cv": RandomSplits(4, random_state=1)},
        {"min_expected_frequency": 0.3},
        {"n_subgraphs": [3]},
        {"max_edges": 2},
        {"time_limit": 10**6},
    ],
)
def test_other_parameters_are_computed_anew(small, tmp_path, computed, change):
    asked = {**SETTINGS, "methods": ["exp-hsic"]}
    dugraph.evaluate(*small, **asked, cache=tmp_path)
    computed.clear()
    dugraph.evaluate(*small, **{**asked, **change}, cache=tmp_path)
    assert sorted(computed) == [("exp-hsic", split) for split in range(4)]


def test_other_data_are_computed_anew(small, tmp_path, computed):
    X, y = small
    quick = {"methods": ["all-edges"], "n_subgraphs": [3], "cv": RepeatedFolds(2, n_repeats=1)}
    other, last = X.copy(), np.arange(30) == 29
    other[0, 0] = np.nextafter(other[0, 0], 1)
    age, site = np.arange(30.0), np.arange(30) % 5
    variants = [
        (X, y, {}),
        (other, y, {}),
        (X, 1 - y, {}),
        (X, age, {}),
        (X, age + last, {}),
        (X, age, {"covariates": site}),
        (X, age, {"covariates": site + last}),
        (X, age, {"groups": site}),
    ]
    for data, labels, more in variants:
        computed.clear()
        dugraph.evaluate(data, labels, **quick, **more, cache=tmp_path)
        assert len(computed) == 2


@pytest.fixture
def stored(small, tmp_path, computed):
    """The file of a cell, and the result."""
    result = dugraph.evaluate(*small, **SETTINGS, cache=tmp_path)
    computed.clear()
    files = (tmp_path / "cells").glob("hsic+div.*.json")
    return next(file for file in files if json.loads(file.read_bytes())["split"] == 2), result


def damage_of(cell, kind):
    """What the file of a cell may hold instead of its own values."""
    if isinstance(kind, bytes):
        return kind
    if kind == "unknown metric":
        record = json.loads(cell.read_bytes())
        record["metrics"]["3"]["luck"] = 1.0
        return json.dumps(record).encode()
    # As when cells were copied or renamed by hand: each has the key of its own data, method and split.
    others = [file for file in sorted(cell.parent.iterdir()) if file != cell]
    return next(file for file in others if file.name.startswith(kind)).read_bytes()


@pytest.mark.parametrize("kind", [b"", b"{", b"[]", b'{"key": 1}', "unknown metric", "hsic+div", "all-edges"])
def test_damaged_and_renamed_cells_are_computed_again(small, tmp_path, computed, stored, kind):
    cell, whole = stored
    before = json.loads(cell.read_bytes())
    cell.write_bytes(damage_of(cell, kind))
    again = dugraph.evaluate(*small, **SETTINGS, cache=tmp_path)
    assert computed == [("hsic+div", 2)]
    assert again.values("auc").tolist() == whole.values("auc").tolist()
    assert json.loads(cell.read_bytes())["metrics"] == before["metrics"]
