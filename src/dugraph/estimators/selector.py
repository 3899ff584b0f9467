"""`SubgraphSelector`: discriminative subgraphs as features of any scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, RegressorTags, Tags

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import check_word
from dugraph.data.columns import named_columns
from dugraph.data.labels import GROUPS, positive_class
from dugraph.estimators.input import refuse_fit_parameters, split_covariates, training_cohort
from dugraph.estimators.model_file import FittedOnGraphs, decode, encode
from dugraph.exceptions import InputError
from dugraph.search import MiningResult, Status, mine_subgraphs
from dugraph.search.mining import check_multi_class
from dugraph.search.result import COUNTERS
from dugraph.words import FREQUENCY, TARGETS

# Parameters that prepare the cohort; the others are passed to the search.
_OWN = (
    *("edges", "node_labels", "edge_layers", "on_invalid", "binarize_at", "pos_label", "score_func"),
    *("covariates", "target"),
)
_FLOATS = ("threshold", "best_open_bound", "seconds", "setup_seconds")


class SubgraphSelector(FittedOnGraphs, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Find the most discriminative connected subgraphs and use their containment probabilities as features.

    `y` has two classes. With expected HSIC, the default, it may also be a continuous phenotype or name
    several groups, as for `mine_subgraphs`. As elsewhere in scikit-learn, whole numbers with 3 to 20 values
    are codes of groups unless `target` says otherwise.

    Parameters
    ----------
    edges : array-like of int, shape (n_edges, 2), default None
        Node indices of each column of X. None: taken from the columns of a DataFrame if they name their
        edges, ``A--B``, in any order; otherwise all pairs in ``np.tril_indices(n_nodes, -1)`` order, the
        order in which nilearn vectorises matrices. Not with `UncertainGraphs`, which have their own.
    node_labels : sequence of str, length n_nodes, default None
        Unique names for the features; None: those in the names of columns, or "0", "1", ... Not with
        `UncertainGraphs`.
    edge_layers : sequence of str, length n_edges, or "signed", default None
        Layer of each column. "signed": the columns are those of ``EdgeProbability(layers="signed")``, two for
        each row of `edges` or pair of nodes. Not with `UncertainGraphs`.
    on_invalid : {"raise", "clip"}, default "raise"
        Treatment of values outside [0, 1]: raise an error, or set negative ones to 0 and those above 1 to
        1. "clip" also admits, with an `AssumedEdgesWarning`, m columns that are not V(V-1)/2 for any V when
        neither `edges` nor names are given: they are read as the first m pairs of the lower triangle.
    binarize_at : float in (0, 1], default None
        The certain-graph baseline: probabilities of at least this become 1, all others 0, in fit and
        transform alike.
    score_func : str or callable, default "hsic"
        The name of a score, such as "hsic", "g_test" or "confidence" (all: `dugraph.words.SCORES`), or a
        vectorised f(a, b, p, q).
        The `score` of `mine_subgraphs`, under scikit-learn's name, since `score` is a method there.
    measure : str, default "expectation"
        "expectation", "median", "quantile", "mode", "phi_probability", or "frequency" (which ignores the
        classes).
    phi : float, default None
        For "phi_probability"; None: the default of the score.
    quantile : float in (0, 1), default 0.5
        For "quantile".
    n_subgraphs : int, default 100
        How many subgraphs to find (t).
    min_expected_frequency : float in [0, 1), default 0.2
        Subgraphs are admitted if their expected frequency in the training graphs exceeds this (min_sup).
        The default, 0.2, is the paper's for its largest cohort; `significant_subgraphs` has a lower one.
    max_edges : int, default None
        The largest number of edges in a subgraph.
    max_correlation : float in [0, 1], default None
        The largest absolute correlation of two features; others are left out, as for `mine_subgraphs`.
    score_cap : float, default None
        Larger scores become this value; None: max(1000, largest finite score).
    bound : {"mass", "worldwise", "frequency"}, default "mass"
        How to prune; the answer is the same.
    pos_label : object, default None
        The positive class; None: the last in sorted order.
    multi_class : {"ovr"}, default None
        "ovr": more than two classes, which may be numbers, are compared one by one with the rest, by any
        score and measure; the features are the best of each class in turn.
    covariates : str, int or sequence of these, default None
        Covariates to adjust the labels for, as for `mine_subgraphs`: columns of X that are not edges, by name
        or, in an array, by number; for graphs with participants, names of their columns. Each fit, including
        one within a cross-validation, adjusts by its own regression; `transform` does not need them.
    target : {"groups", "phenotype"}, default None
        Whether numbers with more than two values are codes of groups or a phenotype. None: codes, if they
        are whole numbers with 3 to 20 values.
    n_jobs : int or None, default 1
        Threads; None means 1, -1 all processors, -2 all but one.
    time_limit : float, default None
        Seconds after which fit continues with the best subgraphs so far, with a `LimitReachedWarning`.
    progress : bool or callable, default None
        True shows a live line; a callable receives a dict of numbers.

    Attributes
    ----------
    subgraphs_ : list of tuple of int, length n_found
        Sorted edge indices, best subgraph first.
    values_ : ndarray of shape (n_found,)
        The measure of each.
    result_ : MiningResult
        The result of the search, with its proof.
    classes_ : ndarray of shape (n_classes,)
        The classes or groups in sorted order; none for a phenotype.
    edges_ : ndarray of int32, shape (n_edges, 2)
        (larger node, smaller node) of each column.
    node_labels_ : tuple of str, length n_nodes
    edge_layers_ : tuple of str, length n_edges, or None
        Layer of each column.
    n_features_in_ : int
        Number of columns, n_edges.
    feature_names_in_ : ndarray of str, shape (n_edges,)
        Only when X is a DataFrame whose column names are all strings.

    See Also
    --------
    mine_subgraphs : The search itself.
    EdgeProbability : From correlations to probabilities.

    Examples
    --------
    >>> from dugraph.estimators import SubgraphSelector
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> selector = SubgraphSelector(node_labels=["A", "B", "C"], n_subgraphs=2, min_expected_frequency=0.3)
    >>> selector.fit_transform(X, [1, 1, 0, 0]).round(2).tolist()
    [[0.72, 0.8], [0.72, 0.9], [0.09, 0.1], [0.08, 0.8]]
    >>> selector.get_feature_names_out().tolist()
    ['{A--B, A--C}', '{A--C}']
    """

    result_: MiningResult
    values_: NDArray[np.float64]
    _model_name = "SubgraphSelector"
    _fewest_classes = 0
    _earlier_names = {"score": "score_func"}  # noqa: RUF012

    def __init__(
        self,
        edges: ArrayLike | None = None,
        node_labels: Any = None,
        edge_layers: Any = None,
        on_invalid: str = "raise",
        binarize_at: float | None = None,
        score_func: str | Callable[..., Any] = "hsic",
        measure: str = "expectation",
        phi: float | None = None,
        quantile: float = 0.5,
        n_subgraphs: int = 100,
        min_expected_frequency: float = 0.2,
        max_edges: int | None = None,
        max_correlation: float | None = None,
        score_cap: float | None = None,
        bound: str = "mass",
        pos_label: Any = None,
        multi_class: str | None = None,
        covariates: Any = None,
        target: str | None = None,
        n_jobs: int | None = 1,
        time_limit: float | None = None,
        progress: bool | Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.edges = edges
        self.node_labels = node_labels
        self.edge_layers = edge_layers
        self.on_invalid = on_invalid
        self.binarize_at = binarize_at
        self.score_func = score_func
        self.measure = measure
        self.phi = phi
        self.quantile = quantile
        self.n_subgraphs = n_subgraphs
        self.min_expected_frequency = min_expected_frequency
        self.max_edges = max_edges
        self.max_correlation = max_correlation
        self.score_cap = score_cap
        self.bound = bound
        self.pos_label = pos_label
        self.multi_class = multi_class
        self.covariates = covariates
        self.target = target
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.progress = progress

    def fit(self, X: Any, y: Any = None, covariates: Any = None, **fit_parameters: Any) -> Self:
        """Find the subgraphs in training graphs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_graphs, n_edges), DataFrame or UncertainGraphs
            Edge probabilities in [0, 1]; 0 means that the edge is absent. Or LabelledGraphs. Columns of the
            parameter `covariates` too.
        y : array-like of shape (n_graphs,)
            Two classes, a phenotype or groups; omitted with LabelledGraphs, which have their own.
        covariates : array-like of shape (n_graphs,) or (n_graphs, p), DataFrame or names, default None
            Covariates to adjust for that are not columns of X. In a pipeline or a cross-validation they are
            metadata: ``set_fit_request(covariates=True)``.
        **fit_parameters :
            Not supported: graphs cannot be weighted, so `sample_weight` is refused.

        Returns
        -------
        self : SubgraphSelector

        Raises
        ------
        InputError
            If the input breaks a rule, or no subgraph is admitted.
        SearchInterrupted
            On Ctrl-C, as `mine_subgraphs` does; a grid search ends with it.
        """
        refuse_fit_parameters(fit_parameters)
        one_by_one = check_multi_class(self.multi_class)
        if self.target is not None:
            check_word("target", self.target, TARGETS)

        def labelled(X: Any, y: Any, pos_label: object) -> LabelledGraphs:
            numbers = GROUPS if one_by_one else self.target or "codes"
            return LabelledGraphs.of_any(X, y, pos_label, numbers=numbers)

        X, columns, _ = split_covariates(X, self.covariates)
        if columns and covariates is not None:
            raise InputError(
                "covariates must be given once, either as columns of X through the parameter or as values "
                "in fit, but are given twice.",
                parameter="covariates",
            )
        graphs = X.graphs if isinstance(X, LabelledGraphs) else X
        if covariates is not None and isinstance(graphs, UncertainGraphs):
            # Before the participants are dropped: names refer to their columns.
            covariates = named_columns(covariates, "covariates", graphs)
        cohort = training_cohort(
            self, X, y, binarize_at=self.binarize_at, pos_label=self.pos_label, labelled=labelled
        )
        mining = {name: value for name, value in self.get_params(deep=False).items() if name not in _OWN}
        try:
            adjust_for = columns or covariates
            result = mine_subgraphs(cohort, score=self.score_func, covariates=adjust_for, **mining)
        except InputError as error:
            if error.parameter != "score":
                raise
            raise error.renamed("score_func") from error
        if not result.subgraphs:
            raise InputError(
                "At least one subgraph is needed, but the search found none before it stopped: "
                f"{result.message} Raise time_limit."
            )
        self._set_fitted(result, cohort.classes, cohort.graphs)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # The parameters are validated in fit only.
        score, measure = (str(word) for word in (self.score_func, self.measure))
        exact = score == "hsic" and measure == "expectation" and self.score_cap is None
        any_labels = self.multi_class is None and (exact or measure == FREQUENCY)
        # scikit-learn reads these tags of transformers too, to know which labels they accept.
        tags.classifier_tags = ClassifierTags(multi_class=any_labels or self.multi_class is not None)
        if any_labels:
            tags.regressor_tags = RegressorTags()
        return tags

    def _set_fitted(self, result: MiningResult, classes: NDArray[Any], graphs: UncertainGraphs) -> None:
        """Set the fitted attributes; `classes` and `graphs` as for `_set_graphs`."""
        self.result_ = result
        self.subgraphs_, self.values_ = result.subgraphs, result.values
        self._set_graphs(classes, graphs)

    def _subgraph_names(self) -> Sequence[str]:
        return self.result_.names

    def _model_members(self) -> dict[str, Any]:
        result = self.result_
        # LabelledGraphs have their own positive class, which may differ from the parameter.
        implied = result.positive_class == _positive_class(self.classes_, self.pos_label)
        chosen = {} if implied else {"positive_class": encode(result.positive_class, "positive_class")}
        return {
            "values": encode(self.values_, "values_"),
            "result": {
                "status": result.status.value,
                "message": result.message,
                "parameters": encode(result.parameters, "result_.parameters"),
                **chosen,
                **({} if result.contrasts is None else {"contrasts": list(result.contrasts)}),
                **{name: int(getattr(result, name)) for name in COUNTERS},
                **{name: encode(float(getattr(result, name)), name) for name in _FLOATS},
            },
        }

    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: NDArray[Any],
        graphs: UncertainGraphs,
    ) -> None:
        values, stored = decode(content["values"]), content["result"]
        if values.shape != (len(subgraphs),) or not subgraphs:
            raise ValueError("there must be as many values as subgraphs")
        label = decode(stored["positive_class"]) if "positive_class" in stored else self.pos_label
        numbers: dict[str, Any] = {name: int(stored[name]) for name in COUNTERS}
        numbers |= {name: float(decode(stored[name])) for name in _FLOATS}
        result = MiningResult(
            subgraphs=subgraphs,
            values=values,
            status=Status(stored["status"]),
            message=str(stored["message"]),
            parameters=decode(stored["parameters"]),
            naming=graphs.naming,
            positive_class=_positive_class(classes, label),
            contrasts=stored.get("contrasts"),
            **numbers,
        )
        self._set_fitted(result, classes, graphs)


def _positive_class(classes: NDArray[Any], pos_label: object) -> Any:
    """Return the positive class, or None unless there are two classes."""
    return positive_class(classes, pos_label) if len(classes) == 2 else None


def selector_of_result(cohort: LabelledGraphs, result: MiningResult, **parameters: Any) -> SubgraphSelector:
    """Return the fitted selector of a search result; `parameters` are the arguments of `mine_subgraphs`."""
    if "score" in parameters:
        parameters["score_func"] = parameters.pop("score")
    selector = SubgraphSelector(**parameters)
    selector._set_fitted(result, cohort.classes, cohort.graphs)
    return selector
