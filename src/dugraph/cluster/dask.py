"""Dask: clients by address or ``local:N``, and tasks on their workers."""

from __future__ import annotations

import itertools
import logging
import re
import socket
import struct
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from dugraph._version import __version__
from dugraph.exceptions import ClusterError, InputError

PER_SLOT = 2
"""Tasks submitted for each thread of a worker: one that runs, and one that is there when it ends."""
MOST_FAILURES = 10
"""Workers that a task may lose before the run gives up."""
_PAUSE = 1.0  # seconds to wait for a task before looking at the rest

LOCAL: dict[str, Any] = {
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "scheduler_kwargs": {"dashboard": False},
}
"""Arguments of a LocalCluster that listens on this machine only, without a dashboard."""
_SETTINGS = {
    # A killed worker is restarted at once. But 15 seconds after each loss, Dask gives up for good any worker
    # that is absent at that moment, even one that is just starting.
    "distributed.deploy.lost-worker-timeout": "1000 days",
    # Self-monitoring for the dashboard costs two idle workers and their scheduler an eighth of a processor.
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

    `dask` is ``local:2`` for two workers of one thread each on this machine, or the address of a scheduler,
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
        address: Any = dask
        if local:
            # Without warnings about workers that are stopped in the middle of a task.
            address = stack.enter_context(local_cluster(int(local[1]), silence_logs=logging.ERROR))
        try:
            if not local:
                _check_scheduler(dask)
            client = stack.enter_context(Client(address, timeout=_PATIENCE))
        except (OSError, ValueError, struct.error) as error:
            raise ClusterError(f"{dask}: no Dask scheduler answers at this address ({error}).") from error
        yield client


@contextmanager
def local_cluster(n_workers: int, **more: Any) -> Iterator[Any]:
    """Start workers of one thread each, reachable from this machine only; `more` is for LocalCluster."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set(_SETTINGS),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, **LOCAL, **more) as cluster,
    ):
        yield cluster


def _check_scheduler(address: str) -> None:
    """Check the address first: Dask would wait forever if something other than a scheduler listens there."""
    from distributed.comm.addressing import parse_address, parse_host_port

    scheme, place = parse_address(address)
    if scheme not in ("tcp", "tls"):
        return
    with socket.create_connection(parse_host_port(place), timeout=_PATIENCE) as connection:
        if scheme == "tls":
            return  # the server does not speak first
        # A scheduler greets at once, the length of its greeting first.
        (length,) = struct.unpack("<Q", connection.makefile("rb").read(8))
        if length > _MOST_GREETING:
            raise ValueError("something else listens there")


class _Task(NamedTuple):
    number: int
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    failures: int = 0


class DaskPool:
    """A pool, as `dugraph.cluster.parts.InThisProcess`, whose tasks run on the workers of a client.

    Tasks are pure functions of their arguments; the task of a lost worker is submitted again. The `subject`,
    the first argument of every task, is sent once to each worker; the scheduler keeps it for workers that
    join later.
    """

    def __init__(self, client: Any, subject: Any) -> None:
        check_client(client)
        self._client = client
        self._numbers = itertools.count()
        self._tasks: dict[Any, _Task] = {}  # by their futures
        self._finished: SimpleQueue[Any] = SimpleQueue()
        self._threads: dict[str, int] = {}
        self._asked = -float("inf")
        self._subject, self._sent = subject, self._send(subject)

    def _send(self, subject: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            # A task and not scattered data: if all workers that have it are lost, it is made again.
            return self._client.submit(_identity, subject, pure=False)

    @property
    def n_workers(self) -> int:
        """Number of workers, updated once a second."""
        if time.monotonic() - self._asked >= _PAUSE:
            self._threads, self._asked = self._client.nthreads(), time.monotonic()
        return len(self._threads)

    @property
    def n_wanted(self) -> int:
        """Two tasks for each thread of a worker."""
        return PER_SLOT * max(1, sum(self._threads.values())) if self.n_workers else PER_SLOT

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Submit a task and return its number."""
        task = _Task(next(self._numbers), function, arguments)
        self._start(task)
        return task.number

    def _start(self, task: _Task) -> None:
        future = self._client.submit(
            _run, __version__, task.function, self._sent, *task.arguments, pure=False
        )
        self._tasks[future] = task
        # Not `as_completed`, whose timeout is for the whole run: limits must hold without any worker, too.
        future.add_done_callback(self._finished.put)

    def done(self) -> Iterable[tuple[int, Any]]:
        """Wait up to a second, then yield number and result of each task that has finished."""
        wait = _PAUSE
        while True:
            try:
                future = self._finished.get(timeout=wait)
            except Empty:
                return
            wait = 0.0
            if future not in self._tasks:
                continue  # cancelled
            try:
                result = future.result()
            except BaseException as error:
                self._submit_again(self._tasks[future], error)
                del self._tasks[future]
                continue
            # Released before it is processed, so that the cluster does not keep it.
            number = self._tasks.pop(future).number
            future.release()
            yield number, result

    def _submit_again(self, task: _Task, error: BaseException) -> None:
        """Submit a task again if the cluster failed, not the task itself."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        if isinstance(error, ImportError):
            raise ClusterError(
                f"A worker cannot run dugraph: {error}. Install the same release there."
            ) from error
        if not isinstance(error, (KilledWorker, CancelledError)):
            raise error
        if self._client.status != "running":
            raise ClusterError("The connection to the scheduler was lost.") from error
        if task.failures + 1 >= MOST_FAILURES:
            where = (
                f", the last one at {error.last_worker.address}" if isinstance(error, KilledWorker) else ""
            )
            raise ClusterError(
                f"A task lost {MOST_FAILURES} workers{where}. Find out what ends them; check memory first."
            ) from error
        if self._sent.status not in ("pending", "finished"):
            self._sent = self._send(self._subject)  # lost with all workers that had it
        self._start(task._replace(failures=task.failures + 1))

    def cancel(self) -> None:
        """Cancel all submitted tasks."""
        if self._client.status == "running":
            self._client.cancel(list(self._tasks))
        self._tasks.clear()


def _identity(subject: Any) -> Any:
    return subject


def _run(version: str, function: Callable[..., Any], *arguments: Any) -> Any:
    if version != __version__:
        raise ImportError(f"it has dugraph {__version__}, and the client has {version}")
    return function(*arguments)


def check_client(client: Any) -> None:
    """Raise InputError unless `client` is a synchronous Dask client."""
    try:
        from distributed import Client
    except ImportError as error:
        raise missing_dask() from error
    if not isinstance(client, Client) or client.asynchronous:
        raise InputError(
            f"client must be a distributed.Client that is not asynchronous, but is {client!r}.",
            parameter="client",
        )


def missing_dask() -> InputError:
    """The error that Dask is not installed."""
    return InputError(
        "Work on a cluster needs Dask, which is not installed.",
        way_out="Install it: pip install 'dugraph[dask]'.",
    )
