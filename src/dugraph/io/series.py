"""Series of regions to correlations or bootstrap shares; what cannot be correlated is NaN."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import shown
from dugraph.estimators import TimeSeriesEdgeProbability
from dugraph.estimators.probabilities import correlations
from dugraph.exceptions import ConstantRegionWarning, InputError
from dugraph.io.connectomes import Connectomes, Floats

_FEWEST_TIMEPOINTS = 3
# Beyond it squares overflow; no signal is so large.
_LARGEST = 1e100


def correlations_of_series(connectomes: Connectomes) -> Floats:
    """Correlations of all pairs of regions; NaN where a region is constant or missing throughout.

    Parameters
    ----------
    connectomes : Connectomes
        Of kind "series".

    Returns
    -------
    ndarray of shape (n_graphs, n_pairs)
        In ``np.tril_indices(n_regions, -1)`` order.
    """
    rows = []
    for series in _filled(connectomes):
        r, constant = correlations(series)
        r[_edges_of(constant)] = np.nan
        rows.append(r)
    return np.stack(rows)


def bootstrap_probability(connectomes: Connectomes, threshold: float, random_state: int) -> Floats:
    """Share of resamples in which a correlation exceeds the threshold; NaN as in `correlations_of_series`.

    Parameters
    ----------
    connectomes : Connectomes
        Of kind "series".
    threshold : float
    random_state : int

    Returns
    -------
    ndarray of shape (n_graphs, n_pairs)
    """
    series = _filled(connectomes)
    step = TimeSeriesEdgeProbability("bootstrap", threshold=threshold, random_state=random_state)
    with warnings.catch_warnings():
        # Constant regions are missing edges here, which have a rule of their own.
        warnings.simplefilter("ignore", ConstantRegionWarning)
        probability = step.fit_transform(series)
    for row, one in zip(probability, series, strict=True):
        row[_edges_of(correlations(one)[1])] = np.nan
    return np.asarray(probability)


def _filled(connectomes: Connectomes) -> list[Floats]:
    """Check every series; a region without any value becomes a constant one."""
    assert connectomes.series is not None
    filled = []
    for series, file in zip(connectomes.series, connectomes.files, strict=True):
        if len(series) < _FEWEST_TIMEPOINTS:
            raise InputError(
                f"{file}: a series needs at least {_FEWEST_TIMEPOINTS} time points, but has {len(series)}. "
                "Rows are time points, columns are regions."
            )
        nowhere = np.isnan(series).all(axis=0)
        # Written so that NaN, which compares false with everything, is unknown too.
        known = np.abs(series) < _LARGEST
        if not (known | nowhere).all():
            t, v = (int(k) for k in np.argwhere(~(known | nowhere))[0])
            name = connectomes.node_labels[v] if connectomes.node_labels else v
            raise InputError(
                f"{file}: a series must be finite, but region {shown(name)} is {float(series[t, v])!r} at "
                f"time point {t + 1}. Interpolate it, or drop that time point from all regions."
            )
        filled.append(np.where(nowhere, 0.0, series))
    return filled


def _edges_of(regions: NDArray[np.bool_]) -> NDArray[np.bool_]:
    rows, columns = np.tril_indices(len(regions), -1)
    return np.asarray(regions[rows] | regions[columns])
