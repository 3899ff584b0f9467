"""The main paths without what only POSIX systems have, and with the habits of Windows."""

import os
import signal
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import dugraph as dg
from dugraph.cli import main
from dugraph.search import limits

POSIX_MODULES = ("fcntl", "grp", "posix", "pwd", "resource", "termios")
POSIX_ONLY = {
    os: [
        *(
            "fork",
            "getpgid",
            "geteuid",
            "getuid",
            "killpg",
            "mkfifo",
            "register_at_fork",
            "sched_getaffinity",
        ),
        *("setsid", "sysconf", "uname", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "fchmod", "chown"),
    ],
    signal: ["SIGHUP", "SIGKILL", "SIGALRM", "setitimer", "pthread_kill", "sigwait", "pthread_sigmask"],
}


class Without(types.ModuleType):
    """A module that lacks some names."""

    def __init__(self, module, missing):
        super().__init__(module.__name__)
        self._module, self._missing = module, missing

    def __getattr__(self, name):
        if name in self._missing:
            raise AttributeError(f"{name} exists on POSIX systems only")
        return getattr(self._module, name)


@pytest.fixture
def without_posix(monkeypatch):
    """Let the modules of dugraph see `os` and `signal` as on Windows, and no module of POSIX."""
    for module in [one for name, one in sys.modules.items() if name.startswith("dugraph")]:
        for original, missing in POSIX_ONLY.items():
            if getattr(module, original.__name__, None) is original:
                monkeypatch.setattr(module, original.__name__, Without(original, missing))
    portable = [key for key in sys.modules if key.startswith("dugraph.") and key != "dugraph.app.jobs"]
    assert not [(key, name) for key in portable for name in POSIX_MODULES if hasattr(sys.modules[key], name)]
    monkeypatch.setattr(limits, "total_memory", lambda: 2**33)
    monkeypatch.setattr(limits, "open", _no_proc, raising=False)


def _no_proc(path, *arguments, **keywords):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(path)
    return open(path, *arguments, **keywords)


@pytest.fixture
def study(tmp_path):
    """A folder with spaces and umlauts in its name, and a cohort in it."""
    folder = tmp_path / "Größe der Netze (2)"
    folder.mkdir()
    rng = np.random.default_rng(0)
    dg.save_cohort(
        folder / "Kohorte ä.npz", dg.UncertainGraphs(rng.uniform(0.3, 1, (20, 28))), ["a", "b"] * 10
    )
    return folder


def test_the_missing_names_are_missing_for_dugraph_only(without_posix):
    from dugraph.files import atomic

    with pytest.raises(AttributeError, match="POSIX"):
        atomic.os.fork  # noqa: B018
    assert os.fork


def test_every_command_runs_without_posix(without_posix, study, monkeypatch):
    monkeypatch.chdir(study)
    cohort, few = "Kohorte ä.npz", ["--max-edges", "2", "--n-jobs", "-1"]
    for arguments in (
        ["info", cohort],
        ["doctor"],
        ["mine", cohort, "--n-subgraphs", "3", *few, "-o", "mined"],
        ["test", cohort, "--n-permutations", "39", *few, "--min-expected-frequency", "0.4", "-o", "tested"],
        ["sparse", cohort, "--n-nonzero", "2", "--min-expected-frequency", "0.4", *few, "-o", "model"],
        ["transform", "mined/model.json", cohort, "-o", "features.csv"],
        ["report", "mined", "-o", "Seite.html"],
    ):
        assert main(arguments) == 0, arguments
    evaluate = ["evaluate", cohort, "--methods", "all-edges", "--n-subgraphs", "3", "--n-splits", "2"]
    assert main([*evaluate, "-o", "evaluation"]) == 0
    assert dg.load_result("mined").subgraphs


def test_runs_of_the_app_are_locked_and_ended_on_windows(without_posix, tmp_path, monkeypatch):
    """The calls of Windows are simulated: a byte is locked, by one descriptor at a time."""
    import importlib

    from dugraph.app import jobs

    locked, commands = {}, []

    def locking(file, mode, n_bytes):
        place = os.fstat(file).st_ino, os.lseek(file, 0, os.SEEK_CUR)
        if locked.get(place, file) != file:
            raise PermissionError(13, "Permission denied")
        locked[place] = file

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(sys, "platform", "win32")
    try:
        importlib.reload(jobs)
        first = jobs.lock(tmp_path / "lock")
        os.write(first, b"")
        assert jobs.lock(tmp_path / "lock") is None
        (tmp_path / "lock").write_text("123")
        assert (tmp_path / "lock").read_text() == "123"  # the locked byte is beyond the content
        monkeypatch.setattr(jobs.subprocess, "run", lambda words, **_: commands.append(words))
        jobs.end(123, at_once=False)
        assert commands == [["taskkill", "/PID", "123", "/T", "/F"]]
        os.close(first)
    finally:
        monkeypatch.undo()
        importlib.reload(jobs)


