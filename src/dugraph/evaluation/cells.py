"""Cells of an evaluation: one method on one split, computed in processes or on a cluster, cached on disk."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from pickle import PicklingError
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from joblib.externals.loky.process_executor import TerminatedWorkerError
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from dugraph.cluster.dask import DaskPool, check_client
from dugraph.cluster.worker_end import in_worker, start_tracker
from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate, is_whole
from dugraph.evaluation.adjusted import Adjustment
from dugraph.evaluation.methods import SERIES_COMPARISONS, SIGNED_COMPARISONS, fit_sizes, make_method
from dugraph.evaluation.metrics import forecast_metrics, group_metrics, measure_metrics
from dugraph.evaluation.splits import inner_folds
from dugraph.exceptions import ClusterError, FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.files.atomic import atomic_file, make_folder
from dugraph.search.limits import resolve_n_jobs
from dugraph.search.progress import StatusLine
from dugraph.words import METRIC_WORDS

Array = NDArray[Any]
Progress = bool | Callable[[dict[str, Any]], object] | None
_SIGNAL_SECONDS = 0.2  # within which a signal reaches all processes of a group


@dataclass(frozen=True)
class Cell:
    """The metrics of one method on one split.

    Attributes
    ----------
    method : str
    split : int
    metrics : dict of int to dict
        The metrics by number of subgraphs (t); empty when the method has no features in this split.
    n_found : int or None
        Number of subgraphs found; None for methods without.
    proven : bool
        Whether these are proven to be the best.
    failure : str
        Why there are no metrics; else empty.
    mining_seconds, svm_seconds : float
        Time spent on finding the features, and on the models trained with them.
    observed : list of float
        For a phenotype: its values in the test graphs minus what covariates predict.
    forecasts : dict of int to list of float
        For a phenotype: forecasts of these values by number of subgraphs.
    """

    method: str
    split: int
    metrics: dict[int, dict[str, float]]
    n_found: int | None
    proven: bool
    failure: str
    mining_seconds: float
    svm_seconds: float
    observed: list[float] = field(default_factory=list)
    forecasts: dict[int, list[float]] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return the cell as JSON can represent it; NaN becomes None."""
        record = asdict(self)
        record["metrics"] = {
            str(t): {name: value if value == value else None for name, value in row.items()}
            for t, row in self.metrics.items()
        }
        if not self.forecasts:
            del record["observed"], record["forecasts"]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Cell:
        """Read the output of `as_record`; KeyError, TypeError or ValueError if it is something else."""
        metrics = {
            int(t): {name: math.nan if v is None else float(v) for name, v in row.items()}
            for t, row in record["metrics"].items()
        }
        if not {name for row in metrics.values() for name in row} <= set(METRIC_WORDS):
            raise ValueError("unknown metric")
        forecasts = {int(t): list(map(float, row)) for t, row in record.get("forecasts", {}).items()}
        observed = list(map(float, record.get("observed", [])))
        return cls(**{**record, "metrics": metrics, "observed": observed, "forecasts": forecasts})


@dataclass(frozen=True)
class Subjects:
    """The data that all cells share.

    Attributes
    ----------
    graphs : UncertainGraphs
        Covariates are among the columns of their participants.
    y : ndarray of shape (n_graphs,)
        1 for the positive class and 0; names of groups; or a phenotype.
    task : {"classes", "groups", "phenotype"}
    covariates : tuple of str
        Columns of the participants to adjust for.
    groups : ndarray of int, shape (n_graphs,), or None
        Groups that are never divided.
    series : sequence of ndarray, or None
        Time series of the graphs.
    signed : UncertainGraphs or None
        The same participants with (1 + r) / 2 of their full signed matrices as edges.
    """

    graphs: UncertainGraphs
    y: Array
    task: str
    covariates: tuple[str, ...] = ()
    groups: NDArray[np.int64] | None = None
    series: Sequence[Array] | None = None
    signed: UncertainGraphs | None = None

    def digest(self) -> str:
        """A SHA-256 of all values on which cells depend."""
        graphs = self.graphs
        layers = [] if graphs.edge_layers is None else [np.array(graphs.edge_layers)]
        columns = [(graphs.participants or {})[name] for name in self.covariates]
        groups = [] if self.groups is None else [self.groups]
        signed = [] if self.signed is None else [self.signed.edge_probability]
        return digest(
            [self.task, self.covariates],
            [
                graphs.edge_probability,
                graphs.edges,
                *layers,
                self.y,
                *columns,
                *groups,
                *signed,
                *(self.series or ()),
            ],
        )


