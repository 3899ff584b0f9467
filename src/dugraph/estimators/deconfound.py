"""`Deconfound`: remove covariates from edge values before these become probabilities."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from dugraph.data.arguments import abbreviate, check_word, counted
from dugraph.data.columns import RANK_TOLERANCE, CovariateCode
from dugraph.data.labels import label_column
from dugraph.estimators.input import (
    SplitInput,
    finite_data,
    in_order_of_fit,
    refuse_fit_parameters,
    split_covariates,
    warn_of_lost_names,
)
from dugraph.exceptions import InputError

METHODS = ("regression", "combat")


class Deconfound(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Remove the effect of covariates from edge values, such as correlations.

    It comes before `EdgeProbability` in a Pipeline. The effect is estimated in fit, so in cross-validation
    neither test graphs nor their classes influence it.

    Parameters
    ----------
    covariates : str, int or sequence of these, default None
        Columns of X that are not edges, by name in a DataFrame, by number in an array. The output does not
        contain them. Categories become indicators; one not seen in fit counts as the average. None: nothing
        is removed.
    method : {"regression", "combat"}, default "regression"
        "regression": the linear regression of each edge on all covariates is subtracted, except its mean.
        "combat": location and scale of each site are harmonised by empirical Bayes (package combatlearn); one
        column of categories, all of which must occur in fit.
    control_label : default None
        The class in y to learn from, such as controls, so that variation shared by covariates and disease
        is retained. None: all graphs, ignoring y.

    Attributes
    ----------
    coef_ : ndarray of shape (n_covariates, n_edges)
        Slopes of the edges; with "regression" only.
    n_features_in_ : int
        Number of edges, without covariates.
    feature_names_in_ : ndarray of str, shape (n_edges,)
        Only when X is a DataFrame whose column names are all strings.

    Notes
    -----
    A category with few graphs is estimated badly, and a covariate associated with the classes takes
    their difference with it: learn from controls, or put the covariates into the model
    (``SparseSubgraphClassifier(covariates=...)``, ``significant_subgraphs(..., covariates=...)``).

    Examples
    --------
    >>> from dugraph.estimators import Deconfound
    >>> X = [[0.2, 0.5, 10.0], [0.4, 0.5, 20.0], [0.6, 0.5, 30.0]]
    >>> Deconfound(covariates=-1).fit_transform(X).round(2).tolist()
    [[0.4, 0.5], [0.4, 0.5], [0.4, 0.5]]
    """

    def __init__(self, covariates: Any = None, method: str = "regression", control_label: Any = None) -> None:
        self.covariates = covariates
        self.method = method
        self.control_label = control_label

    def fit(self, X: Any, y: Any = None, **fit_parameters: Any) -> Self:
        """Estimate the effect of the covariates on each edge.

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_columns) or DataFrame
            Real-valued edges, and the covariates among its columns.
        y : array-like of shape (n_graphs,), default None
            Classes, with `control_label`.
        **fit_parameters :
            Not supported: graphs cannot be weighted, so `sample_weight` is refused.

        Returns
        -------
        self : Deconfound
        """
        refuse_fit_parameters(fit_parameters)
        check_word("method", self.method, METHODS)
        split = split_covariates(X, self.covariates)
        values = finite_data(self, split.X).astype(np.float64)
        rows = self._rows_to_learn_from(y, len(values))
        split = SplitInput(
            None,
            {name: column[rows] for name, column in split.columns.items()},
            [split.graph_ids[i] for i in rows] if split.columns else [""] * len(rows),
        )
        if self.method == "combat":
            self._combat = _fitted_combat(values[rows], split)
            return self
        self._code = CovariateCode.of(split.columns, split.graph_ids)
        numbers = self._code.numbers(split.columns, split.graph_ids)
        if numbers.shape[1] and len(rows) < numbers.shape[1] + 2:
            raise InputError(
                f"There must be more training graphs than numbers that encode the covariates: got "
                f"{counted(len(rows), 'graph')} for {counted(numbers.shape[1], 'number')}.",
                parameter="covariates",
            )
        size = np.sqrt((numbers**2).sum(axis=0))
        size[size == 0] = 1.0
        found = np.linalg.lstsq(
            numbers / size, values[rows] - values[rows].mean(axis=0), rcond=RANK_TOLERANCE
        )
        self.coef_ = found[0] / size[:, np.newaxis]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Remove the effect of the covariates.

        Parameters
        ----------
        X : array-like of shape (n_graphs, n_columns) or DataFrame
            As in fit.

        Returns
        -------
        ndarray of shape (n_graphs, n_edges)
            Without covariates. To keep the names of edges for the next step of a pipeline, call
            ``set_output(transform="pandas")``.
        """
        check_is_fitted(self)
        split = split_covariates(X, self.covariates)
        edges = in_order_of_fit(self, split.X)
        array = finite_data(self, edges, reset=False)
        values = array.astype(np.float64)
        if self.method == "combat":
            values = _harmonised(self._combat, values, split)
        elif split.columns:
            values = values - self._code.numbers(split.columns, split.graph_ids) @ self.coef_
        warn_of_lost_names(self, edges)
        return np.asarray(values, dtype=array.dtype)

    def _rows_to_learn_from(self, y: Any, n_graphs: int) -> NDArray[np.intp]:
        if self.control_label is None:
            return np.arange(n_graphs)
        if y is None:
            raise InputError(
                "control_label needs the classes, but y is None. Pass y to fit.", parameter="control_label"
            )
        labels = label_column(y, n_graphs)
        wanted = None if isinstance(self.control_label, np.ndarray) else self.control_label
        rows = np.array([i for i, label in enumerate(labels.tolist()) if label == wanted], dtype=np.intp)
        if len(rows) < 2:
            raise InputError(
                f"The training graphs must include the class control_label, but "
                f"{abbreviate(repr(self.control_label))} has {counted(len(rows), 'graph')}. The classes are "
                f"{', '.join(abbreviate(repr(one)) for one in np.unique(labels).tolist())}.",
                parameter="control_label",
            )
        return rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _site(split: SplitInput) -> NDArray[Any]:
    if len(split.columns) != 1 or (site := next(iter(split.columns.values()))).dtype.kind == "f":
        raise InputError(
            'method="combat" needs one column of categories, the site of each graph: '
            f"got {counted(len(split.columns), 'column')}"
            f"{' of numbers with fractions' if len(split.columns) == 1 else ''}.",
            parameter="covariates",
            way_out='Name the column of sites, or use method="regression".',
        )
    return np.asarray(site).astype(str)


def _fitted_combat(values: NDArray[np.float64], split: SplitInput) -> Any:
    site = _site(split)
    try:
        from combatlearn import ComBat
    except ImportError as error:
        raise InputError(
            'method="combat" needs the package combatlearn, which is not installed.',
            parameter="method",
            way_out="pip install 'dugraph[harmonize]'",
        ) from error
    # Edges that never vary have no scale to harmonise.
    varying = np.ptp(values, axis=0) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice about its reports; invalid input raises an error
        return varying, ComBat(batch=site, method="johnson").fit(values[:, varying])


def _harmonised(fitted: Any, values: NDArray[np.float64], split: SplitInput) -> NDArray[np.float64]:
    varying, combat = fitted
    site = _site(split)
    known = np.unique(np.asarray(combat.batch))
    unknown = np.unique(site[~np.isin(site, known)])
    if len(unknown):
        raise InputError(
            f'method="combat" can harmonise only the sites seen in fit, {", ".join(map(abbreviate, known))}: '
            f"got {abbreviate(unknown[0])}.",
            way_out='Use method="regression", which treats a new site as the average one.',
        )
    harmonised = values.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moved = copy(combat)  # the fitted one keeps the sites of fit
        moved.batch = site
        harmonised[:, varying] = np.asarray(moved.transform(values[:, varying]))
    return harmonised
