"""One variable of a .npy, .npz or .mat file; sizes are checked before values are read.

MATLAB files of versions 4, 5 and 7 are read by scipy.io, of version 7.3 by h5py.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import islice
from math import ceil, prod
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat, whosmat

from dugraph.data.arguments import abbreviate
from dugraph.exceptions import InputError, Setting
from dugraph.files.npz import check_inflation, read_archive, read_npy
from dugraph.io.connectomes import Sample
from dugraph.io.guards import MemoryBudget, file_size, intact, library, read_bytes
from dugraph.io.input_files import ReadOptions

ARRAY_FILES = (".npy", ".npz", ".mat")
_LONGEST_NAME = 100
_MOST_CELLS = 100_000
"""Cells of one array: each becomes an object, and empty or repeated ones take almost no bytes in the file."""
_MATLAB = "MATLAB file of numbers, text or cell arrays"

Shape = tuple[int, ...]
Shapes = dict[str, Shape | None]
Load = Callable[[Sequence[str]], dict[str, Any]]
Claim = Callable[[Sequence[int]], None]


def is_square(shape: Shape) -> bool:
    """Return whether an array of a shape may be a matrix between regions."""
    return len(shape) == 2 and shape[0] == shape[1] > 1


def is_table(shape: Shape) -> bool:
    """Return whether an array of a shape may be series."""
    return len(shape) == 2 and min(shape) > 1


def read_variable(
    file: Path, options: ReadOptions, fits: Callable[[Shape], bool], what: str
) -> tuple[Sample, str]:
    """Read the variable that is asked for, or the only one whose shape fits; `what` is meant, for messages.

    Return it with the names in `names_variable`, and its name, which is empty in a .npy file.
    """
    suffix = file.suffix.lower()
    if suffix != ".mat":
        options.budget.check(file_size(file), file)
    if suffix == ".npy":
        return _only_array(file, options, fits, what), ""
    if suffix == ".npz":
        values = read_archive(file, options.budget.max_memory)
        if "edge_probability" in values:
            raise InputError(
                f"{file}: the file must come from another program, but it is already a cohort file. Mine "
                "it as it is; `dugraph info` shows what it holds."
            )
        shapes = {name: a.shape if a.dtype.kind in "biuf" else None for name, a in values.items()}
    else:
        shapes, load = open_mat(file, options.budget)
    name = _chosen(file, shapes, options, fits, what)
    wanted = [name]
    if options.names_variable is not None:
        _check_there(file, shapes, "names_variable", options.names_variable)
        wanted.append(options.names_variable)
    if suffix == ".mat":
        values = load(wanted)
    names = None if len(wanted) == 1 else _names(values[wanted[1]], wanted[1], file)
    return Sample(file, np.asarray(values[name], dtype=np.float64), names), name


def _only_array(file: Path, options: ReadOptions, fits: Callable[[Shape], bool], what: str) -> Sample:
    for name in ("variable", "names_variable"):
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out for .npy files, which hold one array without a name: {file}.",
                parameter=name,
            )
    array = read_npy(file)
    if array.dtype.kind not in "biuf" or not fits(array.shape):
        raise InputError(
            f"{file}: the file must hold {what} of numbers, but its array has shape {array.shape} and dtype "
            f"{array.dtype}."
        )
    return Sample(file, np.asarray(array, dtype=np.float64))


def _chosen(
    file: Path, shapes: Shapes, options: ReadOptions, fits: Callable[[Shape], bool], what: str
) -> str:
    fitting = [name for name, shape in shapes.items() if shape is not None and fits(shape)]
    asked = options.variable
    if asked is not None:
        _check_there(file, shapes, "variable", asked)
        if asked not in fitting:
            shape = shapes[asked]
            found = "no numbers" if shape is None else f"of shape {shape}"
            rule = f" must be {what} of numbers, but {abbreviate(asked)} is {found}."
            raise InputError((f"{file}: ", Setting("variable"), rule), parameter="variable")
        return asked
    if len(fitting) != 1:
        found = f"{len(fitting)} may be meant among" if fitting else "there is none among"
        raise InputError(
            f"{file}: the file must hold {what} of numbers, but {found} {_listed(shapes)}.",
            parameter="variable",
            way_out=("Name one with ", Setting("variable"), ".") if fitting else "Check the file.",
        )
    return fitting[0]


def _check_there(file: Path, shapes: Shapes, parameter: str, name: str) -> None:
    if name not in shapes:
        rule = f" must be in the file, but {abbreviate(name)!r} is not one of {_listed(shapes)}."
        raise InputError((f"{file}: ", Setting(parameter), rule), parameter=parameter)


def _listed(shapes: Shapes) -> str:
    # In full, so that they can be copied: QSIRecon has names of sixty letters.
    names = [
        name if name.isprintable() and len(name) < _LONGEST_NAME else abbreviate(name) for name in shapes
    ]
    parts = [f"{name} {shape or ''}".strip() for name, shape in zip(names, shapes.values(), strict=True)]
    return ", ".join(parts[:12]) + (", ..." if len(parts) > 12 else "") if parts else "nothing"


def _names(value: Any, name: str, file: Path) -> tuple[str, ...]:
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        value = [str(one) for one in value.astype(np.str_).ravel()]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        rule = f" must hold text, but {abbreviate(name)} holds numbers."
        raise InputError((f"{file}: ", Setting("names_variable"), rule), parameter="names_variable")
    return tuple(one.strip() for one in value)


# --- MATLAB files ---


def open_mat(file: Path, budget: MemoryBudget) -> tuple[Shapes, Load]:
    """List the variables of a .mat file of version 4, 5, 7 or 7.3, and return a function that reads some.

    The first result has the shapes of numbers, None for all other variables. The function takes names, of
    which it leaves out those that the file has not, and returns arrays of float, or lists of text and arrays
    for text and cell arrays.
    """
    content = read_bytes(file, budget)
    claimed = 0

    def claim(shape: Sequence[int]) -> None:
        """Count the values of an array, eight bytes each, before they are read."""
        nonlocal claimed
        # Rows without letters take no bytes in the file, but each becomes an object.
        claimed += 8 * prod(max(n, 1) for n in shape)
        budget.check(claimed, file)
        check_inflation(file, claimed, len(content))

    with intact(file, _MATLAB):
        if content[512:520] == b"\x89HDF\r\n\x1a\n":
            shapes, load = _open_v73(file, claim)
        elif content[124:128] in (b"\x00\x01IM", b"\x01\x00MI"):
            shapes, load = _open_v5(content, claim)
        elif _is_v4(content):
            shapes, load = _open_v4(content, claim)
        else:
            raise InputError(
                f"{file}: the file must be a MATLAB file of version 4, 5, 7 or 7.3, but its header is not "
                "one of these. Copy it again, or save it with save -v7."
            )

    def loaded(wanted: Sequence[str]) -> dict[str, Any]:
        with intact(file, _MATLAB):
            return load(wanted)

    return shapes, loaded


# --- Versions 4, 5 and 7 ------------------------------------------------------------------------------------


def _is_v4(content: bytes) -> bool:
    # Version 4 has no mark of its own: its first number says how the first variable is stored.
    first = {struct.unpack_from(f"{order}I", content)[0] for order in "<>"} if len(content) >= 20 else set()
    return any(number % 10 < 3 and number % 100 // 10 < 6 and number < 2000 for number in first)


def _open_v4(content: bytes, claim: Claim) -> tuple[Shapes, Load]:
    listed = whosmat(BytesIO(content))
    variables = {name: (shape, kind) for name, shape, kind in listed}
    if len(variables) != len(listed):
        raise ValueError("a variable appears twice")

    def load(wanted: Sequence[str]) -> dict[str, Any]:
        for name in wanted:
            claim(variables.get(name, ((0,), ""))[0])
        return _loaded(content, wanted)

    shapes = {name: None if kind in ("char", "sparse") else one for name, (one, kind) in variables.items()}
    return shapes, load


def _loaded(content: bytes, wanted: Sequence[str], **options: Any) -> dict[str, Any]:
    found = loadmat(BytesIO(content), variable_names=list(wanted), **options)
    return {name: _plain(found[name]) for name in wanted if name in found}


def _plain(value: Any) -> Any:
    """Return numbers as an array of float, rows of text and cells as a list."""
    if value.dtype.kind == "O":
        return [_cell(_plain(cell)) for cell in value.ravel(order="F")]
    if value.dtype.kind == "U":
        # Rows of text are padded to one length.
        return [str(row).rstrip() for row in value.ravel()]
    if value.dtype.kind not in "biuf":
        raise ValueError(f"values of {value.dtype} are not real numbers")
    with np.errstate(invalid="ignore"):  # a signalling NaN
        return value.astype(np.float64, copy=False)


def _cell(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if len(value) > 1:
        raise ValueError("text in a cell must be one row")
    return value[0] if value else ""


_HEADER = 128
# Bytes that contain the head of a variable: its size, flags, dimensions and name.
_HEAD_BYTES = 256
# Data types of elements, and classes of arrays, as MATLAB numbers them.
_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _NUMBERS = 1, 4, range(6, 16)
_COMPLEX = 0x800
_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}
_LETTER_SIZES = {2: 1, 4: 1, 16: 1, 17: 1, 18: 1}


def _open_v5(content: bytes, claim: Claim) -> tuple[Shapes, Load]:
    order = "<" if content[126:128] == b"IM" else ">"
    shapes: Shapes = {}
    bodies: dict[str, tuple[memoryview, bool]] = {}
    twice: set[str] = set()
    for kind, body in _elements(memoryview(content)[_HEADER:], order, 1):
        head = body
        if kind not in (_MATRIX, _COMPRESSED):
            raise ValueError(f"a variable has the unknown type {kind}")
        if kind == _COMPRESSED:
            head = memoryview(zlib.decompressobj().decompress(body, _HEAD_BYTES))[8:]
        matlab_class, dims, name, _ = _head(head, order)
        if name in bodies:
            twice.add(name)
        shapes[name] = dims if matlab_class in _NUMBERS else None
        bodies[name] = body, kind == _COMPRESSED

    def load(wanted: Sequence[str]) -> dict[str, Any]:
        if repeated := twice.intersection(wanted):
            raise ValueError(f"variable {abbreviate(min(repeated))} appears twice")
        chosen = {name: bodies[name] for name in wanted if name in bodies}
        parts: list[bytes | memoryview] = [content[:_HEADER]]
        for body, is_compressed in chosen.values():
            plain = _inflated(body, order, claim) if is_compressed else body
            _check_array(plain, order)
            parts += [struct.pack(order + "II", _MATRIX, len(plain)), plain]
        codec = "utf-16-le" if order == "<" else "utf-16-be"
        return _loaded(b"".join(parts), list(chosen), uint16_codec=codec)

    return shapes, load


def _inflated(body: memoryview, order: str, claim: Claim) -> memoryview:
    stream = zlib.decompressobj()
    _, size = struct.unpack(order + "II", stream.decompress(body, 8))
    claim((size // 8,))
    inflated = stream.decompress(stream.unconsumed_tail, size)
    # The checksum comes after the last byte.
    if len(inflated) != size or stream.decompress(stream.unconsumed_tail, 1) or not stream.eof:
        raise ValueError("compressed content is truncated or longer than declared")
    return memoryview(inflated)


# scipy follows tags out of the content, which ends the process, and makes cell arrays as large as they claim:
# tags, types and dimensions are compared with the content before it reads.


def _elements(body: memoryview, order: str, alignment: int = 8) -> Iterator[tuple[int, memoryview]]:
    position = 0
    while position < len(body):
        (word,) = struct.unpack_from(order + "I", body, position)
        # Up to four bytes lie inside the tag, which then has the size in its upper half.
        start, kind, size = position + 4, word & 0xFFFF, word >> 16
        if not size:
            (size,) = struct.unpack_from(order + "I", body, start)
            start, kind = position + 8, word
        elif size > 4:
            raise ValueError(f"a part of {size} bytes lies inside its tag")
        if start + size > len(body):
            raise EOFError(f"a part declares {size} bytes, but {len(body) - start} follow")
        yield kind, body[start : start + size]
        position = start + size
        position += -position % alignment


def _head(body: memoryview, order: str) -> tuple[int, tuple[int, ...], str, Iterator[tuple[int, memoryview]]]:
    """Return the class of an array, its dimensions, its name, and the elements that follow."""
    elements = _elements(body, order)
    kinds, (flags, sizes, name) = zip(*islice(elements, 3), strict=True)
    if kinds != (6, 5, 1) or len(sizes) < 8:
        raise ValueError("a variable has no proper head")
    (bits,) = struct.unpack_from(order + "I", flags)
    if bits & _COMPLEX:
        raise ValueError("values must be real, but are complex")
    dims = struct.unpack(f"{order}{len(sizes) // 4}i", sizes)
    return bits & 0xFF, dims, bytes(name).decode("latin-1"), elements


def _check_array(body: memoryview, order: str, in_cell: bool = False) -> None:
    """Refuse an array that scipy could not read safely."""
    matlab_class, dims, _, elements = _head(body, order)
    parts = list(islice(elements, _MOST_CELLS + 1))
    if matlab_class == _CELL and not in_cell:
        n_values = len(parts)
        if n_values > _MOST_CELLS:
            raise ValueError(f"an array may have {_MOST_CELLS} cells, but has more")
        for kind, part in parts:
            if kind != _MATRIX:
                raise ValueError("a cell must be an array")
            if part:
                _check_array(part, order, in_cell=True)
    elif (matlab_class == _CHAR or matlab_class in _NUMBERS) and len(parts) == 1:
        sizes = _LETTER_SIZES if matlab_class == _CHAR else _SIZES
        if parts[0][0] not in sizes:
            raise ValueError(f"values of the type {parts[0][0]} in an array of MATLAB class {matlab_class}")
        n_values = len(parts[0][1]) // sizes[parts[0][0]]
    else:
        raise ValueError(f"an array of MATLAB class {matlab_class} with {len(parts)} parts")
    # An empty dimension takes no bytes, but scipy makes an object for each row of text.
    if max(dims) > max(n_values, 1) or min(dims) < 0 or prod(dims) > n_values:
        raise ValueError(f"dimensions {dims} exceed the {n_values} values in the file")


# --- Version 7.3, which is HDF5 -----------------------------------------------------------------------------


def _open_v73(file: Path, claim: Claim) -> tuple[Shapes, Load]:
    h5py = library("h5py")

    def load(wanted: Sequence[str]) -> dict[str, Any]:
        with h5py.File(file, "r", locking=False) as opened:
            return {name: _value(opened, name, claim) for name in wanted if name in opened}

    with h5py.File(file, "r", locking=False) as opened:
        # Groups of MATLAB's own begin with #; links are not followed.
        names = [n for n in opened if n[0] != "#" and isinstance(opened.get(n, getlink=True), h5py.HardLink)]
        found = {name: opened[name] for name in names}
        shapes = {name: one.shape[::-1] if _is_numbers(one) else None for name, one in found.items()}
    return shapes, load


def _is_numbers(one: Any) -> bool:
    if getattr(one, "shape", None) is None or one.dtype.kind not in "iuf":
        return False
    return bool(one.attrs.get("MATLAB_class") != b"char")


def _value(opened: Any, key: Any, claim: Claim) -> Any:
    """Return numbers as an array, rows of text and cells as a list."""
    h5py = library("h5py")
    if isinstance(key, str) and not isinstance(opened.get(key, getlink=True), h5py.HardLink):
        raise ValueError(f"variable {abbreviate(key)} is a link, which is not followed")
    one = opened[key]
    if getattr(one, "shape", None) is None or one.is_virtual or one.external:
        raise ValueError("not an array stored in the file itself")
    claim(one.shape)
    _check_stored(one, claim)
    if isinstance(key, str) and h5py.check_ref_dtype(one.dtype) is not None:
        if one.size > _MOST_CELLS:
            raise ValueError(f"an array may have {_MOST_CELLS} cells, but has {one.size}")
        return [_cell(_value(opened, reference, claim)) for reference in one[()].ravel()]
    if one.dtype.kind not in "iuf":
        raise ValueError(f"values of {one.dtype} are not real numbers")
    # MATLAB writes arrays column by column, HDF5 reads them row by row.
    array = one[()].T
    if _is_numbers(one):
        return array.astype(np.float64)
    if array.ndim != 2 or array.dtype != "uint16":
        raise ValueError("text must be rows of letters")
    return [row.astype("<u2").tobytes().decode("utf-16-le").rstrip() for row in array]


def _check_stored(one: Any, claim: Claim) -> None:
    """Refuse values missing from the file, which HDF5 reads as 0, and chunks larger than declared."""
    h5py = library("h5py")
    plan = one.id.get_create_plist()
    filters = [plan.get_filter(i)[0] for i in range(plan.get_nfilters())]
    if filters not in ([], [h5py.h5z.FILTER_DEFLATE]):
        raise ValueError("values are compressed in a way that MATLAB does not use")
    if one.chunks is None:
        if one.id.get_storage_size() < one.size * one.dtype.itemsize:
            raise EOFError("values are declared that the file does not contain")
        return
    chunks: list[Any] = []
    one.id.chunk_iter(chunks.append)
    n_wanted = prod(ceil(n / size) for n, size in zip(one.shape, one.chunks, strict=True))
    if len(chunks) != n_wanted:
        raise EOFError(f"{n_wanted} chunks are declared, but the file contains {len(chunks)}")
    n_bytes = prod(one.chunks) * one.dtype.itemsize
    claim((ceil(n_bytes * n_wanted / 8),))
    for chunk in chunks:
        if chunk.size > one.file.id.get_filesize() or chunk.filter_mask:
            raise ValueError("a chunk is larger than the file, or was written past its filter")
        raw = one.id.read_direct_chunk(chunk.chunk_offset)[1]
        size = len(zlib.decompressobj().decompress(raw, n_bytes + 1)) if filters else len(raw)
        if size != n_bytes:
            raise ValueError(f"a chunk must hold {n_bytes} bytes, but does not")
