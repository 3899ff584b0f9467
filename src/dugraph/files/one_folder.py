"""A folder is one thing: its files change together, even if the run that changes them is killed.

Before the first file of a folder is replaced, the older ones get second names, and a hidden file, the
journal, says which belong to which. Any run that finds a journal, left by a killed run, puts the older files
back first. The new ones count from the moment that the journal is gone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from dugraph.exceptions import InputError
from dugraph.files.at_exit import noted
from dugraph.files.atomic import finish, make_folder, naming, refuse_folder
from dugraph.files.journal import JOURNAL, Change, put_back, read_journal, sync_folder, write_journal
from dugraph.files.locks import folder_lock
from dugraph.files.temporaries import OLDER, beside, hidden_name, remove_left


def write_files(
    folder: str | os.PathLike[str], contents: Mapping[str, bytes], obsolete: Iterable[str] = ()
) -> list[Path]:
    """Write several files of one folder, all or none: after an error or a kill the older ones are as before.

    Parameters
    ----------
    folder : path-like
        Created if it does not exist. What killed runs have left in it is removed; while another program
        writes into it or reads it, this one waits.
    contents : mapping of str to bytes
        Name of each file, which may be in a folder within, and what it is to hold.
    obsolete : iterable of str
        Names of older files that do not belong to the new ones; they are removed with the same care.

    Returns
    -------
    list of Path
        The files, in the given order.
    """
    place = make_folder(folder)
    gone = [name for name in obsolete if name not in contents]
    with ExitStack() as stack:
        stack.enter_context(naming(place))
        homes = sorted({Path(), *(Path(name).parent for name in (*contents, *gone))})
        stack.enter_context(noted(*(place / home for home in homes)))
        # The outer folder first, as everyone does.
        for home in homes:
            if stack.enter_context(_at_rest(make_folder(place / home))):
                remove_left(place / home, lambda *_: True)
        new = {}
        for name, content in contents.items():
            refuse_folder(place / name)
            new[name], file = stack.enter_context(beside(place / name))
            file.write(content)
            finish(file)
        # What is slow and what can fail for want of space is over; now names change hands.
        _change_hands(place, new, contents, [name for name in gone if (place / name).is_file()])
    return [place / name for name in contents]


def put_in_order(folder: Path) -> None:
    """Do what a run does first that writes into a folder, unless another program is at it."""
    with _at_rest(folder, wait=0) as locked:
        if locked:
            remove_left(folder, lambda *_: True)


@contextmanager
def reading(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Read the files of a folder while nobody changes them.

    Parameters
    ----------
    folder : path-like
        If a run was killed while it replaced files of it, the older ones are put back first.

    Raises
    ------
    InputError
        If they cannot be put back, since the folder must not be written into.
    """
    with _at_rest(Path(folder), shared=True):
        yield


@contextmanager
def reading_file(path: object) -> Iterator[None]:
    """Read a file while nobody changes its folder; what is no path is for others to refuse."""
    if not isinstance(path, (str, os.PathLike)):
        yield
        return
    with reading(os.path.dirname(os.fsdecode(path)) or "."):
        yield


@contextmanager
def _at_rest(folder: Path, *, shared: bool = False, wait: float | None = None) -> Iterator[bool]:
    """Lock a folder in which no change is unfinished; gives whether it could be locked."""
    while True:
        with folder_lock(folder, shared=shared, wait=wait) as locked:
            unfinished = _unfinished(folder)
            if not unfinished:
                yield locked
                return
        # Not with the lock: who changes the outer folder takes that one first.
        for place in unfinished:
            with folder_lock(place):
                _put_back_here(place)


def _unfinished(folder: Path) -> list[Path]:
    """Where there is a journal about the files of a folder: in it, or in the one that it is in."""
    home = Path(os.path.realpath(folder))
    places = [folder] if (folder / JOURNAL).is_file() else []
    outer = home.parent
    if (outer / JOURNAL).is_file() and home.name in {
        Path(name).parent.name for name in read_journal(outer) or ()
    }:
        places.append(outer)
    return places


def _put_back_here(folder: Path) -> None:
    changes = read_journal(folder)
    if changes is None:
        return
    with ExitStack() as stack:
        for within in sorted({Path(name).parent for name in changes} - {Path()}):
            stack.enter_context(folder_lock(folder / within))
        try:
            put_back(folder, changes)
        except OSError as error:
            raise InputError(
                f"{folder}: a run was killed while it replaced these files, and the older ones cannot be put "
                f"back: {error.strerror or error}. Try again with permission to write to the folder."
            ) from error


def _change_hands(
    place: Path, new: Mapping[str, Path], contents: Mapping[str, bytes], gone: Iterable[str]
) -> None:
    changes: dict[str, Change] = {}
    try:
        for name in (*new, *gone):
            digest = hashlib.sha256(contents[name]).hexdigest() if name in new else None
            target = place / name
            older = hidden_name(target, OLDER) if target.is_symlink() or target.exists() else None
            changes[name] = Change(None if older is None else older.name, digest)
            if older is not None:
                _second_name(target, older)
        # One file alone is replaced in one step.
        if len(changes) > 1:
            write_journal(place, changes)
        for name, temporary in new.items():
            os.replace(temporary, place / name)
        for name in gone:
            (place / name).unlink()
        for home in {(place / name).parent for name in changes}:
            sync_folder(home)
        (place / JOURNAL).unlink(missing_ok=True)
        sync_folder(place)  # the second names go after the journal
    except BaseException:
        # What fails here is done by who comes next, as after a kill.
        with suppress(OSError):
            put_back(place, changes)
        raise
    finally:
        if not (place / JOURNAL).exists():
            _forget(place, changes)


def _second_name(target: Path, older: Path) -> None:
    try:
        os.link(target, older, follow_symlinks=False)
    except OSError:  # a file system without links
        shutil.copy2(target, older, follow_symlinks=False)


def _forget(place: Path, changes: Mapping[str, Change]) -> None:
    for name, change in changes.items():
        if change.older is not None:
            with suppress(OSError):  # removed by the next run
                (place / name).with_name(change.older).unlink()
