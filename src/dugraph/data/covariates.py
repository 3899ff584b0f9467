"""Covariates as numbers: numeric columns as they are, categories as indicators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate
from dugraph.data.columns import named_columns
from dugraph.data.graphs import UncertainGraphs
from dugraph.exceptions import InputError

Floats = NDArray[np.float64]

RANK_TOLERANCE = 1e-8
"""Directions below this share of the largest, and residuals below this share of y, are rounding."""


def covariate_matrix(covariates: Any, cohort: UncertainGraphs) -> Floats:
    """Return all covariates side by side, shape (n_graphs, n_columns); no column for None."""
    if covariates is None:
        return np.empty((cohort.n_graphs, 0))
    columns = named_columns(covariates, "covariates", cohort)
    return np.column_stack(
        [_numbers(column, _categories(name, column, cohort.graph_ids)) for name, column in columns.items()]
    )


def _categories(name: str, column: NDArray[Any], graph_ids: Sequence[str]) -> NDArray[Any] | None:
    """Return the sorted categories of text or booleans, None for numbers; refuse anything else."""
    if column.dtype.kind in "bU":
        return np.unique(column)
    if column.dtype.kind not in "iuf":
        raise InputError(
            f"A covariate must be all numbers, all text or all booleans: {abbreviate(name)} has dtype "
            f"{column.dtype}. Convert it first.",
            parameter="covariates",
        )
    numbers = column.astype(np.float64)
    if not np.isfinite(numbers).all():
        i = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(
            f"A covariate must be finite: {abbreviate(name)} of {abbreviate(graph_ids[i])} is "
            f"{float(numbers[i])!r}. Drop the graph, or correct its value.",
            parameter="covariates",
        )
    return None


def _numbers(column: NDArray[Any], categories: NDArray[Any] | None) -> Floats:
    if categories is None:
        return column.astype(np.float64)[:, np.newaxis]
    # One indicator per category except the first, which the intercept represents.
    return np.asarray(column[:, np.newaxis] == categories[np.newaxis, 1:], dtype=np.float64)


def covariate_basis(covariates: Floats, cells: NDArray[np.int64]) -> Floats:
    """Return orthonormal columns that span the covariates within cells, without redundant ones.

    Parameters
    ----------
    covariates : ndarray of shape (n_graphs, n_columns)
    cells : ndarray of int, shape (n_graphs,)
        Numbered from 0. Each cell has its own intercept: columns are centred within it.
    """
    columns = covariates - covariates.mean(axis=0)  # a large offset would hide small variation
    spread = np.sqrt((columns**2).sum(axis=0))
    scale = np.maximum(np.abs(covariates).max(axis=0, initial=0.0), 1e-300)
    columns = columns[:, spread > RANK_TOLERANCE * scale] / spread[spread > RANK_TOLERANCE * scale]
    member = np.eye(int(cells.max()) + 1)[cells]
    columns = columns - member @ ((member.T @ columns) / member.sum(axis=0)[:, None])
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, : int((singular > RANK_TOLERANCE).sum())])


@dataclass(frozen=True)
class CodedColumn:
    """How one covariate becomes numbers.

    Attributes
    ----------
    name : str
    categories : ndarray or None
        The categories of the training graphs in sorted order; None for a column of numbers.
    mean : ndarray of shape (n_numbers,)
        Mean of the numbers in the training graphs: one, or one per category except the first.
    """

    name: str
    categories: NDArray[Any] | None
    mean: Floats

    @property
    def titles(self) -> list[str]:
        """Names of its numbers: that of the column, or ``column: category``."""
        if self.categories is None:
            return [self.name]
        return [f"{self.name}: {category}" for category in self.categories[1:].tolist()]

    @classmethod
    def of(cls, name: str, column: NDArray[Any], graph_ids: Sequence[str]) -> Self:
        """Learn the code of a column."""
        categories = _categories(name, column, graph_ids)
        return cls(name, categories, _numbers(column, categories).mean(axis=0))

    def numbers(self, column: NDArray[Any], graph_ids: Sequence[str]) -> Floats:
        """Return the numbers minus their training means; all 0 for a category unknown in training."""
        if (_categories(self.name, column, graph_ids) is None) != (self.categories is None):
            kinds = "categories" if self.categories is not None else "numbers"
            raise InputError(
                f"A covariate must be what it was in fit: {abbreviate(self.name)} was a column of {kinds}, "
                f"but is of dtype {column.dtype}. Convert it.",
                parameter="covariates",
            )
        numbers = _numbers(column, self.categories) - self.mean
        if self.categories is not None:
            numbers[~np.isin(column, self.categories)] = 0.0
        return numbers


@dataclass(frozen=True)
class CovariateCode:
    """How covariates become numbers: what a fit must remember of them.

    A category that no training graph had, such as a new site, counts as the average of the training graphs.

    Examples
    --------
    >>> code = CovariateCode.of({"age": np.array([20.0, 40.0]), "site": np.array(["A", "B"])}, ["s1", "s2"])
    >>> code.numbers({"age": np.array([50.0, 30.0]), "site": np.array(["B", "C"])}, ["s3", "s4"]).tolist()
    [[20.0, 0.5], [0.0, 0.0]]
    """

    columns: tuple[CodedColumn, ...]

    @property
    def titles(self) -> list[str]:
        """Names of the numbers, in their order."""
        return [title for column in self.columns for title in column.titles]

    @property
    def n_numbers(self) -> int:
        """Number of numbers per graph."""
        return sum(len(column.mean) for column in self.columns)

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> Self:
        """Learn the code of covariates; `graph_ids` are for messages."""
        return cls(tuple(CodedColumn.of(name, column, graph_ids) for name, column in columns.items()))

    def numbers(self, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> Floats:
        """Return all covariates side by side, shape (n_graphs, n_numbers)."""
        parts = [one.numbers(columns[one.name], graph_ids) for one in self.columns]
        return np.column_stack([np.empty((len(graph_ids), 0)), *parts])
