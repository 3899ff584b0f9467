"""Killed, told to end, or let down by the disk at any step: a folder is the old one or the new one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from disturbing import ANY_INSTANT
from scenarios import SCENARIOS, disturbed

from dugraph.files.at_exit import noted, put_touched_in_order
from dugraph.files.atomic import atomic_file
from dugraph.files.temporaries import NEW, hidden_name

pytestmark = pytest.mark.system

DISK = ("TERM", "full", "short", "read-only", "fsync", "error")
# Faults, each at every n-th step, or at so many instants. In the suite, some steps of two commands; in the
# long runs, kills at all steps of all that write, and the disk's faults at every third.
CASES = {
    ("mine", "some"): {"kill": 23, "TERM": 41, "full": 31, "error": 41},
    ("simulate", "some"): {"kill": 17, "short": 3, "read-only": 17},
}
if os.environ.get("DUGRAPH_SOAK"):
    CASES = {(name, "killed"): {"kill": 1, ANY_INSTANT: 60} for name in SCENARIOS}
    CASES |= {(name, "disk"): dict.fromkeys(DISK, 3) for name in SCENARIOS}


@pytest.mark.parametrize(("name", "faults"), CASES)
def test_a_disturbed_run_leaves_the_old_files_or_the_new_ones(name: str, faults: str, tmp_path: Path) -> None:
    counts = disturbed(name, tmp_path, CASES[name, faults])
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


def interrupted_after_a_write(folder: Path) -> None:
    with noted(folder):
        with atomic_file(folder / "within") as file:
            file.write(b"new")
        hidden_name(folder / "outer", NEW).write_bytes(b"half")
        raise KeyboardInterrupt


def test_an_interrupted_write_is_noted_though_one_within_it_came_to_its_end(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted_after_a_write(tmp_path)
    put_touched_in_order()
    assert [path.name for path in tmp_path.iterdir()] == ["within"]
