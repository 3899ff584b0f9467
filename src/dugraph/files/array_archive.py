"""Named arrays in one .npz file, read without trust; `archive_writing` writes them.

`numpy.load` believes the shape that a file claims and notices damage only where a zip checksum happens to
cover it. Here the claimed sizes are compared with the actual ones before memory is taken, and a SHA-256 over
all names and contents, kept in the member ``checksum``, covers the rest. They remain ordinary .npz files.
"""

import hashlib
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import IO, Any

from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.files.archive_writing import CHECKSUM
from dugraph.files.mapped import mapped_body
from dugraph.files.npy_content import read_array, read_header
from dugraph.files.opening import open_file

MAX_BYTES = 8 * 2**30
_CONVERT = "What a pipeline wrote becomes a cohort file by `dugraph convert`."

# What zipfile, zlib and NumPy raise on damaged input. RuntimeError: a damaged flag claims encryption.
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


_MOST_ARRAYS = 1_000
# Zeros shrink a thousandfold, probabilities with many zeros a hundredfold at most.
_MOST_INFLATION, _FREE = 250, 64 * 2**20


def read_archive(
    path: str | os.PathLike[str],
    max_bytes: int = MAX_BYTES,
    check_digest: Callable[[str], None] | None = None,
) -> dict[str, NDArray[Any]]:
    """Read all arrays of an .npz file, checking every claim before memory is taken.

    Parameters
    ----------
    path : path-like
    max_bytes : int, default 8 GiB
        The most that all arrays together may take.
    check_digest : callable, optional
        Receives the SHA-256 of the file, in hexadecimal digits, before anything in it is looked at.

    Returns
    -------
    dict of str to ndarray
        Read-only arrays, in the order of the file; large ones that are not compressed are mapped.
        The checksum is verified if there is one, and left out.
    """
    with ExitStack() as stack:
        stack.enter_context(_named_damage(path, "the file"))
        file = stack.enter_context(open_file(path))
        if check_digest is not None:
            # Of the file that is open: nobody can put another one in its place before it is read.
            check_digest(hashlib.file_digest(file, "sha256").hexdigest())
        archive = stack.enter_context(zipfile.ZipFile(file))
        members = archive.infolist()
        if len(members) > _MOST_ARRAYS:
            raise InputError(
                f"{path}: the file must have at most {_MOST_ARRAYS:,} arrays, but has {len(members):,}. "
                f"{_CONVERT}"
            )
        claimed = sum(info.file_size for info in members)
        size = os.fstat(file.fileno()).st_size
        if claimed > max(_FREE, _MOST_INFLATION * size):
            raise InputError(
                f"{path}: the arrays must be at most {_MOST_INFLATION} times as large as the file, but "
                f"{claimed:,} bytes are said to be in {size:,}: such a file is designed to fill memory."
            )
        if claimed > max_bytes:
            raise InputError(
                f"{path}: the arrays must take at most {max_bytes} bytes together, but they claim {claimed}. "
                "Raise max_bytes if the file can be trusted."
            )
        digest = hashlib.sha256()
        arrays: dict[str, NDArray[Any]] = {}
        for info in members:
            name = info.filename.removesuffix(".npy")
            if name == info.filename or name in arrays:
                raise InputError(
                    f"{path}: every member must be an array of its own name, {info.filename!r} is not."
                )
            with _named_damage(path, f"array {name!r}"):
                arrays[name], content = _read_member(archive, file, info, f"{path}: array {name!r}")
            if name != CHECKSUM:
                digest.update(name.encode() + b"\0")
                for part in content:
                    digest.update(part)
    stored = arrays.pop(CHECKSUM, None)
    # Files made with numpy.savez have none; ours always do.
    if stored is not None and str(stored) != digest.hexdigest():
        raise InputError(
            f"{path}: the content must match its checksum, but the file is damaged. Copy it again."
        )
    return arrays


@contextmanager
def _named_damage(path: str | os.PathLike[str], what: str, form: str = "npz") -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        way = f" {_CONVERT}" if isinstance(error, IsADirectoryError) else ""
        raise InputError(f"{path}: the file must be readable: {error.strerror or error}.{way}") from error
    except DAMAGE as error:
        way = f" {_CONVERT}" if form == "npz" and what == "the file" else ""
        raise InputError(
            f"{path}: {what} must be intact .{form} content, but it is damaged, cut short or of another "
            f"format ({str(error) or type(error).__name__}). Copy or write the file again.{way}"
        ) from error


def _read_member(
    archive: zipfile.ZipFile, file: IO[bytes], info: zipfile.ZipInfo, what: str
) -> tuple[NDArray[Any], tuple[bytes, memoryview]]:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImplementedError(f"compression method {info.compress_type}")
    with archive.open(info) as member:
        return read_array(member, info.file_size, what, partial(mapped_body, file, info))


def read_npy(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Read one array of a plain dtype from an .npy file, which must be as large as it claims.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    ndarray
        Read-only.
    """
    with _named_damage(path, "the array", "npy"), open_file(path) as file:
        return read_array(file, os.fstat(file.fileno()).st_size, f"{path}: the array")[0]


def npy_shape(path: str | os.PathLike[str]) -> tuple[int, ...]:
    """Return the shape that an .npy file claims; of its content nothing is read."""
    with _named_damage(path, "the array", "npy"), open(path, "rb") as file:
        return read_header(file).shape
