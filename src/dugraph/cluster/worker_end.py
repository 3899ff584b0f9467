"""Worker processes of joblib end with the process that started them, even if it is killed."""

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
    """Call `work` in a worker of joblib, which ends if the process `parent` that started it does.

    Otherwise the workers of a killed process would finish all their tasks, then wait for more.
    """
    # The name that loky, joblib's pool, gives to its processes; workers of a cluster have other parents.
    if multiprocessing.current_process().name.startswith("LokyProcess") and parent not in _watching:
        _watching.add(parent)
        _end_without(parent)
        threading.Thread(target=_watch, args=(parent,), name="end with the parent", daemon=True).start()
    return work(*arguments)


def start_tracker() -> None:
    """Start the process in which joblib tracks its semaphores, so that it ignores SIGHUP.

    It ignores SIGINT and SIGTERM by itself. If a hangup ended it, a new one would print a warning for every
    semaphore.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"):
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which processes that are started inherit
    try:
        resource_tracker.ensure_running()
    finally:
        signal.signal(signal.SIGHUP, before)


def _watch(parent: int) -> None:
    while True:
        time.sleep(_EVERY)
        _end_without(parent)


def _end_without(parent: int) -> None:
    if os.getppid() != parent:
        os._exit(1)  # without cleanup: cells are written atomically
