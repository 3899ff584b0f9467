"""One cell of an evaluation of a phenotype or of groups: one method on one split."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.covariate_coding import CovariateCode
from dugraph.evaluation.adjustment import Adjustment
from dugraph.evaluation.cell import Cell
from dugraph.evaluation.forecasts import FORECASTERS, Forecasts, Task
from dugraph.evaluation.group_predictions import PREDICTORS, GroupTask, Predictions
from dugraph.evaluation.inner_folds import most_folds, shuffled_folds
from dugraph.evaluation.metrics import forecast_metrics, group_metrics
from dugraph.exceptions import InputError
from dugraph.sparse.choice import CohortCovariates

METHODS: dict[str, Mapping[str, Any]] = {"phenotype": FORECASTERS, "groups": PREDICTORS}
"""By task, what there is to compare."""
_INNER_FOLDS = 5


@dataclass(frozen=True)
class PhenotypeSubjects:
    """Graphs with a phenotype or groups.

    Attributes
    ----------
    graphs : UncertainGraphs
    y : ndarray of shape (n_graphs,)
        Numbers, or the number of each graph's group.
    task : {"phenotype", "groups"}
    covariates : dict of str to ndarray of shape (n_graphs,)
    groups : ndarray of int, shape (n_graphs,), or None
        Such as sites, which stay whole in folds.
    """

    graphs: UncertainGraphs
    y: NDArray[Any]
    task: str
    covariates: dict[str, NDArray[Any]]
    groups: NDArray[np.int64] | None


def run_phenotype_cell(
    subjects: PhenotypeSubjects,
    method: str,
    split: int,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    n_subgraphs: Sequence[int],
    settings: Mapping[str, Any],
) -> Cell:
    """Fit a method to training graphs and measure it on test graphs; parameters as for `run_cell`."""
    begin = time.perf_counter()
    task = _task(subjects, train, test)
    try:
        told: Forecasts | Predictions = METHODS[subjects.task][method](task, n_subgraphs, settings)
    except InputError as error:
        # The limit may leave a method without any subgraph in one split; the others go on.
        return Cell(method, split, {}, 0, True, str(error), 0.0, 0.0)
    y = subjects.y[test]
    measure: Callable[[Any], dict[str, float]] = partial(group_metrics, y)
    kept: dict[str, Any] = {}
    if isinstance(task, Task):
        observed = y - task.told_by_covariates
        measure = partial(forecast_metrics, observed)
        forecasts = {t: values.tolist() for t, values in told.values.items()}
        kept = {"observed": observed.tolist(), "forecasts": forecasts}
    metrics = {t: measure(values) for t, values in told.values.items()}
    seconds = time.perf_counter() - begin
    return Cell(method, split, metrics, told.n_found, told.proven, "", seconds, 0.0, **kept)


def _task(subjects: PhenotypeSubjects, train: NDArray[np.intp], test: NDArray[np.intp]) -> Task | GroupTask:
    y, groups = subjects.y[train], None if subjects.groups is None else subjects.groups[train]
    classes = subjects.task == "groups"
    if groups is not None and len(np.unique(groups)) < 2:
        raise InputError(
            "The training graphs of every fold must contain at least two groups, because methods choose "
            "their settings in inner folds there, but in one fold all belong to the same group. Use more "
            "groups.",
            parameter="groups",
        )
    n_folds = max(2, min(_INNER_FOLDS, most_folds(y, groups, classes)))
    folds = shuffled_folds(y, groups, n_folds, 0, classes)
    graphs = subjects.graphs[train], subjects.graphs[test]
    trained, tested = ({name: c[rows] for name, c in subjects.covariates.items()} for rows in (train, test))
    known = CohortCovariates(trained, graphs[0].graph_ids)
    code: CovariateCode = known.code
    others = code.numbers(tested, graphs[1].graph_ids)
    adjustment = Adjustment(known.numbers(), others)
    if classes:
        return GroupTask(*graphs, y, folds, trained, known, adjustment)
    return Task(*graphs, y, known, others, adjustment, folds)
