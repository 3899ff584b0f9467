"""Files appear whole or not at all; a half replaced folder is noticed, and repaired by a rerun."""

import errno
import itertools
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file, check_writable, write_folder
from dugraph.files.text import json_bytes

OLD = {"a": b"old a", "b": b"old b", "gone": b"old", "test/c": b"old c"}
NEW = {"a": b"new a", "b": b"new b", "test/c": b"new c", "test/d": b"new d"}


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def full_disk():
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def failing(function, at, error):
    """Return a function that raises at call number `at`, once."""
    calls = itertools.count(1)

    def call(*arguments, **options):
        if next(calls) == at:
            raise error()
        return function(*arguments, **options)

    return call


def test_a_folder_is_created_or_its_files_are_replaced(tmp_path):
    place = tmp_path / "new" / "folder"
    assert write_folder(place, OLD) == [place / name for name in OLD]
    assert contents(place) == OLD
    (place / "mine").write_bytes(b"stays")
    write_folder(place, NEW, obsolete=["gone", "a", "absent"])
    assert contents(place) == {**NEW, "mine": b"stays"}
    (tmp_path / "plain").mkdir()
    assert place.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert os.listdir(tmp_path / "new") == ["folder"]


@pytest.mark.parametrize("name", ["a", "b", "test/c"])
def test_the_last_file_is_replaced_last(name, tmp_path, monkeypatch):
    write_folder(tmp_path, OLD)
    replaced = []
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (replaced.append(Path(new).name), real(old, new)))
    write_folder(tmp_path, NEW, last=name)
    assert replaced[-1] == Path(name).name
    assert sorted(replaced) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("error", [full_disk, KeyboardInterrupt])
@pytest.mark.parametrize("at", range(1, 5))
def test_an_error_while_files_are_written_leaves_the_old_ones(error, at, tmp_path, monkeypatch):
    for place, before in ((tmp_path / "old", OLD), (tmp_path / "new", {})):
        if before:
            write_folder(place, before)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", failing(os.fsync, at, error))
            with pytest.raises(type(error())) as caught:
                write_folder(place, NEW, ["gone"])
        if error is full_disk:
            assert str(caught.value) == f"[Errno 28] No space left on device: '{place}'"
        assert contents(place) == before
    assert os.listdir(tmp_path) == ["old"]  # a new folder appears complete or not at all


def test_nothing_is_replaced_before_all_files_are_written(tmp_path):
    write_folder(tmp_path, OLD)
    with pytest.raises(TypeError):
        write_folder(tmp_path, {"a": b"new", "b": None})
    assert contents(tmp_path) == OLD


def test_an_error_while_one_file_is_written_leaves_the_old_one(tmp_path, monkeypatch):
    file = tmp_path / "a"
    file.write_bytes(b"old")
    for name, error in (("fsync", full_disk), ("replace", full_disk), ("fsync", KeyboardInterrupt)):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, failing(getattr(os, name), 1, error))
            with pytest.raises(type(error())), atomic_file(file) as opened:
                opened.write(b"new")
        assert contents(tmp_path) == {"a": b"old"}


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder" / "a").mkdir(parents=True)
    with pytest.raises(InputError, match=r"must name a folder, but a file has this name. Choose another"):
        write_folder(tmp_path / "file", NEW)
    with pytest.raises(InputError, match=r"must name a file, but it is a folder. Add the name"):
        write_folder(tmp_path / "folder", NEW)
    with pytest.raises(InputError, match=r"in an existing folder. Create the folder"), atomic_file("no/a"):
        pass
    with pytest.raises(InputError, match=r"must be text or a pathlib.Path, but is 1"):
        write_folder(1, NEW)
    with pytest.raises(InputError, match="embedded null byte"):
        check_writable("a\0b")
    # The superuser may write everywhere, so the system's answer is replaced.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=r"must be writable, but it is not. Choose another one"):
        write_folder(tmp_path, NEW)


@pytest.fixture
def saved(tmp_path):
    """A folder with an older result, and a function that saves a new one there."""
    X, y = np.random.default_rng(0).uniform(0.5, 0.9, (30, 10)), np.arange(30) % 2
    X[:, :2] = np.where(y[:, None] == 1, 0.95, 0.6)
    cohort = dg.LabelledGraphs(X, y)
    dg.save_cohort(tmp_path / "cohort.npz", cohort.graphs, y)

    def save(n_subgraphs, folder=tmp_path / "out"):
        result = dg.mine_subgraphs(cohort, n_subgraphs=n_subgraphs, max_edges=2)
        dg.save_result(result, folder, data=tmp_path / "cohort.npz")
        return result

    save(4)
    return tmp_path / "out", save


def loaded(folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        record = dg.load_result(folder)
    return len(record.subgraphs), [str(one.message) for one in caught]


def test_an_interrupted_replacement_is_noticed_by_load_result(saved, monkeypatch):
    folder, save = saved
    old = contents(folder)
    assert loaded(folder) == (4, [])
    save(2, folder.parent / "other")
    new = contents(folder.parent / "other")
    n_mixed = 0
    for at in itertools.count(1):
        write_folder(folder, old, new)
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", failing(os.replace, at, KeyboardInterrupt))
            try:
                save(2)
            except KeyboardInterrupt:
                pass
            else:
                break
        found, messages = loaded(folder)
        is_mixed = any(contents(folder).get(name) not in (content, None) for name, content in old.items())
        n_mixed += is_mixed
        assert found == 4  # results.json comes last
        assert len(messages) == is_mixed
        assert all("the files must be of one run, but results.csv is not" in one for one in messages)
        save(2)  # running it again repairs the folder
        assert contents(folder) == new
    assert n_mixed >= 4
    assert loaded(folder) == (2, [])


def test_an_edited_table_is_noticed_and_folders_of_older_releases_are_loaded(saved):
    folder, _ = saved
    with (folder / "results.csv").open("ab") as file:
        file.write(b"edited")
    assert len(loaded(folder)[1]) == 1
    record = json.loads((folder / "results.json").read_bytes())
    assert len(record.pop("run_id")) == 16
    (folder / "results.json").write_bytes(json_bytes(record))
    assert loaded(folder) == (4, [])


KILLED = """
import itertools, os, sys
from dugraph.files.atomic import write_folder
at, calls, real = int(sys.argv[2]), itertools.count(1), os.replace
os.replace = lambda *names: os._exit(9) if next(calls) == at else real(*names)
write_folder(sys.argv[1], {"a": b"new a", "b": b"new b", "test/c": b"new c", "test/d": b"new d"}, ["gone"])
"""


@pytest.mark.system
def test_a_killed_process_leaves_hidden_files_only_and_a_rerun_repairs_the_folder(tmp_path):
    for at in (1, 3, 5):
        folder = tmp_path / str(at)
        write_folder(folder, OLD)
        done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(at)], check=False)
        assert done.returncode == (0 if at == 5 else 9)
        visible = {n: c for n, c in contents(folder).items() if not n.startswith(".")}
        assert all(content in (OLD.get(name), NEW.get(name)) for name, content in visible.items())
        write_folder(folder, NEW, ["gone"])
        assert {n: c for n, c in contents(folder).items() if not n.startswith(".")} == NEW
