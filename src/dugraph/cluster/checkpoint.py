"""Checkpoints: files from which a stopped or killed run resumes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dugraph.cluster.identity import Identity
from dugraph.cluster.part_file import PathLike, check_layout, read_part, write_part
from dugraph.exceptions import InputError
from dugraph.files.archive_writing import AnyArray

SECONDS = 20.0
"""Between two writings: what a killed run loses at most, besides the part it was at."""
SHARE = 0.01
"""Of the time that writing may take: what is large is written less often."""


class Checkpoint:
    """The file of one computation.

    Parameters
    ----------
    path : path-like or None
        None: nothing is kept.
    identify : callable
        Tells what the run is about; asked if there is a file.
    parameter : str
        What callers call the file.

    Raises
    ------
    InputError
        If the file could not be written, before any work is done.
    """

    def __init__(
        self, path: PathLike | None, identify: Callable[[], Identity], parameter: str = "checkpoint"
    ) -> None:
        self._path = None if path is None else check_place(path, parameter)
        self._parameter = parameter
        self._identify = identify
        self._due = time.monotonic() + SECONDS

    def __bool__(self) -> bool:
        return self._path is not None

    @cached_property
    def _identity(self) -> Identity:
        return self._identify()

    def load(self, layout: Mapping[str, str]) -> dict[str, NDArray[Any]] | None:
        """What an earlier run left; None if there was none.

        Raises
        ------
        InputError
            If the file is damaged, or of another computation: with all that differs.
        """
        if self._path is None or not self._path.exists():
            return None
        with self.told():
            found, content = read_part(self._path)
        differences = self._identity.differences(found)
        if differences:
            raise InputError(
                f"{self._parameter} must belong to the same computation, but in {self._path} "
                f"{'; '.join(differences)}. Use the settings of that file, name another file, or remove "
                "this one.",
                parameter=self._parameter,
            )
        with self.told():
            check_layout(self._path, content, layout)
        return content

    @property
    def folder(self) -> Path | None:
        """Where the file is; None if nothing is kept."""
        return None if self._path is None else self._path.parent

    @property
    def is_due(self) -> bool:
        """Whether it is time to write again."""
        return self._path is not None and time.monotonic() >= self._due

    def save(self, content: Mapping[str, AnyArray]) -> None:
        """Put the state of the run into the file."""
        if self._path is not None:
            begin = time.monotonic()
            write_part(self._path, self._identity, content)
            end = time.monotonic()
            self._due = end + max(SECONDS, (end - begin) / SHARE)

    @contextmanager
    def told(self) -> Iterator[None]:
        """What is wrong with the file, told as such."""
        try:
            yield
        except InputError as error:
            raise InputError(
                f"{error} Nothing was computed. Without the file, the run starts from the beginning.",
                parameter=self._parameter,
            ) from error


def check_place(path: PathLike, parameter: str = "checkpoint") -> Path:
    """A path at which a file can be written, or is."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise InputError(
            f"{parameter} must be the path of a file or None, but is {path!r}.", parameter=parameter
        )
    place = Path(path).absolute()
    if place.is_dir():
        raise InputError(
            f"{parameter} must name a file, but {path} is a folder. Add the name of the file.",
            parameter=parameter,
        )
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise InputError(
            f"{parameter} must name a file in a writable folder, but {place.parent} is none.",
            parameter=parameter,
        )
    return place
