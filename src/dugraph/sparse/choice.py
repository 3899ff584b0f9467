"""Choice of the penalty: given, by the number of subgraphs, or by cross-validation."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import check_positive_int, check_word, counted, is_real
from dugraph.data.columns import CovariateCode
from dugraph.estimators.model_file import decode, encode
from dugraph.exceptions import InputError, Setting, Spoken
from dugraph.search import Status
from dugraph.sparse.column_generation import PathFinder
from dugraph.sparse.losses import Floats, Squared
from dugraph.sparse.model import SparseModel, model_members, restored_model
from dugraph.words import REFITS

Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]

RIDGE_PENALTIES = tuple(np.geomspace(1.0, 1e-4, 9).tolist())
"""L2 penalties of the refit, on the mean loss; those of its folds, from the largest to the smallest."""

# Bisections (on a logarithmic scale) between the last penalty with few enough subgraphs and the next one.
_BISECTIONS = 6


class CohortCovariates:
    """Covariates of all graphs of a fit, by name; `code` is learned from all of them."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> None:
        self._columns, self._graph_ids = columns, graph_ids
        self.code = CovariateCode.of(columns, graph_ids)

    def numbers(self) -> Floats:
        """Covariates of all graphs as numbers, shape (n_graphs, n_covariates)."""
        return self.code.numbers(self._columns, self._graph_ids)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Covariates of training and of test graphs, coded by the training graphs alone."""
        (train_columns, train_ids), (test_columns, test_ids) = self._rows(train), self._rows(test)
        code = CovariateCode.of(train_columns, train_ids)
        return code.numbers(train_columns, train_ids), code.numbers(test_columns, test_ids)

    def _rows(self, rows: NDArray[np.intp]) -> tuple[dict[str, NDArray[Any]], list[str]]:
        ids = np.asarray(self._graph_ids, dtype=object)[rows].tolist()
        return {name: column[rows] for name, column in self._columns.items()}, ids


class Choice(NamedTuple):
    """The chosen model, and the path it was chosen from.

    Attributes
    ----------
    model : SparseModel
    path : list of SparseModel
        The candidates, from the largest penalty to the smallest; only `model` for a given penalty.
    cv_losses : ndarray of shape (n_penalties, n_folds), or None
        Held-out losses, if the penalty was chosen by cross-validation; with a ridge refit, those of its best
        penalty.
    n_searches : int
        Searches over all admitted subgraphs, in all graphs and in the folds.
    finished : bool
        False if the time limit stopped the path or a fold early.
    """

    model: SparseModel
    path: list[SparseModel]
    cv_losses: NDArray[np.float64] | None
    n_searches: int
    finished: bool


def choice_members(choice: Choice) -> dict[str, Any]:
    """Return a choice as JSON values."""
    losses = choice.cv_losses
    return {
        "path": [model_members(model) for model in choice.path],
        "chosen": choice.path.index(choice.model),
        "cv_losses": None if losses is None else encode(losses, "cv_losses_"),
        "n_searches": int(choice.n_searches),
        "finished": bool(choice.finished),
    }


def restored_choice(stored: Mapping[str, Any], n_edges: int, n_covariates: int) -> Choice:
    """Inverse of `choice_members`; raises KeyError, TypeError or ValueError on other content."""
    path = [restored_model(one, n_edges, n_covariates) for one in stored["path"]]
    if not 0 <= stored["chosen"] < len(path):
        raise ValueError("the chosen model must be one of the path")
    losses = None if stored["cv_losses"] is None else decode(stored["cv_losses"])
    if losses is not None and (losses.ndim != 2 or not 0 < len(losses) <= len(path)):
        raise ValueError("cv_losses must have a row for each penalty that was tried")
    model = path[stored["chosen"]]
    return Choice(model, path, losses, int(stored["n_searches"]), bool(stored["finished"]))


def check_choice(alpha: object, n_nonzero: object, refit: object = None) -> None:
    """Raise InputError if `alpha` and `n_nonzero` do not determine a model, or `refit` is unknown."""
    if refit is not None:
        check_word("refit", refit, REFITS)
    if n_nonzero is not None:
        check_positive_int("n_nonzero", n_nonzero)
    if isinstance(alpha, str) and alpha == "cv":
        return
    if alpha is None:
        if n_nonzero is None:
            raise InputError(
                "alpha=None chooses the penalty by the number of subgraphs: give n_nonzero too.",
                parameter="n_nonzero",
            )
    elif not is_real(alpha) or not 0 < alpha < math.inf:
        spoken = Spoken(', "cv" or None', " or cv")
        raise InputError(
            ("alpha must be a positive number", spoken, f", but is {alpha!r}."), parameter="alpha"
        )
    elif n_nonzero is not None:
        pair = ("Give ", Setting("alpha"), " or ", Setting("n_nonzero"), ", but not both: ")
        raise InputError(
            (*pair, f"alpha is {alpha!r}, n_nonzero {n_nonzero!r}."),
            way_out=("With ", Setting("alpha", "cv"), " ", Setting("n_nonzero"), " limits the choice."),
        )


def choose_model(
    cohort: UncertainGraphs,
    target: Floats,
    covariates: CohortCovariates,
    weights: Floats,
    *,
    alpha: Any,
    n_nonzero: int | None,
    n_alphas: int,
    alpha_min_ratio: float,
    cv: Any,
    groups: Any = None,
    refit: str | None = None,
    settings: Mapping[str, Any],
) -> Choice:
    """Fit the path and choose a model from it.

    `groups` are passed to the splitter `cv`, and `settings` to `PathFinder`; the other parameters are those
    of `SparseSubgraphClassifier` and `PathFinder`, and valid.
    """
    ridge = RIDGE_PENALTIES if refit else ()
    cross_validated = isinstance(alpha, str)
    needs_folds = cross_validated or refit
    folds = _folds(cv, cohort, target, groups, settings["loss"] is not Squared) if needs_folds else []
    # The path and the folds share the time equally, so that all of them get about equally far.
    deadlines = share_time(settings["deadline"], 1 + len(folds))
    finder = PathFinder(
        cohort, target, covariates.numbers(), weights, **{**settings, "deadline": next(deadlines)}
    )
    most = math.inf if n_nonzero is None else n_nonzero
    if alpha is None or cross_validated:
        path = finder.models_up_to(most, finder.grid(n_alphas, alpha_min_ratio))
    else:
        path = list(finder.models([alpha]))
    if alpha is None:
        path = _refined(finder, path, most)
    eligible = _few_enough(path, most)
    tried = eligible if cross_validated else eligible[-1:]
    finished = finder.in_time and _in_time(path)
    if not folds:
        return Choice(tried[-1], path, None, finder.n_searches, finished)
    alphas = [model.alpha for model in tried]
    losses, n_searches = _held_out_losses(
        cohort, target, covariates, weights, alphas, ridge, folds, deadlines, settings
    )
    if refit:
        # The refit's penalty is chosen in the folds too: in graphs that chose the subgraphs, the smallest
        # would win.
        best = losses.mean(axis=2).argmin(axis=1)
        losses = losses[np.arange(len(tried)), best]
        refitted = [
            next(finder.ridge(*pair)) for pair in zip(tried, np.array(ridge)[best, None], strict=True)
        ]
        path = [refitted[tried.index(model)] if model in tried else model for model in path]
        tried = refitted
    else:
        losses = losses[:, 0]
    model = tried[int(np.argmin(losses.mean(axis=1)))]
    finished = finished and bool(np.isfinite(losses).all())
    n_searches += finder.n_searches
    return Choice(model, path, losses if cross_validated else None, n_searches, finished)


def share_time(deadline: float, parts: int) -> Iterator[float]:
    """Yield the deadline of each part: an equal share of the time left when the part begins."""
    for left in range(parts, 0, -1):
        now = time.monotonic()
        yield now + max(deadline - now, 0.0) / left


def _in_time(models: list[SparseModel]) -> bool:
    return all(model.status is not Status.TIME_LIMIT for model in models)


def _few_enough(path: list[SparseModel], most: float) -> list[SparseModel]:
    """The models before the first with more than `most` subgraphs; at least the first of the path."""
    many = next((k for k, model in enumerate(path) if len(model.coef) > most), len(path))
    return path[: max(many, 1)]


def _refined(finder: PathFinder, path: list[SparseModel], most: float) -> list[SparseModel]:
    """Bisect between the last two penalties of the path, to get closer to `most` subgraphs."""
    path = list(path)
    few, many = path[-2:] if len(path) > 1 else (path[0], path[0])
    for _ in range(_BISECTIONS):
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


def _folds(cv: Any, cohort: UncertainGraphs, target: Floats, groups: Any, classes: bool) -> Folds:
    y = target > 0 if classes else target
    try:
        folds = list(check_cv(cv, y, classifier=classes).split(cohort.edge_probability, y, groups))
        # An iterable of index arrays is not validated by check_cv: indexing finds invalid ones.
        positions = np.arange(len(y))
        folds = [(positions[train], positions[test]) for train, test in folds]
        valid = bool(folds) and all(len(train) and len(test) for train, test in folds)
    except (ValueError, TypeError, IndexError) as error:
        raise InputError(f"cv must be able to split these graphs: {error}", parameter="cv") from error
    if not valid:
        raise InputError(
            f"cv must give folds with graphs to train on and graphs to test, but is {cv!r}.", parameter="cv"
        )
    return folds


def _held_out_losses(
    cohort: UncertainGraphs,
    target: Floats,
    covariates: CohortCovariates,
    weights: Floats,
    alphas: list[float],
    ridge: Sequence[float],
    folds: Folds,
    deadlines: Iterator[float],
    settings: Mapping[str, Any],
) -> tuple[NDArray[np.float64], int]:
    """Loss of each penalty in the test graphs, and the number of searches.

    The losses have the shape (n_alphas, n_ridge, n_folds); without a refit n_ridge is 1.
    """
    columns: list[list[list[float]]] = []
    n_searches = 0
    for (train, test), deadline in zip(folds, deadlines, strict=True):
        tested = test[weights[test] > 0]
        if not len(tested):
            raise InputError(
                "Every test fold of cv must have a graph with a sample_weight above 0, but one has none. "
                "Leave graphs without weight out.",
                parameter="cv",
            )
        loss = settings["loss"](target[tested], weights[tested] / weights[tested].mean())
        trained = target[train][weights[train] > 0]
        if settings["loss"] is not Squared:
            _check_both_classes(target, trained)
        elif np.ptp(trained) == 0:  # a constant phenotype: the prediction does not depend on alpha
            constant = loss.value(np.full(len(tested), trained[0]))
            columns.append([[constant] * max(len(ridge), 1)] * len(alphas))
            continue
        train_covariates, test_covariates = covariates.split(train, tested)
        try:
            finder = PathFinder(
                cohort[train],
                target[train],
                train_covariates,
                weights[train],
                **{**settings, "deadline": deadline},
            )
        except InputError as error:
            raise error.placed(f"In the training graphs of fold {len(columns) + 1} of cv") from error
        graphs = cohort.edge_probability[tested]
        # Penalties that the time limit left out are never chosen.
        losses = [[math.inf] * max(len(ridge), 1) for _ in alphas]
        for row, model in zip(losses, finder.models(alphas), strict=False):
            fits = finder.ridge(model, ridge) if ridge else [model]
            row[:] = [loss.value(fit.decision_function(graphs, test_covariates)) for fit in fits]
        n_searches += finder.n_searches
        columns.append(losses)
    return np.moveaxis(np.array(columns), 0, 2), n_searches


def _check_both_classes(sign: Floats, trained: Floats) -> None:
    if len(np.unique(trained)) < 2:
        n_least = min((sign > 0).sum(), (sign < 0).sum())
        raise InputError(
            "Both classes are needed in every training fold of cv, but the smaller class has "
            f"{counted(int(n_least), 'graph')}. Use fewer folds, or give alpha or n_nonzero without cv."
        )
