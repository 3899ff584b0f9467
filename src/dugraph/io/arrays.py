"""One array of all matrices: which axis counts the subjects, and which subject each matrix belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Floats, Sample
from dugraph.io.symmetry import RELATIVE_TOLERANCE


def subjects_first(array: Floats, where: object) -> tuple[Floats, str]:
    """Return an array in the shape (n_subjects, n_regions, n_regions), and say which axis was the subjects'.

    Parameters
    ----------
    array : ndarray of shape (n_subjects, n_regions, n_regions) or (n_regions, n_regions, n_subjects)
        Where all three are equal, the matrices must be symmetric along one axis only.
    where : object
        For messages.

    Returns
    -------
    array : ndarray of shape (n_subjects, n_regions, n_regions)
    note : str
    """
    if array.ndim != 3 or 0 in array.shape:
        raise _refused(array, where, "")
    first, last = array.shape[1] == array.shape[2], array.shape[0] == array.shape[1]
    if first and last:
        first, last = _is_symmetric(array), _is_symmetric(np.moveaxis(array, 2, 0))
        if first == last:
            raise _refused(array, where, " whose matrices may lie along the first axis or the last")
    if first:
        return array, f"first axis, of length {len(array)}"
    if last:
        moved = np.ascontiguousarray(np.moveaxis(array, 2, 0))
        return moved, f"last axis, of length {len(moved)}"
    raise _refused(array, where, "")


def _is_symmetric(matrices: Floats) -> bool:
    with np.errstate(invalid="ignore"):
        scale = np.nanmax(np.abs(np.where(np.isfinite(matrices), matrices, 0.0)), initial=0.0)
    other = matrices.transpose(0, 2, 1)
    return bool(np.allclose(matrices, other, rtol=0, atol=RELATIVE_TOLERANCE * scale, equal_nan=True))


def _refused(array: Floats, where: object, but: str) -> InputError:
    return InputError(
        f"{where}: one array of all subjects must have the shape (subjects, regions, regions) or (regions, "
        f"regions, subjects), but its shape is {array.shape}{but}. Save it in the first of these shapes, or "
        "one square matrix per subject."
    )


def ids_in_order(
    n_subjects: int, subjects: Sequence[str] | None, where: object
) -> tuple[tuple[str, ...], str]:
    """Return the subjects of rows or matrices that come without ids: those of the table, in its order.

    Parameters
    ----------
    n_subjects : int
    subjects : sequence of str, or None
        The ids of the table; without a table, subjects are numbered from 1.
    where : object
        For messages.

    Returns
    -------
    ids : tuple of str
    note : str
        What was assumed.
    """
    if subjects is None:
        return tuple(str(i + 1) for i in range(n_subjects)), "numbered from 1: the file does not name them"
    if len(subjects) != n_subjects:
        raise InputError(
            f"{where}: without ids of its own, the file must have as many subjects as the table has rows, "
            f"in the same order, but it has {n_subjects} and the table {len(subjects)}.",
            parameter="participants",
            way_out=("Give the table of exactly these subjects (", Setting("participants"), ")."),
        )
    return tuple(subjects), "by their order: row i of the table is subject i of the file"


def matrix_samples(
    array: Floats,
    ids: Sequence[str],
    where: object,
    node_labels: tuple[str, ...] | None = None,
    node_coordinates: Floats | None = None,
) -> Iterator[Sample]:
    """Return the matrices of an array of shape (n_subjects, n_regions, n_regions) as samples."""
    for i, (graph_id, matrix) in enumerate(zip(ids, array, strict=True)):
        yield Sample(graph_id, Path(f"{where}[{i}]"), matrix, node_labels, node_coordinates=node_coordinates)
