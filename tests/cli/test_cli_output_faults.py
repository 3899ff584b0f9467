"""Full disks, closed folders, interruptions: older results stay as they were, nothing is left over."""

import builtins
import errno
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from dugraph.cli import main


def full_disk():
    return OSError(errno.ENOSPC, "No space left on device")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def mined(make_cohort, tmp_path):
    path = make_cohort(node_coordinates=np.arange(15.0).reshape(5, 3))
    folder = tmp_path / "out"
    assert main(["mine", path, "--n-subgraphs", "4", "-o", str(folder)]) == 0
    return folder, ["mine", path, "--n-subgraphs", "2", "-o", str(folder)]


def failing(function, at, error):
    """Give a function that raises at its call number `at`, once."""
    calls = iter(range(1, 1000))

    def call(*arguments, **options):
        if next(calls) == at:
            raise error()
        return function(*arguments, **options)

    return call


@pytest.mark.parametrize("at", range(1, 12))
@pytest.mark.parametrize("error", [full_disk, KeyboardInterrupt])
def test_a_fault_at_any_file_keeps_older_results(at, error, mined, monkeypatch, capsys):
    folder, arguments = mined
    before = contents(folder)
    assert len(before) == 11
    monkeypatch.setattr(os, "fsync", failing(os.fsync, at, error))
    assert main(arguments) == (1 if error is full_disk else 130)
    shown = capsys.readouterr().err
    assert (f"{folder}: No space left on device." if error is full_disk else "interrupted") in shown
    assert contents(folder) == before


def test_a_full_disk_while_bytes_are_written(mined, monkeypatch, capsys):
    folder, arguments = mined
    before = contents(folder)

    class FullDisk(io.FileIO):
        def write(self, _data):
            raise full_disk()

    def open_on_full_disk(path, mode="r", *more, **options):
        if mode == "xb":
            return io.BufferedWriter(FullDisk(path, "x"))
        return real(path, mode, *more, **options)

    real = builtins.open
    monkeypatch.setattr(builtins, "open", open_on_full_disk)
    assert main(arguments) == 1
    monkeypatch.undo()
    assert f"{folder}: No space left on device." in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.parametrize(
    "words",
    [
        "mine --n-subgraphs 3",
        "sparse --n-nonzero 2 --n-alphas 4",
        "test --n-permutations 99",
        "evaluate --methods all-edges --n-subgraphs 2 --n-splits 2",
    ],
)
def test_a_command_replaces_its_own_results(words, make_cohort, tmp_path):
    (command, *flags), folder = words.split(), tmp_path / "out"
    folder.mkdir()
    (folder / "results.json").write_text('{"mine": "of someone else"}')
    for _ in range(2):
        assert main([command, make_cohort(), *flags, "-o", str(folder)]) == 0


def test_an_impossible_folder_is_refused_before_the_search(make_cohort, tmp_path, monkeypatch, refused):
    path = make_cohort()
    monkeypatch.setattr("dugraph.cli.mine.call", None)  # never reached
    # The superuser of a container may write everywhere, so that the answer of the system is made here.
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert f"{tmp_path}: the folder must be writable, but it is not." in refused(
        "mine", path, "-o", str(tmp_path)
    )


# The superuser may write everywhere: it becomes nobody, once what is imported late has been imported.
WITHOUT_RIGHTS = """
import os, sys
from dugraph.cli import main
assert main(["mine", "cohort.npz", "--n-subgraphs", "4", "-o", "out"]) == 0
os.chmod("out", 0o555)
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(main(["mine", "cohort.npz", "--n-subgraphs", "2", "-o", "out"]))
"""


@pytest.mark.system
def test_a_folder_without_permission(make_cohort):
    # Folders of pytest are closed to others; this one is open to nobody as well.
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        shutil.copy(make_cohort(), place)
        folder = Path(place, "out")
        command = [sys.executable, "-c", WITHOUT_RIGHTS]
        try:
            answer = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        finally:
            folder.chmod(0o755)
        assert answer.returncode == 1
        last = answer.stderr.splitlines()[-1]
        assert last == "dugraph: out: the folder must be writable, but it is not. Choose another one."
        assert len(json.loads((folder / "results.json").read_bytes())["subgraphs"]) == 4
        assert not list(folder.glob(".*"))


def test_a_table_not_written_keeps_the_older_one(mined, make_cohort, tmp_path, monkeypatch, refused):
    folder, _ = mined
    arguments = ["transform", str(folder / "model.json"), make_cohort(), "-o", str(tmp_path / "f.csv")]
    assert main(arguments) == 0
    before = (tmp_path / "f.csv").read_bytes()
    monkeypatch.setattr(os, "replace", failing(os.replace, 1, full_disk))
    assert f"{tmp_path / 'f.csv'}: No space left on device." in refused(*arguments)
    assert (tmp_path / "f.csv").read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def press(*_, **__):
    raise KeyboardInterrupt


def test_an_interrupted_search_writes_what_was_found(tmp_path, monkeypatch, capsys):
    cohort = str(tmp_path / "cohort.npz")
    assert main(["simulate", "--like", "hiv", "-o", cohort]) == 0
    monkeypatch.setattr("dugraph.cli.mine.progress", lambda *_, **__: press)
    asked = ["--bound", "frequency", "--min-expected-frequency", "0.01", "-o", str(tmp_path / "out")]
    assert main(["mine", cohort, *asked]) == 130
    assert "The search was interrupted" in capsys.readouterr().err
    assert "results.json" in os.listdir(tmp_path / "out")
    assert not list(Path(tmp_path / "out").glob(".*"))


@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("test", "dugraph.significant_subgraphs"),
        ("sparse", "dugraph.SparseSubgraphClassifier.fit"),
        ("evaluate", "dugraph.evaluate"),
    ],
)
def test_an_interrupted_command_leaves_no_folder(command, work, make_cohort, tmp_path, monkeypatch, capsys):
    cohort = make_cohort()
    monkeypatch.setattr(work, press)
    assert main([command, cohort, "-o", str(tmp_path / "new" / "out")]) == 130
    assert capsys.readouterr().err.endswith("dugraph: interrupted; nothing was written after this point.\n")
    assert not (tmp_path / "new").exists()
