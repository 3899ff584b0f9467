"""Workers of an evaluation end with it, whatever ends it; what they have finished is kept."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import alive, descendants, wait_for

import dugraph as dg
from dugraph.cli import main

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]
SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
EVALUATE = ["evaluate", "cohort.npz", "--n-subgraphs", "3", "-o", "out"]
# Cells of single edges are soon done, those of some 10^8 subgraphs never are.
ENDLESS = ["--methods", "all-edges,exp-hsic", "--min-expected-frequency", "0.01", "--n-splits", "4"]
# Workers do not need the streams that a shell has closed.
CLOSED = "2>&- <&-"
SHORT = ["--methods", "all-edges", "--n-splits", "3", "--n-jobs", "2"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    graphs, y, _ = dg.simulate("hiv", n_graphs=40, random_state=0)
    dg.save_cohort(tmp_path / "cohort.npz", graphs, y)
    return tmp_path


@pytest.fixture
def computing(folder: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """An evaluation that has finished a cell and is at others, in a session of its own."""
    command = [sys.executable, "-m", "dugraph", *EVALUATE, *ENDLESS, "--n-jobs", str(request.param)]
    process = subprocess.Popen(
        ["sh", "-c", f"exec {shlex.join(command)} {CLOSED}"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for(lambda: cells(folder) or process.poll() is not None, "no cell was finished")
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def cells(folder: Path) -> list[Path]:
    return [*(folder / "out" / "cache" / "cells").glob("[!.]*.json")]


SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]


@pytest.mark.parametrize("to_all", [False, True] if SOAK else [False], ids=["parent", "group"][: 1 + SOAK])
@pytest.mark.parametrize("number", SIGNALS if SOAK else [signal.SIGKILL], ids=lambda n: n.name)
@pytest.mark.parametrize("computing", [1, 2] if SOAK else [2], indirect=True)
def test_nothing_is_left_running(
    computing: subprocess.Popen[str],
    number: signal.Signals,
    to_all: bool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = descendants(computing.pid)
    (os.killpg if to_all else os.kill)(computing.pid, number)
    _, errors = computing.communicate()
    wait_for(lambda: not any(alive(*one) for one in workers.items()), "a worker outlives its parent")
    assert computing.returncode == (-number if number == signal.SIGKILL else 130), errors
    assert "Traceback" not in errors
    assert not [path for path in (folder / "out").rglob(".*") if number != signal.SIGKILL]
    # Finished cells are kept: the next run does not compute them again.
    before = {path: path.stat().st_mtime_ns for path in cells(folder)}
    assert before
    monkeypatch.chdir(folder)
    assert main([*EVALUATE, *ENDLESS, "--n-jobs", "1", "--methods", "all-edges"]) == 0
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert not [*(folder / "out").rglob(".*")]


def test_a_worker_that_is_killed_is_told_of_in_a_sentence(folder: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from dugraph.evaluation import cells\n"
        "class Deadly:\n"
        "    def __call__(self, *a): os.kill(os.getpid(), signal.SIGKILL)\n"
        "cells._run_and_save = Deadly()\n"
        "from dugraph.cli import main\n"
        f"sys.exit(main({[*EVALUATE, *SHORT]!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "dugraph: A worker of the evaluation was killed, or memory ran out." in done.stderr
    assert "Traceback" not in done.stderr
