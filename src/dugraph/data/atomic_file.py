"""Files written all or nothing: after a crash or a full disk the old content is still there."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dugraph.exceptions import InputError


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for bytes that takes the place of `path` once the block has ended well.

    Parameters
    ----------
    path : path-like
        The file to write or replace; a symbolic link is followed.
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
