"""Run a command again and again, disturbed at its k-th step on the disk, and judge what each run leaves.

Run as a program, so that each run is a fork of one process without threads. A scenario comes as JSON on
stdin: "commands" come first, "old" writes what was there before, "new" is disturbed, by "faults". Counts, and
all that went wrong, go to stdout as JSON.
"""

import contextlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from disk_steps import Steps, left_over

import dugraph as dg
from dugraph.cli import main
from dugraph.cli.program import _end_on_signals
from dugraph.files.at_exit import put_touched_in_order

NOT_REPEATED = ("timings.csv",)
CELLS = "cache"
ANY_INSTANT = "any instant"
"""The fault that is SIGKILL from outside, at an instant that nobody has chosen."""
OUT, OLD, NEW = Path("out"), Path("old"), Path("new")


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    """As `subprocess` gives it."""
    told: str = ""
    at: str | None = None
    """The kind of step that was disturbed; None if the run had fewer steps."""


def undisturbed(command: list[str]) -> None:
    """Run a command in this process."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
        code = main(command)
    assert code == 0, told.getvalue()


def forked(command: list[str], steps: Steps | None, disturb: Callable[[int], None] | None = None) -> Ended:
    """Run a command in a process of its own, which may be disturbed from within or from here."""
    end, begin = os.pipe()
    if (child := os.fork()) == 0:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
            _end_on_signals()
            if steps is not None:
                steps.watch(os.fspath(OUT.resolve()))
            code = main(command)
        os.write(begin, json.dumps((told.getvalue()[-2000:], steps and steps.disturbed)).encode())
        put_touched_in_order()  # as at the end of every program; all else that is done then takes long
        os._exit(code)
    os.close(begin)
    if disturb is not None:
        disturb(child)
    with open(end, "rb") as pipe:
        report = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Ended(code, *json.loads(report)) if report else Ended(code, at="kill")


def computed() -> float:
    """Seconds of the processor that all runs have taken."""
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder, but for those that are never the same; times are taken out of a page."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in NOT_REPEATED and CELLS not in path.relative_to(folder).parts
    }
    return {
        name: re.sub(rb"took \S+ seconds", b"", content) if name.endswith(".html") else content
        for name, content in files.items()
    }


@contextlib.contextmanager
def within(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def looked_at(folder: Path) -> None:
    """What everyone does who opens a folder of results; a folder without any is none."""
    for home in (folder, folder / "test"):
        if any(
            (home / name).exists() for name in ("results.json", "evaluation.json", ".dugraph-unfinished.json")
        ):
            with contextlib.suppress(dg.InputError):  # a first run that was killed has left nothing
                dg.load_result(home)
    if (folder / "cohort.npz").exists():
        dg.load_cohort(folder / "cohort.npz")


class Trial:
    """A folder as it was and as it is to be, and all runs from one to the other."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.command = scenario["new"]
        # Here, not in a fork: all forks then have what is imported late.
        for command in scenario["commands"]:
            undisturbed(command)
        if scenario["old"]:
            undisturbed(scenario["old"])
        shutil.copytree(OUT, OLD)
        undisturbed(self.command)
        shutil.copytree(OUT, NEW)
        begin = computed()
        forked(self.command, None)
        self.seconds = computed() - begin
        self.old, self.new = contents(OLD), contents(NEW)
        assert self.old != self.new
        self.wrong: list[str] = []

    def disturbed_by(self, fault: str, number: int, instant: float) -> str | None:
        """One run; gives what it left, or None if it ended before it could be disturbed."""
        shutil.rmtree(OUT)
        shutil.copytree(OLD, OUT)
        if fault == ANY_INSTANT:
            ended = forked(self.command, None, lambda child: kill_after(child, instant * self.seconds))
        else:
            ended = forked(self.command, Steps(fault, number))
        if ended.at is None:
            self.wrong += [f"undisturbed, it ended with {ended.code}: {ended.told}"] if ended.code else []
            return None
        before = left_over(OUT)
        looked_at(OUT)
        found = {name: content for name, content in contents(OUT).items() if is_result(name)}
        end = "old" if found == self.old else "new" if found == self.new else "mixed"
        faults = [*self.faults(fault, ended, end, before)]
        if end == "mixed":
            faults.append(differences(found, self.old, self.new))
        again = forked(self.command, None)
        if again.code != 0 or contents(OUT) != self.new:
            faults.append(f"repeated, it is not as undisturbed: {again}")
        if left_over(OUT):
            faults.append(f"left over: {left_over(OUT)}")
        self.wrong += [f"{fault} {number} ({ended.at}): {one}" for one in faults]
        return end

    @staticmethod
    def faults(fault: str, ended: Ended, end: str, left: list[str]) -> Iterator[str]:
        """What is wrong in how a disturbed run ended; a killed one says nothing, and cleans nothing up."""
        if fault in ("kill", ANY_INSTANT):
            if ended.code != -signal.SIGKILL:
                yield f"ended with {ended.code}"
            return
        failed = 130 if fault == "TERM" else 1
        if ended.code not in (0, failed):
            yield f"ended with {ended.code}"
        if "Traceback" in ended.told or (ended.code and "dugraph: " not in ended.told):
            yield f"told {ended.told!r}"
        # A signal may come when the new files are all there; then a disk that has become read-only keeps the
        # older ones from being put back.
        late = end == "new" and fault in ("TERM", "read-only")
        if end != ("new" if ended.code == 0 else "old") and not late:
            yield f"ended with {ended.code}, but the files are the {end} ones"
        # Where nothing can be removed, something is left: the next run removes it.
        if left and fault != "read-only" and (fault, ended.at) != ("error", "os.remove"):
            yield f"left behind: {left}"


def kill_after(child: int, seconds: float) -> None:
    """SIGKILL after so many seconds of the processor, which a busy machine does not change, or at the end."""
    clock = ~child << 3 | 2  # as the C library makes it of the number of a process
    ended = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while time.clock_gettime(clock) < seconds and os.waitid(os.P_PID, child, ended) is None:
        time.sleep(0.0002)
    os.kill(child, signal.SIGKILL)  # it stays a zombie until it is waited for


def tried(scenario: dict[str, Any], root: Path) -> dict[str, Any]:
    """Disturb the new command by each fault at every n-th step, or at so many instants, and judge."""
    with within(root):
        trial = Trial(scenario)
        counts: dict[str, Counter[str]] = {}
        chance = random.Random(0)
        for fault, every in scenario["faults"].items():
            ends = counts[fault] = Counter()
            number = 1
            while fault != ANY_INSTANT or ends.total() < every:
                end = trial.disturbed_by(fault, number, chance.random())
                if end is not None:
                    ends[end] += 1
                elif fault != ANY_INSTANT:
                    break
                number += every if fault != ANY_INSTANT else 1
    return {"counts": counts, "wrong": trial.wrong}


def is_result(name: str) -> bool:
    """Whether a file is more than what a run goes on from."""
    return name != "checkpoint.npz" and not any(part.startswith(".") for part in Path(name).parts)


def differences(found: dict[str, bytes], old: dict[str, bytes], new: dict[str, bytes]) -> str:
    """Which files are those of which run."""
    kinds = {
        name: "/".join(
            kind for kind, files in (("old", old), ("new", new)) if files.get(name) == found.get(name)
        )
        or "other"
        for name in sorted({*found, *old, *new})
    }
    return ", ".join(f"{name} {kind}" for name, kind in kinds.items())


if __name__ == "__main__":
    print(json.dumps(tried(json.load(sys.stdin), Path(sys.argv[1]))))
