"""Named arrays in one .npz file: written reproducibly, and read with a size check before memory is taken.

They are ordinary .npz files; the first member, ``checksum``, is the SHA-256 of the names and contents of the
others. Unlike `numpy.load`, the reader compares the sizes that a file claims with those in the zip directory,
refuses archives designed to fill memory, and verifies the checksum if there is one.
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.files.atomic import PathLike, atomic_file, open_file, unreadable

MAX_BYTES = 8 * 2**30
CHECKSUM = "checksum"
_MOST_ARRAYS = 1_000
# Zeros compress a thousandfold, probabilities with many zeros a hundredfold at most.
_MOST_INFLATION, _SMALL = 250, 64 * 2**20
_CHUNK = 2**20  # bytes read at a time
_CONVERT = "`dugraph convert` turns the output of another program into a cohort file."

# Exceptions of zipfile, zlib and NumPy for damaged input; RuntimeError if a damaged flag claims encryption.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
)


def write_archive(path: PathLike, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays, none of dtype object; equal content gives equal bytes.

    Parameters
    ----------
    path : path-like
        The file to write or replace; a symbolic link is followed.
    arrays : mapping of str to ndarray
    """
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise InputError(
                f"{path}: array {name!r} must have a plain dtype, but it holds Python objects. "
                "Make its entries all text or all numbers."
            )
    with atomic_file(path) as file:
        _write_zip(file, arrays)


