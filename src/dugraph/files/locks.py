"""Locks among the programs of one machine: gone with the process that holds them, whatever ends it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from dugraph.exceptions import InputError

try:
    import fcntl
except ImportError:  # Windows, where nothing is locked
    fcntl = None  # type: ignore[assignment,unused-ignore]

WAIT = 60.0
"""Seconds: far more than it takes to write a folder."""
_PAUSE = 0.02


def try_lock(descriptor: int, *, shared: bool = False) -> bool | None:
    """Lock an open file or folder at once; None where the file system knows no locks.

    Parameters
    ----------
    descriptor : int
        The lock ends when it is closed.
    shared : bool, default False
        Whether others may have it at the same time, if they share it too.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@contextmanager
def folder_lock(
    folder: str | os.PathLike[str], *, shared: bool = False, wait: float | None = None
) -> Iterator[bool]:
    """Hold the lock of a folder; it leaves no file behind.

    Parameters
    ----------
    folder : path-like
    shared : bool, default False
        True to read, False to write.
    wait : float, optional
        Seconds; default: `WAIT`.

    Yields
    ------
    bool
        False where the file system knows no locks.

    Raises
    ------
    InputError
        If another program has held it for so long.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except (OSError, ValueError):  # one that may be entered, but not listed; Windows opens none
        yield False
        return
    try:
        patience = WAIT if wait is None else wait
        end = time.monotonic() + patience
        while (locked := try_lock(descriptor, shared=shared)) is False:
            if time.monotonic() >= end:
                doing = "writes into it" if shared else "reads or writes it"
                raise InputError(
                    f"{folder}: the folder must be free, but another program {doing} and has not finished "
                    f"for {patience:.0f} seconds. Wait for it, or choose another folder."
                )
            time.sleep(_PAUSE)
        yield bool(locked)
    finally:
        os.close(descriptor)
