"""`SparseSubgraphRegressor`: connected subgraphs, chosen from all, that together predict a phenotype."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.covariate_coding import CovariateCode
from dugraph.data.label_order import check_label_order
from dugraph.estimators.covariate_columns import split_covariates
from dugraph.estimators.fit_input import refuse_fit_parameters
from dugraph.estimators.selector_input import training_graphs
from dugraph.exceptions import InputError
from dugraph.search.limits import check_time_limit
from dugraph.sparse.choice import Choice
from dugraph.sparse.fitted import FittedSparse
from dugraph.sparse.fitting import choose_models
from dugraph.sparse.losses import Squared
from dugraph.sparse.targets import check_numbers


class SparseSubgraphRegressor(FittedSparse, RegressorMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """A linear regression on ALL admitted connected subgraphs, with an L1 penalty that keeps few of them.

    It minimises ``mean (y - f)^2 / 2 + alpha * sum of abs(coef)``, the lasso of scikit-learn, over the
    containment probabilities of all admitted connected subgraphs. They are never written down: column
    generation finds those that matter, and the duality gap proves that no others would do better.

    Parameters
    ----------
    edges, node_labels, edge_layers, on_invalid
        What the columns of X stand for, and what to do with values outside [0, 1]: as for
        `SubgraphSelector`.
    alpha : float, "cv" or None, default "cv"
        The penalty, in units of y. "cv" chooses it on a path of penalties by cross-validation of the squared
        error; None takes the smallest penalty on the path that keeps at most `n_nonzero` subgraphs.
    n_nonzero : int, default None
        The largest number of subgraphs in the model; not with a number for `alpha`.
    covariates : str, int or sequence of these, default None
        Columns of X that are not edges, by name or, in an array, by number; for graphs with participants,
        names of their columns. They are not penalised, so the subgraphs add what they cannot explain;
        categories become indicators, and one not seen in training counts as the average.
        Predictions need them too. Within `cv` and any cross-validation around the fit, they are learned
        from training graphs alone.
    min_expected_frequency : float in [0, 1), default 0.2
        Subgraphs are admitted if their expected frequency in the training graphs exceeds this (min_sup).
    max_edges : int, default None
        The largest number of edges in a subgraph.
    n_alphas : int, default 30
        Number of penalties on the path.
    alpha_min_ratio : float in (0, 1), default 0.01
        The smallest penalty of the path as a share of the largest.
    cv : int, splitter or iterable, default 5
        Folds for ``alpha="cv"``, as everywhere in scikit-learn.
    tol : float, default 1e-4
        Duality gap at which a fit stops, as a share of the loss without any subgraph.
    n_jobs : int or None, default 1
        Threads of the search; None means 1, -1 all processors.
    time_limit : float, default None
        Seconds after which fit stops with what it has, with a `LimitReachedWarning` and a valid gap.
    progress : bool or callable, default None
        True shows a live line; a callable receives a dict of numbers.

    Attributes
    ----------
    subgraphs_ : list of tuple of int, length n_found
        Sorted edge indices, largest coefficient first.
    coef_ : ndarray of shape (n_found,)
    intercept_ : float
        The forecast for a graph without any subgraph and with average covariates.
    covariate_coef_ : ndarray of shape (n_covariates,)
        Coefficients of the covariates: one for a column of numbers, one for each category except the
        first.
    covariate_names_ : list of str, length n_covariates
        Their names: the column, or ``column: category``.
    alpha_, objective_, duality_gap_, model_, path_, cv_losses_, n_searches_, finished_
        As for `SparseSubgraphClassifier`.
    edges_, node_labels_, edge_layers_, n_features_in_, feature_names_in_
        As for `SubgraphSelector`; covariates are not counted.

    See Also
    --------
    SparseSubgraphClassifier : The same for classes.
    sparse_path : With ``loss="squared"``, the models for a sequence of penalties.

    Examples
    --------
    >>> from dugraph.sparse import SparseSubgraphRegressor
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> model = SparseSubgraphRegressor(node_labels=["A", "B", "C"], alpha=0.5, min_expected_frequency=0.3)
    >>> model.fit(X, [31.0, 33.0, 24.0, 22.0]).get_feature_names_out().tolist()
    ['{A--B, A--C}']
    >>> model.predict(X).round(1).tolist()
    [30.4, 30.4, 24.6, 24.5]
    """

    _model_name = "SparseSubgraphRegressor"

    def __init__(
        self,
        edges: ArrayLike | None = None,
        node_labels: Any = None,
        edge_layers: Any = None,
        on_invalid: str = "raise",
        alpha: float | str | None = "cv",
        n_nonzero: int | None = None,
        covariates: Any = None,
        min_expected_frequency: float = 0.2,
        max_edges: int | None = None,
        n_alphas: int = 30,
        alpha_min_ratio: float = 0.01,
        cv: Any = 5,
        tol: float = 1e-4,
        n_jobs: int | None = 1,
        time_limit: float | None = None,
        progress: bool | Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.edges = edges
        self.node_labels = node_labels
        self.edge_layers = edge_layers
        self.on_invalid = on_invalid
        self.alpha = alpha
        self.n_nonzero = n_nonzero
        self.covariates = covariates
        self.min_expected_frequency = min_expected_frequency
        self.max_edges = max_edges
        self.n_alphas = n_alphas
        self.alpha_min_ratio = alpha_min_ratio
        self.cv = cv
        self.tol = tol
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.progress = progress

    def fit(self, X: Any, y: Any = None, **fit_parameters: Any) -> Self:
        """Choose subgraphs and their coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_graphs, n_edges), DataFrame or UncertainGraphs
            Edge probabilities in [0, 1]; 0 means that the edge is absent. Also the columns of `covariates`.
        y : array-like of shape (n_graphs,)
            The phenotype: finite numbers.
        **fit_parameters :
            Refused: graphs cannot be weighted, so `sample_weight` is not supported.

        Returns
        -------
        self : SparseSubgraphRegressor

        Raises
        ------
        InputError
            If the input breaks a rule, or no subgraph is admitted.
        KeyboardInterrupt
            On Ctrl-C.
        """
        refuse_fit_parameters(fit_parameters)
        deadline = time.monotonic() + check_time_limit(self.time_limit)
        if isinstance(X, LabelledGraphs):
            raise InputError(
                "X must be graphs without classes, and y their phenotype, but X is a LabelledGraphs. Pass "
                "X.graphs and the phenotype."
            )
        X, *covariates = split_covariates(X, self.covariates)
        graphs, y = training_graphs(self, X, y, y_numeric=True)
        target = check_numbers(y, graphs)
        choices, code = choose_models(self, graphs, [target], covariates, Squared, deadline)
        self._know(choices, None, graphs, code)
        return self

    def _know(
        self, choices: list[Choice], classes: Any, graphs: UncertainGraphs, code: CovariateCode
    ) -> None:
        super()._know(choices, classes, graphs, code)
        self.coef_, self.intercept_ = self.model_.coef, self.model_.intercept
        self.covariate_coef_ = self.model_.covariate_coef

    @classmethod
    def _check_stored_classes(cls, classes: Any) -> None:
        if classes is not None:
            raise ValueError("there must be no classes")

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Forecast the phenotype of every graph, shape (n_graphs,).

        Parameters
        ----------
        X : as for `transform`
        """
        return self._decisions(X)[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the variance of y that is explained (R2); parameters as in scikit-learn."""
        check_label_order(y, X)
        return float(super().score(X, y, sample_weight))
