"""Named arrays in one .npz file: written reproducibly, and read with a size check before memory is taken.

They are ordinary .npz files; the first member, ``checksum``, is the SHA-256 of the names and contents of the
others, and is verified if it is there.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.files.atomic import PathLike, atomic_file, open_file, unreadable

MAX_BYTES = 8 * 2**30
CHECKSUM = "checksum"
_MOST_HEADER = 2**16
# Zeros compress a thousandfold, probabilities with many zeros a hundredfold at most.
_MOST_INFLATION, _SMALL = 250, 64 * 2**20
_CHUNK = 2**20  # bytes read at a time
_CONVERT = " `dugraph convert` turns the output of another program into a cohort file."


def write_archive(path: PathLike, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays, none of dtype object; equal content gives equal bytes."""
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
    hashed: Any = SimpleNamespace(write=digest.update)
    for name, array in plain.items():
        digest.update(name.encode() + b"\0")
        npy.write_array(hashed, array, (1, 0), allow_pickle=False)
    # First, because a damaged length in the zip directory can hide later members.
    members = {CHECKSUM: np.array(digest.hexdigest(), dtype="<U64")} | plain
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in members.items():
            # Fixed, where zipfile would ask the clock or the operating system.
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=array.nbytes >= 2**30) as member:
                npy.write_array(member, array, (1, 0), allow_pickle=False)


def read_archive(path: PathLike, max_bytes: int = MAX_BYTES) -> dict[str, NDArray[Any]]:
    """Read all arrays of an .npz file that take at most `max_bytes` together; they are read-only."""
    digest = hashlib.sha256()
    arrays: dict[str, NDArray[Any]] = {}
    with _named_damage(path, "npz"), open_file(path) as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        claimed = sum(info.file_size for info in members)
        check_inflation(path, claimed, os.fstat(file.fileno()).st_size)
        if claimed > max_bytes:
            raise InputError(
                f"{path}: the arrays must take at most {max_bytes} bytes together, but they claim {claimed}. "
                "Raise max_bytes if the file can be trusted."
            )
        for info in members:
            name = info.filename.removesuffix(".npy")
            if name == info.filename or name in arrays:
                raise InputError(
                    f"{path}: every member must be an array with a name of its own, but {info.filename!r} "
                    "is not."
                )
            # Other methods of zip may unpack more than the directory says.
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"compression method {info.compress_type}")
            with archive.open(info) as member:
                content = _read_bytes(member, info.file_size)
            if name != CHECKSUM:
                digest.update(name.encode() + b"\0")
                digest.update(content.data)
            arrays[name] = _array(content, f"{path}: array {name!r}")
    stored = arrays.pop(CHECKSUM, None)
    # Files written by numpy.savez have none.
    if stored is not None and str(stored) != digest.hexdigest():
        raise InputError(
            f"{path}: the content must match its checksum, but the file is damaged. Copy it again."
        )
    return arrays


def names_in_archive(path: PathLike) -> set[str]:
    """Return the names of the arrays of an .npz file; none if it is something else."""
    if not os.fspath(path).lower().endswith(".npz") or not os.path.isfile(path):
        return set()
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy") for name in archive.namelist()}
    except Exception:  # zipfile raises many kinds
        return set()


def read_npy(path: PathLike) -> NDArray[Any]:
    """Read one array of a plain dtype from an .npy file; it is read-only."""
    with _named_damage(path, "npy"), open_file(path) as file:
        return _array(_read_bytes(file, os.fstat(file.fileno()).st_size), f"{path}: the array")


def check_inflation(path: PathLike, claimed: int, size: int) -> None:
    """Refuse compressed content that is far larger than its file."""
    if claimed > max(_SMALL, _MOST_INFLATION * size):
        raise InputError(
            f"{path}: the arrays must be at most {_MOST_INFLATION} times as large as the file, but it claims "
            f"{claimed:,} bytes in {size:,}: such a file is designed to fill memory."
        )


def _read_bytes(file: Any, size: int) -> NDArray[np.uint8]:
    content = np.empty(size, dtype=np.uint8)
    n_read = sum(file.readinto(content[begin : begin + _CHUNK]) for begin in range(0, size, _CHUNK))
    if n_read != size or file.read(1):  # at the end, zipfile compares the CRC-32
        raise EOFError("its length differs from the stated one")
    content.flags.writeable = False
    return content


def _array(content: NDArray[np.uint8], what: str) -> NDArray[Any]:
    """Return the array in the content of an .npy file, without a copy."""
    file = io.BytesIO(content[:_MOST_HEADER].tobytes())
    read = npy.read_array_header_1_0 if npy.read_magic(file) == (1, 0) else npy.read_array_header_2_0
    with warnings.catch_warnings():
        # NumPy repairs headers written by Python 2 with a warning; here they count as damage.
        warnings.simplefilter("error")
        shape, is_fortran, dtype = read(file)
    if dtype.hasobject or dtype.itemsize == 0 or dtype.kind == "V":
        raise InputError(
            f"{what} must have a plain dtype, but its dtype is {dtype}; pickled objects are never loaded. "
            "Store text as str arrays and numbers as number arrays."
        )
    data = content[file.tell() :]
    if data.ctypes.data % dtype.alignment:  # after a header of unusual length
        data = data.copy()
        data.flags.writeable = False
    array: NDArray[Any] = np.ndarray(shape, dtype, data.data, order="F" if is_fortran else "C")
    if array.nbytes != len(data):
        raise ValueError(f"{shape} of {dtype} takes {array.nbytes} bytes, but there are {len(data)}")
    if dtype.kind == "U":
        points = data.view(np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        if points.max(initial=0) > sys.maxunicode:  # NumPy does not check, and Python fails on such text
            raise ValueError("it contains text beyond Unicode")
    return array


@contextmanager
def _named_damage(path: PathLike, form: str) -> Iterator[None]:
    """Turn the many exceptions that a damaged file causes into an InputError that names the file."""
    convert = _CONVERT if form == "npz" else ""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except OSError as error:
        if os.path.exists(os.path.join(path, "results.json")):
            convert = " It is the folder of a result: name the cohort file."
        elif not isinstance(error, IsADirectoryError):
            convert = ""
        raise unreadable(path, error, convert) from error
    except Exception as error:  # zipfile, zlib and NumPy raise many kinds, and may quote the bytes
        text = (str(error) or type(error).__name__)[:200]
        raise InputError(
            f"{path}: must be an intact .{form} file, but it is damaged, truncated or in another "
            f"format ({text if text.isprintable() else repr(text)}). Copy or write the file again.{convert}"
        ) from error
