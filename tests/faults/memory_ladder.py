"""Run a command with ever more memory, from none to enough, and judge how each run ends.

Run as a program, so that each run is a fork of one process that has imported everything. What is asked comes
as JSON on stdin: "small" are commands that import what is needed, "before" those that write what "new" reads,
"new" is the one that is short of memory, "begin" how many megabytes come first, "n_steps" how many runs.
Counts, and all that went wrong, go to stdout as JSON.
"""

import contextlib
import io
import json
import os
import resource
import shutil
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from processes import left_over

import dugraph as dg
from dugraph.cli import main

MEGABYTE = 2**20
OUT, KEPT, LOG = Path("out"), Path("kept"), Path("log")
MOST = 2**14


def used() -> int:
    """Bytes of addresses that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def forked(command: list[str], megabytes: float | None) -> tuple[int, str]:
    """Run a command with so much more memory than there is in use; gives what ended it and what it said."""
    if (child := os.fork()) == 0:
        try:
            with LOG.open("wb") as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
            if megabytes is not None:
                most = used() + int(megabytes * MEGABYTE)
                resource.setrlimit(resource.RLIMIT_AS, (most, most))
            code = main(command)
            sys.stdout.flush()
            os._exit(code)
        except BaseException:
            traceback.print_exc()
        os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, LOG.read_text(errors="replace")


def wrong_in(code: int, told: str) -> list[str]:
    """What is not as promised: a sentence and 1, or the valid results of a search that had no more room."""
    wrong = []
    if code not in (0, 1, 3):
        wrong.append(f"ended with {code}: {told[-1500:]}")
    elif "Traceback" in told or (code == 1 and "dugraph: " not in told):
        wrong.append(f"told {told[-1500:]!r}")
    elif code == 3 and dg.load_result(OUT).result.status is not dg.search.Status.MEMORY_LIMIT:
        wrong.append("ended with 3 without a limit")
    if left := left_over(OUT):
        wrong.append(f"left over: {left}")
    return wrong


def tried(asked: dict[str, Any]) -> dict[str, Any]:
    """Find how much is enough, then give equal parts of that, from nothing on."""
    ends: Counter[str] = Counter()
    wrong: list[str] = []
    for command in asked["small"]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main(command) == 0
    for command in asked["before"]:  # not here, where it would leave memory that is free
        code, told = forked(command, None)
        assert code == 0, told
    shutil.copytree(OUT, KEPT)

    def one(megabytes: float) -> int:
        shutil.rmtree(OUT)
        shutil.copytree(KEPT, OUT)
        code, told = forked(asked["new"], megabytes)
        ends[str(code)] += 1
        wrong.extend(f"{megabytes:.1f} MB: {what}" for what in wrong_in(code, told))
        return code

    enough = float(asked["begin"])
    while (last := one(enough)) != 0 and enough < MOST:
        enough *= 2
    assert last == 0, wrong
    for k in range(asked["n_steps"]):
        one(enough * k / asked["n_steps"])
    return {"enough": enough, "ends": ends, "wrong": wrong}


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    print(json.dumps(tried(json.load(sys.stdin))))
