"""The matrix or the series of one subject: its regions, its triangles, its diagonal, its correlations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, edge_label, listed
from dugraph.estimators.probabilities import correlations
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.guards import check_length

Floats = NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-5
"""Relative to the largest value: files keep only some digits."""
# Files keep only some digits of a correlation of 1.
_ROUNDING = 1e-3
_COVARIANCES = "Covariances must be divided by the standard deviations first."


@dataclass(frozen=True)
class Sample:
    """The content of one file.

    Attributes
    ----------
    file : Path
    values : ndarray of shape (n_nodes, n_nodes), or (n_timepoints, n_nodes) for series
    node_labels : tuple of str, or None
        Names of the regions in the order of `values`.
    waytotal : ndarray of shape (n_nodes,), or None
        The number of streamlines sent from each region.
    node_coordinates : ndarray of shape (n_nodes, 3), or None
    """

    file: Path
    values: Floats
    node_labels: tuple[str, ...] | None = None
    waytotal: Floats | None = None
    node_coordinates: Floats | None = None


def check_regions(labels: tuple[str, ...] | None, file: object, n_regions: int) -> None:
    """Refuse fewer than two regions, and names that are missing, empty, too long or repeated."""
    if n_regions < 2:
        raise InputError(f"{file}: a network needs at least two regions, but it has {n_regions}.")
    if labels is None:
        return
    if len(labels) != n_regions:
        raise InputError(
            f"{file}: every region needs one name, but there are {counted(len(labels), 'name')} for "
            f"{counted(n_regions, 'region')}."
        )
    seen: set[str] = set()
    for label in labels:
        check_length(label, file, "region name")
        if not label:
            raise InputError(f"{file}: a region must have a name, but one is empty. Fill it in.")
        if label in seen:
            raise InputError(
                f"{file}: regions must have different names, but {abbreviate(label)!r} appears twice. Rename "
                "or drop one in all files."
            )
        seen.add(label)


def order_like(sample: Sample, first: Sample) -> NDArray[np.intp] | None:
    """Return the positions of the regions of the first file in another file; None if they are the same."""
    here, there = sample.node_labels, first.node_labels
    if here is None or there is None:
        if (here is None) != (there is None):
            raise InputError(
                f"Either all files name their regions or none: {sample.file} and {first.file} differ. "
                "Write them all with one program."
            )
        n_here, n_there = sample.values.shape[1], first.values.shape[1]
        if n_here != n_there:
            raise InputError(
                f"All subjects must have the same regions: {sample.file} has {n_here}, but {first.file} has "
                f"{n_there}. Extract them with one atlas."
            )
        return None
    if here == there:
        return None
    missing, extra = [n for n in there if n not in set(here)], [n for n in here if n not in set(there)]
    if missing or extra:
        parts = [
            f"{word} {counted(len(names), 'region')} ({listed(names, 8)})"
            for word, names in (("lacks", missing), ("adds", extra))
            if names
        ]
        raise InputError(
            f"All subjects must have the same regions: {sample.file} {' and '.join(parts)}, compared with "
            f"{first.file}. Drop these regions from all files, or leave out the subject."
        )
    position = {name: i for i, name in enumerate(here)}
    return np.array([position[name] for name in there], dtype=np.intp)


def symmetrize(
    matrix: Floats, kind: str, file: object, labels: tuple[str, ...] | None
) -> tuple[Floats, list[str]]:
    """Return the edges of a matrix in ``np.tril_indices(n_nodes, -1)`` order; the diagonal is ignored.

    Counts of streamlines differ with the direction and are averaged with the transpose. A matrix with one
    empty triangle is mirrored. An edge whose value is missing in one direction is missing, NaN. Any other
    asymmetry beyond rounding is refused.

    Returns
    -------
    edges : ndarray of shape (n_nodes * (n_nodes - 1) / 2,)
    rules : list of str
        What was done; empty if the matrix is symmetric.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{file}: a connectivity matrix must be square, but its shape is {matrix.shape}.")
    flat = np.ravel(matrix)
    lower, upper = (flat.take(at) for at in _pairs(len(matrix)))
    if np.array_equal(lower, upper):
        return lower + 0.0, []
    same = lower == upper
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(lower - upper)
    # NaN where a value is missing, or infinite in both directions.
    if np.isnan(gap.max(initial=0.0)):
        same |= np.isnan(lower) & np.isnan(upper)
    if same.all():
        return lower + 0.0, []
    # NaN is ignored.
    largest = [np.fmax.reduce(np.abs(half)) for half in (lower, upper)]
    if not largest[0] > 0:
        return upper + 0.0, ["only upper triangle, mirrored"]
    if not largest[1] > 0:
        return lower + 0.0, ["only lower triangle, mirrored"]
    with np.errstate(invalid="ignore"):
        mean = lower / 2
        mean += upper / 2
    # The mean of equal numbers may be rounded, that of equal infinities is infinite.
    np.copyto(mean, lower, where=same)
    if kind == "count":
        return mean, ["averaged with the transpose"]
    scale = max(largest)
    if np.isinf(scale):
        scale = max(np.abs(half[np.isfinite(half)]).max(initial=0.0) for half in (lower, upper))
    agrees = same | (gap <= RELATIVE_TOLERANCE * scale)
    if agrees.all():
        return mean, ["rounding averaged out"]
    half = np.isnan(lower) ^ np.isnan(upper)
    if not (agrees | half).all():
        e = int(np.argmin(agrees | half))
        i, j = (int(k) for k in divmod(int(_pairs(len(matrix))[0][e]), len(matrix)))
        names = labels or tuple(map(str, range(len(matrix))))
        raise InputError(
            f"{file}: a connectivity matrix must be symmetric, but {edge_label(names, i, j)} is "
            f"{float(lower[e])!r} in one direction and {float(upper[e])!r} in the other.",
            way_out=(
                "Average it with its transpose first; counts of streamlines (",
                *(Setting("values", "count"), ") are averaged automatically."),
            ),
        )
    rules = ["missing where one direction is"]
    return mean, rules if (same | half).all() else [*rules, "rounding averaged out"]


