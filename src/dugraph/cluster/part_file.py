"""The file of a part: what it is a part of, and what was found; written whole, checked before it is used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.cluster.identity import Identity
from dugraph.exceptions import InputError
from dugraph.files.archive_writing import AnyArray, write_archive
from dugraph.files.array_archive import read_archive

_IDENTITY = "part_of"
PathLike = str | os.PathLike[str]


def write_part(path: PathLike, identity: Identity, content: Mapping[str, AnyArray]) -> None:
    """Write the arrays of a part, all or nothing."""
    write_archive(path, {_IDENTITY: np.array([identity.text()]), **content})


def read_part(path: PathLike) -> tuple[Identity, dict[str, NDArray[Any]]]:
    """What a file is a part of, and its arrays; its checksum must fit.

    Raises
    ------
    InputError
        If the file is damaged, or is something else.
    """
    arrays = read_archive(path)
    try:
        return Identity.read(str(arrays.pop(_IDENTITY)[0])), arrays
    except (LookupError, ValueError) as error:
        raise _other(path) from error


def check_layout(path: PathLike, arrays: Mapping[str, NDArray[Any]], layout: Mapping[str, str]) -> None:
    """Refuse other arrays than those that belong into the file.

    Parameters
    ----------
    path : path-like
    arrays : mapping of str to ndarray
        What was read.
    layout : mapping of str to str
        What must be there, no more and no less: dtype and number of dimensions, ``"<f8 1"``.
    """
    if {name: f"{array.dtype.str} {array.ndim}" for name, array in arrays.items()} != dict(layout):
        raise _other(path)


def _other(path: PathLike) -> InputError:
    return InputError(
        f"{path}: the file must hold a part of a computation, written with the same release of dugraph, but "
        "it holds something else. Name another file."
    )
