"""The cells of a protocol, in processes: those that a store knows are read, the others computed and kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from typing import Any

from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.utils.parallel import Parallel, delayed

from dugraph.cluster.worker_end import in_worker
from dugraph.evaluation.cell import Cell
from dugraph.evaluation.cell_store import CellStore
from dugraph.evaluation.progress import CellProgress, Progress
from dugraph.exceptions import ClusterError

_LATER = 0.2  # seconds within which a signal reaches all processes of a group


def run_cells(
    methods: tuple[str, ...],
    n_splits: int,
    run: Callable[[str, int], Callable[[], Cell]],
    store: CellStore,
    n_jobs: int | None,
    progress: Progress,
    never_kept: Collection[str] = (),
) -> list[Cell]:
    """Give one cell for each method and split, in this order.

    Parameters
    ----------
    methods : tuple of str
    n_splits : int
    run : callable
        Of a method and the number of a split, what computes the cell; it must be fit for other processes.
    store : CellStore
    n_jobs, progress
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
    jobs = (
        delayed(in_worker)(
            os.getpid(), _run_and_keep, run(method, split), None if method in never_kept else store
        )
        for method, split in open_places
    )
    try:
        for cell in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(jobs):
            found[cell.method, cell.split] = cell
            meter.advance()
    except TerminatedWorkerError as error:
        time.sleep(_LATER)  # a signal to the whole group of processes: Ctrl-C is raised here
        raise ClusterError(
            "A worker of the evaluation was killed, or memory ran out. Finished cells are kept in the cache, "
            "if there is one: the same call goes on with them. Use fewer jobs."
        ) from error
    return [found[place] for place in places]


def _run_and_keep(run: Callable[[], Any], store: CellStore | None) -> Any:
    # In the worker, so that a cell is on disk as soon as it is done, even if the parent dies.
    cell = run()
    if store is not None:
        store.save(cell)
    return cell
