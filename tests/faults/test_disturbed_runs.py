"""Killed, told to end, or let down by the disk at any step: a folder is the old one or the new one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from disturbing import ANY_INSTANT
from scenarios import SCENARIOS, disturbed

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
DISK = ("full", "short", "read-only", "fsync", "error")
# In the suite every n-th step of two commands, in the long runs all steps of all.
IN_SUITE = {
    "mine": {"kill": 13, "TERM": 29, "full": 17, "error": 29},
    "simulate": {"kill": 6, "TERM": 9, "full": 5, "short": 2, "read-only": 9, "fsync": 3, "error": 9},
}
N_INSTANTS = 60


@pytest.mark.parametrize("name", IN_SUITE)
def test_a_disturbed_run_leaves_the_old_files_or_the_new_ones(name: str, tmp_path: Path) -> None:
    counts = disturbed(name, tmp_path, IN_SUITE[name])
    assert all(ends.get("old", 0) > 0 for ends in counts.values())


@pytest.mark.skipif(not SOAK, reason="set DUGRAPH_SOAK=1")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_killed_run_leaves_the_old_files_or_the_new_ones(name: str, tmp_path: Path) -> None:
    counts = disturbed(name, tmp_path, {"kill": 1, ANY_INSTANT: N_INSTANTS})
    assert counts["kill"].get("old", 0) > 0


@pytest.mark.skipif(not SOAK, reason="set DUGRAPH_SOAK=1")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_without_a_disk_leaves_the_old_files_or_the_new_ones(name: str, tmp_path: Path) -> None:
    counts = disturbed(name, tmp_path, dict.fromkeys(("TERM", *DISK), 1))
    assert all(ends.get("old", 0) > 0 for ends in counts.values())


# Ctrl-C in the steps of Python between those on the disk: no `finally` is reached yet, or it is cut short.
INTERRUPTED = """
import builtins, sys
from pathlib import Path
import dugraph.files.one_folder as one_folder
from dugraph.files.atomic import atomic_file

folder, place = Path(sys.argv[1]), sys.argv[2]
real, put_back = builtins.open, one_folder.put_back

def opened(*arguments, **options):
    real(*arguments, **options).close()
    raise KeyboardInterrupt

def interrupted(*_):
    raise KeyboardInterrupt

one_folder.write_files(folder, {"a": b"old", "test/b": b"old"})
if place in ("open", "one file"):
    builtins.open = opened
elif place == "put_back":  # when half of the files are there
    one_folder.put_back = one_folder.sync_folder = interrupted
else:
    setattr(one_folder, place, interrupted)
try:
    if place == "one file":
        with atomic_file(folder / "a"):
            pass
    else:
        one_folder.write_files(folder, {"a": b"new", "test/b": b"new"})
except KeyboardInterrupt:
    builtins.open, one_folder.put_back = real, put_back
    print(len([*folder.rglob(".*")]))
"""


@pytest.mark.parametrize("place", ["open", "one file", "_forget", "put_back"])
def test_what_an_interruption_leaves_is_cleared_up_at_exit(place: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), place]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 0
    assert [*tmp_path.rglob(".*")] == []
    assert {path.read_text() for path in (tmp_path / "a", tmp_path / "test" / "b")} in ({"old"}, {"new"})
