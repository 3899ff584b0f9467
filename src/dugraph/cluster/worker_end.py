"""Processes that joblib starts end with the one that started them, whatever ended that one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from joblib.externals.loky.backend import resource_tracker

Result = TypeVar("Result")

_EVERY = 0.5  # seconds
_watching: set[int] = set()


def in_worker(parent: int, work: Callable[..., Result], *arguments: Any) -> Result:
    """Do the work in a process that joblib has started, and that must not outlive the one that started it.

    A killed parent tells nobody. Its workers would compute all that they were given, then wait for more.

    Parameters
    ----------
    parent : int
        The number of the process that hands out the work.
    work, *arguments
        What to do.
    """
    # The name that loky, joblib's own pool, gives to its processes; others, such as the workers of a cluster,
    # have other parents.
    if multiprocessing.current_process().name.startswith("LokyProcess"):
        _end_with(parent)
    return work(*arguments)


def start_tracker() -> None:
    """Start the process in which joblib keeps track of its semaphores, so that it outlives a hangup.

    Ctrl-C and TERM it ignores by itself. One that a hangup of all processes of a terminal has ended would be
    started anew, and complain about every semaphore that it does not know.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"):
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which processes that are started inherit
    try:
        resource_tracker.ensure_running()
    finally:
        signal.signal(signal.SIGHUP, before)


def _end_with(parent: int) -> None:
    if parent in _watching:
        return
    _watching.add(parent)
    _end_without(parent)
    threading.Thread(target=_watch, args=(parent,), name="end with the parent", daemon=True).start()


def _watch(parent: int) -> None:
    while True:
        time.sleep(_EVERY)
        _end_without(parent)


def _end_without(parent: int) -> None:
    if os.getppid() != parent:
        os._exit(1)  # there is nobody to clean up for, and cells are whole or not there
