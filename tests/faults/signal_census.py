"""Send signals to a command at random instants, and list the files and processes that remain.

A program of its own: each run is a fork of a process that has imported everything. Its input is JSON on
stdin: "small" are commands to run first, "new" is the command that gets the signals, "n_instants" the number
of runs for each signal. Exit codes and failures go to stdout as JSON.
"""

import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from processes import alive, descendants, left_over, wait_for

from dugraph.cli import main
from dugraph.cli.output import ExitCode
from dugraph.cli.program import _end_on_signals

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OUT, KEPT, TEMPORARY = Path("out"), Path("kept"), Path("temporary")


class Report(NamedTuple):
    """The exit code and messages of a command, and the threads and descriptors that it left open."""

    code: int
    errors: str
    grown: tuple[int, int]


def census() -> tuple[int, int]:
    """Threads and descriptors of this process."""
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


def child_runs(command: list[str], pipe: int) -> None:
    """Run the command in the forked process."""
    _end_on_signals()
    before = census()
    os.write(pipe, b"\n")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            code = main(command)
        except KeyboardInterrupt:  # when `main` had just returned
            code = ExitCode.INTERRUPTED
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    grown = [b - a for a, b in zip(before, census(), strict=True)]
    os.write(pipe, json.dumps((code, errors.getvalue()[-2000:], grown)).encode())
    os.close(pipe)
    sys.exit(code)


class Sent(NamedTuple):
    """A run, the files and processes that it left, and its duration."""

    code: int
    report: Report | None
    left: list[str]
    seconds: float


def run(command: list[str], number: signal.Signals | None, seconds: float) -> Sent:
    """Restore the output folder, run a command, and send the signal after some seconds."""
    shutil.rmtree(OUT)
    shutil.copytree(KEPT, OUT)
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        child_runs(command, begin)
    os.close(begin)
    with open(end, "rb") as pipe:
        pipe.readline()
        workers: dict[int, str] = {}
        begin = time.monotonic()
        if number is not None:
            time.sleep(seconds)
            workers = descendants(child)
            os.kill(child, number)
        report = pipe.read()
        lasted = time.monotonic() - begin
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    wait_for(lambda: not any(alive(*one) for one in workers.items()), "a process is left")
    left = [*left_over(OUT), *(path.name for path in TEMPORARY.iterdir())]
    # Whole numbers: the names of other processes' files hold long hexadecimal ones.
    left += [name for name in os.listdir("/dev/shm") if str(child) in re.split("[-_.]", name)]
    return Sent(code, Report(*json.loads(report)) if report else None, left, lasted)


def wrong_in(done: Sent, usual: Report) -> list[str]:
    """List the promises that a run broke."""
    code, report, left, _ = done
    wrong = [f"left: {left}"] if left else []
    if report is None:
        return [*wrong, f"ended with {code}, without a report"]
    if code not in (ExitCode.INTERRUPTED, usual.code):
        wrong.append(f"ended with {code}: {report.errors}")
    if "Traceback" in report.errors:
        wrong.append(f"printed {report.errors!r}")
    if any(a > b for a, b in zip(report.grown, usual.grown, strict=True)):
        wrong.append(f"threads and descriptors left: {report.grown}, undisturbed {usual.grown}")
    return wrong


def tried(asked: dict[str, Any]) -> dict[str, Any]:
    """Send signals at random instants within the time that the undisturbed command takes."""
    TEMPORARY.mkdir()
    tempfile.tempdir = os.environ["TMPDIR"] = str(TEMPORARY.resolve())
    for command in asked["small"]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            code = main(command)
        assert code == 0, errors.getvalue()
    shutil.copytree(OUT, KEPT)
    undisturbed = run(asked["new"], None, 0)
    usual, seconds, chance = undisturbed.report, undisturbed.seconds, random.Random(0)
    assert usual is not None
    ends: Counter[str] = Counter()
    wrong: list[str] = []
    for number in SIGNALS:
        for _ in range(asked["n_instants"]):
            done = run(asked["new"], number, chance.uniform(0, seconds))
            ends[str(done.code)] += 1
            wrong += [f"{number.name}: {what}" for what in wrong_in(done, usual)]
    return {"ends": ends, "wrong": wrong, "seconds": seconds, "usual": usual.grown}


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    print(json.dumps(tried(json.load(sys.stdin))))