def archive_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of the file that `write_archive` writes."""
    file = io.BytesIO()
    _write_zip(file, arrays)
    return file.getvalue()


def _write_zip(file: IO[bytes], arrays: Mapping[str, NDArray[Any]]) -> None:
    # C order and little-endian on every machine.
    plain = {name: np.ascontiguousarray(one, one.dtype.newbyteorder("<")) for name, one in arrays.items()}
    digest = hashlib.sha256()
    for name, array in plain.items():
        digest.update(name.encode() + b"\0")
        for part in _npy_parts(array):
            digest.update(part)
    # First, because a damaged length in the zip directory can hide later members.
    members = {CHECKSUM: np.array(digest.hexdigest(), dtype="<U64")} | plain
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in members.items():
            # Fixed, where zipfile would ask the clock or the operating system.
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=array.nbytes >= 2**30) as member:
                for part in _npy_parts(array):
                    member.write(part)


def _npy_parts(array: NDArray[Any]) -> Iterator[bytes | memoryview]:
    """The header and the data of an .npy file, without a copy of the array."""
    header = io.BytesIO()
    npy.write_array_header_1_0(header, npy.header_data_from_array_1_0(array))
    yield header.getvalue()
    if array.size:
        yield array.reshape(-1).view(np.uint8).data


def read_archive(path: PathLike, max_bytes: int = MAX_BYTES) -> dict[str, NDArray[Any]]:
    """Read all arrays of an .npz file.

    Parameters
    ----------
    path : path-like
    max_bytes : int, default 8 GiB
        The most that all arrays together may take.

    Returns
    -------
    dict of str to ndarray
        Read-only arrays, in the order of the file, without the checksum.

    Raises
    ------
    InputError
        If the file is missing, damaged, or not an .npz file of plain arrays.
    """
    digest = hashlib.sha256()
    arrays: dict[str, NDArray[Any]] = {}
    with _named_damage(path, "the file"), open_file(path) as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_sizes(path, os.fstat(file.fileno()).st_size, members, max_bytes)
        for info in members:
            name = info.filename.removesuffix(".npy")
            if name == info.filename or name in arrays:
                raise InputError(
                    f"{path}: every member must be an array with a name of its own, but {info.filename!r} "
                    "is not."
                )
            if name != CHECKSUM:
                digest.update(name.encode() + b"\0")
            with _named_damage(path, f"array {name!r}"):
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise NotImplementedError(f"compression method {info.compress_type}")
                update = (lambda _: None) if name == CHECKSUM else digest.update
                with archive.open(info) as member:
                    arrays[name] = _read_array(member, info.file_size, f"{path}: array {name!r}", update)
    stored = arrays.pop(CHECKSUM, None)
    # Files written by numpy.savez have none.
    if stored is not None and str(stored) != digest.hexdigest():
        raise InputError(
            f"{path}: the content must match its checksum, but the file is damaged. Copy it again."
        )
    return arrays


def _check_sizes(path: PathLike, size: int, members: list[zipfile.ZipInfo], max_bytes: int) -> None:
    claimed = sum(info.file_size for info in members)
    if len(members) > _MOST_ARRAYS:
        raise InputError(
            f"{path}: the file must have at most {_MOST_ARRAYS:,} arrays, but has {len(members):,}. "
            f"{_CONVERT}"
        )
    if claimed > max(_SMALL, _MOST_INFLATION * size):
        raise InputError(
            f"{path}: the arrays must be at most {_MOST_INFLATION} times as large as the file, but it claims "
            f"{claimed:,} bytes in {size:,}: such a file is designed to fill memory."
        )
    if claimed > max_bytes:
        raise InputError(
            f"{path}: the arrays must take at most {max_bytes} bytes together, but they claim {claimed}. "
            "Raise max_bytes if the file can be trusted."
        )


def _read_array(
    file: IO[bytes], size: int, what: str, update: Callable[[Any], None] = lambda _: None
) -> NDArray[Any]:
    """Read an .npy file of `size` bytes; `update` is called with its bytes. The array is read-only."""
    header = _read_header(file)
    update(header)
    shape, is_fortran, dtype = _parse_header(header)
    if dtype.hasobject or dtype.itemsize == 0 or dtype.kind == "V":
        raise InputError(
            f"{what} must have a plain dtype, but its dtype is {dtype}; pickled objects are never loaded. "
            "Store text as str arrays and numbers as number arrays."
        )
    claimed, actual = prod(shape) * dtype.itemsize, size - len(header)
    if claimed != actual:
        raise InputError(
            f"{what} must be as large as it claims: shape {shape} of {dtype} takes {claimed} bytes, but the "
            f"file holds {actual}. Write the file again."
        )
    data = np.empty(claimed, dtype=np.uint8)
    for begin in range(0, claimed, _CHUNK):
        chunk = data[begin : begin + _CHUNK]
        if file.readinto(chunk) != len(chunk):  # type: ignore[attr-defined]
            raise EOFError("the data end early")
        update(chunk)
    if file.read(1):  # at the end, zipfile compares the CRC-32
        raise ValueError("data after the array")
    array = np.ndarray(shape, dtype, data.data, order="F" if is_fortran else "C")
    if dtype.kind == "U":
        points = data.view(np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        if points.max(initial=0) > sys.maxunicode:  # NumPy does not check, and Python fails on such text
            raise ValueError("it holds text beyond Unicode")
    array.flags.writeable = False
    return array


def _read_header(file: IO[bytes]) -> bytes:
    start = file.read(8)
    size = file.read(2 if start.endswith(b"\1\0") else 4)
    # NumPy refuses headers that are longer.
    return start + size + file.read(min(int.from_bytes(size, "little"), 2**16))


@lru_cache(maxsize=16)  # the files of a study have the same
def _parse_header(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether in Fortran order, and dtype."""
    file = io.BytesIO(header)
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise NotImplementedError(f"npy format version {version}")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        with warnings.catch_warnings():
            # NumPy repairs headers written by Python 2 with a warning; here they count as damage.
            warnings.simplefilter("error")
            shape, is_fortran, dtype = read(file)
    except Exception as error:  # NumPy parses the header as Python, which fails in unforeseeable ways
        raise ValueError("its header cannot be read") from error
    return shape, is_fortran, dtype


def read_npy(path: PathLike) -> NDArray[Any]:
    """Read one array of a plain dtype from an .npy file, which must be as large as it claims; read-only."""
    with _named_damage(path, "the array", "npy"), open_file(path) as file:
        return _read_array(file, os.fstat(file.fileno()).st_size, f"{path}: the array")


def npy_shape(path: PathLike) -> tuple[int, ...]:
    """Return the shape in the header of an .npy file."""
    with _named_damage(path, "the array", "npy"), open(path, "rb") as file:
        return _parse_header(_read_header(file))[0]


@contextmanager
def _named_damage(path: PathLike, what: str, form: str = "npz") -> Iterator[None]:
    """Turn the many exceptions that a damaged file causes into an InputError that names the file."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        way = f" {_CONVERT}" if isinstance(error, IsADirectoryError) else ""
        if os.path.exists(os.path.join(path, "results.json")):
            way = " It is the folder of a result: name the cohort file."
        raise unreadable(path, error, way) from error
    except DAMAGE as error:
        way = f" {_CONVERT}" if form == "npz" and what == "the file" else ""
        raise InputError(
            f"{path}: {what} must be intact .{form} content, but it is damaged, cut short or of another "
            f"format ({str(error) or type(error).__name__}). Copy or write the file again.{way}"
        ) from error
