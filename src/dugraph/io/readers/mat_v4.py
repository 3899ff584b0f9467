"""MATLAB files of version 4, which DSI Studio writes: a head of five numbers, a name and the values, each."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.guards import InflationLimit

_HEAD = 20
_LONGEST_NAME = 256
# The third digit of the type says how values are stored.
_TYPES = ("f8", "f4", "i4", "i2", "u2", "u1")
_TEXT, _SPARSE = 1, 2


class V4Variable(NamedTuple):
    """A variable, not yet read: its shape, how it is stored, whether it is text, and its bytes."""

    shape: tuple[int, int]
    dtype: str
    kind: int
    body: memoryview


def is_v4(content: bytes) -> bool:
    """Return whether a file begins as version 4 does; it has no mark of its own."""
    return len(content) >= _HEAD and _order(content) is not None


def variables_v4(content: bytes) -> dict[str, V4Variable]:
    """List the variables of a file; nothing of their values is read."""
    found: dict[str, V4Variable] = {}
    for name, variable in _walk(content):
        if name in found:
            raise ValueError(f"variable {shown(name)} appears twice")
        found[name] = variable
    return found


def read_v4(content: bytes, wanted: tuple[str, ...], file: Path, limit: InflationLimit) -> dict[str, Any]:
    """Read some variables: numbers as arrays, text as a list of rows.

    Parameters
    ----------
    content : bytes
        The whole file.
    wanted : tuple of str
        Names of variables; those that are not there are left out.
    file : Path
        For messages.
    limit : InflationLimit

    Returns
    -------
    dict of str to ndarray or list of str
    """
    found: dict[str, Any] = {}
    for name, one in variables_v4(content).items():
        if name not in wanted:
            continue
        if one.kind == _SPARSE:
            raise InputError(f"{file}: variable {shown(name)} must be a full matrix, but is sparse.")
        limit.take(8 * one.shape[0] * one.shape[1])
        # Column by column.
        array = np.frombuffer(one.body, one.dtype).reshape(one.shape[::-1]).T
        if one.kind == _TEXT:
            found[name] = [bytes(row.astype(np.uint8)).decode("latin-1").rstrip() for row in array]
        else:
            found[name] = array
    return found


def _order(content: bytes) -> str | None:
    for order in "<>":
        (number,) = struct.unpack_from(order + "I", content)
        thousands, rest = divmod(number, 1000)
        stored, kind = divmod(rest, 10)
        if thousands == "<>".index(order) and stored < len(_TYPES) and kind <= _SPARSE:
            return order
    return None


def _walk(content: bytes) -> Iterator[tuple[str, V4Variable]]:
    order, position = _order(content), 0
    while position < len(content):
        number, n_rows, n_columns, imaginary, n_name = struct.unpack_from(f"{order}5I", content, position)
        stored, kind = divmod(number % 1000, 10)
        if stored >= len(_TYPES) or kind > _SPARSE or not 1 < n_name <= _LONGEST_NAME:
            raise ValueError("a variable has no proper head")
        if imaginary:
            raise ValueError("values must be real, but are complex")
        begin = position + _HEAD + n_name
        dtype = f"{order}{_TYPES[stored]}"
        end = begin + n_rows * n_columns * np.dtype(dtype).itemsize
        if end > len(content):
            raise EOFError(f"a variable claims {end - begin} bytes, but {len(content) - begin} follow")
        name = content[position + _HEAD : begin].split(b"\0")[0].decode("latin-1")
        yield name, V4Variable((n_rows, n_columns), dtype, kind, memoryview(content)[begin:end])
        position = end