@lru_cache(maxsize=2)
def _pairs(n_nodes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of all pairs in the lower and in the upper triangle of a flat matrix."""
    rows, columns = np.tril_indices(n_nodes, -1)
    return rows * n_nodes + columns, columns * n_nodes + rows


def check_diagonal(matrix: Floats, kind: str, file: object) -> None:
    """Refuse a matrix whose diagonal contradicts the kind of its values; 0 and missing contradict none."""
    diagonal = np.diagonal(matrix)
    known = diagonal[~np.isnan(diagonal) & (diagonal != 0)]
    if not known.size:
        return
    is_one = np.abs(known - 1) <= _ROUNDING
    way_out: Sentence = ("If they are correlations, add ", Setting("values", "correlation"), ".")
    if kind == "correlation" and not is_one.all():
        value = float(known[np.argmin(is_one)])
        way_out = f"{_COVARIANCES} If these are correlations, write 1 or 0 on the diagonal."
        if value > 1:
            way_out = (
                *("If these are Fisher z values, add ", Setting("values", "fisher_z")),
                *("; if counts of streamlines, ", Setting("values", "count"), ". ", _COVARIANCES),
            )
        raise InputError(
            f"{file}: correlations must be 1, 0 or missing on the diagonal, but there is {value!r}.",
            way_out=way_out,
        )
    if kind == "fisher_z" and is_one.all():
        raise InputError(
            f"{file}: Fisher z values must not be 1 throughout the diagonal, where they are infinite, large, "
            "0 or missing; 1 is the diagonal of correlations.",
            way_out=way_out,
        )
    if kind == "count" and is_one.all() and np.nanmax(matrix) <= 1 + _ROUNDING:
        raise InputError(
            f"{file}: counts of streamlines must not be 1 throughout the diagonal and at most 1 elsewhere: "
            "correlations are like that.",
            way_out=way_out,
        )


# Time series to correlations; NaN where a region cannot be correlated.

_FEWEST_TIMEPOINTS = 3
# Beyond it squares overflow; no signal is so large.
_LARGEST_SIGNAL = 1e100


def correlations_of_series(series: Floats, file: object, labels: tuple[str, ...] | None) -> Floats:
    """Return the correlations of all pairs of regions in ``np.tril_indices(n_regions, -1)`` order.

    NaN where a region is constant or missing throughout.
    """
    r, constant = correlations(checked_series(series, file, labels))
    if constant.any():
        either = constant[:, None] | constant
        r[either.ravel().take(_pairs(len(constant))[0])] = np.nan
    return r


def checked_series(series: Floats, file: object, labels: tuple[str, ...] | None) -> Floats:
    """Refuse series that are too short or not finite; a region without any value becomes constant."""
    if len(series) < _FEWEST_TIMEPOINTS:
        raise InputError(
            f"{file}: a series needs at least {_FEWEST_TIMEPOINTS} time points, but has {len(series)}. "
            "Rows are time points, columns are regions."
        )
    # Written so that NaN, which compares false with everything, is unknown too.
    known = np.abs(series) < _LARGEST_SIGNAL
    if known.all():
        return series
    nowhere = np.isnan(series).all(axis=0)
    if not (known | nowhere).all():
        t, v = (int(k) for k in np.argwhere(~(known | nowhere))[0])
        name = labels[v] if labels else v
        raise InputError(
            f"{file}: a series must be finite, but region {abbreviate(name)} is {float(series[t, v])!r} "
            f"at time point {t + 1}. Interpolate it, or drop that time point from all regions."
        )
    return np.where(nowhere, 0.0, series)
