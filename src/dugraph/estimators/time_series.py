"""The check of a list of multivariate series."""

from __future__ import annotations

from typing import Any

import numpy as np

from dugraph.data.graph_arrays import real_array
from dugraph.estimators.connectivity import Floats
from dugraph.exceptions import InputError

_FEWEST_TIMEPOINTS = 3


def check_series(X: Any, n_regions: int | None = None) -> list[Floats]:
    """Return every series as an array, or refuse the first that breaks a rule.

    Parameters
    ----------
    X : sequence of array-like, each of shape (n_timepoints_i, n_regions)
    n_regions : int, optional
        The number of regions in fit; by default that of the first series.

    Returns
    -------
    list of ndarray of float64, each of shape (n_timepoints_i, n_regions)
    """
    if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__iter__") or not hasattr(X, "__len__"):
        raise InputError(
            "X must be a list of series of shape (n_timepoints, n_regions), but is of type "
            f"{type(X).__name__}."
        )
    if len(X) == 0:
        raise InputError("X must hold at least one series, but is empty. Check where the series come from.")
    series = [real_array(one, f"X[{i}]", 2, "(n_timepoints, n_regions)") for i, one in enumerate(X)]
    expected, source = (series[0].shape[1], "X[0]") if n_regions is None else (n_regions, "fit")
    for i, one in enumerate(series):
        n_timepoints, n_here = one.shape
        if n_timepoints < _FEWEST_TIMEPOINTS or n_here < 2:
            raise InputError(
                f"A series needs at least {_FEWEST_TIMEPOINTS} time points and 2 regions: X[{i}] has shape "
                f"{one.shape}. "
                "Rows are time points, columns are regions."
            )
        if n_here != expected:
            raise InputError(
                f"All series must have the same regions: X[{i}] has {n_here}, {source} had {expected}. "
                "Extract them with one atlas."
            )
        if not np.isfinite(one).all():
            t, v = (int(k) for k in np.argwhere(~np.isfinite(one))[0])
            raise InputError(
                f"Series must be finite: X[{i}] is {float(one[t, v])!r} at time {t}, region {v}. Fill it "
                "in, or drop "
                "the region from all series."
            )
    return series
