"""Methods that tell several groups apart: each is fitted to training graphs and asked about test graphs."""

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
from dugraph.evaluation.forecasts import choose_within
from dugraph.evaluation.inner_folds import Folds
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning
from dugraph.search import Status
from dugraph.sparse.covariates import CohortCovariates
from dugraph.sparse.losses import Logistic
from dugraph.sparse.targets import signs

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Settings = Mapping[str, Any]
Sizes = Sequence[int]


@dataclass(frozen=True)
class GroupTask:
    """Training and test graphs, the groups of the former, and folds within them."""

    train: UncertainGraphs
    test: UncertainGraphs
    y: Codes
    folds: Folds


@dataclass(frozen=True)
class Predictions:
    """The group of each test graph, for each number of subgraphs; the rest as for `Forecasts`."""

    values: dict[int, Codes]
    n_found: int | None = None
    proven: bool = True


def _machine(trained: Floats, tested: Floats, y: Codes) -> Codes:
    if trained.shape[1] == 0:  # nothing to learn from: the most frequent group
        return np.full(len(tested), np.bincount(y).argmax())
    return np.asarray(SVC(kernel="linear").fit(trained, y).predict(tested))


def _mined(task: GroupTask, sizes: Sizes, settings: Settings) -> Predictions:
    selector = make_method("exp-hsic", n_subgraphs=max(sizes), **settings)["selector"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        # As text, so that the numbers of groups are not taken for a phenotype.
        trained = selector.fit_transform(task.train, np.char.add("g", task.y.astype(str)))
    tested = selector.transform(task.test)
    values = {t: _machine(trained[:, :t], tested[:, :t], task.y) for t in sizes}
    return Predictions(values, len(selector.subgraphs_), bool(selector.result_.success))


def _sparse(task: GroupTask, sizes: Sizes, settings: Settings) -> Predictions:
    none = CohortCovariates({}, task.train.graph_ids)
    choices = [
        choose_within(task.train, signs(task.y == k), none, task.folds, max(sizes), settings, Logistic)
        for k in np.unique(task.y)
    ]
    tested = task.test.edge_probability
    values, proven, found = {}, True, 0
    for t in sizes:
        models = [choice.at_most(t) for choice in choices]
        values[t] = np.unique(task.y)[np.argmax([one.decision_function(tested) for one in models], axis=0)]
        proven = proven and all(model.status is Status.OPTIMAL for model in models)
        found = len({subgraph for model in models for subgraph in model.subgraphs})
    return Predictions(values, found, proven and all(choice.finished for choice in choices))


def _single_edges(task: GroupTask, sizes: Sizes, settings: Settings) -> Predictions:
    return _sparse(task, sizes, {**settings, "min_expected_frequency": 0.0, "max_edges": 1})


def _all_edges(task: GroupTask, sizes: Sizes, _: Settings) -> Predictions:
    predicted = _machine(task.train.edge_probability, task.test.edge_probability, task.y)
    return Predictions(dict.fromkeys(sizes, predicted))


def _best_edges(task: GroupTask, sizes: Sizes, _: Settings) -> Predictions:
    trained, tested = task.train.edge_probability, task.test.edge_probability
    varying = np.flatnonzero(np.ptp(trained, axis=0) > 0)
    with warnings.catch_warnings():
        # An edge that is constant within all groups has an infinite F statistic, rightly.
        warnings.simplefilter("ignore")
        order = varying[np.argsort(-f_classif(trained[:, varying], task.y)[0], kind="stable")]
    return Predictions({t: _machine(trained[:, order[:t]], tested[:, order[:t]], task.y) for t in sizes})


PREDICTORS: dict[str, Callable[[GroupTask, Sizes, Settings], Predictions]] = {
    "exp-hsic": _mined,
    "sparse": _sparse,
    "l1-edges": _single_edges,
    "all-edges": _all_edges,
    "select-k-best": _best_edges,
}
"""Methods for groups, by name."""
