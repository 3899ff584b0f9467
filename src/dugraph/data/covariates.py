"""Covariates as numbers: numeric columns as they are, categories as indicators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.participant_columns import named_columns
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.wording import shown
from dugraph.exceptions import InputError

RANK_TOLERANCE = 1e-8
"""Directions below this share of the largest, and residuals below this share of y, are rounding."""


def covariate_matrix(covariates: Any, cohort: UncertainGraphs) -> NDArray[np.float64]:
    """All covariates side by side, shape (n_graphs, n_columns); no column for None."""
    if covariates is None:
        return np.empty((cohort.n_graphs, 0))
    columns = named_columns(covariates, "covariates", cohort)
    return np.column_stack([_numbers(name, column, cohort) for name, column in columns.items()])


def _numbers(name: str, column: NDArray[Any], cohort: UncertainGraphs) -> NDArray[np.float64]:
    if column.dtype.kind in "iuf":
        numbers = column.astype(np.float64)
        if not np.isfinite(numbers).all():
            i = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise InputError(
                f"A covariate must be finite: {shown(name)} of {shown(cohort.graph_ids[i])} is "
                f"{float(numbers[i])!r}. Drop the graph, or correct its value.",
                parameter="covariates",
            )
        return numbers[:, None]
    if column.dtype.kind not in "bU":
        raise InputError(
            f"A covariate must be all numbers, all text or all booleans: {shown(name)} has dtype "
            f"{column.dtype}. Convert it first.",
            parameter="covariates",
        )
    categories, codes = np.unique(column, return_inverse=True)
    # One indicator per category but the first, for which the intercept of each block stands.
    return np.eye(len(categories))[codes][:, 1:]


def covariate_basis(covariates: NDArray[np.float64], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Orthonormal columns that span the covariates within cells; redundant ones are left out.

    Parameters
    ----------
    covariates : ndarray of shape (n_graphs, n_columns)
    cells : ndarray of int, shape (n_graphs,)
        Numbered from 0. Each cell has an intercept of its own: columns are centred within it.
    """
    columns = covariates - covariates.mean(axis=0)  # large offsets would drown what varies
    spread = np.sqrt((columns**2).sum(axis=0))
    scale = np.maximum(np.abs(covariates).max(axis=0, initial=0.0), 1e-300)
    columns = columns[:, spread > RANK_TOLERANCE * scale] / spread[spread > RANK_TOLERANCE * scale]
    member = np.eye(int(cells.max()) + 1)[cells]
    columns = columns - member @ ((member.T @ columns) / member.sum(axis=0)[:, None])
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, : int((singular > RANK_TOLERANCE).sum())])
