"""Send signals to a command at instants that nobody has chosen, and count what is left when it has ended.

Run as a program, so that each run is a fork of one process that has imported everything. What is asked comes
as JSON on stdin: "small" are commands that come before, "new" the one that is told to end, "n_instants" how
often by each signal. Counts, and all that went wrong, go to stdout as JSON.
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

from disk_steps import left_over
from processes import alive, descendants, wait_for

from dugraph.cli import main
from dugraph.cli.signals import Ending

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OUT, KEPT, TEMPORARY = Path("out"), Path("kept"), Path("temporary")


LATE = 0.03
"""Seconds: the system counts the processor time of a process that runs elsewhere by ticks of its clock, of
which there may be only a hundred in a second."""


def processor_time(process: int) -> float:
    """Of a process that may belong to someone else, as its own `time.process_time` gives it."""
    return time.clock_gettime(~process << 3 | 2)  # the clock of that number, see clock_getcpuclockid(3)


class Report(NamedTuple):
    """What a command left in its own process, and at which of its processor time it ended.

    Seconds of the clock would go by while a busy machine lets it do nothing.
    """

    code: int
    told: str
    ended: float
    grown: tuple[int, int]
    """Threads and descriptors beyond those of before."""


def census() -> tuple[int, int]:
    """Threads and descriptors of this process."""
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


def child_runs(command: list[str], pipe: int) -> None:
    """What the forked process does: it ends like any program of Python, with all that is done at exit."""
    # Signals come only while the command answers them: before that and after it, they are Python's.
    enter, leave = Ending.__enter__, Ending.__exit__

    def entered(ending: Ending) -> Ending:
        enter(ending)
        os.write(pipe, b"\n")
        return ending

    ended: list[float] = []

    def left(ending: Ending, *error: object) -> None:
        ended.append(time.process_time())  # what was sent before this is heard
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        leave(ending, *error)

    Ending.__enter__, Ending.__exit__ = entered, left  # type: ignore[method-assign]
    before = census()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
        code = main(command)
    after = census()
    grown = [b - a for a, b in zip(before, after, strict=True)]
    os.write(
        pipe,
        json.dumps(
            (code, told.getvalue()[-2000:], ended[-1] if ended else time.process_time(), grown)
        ).encode(),
    )
    os.close(pipe)
    sys.exit(code)


class Sent(NamedTuple):
    """A run and what was left of it; `sent` is its processor time when the signal had been sent."""

    code: int
    report: Report | None
    sent: float
    left: list[str]
    seconds: float
    """How long the command answered signals."""


def run(command: list[str], number: signal.Signals | None, seconds: float) -> Sent:
    """Run a command from the state that it begins with; the signal comes after so many seconds."""
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
        sent, begin = 0.0, time.monotonic()
        if number is not None:
            time.sleep(seconds)
            workers = descendants(child)
            os.kill(child, number)
            sent = processor_time(child)
        report = pipe.read()
        lasted = time.monotonic() - begin
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    wait_for(lambda: not any(alive(*one) for one in workers.items()), "a process is left")
    left = [*left_over(OUT), *(path.name for path in TEMPORARY.iterdir())]
    # Whole numbers: the names of other processes' files hold long hexadecimal ones.
    left += [name for name in os.listdir("/dev/shm") if str(child) in re.split("[-_.]", name)]
    return Sent(code, Report(*json.loads(report)) if report else None, sent, left, lasted)


def wrong_in(done: Sent, number: signal.Signals, usual: Report) -> list[str]:
    """What is not as promised."""
    code, report, sent, left, _ = done
    wrong = [f"left: {left}"] if left else []
    if report is None:
        return [*wrong, f"ended with {code}, without a word"]
    if code != 128 + number and (code != usual.code or sent < report.ended - LATE):
        wrong.append(f"ended with {code}, {report.ended - sent:.2f} s of work later: {report.told}")
    if "Traceback" in report.told or "Exception ignored" in report.told:
        wrong.append(f"told {report.told!r}")
    if any(a > b for a, b in zip(report.grown, usual.grown, strict=True)):
        wrong.append(f"threads and descriptors left: {report.grown}, undisturbed {usual.grown}")
    return wrong


def tried(asked: dict[str, Any]) -> dict[str, Any]:
    """Signals at random instants within the time that the command takes."""
    TEMPORARY.mkdir()
    tempfile.tempdir = os.environ["TMPDIR"] = str(TEMPORARY.resolve())
    for command in asked["small"]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
            code = main(command)
        assert code == 0, told.getvalue()
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
            wrong += [f"{number.name}: {what}" for what in wrong_in(done, number, usual)]
    return {"ends": ends, "wrong": wrong, "seconds": seconds, "usual": usual.grown}


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    print(json.dumps(tried(json.load(sys.stdin))))
