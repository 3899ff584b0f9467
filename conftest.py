"""Settings of all tests: the main suite, the system tests and the soak (CONTRIBUTING.md)."""

import os
import platform
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# One process per processor runs tests: threads of linear algebra would only wait for each other. Set before
# NumPy is loaded, and inherited by the programs that tests start.
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

# Dask gives up a worker that does not answer for five minutes, which happens on a busy machine.
os.environ.setdefault("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "1 hour")

# No doctests in fixtures: pytest would import the conftest.py of two folders under one name.
collect_ignore_glob = ["tests/*/conftest.py"]
# The doctests of a room whose packages are missing cannot be collected.
if not (find_spec("starlette") and find_spec("uvicorn")):
    collect_ignore_glob.append("src/dugraph/app/*")

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
# Property tests draw the same examples in every run; the soak draws new ones. No deadline: machines are slow
# or busy.
settings.register_profile(
    "dugraph", deadline=None, derandomize=not SOAK, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("dugraph")

# `make test` depends on nothing but the code. A test that starts a process, sends a signal, opens a socket or
# waits for the clock is marked `system` and belongs to `make test-system`.
OUTSIDE = (
    *("subprocess.Popen", "os.fork", "os.posix_spawn", "os.system", "os.kill", "signal.pthread_kill"),
    *("socket.bind", "socket.connect", "time.sleep"),
)
guarded = False


def _refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    if guarded and event in OUTSIDE:
        raise RuntimeError(f"{event}{arguments!r:.200}: mark this test with @pytest.mark.system.")


sys.addaudithook(_refuse_outside)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Refuse what depends on more than the code, unless the test is marked as doing so."""
    global guarded
    guarded = item.get_closest_marker("system") is None
    try:
        return (yield)
    finally:
        guarded = False


# Fixtures that are expensive: one Chromium draws all pages. Tests that need one run in the same process.
ONE_FOR_ALL = ("browser", "watched")
# Fixtures that start processes.
PROCESSES = ("browser", "watched", "kill_after_saves")


def pytest_itemcollected(item: pytest.Item) -> None:  # before pytest-xdist reads the groups
    if any(name in getattr(item, "fixturenames", ()) for name in PROCESSES):
        item.add_marker(pytest.mark.system)
    # Such as "joblib", whose workers take seconds to import scikit-learn and are used again.
    if item.get_closest_marker("xdist_group"):
        return
    for name in ONE_FOR_ALL:
        if name in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(name))
            return
    # Fixtures of a module are made in one process only.
    made = getattr(item, "_fixtureinfo", None)
    if made and any(one.scope == "module" for all_ in made.name2fixturedefs.values() for one in all_):
        item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.fixture
def kill_after_saves() -> Callable[[Path, str, int], None]:
    """Run a program `n_kills` times, each killed at a random instant after it has changed a file."""

    def kill(file: Path, program: str, n_kills: int) -> None:
        chance = random.Random(1)
        found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # modules of the tests, too
        for _ in range(n_kills):
            before = file.stat().st_mtime_ns if file.exists() else 0
            process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], env=found)
            while process.poll() is None and (not file.exists() or file.stat().st_mtime_ns == before):
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL  # it was not at its end yet

    return kill


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Close the figures that examples in docstrings leave open."""
    if isinstance(item, pytest.DoctestItem) and "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_configure() -> None:
    # Tests that a shell starts in the background ignore SIGINT, and under nohup SIGHUP;
    # system tests send both.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    platform.uname().processor  # noqa: B018 (runs `uname` once, here, where processes may be started)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    """Say in one line what the counts of the last line mean."""
    if exitstatus == 0 and terminalreporter.stats.get("passed"):
        terminalreporter.write_line(
            "All tests passed. Skipped: something optional is missing; xfailed: a check of scikit-learn "
            "passes values outside [0, 1], which dugraph refuses."
        )
