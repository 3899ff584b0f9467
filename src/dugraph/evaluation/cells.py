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

import msgspec
import numpy as np
from joblib import effective_n_jobs
from joblib.externals.loky.process_executor import TerminatedWorkerError
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.utils.parallel import Parallel, delayed

from dugraph.cluster.dask import DaskPool
from dugraph.cluster.worker_end import in_worker, start_tracker
from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate
from dugraph.evaluation.adjusted import Adjustment
from dugraph.evaluation.methods import SERIES_COMPARISONS, SIGNED_COMPARISONS, fit_sizes, make_method
from dugraph.evaluation.splits import inner_folds
from dugraph.exceptions import ClusterError, FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.files.atomic import atomic_file, make_folder
from dugraph.search.limits import StatusLine
from dugraph.words import METRIC_WORDS

Array = NDArray[Any]
Metrics = dict[str, float]
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
    metrics: dict[int, Metrics]
    n_found: int | None
    proven: bool
    failure: str
    mining_seconds: float
    svm_seconds: float
    observed: list[float] = field(default_factory=list)
    forecasts: dict[int, list[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Subjects:
    """The data that all cells share.

    `y` is 1 for the positive class and 0, names of groups, or a phenotype. `covariates` are columns of the
    participants of the graphs. `groups` are never divided. `signed` has the same participants with
    (1 + r) / 2 of their full signed matrices as edges.
    """

    graphs: UncertainGraphs
    y: Array
    task: str
    covariates: tuple[str, ...] = ()
    groups: NDArray[np.int64] | None = None
    series: Sequence[Array] | None = None
    signed: UncertainGraphs | None = None

    def take(self, rows: NDArray[np.intp]) -> Subjects:
        """Select graphs, with their labels and other data."""
        parts = {name: getattr(self, name) for name in ("graphs", "y", "groups", "signed")}
        taken = {name: value[rows] for name, value in parts.items() if value is not None}
        series = None if self.series is None else [self.series[i] for i in rows]
        return replace(self, **taken, series=series)

    def digest(self) -> str:
        """A SHA-256 of all values on which cells depend."""
        graphs = self.graphs
        arrays: list[Array] = [graphs.edge_probability, graphs.edges]
        if graphs.edge_layers is not None:
            arrays.append(np.array(graphs.edge_layers))
        arrays.append(self.y)
        arrays += [(graphs.participants or {})[name] for name in self.covariates]
        if self.groups is not None:
            arrays.append(self.groups)
        if self.signed is not None:
            arrays.append(self.signed.edge_probability)
        return digest([self.task, self.covariates], [*arrays, *(self.series or ())])


def digest(settings: Any, arrays: Iterable[Array] = ()) -> str:
    """A SHA-256 of settings, as JSON can represent them, and of arrays."""
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
    train, test = subjects.take(job.train), subjects.take(job.test)
    estimator, source = job.estimator, "graphs"
    if job.named:
        folds = inner_folds(train.y.astype(str) if train.task == "classes" else train.y, train.groups)
        covariates = train.covariates or None
        estimator = make_method(job.method, task=train.task, covariates=covariates, cv=folds, **estimator)
        if job.method in SIGNED_COMPARISONS:
            source = "signed"
        elif job.method in SERIES_COMPARISONS:
            source = "series"
    begin = time.perf_counter()
    with warnings.catch_warnings():
        # Both are recorded in the cell.
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        try:
            fitted = fit_sizes(estimator, getattr(train, source), train.y, job.sizes)
        except InputError as error:
            # The limit may leave a method without any subgraph in one split; the other splits continue.
            return Cell(job.method, job.split, {}, 0, True, str(error), 0.0, 0.0)
        measured = _measure(train, test, np.unique(subjects.y), fitted.models, getattr(test, source))
    seconds = time.perf_counter() - begin - fitted.seconds
    return Cell(
        job.method,
        job.split,
        n_found=fitted.n_found,
        proven=fitted.proven,
        failure="",
        mining_seconds=fitted.seconds,
        svm_seconds=seconds,
        **measured,
    )


def _measure(
    train: Subjects, test: Subjects, known: Array, models: Mapping[int, Any], X: Any
) -> dict[str, Any]:
    """The metrics of each model; of a phenotype also the observed values and the forecasts."""
    y, distinct = test.y, {id(model): model for model in models.values()}
    if test.task != "phenotype":
        found = {key: _classified(model, X, y, known, test.task) for key, model in distinct.items()}
        return {"metrics": {t: found[id(model)] for t, model in models.items()}}
    expected = Adjustment(train.graphs, train.covariates).predict(test.graphs, train.y)
    observed = y - expected
    beyond = {key: _forecast(model, X) - expected for key, model in distinct.items()}
    return {
        "metrics": {t: forecast_metrics(observed, beyond[id(model)]) for t, model in models.items()},
        "observed": observed.tolist(),
        "forecasts": {t: beyond[id(model)].tolist() for t, model in models.items()},
    }


def _classified(model: Any, X: Any, y: Array, known: Array, task: str) -> Metrics:
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
    return class_metrics(y, predicted.astype(np.int64), decision)


def _forecast(model: Any, X: Any) -> Array:
    forecast = np.asarray(model.predict(X))
    if forecast.dtype.kind not in "iuf" or not np.isfinite(forecast).all():
        raise InputError(
            "Your own method must predict finite numbers for a phenotype, but predicted "
            f"{abbreviate(repr(forecast[0]))}. Give a regressor.",
            parameter="methods",
        )
    return forecast.astype(np.float64)


def class_metrics(y: Array, predicted: Array, decision: Array) -> Metrics:
    """Compare predictions, 1 for the positive class and 0, with the classes; F1 is 0 where it is undefined.

    `decision` is larger for graphs that are more likely positive. The area under the ROC curve (auc) is NaN
    where the test graphs are of one class.
    """
    return {
        "error": float((predicted != y).mean()),
        "f1": float(f1_score(y, predicted, pos_label=1, zero_division=0.0)),
        "balanced_accuracy": _balanced_accuracy(y, predicted),
        "auc": float(roc_auc_score(y, decision)) if len(np.unique(y)) == 2 else math.nan,
    }


def group_metrics(y: Array, predicted: Array) -> Metrics:
    """Compare predictions with several groups; macro F1 is over the groups that are there or predicted."""
    return {
        "error": float((predicted != y).mean()),
        "macro_f1": float(f1_score(y, predicted, average="macro", zero_division=0.0)),
        "balanced_accuracy": _balanced_accuracy(y, predicted),
    }


def _balanced_accuracy(y: Array, predicted: Array) -> float:
    recalls = [float((predicted[y == one] == one).mean()) for one in np.unique(y)]
    return sum(recalls) / len(recalls)


def forecast_metrics(y: Array, forecast: Array) -> Metrics:
    """Compare forecasts with a phenotype, both minus what covariates alone, or the training mean, predict.

    r is 0 where all forecasts are the same; R2 is below 0 if forecasting 0 for all graphs is better.
    """
    constant = np.ptp(forecast) <= 1e-12 * max(float(np.abs(forecast).max()), 1e-300) or np.ptp(y) == 0
    return {
        "r": 0.0 if constant else float(np.corrcoef(y, forecast)[0, 1]),
        "r2": 1.0 - float(((y - forecast) ** 2).sum()) / float((y**2).sum()) if y.any() else math.nan,
        "mae": float(np.abs(y - forecast).mean()),
    }


# A file, and the digest of all that the cell in it depends on.
Entry = tuple[Path, str] | None


def _entries(cache: str | os.PathLike[str] | None, run: Any, jobs: Sequence[CellJob]) -> list[Entry]:
    """The place of each cell in the cache; None if it is not stored, as for estimators of users."""
    if cache is None:
        return [None] * len(jobs)
    # Absolute: a process that was started earlier may have another working directory.
    folder, entries = make_folder(make_folder(cache) / "cells").absolute(), list[Entry]()
    for job in jobs:
        if job.named:
            key = digest([run, job.method, job.sizes, dict(job.estimator)], [job.train, job.test])
            entries.append((folder / f"{job.method}.{key[:32]}.json", key))
        else:
            entries.append(None)
    return entries


def _load(job: CellJob, entry: Entry) -> Cell | None:
    """Read a cell; None if it is missing or damaged."""
    if entry is None or not entry[0].is_file():
        return None
    try:
        record = json.loads(entry[0].read_bytes())
        if record.pop("key") != entry[1]:
            return None
        cell = msgspec.convert(record, Cell, str_keys=True)
    except (ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError):
        return None
    known = all(set(row) <= set(METRIC_WORDS) for row in cell.metrics.values())
    return replace(cell, method=job.method, split=job.split) if known else None


def _save(cell: Cell, entry: Entry) -> None:
    """Write a cell under a temporary name, then rename it."""
    if entry is not None:
        record = {**asdict(cell), "key": entry[1]}
        with atomic_file(entry[0]) as file:
            file.write((json.dumps(record, indent=1, sort_keys=True) + "\n").encode())


def run_cells(
    subjects: Subjects,
    jobs: Sequence[CellJob],
    *,
    cache: str | os.PathLike[str] | None,
    run: Any,
    n_jobs: int | None,
    client: Any,
    progress: Progress,
) -> list[Cell]:
    """Return the cell of each job, in this order; those in the cache are read.

    `run` has the data and parameters that all cells share, as JSON can represent them: evaluations with other
    data, methods, splits or parameters can have the same cache. The other parameters are those of `evaluate`.
    """
    entries = _entries(cache, run, jobs)
    found = {
        (job.method, job.split): cell
        for job, entry in zip(jobs, entries, strict=True)
        if (cell := _load(job, entry)) is not None
    }
    # One split after the other, so that an early stop leaves all methods with equally many splits.
    work = sorted(
        (one for one in zip(jobs, entries, strict=True) if (one[0].method, one[0].split) not in found),
        key=lambda one: one[0].split,
    )
    report = _reporter(progress, len(work))
    cells = _in_processes(subjects, work, n_jobs) if client is None else _on_cluster(subjects, work, client)
    for done, cell in enumerate(cells, start=1):
        found[cell.method, cell.split] = cell
        report(done)
    return [found[job.method, job.split] for job in jobs]


Work = Iterable[tuple[CellJob, Entry]]


def _in_processes(subjects: Subjects, work: Work, n_jobs: int | None) -> Iterator[Cell]:
    calls = (delayed(in_worker)(os.getpid(), _run_and_save, subjects, *one) for one in work)
    if effective_n_jobs(n_jobs) > 1:
        start_tracker()
    try:
        yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls)
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


def _run_and_save(subjects: Subjects, job: CellJob, entry: Entry) -> Cell:
    # In the worker, so that a cell is on disk as soon as it is done, even if the parent dies.
    cell = run_cell(subjects, job)
    _save(cell, entry)
    return cell


def _on_cluster(subjects: Subjects, work: Work, client: Any) -> Iterator[Cell]:
    """Cells as workers finish them; saved by this process, since workers may not see its disk."""
    pool, waiting = DaskPool(client, subjects), iter(work)
    submitted: dict[int, Entry] = {}
    try:
        while True:
            n_free = pool.n_wanted - len(submitted)
            for job, entry in itertools.islice(waiting, max(0, n_free)):
                submitted[pool.submit(run_cell, job)] = entry
            if not submitted:
                return
            for task, cell in pool.done():
                _save(cell, submitted.pop(task))
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
        left = seconds / done * (total - done)
        now = {"done": done, "total": total, "seconds": seconds, "seconds_left": left}
        if callable(progress):
            progress(now)
        elif progress is True:
            line.show(progress_text(now), seconds, last=done == total)

    return report
