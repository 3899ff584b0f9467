"""Covariates as numbers: numeric columns as they are, categories as indicators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.participant_columns import named_columns
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.wording import shown
from dugraph.exceptions import InputError


def covariate_matrix(covariates: Any, cohort: UncertainGraphs) -> NDArray[np.float64]:
    """All covariates side by side, shape (n_graphs, n_columns); no column for None."""
    if covariates is None:
        return np.empty((cohort.n_graphs, 0))
    columns = named_columns(covariates, "covariates", cohort)
    return np.column_stack([_numbers(name, column, cohort) for name, column in columns.items()])


def _numbers(name: str, column: NDArray[Any], cohort: UncertainGraphs) -> NDArray[np.float64]:
    if not is_category(name, column, cohort.graph_ids):
        return column.astype(np.float64)[:, None]
    categories, codes = np.unique(column, return_inverse=True)
    # One indicator per category but the first: the blocks' own indicators stand for that one.
    return np.eye(len(categories))[codes][:, 1:]


def is_category(name: str, column: NDArray[Any], graph_ids: Sequence[str]) -> bool:
    """Tell names of groups from numbers, and refuse what is neither, and numbers that are not finite."""
    if column.dtype.kind in "iuf":
        numbers = column.astype(np.float64)
        if not np.isfinite(numbers).all():
            i = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise InputError(
                f"A covariate must be finite: {shown(name)} of {shown(graph_ids[i])} is "
                f"{float(numbers[i])!r}. Drop the graph, or correct its value.",
                parameter="covariates",
            )
        return False
    if column.dtype.kind not in "bU":
        raise InputError(
            f"A covariate must be all numbers, all text or all booleans: {shown(name)} has dtype "
            f"{column.dtype}. Convert it first.",
            parameter="covariates",
        )
    return True


def block_codes(blocks: Any, cohort: UncertainGraphs) -> tuple[NDArray[np.int64], list[str]]:
    """The block of each graph, numbered in the sorted order of their names, and these names.

    Several columns are crossed: a block is then a combination of values that occurs. None is one block.
    """
    if blocks is None:
        return np.zeros(cohort.n_graphs, dtype=np.int64), ["all"]
    columns = named_columns(blocks, "blocks", cohort)
    for name, column in columns.items():
        if column.dtype.kind not in "biufU":
            raise InputError(
                f"A block must be named by text, numbers or booleans: {shown(name)} has dtype "
                f"{column.dtype}. Convert it to text.",
                parameter="blocks",
            )
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns.values()])
    _, first, block = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    names = [" ".join(str(column[i]) for column in columns.values()) for i in first]
    return block.reshape(-1), names
