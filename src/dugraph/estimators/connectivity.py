"""Maps from real-valued connectivity to probabilities, one function each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr
from scipy.stats import rankdata

Floats = NDArray[np.float64]


def positive_part(r: Floats) -> Floats:
    """The correlation itself; negative ones are dropped."""
    return np.clip(r, 0.0, 1.0) + 0.0


def absolute_value(r: Floats) -> Floats:
    """The strength of a correlation, whatever its sign."""
    return np.minimum(np.abs(r), 1.0)


def exceedance_confidence(r: Floats, n_timepoints: int) -> Floats:
    """One minus the one-sided p-value of r > 0, by the t distribution with n_timepoints - 2 degrees.

    This is Fisher's exact distribution of r for independent normal observations without correlation, not its
    approximation by atanh.
    """
    r = np.clip(r, -1.0, 1.0)
    degrees = n_timepoints - 2
    with np.errstate(divide="ignore"):
        # A perfect correlation gives an infinite t, whose probability is 0 or 1.
        t = r * np.sqrt(degrees / ((1.0 - r) * (1.0 + r)))
    return np.asarray(stdtr(degrees, t))


def rank_share(r: Floats) -> Floats:
    """Rank among the positive entries of a row by their number; equal entries share their mean rank."""
    shares = np.zeros_like(r)
    for row, share in zip(r, shares, strict=True):
        present = row > 0
        if present.any():
            share[present] = rankdata(row[present], method="average") / present.sum()
    return shares


def strongest(strength: Floats, n_kept: int) -> NDArray[np.bool_]:
    """Mark the largest entries of each row, and all as large as the last of them."""
    limit = np.partition(strength, -n_kept, axis=1)[:, [-n_kept]]
    return np.asarray(strength >= limit)


def interleaved(negative: Floats, positive: Floats) -> Floats:
    """Columns of both signs in turn, negative first, as `signed_edges` orders them."""
    return np.stack([negative, positive], axis=-1).reshape(*negative.shape[:-1], -1)
