"""Containment probabilities as a table: one row per graph, one column per subgraph, in CSV or Parquet."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.words import TABLE_FORMATS

# Where a spreadsheet sees the beginning of a formula; the apostrophe, so that the rule can be undone.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def check_table_format(kind: str) -> str:
    """The name of the format, if it is one of ours and can be written here."""
    if kind not in TABLE_FORMATS:
        raise InputError(f"A table of features can be {' or '.join(TABLE_FORMATS)}, but not {kind!r}.")
    if kind == "parquet":
        _pyarrow()
    return kind


def feature_table(
    kind: str,
    graph_ids: Sequence[str],
    names: Sequence[str],
    features: NDArray[Any],
    y: NDArray[Any] | None = None,
    more: Mapping[str, Sequence[Any]] | None = None,
    label: str = "class",
) -> bytes:
    """Write features with the ids of their graphs.

    Parameters
    ----------
    kind : {"csv", "parquet"}
    graph_ids : sequence of str, length n_graphs
        The first column, ``graph_id``.
    names : sequence of str, length n_subgraphs
        Names of the other columns; equal ones are distinguished by `` (2)``.
    features : ndarray of shape (n_graphs, n_subgraphs)
        Kept to the bit.
    y : ndarray of shape (n_graphs,), optional
        The second column.
    more : mapping of str to sequence, optional
        Other columns, by their names, before the features.
    label : str
        What the second column is called.

    Returns
    -------
    bytes
        In CSV every text is quoted, and a text that a spreadsheet would take for a formula gets an apostrophe
        in front: one that begins with = + - @, their wide forms, a tab, a line break or an apostrophe and is
        no number. Parquet holds every text as it is.

    Examples
    --------
    >>> import numpy as np
    >>> print(feature_table("csv", ["sub-01", "=1+1"], ["{A--B}"], np.array([[0.1], [1.0]])).decode(), end="")
    "graph_id","{A--B}"
    "sub-01",0.1
    "'=1+1",1.0
    """
    columns: dict[str, list[Any]] = {"graph_id": list(graph_ids)}
    if y is not None:
        columns[label] = y.tolist()
    columns |= {name: list(values) for name, values in (more or {}).items()}
    columns |= dict(zip(_told_apart(names), features.T.tolist(), strict=True))
    return _csv(columns) if check_table_format(kind) == "csv" else _parquet(columns)


def _told_apart(names: Sequence[str]) -> list[str]:
    # Labels may hold what joins them: A--B of "A" and "B--C" reads like that of "A--B" and "C".
    used: dict[str, None] = {}
    for name in names:
        number, candidate = 1, name
        while candidate in used:
            number += 1
            candidate = f"{name} ({number})"
        used[candidate] = None
    return list(used)


def _csv(columns: dict[str, list[Any]]) -> bytes:
    text = io.StringIO()
    # Numbers stay bare and are written as repr does, exactly.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue().encode()


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    arrow, parquet = _pyarrow()
    file = io.BytesIO()
    parquet.write_table(arrow.table(columns), file)
    return file.getvalue()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(
            "Parquet is written by pyarrow, which is missing: pip install 'dugraph[io]', or choose csv."
        ) from error
    return pyarrow, pyarrow.parquet
