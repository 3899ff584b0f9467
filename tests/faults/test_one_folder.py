"""A folder is one thing: its files change together, whoever is killed, fails or comes at the same time."""

import errno
import hashlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dugraph.exceptions import InputError
from dugraph.files import locks
from dugraph.files.atomic import atomic_file
from dugraph.files.journal import JOURNAL, Change, write_journal
from dugraph.files.one_folder import reading, write_files

pytestmark = pytest.mark.system

OLD = {"a": b"old a", "b": b"old b", "gone": b"old", "test/c": b"old c"}
NEW = {"a": b"new a", "b": b"new b", "test/c": b"new c", "test/d": b"new d"}
OBSOLETE = ["gone"]

# Kills a process of its own at every step of what it is told to do, and prints what each left.
PROGRAM = """
import json, os, shutil, signal, sys
from pathlib import Path
import disk_steps
import test_one_folder as faults

root, kind = Path(sys.argv[1]), sys.argv[2]
ends = []
for step in range(1, 10_000):
    place = root / str(step)
    faults.write_files(place, faults.OLD)
    if kind == "put back":  # what is killed is the recovery from a run that was killed in the midst of it
        faults.leave_unfinished(place)
    if (child := os.fork()) == 0:
        disk_steps.Steps("kill", step).watch(str(place))
        if kind == "put back":
            with faults.reading(place):
                pass
        else:
            faults.write_files(place, faults.NEW, faults.OBSOLETE)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
        break
    unfinished = (place / faults.JOURNAL).exists()
    first = faults.state(place)
    with faults.reading(place / "test"):
        pass
    ends.append((unfinished, first, faults.state(place)))
    faults.write_files(place, faults.NEW, faults.OBSOLETE)
    assert faults.visible(place) == faults.NEW
    assert not [*place.rglob(".*")], step
print(json.dumps(ends))
"""


def visible(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def state(folder: Path) -> str:
    found = visible(folder)
    return "old" if found == OLD else "new" if found == NEW else "mixed"


def leave_unfinished(folder: Path) -> None:
    """As a run that was killed when half of its files were there."""
    changes = {}
    for name in (*NEW, *OBSOLETE):
        older = f".{Path(name).name}.{0:016x}.old" if name in OLD else None
        digest = hashlib.sha256(NEW[name]).hexdigest() if name in NEW else None
        changes[name] = Change(older, digest)
        if older is not None:
            os.link(folder / name, (folder / name).with_name(older))
    write_journal(folder, changes)
    for name in ("a", "test/c", "test/d"):
        (folder / "new").write_bytes(NEW[name])
        os.replace(folder / "new", folder / name)


def run(program: str, *arguments: object) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_kill_before_any_step_leaves_the_old_files_or_the_new_ones(tmp_path: Path) -> None:
    ends = json.loads(run(PROGRAM, tmp_path, "write"))
    print(len(ends), "kills")
    assert len(ends) > 30
    assert {last for _, _, last in ends} == {"old", "new"}
    # Some were killed between two renames; a mixture is never there without the journal that tells of it.
    assert any(first == "mixed" for _, first, _ in ends)
    assert all(unfinished for unfinished, first, _ in ends if first == "mixed")


def test_a_kill_while_older_files_are_put_back_is_no_harm(tmp_path: Path) -> None:
    ends = json.loads(run(PROGRAM, tmp_path, "put back"))
    print(len(ends), "kills")
    assert len(ends) >= 5
    assert {last for _, _, last in ends} == {"old"}


def failing(function: Callable[..., object], at: int, number: int) -> Callable[..., object]:
    calls = itertools.count(1)

    def call(*arguments: object, **options: object) -> object:
        if next(calls) == at:
            raise OSError(number, os.strerror(number))
        return function(*arguments, **options)

    return call


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("place", ["replace", "fsync", "unlink", "open"])
def test_an_error_at_any_step_leaves_the_old_files(
    place: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, OLD)
    n_failed = 0
    for at in itertools.count(1):
        monkeypatch.setattr(os, place, failing(getattr(os, place), at, number))
        failed = False
        try:
            write_files(tmp_path, NEW, OBSOLETE)
        except OSError as error:
            failed = error.errno == number
        finally:
            monkeypatch.undo()
        if not failed and at > 20:
            assert state(tmp_path) == "new"
            break
        n_failed += failed
        # What could not be removed is left for the next run, but never in the place of a result.
        assert state(tmp_path) == ("old" if failed else "new"), at
        write_files(tmp_path, OLD, ["test/d"])
        assert state(tmp_path) == "old"
        assert not [*tmp_path.rglob(".*")]
    assert n_failed >= {"open": 0, "unlink": 1}.get(place, 4)


SHORT_WRITES = """
import resource, signal, sys
from pathlib import Path
from dugraph.files.one_folder import write_files

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
try:
    write_files(sys.argv[1], {"a": b"new", "b": bytes(10_000)})
except OSError as error:
    print(error)
"""


def test_a_file_that_the_system_cuts_short_leaves_the_old_ones(tmp_path: Path) -> None:
    write_files(tmp_path, OLD)
    assert run(SHORT_WRITES, tmp_path) == f"[Errno 27] File too large: '{tmp_path}'\n"
    assert state(tmp_path) == "old"
    assert not [*tmp_path.rglob(".*")]


TWO_WRITERS = """
import sys
from pathlib import Path
from dugraph.files.one_folder import reading, write_files


folder, mine = Path(sys.argv[1]), sys.argv[2].encode()
for k in range(30):
    content = b"%s %d" % (mine, k)
    write_files(folder, {"a": content, "b": content, "test/c": content})
    with reading(folder):
        assert len({(folder / name).read_bytes() for name in ("a", "b", "test/c")}) == 1
"""


def test_two_writers_and_their_readers_never_see_a_mixture(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TWO_WRITERS, str(tmp_path), name],
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for name in ("first", "second")
    ]
    for process in processes:
        _, told = process.communicate()
        assert process.returncode == 0, told
    assert not [*tmp_path.rglob(".*")]


