"""Large arrays that stand in an archive as they are: mapped into memory instead of copied.

A mapped array costs no memory of its own: the system reads its pages when they are used, gives them up when
memory is short, and shares them between processes.
"""

from __future__ import annotations

import mmap
import os
import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

LARGE = 2**25
"""Bytes from which on an array is mapped, and written so that it can be."""

_ALIGNED = 64
# The field by which Android's zipalign pads a header; other programs skip it.
_PADDING = 0xD935
# Bytes of a member's header before its name, and of the field for sizes beyond 4 GiB.
_LOCAL_HEADER, _ZIP64 = 30, 20
_SAMPLE = 2**20


def is_better_plain(array: NDArray[Any]) -> bool:
    """Whether an array is large, and compression would save less than a quarter of it: by two samples."""
    if array.nbytes < LARGE or not array.flags.c_contiguous:
        return False
    content = array.reshape(-1).view(np.uint8)
    samples = content[:_SAMPLE], content[len(content) // 2 :][:_SAMPLE]
    return sum(len(zlib.compress(sample.tobytes(), 1)) for sample in samples) > 0.75 * 2 * _SAMPLE


def align(info: zipfile.ZipInfo, begin: int, zip64: bool) -> None:
    """Pad the header of a member that begins at `begin`, so that its content is aligned to cache lines."""
    length = _LOCAL_HEADER + len(info.filename.encode()) + (_ZIP64 if zip64 else 0) + len(info.extra)
    padding = -(begin + length + struct.calcsize("<HH")) % _ALIGNED
    info.extra += struct.pack("<HH", _PADDING, padding) + bytes(padding)


def mapped_body(file: IO[bytes], info: zipfile.ZipInfo, header: bytes) -> memoryview | None:
    """The content of a member behind its `header`; None if it cannot be mapped.

    Parameters
    ----------
    file : file
        The archive, open for reading.
    info : ZipInfo
        As the archive's table has it; that the member begins there, the caller has seen by opening it.
    header : bytes
        What was read of the member: the header of the array.
    """
    size = info.file_size - len(header)
    if info.compress_type != zipfile.ZIP_STORED or size < LARGE or info.compress_size != info.file_size:
        return None
    descriptor = file.fileno()
    local = os.pread(descriptor, _LOCAL_HEADER, info.header_offset)
    begin = info.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", local[26:30])) + len(header)
    if begin % np.dtype(np.float64).alignment or begin + size > os.fstat(descriptor).st_size:
        return None
    page = begin // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
    mapping = mmap.mmap(descriptor, begin + size - page, access=mmap.ACCESS_READ, offset=page)
    body = memoryview(mapping)[begin - page :]
    if zlib.crc32(body, zlib.crc32(header)) != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
    return body
