"""A shim between a command and the disk: sees every step that may change a folder, and lets one go wrong."""

import builtins
import errno
import io
import os
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Every one of these changes something on the disk, or may.
EVENTS = ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")
MADE = ("open", "os.link", "os.mkdir", "write", "fsync")
"""What takes room on a disk: to remove and to rename something is possible on a full one."""
SYNCED = ("fsync", "fsync of a folder")


class Steps:
    """Counts steps of some kinds, from 1, and disturbs the one of a number; `at_step` sees to the others."""

    def __init__(self, fault: str, number: int) -> None:
        self.fault, self.number, self.met = fault, number, 0
        self.disturbed: str | None = None
        """Which kind of step it was."""

    def at_step(self, kind: str) -> bool:
        """Let what is to go wrong here go wrong; true if a write is to be cut short."""
        if kind not in KINDS[self.fault]:
            return False
        self.met += 1
        if self.met == self.number:
            self.disturbed = kind
            return self.fault == "short" or bool(_FAULTS[self.fault]())
        if self.met > self.number and self.fault in LASTING:
            _FAULTS[self.fault]()
        return False

    def watch(self, place: str) -> None:
        """See all steps of this process within a folder, from now on to its end."""

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            flags = arguments[2] if event == "open" else None
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            if (event in EVENTS or writes) and place in os.fsdecode(os.path.abspath(str(arguments[0]))):
                self.at_step(event)

        sys.addaudithook(hook)
        sync, steps = os.fsync, self

        def fsync(descriptor: int) -> None:
            self.at_step("fsync of a folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "fsync")
            sync(descriptor)
            self.at_step("after fsync")

        class Written(io.FileIO):
            def write(self, data: Any) -> int:
                half = steps.at_step("write")
                return super().write(memoryview(data)[: max(1, len(data) // 2)] if half else data)

        def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            if mode == "xb" and place in os.path.abspath(file):
                return io.BufferedWriter(Written(file, mode))
            return original(file, mode, *arguments, **options)

        original: Callable[..., Any] = builtins.open
        builtins.open, os.fsync = opened, fsync


def _error(number: int) -> Callable[[], None]:
    def fail() -> None:
        raise OSError(number, os.strerror(number))

    return fail


def _signal(number: signal.Signals) -> Callable[[], None]:
    return lambda: os.kill(os.getpid(), number)


_FAULTS: dict[str, Callable[[], None]] = {
    "kill": _signal(signal.SIGKILL),
    "TERM": _signal(signal.SIGTERM),
    "full": _error(errno.ENOSPC),
    "short": _error(errno.ENOSPC),
    "read-only": _error(errno.EROFS),
    "fsync": _error(errno.EIO),
    "error": _error(errno.EIO),
}
KINDS: dict[str, tuple[str, ...]] = {
    "kill": (*EVENTS, "open", *SYNCED, "after fsync"),
    "TERM": (*EVENTS, "open", "write", *SYNCED, "after fsync"),
    "full": MADE,
    "short": ("write",),
    "read-only": (*EVENTS, *MADE, *SYNCED),
    "fsync": SYNCED,
    "error": (*EVENTS, *MADE, *SYNCED),
}
"""The steps at which each fault is tried."""
LASTING = ("full", "short", "read-only")
"""A full disk stays full: all later steps of the kinds fail, too."""


def left_over(folder: Path) -> list[str]:
    """Names that are no results: temporary files, second names, journals."""
    return [path.name for path in folder.rglob(".*")]
