"""MATLAB files of version 5 and 7: every claim inside is checked before scipy.io believes it.

`scipy.io` unpacks whole blocks and makes cell arrays as large as they claim to be. So the frame of the file
is walked first (tags, classes, dimensions; no values), and scipy gets the wanted variables only, unpacked.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.guards import MAX_CELLS, InflationLimit, library

_HEADER = 128
# Data types of elements, and classes of arrays, as MATLAB numbers them.
_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _NUMBERS = 1, 4, range(6, 16)
# The flags of an array: its class in the lowest byte, and a bit for complex numbers.
_CLASS, _COMPLEX = 0xFF, 0x800
# Data types of values -> bytes of one; scipy ends the process on types that it does not know.
_NUMBER_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}
_LETTER_TYPES = (2, 4, 16, 17, 18)
_HEAD_TYPES = [6, 5, 1]
_PROGRAMS = {3: "object", 16: "function", 17: "object"}


def read_v5(content: bytes, wanted: tuple[str, ...], file: Path, limit: InflationLimit) -> dict[str, Any]:
    """Read some variables: numbers as arrays, cell arrays as arrays of dtype object.

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
    dict of str to ndarray
    """
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        raise ValueError("it has no mark of its byte order")
    elements: dict[str, memoryview] = {}
    for body in _variables(memoryview(content), order, limit):
        flags, dims, name, rest = _head(body, order)
        if flags & _CLASS in _PROGRAMS:
            raise InputError(
                f"{file}: variables must be numbers, text and cells, but {shown(name)!r} is a MATLAB "
                f"{_PROGRAMS[flags & _CLASS]}, which is never loaded. Save the file without it."
            )
        if name not in wanted:
            continue
        if name in elements:
            raise ValueError(f"variable {name} appears twice")
        _check(flags, dims, rest, order, f"{file}: variable {name}")
        elements[name] = body
    names = list(elements)
    # No offset of a subsystem: that is where MATLAB keeps objects.
    parts: list[bytes | memoryview] = [b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + content[124:_HEADER]]
    for body in elements.values():
        parts += [struct.pack(order + "II", _MATRIX, len(body)), body]
    plain = BytesIO(b"".join(parts))
    # What was unpacked is in there now, and need not be kept twice.
    del elements, parts, body
    loaded = library("scipy.io").loadmat(plain, variable_names=names)
    return {name: loaded[name] for name in names}


def shapes_v5(content: bytes, limit: InflationLimit) -> dict[str, tuple[int, ...] | None]:
    """List the variables of a file: the shapes of numbers, None for whatever is something else."""
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        raise ValueError("it has no mark of its byte order")
    heads = (_head(body, order) for body in _variables(memoryview(content), order, limit))
    return {name: dims if flags & _CLASS in _NUMBERS else None for flags, dims, name, _ in heads}


def _variables(content: memoryview, order: str, limit: InflationLimit) -> Iterator[memoryview]:
    position = _HEADER
    while position < len(content):
        kind, size = struct.unpack_from(order + "II", content, position)
        body = content[position + 8 : position + 8 + size]
        if len(body) != size:
            raise EOFError(f"a variable claims {size} bytes, but {len(body)} follow")
        position += 8 + size
        if kind == _COMPRESSED:
            yield _inflated(body, order, limit)
        elif kind == _MATRIX:
            yield body
        else:
            raise ValueError(f"a variable has the unknown type {kind}")


def _inflated(body: memoryview, order: str, limit: InflationLimit) -> memoryview:
    stream = zlib.decompressobj()
    kind, size = struct.unpack(order + "II", stream.decompress(body, 8))
    if kind != _MATRIX:
        raise ValueError(f"a compressed variable has the unknown type {kind}")
    limit.take(size)
    # One byte more than claimed, so that a false claim shows.
    inflated = stream.decompress(stream.unconsumed_tail, size + 1)
    if len(inflated) != size:
        raise ValueError(f"a compressed variable claims {size} bytes, but holds others")
    return memoryview(inflated)


def _parts(body: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Split the body of an array into its elements: flags, dimensions, name, then values or cells."""
    position = 0
    while position < len(body):
        (word,) = struct.unpack_from(order + "I", body, position)
        # Up to four bytes lie inside the tag, which then has the size in its upper half.
        start, kind, size = position + 4, word & 0xFFFF, word >> 16
        if size > 4:
            raise ValueError(f"a part of {size} bytes lies inside its tag")
        if not size:
            (size,) = struct.unpack_from(order + "I", body, start)
            start, kind = position + 8, word
        if start + size > len(body):
            raise EOFError(f"a part claims {size} bytes, but {len(body) - start} follow")
        yield kind, body[start : start + size]
        position = start + size
        position += -position % 8


