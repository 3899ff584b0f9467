"""The file of a part: what it is a part of, and what was found; written whole, checked before it is used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.cluster.identity import Identity
from dugraph.exceptions import InputError
from dugraph.files.array_archive import read_archive, write_archive

_IDENTITY = "part_of"
PathLike = str | os.PathLike[str]


def write_part(path: PathLike, identity: Identity, content: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays of a part, all or nothing."""
    write_archive(path, {_IDENTITY: np.array([identity.text()]), **content})


def read_part(path: PathLike, layout: Mapping[str, str]) -> tuple[Identity, dict[str, NDArray[Any]]]:
    """Read a part, whose checksum must fit.

    Parameters
    ----------
    path : path-like
    layout : mapping of str to str
        The arrays that must be there, no more and no fewer, each with its dtype and number of dimensions:
        ``"<f8 1"``.

    Raises
    ------
    InputError
        If the file is damaged, or is something else.
    """
    arrays = read_archive(path)
    try:
        identity = Identity.read(str(arrays.pop(_IDENTITY)[0]))
    except (LookupError, ValueError) as error:
        raise _other(path) from error
    if {name: f"{array.dtype.str} {array.ndim}" for name, array in arrays.items()} != dict(layout):
        raise _other(path)
    return identity, arrays


def _other(path: PathLike) -> InputError:
    return InputError(
        f"{path}: the file must hold a part of a computation, written with the same release of dugraph, but "
        "it holds something else. Name another file."
    )