def digest(settings: Any, arrays: Iterable[Array] = ()) -> str:
    """A SHA-256 of settings, as JSON can represent them, and of arrays of numbers or text."""
    content = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for array in map(np.ascontiguousarray, arrays):
        content.update(f"{array.dtype.str}{array.shape}".encode())
        content.update(array.tobytes())
    return content.hexdigest()


class CellJob(NamedTuple):
    """A cell to compute: a method, by its parameters for `make_method` or as the user's estimator."""

    method: str
    split: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    sizes: tuple[int, ...]
    estimator: Any

    @property
    def named(self) -> bool:
        """Whether the method is one that `make_method` knows."""
        return isinstance(self.estimator, Mapping)


def run_cell(subjects: Subjects, job: CellJob) -> Cell:
    """Fit a method to training graphs and measure it on test graphs, for every number of subgraphs."""
    train, test = job.train, job.test
    graphs = subjects.graphs
    if job.named and job.method in SIGNED_COMPARISONS and subjects.signed is not None:
        graphs = subjects.signed
    X: Any = [graphs[train], graphs[test]]
    if job.named and job.method in SERIES_COMPARISONS and subjects.series is not None:
        X = [[subjects.series[i] for i in rows] for rows in (train, test)]
    estimator = _estimator(subjects, job)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        # Both are recorded in the cell.
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        try:
            fitted = fit_sizes(estimator, X[0], subjects.y[train], job.sizes)
        except InputError as error:
            # The limit may leave a method without any subgraph in one split; the other splits continue.
            return Cell(job.method, job.split, {}, 0, True, str(error), 0.0, 0.0)
        rows = _measure(subjects, job, fitted.models, X[1])
    seconds = time.perf_counter() - begin - fitted.seconds
    return Cell(
        job.method,
        job.split,
        n_found=fitted.n_found,
        proven=fitted.proven,
        failure="",
        mining_seconds=fitted.seconds,
        svm_seconds=seconds,
        **rows,
    )


def _estimator(subjects: Subjects, job: CellJob) -> Any:
    if not job.named:
        return job.estimator
    groups = None if subjects.groups is None else subjects.groups[job.train]
    y = subjects.y[job.train]
    return make_method(
        job.method,
        task=subjects.task,
        covariates=subjects.covariates or None,
        cv=inner_folds(y.astype(str) if subjects.task == "classes" else y, groups),
        **job.estimator,
    )


def _measure(subjects: Subjects, job: CellJob, models: Mapping[int, Any], X: Any) -> dict[str, Any]:
    """The metrics of each model; of a phenotype also the observed values and the forecasts."""
    y = subjects.y[job.test]
    distinct = {id(model): model for model in models.values()}
    if subjects.task != "phenotype":
        known = np.unique(subjects.y)
        found = {key: _classified(model, X, y, known, subjects.task) for key, model in distinct.items()}
        return {"metrics": {t: found[id(model)] for t, model in models.items()}}
    graphs = subjects.graphs[job.train]
    adjustment = Adjustment(graphs, subjects.covariates)
    expected = adjustment.design(subjects.graphs[job.test]) @ adjustment.slopes(subjects.y[job.train])
    observed = y - expected
    beyond = {key: _forecast(model, X) - expected for key, model in distinct.items()}
    return {
        "metrics": {t: forecast_metrics(observed, beyond[id(model)]) for t, model in models.items()},
        "observed": observed.tolist(),
        "forecasts": {t: beyond[id(model)].tolist() for t, model in models.items()},
    }


