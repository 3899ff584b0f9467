"""The cells of a protocol, in processes or on a cluster: those in a store are read, others computed."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from pickle import PicklingError
from typing import Any, NamedTuple

from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.utils.parallel import Parallel, delayed

from dugraph.cluster.dask import DaskPool, check_client
from dugraph.cluster.worker_end import in_worker, start_tracker
from dugraph.evaluation.cell import Cell
from dugraph.evaluation.cell_store import CellStore
from dugraph.evaluation.progress import CellProgress, Progress
from dugraph.exceptions import ClusterError
from dugraph.search.limits import resolve_n_jobs

_LATER = 0.2  # seconds within which a signal reaches all processes of a group

Job = tuple[Callable[..., Cell], tuple[Any, ...]]
"""What computes a cell: a function of the subjects and of these arguments, fit for other processes."""


class Hands(NamedTuple):
    """Who computes: so many processes on this machine, or the workers of a client."""

    n_jobs: int | None
    client: Any


def check_hands(n_jobs: int | None, client: Any) -> Hands:
    """Refuse what cannot work."""
    resolve_n_jobs(n_jobs)
    if client is not None:
        check_client(client)
    return Hands(n_jobs, client)


def run_cells(
    subjects: Any,
    methods: tuple[str, ...],
    n_splits: int,
    job: Callable[[str, int], Job],
    store: CellStore,
    hands: Hands,
    progress: Progress,
    never_kept: Collection[str] = (),
) -> list[Cell]:
    """Return one cell for each method and split, in this order.

    Parameters
    ----------
    subjects : object
        What all jobs share; it travels to each worker once.
    methods : tuple of str
    n_splits : int
    job : callable
        Of a method and the number of a split, what computes the cell.
    store : CellStore
    hands : Hands
    progress
        As for `evaluate_methods`.
    never_kept : collection of str
        Methods whose cells the store does not know.
    """
    places = [(method, split) for method in methods for split in range(n_splits)]
    kept = [place for place in places if place[0] not in never_kept]
    found = {place: cell for place in kept if (cell := store.load(*place)) is not None}
    # One split after the other, so that an early stop leaves all methods with as many splits.
    open_places = sorted((p for p in places if p not in found), key=lambda place: place[1])
    meter = CellProgress(progress, len(open_places))
    jobs = ((job(*place), None if place[0] in never_kept else store) for place in open_places)
    run = _in_processes if hands.client is None else _on_cluster
    with store.at_work():
        for cell in run(subjects, jobs, hands):
            found[cell.method, cell.split] = cell
            meter.advance()
    return [found[place] for place in places]


KeptJob = tuple[Job, CellStore | None]


def _in_processes(subjects: Any, jobs: Iterable[KeptJob], hands: Hands) -> Iterator[Cell]:
    calls = (delayed(in_worker)(os.getpid(), _run_and_keep, subjects, *one) for one in jobs)
    if resolve_n_jobs(hands.n_jobs) > 1:
        start_tracker()
    try:
        yield from Parallel(n_jobs=hands.n_jobs, return_as="generator_unordered")(calls)
    except TerminatedWorkerError as error:
        time.sleep(_LATER)  # a signal to the whole group of processes: Ctrl-C is raised here
        raise ClusterError(
            "A worker of the evaluation was killed, or memory ran out. Finished cells are kept in the "
            "cache, if there is one, and the same call resumes from them. Use fewer jobs."
        ) from error
    except PicklingError as error:
        # joblib's word for whatever goes wrong in its thread that sends.
        raise ClusterError(
            "The graphs could not be sent to a worker of the evaluation: memory ran out, or a method of your "
            "own cannot be pickled. Use one job."
        ) from error


def _run_and_keep(subjects: Any, job: Job, store: CellStore | None) -> Cell:
    # In the worker, so that a cell is on disk as soon as it is done, even if the parent dies.
    function, arguments = job
    cell = function(subjects, *arguments)
    if store is not None:
        store.save(cell)
    return cell


def _on_cluster(subjects: Any, jobs: Iterable[KeptJob], hands: Hands) -> Iterator[Cell]:
    """Cells as workers finish them; kept by this process, since workers may not see its disk."""
    pool, waiting = DaskPool(hands.client, subjects), iter(jobs)
    away: dict[int, CellStore | None] = {}
    try:
        while True:
            n_free = pool.n_wanted - len(away)
            for (function, arguments), store in itertools.islice(waiting, max(0, n_free)):
                away[pool.submit(function, *arguments)] = store
            if not away:
                return
            for task, cell in pool.done():
                store = away.pop(task)
                if store is not None:
                    store.save(cell)
                yield cell
    finally:
        pool.cancel()
