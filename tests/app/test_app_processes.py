"""Real runs: they outlive the app, are stopped and resumed, and the command of a page repeats the result."""

import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from app_process import App, kill_runs

import dugraph as dg
from dugraph.app.jobs import EXIT, LOCK, Runs, lock
from dugraph.words import RUNS_FOLDER

pytestmark = pytest.mark.system

# A test of some seconds, which is also long enough to be met in the middle.
LONG = {"min_expected_frequency": "0.05", "max_edges": "4", "n_permutations": "1999"}
_QUESTIONS = 30_000


def wait_until(fact):
    for _ in range(_QUESTIONS):
        if found := fact():
            return found
        time.sleep(0.01)
    raise AssertionError("it never happened")


@pytest.fixture
def start(tmp_path):
    """Start an app on a study with a simulated cohort; at the end nothing is left running."""
    graphs, y, _ = dg.simulate("adhd", random_state=0)
    dg.save_cohort(tmp_path / "cohort.npz", graphs, y)
    apps = []

    def begin():
        apps.append(App(tmp_path).open())
        return apps[-1]

    yield begin
    for app in apps:
        app.kill()
    kill_runs(tmp_path)


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path / RUNS_FOLDER, tmp_path)


def expected(tmp_path, run):
    """The files of a result by the command that its page shows, typed into a terminal in another folder."""
    words = [word for word in shlex.split(run.job.line) if not word.startswith("--output=")]
    again = f"--output={RUNS_FOLDER}/typed/result"
    (tmp_path / RUNS_FOLDER / "typed").mkdir(exist_ok=True)
    subprocess.run([sys.executable, "-m", *words, again], cwd=tmp_path, check=True, capture_output=True)
    return files_of(tmp_path / RUNS_FOLDER / "typed" / "result")


def files_of(folder):
    # The report says how long the run took.
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name != "report.html"}


def test_a_run_survives_its_app_is_stopped_resumed_and_repeated_from_its_page(start, runs, tmp_path):
    app = start()
    app.post("/runs", ask="compare", data="cohort.npz", **LONG)
    (run,) = runs.all()
    wait_until(lambda: run.progress().text)
    app.kill()
    assert run.state == "running"
    app = start()
    assert ">running<" in app.get(f"/runs/{run.name}")
    app.post(f"/runs/{run.name}/stop")
    wait_until(lambda: run.state == "stopped")
    assert not run.is_locked()
    assert (run.folder / "checkpoint.npz").exists()
    assert "Go on" in app.get(f"/runs/{run.name}")
    app.post(f"/runs/{run.name}/resume")
    wait_until(lambda: run.state in ("done", "failed"))
    assert run.state == "done"
    assert files_of(run.result) == expected(tmp_path, run)


def test_a_run_that_is_killed_with_its_app_goes_on(start, runs, tmp_path):
    app = start()
    app.post("/runs", ask="compare", data="cohort.npz", **LONG)
    (run,) = runs.all()
    wait_until(lambda: run.progress().text)
    app.kill()
    os.killpg(int((run.folder / "lock").read_text()), signal.SIGKILL)
    wait_until(lambda: not run.is_locked())
    assert run.state == "waiting"
    start()
    wait_until(lambda: run.state in ("done", "failed"))
    assert run.state == "done"
    assert files_of(run.result) == expected(tmp_path, run)


def test_a_process_does_not_begin_a_run_that_is_stopped_or_locked(tmp_path):
    command = [sys.executable, "-P", "-m", "dugraph.app.jobs", str(tmp_path), "simulate"]
    command.append(f"--output={tmp_path}/cohort.npz")
    held = lock(tmp_path / LOCK)
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "dugraph: another process works on this run.\n")
    os.close(held)
    (tmp_path / EXIT).touch()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 130
    assert not (tmp_path / "cohort.npz").exists()
    (tmp_path / EXIT).unlink()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert (tmp_path / "cohort.npz").exists()


def test_a_refused_command_shows_its_error(start, runs):
    app = start()
    app.post("/runs", ask="compare", data="cohort.npz", blocks="nowhere")
    (run,) = runs.all()
    wait_until(lambda: run.state == "failed")
    page = app.get(f"/runs/{run.name}")
    assert 'role="alert"' in page
    assert "nowhere" in page


def test_the_app_ends_by_ctrl_c_and_says_what_is_left(start, runs):
    app = start()
    app.post("/runs", ask="compare", data="cohort.npz", **LONG)
    (run,) = runs.all()
    wait_until(lambda: run.state == "running")
    app.process.send_signal(signal.SIGINT)
    said = app.process.stderr.read()
    assert app.process.wait() == 0
    assert "start the app again to see or stop" in said
    assert run.state == "running"


def test_only_this_machine_is_listened_to(start):
    app = start()
    port = int(app.base.rpartition(":")[2])
    listening = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table) as file:
            rows = [line.split() for line in file.readlines()[1:]]
        listening |= {
            row[1].split(":")[0] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "0A"
        }
    assert listening <= {"0100007F", "00000000000000000000000001000000"}
    assert listening
    with pytest.raises(urllib.error.HTTPError, match="403") as caught:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(app.base + "/")
    caught.value.close()