def _classified(model: Any, X: Any, y: Array, known: Array, task: str) -> dict[str, float]:
    predicted = np.asarray(model.predict(X))
    strangers = ~np.isin(predicted, known)
    if strangers.any():
        raise InputError(
            "Your own method must predict the classes that it was fitted with, "
            f"{', '.join(map(str, known[:-1]))} and {known[-1]}, but predicted "
            f"{abbreviate(repr(predicted[strangers][0]))}. Give a classifier.",
            parameter="methods",
        )
    if task == "groups":
        return group_metrics(y, predicted)
    decision = predicted.astype(np.float64)
    for name in ("decision_function", "predict_proba"):
        if hasattr(model, name):
            values = np.asarray(getattr(model, name)(X), dtype=np.float64)
            decision = values if values.ndim == 1 else values[:, -1]
            break
    return measure_metrics(y, predicted.astype(np.int64), decision)


def _forecast(model: Any, X: Any) -> Array:
    forecast = np.asarray(model.predict(X))
    if forecast.dtype.kind not in "iuf" or not np.isfinite(forecast).all():
        raise InputError(
            "Your own method must predict finite numbers for a phenotype, but predicted "
            f"{abbreviate(repr(forecast[0]))}. Give a regressor.",
            parameter="methods",
        )
    return forecast.astype(np.float64)


