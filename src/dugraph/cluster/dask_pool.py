"""Tasks on the workers of a Dask cluster: pure, few in flight, done again when a worker is lost."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from dugraph._version import __version__
from dugraph.cluster.pool import Crew, Done
from dugraph.exceptions import ClusterError, InputError

PER_SLOT = 2
"""Tasks in flight for each thread of a worker: one that runs, and one that is there when it ends."""
MOST_FAILURES = 10
"""Workers that a task may lose before the run gives up."""
_PAUSE = 1.0  # seconds to wait for a task before looking at the rest


class _Task(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    failures: int


class DaskPool:
    """A pool whose tasks are done by the workers of a client.

    Parameters
    ----------
    client : distributed.Client
    subject : object
        The first argument of every task. It travels once to each worker; the scheduler keeps it for those
        that come later, or in place of others.
    """

    def __init__(self, client: Any, subject: Any) -> None:
        check_client(client)
        self._client = client
        self._numbers = itertools.count()
        self._tasks: dict[int, _Task] = {}
        self._futures: dict[Any, int] = {}
        self._back: SimpleQueue[Any] = SimpleQueue()
        self._crew, self._looked = Crew(0, 1, PER_SLOT), -float("inf")
        self._given, self._subject = subject, self._hold(subject)

    def _hold(self, subject: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            # A task and not scattered data: if all workers that hold it are lost, it is made again.
            return self._client.submit(_held, subject, pure=False)

    def crew(self) -> Crew:
        """The workers of the moment, asked for once in a second."""
        if time.monotonic() - self._looked >= _PAUSE:
            threads = self._client.nthreads()
            n_slots = max(1, sum(threads.values()))
            self._crew, self._looked = Crew(len(threads), n_slots, PER_SLOT * n_slots), time.monotonic()
        return self._crew

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Hand out a task."""
        number = next(self._numbers)
        self._start(number, _Task(function, arguments, 0))
        return number

    def _start(self, number: int, task: _Task) -> None:
        future = self._client.submit(
            _run, __version__, task.function, self._subject, *task.arguments, pure=False
        )
        self._tasks[number], self._futures[future] = task, number
        # Not `distributed.wait`: each call of that leaves a watcher at every task that is still away.
        future.add_done_callback(self._back.put)

    def done(self) -> Iterable[Done]:
        """What came back; tasks whose worker was lost are given out again."""
        wait = _PAUSE
        while True:
            try:
                future = self._back.get(timeout=wait)
            except Empty:
                return
            wait = 0.0
            number = self._futures.get(future)
            if number is None:
                continue  # it was dropped meanwhile
            try:
                result = future.result()
            except BaseException as error:
                self._again(number, error)
                del self._futures[future]
                continue
            # Released at once, and before it is handed on: nothing of it stays on the cluster.
            del self._futures[future], self._tasks[number]
            future.release()
            yield number, result

    def _again(self, number: int, error: BaseException) -> None:
        """Hand out a task again if the cluster failed, not the task itself."""
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
        task = self._tasks[number]
        if task.failures + 1 >= MOST_FAILURES:
            where = (
                f", the last one at {error.last_worker.address}" if isinstance(error, KilledWorker) else ""
            )
            raise ClusterError(
                f"A task lost {MOST_FAILURES} workers{where}. Find out what ends them; check memory first."
            ) from error
        if self._subject.status not in ("pending", "finished"):
            self._subject = self._hold(self._given)  # given up by the scheduler with the workers it was on
        self._start(number, task._replace(failures=task.failures + 1))

    def cancel(self) -> None:
        """Drop what was given out."""
        if self._client.status == "running":
            self._client.cancel(list(self._futures))
        self._futures.clear()
        self._tasks.clear()


def _held(subject: Any) -> Any:
    return subject


def _run(version: str, function: Callable[..., Any], *arguments: Any) -> Any:
    if version != __version__:
        raise ImportError(f"it has dugraph {__version__}, and the client has {version}")
    return function(*arguments)


def check_client(client: Any) -> None:
    """Refuse what is no client of Dask."""
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
