"""Estimators that predict groups or a phenotype beyond covariates.

Covariates are columns of the participants of the graphs, given by name. Regressors forecast the residuals of
a regression of the phenotype on the covariates, from features adjusted in the same way, and add what the
regression predicts; without covariates the regression is the mean. Classifiers decide by adjusted features,
so that a site with more graphs of one group does not help. All of this is learned from training graphs.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, check_cv
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer
from sklearn.svm import SVC

from dugraph.data import UncertainGraphs, check_cohort
from dugraph.data.columns import named_columns
from dugraph.data.covariates import RANK_TOLERANCE, CovariateCode
from dugraph.data.labels import PHENOTYPE
from dugraph.estimators import SubgraphSelector
from dugraph.evaluation.splits import inner_folds
from dugraph.search import Status
from dugraph.sparse import SparseModel, SparseSubgraphClassifier, SparseSubgraphRegressor

Floats = NDArray[np.float64]
CPM_LIMIT = 0.01
"""Edges enter connectome-based predictive modelling if their correlation has a p-value below this."""
_RIDGE_PENALTIES = np.geomspace(1e-2, 1e4, 19)
_LOGISTIC_PENALTIES = np.geomspace(1e-4, 10, 11)
SPARSE_PATH: dict[str, Any] = {"n_alphas": 20, "alpha_min_ratio": 0.02, "tol": 1e-3}
"""Parameters of the sparse models of all tasks."""


class TunedRidge(ClassifierMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Ridge classification whose penalty has the smallest squared error in folds of the training graphs.

    Parameters
    ----------
    cv : int, splitter or iterable, default None
        The folds; None: up to 5, with the classes spread evenly.

    Attributes
    ----------
    alpha_ : float
        The penalty.
    """

    def __init__(self, cv: Any = None) -> None:
        self.cv = cv

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the penalty, then fit with it."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        targets = LabelBinarizer(neg_label=-1).fit_transform(y).astype(np.float64)
        names = y.astype(str)  # numbers would be a phenotype
        folds = inner_folds(names, None) if self.cv is None else check_cv(self.cv, names).split(X, names)
        errors: Any = 0.0
        for train, test in folds:
            centre, offset = X[train].mean(axis=0), targets[train].mean(axis=0)
            for k in range(targets.shape[1]):
                path = _ridge_path(X[train] - centre, targets[train, k] - offset[k], _RIDGE_PENALTIES)
                forecasts = (X[test] - centre) @ path.T + offset[k]
                errors = errors + ((forecasts - targets[test, k, None]) ** 2).sum(axis=0)
        self.alpha_ = float(_RIDGE_PENALTIES[int(np.argmin(errors))])
        self.model_ = RidgeClassifier(self.alpha_).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return decision values, as `sklearn.linear_model.RidgeClassifier` does."""
        return np.asarray(self.model_.decision_function(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of every graph."""
        return np.asarray(self.model_.predict(X))


def logistic_classifier(cv: Any = None) -> Any:
    """Logistic regression with an L2 penalty, chosen by the loss in folds of the training graphs.

    The penalty does not depend on the directions of the axes, so all edges are replaced by their principal
    components, which are at most as many as the graphs: the fit is the same, and faster.
    """
    search = GridSearchCV(
        LogisticRegression(max_iter=1000),
        {"C": _LOGISTIC_PENALTIES},
        scoring="neg_log_loss",
        cv=5 if cv is None else cv,
    )
    return make_pipeline(PCA(svd_solver="full"), search)


def linear_classifier(C: float | None = None, cv: Any = None) -> Any:
    """The classifier that all methods share: `TunedRidge`, or with `C` the paper's SVM with linear kernel."""
    return TunedRidge(cv) if C is None else SVC(kernel="linear", C=C)