class CellCache:
    """Finished cells in a folder, each named by a digest of all that it depends on.

    An interrupted evaluation continues where it stopped. Evaluations with other data, methods, splits or
    parameters can share a folder.

    Parameters
    ----------
    folder : path-like or None
        Created if it does not exist; None: nothing is stored.
    run : object
        The data and parameters that all cells of an evaluation share, as JSON can represent them.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, run: Any) -> None:
        self._run = run
        # Absolute: a process that was started earlier may have another working directory.
        self._cells = None if folder is None else make_folder(make_folder(folder) / "cells").absolute()

    def entry(self, job: CellJob) -> tuple[Path, str] | None:
        """The file of a cell and its digest; None if it is not stored, as for estimators of users."""
        if self._cells is None or not job.named:
            return None
        key = digest([self._run, job.method, job.sizes, dict(job.estimator)], [job.train, job.test])
        return self._cells / f"{job.method}.{key[:32]}.json", key

    def load(self, job: CellJob) -> Cell | None:
        """Read a cell; None if it is missing or damaged."""
        entry = self.entry(job)
        if entry is None or not entry[0].is_file():
            return None
        try:
            record = json.loads(entry[0].read_bytes())
            if record.pop("key") != entry[1]:
                return None
            return replace(Cell.from_record(record), method=job.method, split=job.split)
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    @staticmethod
    def save(cell: Cell, entry: tuple[Path, str] | None) -> None:
        """Write a cell under a temporary name, then rename it."""
        if entry is not None:
            record = {**cell.as_record(), "key": entry[1]}
            with atomic_file(entry[0]) as file:
                file.write((json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n").encode())


class Workers(NamedTuple):
    """A number of processes on this machine, or the workers of a Dask client."""

    n_jobs: int | None
    client: Any


def check_workers(n_jobs: int | None, client: Any) -> Workers:
    """Validate `n_jobs`, which may be negative as for joblib, and `client`."""
    if not (is_whole(n_jobs) and n_jobs < 0):
        resolve_n_jobs(n_jobs)
    if client is not None:
        check_client(client)
    return Workers(n_jobs, client)


def run_cells(
    subjects: Subjects, jobs: Sequence[CellJob], cache: CellCache, workers: Workers, progress: Progress
) -> list[Cell]:
    """Return the cell of each job, in this order; those in the cache are read.

    Parameters
    ----------
    subjects : Subjects
        Sent to each worker once.
    jobs : sequence of CellJob
    cache : CellCache
    workers : Workers
    progress
        As for `evaluate`.
    """
    found = {(job.method, job.split): cell for job in jobs if (cell := cache.load(job)) is not None}
    # One split after the other, so that an early stop leaves all methods with equally many splits.
    missing = sorted((job for job in jobs if (job.method, job.split) not in found), key=lambda job: job.split)
    report = _reporter(progress, len(missing))
    work = ((job, cache.entry(job)) for job in missing)
    run = _in_processes if workers.client is None else _on_cluster
    for done, cell in enumerate(run(subjects, work, workers), start=1):
        found[cell.method, cell.split] = cell
        report(done)
    return [found[job.method, job.split] for job in jobs]


Work = Iterable[tuple[CellJob, tuple[Path, str] | None]]


def _in_processes(subjects: Subjects, work: Work, workers: Workers) -> Iterator[Cell]:
    calls = (delayed(in_worker)(os.getpid(), _run_and_save, subjects, *one) for one in work)
    if effective_n_jobs(workers.n_jobs) > 1:
        start_tracker()
    try:
        yield from Parallel(n_jobs=workers.n_jobs, return_as="generator_unordered")(calls)
    except TerminatedWorkerError as error:
        time.sleep(_SIGNAL_SECONDS)  # a signal to the whole group of processes: Ctrl-C is raised here
        raise ClusterError(
            "A worker of the evaluation was killed, or memory ran out. Finished cells are kept in the "
            "cache, if there is one, and the same call resumes from them. Use fewer jobs."
        ) from error
    except PicklingError as error:
        if "Could not pickle the task" not in str(error):
            raise  # by a method of the user's, in its worker
        # joblib raises this for any error in the thread that sends.
        raise ClusterError(
            "The graphs could not be sent to a worker of the evaluation: memory ran out, or a method of your "
            "own cannot be pickled. Use one job."
        ) from error


def _run_and_save(subjects: Subjects, job: CellJob, entry: tuple[Path, str] | None) -> Cell:
    # In the worker, so that a cell is on disk as soon as it is done, even if the parent dies.
    cell = run_cell(subjects, job)
    CellCache.save(cell, entry)
    return cell


def _on_cluster(subjects: Subjects, work: Work, workers: Workers) -> Iterator[Cell]:
    """Cells as workers finish them; saved by this process, since workers may not see its disk."""
    pool, waiting = DaskPool(workers.client, subjects), iter(work)
    submitted: dict[int, tuple[Path, str] | None] = {}
    try:
        while True:
            n_free = pool.n_wanted - len(submitted)
            for job, entry in itertools.islice(waiting, max(0, n_free)):
                submitted[pool.submit(run_cell, job)] = entry
            if not submitted:
                return
            for task, cell in pool.done():
                CellCache.save(cell, submitted.pop(task))
                yield cell
    finally:
        pool.cancel()


def progress_text(now: Mapping[str, Any]) -> str:
    """Return the state of an evaluation in one line."""
    left = int(now["seconds_left"])
    return f"{now['done']} of {now['total']} cells, {left // 60} min {left % 60:02d} s left"


def _reporter(progress: Progress, total: int) -> Callable[[int], None]:
    """A function of the number of finished cells; cells from the cache are not counted."""
    line, begin = StatusLine(), time.perf_counter()

    def report(done: int) -> None:
        seconds = time.perf_counter() - begin
        now = {
            "done": done,
            "total": total,
            "seconds": seconds,
            "seconds_left": seconds / done * (total - done),
        }
        if callable(progress):
            progress(now)
        elif progress is True:
            line.show(progress_text(now), seconds, last=done == total)

    return report
