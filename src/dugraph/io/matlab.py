"""MATLAB files: versions 4 to 7 by scipy.io, version 7.3 by h5py, each checked before it is believed."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from math import ceil, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate
from dugraph.exceptions import InputError
from dugraph.io.guards import MAX_CELLS, InflationLimit, MemoryBudget, file_size, library, read_bytes, reason

_HDF5 = b"\x89HDF\r\n\x1a\n"


Shapes = dict[str, tuple[int, ...] | None]


def open_mat(file: Path, budget: MemoryBudget) -> tuple[Shapes, Callable[[Sequence[str]], dict[str, Any]]]:
    """List the variables of a .mat file of version 4, 5, 7 or 7.3, and return a function that reads some.

    Parameters
    ----------
    file : Path
    budget : MemoryBudget

    Returns
    -------
    shapes : dict of str to tuple of int, or None
        The shapes of numbers, None for whatever is something else.
    load : callable
        Takes names, those that are not there being left out; returns a dict of str to ndarray of float, or to
        a list of str and arrays for cell arrays and text.
    """
    content = read_bytes(file, budget)
    limit = InflationLimit(file, budget)
    with _intact(file):
        version = _version(content, file)
        variables = _variables_v5(content) if version == "5" else []
        if version == "7.3":
            shapes = _shapes_v73(file)
        elif version == "4":
            shapes = _shapes_v4(content)
        else:
            shapes = {one.name: one.dims if one.flags & _CLASS in _NUMBERS else None for one in variables}

    def load(wanted: Sequence[str]) -> dict[str, Any]:
        with _intact(file):
            if version == "7.3":
                found = _read_v73(file, wanted, limit)
            else:
                if version == "4":
                    limit.take(sum(8 * prod(shapes.get(name) or (0,)) for name in wanted))
                    plain = BytesIO(content)
                else:
                    plain = _checked_v5(content, variables, wanted, file, limit)
                loaded = library("scipy.io").loadmat(plain, variable_names=list(wanted))
                found = {name: loaded[name] for name in wanted if name in loaded}
            return {name: _plain(value) for name, value in found.items()}

    return shapes, load


@contextmanager
def _intact(file: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # Damaged bytes make scipy and HDF5 fail in ways that no list can foresee.
        raise InputError(
            f"{file}: the file must be intact MATLAB content, but it is damaged or cut short "
            f"({reason(error)}). Copy or write it again."
        ) from error


def _version(content: bytes, file: Path) -> str:
    if content[512:520] == _HDF5:
        library("h5py")
        return "7.3"
    if content[124:128] in (b"\x00\x01IM", b"\x01\x00MI"):
        return "5"
    # Version 4 has no mark of its own: its first number says how the first variable is stored.
    first = {struct.unpack_from(f"{order}I", content)[0] for order in "<>"} if len(content) >= 20 else set()
    if any(
        number % 10 < 3 and number % 100 // 10 < 6 and number // 1000 < 2 and number < 2000
        for number in first
    ):
        return "4"
    raise InputError(
        f"{file}: the file must be a MATLAB file of version 4, 5, 7 or 7.3, but its header is not one of "
        "these. Copy it again, or save it with save -v7."
    )


def _plain(value: Any) -> NDArray[np.float64] | list[Any]:
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biuf":
            return value.astype(np.float64, copy=False)
        if value.dtype.kind not in "OU":
            raise ValueError(f"values of {value.dtype} are not real numbers")
        value = _cells(value)
    return [_plain(one) if isinstance(one, np.ndarray) else one for one in value]


def _cells(array: Any) -> list[Any]:
    """Return the cells of an array that scipy read, in MATLAB's order: text as str, numbers as arrays."""
    if array.dtype != object:
        # A single name is no cell array; several rows of text are padded to one length.
        return [str(row).rstrip() for row in array.ravel()] if array.dtype.kind == "U" else [array]
    return [_text(one) if one.dtype.kind == "U" else one for one in array.ravel(order="F")]


def _text(array: Any) -> str:
    if array.size > 1:
        raise ValueError("text must be one row")
    return str(np.ravel(array)[0]) if array.size else ""


def _shapes_v4(content: bytes) -> Shapes:
    found: Shapes = {}
    for name, shape, kind in library("scipy.io").whosmat(BytesIO(content)):
        if name in found:
            raise ValueError(f"variable {abbreviate(name)} appears twice")
        found[name] = None if kind in ("char", "sparse") else shape
    return found


# Versions 5 and 7. On damaged tags scipy.io ends the process, it unpacks whole blocks, and it makes cell
# arrays as large as they claim to be. So the frame is walked first (tags, classes, dimensions), and
# scipy gets the wanted variables only, unpacked.

