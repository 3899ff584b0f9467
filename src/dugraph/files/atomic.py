"""Open ordinary files; write files under a temporary name and rename them, so that none is ever half written.

The temporary file is in the same folder, since a rename is atomic only within one file system. An error or an
interruption removes it; a killed process leaves a hidden name that ends in ``.tmp`` and may be deleted.
"""

from __future__ import annotations

import os
import reprlib
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO

from dugraph.exceptions import InputError

PathLike = str | os.PathLike[str]


def check_path(path: object, what: str = "file") -> str:
    """Return a path as text; a number is refused, which Python would take for a file descriptor."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"The path of a {what} must be text or a pathlib.Path, but is {reprlib.repr(path)}.")
    text = os.fsdecode(path)
    if "\0" in text:
        raise InputError(f"{text!r} must be the path of a {what}, but cannot be one: embedded null byte.")
    return text


def open_file(path: PathLike, most: int | None = None) -> BufferedReader:
    """Open an ordinary file of at most `most` bytes for reading.

    Pipes and devices, on which a reader would wait forever, are refused; OSError says that there is no such
    file, or that it cannot be read.
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


def unreadable(path: PathLike, error: OSError, way_out: str = "") -> InputError:
    """The error for a file that is missing or cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path}: there is no such file. Check the path.")
    return InputError(f"{path}: the file cannot be read: {error.strerror or error}.{way_out}")


@contextmanager
def atomic_file(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing, which is renamed to `path` when the block ends without an error.

    An error or an interruption removes it and leaves an older `path` as it was. A symbolic link is followed.
    """
    target = Path(os.path.realpath(check_path(path)))
    _refuse_folder(path)
    if not target.parent.is_dir():
        raise InputError(f"{path}: the path must name a file in an existing folder. Create the folder first.")
    temporary = _temporary_name(target)
    with _errors_naming(path, temporary):
        try:
            with open(temporary, "xb") as file:  # unlike tempfile, "x" respects the user's umask
                yield file
                _to_disk(file)
            os.replace(temporary, target)
        finally:
            with suppress(OSError):  # after the rename there is nothing to remove
                temporary.unlink()


def write_folder(
    folder: PathLike, contents: Mapping[str, bytes], obsolete: Iterable[str] = (), last: str = ""
) -> list[Path]:
    """Write the files of a folder: first all of them under temporary names, then renamed.

    A new folder appears as a whole. In an existing one, files are replaced one after another: an error while
    writing leaves all older files, but a process killed between two renames leaves files of both runs.

    The names may be in a folder within. `obsolete` names older files to remove, and `last` the file to
    replace last. Returns the paths in the given order.
    """
    place = Path(os.path.realpath(check_path(folder, "folder")))
    is_new = not place.exists()
    make_folder(place.parent if is_new else folder)
    for name in contents:
        _refuse_folder(place / name)
    # Within an existing folder, which may be on another file system than the one that contains it.
    temporary = _temporary_name(place if is_new else place / place.name)
    with _errors_naming(folder, temporary):
        try:
            temporary.mkdir()
            for name, content in contents.items():
                (temporary / name).parent.mkdir(exist_ok=True)
                with open(temporary / name, "xb") as file:
                    file.write(content)
                    _to_disk(file)
            if is_new:
                temporary.rename(place)
            else:
                for home in {(place / name).parent for name in contents}:
                    make_folder(home)
                for name in set(obsolete).difference(contents):
                    if (place / name).is_file():
                        (place / name).unlink()
                for name in sorted(contents, key=lambda name: name == last):
                    os.replace(temporary / name, place / name)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return [Path(folder) / name for name in contents]


def make_folder(path: PathLike) -> Path:
    """Create a folder unless it exists, and check that files can be written into it."""
    folder = Path(check_path(path, "folder"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(
            f"{path}: the path must name a folder, but a file has this name. Choose another name."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: the folder must be writable, but it is not. Choose another one.")
    return folder


def check_writable(path: PathLike) -> None:
    """Check that a folder can be created and written into, without leaving a new one behind."""
    folder = Path(check_path(path, "folder"))
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    make_folder(folder)
    for place in missing:
        place.rmdir()


def _refuse_folder(path: PathLike) -> None:
    if os.path.isdir(path):
        raise InputError(f"{path}: the path must name a file, but it is a folder. Add the name of the file.")


def _temporary_name(target: Path) -> Path:
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")


def _to_disk(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _errors_naming(path: PathLike, temporary: Path) -> Iterator[None]:
    """Let an OSError name the path that the user knows, instead of the temporary one or none."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not str(error.filename or temporary).startswith(str(temporary)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
