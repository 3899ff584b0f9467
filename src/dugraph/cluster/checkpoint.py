"""Checkpoints: files from which a stopped or killed run resumes.

A checkpoint is an .npz file with the identity of the computation that it belongs to and the arrays of its
state. It is replaced as a whole, so that it is never half written.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from dugraph._version import __version__
from dugraph.exceptions import InputError
from dugraph.files.npz import read_archive, write_archive

SECONDS = 20.0
"""Time between two saves: the most that a killed run loses, besides the part it was working on."""
SHARE = 0.01
"""Largest share of the time spent saving: large checkpoints are saved less often."""

Arrays = Mapping[str, NDArray[Any]]
Layout = Mapping[str, str]
"""Names of the arrays in a file, with dtype and number of dimensions: ``{"values": "<f8 1"}``."""
PathLike = str | os.PathLike[str]
_IDENTITY = "part_of"


@dataclass(frozen=True)
class Identity:
    """Everything that the result of a computation depends on.

    Attributes
    ----------
    command : str
        "mine", "test" or "sparse".
    parameters : dict
        JSON values.
    inputs : dict of str to str
        SHA-256 of each input, by its name in an error message: "graphs", "labels".
    version : str
        The release of dugraph.
    """

    command: str
    parameters: dict[str, Any]
    inputs: dict[str, str]
    version: str = __version__

    def text(self) -> str:
        """JSON on one line; equal computations have equal text."""
        return json.dumps(vars(self), sort_keys=True, default=lambda value: value.item())  # NumPy scalars

    @classmethod
    def read(cls, text: str) -> Identity:
        """Inverse of `text`; raises MsgspecError for anything else."""
        return msgspec.json.decode(text, type=cls)

    def differences(self, other: Identity) -> list[str]:
        """Clauses that say how `other` differs; empty for the same computation."""
        ours, theirs = json.loads(self.text()), json.loads(other.text())
        if self.command != other.command:
            return [f"it is of `{theirs['command']}`, not of `{self.command}`"]
        found = []
        if self.version != other.version:
            found.append(f"it was written by dugraph {other.version}, and this is {self.version}")
        found += [
            f"the {name} differ"
            for name in sorted({*ours["inputs"], *theirs["inputs"]})
            if ours["inputs"].get(name) != theirs["inputs"].get(name)
        ]
        for name in sorted({*ours["parameters"], *theirs["parameters"]}):
            mine, its = ours["parameters"].get(name), theirs["parameters"].get(name)
            if mine != its:
                found.append(f"its {name} is {json.dumps(its)}, not {json.dumps(mine)}")
        return found


def digest(*arrays: NDArray[Any]) -> str:
    """SHA-256 of types, shapes and contents."""
    total = hashlib.sha256()
    for array in arrays:
        contiguous = np.ascontiguousarray(array)
        total.update(f"{contiguous.dtype.str}{contiguous.shape}".encode())
        total.update(contiguous.data if contiguous.size else b"")
    return total.hexdigest()


def write_part(path: PathLike, identity: Identity, content: Arrays) -> None:
    """Write the identity and the arrays of a part, replacing the file as a whole."""
    write_archive(path, {_IDENTITY: np.array([identity.text()]), **content})


def read_part(path: PathLike) -> tuple[Identity, dict[str, NDArray[Any]]]:
    """Read a file of `write_part` and verify its checksum.

    Raises
    ------
    InputError
        If the file is damaged or something else.
    """
    arrays = read_archive(path)
    try:
        return Identity.read(str(arrays.pop(_IDENTITY)[0])), arrays
    except (LookupError, msgspec.MsgspecError) as error:
        raise _not_a_part(path) from error


def check_layout(path: PathLike, arrays: Arrays, layout: Layout) -> None:
    """Raise InputError unless a file has exactly the arrays of the layout."""
    if {name: f"{array.dtype.str} {array.ndim}" for name, array in arrays.items()} != dict(layout):
        raise _not_a_part(path)


def _not_a_part(path: PathLike) -> InputError:
    return InputError(
        f"{path}: the file must hold a part of a computation, written with the same release of dugraph, but "
        "it holds something else. Name another file."
    )


class Checkpoint:
    """The file of one computation.

    Parameters
    ----------
    path : path-like or None
        None: nothing is saved.
    identify : callable
        Returns the identity of the computation; called only if there is a path.

    Raises
    ------
    InputError
        If the file could not be written.
    """

    def __init__(self, path: PathLike | None, identify: Callable[[], Identity]) -> None:
        self._path = None if path is None else check_place(path)
        self._identify = identify
        self._due = time.monotonic() + SECONDS

    def __bool__(self) -> bool:
        return self._path is not None

    @cached_property
    def _identity(self) -> Identity:
        return self._identify()

    def load(self, layout: Layout) -> dict[str, NDArray[Any]] | None:
        """Read what an earlier run saved; None without a file.

        Raises
        ------
        InputError
            If the file is damaged, or belongs to another computation: with all differences.
        """
        if self._path is None or not self._path.exists():
            return None
        with self.refuse_damaged():
            found, content = read_part(self._path)
        differences = self._identity.differences(found)
        if differences:
            raise InputError(
                f"checkpoint must belong to the same computation, but in {self._path} "
                f"{'; '.join(differences)}. Use the settings of that file, name another file, or remove "
                "this one.",
                parameter="checkpoint",
            )
        with self.refuse_damaged():
            check_layout(self._path, content, layout)
        return content

    @property
    def is_due(self) -> bool:
        """Whether it is time to save again."""
        return self._path is not None and time.monotonic() >= self._due

    def save(self, content: Arrays) -> None:
        """Write the state of the run."""
        if self._path is not None:
            begin = time.monotonic()
            write_part(self._path, self._identity, content)
            end = time.monotonic()
            self._due = end + max(SECONDS, (end - begin) / SHARE)

    @contextmanager
    def refuse_damaged(self) -> Iterator[None]:
        """Add to an InputError about the file that nothing was computed, and what to do."""
        try:
            yield
        except InputError as error:
            raise InputError(
                f"{error} Nothing was computed. Without the file, the run starts from the beginning.",
                parameter="checkpoint",
            ) from error


def check_place(path: PathLike) -> Path:
    """Validate the path of a checkpoint: a file, or a name in a writable folder."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise InputError(
            f"checkpoint must be the path of a file or None, but is {path!r}.", parameter="checkpoint"
        )
    place = Path(path).absolute()
    if place.is_dir():
        raise InputError(
            f"checkpoint must name a file, but {path} is a folder. Add the name of the file.",
            parameter="checkpoint",
        )
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise InputError(
            f"checkpoint must name a file in a writable folder, but {place.parent} is not one.",
            parameter="checkpoint",
        )
    return place