_HEADER = 128
# Bytes that contain the head of a variable: its size, flags, dimensions and name.
_HEAD = 256
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

_Parts = Iterator[tuple[int, memoryview]]


class _Variable(NamedTuple):
    """A variable of a file of version 5 or 7, and its bytes, as they are or compressed."""

    name: str
    flags: int
    dims: tuple[int, ...]
    body: memoryview
    packed: bool


def _variables_v5(content: bytes) -> list[_Variable]:
    """Walk the file from variable to variable; of compressed ones, unpack the head alone."""
    order, position = _order(content), _HEADER
    found = []
    while position < len(content):
        kind, size = struct.unpack_from(order + "II", content, position)
        head = body = memoryview(content)[position + 8 : position + 8 + size]
        if len(body) != size:
            raise EOFError(f"a variable claims {size} bytes, but {len(body)} follow")
        if kind not in (_MATRIX, _COMPRESSED):
            raise ValueError(f"a variable has the unknown type {kind}")
        if kind == _COMPRESSED:
            head = memoryview(zlib.decompressobj().decompress(body, _HEAD))[8:]
        flags, dims, name, _ = _head(head, order)
        found.append(_Variable(name, flags, dims, body, kind == _COMPRESSED))
        position += 8 + size
    return found


def _checked_v5(
    content: bytes, variables: list[_Variable], wanted: Sequence[str], file: Path, limit: InflationLimit
) -> BytesIO:
    """Return a file of the wanted variables alone, each of which holds what it claims."""
    # No offset of a subsystem: that is where MATLAB keeps objects.
    parts: list[bytes | memoryview] = [b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + content[124:_HEADER]]
    seen: set[str] = set()
    order = _order(content)
    for one in variables:
        if one.flags & _CLASS in _PROGRAMS:
            raise InputError(
                f"{file}: variables must be numbers, text and cells, but {abbreviate(one.name)!r} is a "
                f"MATLAB {_PROGRAMS[one.flags & _CLASS]}, which is never loaded. Save the file without it."
            )
        if one.name not in wanted:
            continue
        if one.name in seen:
            raise ValueError(f"variable {one.name} appears twice")
        seen.add(one.name)
        body = _inflated(one.body, order, limit) if one.packed else one.body
        flags, dims, _, rest = _head(body, order)
        _check_v5(flags, dims, rest, order, f"{file}: variable {one.name}")
        parts += [struct.pack(order + "II", _MATRIX, len(body)), body]
    return BytesIO(b"".join(parts))


def _order(content: bytes) -> str:
    return "<" if content[126:128] == b"IM" else ">"


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


def _parts(body: memoryview, order: str) -> _Parts:
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


def _head(body: memoryview, order: str) -> tuple[int, tuple[int, ...], str, _Parts]:
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


def _check_v5(flags: int, dims: tuple[int, ...], rest: _Parts, order: str, what: str) -> None:
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
            _check_v5(inner, inner_dims, inner_rest, order, what)


def _n_values(kind: int, parts: list[tuple[int, memoryview]]) -> int:
    """Count the values of numbers or text, which must be one part of a known type."""
    types = _LETTER_TYPES if kind == _CHAR else tuple(_NUMBER_SIZES)
    if len(parts) != 1 or parts[0][0] not in types:
        raise ValueError("values must be one part of a known type")
    stored, part = parts[0]
    return len(part) // _NUMBER_SIZES.get(stored, 1)


# Version 7.3, which is HDF5: every dataset is checked before it is read.


def _read_v73(file: Path, wanted: Sequence[str], limit: InflationLimit) -> dict[str, Any]:
    """Read some variables: numbers as arrays, cell arrays as lists of text and arrays."""
    h5py = library("h5py")
    found: dict[str, Any] = {}
    with h5py.File(file, "r", locking=False) as opened:
        for name in wanted:
            link = opened.get(name, getlink=True)
            if link is None:
                continue
            if not isinstance(link, h5py.HardLink):
                raise InputError(
                    f"{file}: variable {name} must lie in the file itself, but is a link to "
                    f"{abbreviate(getattr(link, 'filename', None) or link.path)!r}, which is not followed."
                )
            dataset = opened[name]
            _check_v73(dataset, file, name, limit)
            if dataset.attrs.get("MATLAB_class") == b"char":
                found[name] = _rows_of_text(dataset[()].T)
            elif h5py.check_ref_dtype(dataset.dtype) is not None:
                found[name] = [_cell(opened, one, file, name, limit) for one in dataset[()].ravel()]
            else:
                # MATLAB writes arrays column by column, HDF5 reads them row by row.
                found[name] = dataset[()].T
    return found


