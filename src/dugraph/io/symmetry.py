"""From a square matrix to its edges: what counts as symmetric, and what is done when it is not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import shown_pair
from dugraph.exceptions import InputError, Setting

RELATIVE_TOLERANCE = 1e-5
"""Of the largest value: files keep some digits only."""

Floats = NDArray[np.float64]


def folded(
    matrix: Floats, kind: str, file: object, labels: tuple[str, ...] | None
) -> tuple[Floats, list[str]]:
    """Return the edges of a matrix in ``np.tril_indices(n_nodes, -1)`` order; the diagonal is ignored.

    Counts of streamlines differ with the direction and are averaged with the transpose. A matrix with one
    empty triangle is mirrored. An edge whose value is missing in one direction is missing, NaN. Any other
    asymmetry beyond rounding is refused.

    Parameters
    ----------
    matrix : ndarray of shape (n_nodes, n_nodes)
    kind : str
        As for `Connectomes`.
    file : object
        For messages.
    labels : tuple of str, or None
        For messages.

    Returns
    -------
    edges : ndarray of shape (n_nodes * (n_nodes - 1) / 2,)
    rules : list of str
        What was done; empty if the matrix is symmetric.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{file}: a connectivity matrix must be square, but its shape is {matrix.shape}.")
    rows, columns = np.tril_indices(len(matrix), -1)
    lower, upper = matrix[rows, columns], matrix[columns, rows]
    same = (lower == upper) | (np.isnan(lower) & np.isnan(upper))
    if same.all():
        return lower + 0.0, []
    if not _any(lower):
        return upper + 0.0, ["only upper triangle, mirrored"]
    if not _any(upper):
        return lower + 0.0, ["only lower triangle, mirrored"]
    with np.errstate(invalid="ignore"):
        # The mean of equal infinities is infinite; their difference would be NaN.
        mean = np.where(same, lower, lower / 2 + upper / 2)
    if kind == "count":
        return mean, ["averaged with the transpose"]
    half = np.isnan(lower) ^ np.isnan(upper)
    scale = max(_largest(lower), _largest(upper))
    with np.errstate(invalid="ignore", over="ignore"):
        differs = ~(same | half | (np.abs(lower - upper) <= RELATIVE_TOLERANCE * scale))
    if differs.any():
        e = int(np.argmax(differs))
        i, j = int(rows[e]), int(columns[e])
        names = labels or tuple(map(str, range(len(matrix))))
        raise InputError(
            f"{file}: a connectivity matrix must be symmetric, but {shown_pair(names, i, j)} is "
            f"{float(lower[e])!r} in one direction and {float(upper[e])!r} in the other.",
            way_out=(
                "Average it with its transpose first; counts of streamlines (",
                *(Setting("values", "count"), ") are averaged automatically."),
            ),
        )
    rules = ["missing where one direction is"] if half.any() else []
    return mean, rules if (same | half).all() else [*rules, "rounding averaged out"]


def _any(values: Floats) -> bool:
    return bool((np.nan_to_num(values) != 0).any())


def _largest(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if finite.size else 0.0
