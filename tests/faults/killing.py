"""Run a command again and again, killed before its k-th step on the disk, and judge what each leaves.

Run as a program, so that each run is a fork of one process without threads. A scenario comes as JSON on
stdin: "commands" come first, "old" writes what was there before, "new" is killed. Counts, and all that went
wrong, go to stdout as JSON.
"""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dugraph as dg
from dugraph.cli import main

# Every one of these changes something on the disk, or may.
STEPS = ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")
NOT_REPEATED = ("timings.csv",)
CELLS = "cache"


def kill_before(step: int, place: str) -> None:
    """Let SIGKILL come before the step of this number in the place; steps are numbered from 1."""
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1
        if counted == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        writes = (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if (event in STEPS or writes) and place in os.fsdecode(os.path.abspath(str(arguments[0]))):
            count()

    sys.addaudithook(hook)
    real = os.fsync

    def fsync(descriptor: int) -> None:
        count()
        real(descriptor)
        count()

    os.fsync = fsync


def undisturbed(command: list[str]) -> None:
    """Run a command in this process."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
        code = main(command)
    assert code == 0, told.getvalue()


def forked(command: list[str], step: int, place: str) -> int:
    """Run a command in a process of its own; gives what ended it, as `subprocess` does."""
    child = os.fork()
    if child == 0:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
            if step:
                kill_before(step, place)
            code = main(command)
        if code != 0:
            print(told.getvalue(), file=sys.stderr, flush=True)
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


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


def left_over(folder: Path) -> list[str]:
    """Names that are no results: temporary files, second names, journals."""
    return [path.name for path in folder.rglob(".*")]


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


def tried(scenario: dict[str, Any], root: Path) -> dict[str, Any]:
    """Kill the new command before every step, or every n-th, and judge."""
    out = scenario["out"]
    with within(root):
        # Here, not in a fork: all forks then have what is imported late.
        for command in scenario["commands"]:
            undisturbed(command)
        if scenario["old"]:
            undisturbed(scenario["old"])
        Path(out).mkdir(exist_ok=True)
        shutil.copytree(out, "old")
        undisturbed(scenario["new"])
        shutil.copytree(out, "new")
        old, new = contents(Path("old")), contents(Path("new"))
        assert old != new
        ends: Counter[str] = Counter()
        wrong: list[str] = []
        step, ended = scenario["first"], None
        while ended is None:
            shutil.rmtree(out)
            shutil.copytree("old", out)
            code = forked(scenario["new"], step, os.fspath(Path(out).resolve()))
            if code != -signal.SIGKILL:
                ended = code
                break
            looked_at(Path(out))
            found = {name: content for name, content in contents(Path(out)).items() if not hidden(name)}
            end = "old" if found == old else "new" if found == new else "mixed"
            ends[end] += 1
            if end == "mixed":
                wrong.append(f"step {step}: {differences(found, old, new)}")
            if forked(scenario["new"], 0, "") != 0 or contents(Path(out)) != new:
                wrong.append(f"step {step}: resumed, it is not as undisturbed")
            if left_over(Path(out)):
                wrong.append(f"step {step}: left over: {left_over(Path(out))}")
            step += scenario["every"]
    return {"n_kills": sum(ends.values()), "ends": ends, "wrong": wrong, "n_steps": step - 1}


def hidden(name: str) -> bool:
    return any(part.startswith(".") for part in Path(name).parts)


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
