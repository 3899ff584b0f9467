"""Sparse linear models over all connected subgraphs as scikit-learn estimators: a classifier, a regressor."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import real_array
from dugraph.data.columns import CodedColumn, CovariateCode, as_column
from dugraph.data.labels import check_label_order, is_continuous, label_column
from dugraph.data.subgraphs import Subgraphs
from dugraph.estimators.input import (
    SplitInput,
    split_covariates,
    training_cohort,
    training_graphs,
)
from dugraph.estimators.model_file import FittedOnGraphs, decode, encode
from dugraph.exceptions import InputError
from dugraph.search import Status
from dugraph.search.limits import check_time_limit, progress_reporter, resolve_n_jobs
from dugraph.search.result import Drawable
from dugraph.sparse.column_generation import SparseModel
from dugraph.sparse.losses import (
    Floats,
    Loss,
    Squared,
    check_loss,
    check_numbers,
    check_weights,
    signs,
)
from dugraph.sparse.path import (
    Choice,
    Fitting,
    check_choice,
    check_path_parameters,
    choice_members,
    choose_model,
    path_line,
    restored_choice,
    share_time,
    warn_of_limit,
)

if TYPE_CHECKING:
    import pandas

# Parameters that `PathFinder` takes as they are.
_OF_THE_PATH = ("l1_ratio", "min_expected_frequency", "max_edges", "tol")
# Attributes of a fit with one model.
_SINGLE = ("model_", "path_", "cv_losses_", "alpha_", "objective_", "duality_gap_")


class _SparseSubgraphModel(Drawable, FittedOnGraphs):
    """Base of the sparse estimators: one model, or one for each of several classes against the rest."""

    models_: list[SparseModel]
    model_: SparseModel
    path_: list[SparseModel]
    cv_losses_: NDArray[np.float64]
    covariate_names_: list[str]
    feature_importances_: NDArray[np.float64]
    n_searches_: int
    finished_: bool
    choices_: list[Choice]
    _code: CovariateCode

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
        n_alphas: int = 20,
        alpha_min_ratio: float = 0.05,
        cv: Any = 5,
        tol: float = 1e-4,
        n_jobs: int | None = 1,
        time_limit: float | None = None,
        progress: bool | Callable[[dict[str, Any]], object] | None = None,
        l1_ratio: float = 1.0,
        refit: str | None = None,
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
        self.l1_ratio = l1_ratio
        self.refit = refit

    def _choose(
        self,
        graphs: UncertainGraphs,
        targets: Sequence[Floats],
        weights: Floats,
        split: SplitInput,
        loss: type[Loss],
        deadline: float,
        groups: Any,
        classes: Any = None,
    ) -> Self:
        """Choose a model for each target; all of them share the time until `deadline`."""
        check_path_parameters(self.n_alphas, self.alpha_min_ratio, self.tol, self.max_edges, self.l1_ratio)
        check_choice(self.alpha, self.n_nonzero, self.refit)
        ids = split.graph_ids or graphs.graph_ids
        code, choices = CovariateCode.of(split.columns, ids), []
        settings = {name: getattr(self, name) for name in _OF_THE_PATH}
        settings |= {"loss": loss, "n_threads": resolve_n_jobs(self.n_jobs)}
        with progress_reporter(self.progress, path_line) as report:
            for target, until in zip(targets, share_time(deadline, len(targets)), strict=True):
                fitting = Fitting(graphs, target, split.columns, ids, weights, {**settings, "report": report})
                choices.append(choose_model(self, fitting, until, groups))
        limited = [c for c in choices if not c.finished or c.model.status is not Status.OPTIMAL]
        if limited:
            warn_of_limit(limited[0].model, stacklevel=4)
        self._set_fitted(choices, classes, graphs, code)
        return self

    def _set_fitted(
        self, choices: list[Choice], classes: Any, graphs: UncertainGraphs, code: CovariateCode
    ) -> None:
        self.choices_, self._code = choices, code
        self.covariate_names_ = code.titles
        self.models_ = [choice.model for choice in choices]
        for name in _SINGLE:
            if hasattr(self, name):
                delattr(self, name)  # from an earlier fit
        if len(choices) == 1:
            model = self.model_ = choices[0].model
            self.path_ = choices[0].path
            if choices[0].cv_losses is not None:
                self.cv_losses_ = choices[0].cv_losses
            self.alpha_, self.objective_ = model.alpha, model.objective
            self.duality_gap_ = model.duality_gap
        self.n_searches_ = sum(choice.n_searches for choice in choices)
        self.finished_ = all(choice.finished for choice in choices)
        chosen = dict.fromkeys(g for model in self.models_ for g in model.subgraphs)
        self.subgraphs_ = Subgraphs(chosen, graphs.naming)
        self._set_graphs(classes, graphs)
        self._names = [graphs.subgraph_name(subgraph) for subgraph in self.subgraphs_]
        self.feature_importances_ = np.zeros(graphs.n_edges)
        for subgraph, sizes in zip(self.subgraphs_, np.abs(self._coefficients()).T, strict=True):
            self.feature_importances_[list(subgraph)] += sizes.sum()
        self._set_coefficients()

    @abstractmethod
    def _set_coefficients(self) -> None:
        """Set `subgraph_coef_`, `intercept_` and `covariate_coef_`."""

    def _coefficients(self) -> NDArray[np.float64]:
        """Coefficients of `subgraphs_`, one row per model."""
        column = {subgraph: k for k, subgraph in enumerate(self.subgraphs_)}
        rows = np.zeros((len(self.models_), len(column)))
        for row, model in zip(rows, self.models_, strict=True):
            row[[column[subgraph] for subgraph in model.subgraphs]] = model.coef
        return rows

    def to_frame(self) -> pandas.DataFrame:
        """One row per subgraph of the fitted model, largest coefficient first, as a pandas DataFrame.

        Columns: `subgraph` (its name), `coefficient`, `n_edges`, and `edges` (the tuple of edge indices).
        With a model for each of several classes against the rest, the first column is `class`.
        """
        import pandas

        check_is_fitted(self)
        names = dict(zip(self.subgraphs_, self._names, strict=True))
        frames = []
        for k, model in enumerate(self.models_):
            frame = model.to_frame()
            frame.insert(0, "subgraph", [names[subgraph] for subgraph in model.subgraphs])
            if len(self.models_) > 1:
                frame.insert(0, "class", self.classes_[k])
            frames.append(frame)
        return pandas.concat(frames, ignore_index=True)

    def _decisions(self, X: Any) -> list[NDArray[np.float64]]:
        """Decision values of each model, covariates included."""
        features = np.asarray(self.transform(X))
        split = split_covariates(X, self.covariates)
        decisions = [
            np.asarray(features @ row + model.intercept)
            for row, model in zip(self._coefficients(), self.models_, strict=True)
        ]
        if not split.columns:
            return decisions
        numbers = self._code.numbers(split.columns, split.graph_ids)
        return [
            decision + numbers @ model.covariate_coef
            for decision, model in zip(decisions, self.models_, strict=True)
        ]

    def _subgraph_names(self) -> Sequence[str]:
        return self._names

    def _model_members(self) -> dict[str, Any]:
        members = [choice_members(choice) for choice in self.choices_]
        own = members[0] if len(members) == 1 else {"one_against_rest": members}
        if not self._code.columns:
            return own
        code = [
            {
                "name": column.name,
                "categories": None if column.categories is None else encode(column.categories, column.name),
                "mean": encode(column.mean, column.name),
            }
            for column in self._code.columns
        ]
        return {**own, "covariates": code}

    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: Any,
        graphs: UncertainGraphs,
    ) -> None:
        code = CovariateCode(tuple(_restored_column(one) for one in content.get("covariates", [])))
        stored = content.get("one_against_rest", [content])
        choices = [restored_choice(one, graphs.n_edges, code.n_numbers) for one in stored]
        if len(choices) != (1 if classes is None or len(classes) == 2 else len(classes)):
            raise ValueError("there must be one model, or one for each of several classes")
        self._set_fitted(choices, classes, graphs, code)
        if self.subgraphs_ != subgraphs:
            raise ValueError("the chosen model must have the subgraphs of the file")


def _restored_column(stored: Mapping[str, Any]) -> CodedColumn:
    categories = None if stored["categories"] is None else decode(stored["categories"])
    mean = decode(stored["mean"])
    if mean.shape != (1 if categories is None else len(categories) - 1,) or mean.dtype != np.float64:
        raise ValueError("a covariate must have a mean, or one for each category but the first")
    return CodedColumn(str(stored["name"]), categories, mean)


def _is_logistic(classifier: SparseSubgraphClassifier) -> bool:
    return classifier.loss == "logistic"


class SparseSubgraphClassifier(_SparseSubgraphModel, ClassifierMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """A linear classifier over ALL admitted connected subgraphs, with an L1 penalty that keeps few of them.

    It minimises ``mean loss + alpha * sum of abs(coef)`` over the containment probabilities of all admitted
    connected subgraphs. They are never all computed: column generation finds those that matter, and the
    duality gap proves that no others would do better.

    Parameters
    ----------
    edges, node_labels, edge_layers, on_invalid
        Meaning of the columns of X, and treatment of values outside [0, 1]: as for `SubgraphSelector`. Signed
        layers, as of ``EdgeProbability(layers="signed")``, are columns like others.
    alpha : float, "cv" or None, default "cv"
        The penalty. "cv" chooses it on a path of penalties by cross-validation of the loss; None takes the
        smallest penalty on the path that keeps at most `n_nonzero` subgraphs.
    n_nonzero : int, default None
        The largest number of subgraphs in the model; not with a number for `alpha`.
    loss : {"logistic", "squared_hinge"}, default "logistic"
        `predict_proba` needs "logistic".
    covariates : str, int or sequence of these, default None
        Columns of X that are not edges, by name or, in an array, by number; for graphs with participants,
        names of their columns. They are not penalised, so the subgraphs explain what the covariates cannot.
        Categories become indicators, and a category not seen in training counts as the average.
        Predictions need the covariates too. Within `cv` and any cross-validation around the fit, they are
        coded by the training graphs alone.
    min_expected_frequency : float in [0, 1), default 0.2
        Subgraphs of several edges are admitted if their expected frequency in the training graphs exceeds
        this (min_sup); single edges always.
        The default, 0.2, is the paper's for its largest cohort; `significant_subgraphs` has a lower one.
    max_edges : int, default None
        The largest number of edges in a subgraph.
    n_alphas : int, default 20
        Number of penalties on the path.
    alpha_min_ratio : float in (0, 1), default 0.05
        The smallest penalty of the path as a share of the largest.
    cv : int, splitter or iterable, default 5
        Folds for ``alpha="cv"``, as everywhere in scikit-learn.
    tol : float, default 1e-4
        Duality gap at which a fit stops, as a share of the loss without any subgraph.
    n_jobs : int or None, default 1
        Threads of the search; None means 1, -1 all processors, -2 all but one.
    time_limit : float, default None
        Seconds after which fit stops with the best model so far, a `LimitReachedWarning` and a valid gap.
    progress : bool or callable, default None
        True shows a live line; a callable receives a dict of numbers.
    l1_ratio : float in (0, 1], default 1
        Below 1 the penalty is that of the elastic net, ``alpha * (l1_ratio * sum of abs(coef) +
        (1 - l1_ratio) / 2 * sum of coef^2)``, which keeps many similar subgraphs instead of one of them.
    refit : {None, "ridge"}, default None
        "ridge": fit the coefficients of the chosen subgraphs again, with an L2 penalty instead of `alpha`.
        That penalty is chosen in the folds of `cv`, where the subgraphs are also chosen anew.
    class_weight : dict or "balanced", default None
        Weights of the classes in the loss, as in scikit-learn; "balanced" gives each the same total.

    Attributes
    ----------
    subgraphs_ : list of tuple of int, length n_found
        Sorted edge indices, largest coefficient first.
    subgraph_coef_ : ndarray of shape (1, n_found), or (n_classes, n_found) for more than two classes
        Positive ones favour classes_[1]; with more classes, each has its own model against the rest.
    feature_importances_ : ndarray of shape (n_features,)
        For each edge, the sum of the absolute coefficients of the subgraphs that contain it.
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
        For each model, the ``path`` and the ``cv_losses`` from which it was chosen.
    alpha_ : float
        The penalty in use. This and the attributes up to `cv_losses_` exist only for two classes.
    objective_, duality_gap_ : float
        The minimised objective, and by how much that of the best model may be lower.
    model_ : SparseModel
        The chosen model.
    path_ : list of SparseModel
        The models of the path, from the largest penalty to the smallest one tried.
    cv_losses_ : ndarray of shape (n_penalties, n_folds)
        With ``alpha="cv"``: the held-out loss of each model of the path that `n_nonzero` allows; infinite for
        those that the time limit left out.
    n_searches_ : int
        Searches over all admitted subgraphs that the fit took.
    finished_ : bool
        False if the time limit stopped the path or a fit early.
    classes_ : ndarray of shape (n_classes,)
    edges_, node_labels_, edge_layers_, n_features_in_, feature_names_in_
        As for `SubgraphSelector`.

    See Also
    --------
    SparseSubgraphRegressor : The same for a continuous phenotype.
    SubgraphSelector : The best subgraphs, each judged by itself.
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
    _fewest_classes = 2

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
        n_alphas: int = 20,
        alpha_min_ratio: float = 0.05,
        cv: Any = 5,
        tol: float = 1e-4,
        n_jobs: int | None = 1,
        time_limit: float | None = None,
        progress: bool | Callable[[dict[str, Any]], object] | None = None,
        l1_ratio: float = 1.0,
        refit: str | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
    ) -> None:
        super().__init__(
            edges=edges,
            node_labels=node_labels,
            edge_layers=edge_layers,
            on_invalid=on_invalid,
            alpha=alpha,
            n_nonzero=n_nonzero,
            covariates=covariates,
            min_expected_frequency=min_expected_frequency,
            max_edges=max_edges,
            n_alphas=n_alphas,
            alpha_min_ratio=alpha_min_ratio,
            cv=cv,
            tol=tol,
            n_jobs=n_jobs,
            time_limit=time_limit,
            progress=progress,
            l1_ratio=l1_ratio,
            refit=refit,
        )
        self.loss = loss
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None) -> Self:
        """Choose subgraphs and their coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_graphs, n_edges), DataFrame or UncertainGraphs
            Edge probabilities in [0, 1]; 0 means that the edge is absent. Or LabelledGraphs, whose positive
            class is ignored: positive coefficients favour classes_[1].
        y : array-like of shape (n_graphs,)
            Classes; omitted with LabelledGraphs, which have their own.
        groups : array-like of shape (n_graphs,), default None
            Groups, such as sites or families, for a `cv` that does not divide them, such as
            ``GroupKFold(5)``. In a pipeline or a cross-validation they are metadata:
            ``set_fit_request(groups=True)``.
        sample_weight : array-like of shape (n_graphs,), default None
            Weights of the graphs in the loss and in held-out losses, scaled to a mean of 1. Graphs with
            weight 0 are left out; expected frequencies count all others once.

        Returns
        -------
        self : SparseSubgraphClassifier

        Raises
        ------
        InputError
            If the input is invalid, or no subgraph is admitted.
        KeyboardInterrupt
            On Ctrl-C.
        """
        deadline = time.monotonic() + check_time_limit(self.time_limit)
        loss = check_loss(self.loss)
        split = split_covariates(X, self.covariates)
        graphs, classes, positive = self._classes_of(split.X, y)
        weights = check_weights(sample_weight, graphs.n_graphs)
        if self.class_weight is not None:
            labels = classes[np.argmax(positive, axis=0) if len(positive) > 1 else positive[0].astype(int)]
            try:
                weights = weights * compute_sample_weight(self.class_weight, labels)
            except (TypeError, ValueError) as error:
                raise InputError(
                    f'class_weight must be "balanced" or a dict of a number for each class: {error}',
                    parameter="class_weight",
                ) from error
        if any(len(np.unique(p[weights > 0])) < 2 for p in positive):
            raise InputError(
                "Each class must have a graph with a weight above 0, but one has none. Leave the class out, "
                "or change sample_weight or class_weight.",
                parameter="sample_weight",
            )
        targets = [signs(p) for p in positive]
        return self._choose(graphs, targets, weights, split, loss, deadline, groups, classes)

    def _classes_of(self, X: Any, y: Any) -> tuple[UncertainGraphs, NDArray[Any], list[NDArray[np.bool_]]]:
        """Return the graphs, the classes, and for each model which graphs are positive."""
        if not isinstance(X, LabelledGraphs):
            graphs, y = training_graphs(self, X, y)
            labels = label_column(y, graphs.n_graphs)
            if labels.dtype.kind in "iuf" and is_continuous(np.unique(labels)):
                raise InputError(
                    "Unknown label type: continuous. y must hold classes, but these numbers are not classes.",
                    way_out="Use SparseSubgraphRegressor for a phenotype, or text for names of classes.",
                )
            check_classification_targets(labels)
            classes = np.unique(labels)
            if len(classes) > 2:
                return graphs, classes, [labels == one for one in classes]
            cohort = LabelledGraphs(graphs, y)
        else:
            cohort = training_cohort(self, X, y)
        return cohort.graphs, cohort.classes, [cohort.y == cohort.classes[1]]

    def _set_coefficients(self) -> None:
        self.subgraph_coef_ = self._coefficients()
        self.intercept_ = np.array([model.intercept for model in self.models_])
        self.covariate_coef_ = np.array([model.covariate_coef for model in self.models_])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision value of every graph, shape (n_graphs,); positive for classes_[1].

        With more than two classes, one value for each class, shape (n_graphs, n_classes).
        """
        decisions = self._decisions(X)
        return decisions[0] if len(decisions) == 1 else np.column_stack(decisions)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of every graph, shape (n_graphs,)."""
        decision = self.decision_function(X)
        index = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
        return np.asarray(self.classes_[index])

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
        """
        chance = expit(self.decision_function(X))
        if chance.ndim == 1:
            return np.column_stack([1 - chance, chance])
        total = chance.sum(axis=1, keepdims=True)
        return np.asarray(
            np.where(total > 0, chance / np.where(total > 0, total, 1.0), 1.0 / chance.shape[1])
        )

    @available_if(_is_logistic)  # type: ignore[untyped-decorator,unused-ignore]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of `predict_proba`, which also needs the logistic loss."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


class SparseSubgraphRegressor(_SparseSubgraphModel, RegressorMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """A linear regression on ALL admitted connected subgraphs, with an L1 penalty that keeps few of them.

    It minimises ``mean (y - f)^2 / 2 + alpha * sum of abs(coef)``, the lasso of scikit-learn, over the
    containment probabilities of all admitted connected subgraphs. They are never all computed: column
    generation finds those that matter, and the duality gap proves that no others would do better.

    Parameters
    ----------
    edges, node_labels, edge_layers, on_invalid
        Meaning of the columns of X, and treatment of values outside [0, 1]: as for `SubgraphSelector`.
    alpha : float, "cv" or None, default "cv"
        The penalty, in units of y. "cv" chooses it on a path of penalties by cross-validation of the squared
        error; None takes the smallest penalty on the path that keeps at most `n_nonzero` subgraphs.
    n_nonzero : int, default None
        The largest number of subgraphs in the model; not with a number for `alpha`.
    covariates : str, int or sequence of these, default None
        Columns of X that are not edges, and are not penalised: as for `SparseSubgraphClassifier`.
    min_expected_frequency, max_edges
        As for `SparseSubgraphClassifier`.
    n_alphas, alpha_min_ratio, cv, tol, n_jobs, time_limit, progress, l1_ratio, refit
        As for `SparseSubgraphClassifier`.

    Attributes
    ----------
    subgraphs_ : list of tuple of int, length n_found
        Sorted edge indices, largest coefficient first.
    subgraph_coef_ : ndarray of shape (n_found,)
    feature_importances_ : ndarray of shape (n_features,)
        For each edge, the sum of the absolute coefficients of the subgraphs that contain it.
    intercept_ : float
        The prediction for a graph without any subgraph and with average covariates.
    covariate_coef_ : ndarray of shape (n_covariates,)
    covariate_names_ : list of str, length n_covariates
        As for `SparseSubgraphClassifier`.
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
    _fewest_classes = None

    def fit(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None) -> Self:
        """Choose subgraphs and their coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_graphs, n_edges), DataFrame or UncertainGraphs
            Edge probabilities in [0, 1]; 0 means that the edge is absent. Also the columns of `covariates`.
        y : array-like of shape (n_graphs,)
            The phenotype: finite numbers.
        groups, sample_weight : array-like of shape (n_graphs,), default None
            As for `SparseSubgraphClassifier`.

        Returns
        -------
        self : SparseSubgraphRegressor
        """
        deadline = time.monotonic() + check_time_limit(self.time_limit)
        if isinstance(X, LabelledGraphs):
            raise InputError(
                "X must be graphs without classes, and y their phenotype, but X is a LabelledGraphs. Pass "
                "X.graphs and the phenotype."
            )
        split = split_covariates(X, self.covariates)
        graphs, y = training_graphs(self, split.X, y, y_numeric=True)
        target = check_numbers(y, graphs)
        weights = check_weights(sample_weight, graphs.n_graphs)
        return self._choose(graphs, [target], weights, split, Squared, deadline, groups)

    def _set_coefficients(self) -> None:
        self.subgraph_coef_, self.intercept_ = self.model_.coef, self.model_.intercept
        self.covariate_coef_ = self.model_.covariate_coef

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the phenotype of every graph, shape (n_graphs,)."""
        return self._decisions(X)[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination (R2); parameters as in scikit-learn."""
        check_label_order(y, X)
        return float(super().score(X, y, sample_weight))