def test_a_writer_that_never_ends_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "WAIT", 0.1)
    with (
        reading(tmp_path),
        pytest.raises(
            InputError, match=r"must be free, but another program reads or writes it and has not fin"
        ),
    ):
        write_files(tmp_path, NEW)
    with (
        locks.folder_lock(tmp_path),
        pytest.raises(InputError, match="another program writes into it"),
        reading(tmp_path),
    ):
        pass


def test_files_that_killed_runs_have_left_are_removed_and_those_in_use_are_not(tmp_path: Path) -> None:
    left = [tmp_path / f".{name}.{k:016x}.tmp" for k, name in enumerate(("a", "b", "other"))]
    mine = tmp_path / ".note.tmp"
    for file in (*left, mine):
        file.write_bytes(b"")
    with atomic_file(tmp_path / "b") as opened:
        assert not left[1].exists()
        assert left[0].exists()  # that of another file, which a run may be about to write
        write_files(tmp_path, {"c": b"", "d": b""})
        assert {file.name[:3] for file in tmp_path.glob(".*")} == {".b.", ".no"}
        opened.write(b"still mine")
    assert (tmp_path / "b").read_bytes() == b"still mine"
    assert {file.name for file in tmp_path.glob(".*")} == {".note.tmp"}


def test_what_came_from_somebody_else_since_stays(tmp_path: Path) -> None:
    write_files(tmp_path, OLD)
    leave_unfinished(tmp_path)
    (tmp_path / "a").write_bytes(b"by hand")
    with reading(tmp_path):
        assert visible(tmp_path) == {**OLD, "a": b"by hand"}
    assert not (tmp_path / JOURNAL).exists()


@pytest.mark.parametrize(
    "journal",
    [
        b"{",
        b"[]",
        b'{"a": 1}',
        b'{"a": ["x", null]}',
        b'{"../a": [null, "0"]}',
        b'{"/etc/a": [null, "0"]}',
        b'{"x/y/a": [null, "0"]}',
        b'{"a": ["../.a.0000000000000000.old", null]}',
        b'{"a": [".b.0000000000000000.old", null]}',
    ],
)
def test_a_journal_that_nobody_wrote_is_refused(journal: bytes, tmp_path: Path) -> None:
    home = tmp_path / "home"
    write_files(home, OLD)
    (tmp_path / "a").write_bytes(b"outside")
    (home / JOURNAL).write_bytes(journal)
    with (
        pytest.raises(InputError, match="must say which files a killed run was replacing, but it is damaged"),
        reading(home),
    ):
        pass
    assert state(home) == "old"
    assert (tmp_path / "a").read_bytes() == b"outside"


def test_a_folder_that_must_not_be_written_into_tells_of_the_killed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, OLD)
    leave_unfinished(tmp_path)
    # The superuser may write everywhere, so that the answer of the system is made here.
    monkeypatch.setattr(os, "replace", failing(os.replace, 1, errno.EACCES))
    with (
        pytest.raises(
            InputError, match=r"a run was killed while it replaced these files, .*Permission denied"
        ),
        reading(tmp_path),
    ):
        pass
    monkeypatch.undo()
    with reading(tmp_path):
        assert state(tmp_path) == "old"
