"""One-dimensional columns of plain values: class labels and participant tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.graph_arrays import refuse_masked
from dugraph.data.names import check_names
from dugraph.data.wording import shown
from dugraph.exceptions import InputError

Column = NDArray[Any]

# Text, numbers, booleans and times; "O" is what is left when a column mixes them.
PLAIN_KINDS = "biufUmM"

# bool comes before int, of which it is a kind.
_PLAIN_TYPES: dict[type, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, np.floating),
    str: (str,),
    np.datetime64: (np.datetime64,),
    np.timedelta64: (np.timedelta64,),
}


def as_column(values: object, name: str) -> Column:
    """Turn a sequence into a one-dimensional array, of a plain dtype wherever its values allow one.

    A pandas column of text arrives with dtype object; if all its entries are text (or all are numbers) it
    becomes a plain array, which can be sorted and stored. Mixed columns stay as they are.

    Parameters
    ----------
    values : sequence of shape (n,)
        Text, numbers, booleans or times.
    name : str
        What the values are called in messages.

    Returns
    -------
    ndarray of shape (n,)
    """
    refuse_masked(values, name)
    try:
        # NumPy would turn ["patient", nan] into text silently; as objects they are still distinct.
        column = np.array(values, dtype=object if isinstance(values, (list, tuple)) else None)
    except ValueError as error:
        raise InputError(f"{name} must be a flat sequence, one value per graph: {error}.") from error
    if column.ndim != 1:
        raise InputError(
            f"{name} must be a flat sequence, one value per graph: its shape is {column.shape}. "
            "Pass one column, for example with numpy.ravel."
        )
    if column.dtype.kind == "O":
        types = {_plain_type(value) for value in column}
        if None not in types and (len(types) == 1 or types == {int, float}):
            # Integers beyond 64 bits fall back to object by themselves.
            column = np.array(column.tolist())
    if column.dtype.kind not in PLAIN_KINDS + "O":
        raise InputError(
            f"{name} must hold text, numbers, booleans or times: its dtype is {column.dtype}. "
            "Convert it first."
        )
    return column.astype(column.dtype.newbyteorder("="), copy=False)


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing one: None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas' NA refuses to be a truth value.
        return True


def _plain_type(value: object) -> type | None:
    for plain, accepted in _PLAIN_TYPES.items():
        if isinstance(value, accepted):
            return plain
    return None


def check_participants(participants: object, n_graphs: int) -> dict[str, Column] | None:
    """Check a table about the participants and turn it into one read-only column per name.

    Parameters
    ----------
    participants : mapping of column name to sequence of shape (n_graphs,), pandas.DataFrame or None
    n_graphs : int

    Returns
    -------
    dict of str to ndarray of shape (n_graphs,), or None
    """
    if participants is None:
        return None
    table: Any = participants
    if hasattr(table, "columns"):
        keys = list(table.columns)
    elif isinstance(participants, Mapping):
        keys = list(participants)
    else:
        raise InputError(
            f"participants must map column names to columns: got {type(participants).__name__}. "
            "Pass a dict or a pandas.DataFrame.",
            parameter="participants",
        )
    names = check_names(keys, "participants column names")
    columns = {
        name: as_column(table[key], f"participants[{shown(name)!r}]")
        for name, key in zip(names, keys, strict=True)
    }
    for name, column in columns.items():
        if len(column) != n_graphs:
            raise InputError(
                f"participants[{shown(name)!r}] must have one value per graph: got {len(column)} values "
                f"for {n_graphs} graphs. Align the table with the graphs first."
            )
        column.flags.writeable = False
    return columns


def columns_equal(a: Column, b: Column) -> bool:
    """Compare two columns by kind and content; missing values in the same places are equal."""
    if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
        return False
    if a.dtype.kind == "O":
        return all((is_missing(x) and is_missing(y)) or bool(x == y) for x, y in zip(a, b, strict=True))
    if a.dtype.kind == "U":
        # The width of a text array is no content: it only remembers the longest text it once held.
        return bool(np.array_equal(a, b))
    return a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fmM"))


def tables_equal(a: dict[str, Column] | None, b: dict[str, Column] | None) -> bool:
    """Compare two participant tables; the order of columns counts, since a written table shows it."""
    if a is None or b is None:
        return a is b
    return list(a) == list(b) and all(columns_equal(a[name], b[name]) for name in a)
