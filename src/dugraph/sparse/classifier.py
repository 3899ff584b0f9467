"""`SparseSubgraphClassifier`: connected subgraphs that complement each other, chosen out of all."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from dugraph.data.label_order import check_label_order
from dugraph.estimators.fit_input import refuse_fit_parameters
from dugraph.estimators.selector_input import training_cohort
from dugraph.search import Status
from dugraph.search.limits import check_time_limit, resolve_n_jobs
from dugraph.search.progress import progress_reporter
from dugraph.sparse.checks import check_choice, check_path_parameters, check_two_classes
from dugraph.sparse.choice import choose_model
from dugraph.sparse.fitted import FittedSparse
from dugraph.sparse.penalty_path import path_line, warn_of_limit


def _is_logistic(classifier: SparseSubgraphClassifier) -> bool:
    return classifier.loss == "logistic"


class SparseSubgraphClassifier(FittedSparse, ClassifierMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """A linear classifier over ALL admitted connected subgraphs, with an L1 penalty that leaves few of them.

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
        smallest penalty of the path that leaves at most `n_nonzero` subgraphs.
    n_nonzero : int, default None
        The most subgraphs of the model; not with a number for `alpha`.
    loss : {"logistic", "squared_hinge"}, default "logistic"
        `predict_proba` needs "logistic".
    min_expected_frequency : float in [0, 1), default 0.2
        Subgraphs are admitted if their expected frequency in the training graphs exceeds this (min_sup).
    max_edges : int, default None
        The most edges of a subgraph.
    n_alphas : int, default 30
        Number of penalties on the path.
    alpha_min_ratio : float in (0, 1), default 0.01
        The smallest penalty of the path as a share of the largest.
    cv : int, splitter or iterable, default 5
        Folds for ``alpha="cv"``, as everywhere in scikit-learn.
    tol : float, default 1e-4
        Duality gap at which a fit is done, as a share of the loss without any subgraph.
    n_jobs : int or None, default 1
        Threads of the search; None means 1, -1 all processors.
    time_limit : float, default None
        Seconds after which fit goes on with what it has, with a `LimitReachedWarning` and a valid gap.
    progress : bool or callable, default None
        True shows a live line; a callable receives a dict of numbers.

    Attributes
    ----------
    subgraphs_ : list of tuple of int, length n_found
        Sorted edge indices; the largest coefficient first.
    coef_ : ndarray of shape (1, n_found)
        Positive ones speak for classes_[1].
    intercept_ : ndarray of shape (1,)
    alpha_ : float
        The penalty in use.
    objective_, duality_gap_ : float
        What was minimised, and by how much the best of all models may be lower.
    model_ : SparseModel, the same in one
    path_ : list of SparseModel
        The models of the path, from the largest penalty to the smallest one tried.
    cv_losses_ : ndarray of shape (n_penalties, n_folds)
        With ``alpha="cv"``: the held-out loss of each model of the path that `n_nonzero` allows; infinite for
        those that the time limit left out.
    n_searches_ : int
        Searches over all admitted subgraphs that the fit took.
    finished_ : bool
        False when the time limit kept penalties from being tried, or a model from its tolerance.
    classes_ : ndarray of shape (2,)
    edges_, node_labels_, edge_layers_, n_features_in_, feature_names_in_
        As for `SubgraphSelector`.

    See Also
    --------
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

    def __init__(
        self,
        edges: ArrayLike | None = None,
        node_labels: Any = None,
        edge_layers: Any = None,
        on_invalid: str = "raise",
        alpha: float | str | None = "cv",
        n_nonzero: int | None = None,
        loss: str = "logistic",
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
            class is not looked at: coefficients above 0 speak for classes_[1].
        y : array-like of shape (n_graphs,)
            Two classes; left out with LabelledGraphs, which have theirs.
        **fit_parameters :
            Refused: graphs can have no weight, so there is no `sample_weight`.

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
        cohort = training_cohort(self, X, y, check_classes=check_two_classes)
        check_path_parameters(self.n_alphas, self.alpha_min_ratio, self.tol, self.max_edges)
        check_choice(self.alpha, self.n_nonzero)
        with progress_reporter(self.progress, path_line) as report:
            choice = choose_model(
                cohort.graphs,
                cohort.y == cohort.classes[1],
                alpha=self.alpha,
                n_nonzero=self.n_nonzero,
                n_alphas=self.n_alphas,
                alpha_min_ratio=self.alpha_min_ratio,
                cv=self.cv,
                settings={
                    "loss": self.loss,
                    "min_expected_frequency": self.min_expected_frequency,
                    "max_edges": self.max_edges,
                    "tol": self.tol,
                    "n_threads": resolve_n_jobs(self.n_jobs),
                    "deadline": deadline,
                    "report": report,
                },
            )
        if not choice.finished or choice.model.status is not Status.OPTIMAL:
            warn_of_limit(choice.model)
        self._know(choice, cohort.classes, cohort.graphs)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Give the decision value of every graph, shape (n_graphs,); positive for classes_[1].

        Parameters
        ----------
        X : as for `transform`
        """
        return np.asarray(self.transform(X) @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of every graph, shape (n_graphs,).

        Parameters
        ----------
        X : as for `transform`
        """
        positive = self.decision_function(X) > 0
        return np.asarray(self.classes_[positive.astype(int)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the share of graphs that are classified rightly; parameters as in scikit-learn."""
        check_label_order(y, X)
        return float(super().score(X, y, sample_weight))

    @available_if(_is_logistic)  # type: ignore[untyped-decorator,unused-ignore]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of both classes, shape (n_graphs, 2); only with the logistic loss.

        Parameters
        ----------
        X : as for `transform`
        """
        positive = expit(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
