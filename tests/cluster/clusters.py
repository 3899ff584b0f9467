"""Dask clusters for tests, with processes or threads as workers, which can be killed."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dugraph.cluster.dask import local_cluster

distributed = pytest.importorskip("distributed")


@contextmanager
def local_client(n_workers: int, processes: bool = True, **more: Any) -> Iterator[Any]:
    """A client with this number of workers, one thread each."""
    kind: dict[str, Any] = {"processes": processes, **({} if processes else {"protocol": "tcp"}), **more}
    with local_cluster(n_workers, **kind) as local, distributed.Client(local) as client:
        yield client


@contextmanager
def killed_at_random(
    client: Any, seed: int, most: float, done: Callable[[], int] | None = None
) -> Iterator[list[int]]:
    """Kill a worker again and again while all are there; gives the list of those that were.

    Parameters
    ----------
    client : distributed.Client
    seed : int
    most : float
        Seconds until the next one at most.
    done : callable, optional
        Counts what the workers have done: until that is more than at the last kill, there is no other, so
        that however busy the machine is, the work comes to an end.
    """
    chance, over, kills = random.Random(seed), threading.Event(), list[int]()
    n_workers, counted = len(client.nthreads()), -1

    def kill() -> None:
        nonlocal counted
        while not over.wait(chance.uniform(0, most)):
            try:
                if len(client.nthreads()) < n_workers or (done and done() <= counted):
                    continue  # on a busy machine it takes a while until another one is there
                pids = list(client.run(os.getpid, on_error="ignore").values())
                pid = chance.choice([pid for pid in pids if isinstance(pid, int)])
                os.kill(pid, signal.SIGKILL)
                kills.append(pid)
                counted = done() if done else counted
            except (OSError, IndexError, RuntimeError):
                continue

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield kills
    finally:
        over.set()
        killer.join()
