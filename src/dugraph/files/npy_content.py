"""One array of the .npy format, read from a stream: claims are checked before memory is taken."""

import sys
import warnings
from collections.abc import Callable
from math import prod
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dugraph.exceptions import InputError

_PIECE = 2**20


class Header(NamedTuple):
    """What a header says, and its bytes."""

    raw: bytes
    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[Any]


def read_array(
    member: IO[bytes],
    size: int,
    what: str,
    mapped: Callable[[bytes], memoryview | None] = lambda header: None,
) -> tuple[NDArray[Any], tuple[bytes, memoryview]]:
    """Read an array, and give the bytes that it is made of as well.

    Parameters
    ----------
    member : file
        At the beginning of the array.
    size : int
        Bytes that there are, header and content.
    what : str
        What it is called in messages.
    mapped : callable, optional
        Receives the header's bytes and gives the content, or None where it is to be read from the stream.
    """
    header = read_header(member)
    if header.dtype.hasobject or header.dtype.itemsize == 0 or header.dtype.kind == "V":
        raise InputError(
            f"{what} must have a plain dtype, but its dtype is {header.dtype}; pickled "
            "objects are never loaded. Store text as str arrays and numbers as number arrays."
        )
    claimed, actual = prod(header.shape) * header.dtype.itemsize, size - len(header.raw)
    if claimed != actual:
        raise InputError(
            f"{what} must be as large as it claims: shape {header.shape} of "
            f"{header.dtype} takes {claimed} bytes, but the file holds {actual}. Write the file again."
        )
    body = mapped(header.raw)
    if body is None:
        body = _read_body(member, actual)
    if header.dtype.kind == "U":
        points = np.frombuffer(body, np.dtype(np.uint32).newbyteorder(header.dtype.byteorder))
        # NumPy does not look, and Python breaks on such text later.
        if points.max(initial=0) > sys.maxunicode:
            raise ValueError("it holds text beyond Unicode")
    # A Fortran-ordered array is the transpose of the C-ordered one with the shape reversed.
    stored = header.shape[::-1] if header.fortran_order else header.shape
    array: NDArray[Any] = np.ndarray(stored, header.dtype, buffer=body)
    return array.T if header.fortran_order else array, (header.raw, body)


def _read_body(member: IO[bytes], size: int) -> memoryview:
    """Read piece by piece: a false size costs no more memory than there is data, and none is held twice."""
    body = bytearray()
    while piece := member.read(min(_PIECE, size + 1 - len(body))):
        body += piece
    if len(body) != size:
        raise EOFError(f"{len(body)} bytes instead of {size}")
    return memoryview(body).toreadonly()


class _RecordingFile:
    """Remember what was read, since NumPy's header parser keeps it for itself."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.raw = file, b""

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.raw += data
        return data


def read_header(member: IO[bytes]) -> Header:
    """Read the header of an array; ValueError and others if it is none."""
    recorded: Any = _RecordingFile(member)
    version = npy.read_magic(recorded)
    if version not in ((1, 0), (2, 0)):
        raise NotImplementedError(f"npy format version {version}")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        with warnings.catch_warnings():
            # NumPy repairs headers of Python 2 with a warning; here they count as damage.
            warnings.simplefilter("error")
            shape, fortran_order, dtype = read(recorded)
    except Exception as error:
        # A header is a Python expression: on foreign text its parser fails in ways that no list can foresee.
        raise ValueError("its header cannot be read") from error
    return Header(recorded.raw, shape, fortran_order, dtype)
