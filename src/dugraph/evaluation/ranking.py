"""Ranks among methods as in the paper's tables: equal printed values share a rank, the next is skipped."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data.arguments import check_kind, whole_number
from dugraph.data.graph_arrays import real_array
from dugraph.exceptions import InputError

PRINTED_DECIMALS = 3
"""Decimals of the paper's tables."""


def competition_ranks(
    values: ArrayLike, *, largest_first: bool = False, decimals: int = PRINTED_DECIMALS
) -> NDArray[np.float64]:
    """Rank one column of a table: 1 is best, values that print the same share the smallest of their ranks.

    Parameters
    ----------
    values : array-like of shape (n_methods,)
        Missing ones (NaN) have no rank; the others are ranked as if these were not there.
    largest_first : bool, default False
        False: the smallest value is best, as for error rates. True: the largest, as for F1.
    decimals : int, default 3
        How many decimals are printed.

    Returns
    -------
    ndarray of shape (n_methods,)
        Whole numbers; NaN where there is no rank.

    Examples
    --------
    >>> competition_ranks([0.30, 0.25, 0.3004, 0.40, float("nan")]).tolist()
    [2.0, 1.0, 2.0, 4.0, nan]
    """
    check_kind(largest_first, bool, "largest_first")
    column, places = real_array(values, "values", 1, "(n_methods,)"), whole_number(decimals, "decimals")
    # round() rounds as printing does; NumPy scales first and may differ in the last place.
    printed = np.array([round(value, places) for value in column.tolist()])
    keys = -printed if largest_first else printed
    return np.array([np.nan if np.isnan(key) else 1.0 + (keys < key).sum() for key in keys])


def average_ranks(ranks: ArrayLike) -> NDArray[np.float64]:
    """Average each method's ranks over the columns of a table.

    Parameters
    ----------
    ranks : array-like of shape (n_methods, n_columns)
        NaN where there is none.

    Returns
    -------
    ndarray of shape (n_methods,)
        NaN for a method without a rank in some column.

    Examples
    --------
    >>> average_ranks([[1, 2], [2, 1], [3, 3]]).tolist()
    [1.5, 1.5, 3.0]
    """
    table = real_array(ranks, "ranks", 2, "(n_methods, n_columns)")
    if table.shape[1] == 0:
        raise InputError(f"ranks must have at least one column, but have the shape {table.shape}.")
    return np.asarray(table.mean(axis=1))
