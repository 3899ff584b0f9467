"""Tables in memory, a pandas.DataFrame or a record array, as tables of text, which the readers take."""

from __future__ import annotations

from typing import Any

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.guards import library


def text_table(table: Any, name: str) -> Any:
    """Return a table as text, cell by cell: whole numbers without a point, missing values as n/a.

    Parameters
    ----------
    table : pandas.DataFrame or record array
        Old versions of nilearn give record arrays of bytes.
    name : str
        What the user calls it, for messages.

    Returns
    -------
    pandas.DataFrame of str
    """
    pandas = library("pandas")
    if isinstance(table, np.ndarray) and table.dtype.names is not None and table.ndim == 1:
        table = pandas.DataFrame({name: table[name] for name in table.dtype.names})
    if not isinstance(table, pandas.DataFrame) or not len(table):
        raise InputError(
            f"{name} must be a table with one row per subject, a pandas.DataFrame or a record array, but "
            f"is {shown(type(table).__name__)} of length {len(table) if hasattr(table, '__len__') else 0}."
        )
    names = [str(column) for column in table.columns]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise InputError(f"{name}: column names must be unique, but {shown(twice)!r} appears twice.")
    return pandas.DataFrame(
        {one: [_text(cell) for cell in table.iloc[:, i]] for i, one in enumerate(names)}, dtype=object
    )


def _text(cell: Any) -> str:
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace").strip()
    if isinstance(cell, (float, np.floating)):
        number = float(cell)
        return str(int(number)) if number.is_integer() else "n/a" if np.isnan(number) else repr(number)
    # pandas writes <NA>, NaT and None for what is missing.
    return "n/a" if cell is None or str(cell) in ("<NA>", "NaT") else str(cell).strip()
