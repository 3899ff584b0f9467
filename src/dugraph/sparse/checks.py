"""Checks of what `sparse_path` and the sparse estimators are asked for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from dugraph.data.arguments import check_positive_int, is_real
from dugraph.data.class_labels import is_continuous
from dugraph.exceptions import InputError, Setting, Spoken


def check_path_parameters(n_alphas: object, alpha_min_ratio: object, tol: object, max_edges: object) -> None:
    """Refuse numbers from which no path can be made."""
    check_positive_int("n_alphas", n_alphas)
    if max_edges is not None:
        check_positive_int("max_edges", max_edges)
    for name, value in (("alpha_min_ratio", alpha_min_ratio), ("tol", tol)):
        if not is_real(value) or not 0 < value < 1:
            raise InputError(
                f"{name} must be a number above 0 and below 1, but is {value!r}.", parameter=name
            )


def check_alphas(alphas: ArrayLike) -> NDArray[np.float64]:
    """Penalties from large to small."""
    try:
        array = np.asarray(alphas, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.ndim != 1 or array.size == 0 or not (np.isfinite(array) & (array > 0)).all():
        raise InputError(f"alphas must be a flat sequence of positive numbers, but is {alphas!r}.")
    return np.sort(array)[::-1]


def check_choice(alpha: object, n_nonzero: object) -> None:
    """Refuse words and numbers that do not say which model is wanted."""
    if n_nonzero is not None:
        check_positive_int("n_nonzero", n_nonzero)
    if alpha is None:
        if n_nonzero is None:
            raise InputError(
                "alpha=None chooses the penalty by the number of subgraphs: give n_nonzero too.",
                parameter="n_nonzero",
            )
        return
    if isinstance(alpha, str) and alpha == "cv":
        return
    if not is_real(alpha) or not 0 < alpha < math.inf:
        raise InputError(
            (
                "alpha must be a positive number",
                Spoken(', "cv" or None', " or cv"),
                f", but is {alpha!r}.",
            ),
            parameter="alpha",
        )
    if n_nonzero is not None:
        raise InputError(
            (
                *("Give ", Setting("alpha"), " or ", Setting("n_nonzero"), ", but not both: "),
                f"alpha is {alpha!r}, n_nonzero {n_nonzero!r}.",
            ),
            way_out=("With ", Setting("alpha", "cv"), " ", Setting("n_nonzero"), " limits the choice."),
        )


def check_classes(y: Any) -> None:
    """Refuse numbers that are no classes."""
    if y.dtype.kind in "iuf" and is_continuous(np.unique(y)):
        raise InputError(
            "Unknown label type: continuous. y must hold classes, but these numbers are not classes.",
            way_out="Use SparseSubgraphRegressor for a phenotype, or text for names of classes.",
        )
    check_classification_targets(y)


def check_something_left(null_loss: float, nothing: float, n_covariates: int) -> None:
    """Refuse a y of which an intercept and covariates leave nothing to explain."""
    if null_loss > nothing:
        return
    if n_covariates:
        raise InputError(
            "The covariates must leave something of y to explain, but they explain all of it.",
            parameter="covariates",
            way_out="Leave out the covariate that repeats y.",
        )
    raise InputError("y must take at least two values, but is the same for every graph.", parameter="y")
