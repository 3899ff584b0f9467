"""Dask clusters for tests, of workers that are processes or only threads, and a hand that kills them."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dugraph.cluster.dask_client import local_cluster

distributed = pytest.importorskip("distributed")


@contextmanager
def local_client(n_workers: int, processes: bool = True, **more: Any) -> Iterator[Any]:
    """A client of so many workers of one thread each."""
    kind: dict[str, Any] = {"processes": processes, **({} if processes else {"protocol": "tcp"}), **more}
    with local_cluster(n_workers, **kind) as local, distributed.Client(local) as client:
        yield client


@contextmanager
def killed_at_random(client: Any, seed: int, least: float, most: float) -> Iterator[list[int]]:
    """Kill a worker every so many seconds in which all are there; gives the list of those that were."""
    chance, over, kills = random.Random(seed), threading.Event(), list[int]()
    n_workers = len(client.nthreads())

    def kill() -> None:
        while not over.wait(chance.uniform(least, most)):
            try:
                if len(client.nthreads()) < n_workers:
                    continue  # on a busy machine it takes a while until another one is there
                pids = list(client.run(os.getpid, on_error="ignore").values())
                pid = chance.choice([pid for pid in pids if isinstance(pid, int)])
                os.kill(pid, signal.SIGKILL)
                kills.append(pid)
            except (OSError, IndexError, RuntimeError):
                continue

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield kills
    finally:
        over.set()
        killer.join()
