"""The stationary bootstrap of Politis and Romano (1994) for correlations of a multivariate series."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# A region whose spread is below this share of its size is constant but for rounding.
_SPREAD = 1e-12


def series_generator(seed: int, series: Floats) -> np.random.Generator:
    """Random numbers for one series: by seed and content, so that its place in a list does not matter."""
    digest = hashlib.sha256(np.ascontiguousarray(series).tobytes()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype="<u4").tolist()])


def stationary_indices(n_timepoints: int, block_length: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Time points of one resample: blocks from random starts, of geometric length, on a circle.

    Parameters
    ----------
    n_timepoints : int
    block_length : float
        Mean length of a block, at least 1; 1 is the ordinary bootstrap.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (n_timepoints,)
    """
    begins = rng.random(n_timepoints) < 1.0 / block_length
    begins[0] = True
    starts = rng.integers(0, n_timepoints, size=n_timepoints)
    # Each time point continues the latest block that began at or before it.
    begin = np.maximum.accumulate(np.where(begins, np.arange(n_timepoints), 0))
    return np.asarray((starts[begin] + np.arange(n_timepoints) - begin) % n_timepoints)


def correlations(series: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Pearson correlations of all pairs of regions, and which regions are constant.

    Parameters
    ----------
    series : ndarray of shape (n_timepoints, n_regions)

    Returns
    -------
    r : ndarray of shape (n_pairs,)
        In ``np.tril_indices(n_regions, -1)`` order, within [-1, 1]; 0 where a region is constant.
    constant : ndarray of bool, shape (n_regions,)
    """
    centred = series - series.mean(axis=0)
    norm = np.linalg.norm(centred, axis=0)
    constant = norm <= _SPREAD * np.linalg.norm(series, axis=0)
    centred = np.divide(centred, norm, out=np.zeros_like(centred), where=~constant)
    rows, columns = np.tril_indices(series.shape[1], -1)
    return np.clip((centred.T @ centred)[rows, columns], -1.0, 1.0), constant


def exceedance_share(
    series: Floats, threshold: float, n_resamples: int, block_length: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Share of resamples in which each correlation exceeds the threshold, and in which its opposite does.

    O(n_resamples n_timepoints n_regions^2).

    Returns
    -------
    negative, positive : ndarray of shape (n_pairs,)
        Shares of -r and of r. A resample in which a region is constant counts as not exceeding.
    """
    n_timepoints, n_regions = series.shape
    exceeding = np.zeros((2, n_regions * (n_regions - 1) // 2), dtype=np.int64)
    rows, columns = np.tril_indices(n_regions, -1)
    for _ in range(n_resamples):
        r, constant = correlations(series[stationary_indices(n_timepoints, block_length, rng)])
        known = ~(constant[rows] | constant[columns])
        exceeding += np.stack([-r > threshold, r > threshold]) & known
    negative, positive = exceeding / n_resamples
    return negative, positive
