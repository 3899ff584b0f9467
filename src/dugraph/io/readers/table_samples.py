"""From a table of one subject to a `Sample`: names of regions from its header and its first column."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Sample
from dugraph.io.delimited import NumberTable
from dugraph.io.regions import check_regions, order_like


def matrix_sample(table: NumberTable, graph_id: str, file: Path) -> Sample:
    """Return a square table as a sample; rows and columns may have their regions in different orders.

    Parameters
    ----------
    table : NumberTable
    graph_id : str
    file : Path

    Returns
    -------
    Sample
        Without names if the header only counts 0, 1, 2, ...
    """
    columns, rows = table.columns, table.rows
    labels = columns if rows is None else rows
    check_regions(labels, file, table.numbers.shape[1])
    matrix = table.numbers
    if rows is not None and columns is not None and rows != columns:
        check_regions(columns, file, len(columns))
        if set(rows) != set(columns):
            raise InputError(
                f"{file}: rows and columns must have the same names, but "
                f"{shown(min(set(rows) ^ set(columns)))!r} is on one side only. Write the file again."
            )
        by_row = Sample(graph_id, file, matrix, rows)
        matrix = matrix[:, np.asarray(order_like(Sample(graph_id, file, matrix, columns), by_row))]
    return Sample(graph_id, file, matrix, None if numbered(labels) else labels)


def series_sample(table: NumberTable, graph_id: str, file: Path) -> Sample:
    """Return a table of series, one column per region, as a sample."""
    return Sample(graph_id, file, table.numbers, None if numbered(table.columns) else table.columns)


def numbered(labels: tuple[str, ...] | None) -> bool:
    """Return whether labels only count from 0, as pandas does when it is given no names."""
    return labels is None or labels == tuple(map(str, range(len(labels))))
