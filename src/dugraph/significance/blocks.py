"""Blocks as numbers: labels move only among the graphs of one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.participant_columns import named_columns
from dugraph.data.wording import shown
from dugraph.exceptions import InputError


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
