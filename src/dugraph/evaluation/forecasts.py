"""Methods that forecast a phenotype: each is fitted to training graphs and asked about test graphs.

All of them forecast what covariates leave of the phenotype, and from what covariates leave of their features;
without covariates that is the phenotype minus its mean. Nothing here sees the phenotype of test graphs.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_regression
from sklearn.linear_model import LinearRegression, enet_path

from dugraph.data import UncertainGraphs
from dugraph.estimators import make_method
from dugraph.evaluation.adjustment import Adjustment
from dugraph.evaluation.inner_folds import Folds
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning
from dugraph.search import Status
from dugraph.search.limits import check_time_limit
from dugraph.sparse.choice import Choice, CohortCovariates, choose_model
from dugraph.sparse.losses import Squared

Floats = NDArray[np.float64]
CPM_LIMIT = 0.01
"""Edges enter connectome-based predictive modelling if their correlation has a p-value below this."""
_RIDGE_PENALTIES = np.geomspace(1e-2, 1e4, 19)
_N_PENALTIES = 20
_L1_RATIO = 0.5


@dataclass(frozen=True)
class Task:
    """Training and test graphs, what is to be forecast, and what may be used.

    Attributes
    ----------
    train, test : UncertainGraphs
    y : ndarray of shape (n_train,)
        The phenotype of training graphs.
    covariates : CohortCovariates
        Of the training graphs.
    tested_covariates : ndarray of shape (n_test, n_covariates)
        Of the test graphs, by the code of the training graphs.
    adjustment : Adjustment
    folds : list of (train, test)
        Positions among the training graphs, for choices within them.
    """

    train: UncertainGraphs
    test: UncertainGraphs
    y: Floats
    covariates: CohortCovariates
    tested_covariates: Floats
    adjustment: Adjustment
    folds: Folds

    @property
    def rest(self) -> Floats:
        """What covariates leave of the phenotype of training graphs."""
        return self.adjustment.rest(self.y, np.zeros(len(self.test)))[0]

    @property
    def edges(self) -> tuple[Floats, Floats]:
        """What covariates leave of the edges of training and test graphs."""
        return self.adjustment.rest(self.train.edge_probability, self.test.edge_probability)

    @property
    def told_by_covariates(self) -> Floats:
        """What covariates alone forecast for test graphs."""
        return -self.adjustment.rest(self.y, np.zeros(len(self.test)))[1]


@dataclass(frozen=True)
class Forecasts:
    """What a method forecasts beyond covariates for test graphs, for each number of subgraphs.

    Attributes
    ----------
    values : dict of int to ndarray of shape (n_test,)
    n_found : int or None
        Number of subgraphs; None for methods without.
    proven : bool
    """

    values: dict[int, Floats]
    n_found: int | None = None
    proven: bool = True


Settings = Mapping[str, Any]
Sizes = Sequence[int]


def _chosen(task: Task, features: Floats, forecasts: Callable[[Floats, Floats, Floats], Floats]) -> int:
    """Which of several penalties does best in folds of the training graphs.

    Each fold is adjusted by itself: what is left after an adjustment of all knows the graphs left out.

    Parameters
    ----------
    task : Task
    features : ndarray of shape (n_train, n_features)
    forecasts : callable
        Of features and phenotype to learn from, and features to forecast from; one row for each penalty.
    """
    errors: Any = 0.0
    for train, test in task.folds:
        adjustment = Adjustment(*task.covariates.split(train, test))
        trained, tested = adjustment.rest(features[train], features[test])
        known, hidden = adjustment.rest(task.y[train], task.y[test])
        errors = errors + ((forecasts(trained, known, tested) - hidden) ** 2).sum(axis=1)
    return int(np.argmin(errors))


def _ridge_forecasts(trained: Floats, rest: Floats, tested: Floats, penalties: Floats) -> Floats:
    """Ridge regression for many penalties at once, by the products of graphs, which are fewer than edges."""
    squares, directions = np.linalg.eigh(trained @ trained.T)
    turned, products = directions.T @ rest, tested @ trained.T @ directions
    return np.array([products @ (turned / (np.maximum(squares, 0.0) + penalty)) for penalty in penalties])


def _ridge(task: Task, features: tuple[Floats, Floats]) -> Floats:
    # Not standardised: all features are probabilities, and a rare edge would become a large number.
    if features[0].shape[1] == 0:
        return np.zeros(len(task.test))
    best = _chosen(task, features[0], partial(_ridge_forecasts, penalties=_RIDGE_PENALTIES))
    trained, tested = task.adjustment.rest(*features)
    return np.asarray(_ridge_forecasts(trained, task.rest, tested, _RIDGE_PENALTIES[[best]])[0])


def _mined(task: Task, sizes: Sizes, settings: Settings) -> Forecasts:
    selector = make_method("exp-hsic", n_subgraphs=max(sizes), **settings)["selector"]
    with warnings.catch_warnings():
        # Both are kept with the result of the cell, where they can be counted.
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        trained = selector.fit_transform(task.train, task.rest)
    tested = selector.transform(task.test)
    # Best first: the first t are what mining for t subgraphs finds.
    values = {t: _ridge(task, (trained[:, :t], tested[:, :t])) for t in sizes}
    return Forecasts(values, len(selector.subgraphs_), bool(selector.result_.success))


def _sparse(task: Task, sizes: Sizes, settings: Settings) -> Forecasts:
    choice = choose_within(task.train, task.y, task.covariates, task.folds, max(sizes), settings, Squared)
    models = {t: choice.at_most(t) for t in sizes}
    tested = task.test.edge_probability
    values = {
        t: model.decision_function(tested, task.tested_covariates) - task.told_by_covariates
        for t, model in models.items()
    }
    proven = choice.finished and all(model.status is Status.OPTIMAL for model in models.values())
    return Forecasts(values, len(models[max(sizes)].coef), proven)


def choose_within(
    graphs: UncertainGraphs,
    target: Floats,
    covariates: CohortCovariates,
    folds: Folds,
    n_nonzero: int,
    settings: Settings,
    loss: Any,
) -> Choice:
    """Choose the sparse model with at most this many subgraphs, by folds of the training graphs."""
    return choose_model(
        graphs,
        target,
        covariates,
        alpha="cv",
        n_nonzero=n_nonzero,
        n_alphas=_N_PENALTIES,
        alpha_min_ratio=0.02,
        cv=folds,
        settings={
            "loss": loss,
            "min_expected_frequency": settings["min_expected_frequency"],
            "max_edges": settings["max_edges"],
            "tol": 1e-3,
            "n_threads": 1,
            "deadline": time.monotonic() + check_time_limit(settings["time_limit"]),
        },
    )


def _single_edges(task: Task, sizes: Sizes, settings: Settings) -> Forecasts:
    return _sparse(task, sizes, {**settings, "min_expected_frequency": 0.0, "max_edges": 1})


def _whole(forecast: Callable[[Task], Floats]) -> Callable[[Task, Sizes, Settings], Forecasts]:
    """A method whose features are all that there are, whatever t is."""
    return lambda task, sizes, _: Forecasts(dict.fromkeys(sizes, forecast(task)))


def _all_edges(task: Task) -> Floats:
    return _ridge(task, (task.train.edge_probability, task.test.edge_probability))


def _best_edges(task: Task, sizes: Sizes, _: Settings) -> Forecasts:
    edges = task.edges[0]
    varying = np.flatnonzero(edges.std(axis=0) > 1e-12)
    order = varying[np.argsort(-f_regression(edges[:, varying], task.rest)[0], kind="stable")]
    parts = task.train.edge_probability, task.test.edge_probability
    return Forecasts({t: _ridge(task, (parts[0][:, order[:t]], parts[1][:, order[:t]])) for t in sizes})


def connectome_based(task: Task) -> Floats:
    """Connectome-based predictive modelling: sums of edges that correlate with y, positively and negatively.

    With covariates, correlations are partial ones, and so are their degrees of freedom.
    """
    (trained, tested), rest = task.edges, task.rest
    spread = np.sqrt((trained**2).sum(axis=0) * (rest**2).sum())
    r = np.divide(rest @ trained, spread, out=np.zeros(len(spread)), where=spread > 1e-12)
    freedom = len(rest) - 2 - task.covariates.code.n_numbers
    limit = stats.t.isf(CPM_LIMIT / 2, freedom)
    largest = limit / np.sqrt(freedom + limit**2)
    chosen = [edges for edges in (r > largest, r < -largest) if edges.any()]
    if not chosen:
        return np.zeros(len(tested))
    sums = [np.column_stack([part[:, edges].sum(axis=1) for edges in chosen]) for part in (trained, tested)]
    return np.asarray(LinearRegression().fit(sums[0], rest).predict(sums[1]))


def _elastic_net(task: Task) -> Floats:
    (trained, tested), rest = task.edges, task.rest
    largest = np.abs(rest @ trained).max() / len(rest) / _L1_RATIO
    penalties = np.geomspace(largest, 0.02 * largest, _N_PENALTIES)

    def forecasts(trained: Floats, rest: Floats, tested: Floats, alphas: Floats = penalties) -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # at the smallest penalties, which then lose
            found = enet_path(trained, rest, l1_ratio=_L1_RATIO, alphas=alphas, tol=1e-3, max_iter=3000)
        return np.asarray((tested @ found[1]).T)

    best = _chosen(task, task.train.edge_probability, forecasts)
    return np.asarray(forecasts(trained, rest, tested, penalties[: best + 1])[-1])


FORECASTERS: dict[str, Callable[[Task, Sizes, Settings], Forecasts]] = {
    "exp-hsic": _mined,
    "sparse": _sparse,
    "l1-edges": _single_edges,
    "all-edges": _whole(_all_edges),
    "select-k-best": _best_edges,
    "cpm": _whole(connectome_based),
    "elastic-net": _whole(_elastic_net),
}
"""Methods for a phenotype, by name."""
