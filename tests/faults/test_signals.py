"""SIGINT, SIGTERM and SIGHUP end a command with exit code 130; results are kept, no process is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scenarios import SCENARIOS, end_by_signals

import dugraph as dg

pytestmark = pytest.mark.system

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))


@pytest.fixture
def cohort(tmp_path: Path) -> Path:
    graphs, y, _ = dg.simulate("hiv", n_graphs=40, random_state=0)
    file = tmp_path / "cohort.npz"
    dg.save_cohort(file, graphs, y)
    return file


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a command."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "dugraph", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_a_search_with_the_best_so_far_written(cohort: Path, number: signal.Signals) -> None:
    # Some 10^8 subgraphs: it cannot be done before the signal comes.
    process = started(
        cohort.parent, "mine", cohort.name, "--min-expected-frequency", "0.01", "-o", "out", "--progress"
    )
    assert process.stderr is not None
    process.stderr.read(1)  # the first sign of progress
    process.send_signal(number)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert (cohort.parent / "out" / "results.json").is_file()
    assert "interrupted" in out + err


def test_an_ignored_hangup_stays_ignored(cohort: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup; children inherit it
    try:
        process = started(cohort.parent, "mine", cohort.name, "--time-limit", "2", "--progress")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert process.stderr is not None
    process.stderr.read(1)
    process.send_signal(signal.SIGHUP)
    process.communicate()
    assert process.returncode in (0, 3)


WITH_JOBS = ("mine", "test", "sparse", "evaluate")
CASES = [
    (name, n) for name in SCENARIOS for n in ([1, 2] if name.split()[0].strip(",") in WITH_JOBS else [None])
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("name", "n_jobs"), CASES if SOAK else [("mine, first", 2)])
def test_nothing_is_left_of_a_command_that_a_signal_ends(
    name: str, n_jobs: int | None, tmp_path: Path
) -> None:
    """No processes, threads, descriptors or temporary files remain."""
    n_instants = 5 if SOAK else 1
    ends = end_by_signals(name, tmp_path, n_jobs, n_instants)
    assert sum(ends.values()) == 3 * n_instants
