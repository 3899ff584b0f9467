"""What the diagonal of a matrix tells about its numbers: a region's correlation with itself is 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError, Setting

# Files keep some digits only.
_ROUNDING = 1e-3
_COVARIANCES = "Covariances must be divided by the standard deviations first."

Floats = NDArray[np.float64]


def check_diagonal(matrix: Floats, kind: str, file: object) -> None:
    """Refuse a matrix whose diagonal contradicts what its numbers are taken for; empty and 0 prove nothing.

    Parameters
    ----------
    matrix : ndarray of shape (n_nodes, n_nodes)
    kind : str
        As for `Connectomes`.
    file : object
        For messages.
    """
    diagonal = np.diagonal(matrix)
    known = diagonal[~np.isnan(diagonal) & (diagonal != 0)]
    if not known.size:
        return
    is_one = np.abs(known - 1) <= _ROUNDING
    if kind == "correlation" and not is_one.all():
        _refuse_correlation(float(known[np.argmin(is_one)]), file)
    if kind == "fisher_z" and is_one.all():
        raise InputError(
            f"{file}: Fisher z values must not be 1 throughout the diagonal, where they are infinite, large, "
            "0 or missing; 1 is the diagonal of correlations.",
            way_out=("If they are correlations, add ", Setting("values", "correlation"), "."),
        )
    if kind == "count" and is_one.all() and np.nanmax(matrix) <= 1 + _ROUNDING:
        raise InputError(
            f"{file}: counts of streamlines must not be 1 throughout the diagonal and at most 1 elsewhere: "
            "correlations are like that.",
            way_out=("If they are correlations, add ", Setting("values", "correlation"), "."),
        )


def _refuse_correlation(value: float, file: object) -> None:
    way_out: tuple[str | Setting, ...]
    if value > 1:
        way_out = (
            *("If these are Fisher z values, add ", Setting("values", "fisher_z")),
            *("; if counts of streamlines, ", Setting("values", "count"), ". ", _COVARIANCES),
        )
    else:
        way_out = (_COVARIANCES, " If these are correlations, write 1 or 0 on the diagonal.")
    raise InputError(
        f"{file}: correlations must be 1, 0 or missing on the diagonal, but there is {value!r}.",
        way_out=way_out,
    )
