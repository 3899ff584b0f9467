"""Covariates as numbers by a code that training graphs define: centred, new categories as the average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dugraph.data.covariates import is_category
from dugraph.data.wording import shown
from dugraph.exceptions import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CodedColumn:
    """How one covariate becomes numbers.

    Attributes
    ----------
    name : str
    categories : ndarray or None
        Those of the training graphs in sorted order; None for a column of numbers.
    mean : ndarray of shape (n_numbers,)
        Of the numbers in the training graphs: one, or one for each category but the first.
    """

    name: str
    categories: NDArray[Any] | None
    mean: Floats

    @property
    def titles(self) -> list[str]:
        """What its numbers are called: as the column is, or ``column: category``."""
        if self.categories is None:
            return [self.name]
        return [f"{self.name}: {category}" for category in self.categories[1:].tolist()]

    @classmethod
    def of(cls, name: str, column: NDArray[Any], graph_ids: Sequence[str]) -> Self:
        """Learn the code of a column."""
        categories = np.unique(column) if is_category(name, column, graph_ids) else None
        return cls(name, categories, _numbers(column, categories).mean(axis=0))

    def numbers(self, column: NDArray[Any], graph_ids: Sequence[str]) -> Floats:
        """The numbers of a column minus their means in training; of a category that is new there, all 0."""
        category = is_category(self.name, column, graph_ids)
        if category != (self.categories is not None):
            kinds = "categories" if self.categories is not None else "numbers"
            raise InputError(
                f"A covariate must be what it was in fit: {shown(self.name)} was a column of {kinds}, but is "
                f"of dtype {column.dtype}. Convert it.",
                parameter="covariates",
            )
        numbers = _numbers(column, self.categories) - self.mean
        if self.categories is not None:
            numbers[~np.isin(column, self.categories)] = 0.0
        return numbers


@dataclass(frozen=True)
class CovariateCode:
    """How covariates become numbers: all that a fit must remember of them.

    A category that training graphs did not have, such as a new site, counts as their average.

    Examples
    --------
    >>> code = CovariateCode.of({"age": np.array([20.0, 40.0]), "site": np.array(["A", "B"])}, ["s1", "s2"])
    >>> code.numbers({"age": np.array([50.0, 30.0]), "site": np.array(["B", "C"])}, ["s3", "s4"]).tolist()
    [[20.0, 0.5], [0.0, 0.0]]
    """

    columns: tuple[CodedColumn, ...]

    @property
    def titles(self) -> list[str]:
        """What the numbers are called, in their order."""
        return [title for column in self.columns for title in column.titles]

    @property
    def n_numbers(self) -> int:
        """How many numbers a graph has."""
        return sum(len(column.mean) for column in self.columns)

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> Self:
        """Learn the code of covariates; `graph_ids` are for messages."""
        return cls(tuple(CodedColumn.of(name, column, graph_ids) for name, column in columns.items()))

    def numbers(self, columns: Mapping[str, NDArray[Any]], graph_ids: Sequence[str]) -> Floats:
        """All covariates side by side, shape (n_graphs, n_numbers)."""
        parts = [one.numbers(columns[one.name], graph_ids) for one in self.columns]
        return np.column_stack([np.empty((len(graph_ids), 0)), *parts])


def _numbers(column: NDArray[Any], categories: NDArray[Any] | None) -> Floats:
    if categories is None:
        return column.astype(np.float64)[:, np.newaxis]
    # One indicator per category but the first, for which the intercept stands.
    return np.asarray(column[:, np.newaxis] == categories[np.newaxis, 1:], dtype=np.float64)
