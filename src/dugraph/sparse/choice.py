"""The choice of a penalty: given, by the number of subgraphs, or by cross-validation."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from dugraph.data import UncertainGraphs
from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.search import Status
from dugraph.sparse.covariates import CohortCovariates
from dugraph.sparse.losses import Floats, Squared
from dugraph.sparse.model import SparseModel
from dugraph.sparse.path_finder import PathFinder

# Halvings of the ratio between the last penalty with few enough subgraphs and the first with too many.
_HALVINGS = 6


class Choice(NamedTuple):
    """What was chosen, and out of what.

    Attributes
    ----------
    model : SparseModel
    path : list of SparseModel
        The models it was chosen from, or it alone.
    cv_losses : ndarray of shape (n_penalties, n_folds), or None
        The held-out losses, if they decided.
    n_searches : int
        Searches over all admitted subgraphs, in all graphs and in the folds.
    finished : bool
        Whether all was tried that was meant to be: the time sufficed.
    """

    model: SparseModel
    path: list[SparseModel]
    cv_losses: NDArray[np.float64] | None
    n_searches: int
    finished: bool

    def at_most(self, n_nonzero: int) -> SparseModel:
        """The model that would have been chosen with no more subgraphs than this."""
        eligible = _few_enough(self.path, n_nonzero)
        if self.cv_losses is None:
            return eligible[-1]
        return eligible[int(np.argmin(self.cv_losses[: len(eligible)].mean(axis=1)))]


def choose_model(
    cohort: UncertainGraphs,
    target: Floats,
    covariates: CohortCovariates,
    *,
    alpha: Any,
    n_nonzero: int | None,
    n_alphas: int,
    alpha_min_ratio: float,
    cv: Any,
    settings: Mapping[str, Any],
) -> Choice:
    """Fit the path that the choice needs, and choose.

    Parameters
    ----------
    cohort : UncertainGraphs
    target : ndarray of shape (n_graphs,)
        As for `PathFinder`.
    covariates : CohortCovariates
    alpha, n_nonzero, n_alphas, alpha_min_ratio, cv
        As for `SparseSubgraphClassifier`, and checked.
    settings : mapping
        What `PathFinder` needs besides.
    """
    folds = []
    if alpha == "cv":
        folds = _folds(cv, cohort, target, settings["loss"] is not Squared)
    # Time is shared between the path and the folds, so that all of them come about equally far.
    shares = shares_of_time(settings["deadline"], 1 + len(folds))
    finder = PathFinder(cohort, target, covariates.numbers(), **{**settings, "deadline": next(shares)})
    if alpha is not None and alpha != "cv":
        path = list(finder.models([alpha]))
        return Choice(path[-1], path, None, finder.n_searches, _in_time(path))
    most = math.inf if n_nonzero is None else n_nonzero
    path = finder.models_up_to(most, finder.grid(n_alphas, alpha_min_ratio))
    if alpha is None:
        path = _refined(finder, path, most)
        chosen = _few_enough(path, most)[-1]
        return Choice(chosen, path, None, finder.n_searches, finder.in_time and _in_time(path))
    eligible = _few_enough(path, most)
    alphas = [model.alpha for model in eligible]
    losses, n_searches = _held_out_losses(cohort, target, covariates, alphas, folds, shares, settings)
    best = int(np.argmin(losses.mean(axis=1)))
    finished = finder.in_time and _in_time(path) and bool(np.isfinite(losses).all())
    return Choice(eligible[best], path, losses, finder.n_searches + n_searches, finished)


def _folds(
    cv: Any, cohort: UncertainGraphs, target: Floats, classes: bool
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    y = target > 0 if classes else target
    try:
        folds = list(check_cv(cv, y, classifier=classes).split(cohort.edge_probability, y))
        # As a list of index arrays it may be anything: a look at the graphs of each shows it.
        fits = bool(folds) and all(len(y[train]) and len(y[test]) for train, test in folds)
    except (ValueError, TypeError, IndexError) as error:  # its own words say what is wrong
        raise InputError(f"cv must be able to split these graphs: {error}", parameter="cv") from error
    if not fits:
        raise InputError(
            f"cv must give folds with graphs to train on and graphs to test, but is {cv!r}.", parameter="cv"
        )
    return folds


def _in_time(models: list[SparseModel]) -> bool:
    return all(model.status is not Status.TIME_LIMIT for model in models)


def _few_enough(path: list[SparseModel], most: float) -> list[SparseModel]:
    """The models before the first with too many subgraphs; the first one, which has none, if need be."""
    many = next((k for k, model in enumerate(path) if len(model.coef) > most), len(path))
    return path[: max(many, 1)]


def _refined(finder: PathFinder, path: list[SparseModel], most: float) -> list[SparseModel]:
    """Come closer to the number of subgraphs asked for, between the last two penalties of the path."""
    path = list(path)
    few, many = path[-2:] if len(path) > 1 else (path[0], path[0])
    for _ in range(_HALVINGS):
        if len(many.coef) <= most or len(few.coef) == most or many.status is Status.TIME_LIMIT:
            break
        (middle,) = finder.models([math.sqrt(few.alpha * many.alpha)])
        path.insert(path.index(many), middle)
        if middle.status is Status.TIME_LIMIT:
            break
        if len(middle.coef) > most:
            many = middle
        else:
            few = middle
    return path


def shares_of_time(deadline: float, parts: int) -> Iterator[float]:
    """The deadline of each part of the work, which gets an equal share of the time that is left."""
    for left in range(parts, 0, -1):
        now = time.monotonic()
        yield now + max(deadline - now, 0.0) / left


def _held_out_losses(
    cohort: UncertainGraphs,
    target: Floats,
    covariates: CohortCovariates,
    alphas: list[float],
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    shares: Iterator[float],
    settings: Mapping[str, Any],
) -> tuple[NDArray[np.float64], int]:
    """The loss of each penalty in unseen graphs, shape (n_alphas, n_folds), and the number of searches."""
    columns: list[list[float]] = []
    n_searches = 0
    for (train, test), deadline in zip(folds, shares, strict=True):
        loss = settings["loss"](target[test])
        if settings["loss"] is not Squared:
            _check_both_classes(target, train)
        elif np.ptp(target[train]) == 0:  # whatever the penalty, this value is all that can be learned
            columns.append([loss.value(np.full(len(test), target[train][0]))] * len(alphas))
            continue
        trained, tested = covariates.split(train, test)
        try:
            finder = PathFinder(cohort[train], target[train], trained, **{**settings, "deadline": deadline})
        except InputError as error:
            raise error.placed(f"In the training graphs of fold {len(columns) + 1} of cv") from error
        graphs = cohort.edge_probability[test]
        held_out = [loss.value(model.decision_function(graphs, tested)) for model in finder.models(alphas)]
        n_searches += finder.n_searches
        # When time was up, smaller penalties were not tried: they lose.
        columns.append(held_out + [math.inf] * (len(alphas) - len(held_out)))
    return np.array(columns).T, n_searches


def _check_both_classes(sign: Floats, train: NDArray[np.intp]) -> None:
    if len(np.unique(sign[train])) < 2:
        n_least = min((sign > 0).sum(), (sign < 0).sum())
        raise InputError(
            "Both classes are needed in every training fold of cv, but the smaller class has "
            f"{counted(int(n_least), 'graph')}. Use fewer folds, or give alpha or n_nonzero without cv."
        )
