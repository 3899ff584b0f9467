"""Temporary files next to their destination; leftovers of killed runs are distinguished from those in use."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from dugraph.files.locks import try_lock

NEW, OLDER = ".tmp", ".old"
_NAME = re.compile(r"\.(.{0,100})\.[0-9a-f]{16}(\.tmp|\.old)", re.DOTALL)
# Whatever else has such a name is not followed, and not waited for.
_CAREFULLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def hidden_name(target: Path, suffix: str) -> Path:
    """A name in the same folder, since only within one file system a rename is atomic."""
    return target.with_name(f".{_stem(target.name)}.{secrets.token_hex(8)}{suffix}")


def is_older_name(name: str, target: str) -> bool:
    """Whether `hidden_name` gives such names to what is kept of a file."""
    match = _NAME.fullmatch(name)
    return match is not None and match[2] == OLDER and match[1] == _stem(target)


def _stem(name: str) -> str:
    return name[:100]


@contextmanager
def beside(target: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Open a new file in the folder of the target, and remove it unless it was renamed."""
    temporary, file = _opened(target)
    try:
        with file:
            yield temporary, file
    finally:
        # After a successful rename there is nothing left to remove; what cannot be removed is left over.
        with suppress(OSError):
            temporary.unlink()


def _opened(target: Path) -> tuple[Path, IO[bytes]]:
    while True:
        temporary = hidden_name(target, NEW)
        file = open(temporary, "xb")  # noqa: SIM115 ("x" respects the user's umask; closed by the caller)
        try:
            # Locked as long as it is open. Another run may have taken it for a left one just before.
            if try_lock(file.fileno()) is not False and temporary.exists():
                return temporary, file
        except BaseException:
            temporary.unlink(missing_ok=True)
            file.close()
            raise
        file.close()


def remove_left(folder: Path, wanted: Callable[[str, str], bool]) -> None:
    """Remove what killed runs have left in a folder; what another run has open stays.

    Parameters
    ----------
    folder : Path
    wanted : callable
        Of the first 100 characters of the file's own name and the ending, `NEW` or `OLDER`. Nobody has an
        older file open: only who has locked the folder may ask for these.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match is not None and wanted(match[1], match[2]):
                with suppress(OSError):
                    _remove_unless_open(entry.path, match[2])


def left_of(target: Path) -> Callable[[str, str], bool]:
    """What killed runs have left of one file, for `remove_left`."""
    return lambda stem, ending: ending == NEW and stem == _stem(target.name)


def _remove_unless_open(path: str, ending: str) -> None:
    if ending == OLDER:
        os.unlink(path)
        return
    descriptor = os.open(path, _CAREFULLY)
    try:
        if try_lock(descriptor):
            os.unlink(path)
    finally:
        os.close(descriptor)