class Adjustment:
    """Least squares on an intercept and the covariates of training graphs.

    Parameters
    ----------
    graphs : UncertainGraphs
        Training graphs.
    names : sequence of str or None
        Covariates: columns of their participants.
    """

    def __init__(self, graphs: UncertainGraphs, names: Sequence[str] | None) -> None:
        self._names = names
        self.code = CovariateCode.of(self.columns(graphs), graphs.graph_ids)
        numbers = self.code.numbers(self.columns(graphs), graphs.graph_ids)
        self._size = np.sqrt((numbers**2).mean(axis=0))
        self._size[self._size == 0] = 1.0
        self._solve = np.linalg.pinv(self.design(graphs), rcond=RANK_TOLERANCE)

    def columns(self, graphs: UncertainGraphs) -> dict[str, NDArray[Any]]:
        """The covariates of graphs, by name."""
        return named_columns(list(self._names), "covariates", graphs) if self._names else {}

    def numbers(self, graphs: UncertainGraphs) -> Floats:
        """The covariates of graphs as numbers, centred as in the training graphs."""
        return self.code.numbers(self.columns(graphs), graphs.graph_ids)

    def design(self, graphs: UncertainGraphs) -> Floats:
        """The intercept and the covariates, scaled as in the training graphs."""
        return np.column_stack([np.ones(graphs.n_graphs), self.numbers(graphs) / self._size])

    def slopes(self, values: Floats) -> Floats:
        """Coefficients of a regression of values of the training graphs."""
        return np.asarray(self._solve @ values)

    def residual(self, graphs: UncertainGraphs, values: Floats, slopes: Floats) -> Floats:
        """Values of graphs minus what the regression predicts."""
        return np.asarray(values - self.design(graphs) @ slopes)

    def residuals(
        self, graphs: UncertainGraphs, others: UncertainGraphs, trained: Floats, tested: Floats
    ) -> tuple[Floats, Floats]:
        """Residuals of values of training graphs and of others, by the regression of the former."""
        slopes = self.slopes(trained)
        return self.residual(graphs, trained, slopes), self.residual(others, tested, slopes)


