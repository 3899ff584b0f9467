"""The journal of a folder: which files are being replaced, so that the older ones can be put back."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dugraph.exceptions import InputError
from dugraph.files.atomic import finish
from dugraph.files.opening import open_file
from dugraph.files.temporaries import beside, is_older_name

JOURNAL = ".dugraph-unfinished.json"
_MOST_BYTES = 2**20
# Of folders that cannot be synchronised, on some file systems.
_UNKNOWN = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)


class Change(NamedTuple):
    """What happens to a file.

    Attributes
    ----------
    older : str or None
        The second name of what is there; None if nothing is.
    sha256 : str or None
        Of what takes its place; None if nothing does.
    """

    older: str | None
    sha256: str | None


def write_journal(folder: Path, changes: Mapping[str, Change]) -> None:
    """Say what is going to happen to the files of a folder."""
    with beside(folder / JOURNAL) as (temporary, file):
        file.write(json.dumps(changes).encode())
        finish(file)
        sync_folder(folder)  # the second names are there before they are needed
        os.replace(temporary, folder / JOURNAL)
    sync_folder(folder)


def read_journal(folder: Path) -> dict[str, Change] | None:
    """What was happening to the files of a folder; None if nothing was."""
    try:
        with open_file(folder / JOURNAL, _MOST_BYTES) as file:
            stored = json.loads(file.read())
        return {name: _change(name, *fields) for name, fields in stored.items()}
    except FileNotFoundError:
        return None
    except (InputError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{folder / JOURNAL}: the file must say which files a killed run was replacing, but it is "
            "damaged. Remove it, and run the command that writes this folder again."
        ) from error


def _change(name: str, older: Any, sha256: Any) -> Change:
    """A change as it was written; a folder may come from anyone, and touches no file outside of it."""
    path = Path(name)
    plain = not path.is_absolute() and ".." not in path.parts and 1 <= len(path.parts) <= 2
    if not plain or not (older is None or is_older_name(older, path.name)):
        raise ValueError(name)
    return Change(older, None if sha256 is None else str(sha256))


def put_back(folder: Path, changes: Mapping[str, Change]) -> None:
    """Put the older files back into the place of the new ones, then remove the journal.

    What is neither the older file nor the new one came from somebody else later, and stays. All of it can be
    done again, if it is cut short.
    """
    for name, change in changes.items():
        target = folder / name
        if target.parent.is_symlink() or not _is_new(target, change):
            continue
        older = None if change.older is None else target.with_name(change.older)
        if older is None:
            target.unlink(missing_ok=True)
        elif older.is_symlink() or older.exists():
            os.replace(older, target)
    sync_folder(folder)
    (folder / JOURNAL).unlink(missing_ok=True)


def _is_new(target: Path, change: Change) -> bool:
    if change.sha256 is None:
        return not target.exists()
    if target.is_symlink() or not target.is_file():
        return False
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == change.sha256


def sync_folder(folder: Path) -> None:
    """Put the names of a folder onto the disk, where the file system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
    finally:
        os.close(descriptor)
