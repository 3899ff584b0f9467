"""A Dask client by a word: the address of a scheduler, or so many workers on this machine."""

from __future__ import annotations

import logging
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from dugraph.cluster.dask_pool import missing_dask
from dugraph.exceptions import ClusterError, InputError

LOCAL: dict[str, Any] = {
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "scheduler_kwargs": {"dashboard": False},
}
"""How a cluster on this machine keeps to itself."""
_SETTINGS = {
    # A killed worker is started again at once. But Dask also looks 15 seconds after each loss, and gives up
    # for good a worker that is away at that instant, even if it was lost anew and is just starting.
    "distributed.deploy.lost-worker-timeout": "1000 days",
    # Dask watches itself, for a dashboard that is not there: idle, two workers and their scheduler take an
    # eighth of a processor for it, which the search would miss.
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.profile.enabled": False,
}
_MOST_WORKERS = 1024
_PATIENCE = 10  # seconds for a scheduler to answer
_MOST_GREETING = 2**20  # bytes


@contextmanager
def open_client(dask: str) -> Iterator[Any]:
    """Connect to a cluster for the time of a block.

    Parameters
    ----------
    dask : str
        ``local:2`` for two workers of one thread each on this machine, or the address of a scheduler,
        ``tcp://host:8786``. Certificates for ``tls://`` come from Dask's own configuration.
    """
    local = re.fullmatch(r"local:([0-9]{1,6})", dask)
    if dask.startswith("local") and not (local and 1 <= int(local[1]) <= _MOST_WORKERS):
        raise InputError(
            f"dask must be the address of a scheduler, or local:N with N from 1 to {_MOST_WORKERS}, but is "
            f"{dask!r}.",
            parameter="dask",
        )
    try:
        from distributed import Client
    except ImportError as error:
        raise missing_dask() from error
    with ExitStack() as stack:
        if local:
            # What it has to say about workers that are stopped in the middle of a task is no news to anybody.
            address: Any = stack.enter_context(local_cluster(int(local[1]), silence_logs=logging.ERROR))
        else:
            address = dask
        try:
            if not local:
                _check_scheduler(dask)
            client = stack.enter_context(Client(address, timeout=_PATIENCE))
        except (OSError, ValueError, struct.error) as error:
            raise ClusterError(f"{dask}: no Dask scheduler answers at this address ({error}).") from error
        yield client


@contextmanager
def local_cluster(n_workers: int, **more: Any) -> Iterator[Any]:
    """So many workers of one thread each: on this machine's own address only, without a page to look at.

    Parameters
    ----------
    n_workers : int
    **more
        What else a LocalCluster is told.
    """
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set(_SETTINGS),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, **LOCAL, **more) as cluster,
    ):
        yield cluster


def _check_scheduler(address: str) -> None:
    """Check the address: Dask itself would keep trying, and wait forever if something else listens there."""
    from distributed.comm.addressing import parse_address, parse_host_port

    scheme, place = parse_address(address)
    if scheme not in ("tcp", "tls"):
        return
    with socket.create_connection(parse_host_port(place), timeout=_PATIENCE) as door:
        if scheme == "tls":
            return  # which speaks only when it is spoken to
        # A scheduler greets at once, the length of its greeting first.
        (length,) = struct.unpack("<Q", door.makefile("rb").read(8))
        if length > _MOST_GREETING:
            raise ValueError("something else listens there")
