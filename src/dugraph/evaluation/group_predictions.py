"""Methods that separate several groups: each is fitted to training graphs and applied to test graphs.

With covariates, all of them decide by what these leave of their features, so that a site that has more graphs
of one group tells nothing. Nothing here sees the groups of test graphs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import f_classif
from sklearn.svm import SVC

from dugraph.data import UncertainGraphs
from dugraph.estimators import make_method
from dugraph.evaluation.adjustment import Adjustment
from dugraph.evaluation.forecasts import choose_within
from dugraph.evaluation.inner_folds import Folds
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning
from dugraph.search import Status
from dugraph.sparse import SparseModel
from dugraph.sparse.choice import CohortCovariates
from dugraph.sparse.losses import Logistic, signs

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Settings = Mapping[str, Any]
Sizes = Sequence[int]


@dataclass(frozen=True)
class GroupTask:
    """Training and test graphs, the groups of the former, folds within them, and covariates.

    Attributes
    ----------
    train, test, folds
        As for `Task`.
    y : ndarray of int, shape (n_train,)
    columns : dict of str to ndarray of shape (n_train,)
        The covariates of training graphs, as they were given.
    covariates : CohortCovariates
        The same.
    adjustment : Adjustment
    """

    train: UncertainGraphs
    test: UncertainGraphs
    y: Codes
    folds: Folds
    columns: Mapping[str, NDArray[Any]]
    covariates: CohortCovariates
    adjustment: Adjustment

    def adjusted(self, trained: Floats, tested: Floats) -> tuple[Floats, Floats]:
        """What covariates leave of features; without any, the features as they are."""
        return self.adjustment.rest(trained, tested) if self.columns else (trained, tested)


@dataclass(frozen=True)
class Predictions:
    """The group of each test graph, for each number of subgraphs; the rest as for `Forecasts`."""

    values: dict[int, Codes]
    n_found: int | None = None
    proven: bool = True


def _machine(task: GroupTask, trained: Floats, tested: Floats) -> Codes:
    if trained.shape[1] == 0:  # nothing to learn from: the most frequent group
        return np.full(len(tested), np.bincount(task.y).argmax())
    trained, tested = task.adjusted(trained, tested)
    return np.asarray(SVC(kernel="linear").fit(trained, task.y).predict(tested))


def _mined(task: GroupTask, sizes: Sizes, settings: Settings) -> Predictions:
    selector = make_method("exp-hsic", n_subgraphs=max(sizes), **settings)["selector"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        # As text, so that the numbers of groups are not taken for a phenotype.
        selector.fit(task.train, np.char.add("g", task.y.astype(str)), covariates=task.columns or None)
    trained, tested = selector.transform(task.train), selector.transform(task.test)
    values = {t: _machine(task, trained[:, :t], tested[:, :t]) for t in sizes}
    return Predictions(values, len(selector.subgraphs_), bool(selector.result_.success))


def _sparse(task: GroupTask, sizes: Sizes, settings: Settings) -> Predictions:
    given = task.covariates, task.folds, max(sizes), settings, Logistic
    choices = [choose_within(task.train, signs(task.y == k), *given) for k in np.unique(task.y)]
    values, proven, found = {}, True, 0
    for t in sizes:
        models = [choice.at_most(t) for choice in choices]
        values[t] = np.unique(task.y)[np.argmax([_decisions(task, model) for model in models], axis=0)]
        proven = proven and all(model.status is Status.OPTIMAL for model in models)
        found = len({subgraph for model in models for subgraph in model.subgraphs})
    return Predictions(values, found, proven and all(choice.finished for choice in choices))


def _decisions(task: GroupTask, model: SparseModel) -> Floats:
    """Those of test graphs, all with the covariates of the average, and features beyond covariates."""
    trained, tested = (model.containment(part.edge_probability) for part in (task.train, task.test))
    if not task.columns:
        return np.asarray(tested @ model.coef + model.intercept)
    beyond = trained.mean(axis=0) + task.adjusted(trained, tested)[1]
    return np.asarray(beyond @ model.coef + model.intercept)


def _single_edges(task: GroupTask, sizes: Sizes, settings: Settings) -> Predictions:
    return _sparse(task, sizes, {**settings, "min_expected_frequency": 0.0, "max_edges": 1})


def _all_edges(task: GroupTask, sizes: Sizes, _: Settings) -> Predictions:
    predicted = _machine(task, task.train.edge_probability, task.test.edge_probability)
    return Predictions(dict.fromkeys(sizes, predicted))


def _best_edges(task: GroupTask, sizes: Sizes, _: Settings) -> Predictions:
    trained, tested = task.train.edge_probability, task.test.edge_probability
    varying = np.flatnonzero(np.ptp(trained, axis=0) > 0)
    with warnings.catch_warnings():
        # An edge that is constant within all groups has an infinite F statistic, rightly.
        warnings.simplefilter("ignore")
        known = task.adjusted(trained, tested)[0][:, varying]
        order = varying[np.argsort(-f_classif(known, task.y)[0], kind="stable")]
    return Predictions({t: _machine(task, trained[:, order[:t]], tested[:, order[:t]]) for t in sizes})


PREDICTORS: dict[str, Callable[[GroupTask, Sizes, Settings], Predictions]] = {
    "exp-hsic": _mined,
    "sparse": _sparse,
    "l1-edges": _single_edges,
    "all-edges": _all_edges,
    "select-k-best": _best_edges,
}
"""Methods for groups, by name."""
