"""Files that are either complete or absent: written next to their destination, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dugraph.exceptions import InputError
from dugraph.files.at_exit import noted
from dugraph.files.opening import check_path
from dugraph.files.temporaries import NEW, OLDER, beside, left_of, remove_left


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the place of `path` when the block ends without an error.

    Parameters
    ----------
    path : path-like
        The file to write or replace, in an existing folder; a symbolic link is followed. What killed runs
        have left of it is removed.

    Yields
    ------
    binary file
        Open for writing. An error or an interruption removes it and leaves an older `path` as it was.
    """
    target = _target(path)
    with naming(path), noted(target.parent):
        remove_left(target.parent, left_of(target))
        with beside(target) as (temporary, file):
            yield file
            finish(file)
            os.replace(temporary, target)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder unless it is there, and check that files can be written into it."""
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


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that a folder can be created and written into, without leaving a new one behind."""
    folder = Path(check_path(path, "folder"))
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    make_folder(folder)
    for place in missing:
        place.rmdir()


def refuse_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a folder in the place of a file."""
    if os.path.isdir(path):
        raise InputError(f"{path}: the path must name a file, but it is a folder. Add the name of the file.")


def _target(path: str | os.PathLike[str]) -> Path:
    target = Path(os.path.realpath(check_path(path)))
    refuse_folder(path)
    if not target.parent.is_dir():
        raise InputError(f"{path}: the path must name a file in an existing folder. Create the folder first.")
    return target


def finish(file: IO[bytes]) -> None:
    """Put what was written onto the disk."""
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of the system name the place that the user knows, not no file or the temporary one."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not (error.filename is None or str(error.filename).endswith((NEW, OLDER))):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
