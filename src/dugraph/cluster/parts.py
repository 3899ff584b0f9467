"""Run a computation in parts, in this process or on a Dask cluster, and save its state between parts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from dugraph.cluster.checkpoint import Arrays, Checkpoint, PathLike, check_place
from dugraph.cluster.dask import DaskPool, check_client
from dugraph.cluster.shards import Shard, check_shard
from dugraph.exceptions import InputError, Setting


class InThisProcess:
    """A pool that runs one task ``function(subject, *arguments)`` at a time in this process.

    Attributes
    ----------
    n_workers : int or None
        Number of worker processes at the moment; None for this process.
    n_wanted : int
        Number of tasks to keep submitted, so that no worker is idle.
    """

    n_workers: int | None = None
    n_wanted = 1

    def __init__(self, subject: Any) -> None:
        self._subject = subject
        self._waiting: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = []
        self._numbers = itertools.count()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Queue a task and return its number."""
        number = next(self._numbers)
        self._waiting.append((number, function, arguments))
        return number

    def done(self) -> Iterable[tuple[int, Any]]:
        """Run the queued tasks; yield number and result of each."""
        while self._waiting:
            number, function, arguments = self._waiting.pop(0)
            yield number, function(self._subject, *arguments)

    def cancel(self) -> None:
        """Empty the queue."""
        self._waiting.clear()


Pool = InThisProcess | DaskPool


class Job(Protocol):
    """The state of a computation in parts: what is done, what is open, what is running.

    An interrupt may come at any time. Results are therefore added before the work that gave them is removed:
    at worst, a part is done twice.
    """

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to submit or to wait for."""

    def submit(self, pool: Pool) -> None:
        """Submit open work until the pool has as many tasks as it wants."""

    def receive(self, task: int, found: Any) -> None:
        """Add the result of a task."""

    def content(self) -> Arrays:
        """The state as arrays, for a checkpoint; running parts count as open."""

    def numbers(self) -> Mapping[str, Any]:
        """Counters for the progress function, `n_tasks` among them."""


def run_parts(
    job: Job,
    pool: Pool,
    checkpoint: Checkpoint,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Run a job to its end; whatever ends the run, the checkpoint is saved.

    `progress` is called with the job's numbers while workers compute; in this process, tasks call it.
    """
    try:
        while not job.is_done:
            job.submit(pool)
            for task, found in pool.done():
                job.receive(task, found)
            if progress is not None and pool.n_workers is not None:
                progress({**job.numbers(), "n_workers": pool.n_workers})
            if checkpoint.is_due:
                checkpoint.save(job.content())
    finally:
        pool.cancel()
        checkpoint.save(job.content())


def make_pool(client: Any, subject: Any) -> Pool:
    """A pool of the client's workers, or of this process if there is no client."""
    return InThisProcess(subject) if client is None else DaskPool(client, subject)


def check_parts(shard: str | None, checkpoint: PathLike | None, client: Any) -> Shard | None:
    """Validate shard, checkpoint and client; return the shard."""
    part = check_shard(shard)
    if part is not None and checkpoint is None:
        raise InputError(
            "shard needs a file to save its part in, but none is given.",
            parameter="shard",
            way_out=("Give ", Setting("checkpoint"), " too, a file for each shard."),
        )
    if checkpoint is not None:
        check_place(checkpoint)
    if client is not None:
        check_client(client)
    return part
