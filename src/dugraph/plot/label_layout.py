"""Names in the margins of a drawing, at a distance from each other."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression


def spread(wanted: ArrayLike, gap: float, within: tuple[float, float] | None = None) -> NDArray[np.float64]:
    """Move positions on a line as little as needed for a distance of at least `gap` between any two.

    Parameters
    ----------
    wanted : array-like of shape (n,)
        Where each would best be.
    gap : float
        Smallest distance between neighbours.
    within : pair of float, optional
        Lowest and highest position; long enough for n - 1 gaps.

    Returns
    -------
    ndarray of shape (n,)
        Positions in the same order along the line; without `within` the sum of squared moves is the least
        possible.
    """
    wanted = np.asarray(wanted, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    offset = gap * np.arange(len(wanted))
    # With the gaps taken out, the positions must only not decrease.
    level = isotonic_regression(wanted[order] - offset).x if len(wanted) else wanted
    if within is not None:
        # With the gaps taken out, both ends are the same for all positions, so that none loses its distance.
        level = np.clip(level, within[0], within[1] - gap * max(len(wanted) - 1, 0))
    placed = np.empty_like(wanted)
    placed[order] = level + offset
    return placed
