"""Named arrays into one .npz file: atomically, reproducibly, and with a checksum over all of them."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file
from dugraph.files.mapped import align, is_better_plain

CHECKSUM = "checksum"


def write_archive(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays, all or nothing; equal content gives equal bytes.

    Parameters
    ----------
    path : path-like
        The file to write or replace; a symbolic link is followed.
    arrays : mapping of str to ndarray
        None of dtype object.
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
    plain = {name: _plain(array) for name, array in arrays.items()}
    digest = hashlib.sha256()
    for name, array in plain.items():
        digest.update(name.encode() + b"\0")
        _write_array(_HashingFile(digest), array)
    # The checksum goes first: one damaged length in the table of members can hide all later ones, but not it.
    members = {CHECKSUM: np.array(digest.hexdigest(), dtype="<U64")} | plain
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in members.items():
            # Everything that zipfile would take from the clock or the system is fixed.
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = 0o644 << 16
            zip64 = array.nbytes >= 2**30
            if is_better_plain(array):
                info.compress_type = zipfile.ZIP_STORED
                align(info, file.tell(), zip64)
            with archive.open(info, "w", force_zip64=zip64) as member:
                _write_array(member, array)


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """In C order and little-endian, whatever the machine and the history of the array."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _write_array(file: Any, array: NDArray[Any]) -> None:
    npy.write_array(file, array, version=(1, 0), allow_pickle=False)


class _HashingFile:
    """Hash what is written instead of keeping it."""

    def __init__(self, digest: Any) -> None:
        self._digest = digest

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        return len(data)
