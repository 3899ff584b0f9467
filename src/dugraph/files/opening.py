"""Opening files that others wrote: ordinary ones only, and no larger than they can be."""

from __future__ import annotations

import os
import reprlib
import stat
from io import BufferedReader

from dugraph.exceptions import InputError


def check_path(path: object, what: str = "file") -> str:
    """The path as text, if it can be one; a number is refused, which Python would take for a descriptor."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"The path of a {what} must be text or a pathlib.Path, but is {reprlib.repr(path)}.")
    text = os.fsdecode(path)
    if "\0" in text:
        raise InputError(f"{text!r} must be the path of a {what}, but cannot be one: embedded null byte.")
    return text


def open_file(path: str | os.PathLike[str], most: int | None = None) -> BufferedReader:
    """Open an ordinary file to read its bytes.

    Parameters
    ----------
    path : path-like
        A number is refused: Python would take it for a descriptor, and close it in the end.
    most : int, optional
        Bytes that the file may have.

    Raises
    ------
    InputError
        If it is no path, names a folder, a pipe or a device, on which a reader would wait forever, or is too
        large.
    OSError
        If there is no such file, or it cannot be read.
    """
    found = os.stat(check_path(path))
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(None, "Is a directory", os.fspath(path))
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path}: must be an ordinary file, but it is a pipe or a device.")
    if most is not None and found.st_size > most:
        raise InputError(
            f"{path}: the file must have at most {most:,} bytes, but has {found.st_size:,}. Check the path: "
            "dugraph writes no file of this size."
        )
    return open(path, "rb")
