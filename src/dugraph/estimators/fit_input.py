"""What every estimator refuses in `fit` and `transform`: edges without a value, and weights of graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from dugraph.data.graph_arrays import refuse_masked
from dugraph.data.wording import shown
from dugraph.exceptions import InputError

DTYPES = [np.float64, np.float32]


def finite_data(estimator: Any, X: Any, *more: Any, **options: Any) -> Any:
    """scikit-learn's `validate_data`, but missing values are reported by graph and edge.

    scikit-learn's own message advises other classifiers, which would not bring a missing edge back.
    """
    for values, name in zip((X, *more), ("X", "y"), strict=False):
        refuse_masked(values, name)
    checked = validate_data(estimator, X, *more, dtype=DTYPES, ensure_all_finite=False, **options)
    _refuse_missing(X, checked[0] if isinstance(checked, tuple) else checked)
    return checked


def finite_array(estimator: Any, X: Any) -> NDArray[Any]:
    """The same with `check_array`, which does not compare columns with those of fit."""
    refuse_masked(X, "X")
    array = check_array(X, dtype=DTYPES, estimator=estimator, input_name="X", ensure_all_finite=False)
    _refuse_missing(X, array)
    return np.asarray(array)


def refuse_fit_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse weights by a sentence, and what else `fit` does not know as Python does."""
    if parameters.get("sample_weight") is not None:
        raise InputError(
            "sample_weight must be left out: supports count each graph once, so a graph cannot have a "
            "weight. For classes of different sizes, choose a score or a classifier that accounts for "
            "them.",
            parameter="sample_weight",
        )
    unknown = [name for name in parameters if name != "sample_weight"]
    if unknown:
        raise TypeError(f"fit() got an unexpected keyword argument {unknown[0]!r}")


def _refuse_missing(X: Any, array: Any) -> None:
    values = array.tocsr() if sparse.issparse(array) else array
    flat = values.data if sparse.issparse(values) else values
    if np.isfinite(flat).all():
        return
    if sparse.issparse(values):
        values = values.toarray()
    bad = ~np.isfinite(values)
    i, e = (int(k) for k in np.argwhere(bad)[0])
    value = "NaN" if np.isnan(values[i, e]) else f"{float(values[i, e])}"
    columns = getattr(X, "columns", None)
    name = "" if columns is None else f" ({shown(columns[e])})"
    several = f", the first of {int(bad.sum())} such values" if bad.sum() > 1 else ""
    raise InputError(
        f"Every edge must have a finite value in every graph, but graph {i} has {value} at edge {e}{name}"
        f"{several}. Use 0 for an absent edge, impute it, or drop the edge or the graph."
    )