def _head(body: memoryview, order: str) -> tuple[int, tuple[int, ...], str, Iterator[tuple[int, memoryview]]]:
    parts = _parts(body, order)
    head = list(islice(parts, 3))
    if [kind for kind, _ in head] != _HEAD_TYPES:
        raise ValueError("a variable has no proper head")
    flags, sizes, name = (part for _, part in head)
    if len(flags) != 8 or len(sizes) not in range(8, 33, 4):
        raise ValueError("a variable has no proper head")
    (bits,) = struct.unpack_from(order + "I", flags)
    dims = struct.unpack(f"{order}{len(sizes) // 4}i", sizes)
    if min(dims) < 0:
        raise ValueError(f"a variable has the dimensions {dims}")
    return bits, dims, bytes(name).decode("latin-1"), parts


def _check(
    flags: int, dims: tuple[int, ...], rest: Iterator[tuple[int, memoryview]], order: str, what: str
) -> None:
    """Refuse what is no real number, text or cell of them, and dimensions beyond what follows."""
    kind = flags & _CLASS
    if flags & _COMPLEX:  # scipy would look for a second part, and end the process where there is none
        raise ValueError("values must be real, but are complex")
    parts = list(islice(rest, MAX_CELLS + 1))
    if len(parts) > MAX_CELLS:
        raise InputError(f"{what} may have {MAX_CELLS} cells, but has more. Copy or write the file again.")
    if kind == _CELL:
        held = len(parts)
    elif kind == _CHAR or kind in _NUMBERS:
        held = _n_values(kind, parts)
    else:
        raise InputError(f"{what} must hold numbers, text or cells of them, but is of MATLAB class {kind}.")
    if prod(dims) > held:
        raise ValueError(f"dimensions {' x '.join(map(str, dims))} claim more than the {held} values held")
    for cell, part in parts if kind == _CELL else ():
        if cell != _MATRIX:
            raise ValueError("a cell is no array")
        if part:
            inner, inner_dims, _, inner_rest = _head(part, order)
            if inner & _CLASS == _CELL:
                raise InputError(f"{what} must be one cell array, but holds cells within cells.")
            _check(inner, inner_dims, inner_rest, order, what)


def _n_values(kind: int, parts: list[tuple[int, memoryview]]) -> int:
    """Count the values of numbers or text, which must be one part of a known type."""
    types = _LETTER_TYPES if kind == _CHAR else tuple(_NUMBER_SIZES)
    if len(parts) != 1 or parts[0][0] not in types:
        raise ValueError("values must be one part of a known type")
    stored, part = parts[0]
    return len(part) // _NUMBER_SIZES.get(stored, 1)


def cells(array: Any) -> list[Any]:
    """Return the cells of an array that scipy read, in MATLAB's order: text as str, numbers as arrays."""
    if array.dtype != object:
        # A single name is no cell array; several rows of text are padded to one length.
        return [str(row).rstrip() for row in array.ravel()] if array.dtype.kind == "U" else [array]
    return [_text(one) if one.dtype.kind == "U" else one for one in array.ravel(order="F")]


def _text(array: Any) -> str:
    if array.size > 1:
        raise ValueError("text must be one row")
    return str(np.ravel(array)[0]) if array.size else ""
