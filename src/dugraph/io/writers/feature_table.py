"""Containment probabilities as a table: one row per graph, one column per subgraph, in CSV or Parquet."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import as_list, check_kind
from dugraph.data.columns import as_column
from dugraph.data.graph_arrays import real_array
from dugraph.data.wording import is_one_of
from dugraph.exceptions import InputError
from dugraph.words import TABLE_FORMATS

# Where a spreadsheet sees the beginning of a formula; the apostrophe, so that the rule can be undone.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠'")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def check_table_format(kind: str) -> str:
    """The name of the format, if it is one of ours and can be written here."""
    if not is_one_of(kind, TABLE_FORMATS):
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
    columns: dict[str, list[Any]] = {"graph_id": _texts(graph_ids, "graph_ids")}
    if y is not None:
        columns[check_kind(label, str, "label")] = as_column(y, "y").tolist()
    columns |= dict(_named(more))
    n_graphs = len(columns["graph_id"])
    real_array(features, "features", 2, "(n_graphs, n_subgraphs)")
    values = np.asarray(features)  # to the bit: the sign of zero, too
    for name, column in columns.items():
        if len(column) != n_graphs:
            raise InputError(
                f"{name} must have one value per graph: got {len(column)} for {n_graphs} graphs."
            )
    own = _told_apart(_texts(names, "names"), columns)
    if values.shape != (n_graphs, len(own)):
        raise InputError(
            f"features must have one row per graph and one column per name, shape {(n_graphs, len(own))}: "
            f"got the shape {values.shape}.",
            parameter="features",
        )
    if check_table_format(kind) == "csv":
        return _csv(columns, own, values)
    return _parquet(columns | dict(zip(own, values.T.tolist(), strict=True)))


def _texts(values: object, name: str) -> list[str]:
    return [check_kind(value, str, f"Each of the {name}") for value in as_list(values, name, "texts")]


def _named(more: object) -> Iterable[tuple[str, list[Any]]]:
    columns = check_kind({} if more is None else more, Mapping, "more")  # type: ignore[type-abstract]
    for name, values in columns.items():
        as_column(values, check_kind(name, str, "Each name in more"))
    return [(name, list(values)) for name, values in columns.items()]


def _told_apart(names: Sequence[str], taken: Iterable[str]) -> list[str]:
    # Labels may hold what joins them: A--B of "A" and "B--C" reads like that of "A--B" and "C".
    used, own = {*taken}, []
    for name in names:
        number, candidate = 1, name
        while candidate in used:
            number += 1
            candidate = f"{name} ({number})"
        used.add(candidate)
        own.append(candidate)
    return own


def _csv(columns: dict[str, list[Any]], names: Sequence[str], values: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    # Numbers stay bare and are written as repr does, exactly.
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow([*columns, *names])
    # Row by row: as Python's numbers all features together would take several times their memory.
    for *cells, features in zip(*columns.values(), values, strict=True):
        guarded = [_guarded(cell) if isinstance(cell, str) else cell for cell in cells]
        writer.writerow([*guarded, *features.tolist()])
    text.flush()
    return file.getvalue()


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
