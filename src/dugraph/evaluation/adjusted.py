"""Estimators that predict groups or a phenotype beyond covariates.

Covariates are columns of the participants of the graphs, given by name. Regressors forecast the residuals of
a regression of the phenotype on the covariates, from features adjusted in the same way, and add what the
regression predicts; without covariates the regression is the mean. Classifiers decide by adjusted features,
so that a site with more graphs of one group does not help. All of this is learned from training graphs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, check_cv
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer
from sklearn.svm import SVC

from dugraph.data import UncertainGraphs, check_cohort
from dugraph.data.columns import RANK_TOLERANCE, CovariateCode, named_columns
from dugraph.data.labels import PHENOTYPE
from dugraph.estimators import SubgraphSelector
from dugraph.evaluation.splits import inner_folds
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor

Floats = NDArray[np.float64]
Fold = tuple[Floats, Floats, Floats, Floats]
"""Features and targets to train with, and those to test with."""
CPM_LIMIT = 0.01
"""Edges enter connectome-based predictive modelling if their correlation has a p-value below this."""
_RIDGE_PENALTIES = np.geomspace(1e-2, 1e4, 19)
_LOGISTIC_PENALTIES = np.geomspace(1e-4, 10, 11)
SPARSE_PATH: dict[str, Any] = {"n_alphas": 20, "alpha_min_ratio": 0.02, "tol": 1e-3}
"""Parameters of the sparse models of all tasks."""


class TunedRidge(RidgeClassifier):  # type: ignore[misc,unused-ignore]
    """Ridge classification whose penalty has the smallest squared error in folds of the training graphs.

    The folds are those of `cv`, by default up to 5 with the classes spread evenly.
    """

    def __init__(self, cv: Any = None) -> None:
        super().__init__()
        self.cv = cv

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the penalty, then fit with it."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        targets = LabelBinarizer(neg_label=-1).fit_transform(y).astype(np.float64)
        names = y.astype(str)  # numbers would be a phenotype
        folds = inner_folds(names, None) if self.cv is None else check_cv(self.cv, names).split(X, names)

        def centred() -> Iterator[Fold]:
            for train, test in folds:
                centre = X[train].mean(axis=0)
                for target in targets.T:
                    offset = target[train].mean()
                    yield X[train] - centre, target[train] - offset, X[test] - centre, target[test] - offset

        self.alpha = _best_penalty(centred())
        super().fit(X, y)
        return self


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
    """Least squares on an intercept and the covariates of training graphs."""

    def __init__(self, graphs: UncertainGraphs, names: Sequence[str] | None) -> None:
        self._names = names
        self.code = CovariateCode.of(self.columns(graphs), graphs.graph_ids)
        numbers = self.code.numbers(self.columns(graphs), graphs.graph_ids)
        self._size = np.sqrt((numbers**2).mean(axis=0))
        self._size[self._size == 0] = 1.0
        self._solve = np.linalg.pinv(self._design(graphs), rcond=RANK_TOLERANCE)

    def columns(self, graphs: UncertainGraphs) -> dict[str, NDArray[Any]]:
        """The covariates of graphs, by name."""
        return named_columns(list(self._names), "covariates", graphs) if self._names else {}

    def _design(self, graphs: UncertainGraphs) -> Floats:
        numbers = self.code.numbers(self.columns(graphs), graphs.graph_ids)
        return np.column_stack([np.ones(graphs.n_graphs), numbers / self._size])

    def predict(self, graphs: UncertainGraphs, trained: Floats) -> Floats:
        """Predict values of graphs by a regression of those of the training graphs."""
        return np.asarray(self._design(graphs) @ (self._solve @ trained))

    def residual(self, graphs: UncertainGraphs, values: Floats, trained: Floats) -> Floats:
        """Values of graphs minus what the regression of those of the training graphs predicts."""
        return np.asarray(values - self.predict(graphs, trained))


class BestEdges(TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """The `n_subgraphs` edges with the largest F statistic, best first; all that vary if these are fewer."""

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


class Features(TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Features of graphs, minus the part that covariates explain in the training graphs.

    They are the first `n_subgraphs` columns of `selector`, a `SubgraphSelector` or `BestEdges`; all edges
    without a selector.
    """

    def __init__(
        self, selector: Any = None, n_subgraphs: int = 100, covariates: list[str] | None = None
    ) -> None:
        self.selector = selector
        self.n_subgraphs = n_subgraphs
        self.covariates = covariates

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the selector to graphs; for a phenotype, y contains the residuals given the covariates."""
        X, y = check_cohort(X), np.asarray(y)
        is_phenotype = y.dtype.kind in "iuf"  # groups have names
        self.adjustment_ = Adjustment(X, self.covariates)
        self.selector_ = None
        if self.selector is not None:
            self.selector_ = clone(self.selector).set_params(n_subgraphs=self.n_subgraphs)
        if isinstance(self.selector_, SubgraphSelector):
            if is_phenotype:
                self.selector_.set_params(target=PHENOTYPE)
            self.selector_.fit(X, y, covariates=None if is_phenotype else self.adjustment_.columns(X) or None)
        elif self.selector_ is not None:
            edges = X.edge_probability
            adjusts = is_phenotype or self.covariates
            self.selector_.fit(self.adjustment_.residual(X, edges, edges) if adjusts else edges, y)
        self._graphs, self._trained = X, self._columns(X)
        return self

    def at_most(self, n_subgraphs: int) -> Self:
        """Return what a fit with a smaller `n_subgraphs` would have given."""
        restricted = copy(self)
        restricted.n_subgraphs = n_subgraphs
        return restricted

    def _columns(self, X: UncertainGraphs) -> Floats:
        return X.edge_probability if self.selector_ is None else np.asarray(self.selector_.transform(X))

    def first(self, X: UncertainGraphs) -> Floats:
        """The features in use, not adjusted, best first: one per subgraph, or all without a selector."""
        columns = self._trained if X is self._graphs else self._columns(X)
        return columns if self.selector_ is None else np.asarray(columns[:, : self.n_subgraphs])

    def adjusted(self, X: UncertainGraphs) -> Floats:
        """The features in use, minus what covariates, or the mean, explain in the training graphs."""
        return self.adjustment_.residual(X, self.first(X), self.first(self._graphs))

    def transform(self, X: Any) -> Floats:
        """Return the features in use, adjusted if there are covariates."""
        X = check_cohort(X)
        return self.adjusted(X) if self.covariates else self.first(X)


class AdjustedRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """A linear regression on `features` of graphs, beyond their covariates.

    `model` is "ridge", whose penalty is chosen in folds, or "cpm", connectome-based predictive modelling:
    sums of the edges that correlate with the phenotype positively and negatively.
    """

    def __init__(self, features: Features, model: str = "ridge", cv: Any = 5) -> None:
        self.features = features
        self.model = model
        self.cv = cv

    def fit(self, X: Any, y: Any) -> Self:
        """Fit covariates, features and model to training graphs."""
        X, self._phenotype = check_cohort(X), np.asarray(y, dtype=np.float64)
        self.adjustment_ = Adjustment(X, self.features.covariates)
        self._graphs, self._y = X, self.adjustment_.residual(X, self._phenotype, self._phenotype)
        self.features_ = clone(self.features).fit(X, self._y)
        return self._fit_model()

    def at_most(self, n_subgraphs: int) -> Self:
        """Return the estimator that a fit with a smaller number of subgraphs would have given."""
        if self.features_.selector_ is None or n_subgraphs >= self.features_.n_subgraphs:
            return self
        restricted = copy(self)
        restricted.features_ = self.features_.at_most(n_subgraphs)
        return restricted._fit_model()

    def _fit_model(self) -> Self:
        """Fit what depends on the number of subgraphs."""
        adjusted = self.features_.adjusted(self._graphs)
        if self.model == "cpm":
            self.coef_ = _connectome_based(adjusted, self._y, self.adjustment_.code.n_numbers)
        else:
            self.coef_ = _ridge_path(adjusted, self._y, np.array([_best_penalty(self._folds())]))[0]
        return self

    def _folds(self) -> Iterator[Fold]:
        """Folds of the training graphs, in each of which covariates are adjusted for.

        Residuals of all training graphs depend on those left out.
        """
        features, y = self.features_.first(self._graphs), self._phenotype
        for train, test in check_cv(self.cv).split(features, y):
            inner, outer = self._graphs[train], self._graphs[test]
            adjustment = Adjustment(inner, self.features.covariates)
            yield (
                adjustment.residual(inner, features[train], features[train]),
                adjustment.residual(inner, y[train], y[train]),
                adjustment.residual(outer, features[test], features[train]),
                adjustment.residual(outer, y[test], y[train]),
            )

    def predict(self, X: Any) -> Floats:
        """Forecast the phenotype: what covariates predict, plus what the features add."""
        X = check_cohort(X)
        beyond = self.features_.adjusted(X) @ self.coef_
        return np.asarray(self.adjustment_.predict(X, self._phenotype) + beyond)


def _best_penalty(folds: Iterable[Fold]) -> float:
    """The penalty of ridge regression with the smallest squared error."""
    errors: Any = 0.0
    for trained, known, tested, hidden in folds:
        forecasts = tested @ _ridge_path(trained, known, _RIDGE_PENALTIES).T
        errors = errors + ((forecasts - hidden[:, None]) ** 2).sum(axis=0)
    return float(_RIDGE_PENALTIES[int(np.argmin(errors))])


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


class SparseRegressor(SparseSubgraphRegressor):
    """`SparseSubgraphRegressor` with one fit for each number of subgraphs, `n_nonzero`."""


class SparseClassifier(SparseSubgraphClassifier):
    """`SparseSubgraphClassifier` with one fit for each number of subgraphs, `n_nonzero`.

    Covariates are in the fit, but do not decide: graphs are classified by adjusted features.
    """

    def fit(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None) -> Self:
        """Fit a model, or one for each of several groups against the rest."""
        self._graphs = check_cohort(X)
        return super().fit(self._graphs, y, groups, sample_weight)

    def decision_function(self, X: Any) -> Floats:
        """Return decision values, with average covariates."""
        if not self.covariates:
            return super().decision_function(X)
        X, adjustment = check_cohort(X), Adjustment(self._graphs, self.covariates)
        decisions = []
        for model in self.models_:
            trained = model.containment(self._graphs)
            features = trained.mean(axis=0) + adjustment.residual(X, model.containment(X), trained)
            decisions.append(features @ model.coef + model.intercept)
        return decisions[0] if len(decisions) == 1 else np.column_stack(decisions)