def test_files_with_windows_line_ends_are_read(study, capsys):
    for k in range(4):
        rows = ["A,B,C", "0,0.5,0.2", "0.5,0,0.7", "0.2,0.7,0"]
        (study / f"sub-0{k}.csv").write_bytes("\r\n".join(rows).encode())
    table = ["participant_id,group", *(f"sub-0{k},{'ill' if k % 2 else 'well'}" for k in range(4))]
    (study / "participants.csv").write_bytes(
        b"\xef\xbb\xbf" + "\r\n".join(table).encode()
    )  # and Excel's mark
    (study / "Kohorte ä.npz").unlink()
    output = study / "out.npz"
    participants = str(study / "participants.csv")
    assert main(["convert", str(study), "--participants", participants, "-o", str(output)]) == 0, (
        capsys.readouterr().err
    )
    graphs, y = dg.load_cohort(output)
    assert list(graphs.node_labels) == ["A", "B", "C"]
    assert sorted(y) == [0, 0, 1, 1]


def test_a_console_without_unicode_shows_codes(study, monkeypatch):
    import io

    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    cohort = dg.UncertainGraphs([[0.5], [0.9]], node_labels=["α-region", "β"])
    dg.save_cohort(study / "greek.npz", cohort, ["a", "b"])
    assert main(["mine", str(study / "greek.npz"), "--min-expected-frequency", "0.1"]) == 0
    stream.flush()
    assert b"\\u03b1-region" in stream.buffer.getvalue()


def test_names_of_files_fit_every_file_system(study):
    graphs, y = dg.load_cohort(study / "Kohorte ä.npz")
    result = dg.mine_subgraphs(graphs, y, n_subgraphs=3, max_edges=2)
    names = [path.relative_to(study) for path in dg.save_result(result, study / "r", graphs, y).files]
    parts = [part for name in names for part in Path(name).parts]
    assert not [part for part in parts if set(part) & set('<>:"|?*\\') or part.endswith((" ", "."))]
    assert len({str(name).casefold() for name in names}) == len(names)


@pytest.mark.parametrize("available", [0, 1])
def test_windows_says_how_much_memory_there_is(monkeypatch, available):
    """The call is simulated: the structure has its length in the first four bytes, and takes 64."""

    class Kernel32:
        @staticmethod
        def GlobalMemoryStatusEx(pointer):  # noqa: N802 (its name in the Windows API)
            fields = pointer._obj
            assert bytes(fields)[:4] == (64).to_bytes(4, "little")
            fields[1], fields[2] = 2**34, 2**33
            return available

    monkeypatch.setattr(limits.ctypes, "windll", types.SimpleNamespace(kernel32=Kernel32), raising=False)
    if available:
        assert limits._windows_memory() == (2**34, 2**33)
    else:
        with pytest.raises(OSError, match="Windows does not say"):
            limits._windows_memory()


SPAWNED = """\
import multiprocessing

import joblib
import numpy as np

import dugraph as dg

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    rng = np.random.default_rng(0)
    X, series = rng.uniform(0.3, 1, (16, 10)), rng.normal(size=(4, 30, 5))
    # joblib's own processes start anew on every system; those of multiprocessing as set above.
    arguments = {"methods": ["exp-hsic", "all-edges"], "n_subgraphs": [3], "cv": dg.RandomSplits(2)}
    alone, spawned = (dg.evaluate(X, [0, 1] * 8, n_jobs=n, **arguments) for n in (1, 2))
    assert alone.to_frame().equals(spawned.to_frame())
    with joblib.parallel_config(backend="multiprocessing"):
        maps = [dg.TimeSeriesEdgeProbability(n_jobs=n).fit_transform(series) for n in (1, 2)]
    assert np.array_equal(*maps)
    print("equal")
"""


@pytest.mark.system
def test_processes_may_be_spawned(tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(SPAWNED, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout == "equal\n", done.stderr
