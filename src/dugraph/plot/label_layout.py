"""Names in the margins of a drawing, at a distance from each other."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def spread(wanted: ArrayLike, gap: float) -> NDArray[np.float64]:
    """Move positions on a line as little as needed for a distance of at least `gap` between any two.

    Parameters
    ----------
    wanted : array-like of shape (n,)
        Where each would best be.
    gap : float
        Smallest distance between neighbours.

    Returns
    -------
    ndarray of shape (n,)
        Positions in the same order along the line; the sum of squared moves is the least possible.
    """
    wanted = np.asarray(wanted, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    offset = gap * np.arange(len(wanted))
    # With the gaps taken out, the positions must only not decrease: isotonic regression by pooling blocks.
    blocks: list[tuple[float, int]] = []
    for value in wanted[order] - offset:
        mean, size = float(value), 1
        while blocks and blocks[-1][0] > mean:
            before, n = blocks.pop()
            mean, size = (mean * size + before * n) / (size + n), size + n
        blocks.append((mean, size))
    placed = np.empty_like(wanted)
    placed[order] = np.repeat([m for m, _ in blocks], [n for _, n in blocks]) + offset
    return placed
