"""MATLAB files of versions 4 (by scipy.io), 5, 7, and 7.3 (by h5py); sizes are checked before values."""

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

Shapes = dict[str, tuple[int, ...] | None]
Load = Callable[[Sequence[str]], dict[str, Any]]


def open_mat(file: Path, budget: MemoryBudget) -> tuple[Shapes, Load]:
    """List the variables of a .mat file of version 4, 5, 7 or 7.3, and return a function that reads some.

    Returns
    -------
    shapes : dict of str to tuple of int, or None
        The shapes of numbers; None for all other variables.
    load : callable
        Takes names and leaves out those that the file has not; returns a dict of str to ndarray of float, or
        to a list of str and arrays for cell arrays and text.
    """
    content = read_bytes(file, budget)
    limit = InflationLimit(file, budget)
    with _intact(file):
        if content[512:520] == b"\x89HDF\r\n\x1a\n":
            shapes, load = _open_v73(file, limit)
        elif content[124:128] in (b"\x00\x01IM", b"\x01\x00MI"):
            shapes, load = _open_v5(content, file, limit)
        elif _is_v4(content):
            shapes, load = _open_v4(content, limit)
        else:
            raise InputError(
                f"{file}: the file must be a MATLAB file of version 4, 5, 7 or 7.3, but its header is not "
                "one of these. Copy it again, or save it with save -v7."
            )

    def loaded(wanted: Sequence[str]) -> dict[str, Any]:
        with _intact(file):
            return load(wanted)

    return shapes, loaded


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


# --- Version 4 ----------------------------------------------------------------------------------------------


