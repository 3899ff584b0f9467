"""Files that are complete or not there: written beside their destination, then renamed."""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from dugraph.exceptions import InputError


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the place of `path` when the block ends without an error.

    Parameters
    ----------
    path : path-like
        The file to write or replace, in an existing folder; a symbolic link is followed.

    Yields
    ------
    binary file
        Open for writing. An error or an interruption removes it and leaves an older `path` as it was.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir() or not target.parent.is_dir():
        raise InputError(f"{path}: the path must name a file in an existing folder. Create the folder first.")
    # In the same folder, since only within one file system a rename is atomic. "x" respects the user's umask.
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        # After a successful rename there is nothing left to remove.
        temporary.unlink(missing_ok=True)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder unless it is there, and check that files can be written into it."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(
            f"{path}: the path must name a folder, but a file is there. Choose another name."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: the folder must be writable, but it is not. Choose another one.")
    return folder


def write_files(folder: str | os.PathLike[str], contents: Mapping[str, bytes]) -> list[Path]:
    """Write several files of one folder; none replaces an older one before all are written.

    Parameters
    ----------
    folder : path-like
        Created if it is not there.
    contents : mapping of str to bytes
        Name of each file and what it is to hold.

    Returns
    -------
    list of Path
        The files, in the given order.
    """
    paths = [make_folder(folder) / name for name in contents]
    # Renaming happens when the stack closes, and an error before that reaches every file in it.
    with ExitStack() as stack:
        for path, content in zip(paths, contents.values(), strict=True):
            stack.enter_context(atomic_file(path)).write(content)
    return paths