def _shapes_v73(file: Path) -> Shapes:
    h5py = library("h5py")
    found: Shapes = {}
    with h5py.File(file, "r", locking=False) as opened:
        for name in list(opened)[:MAX_CELLS]:
            # Groups of MATLAB's own begin with #; links are not followed.
            if name.startswith("#") or not isinstance(opened.get(name, getlink=True), h5py.HardLink):
                continue
            one = opened[name]
            is_array = isinstance(one, h5py.Dataset) and one.shape is not None and one.dtype.kind in "iuf"
            is_text = one.attrs.get("MATLAB_class") == b"char"
            found[name] = tuple(one.shape[::-1]) if is_array and not is_text else None
    return found


def _rows_of_text(array: Any) -> list[str]:
    if array.ndim != 2 or array.dtype != "uint16":
        raise ValueError("text must be rows of letters")
    return [row.astype("<u2").tobytes().decode("utf-16-le").rstrip() for row in array]


def _cell(opened: Any, reference: Any, file: Path, name: str, limit: InflationLimit) -> Any:
    if not reference:
        raise ValueError(f"a cell of {name} points to nothing")
    dataset = opened[reference]
    _check_v73(dataset, file, name, limit)
    if dataset.dtype.kind not in "iuf":
        raise InputError(f"{file}: variable {name} must be one cell array, but holds cells within cells.")
    array = dataset[()].T
    if array.dtype != "uint16":
        return array
    if array.ndim != 2 or array.shape[0] > 1:
        raise ValueError(f"text in {name} must be one row")
    return array.astype("<u2").tobytes().decode("utf-16-le")


def _check_v73(dataset: Any, file: Path, name: str, limit: InflationLimit) -> None:
    """Refuse all but plain arrays that the file really holds, before a byte of them is unpacked."""
    h5py = library("h5py")
    if not isinstance(dataset, h5py.Dataset) or dataset.shape is None:
        raise InputError(
            f"{file}: variable {name} must hold numbers, text or cells of them, but is a MATLAB struct or "
            "object. Save it as an array."
        )
    is_cell = h5py.check_ref_dtype(dataset.dtype) == h5py.Reference
    if not is_cell and dataset.dtype.kind not in "iuf":
        raise InputError(
            f"{file}: variable {name} must hold numbers, text or cells of them, but is {dataset.dtype}."
        )
    if is_cell and dataset.size > MAX_CELLS:
        raise InputError(
            f"{file}: variable {name} may have {MAX_CELLS} cells, but has {dataset.size}. Write it again."
        )
    plan = dataset.id.get_create_plist()
    filters = [plan.get_filter(i)[0] for i in range(plan.get_nfilters())]
    plain = plan.get_layout() in (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.CHUNKED)
    if not plain or plan.get_external_count() or filters not in ([], [h5py.h5z.FILTER_DEFLATE]):
        raise InputError(
            f"{file}: variable {name} must lie in the file itself, plain or compressed as MATLAB does, but "
            "it is virtual, external or compressed by other filters. Save the file in MATLAB again."
        )
    n_bytes = prod(dataset.shape) * dataset.dtype.itemsize
    limit.take(n_bytes)
    if plan.get_layout() == h5py.h5d.CHUNKED:
        _check_chunks(dataset, bool(filters), limit)
    elif n_bytes > dataset.id.get_storage_size() or n_bytes > file_size(file):
        raise EOFError(f"{name} claims {n_bytes} bytes, but the file does not hold them")


def _check_chunks(dataset: Any, packed: bool, limit: InflationLimit) -> None:
    # HDF5 fills missing chunks with zeros, and unpacks whatever a chunk becomes, whatever it claims.
    n_bytes = prod(dataset.chunks) * dataset.dtype.itemsize
    chunks: list[Any] = []
    dataset.id.chunk_iter(chunks.append)
    wanted = prod(ceil(n / c) for n, c in zip(dataset.shape, dataset.chunks, strict=True))
    if len(chunks) != wanted:
        raise EOFError(f"{wanted} chunks are claimed, but {len(chunks)} are there")
    limit.take(n_bytes * len(chunks))
    for chunk in chunks:
        if chunk.size > file_size(limit.file) or chunk.filter_mask:
            raise ValueError("a chunk is larger than the file, or was written past its filter")
        raw = dataset.id.read_direct_chunk(chunk.chunk_offset)[1]
        size = len(zlib.decompressobj().decompress(raw, n_bytes + 1)) if packed else len(raw)
        if size != n_bytes:
            raise ValueError(f"a chunk must hold {n_bytes} bytes, but does not")
