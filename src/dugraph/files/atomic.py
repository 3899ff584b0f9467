"""Files that are complete or not there: written beside their destination, then renamed."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from dugraph.exceptions import InputError

_SUFFIX = ".tmp"


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
    target = _target(path)
    with _naming(path), _beside(target) as (temporary, file):
        yield file
        _finish(file)
        os.replace(temporary, target)


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


def write_files(
    folder: str | os.PathLike[str], contents: Mapping[str, bytes], obsolete: Iterable[str] = ()
) -> list[Path]:
    """Write several files of one folder, all or none: after an error the older ones are there as before.

    Parameters
    ----------
    folder : path-like
        Created if it is not there.
    contents : mapping of str to bytes
        Name of each file and what it is to hold.
    obsolete : iterable of str
        Names of older files that do not belong to the new ones; they are removed with the same care.

    Returns
    -------
    list of Path
        The files, in the given order.
    """
    place = make_folder(folder)
    with _naming(place), ExitStack() as stack:
        new = {}
        for name, content in contents.items():
            target = _target(place / name)
            new[target], file = stack.enter_context(_beside(target))
            file.write(content)
            _finish(file)
        gone = [place / name for name in obsolete if name not in contents and (place / name).is_file()]
        # What is slow and what can fail for want of space is over; now names change hands.
        older = [target for target in (*new, *gone) if target.exists()]
        old = {target: stack.enter_context(_second_name(target)) for target in older}
        _change_hands(new, gone, old)
    return [place / name for name in contents]


def _change_hands(new: Mapping[Path, Path], gone: Iterable[Path], old: Mapping[Path, Path]) -> None:
    touched: list[Path] = []
    try:
        for target, temporary in new.items():
            touched.append(target)
            os.replace(temporary, target)
        for target in gone:
            touched.append(target)
            target.unlink()
    except BaseException:
        for target in touched:
            with suppress(OSError):  # one that cannot be restored must not keep the others from it
                if target in old:
                    os.replace(old[target], target)
                else:
                    target.unlink(missing_ok=True)
        raise


def _target(path: str | os.PathLike[str]) -> Path:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{path}: the path must name a file, but it is a folder. Add the name of the file.")
    if not target.parent.is_dir():
        raise InputError(f"{path}: the path must name a file in an existing folder. Create the folder first.")
    return target


def _hidden_name(target: Path) -> Path:
    # In the same folder, since only within one file system a rename is atomic.
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}{_SUFFIX}")


@contextmanager
def _beside(target: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    temporary = _hidden_name(target)
    try:
        with open(temporary, "xb") as file:  # "x" respects the user's umask
            yield temporary, file
    finally:
        # After a successful rename there is nothing left to remove.
        temporary.unlink(missing_ok=True)


@contextmanager
def _second_name(target: Path) -> Iterator[Path]:
    """Keep a file under a second name until the block ends."""
    name = _hidden_name(target)
    try:
        try:
            os.link(target, name)
        except OSError:  # a file system without links
            shutil.copy2(target, name)
        yield name
    finally:
        name.unlink(missing_ok=True)


def _finish(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of the system name the place that the user knows, not no file or the temporary one."""
    try:
        yield
    except OSError as error:
        if error.filename is None or str(error.filename).endswith(_SUFFIX):
            error.filename, error.filename2 = str(path), None
        raise
