"""Processes that a command has started, and whether they have ended, from /proc."""

import os
import time
from pathlib import Path

PATIENCE = 6000
"""Number of checks, a twentieth of a second apart, before `wait_for` gives up. It counts checks, not seconds,
because on a busy machine this process may hardly run."""


def _stat(process: int) -> list[str]:
    """The fields after the name: state, parent, ..., at 19 the time of its start."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def descendants(process: int) -> dict[int, str]:
    """All descendants of a process, each with its start time, because process numbers are reused."""
    parents: dict[int, tuple[int, str]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = _stat(int(name))
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(name)] = int(fields[1]), fields[19]
    found: dict[int, str] = {}
    grown = {process}
    while grown:
        grown = {child for child, (parent, _) in parents.items() if parent in grown}
        found |= {child: parents[child][1] for child in grown}
    return found


def alive(process: int, start: str) -> bool:
    """Whether a process still runs; a zombie does not."""
    try:
        fields = _stat(process)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return fields[0] != "Z" and fields[19] == start


def wait_for(fact: object, what: str) -> None:
    """Wait until a function returns a true value."""
    assert callable(fact)
    for _ in range(PATIENCE):
        if fact():
            return
        time.sleep(0.05)
    raise AssertionError(what)


def left_over(folder: Path) -> list[str]:
    """Names of temporary files in a folder."""
    return [path.name for path in folder.rglob(".*")]