class BestEdges(TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """The edges with the largest F statistic, best first.

    Parameters
    ----------
    score_func : callable, default `sklearn.feature_selection.f_classif`
    n_subgraphs : int, default 100
        Number of edges; all that vary if these are fewer.
    """

    def __init__(self, score_func: Callable[..., Any] = f_classif, n_subgraphs: int = 100) -> None:
        self.score_func = score_func
        self.n_subgraphs = n_subgraphs

    def fit(self, X: Any, y: Any) -> Self:
        """Rank the edges."""
        edges = np.asarray(X)
        varying = np.flatnonzero(edges.std(axis=0) > 1e-12)
        with warnings.catch_warnings():
            # An edge that is constant within every group has an infinite F statistic, rightly.
            warnings.simplefilter("ignore")
            scores = self.score_func(edges[:, varying], y)[0]
        self.ranked_ = varying[np.argsort(-scores, kind="stable")]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the columns of the best edges."""
        return np.asarray(X)[:, self.ranked_[: self.n_subgraphs]]


class EdgeSums(TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Connectome-based predictive modelling of two classes.

    The features are the sum of the edges that are correlated with the class positively (p < .01), and the sum
    of those that are correlated negatively.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the edges."""
        edges, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        self.chosen_ = _correlated(edges - edges.mean(axis=0), y - y.mean(), 0)
        return self

    def transform(self, X: Any) -> Floats:
        """Return both sums, 0 without edges."""
        return np.column_stack([np.asarray(X)[:, edges].sum(axis=1) for edges in self.chosen_])


class SizedMethod(BaseEstimator, ABC):  # type: ignore[misc,unused-ignore]
    """Base of estimators that, once fitted, can be restricted to fewer subgraphs.

    Attributes
    ----------
    n_found_ : int or None
        Number of subgraphs found; None for methods without.
    proven_ : bool
        Whether these are proven to be the best.
    """

    n_subgraphs: int
    n_found_: int | None
    proven_: bool

    def at_most(self, n_subgraphs: int) -> Self:
        """Return the estimator that a fit with a smaller `n_subgraphs` would have given."""
        if n_subgraphs >= self.n_subgraphs:
            return self
        restricted = copy(self)
        restricted.n_subgraphs = n_subgraphs
        restricted._restrict()
        return restricted

    @abstractmethod
    def _restrict(self) -> None:
        """Fit what depends on the number of subgraphs."""


class _AdjustedModel(SizedMethod):
    """Features of a selector, or all edges, adjusted for covariates.

    Parameters
    ----------
    selector : SubgraphSelector or BestEdges, default None
        None: all edges.
    model : object
        What predicts from the features.
    n_subgraphs : int, default 100
        Number of features of the selector.
    covariates : list of str, default None
        Columns of the participants of the graphs.
    cv : int, splitter or iterable, default 5
        Folds of the training graphs in which a regression chooses its penalty.
    """

    adjustment_: Adjustment
    _trained: Floats

    def __init__(
        self,
        selector: Any = None,
        model: Any = "ridge",
        n_subgraphs: int = 100,
        covariates: list[str] | None = None,
        cv: Any = 5,
    ) -> None:
        self.selector = selector
        self.model = model
        self.n_subgraphs = n_subgraphs
        self.covariates = covariates
        self.cv = cv

    def at_most(self, n_subgraphs: int) -> Self:
        """Return the estimator for fewer subgraphs; without a selector, the same."""
        return self if self.selector_ is None else super().at_most(n_subgraphs)

    def _select(self, X: UncertainGraphs, y: Any, adjust_for: Any = None) -> None:
        """Fit the selector and compute the features of the training graphs."""
        self.selector_, self.n_found_, self.proven_ = None, None, True
        if self.selector is not None:
            self.selector_ = clone(self.selector).set_params(n_subgraphs=self.n_subgraphs)
            if isinstance(self.selector_, SubgraphSelector) and np.asarray(y).dtype.kind in "iuf":
                self.selector_.set_params(target=PHENOTYPE)  # groups have names
        if isinstance(self.selector_, BestEdges):
            edges = X.edge_probability
            if self._adjusts():
                edges = self.adjustment_.residual(X, edges, self.adjustment_.slopes(edges))
            self.selector_.fit(edges, y)
        elif self.selector_ is not None:
            self.selector_.fit(X, y, covariates=adjust_for)
            self.n_found_ = len(self.selector_.subgraphs_)
            self.proven_ = bool(self.selector_.result_.success)
        self._graphs, self._y = X, y
        self._trained = self._features(X)

    def _adjusts(self) -> bool:
        return True

    def _features(self, X: UncertainGraphs) -> Floats:
        if self.selector_ is None:
            return np.asarray(X.edge_probability)
        first = X if isinstance(self.selector_, SubgraphSelector) else X.edge_probability
        return np.asarray(self.selector_.transform(first))

    def _columns(self, features: Floats) -> Floats:
        """The features in use: best first, as many as subgraphs; without a selector all."""
        return features if self.selector_ is None else np.asarray(features[:, : self.n_subgraphs])

    def _adjusted(self, X: UncertainGraphs) -> Floats:
        """The features of graphs, minus what covariates explain of them in the training graphs."""
        slopes = self.adjustment_.slopes(self._columns(self._trained))
        features = self._trained if X is self._graphs else self._features(X)
        return self.adjustment_.residual(X, self._columns(features), slopes)


class AdjustedRegressor(RegressorMixin, _AdjustedModel):  # type: ignore[misc,unused-ignore]
    """A linear regression on features of graphs, beyond covariates.

    `model` is "ridge", whose penalty is chosen in folds, or "cpm", connectome-based predictive modelling:
    sums of the edges that correlate with the phenotype positively and negatively.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Fit covariates, features and model to training graphs."""
        X, phenotype = check_cohort(X), np.asarray(y, dtype=np.float64)
        self.adjustment_ = Adjustment(X, self.covariates)
        self._slopes = self.adjustment_.slopes(phenotype)
        self._phenotype = phenotype
        self._rest = self.adjustment_.residual(X, phenotype, self._slopes)
        self._select(X, self._rest)
        self._restrict()
        return self

    def _restrict(self) -> None:
        adjusted = self._adjusted(self._graphs)
        if self.model == "cpm":
            self.coef_ = _connectome_based(adjusted, self._rest, self.adjustment_.code.n_numbers)
            return
        self.coef_ = _ridge_path(adjusted, self._rest, self._best_penalty())[0]

    def _best_penalty(self) -> Floats:
        """The penalty with the smallest squared error in folds of the training graphs.

        Covariates are adjusted for in each fold: residuals of all training graphs depend on those left out.
        """
        features = self._columns(self._trained)
        errors: Any = 0.0
        for train, test in check_cv(self.cv).split(features, self._phenotype):
            graphs = self._graphs[train], self._graphs[test]
            adjustment = Adjustment(graphs[0], self.covariates)
            trained, tested = adjustment.residuals(*graphs, features[train], features[test])
            known, hidden = adjustment.residuals(*graphs, self._phenotype[train], self._phenotype[test])
            forecasts = tested @ _ridge_path(trained, known, _RIDGE_PENALTIES).T
            errors = errors + ((forecasts - hidden[:, None]) ** 2).sum(axis=0)
        return _RIDGE_PENALTIES[[int(np.argmin(errors))]]

    def predict(self, X: Any) -> Floats:
        """Forecast the phenotype: what covariates predict, plus what the features add."""
        X = check_cohort(X)
        return np.asarray(self.adjustment_.design(X) @ self._slopes + self._adjusted(X) @ self.coef_)


def _ridge_path(trained: Floats, rest: Floats, penalties: Floats) -> Floats:
    """Coefficients of ridge regressions, a row for each penalty.

    Solved for all penalties at once in the space of graphs, which are fewer than edges. Features are
    probabilities and are not standardised, which would inflate rare edges.
    """
    squares, directions = np.linalg.eigh(trained @ trained.T)
    weights = (directions.T @ rest) / (np.maximum(squares, 0.0) + penalties[:, None])
    return np.asarray(weights @ directions.T @ trained)


def _correlated(trained: Floats, rest: Floats, n_covariates: int) -> list[NDArray[np.bool_]]:
    """The edges that correlate positively, and those that correlate negatively; both are centred."""
    spread = np.sqrt((trained**2).sum(axis=0) * (rest**2).sum())
    r = np.divide(rest @ trained, spread, out=np.zeros(len(spread)), where=spread > 1e-12)
    freedom = len(rest) - 2 - n_covariates
    limit = stats.t.isf(CPM_LIMIT / 2, freedom)
    largest = limit / np.sqrt(freedom + limit**2)
    return [r > largest, r < -largest]


def _connectome_based(trained: Floats, rest: Floats, n_covariates: int) -> Floats:
    """Coefficients of connectome-based predictive modelling; with covariates, correlations are partial."""
    coef = np.zeros(trained.shape[1])
    chosen = [edges for edges in _correlated(trained, rest, n_covariates) if edges.any()]
    if chosen:
        sums = np.column_stack([trained[:, edges].sum(axis=1) for edges in chosen])
        for edges, slope in zip(chosen, LinearRegression().fit(sums, rest).coef_, strict=True):
            coef[edges] = slope
    return coef


class AdjustedClassifier(ClassifierMixin, _AdjustedModel):  # type: ignore[misc,unused-ignore]
    """A classifier `model` of features of graphs, beyond covariates."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit covariates, features and machine to training graphs; labels are text."""
        X = check_cohort(X)
        self.adjustment_ = Adjustment(X, self.covariates)
        self._select(X, np.asarray(y), self.adjustment_.columns(X) or None)
        self._restrict()
        return self

    def _adjusts(self) -> bool:
        return bool(self.covariates)

    def _restrict(self) -> None:
        features = self._used(self._graphs)
        # Without any feature: the most frequent group.
        machine = clone(self.model) if features.shape[1] else DummyClassifier()
        self.machine_ = machine.fit(features, self._y)
        self.classes_ = self.machine_.classes_

    def _used(self, X: UncertainGraphs) -> Floats:
        return self._adjusted(X) if self._adjusts() else self._columns(self._features(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the group of every graph."""
        return np.asarray(self.machine_.predict(self._used(check_cohort(X))))


class _Sparse(SizedMethod):
    """A sparse model with a ridge refit and at most `n_subgraphs` subgraphs; folds choose both penalties.

    Parameters
    ----------
    n_subgraphs : int, default 100
    covariates, cv, min_expected_frequency, max_edges, time_limit, n_jobs
        As for `SparseSubgraphClassifier`.
    """

    def __init__(
        self,
        n_subgraphs: int = 100,
        covariates: list[str] | None = None,
        cv: Any = 5,
        min_expected_frequency: float = 0.2,
        max_edges: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = 1,
    ) -> None:
        self.n_subgraphs = n_subgraphs
        self.covariates = covariates
        self.cv = cv
        self.min_expected_frequency = min_expected_frequency
        self.max_edges = max_edges
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def _fit(self, estimator: Any, X: UncertainGraphs, y: Any) -> None:
        asked = self.get_params()
        asked |= {"n_nonzero": asked.pop("n_subgraphs"), "refit": "ridge"}
        self.estimator_ = estimator.set_params(**asked, **SPARSE_PATH).fit(X, y)
        self.adjustment_ = Adjustment(X, self.covariates)
        self._restrict()

    def _restrict(self) -> None:
        self.models_: list[SparseModel] = [one.at_most(self.n_subgraphs) for one in self.estimator_.choices_]
        self.n_found_ = len({subgraph for model in self.models_ for subgraph in model.subgraphs})
        optimal = all(model.status is Status.OPTIMAL for model in self.models_)
        self.proven_ = bool(self.estimator_.finished_) and optimal


class SparseRegressor(RegressorMixin, _Sparse):  # type: ignore[misc,unused-ignore]
    """`SparseSubgraphRegressor` that can be restricted to fewer subgraphs."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the path of penalties to training graphs, and choose one."""
        self._fit(SparseSubgraphRegressor(), check_cohort(X), y)
        return self

    def predict(self, X: Any) -> Floats:
        """Forecast the phenotype."""
        X = check_cohort(X)
        return self.models_[0].decision_function(X, self.adjustment_.numbers(X))


class SparseClassifier(ClassifierMixin, _Sparse):  # type: ignore[misc,unused-ignore]
    """`SparseSubgraphClassifier` for groups; covariates are in the fit, but do not decide."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a model for each group against the rest."""
        self._graphs = check_cohort(X)
        self._fit(SparseSubgraphClassifier(), self._graphs, y)
        self.classes_ = self.estimator_.classes_
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return decision values of every model, with average covariates, shape (n_graphs, n_models)."""
        X = check_cohort(X)
        return np.column_stack([self._decisions(model, X) for model in self.models_])

    def _decisions(self, model: SparseModel, X: UncertainGraphs) -> Floats:
        features = model.containment(X)
        if self.covariates:
            trained = model.containment(self._graphs)
            slopes = self.adjustment_.slopes(trained)
            features = trained.mean(axis=0) + self.adjustment_.residual(X, features, slopes)
        return np.asarray(features @ model.coef + model.intercept)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the group of every graph."""
        decisions = self.decision_function(X)
        place = decisions.argmax(axis=1) if decisions.shape[1] > 1 else (decisions[:, 0] > 0).astype(int)
        return np.asarray(self.classes_[place])