def _is_v4(content: bytes) -> bool:
    # Version 4 has no mark of its own: its first number says how the first variable is stored.
    first = {struct.unpack_from(f"{order}I", content)[0] for order in "<>"} if len(content) >= 20 else set()
    return any(number % 10 < 3 and number % 100 // 10 < 6 and number < 2000 for number in first)


def _open_v4(content: bytes, limit: InflationLimit) -> tuple[Shapes, Load]:
    from scipy import io as scipy_io

    shapes: Shapes = {}
    for name, shape, kind in scipy_io.whosmat(BytesIO(content)):
        if name in shapes:
            raise ValueError(f"variable {abbreviate(name)} appears twice")
        shapes[name] = None if kind in ("char", "sparse") else shape

    def load(wanted: Sequence[str]) -> dict[str, Any]:
        limit.take(sum(8 * prod(shapes.get(name) or (0,)) for name in wanted))
        found = scipy_io.loadmat(BytesIO(content), variable_names=list(wanted))
        for name, value in found.items():
            if name in wanted and value.dtype.kind not in "biufU":
                raise ValueError(f"values of {value.dtype} are not real numbers")
        return {
            name: [str(row).rstrip() for row in found[name].ravel()]
            if found[name].dtype.kind == "U"
            else found[name].astype(np.float64, copy=False)
            for name in wanted
            if name in found
        }

    return shapes, load


# --- Versions 5 and 7 ---------------------------------------------------------------------------------------

# scipy.io is not used here: on damaged tags it ends the process, it unpacks whole blocks, and it makes cell
# arrays as large as they claim to be.
_HEADER = 128
# Bytes that contain the head of a variable: its size, flags, dimensions and name.
_HEAD = 256
# Data types of elements, and classes of arrays, as MATLAB numbers them.
_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _NUMBERS = 1, 4, range(6, 16)
_COMPLEX = 0x800
_HEAD_TYPES = [6, 5, 1]
_DTYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CODECS = {2: "utf-8", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}


class _Array(NamedTuple):
    """The class, the dimensions and the name of an array, and its other elements: a type and bytes each."""

    kind: int
    is_complex: bool
    dims: tuple[int, ...]
    name: str
    rest: Iterator[tuple[int, memoryview]]


def _open_v5(content: bytes, file: Path, limit: InflationLimit) -> tuple[Shapes, Load]:
    order, position = "<" if content[126:128] == b"IM" else ">", _HEADER
    shapes: Shapes = {}
    # Name -> body, and whether it is compressed; several bodies of one name are refused if it is asked for.
    bodies: dict[str, list[tuple[memoryview, bool]]] = {}
    while position < len(content):
        kind, size = struct.unpack_from(order + "II", content, position)
        head = body = memoryview(content)[position + 8 : position + 8 + size]
        if len(body) != size:
            raise EOFError(f"a variable claims {size} bytes, but {len(body)} follow")
        if kind not in (_MATRIX, _COMPRESSED):
            raise ValueError(f"a variable has the unknown type {kind}")
        if kind == _COMPRESSED:
            head = memoryview(zlib.decompressobj().decompress(body, _HEAD))[8:]
        array = _array(head, order)
        shapes[array.name] = array.dims if array.kind in _NUMBERS else None
        bodies.setdefault(array.name, []).append((body, kind == _COMPRESSED))
        position += 8 + size

    def load(wanted: Sequence[str]) -> dict[str, Any]:
        found = {}
        for name in wanted:
            for body, is_packed in bodies.get(name, ()):
                if name in found:
                    raise ValueError(f"variable {name} appears twice")
                plain = _inflated(body, order, limit) if is_packed else body
                array = _array(plain, order)
                value = _value(array, order, f"{file}: variable {name}")
                # Rows of text are padded to one length.
                found[name] = [row.rstrip() for row in value] if array.kind == _CHAR else value
        return found

    return shapes, load


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


def _elements(body: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
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


def _array(body: memoryview, order: str) -> _Array:
    elements = _elements(body, order)
    head = list(islice(elements, 3))
    if [kind for kind, _ in head] != _HEAD_TYPES:
        raise ValueError("a variable has no proper head")
    flags, sizes, name = (part for _, part in head)
    if len(flags) != 8 or len(sizes) not in range(8, 33, 4):
        raise ValueError("a variable has no proper head")
    (bits,) = struct.unpack_from(order + "I", flags)
    dims = struct.unpack(f"{order}{len(sizes) // 4}i", sizes)
    if min(dims) < 0:
        raise ValueError(f"a variable has the dimensions {dims}")
    return _Array(bits & 0xFF, bool(bits & _COMPLEX), dims, bytes(name).decode("latin-1"), elements)


def _value(array: _Array, order: str, what: str) -> NDArray[np.float64] | list[Any]:
    """Return numbers as an array, rows of text and cells as a list."""
    if array.is_complex:
        raise ValueError("values must be real, but are complex")
    elements = list(islice(array.rest, MAX_CELLS + 1))
    if len(elements) > MAX_CELLS:
        raise InputError(f"{what} may have {MAX_CELLS} cells, but has more. Copy or write the file again.")
    n_claimed = prod(array.dims)
    if array.kind == _CELL:
        _check_claim(array.dims, len(elements))
        return [_cell_v5(kind, body, order, what) for kind, body in elements[:n_claimed]]
    if array.kind != _CHAR and array.kind not in _NUMBERS:
        raise InputError(
            f"{what} must hold numbers, text or cells of them, but is of MATLAB class {array.kind}."
        )
    if len(elements) != 1 or elements[0][0] not in (_CODECS if array.kind == _CHAR else _DTYPES):
        raise ValueError("values must be one part of a known type")
    stored, body = elements[0]
    if array.kind in _NUMBERS:
        dtype = np.dtype(order + _DTYPES[stored])
        _check_claim(array.dims, len(body) // dtype.itemsize)
        return np.frombuffer(body, dtype, n_claimed).reshape(array.dims, order="F").astype(np.float64)
    _check_claim(array.dims, len(body))
    _check_rows(array.dims[0], what)
    codec = _CODECS[stored]
    text = bytes(body).decode(codec if codec == "utf-8" else codec + ("-le" if order == "<" else "-be"))
    # Column by column, as all arrays.
    return [text[row :: array.dims[0]] for row in range(array.dims[0])]


def _check_claim(dims: tuple[int, ...], n_values: int) -> None:
    if prod(dims) > n_values:
        claim = " x ".join(map(str, dims))
        raise ValueError(f"dimensions {claim} exceed the {n_values} values in the file")


def _check_rows(n_rows: int, what: str) -> None:
    # Rows without letters take no bytes, so that no other check limits their number.
    if n_rows > MAX_CELLS:
        raise InputError(
            f"{what} may have {MAX_CELLS} rows of text, but has {n_rows}. Copy or write the file again."
        )


def _cell_v5(kind: int, body: memoryview, order: str, what: str) -> Any:
    if kind != _MATRIX:
        raise ValueError("a cell is no array")
    if not body:
        return np.empty((0, 0))
    array = _array(body, order)
    if array.kind == _CELL:
        raise InputError(f"{what} must be one cell array, but holds cells within cells.")
    value = _value(array, order, what)
    if not isinstance(value, list):
        return value
    if len(value) > 1:
        raise ValueError("text must be one row")
    return value[0] if value else ""


# --- Version 7.3, which is HDF5 -----------------------------------------------------------------------------


def _open_v73(file: Path, limit: InflationLimit) -> tuple[Shapes, Load]:
    h5py = library("h5py")
    shapes: Shapes = {}
    with h5py.File(file, "r", locking=False) as opened:
        for name in list(opened)[:MAX_CELLS]:
            # Groups of MATLAB's own begin with #; links are not followed.
            if name.startswith("#") or not isinstance(opened.get(name, getlink=True), h5py.HardLink):
                continue
            one = opened[name]
            is_array = isinstance(one, h5py.Dataset) and one.shape is not None and one.dtype.kind in "iuf"
            shapes[name] = tuple(one.shape[::-1]) if is_array and not _is_text(one) else None

    def load(wanted: Sequence[str]) -> dict[str, Any]:
        with h5py.File(file, "r", locking=False) as opened:
            there = [name for name in wanted if opened.get(name, getlink=True) is not None]
            return {name: _value_v73(opened, name, file, limit) for name in there}

    return shapes, load


def _is_text(dataset: Any) -> bool:
    return bool(dataset.attrs.get("MATLAB_class") == b"char")


def _value_v73(opened: Any, name: str, file: Path, limit: InflationLimit) -> Any:
    """Return numbers as an array, rows of text and cells as a list."""
    h5py = library("h5py")
    link = opened.get(name, getlink=True)
    if not isinstance(link, h5py.HardLink):
        raise InputError(
            f"{file}: variable {name} must lie in the file itself, but is a link to "
            f"{abbreviate(getattr(link, 'filename', None) or link.path)!r}, which is not followed."
        )
    dataset = opened[name]
    _check_v73(dataset, file, name, limit)
    if h5py.check_ref_dtype(dataset.dtype) is not None:
        return [_cell_v73(opened, one, file, name, limit) for one in dataset[()].ravel()]
    # MATLAB writes arrays column by column, HDF5 reads them row by row.
    array = dataset[()].T
    if not _is_text(dataset):
        return array.astype(np.float64, copy=False)
    if array.ndim != 2 or array.dtype != "uint16":
        raise ValueError("text must be rows of letters")
    _check_rows(len(array), f"{file}: variable {name}")
    return [_letters(row).rstrip() for row in array]


def _letters(array: Any) -> str:
    return str(array.astype("<u2").tobytes().decode("utf-16-le"))


def _cell_v73(opened: Any, reference: Any, file: Path, name: str, limit: InflationLimit) -> Any:
    if not reference:
        raise ValueError(f"a cell of {name} points to nothing")
    dataset = opened[reference]
    _check_v73(dataset, file, name, limit)
    if dataset.dtype.kind not in "iuf":
        raise InputError(f"{file}: variable {name} must be one cell array, but holds cells within cells.")
    array = dataset[()].T
    if array.dtype != "uint16":
        return array.astype(np.float64)
    if array.ndim != 2 or array.shape[0] > 1:
        raise ValueError(f"text in {name} must be one row")
    return _letters(array)


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
