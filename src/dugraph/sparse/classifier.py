"""`SparseSubgraphClassifier`: connected subgraphs that complement each other, chosen from all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.class_labels import label_column
from dugraph.data.columns import as_column
from dugraph.data.covariate_coding import CovariateCode
from dugraph.data.graph_arrays import real_array
from dugraph.data.label_order import check_label_order
from dugraph.estimators.covariate_columns import split_covariates
from dugraph.estimators.fit_input import refuse_fit_parameters
from dugraph.estimators.selector_input import training_cohort, training_graphs
from dugraph.search.limits import check_time_limit
from dugraph.sparse.checks import check_classes
from dugraph.sparse.choice import Choice
from dugraph.sparse.fitted import FittedSparse
from dugraph.sparse.fitting import choose_models
from dugraph.sparse.losses import check_loss
from dugraph.sparse.targets import signs


def _is_logistic(classifier: SparseSubgraphClassifier) -> bool:
    return classifier.loss == "logistic"


class SparseSubgraphClassifier(FittedSparse, ClassifierMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """A linear classifier over ALL admitted connected subgraphs, with an L1 penalty that keeps few of them.

    It minimises ``mean loss + alpha * sum of abs(coef)`` over the containment probabilities of all admitted
    connected subgraphs. They are never written down: column generation finds those that matter, and the
    duality gap proves that no others would do better.

    Parameters
    ----------
    edges, node_labels, edge_layers, on_invalid
        What the columns of X stand for, and what to do with values outside [0, 1]: as for
        `SubgraphSelector`.
    alpha : float, "cv" or None, default "cv"
        The penalty. "cv" chooses it on a path of penalties by cross-validation of the loss; None takes the
        smallest penalty on the path that keeps at most `n_nonzero` subgraphs.
    n_nonzero : int, default None
        The largest number of subgraphs in the model; not with a number for `alpha`.
    loss : {"logistic", "squared_hinge"}, default "logistic"
        `predict_proba` needs "logistic".
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
    coef_ : ndarray of shape (1, n_found), or (n_classes, n_found) for more than two classes
        Positive ones favour classes_[1]; with more classes, each has its own model against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The decision value of a graph without any subgraph and with average covariates.
    covariate_coef_ : ndarray of shape (1, n_covariates) or (n_classes, n_covariates)
        Coefficients of the covariates: one for a column of numbers, one for each category except the
        first.
    covariate_names_ : list of str, length n_covariates
        Their names: the column, or ``column: category``.
    models_ : list of SparseModel
        One, or one for each of more than two classes.
    choices_ : list of Choice
        Of each of them its ``path`` and the ``cv_losses`` that it was chosen by.
    alpha_ : float
        The penalty in use. This and the attributes up to `cv_losses_` exist only for two classes.
    objective_, duality_gap_ : float
        What was minimised, and by how much the best model may be lower.
    model_ : SparseModel, the same in one
    path_ : list of SparseModel
        The models of the path, from the largest penalty to the smallest one tried.
    cv_losses_ : ndarray of shape (n_penalties, n_folds)
        With ``alpha="cv"``: the held-out loss of each model of the path that `n_nonzero` allows; infinite for
        those that the time limit left out.
    n_searches_ : int
        Searches over all admitted subgraphs that the fit took.
    finished_ : bool
        False if the time limit stopped the path early, or kept a model from its tolerance.
    classes_ : ndarray of shape (n_classes,)
    edges_, node_labels_, edge_layers_, n_features_in_, feature_names_in_
        As for `SubgraphSelector`.

    See Also
    --------
    SparseSubgraphRegressor : The same for a continuous phenotype.
    SubgraphSelector : The best subgraphs one by one.
    sparse_path : The models for a sequence of penalties.

    Examples
    --------
    >>> from dugraph.sparse import SparseSubgraphClassifier
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> model = SparseSubgraphClassifier(node_labels=["A", "B", "C"], alpha=0.01, min_expected_frequency=0.3)
    >>> model.fit(X, [1, 1, 0, 0]).get_feature_names_out().tolist()
    ['{A--B, A--C}']
    >>> model.predict(X).tolist()
    [1, 1, 0, 0]
    """

    _model_name = "SparseSubgraphClassifier"

    def __init__(
        self,
        edges: ArrayLike | None = None,
        node_labels: Any = None,
        edge_layers: Any = None,
        on_invalid: str = "raise",
        alpha: float | str | None = "cv",
        n_nonzero: int | None = None,
        loss: str = "logistic",
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
        self.loss = loss
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
            Edge probabilities in [0, 1]; 0 means that the edge is absent. Or LabelledGraphs, whose positive
            class is ignored: positive coefficients favour classes_[1].
        y : array-like of shape (n_graphs,)
            Classes; omitted with LabelledGraphs, which have their own.
        **fit_parameters :
            Refused: graphs cannot be weighted, so `sample_weight` is not supported.

        Returns
        -------
        self : SparseSubgraphClassifier

        Raises
        ------
        InputError
            If the input breaks a rule, or no subgraph is admitted.
        KeyboardInterrupt
            On Ctrl-C.
        """
        refuse_fit_parameters(fit_parameters)
        deadline = time.monotonic() + check_time_limit(self.time_limit)
        loss = check_loss(self.loss)
        X, *covariates = split_covariates(X, self.covariates)
        graphs, classes, positive = self._classes_of(X, y)
        choices, code = choose_models(self, graphs, [signs(p) for p in positive], covariates, loss, deadline)
        self._know(choices, classes, graphs, code)
        return self

    def _classes_of(self, X: Any, y: Any) -> tuple[UncertainGraphs, NDArray[Any], list[NDArray[np.bool_]]]:
        """The graphs, the classes, and for each model the graphs that it tells from the rest."""
        if not isinstance(X, LabelledGraphs):
            graphs, y = training_graphs(self, X, y)
            labels = label_column(y, graphs.n_graphs)
            check_classes(labels)
            classes = np.unique(labels) if labels.dtype.kind != "O" else np.empty(0)
            if len(classes) > 2:
                return graphs, classes, [labels == one for one in classes]
            cohort = LabelledGraphs(graphs, y)
        else:
            cohort = training_cohort(self, X, y)
        return cohort.graphs, cohort.classes, [cohort.y == cohort.classes[1]]

    def _know(
        self, choices: list[Choice], classes: Any, graphs: UncertainGraphs, code: CovariateCode
    ) -> None:
        super()._know(choices, classes, graphs, code)
        self.coef_ = self._coefficients()
        self.intercept_ = np.array([model.intercept for model in self.models_])
        self.covariate_coef_ = np.array([model.covariate_coef for model in self.models_])

    @classmethod
    def _check_stored_classes(cls, classes: Any) -> None:
        if classes is None or classes.ndim != 1 or len(classes) < 2:
            raise ValueError("there must be two classes or more")

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision value of every graph, shape (n_graphs,); positive for classes_[1].

        With more than two classes, that of each class, shape (n_graphs, n_classes).

        Parameters
        ----------
        X : as for `transform`
        """
        decisions = self._decisions(X)
        return decisions[0] if len(decisions) == 1 else np.column_stack(decisions)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of every graph, shape (n_graphs,).

        Parameters
        ----------
        X : as for `transform`
        """
        decision = self.decision_function(X)
        place = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
        return np.asarray(self.classes_[place])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of graphs classified correctly; parameters as in scikit-learn."""
        check_label_order(y, X)
        labels, weights = label_column(y, len(as_column(y, "y"))), sample_weight
        if weights is not None:
            weights = real_array(weights, "sample_weight", 1, "(n_graphs,)")
        return float(super().score(X, labels, weights))

    @available_if(_is_logistic)  # type: ignore[untyped-decorator,unused-ignore]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n_graphs, n_classes); only with the logistic loss.

        With more than two classes, the probabilities of each against the rest, scaled to sum to 1.

        Parameters
        ----------
        X : as for `transform`
        """
        chance = expit(self.decision_function(X))
        if chance.ndim == 1:
            return np.column_stack([1 - chance, chance])
        total = chance.sum(axis=1, keepdims=True)
        return np.asarray(
            np.where(total > 0, chance / np.where(total > 0, total, 1.0), 1.0 / chance.shape[1])
        )
