"""Variables of MATLAB files, whatever version wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError
from dugraph.io.guards import InflationLimit, MemoryBudget, library, read_bytes, reason
from dugraph.io.readers.mat_v4 import is_v4, read_v4, variables_v4
from dugraph.io.readers.mat_v5 import cells, read_v5, shapes_v5
from dugraph.io.readers.mat_v73 import read_v73, shapes_v73


def read_mat(file: Path, wanted: tuple[str, ...], budget: MemoryBudget) -> dict[str, Any]:
    """Read some variables of a .mat file of version 4, 5, 7 or 7.3.

    Parameters
    ----------
    file : Path
    wanted : tuple of str
        Names of variables; those that are not there are left out.
    budget : MemoryBudget

    Returns
    -------
    dict of str to ndarray of float or list
        Arrays of numbers; cell arrays and text as a list of str and arrays.
    """
    content = read_bytes(file, budget)
    limit = InflationLimit(file, budget)
    with _intact(file):
        version = _version(content, file)
        if version == "7.3":
            found = read_v73(file, wanted, limit)
        elif version == "4":
            found = read_v4(content, wanted, file, limit)
        else:
            found = read_v5(content, wanted, file, limit)
        return {name: _plain(value) for name, value in found.items()}


def shapes_in(file: Path, budget: MemoryBudget) -> dict[str, tuple[int, ...] | None]:
    """List the variables of a .mat file: the shapes of numbers, None for whatever is something else."""
    content = read_bytes(file, budget)
    with _intact(file):
        version = _version(content, file)
        if version == "7.3":
            return shapes_v73(file)
        if version == "4":
            return {name: None if one.kind else one.shape for name, one in variables_v4(content).items()}
        return shapes_v5(content, InflationLimit(file, budget))


@contextmanager
def _intact(file: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # Damaged bytes make scipy and HDF5 fail in ways that no list can foresee.
        raise InputError(
            f"{file}: the file must be intact MATLAB content, but it is damaged or cut short "
            f"({reason(error)}). Copy or write it again."
        ) from error


def _version(content: bytes, file: Path) -> str:
    if content[512:520] == b"\x89HDF\r\n\x1a\n":
        library("h5py")
        return "7.3"
    if content[124:128] in (b"\x00\x01IM", b"\x01\x00MI"):
        library("scipy.io")
        return "5"
    if is_v4(content):
        return "4"
    raise InputError(
        f"{file}: the file must be a MATLAB file of version 4, 5, 7 or 7.3, but its header is not one of "
        "these. Copy it again, or save it with save -v7."
    )


def _plain(value: Any) -> NDArray[np.float64] | list[Any]:
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biuf":
            return value.astype(np.float64)
        if value.dtype.kind not in "OU":
            raise ValueError(f"values of {value.dtype} are not real numbers")
        value = cells(value)
    return [_plain(one) if isinstance(one, np.ndarray) else one for one in value]
