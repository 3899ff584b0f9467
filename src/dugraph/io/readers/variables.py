"""One array out of a .npy, .npz or .mat file: which of its variables, and the names of regions beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError, Setting
from dugraph.files.npz import read_archive, read_npy
from dugraph.io.connectomes import Floats
from dugraph.io.guards import file_size
from dugraph.io.options import ReadOptions
from dugraph.io.readers.mat_files import read_mat, shapes_in

_LONGEST_NAME = 100
ARRAY_FILES = (".npy", ".npz", ".mat")

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Variable:
    """An array of a file.

    Attributes
    ----------
    name : str
        Empty in a .npy file, which has no names.
    values : ndarray of float
    region_names : tuple of str, or None
        What `names_variable` holds.
    """

    name: str
    values: Floats
    region_names: tuple[str, ...] | None


def read_variable(file: Path, options: ReadOptions, fits: Callable[[Shape], bool], what: str) -> Variable:
    """Read the variable that is asked for, or the only one that fits.

    Parameters
    ----------
    file : Path
        A .npy, .npz or .mat file.
    options : ReadOptions
    fits : callable
        Tells by its shape whether an array may be meant.
    what : str
        What is meant, for messages: "a square matrix".

    Returns
    -------
    Variable
    """
    suffix = file.suffix.lower()
    if suffix == ".npy":
        return _only_array(file, options, fits, what)
    archive: dict[str, Any] = {}
    if suffix == ".npz":
        archive = _archive(file, options)
        shapes = {name: a.shape if a.dtype.kind in "biuf" else None for name, a in archive.items()}
    else:
        shapes = shapes_in(file, options.budget)
    name = _chosen(file, shapes, options, fits, what)
    wanted = (name,) if options.names_variable is None else (name, options.names_variable)
    lacking = [one for one in wanted if one not in shapes]
    if lacking:
        raise InputError(
            (
                *(f"{file}: ", Setting("names_variable")),
                f" must be in the file, but {shown(lacking[0])!r} is none of {_listed(shapes)}.",
            ),
            parameter="names_variable",
        )
    values = {one: archive[one] for one in wanted} if archive else read_mat(file, wanted, options.budget)
    names = None if len(wanted) == 1 else _names(values[wanted[1]], wanted[1], file)
    return Variable(name, np.asarray(values[name], dtype=np.float64), names)


def _only_array(file: Path, options: ReadOptions, fits: Callable[[Shape], bool], what: str) -> Variable:
    for name in ("variable", "names_variable"):
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out for .npy files, which hold one array without a name: {file}.",
                parameter=name,
            )
    options.budget.check(file_size(file), file)
    array = read_npy(file)
    if array.dtype.kind not in "biuf" or not fits(array.shape):
        raise InputError(
            f"{file}: the file must hold {what} of numbers, but its array has shape {array.shape} and dtype "
            f"{array.dtype}."
        )
    return Variable("", array.astype(np.float64), None)


def _archive(file: Path, options: ReadOptions) -> dict[str, Any]:
    options.budget.check(file_size(file), file)
    arrays = read_archive(file, options.budget.max_memory)
    if "edge_probability" in arrays:
        raise InputError(
            f"{file}: the file must come from another program, but it is already a cohort file. Mine it as "
            "it is; `dugraph info` shows what it holds."
        )
    return arrays


def _chosen(
    file: Path,
    shapes: dict[str, Shape | None],
    options: ReadOptions,
    fits: Callable[[Shape], bool],
    what: str,
) -> str:
    asked = options.variable
    if asked is not None:
        if asked not in shapes:
            raise InputError(
                (
                    *(f"{file}: ", Setting("variable")),
                    f" must be in the file, but {shown(asked)!r} is none of {_listed(shapes)}.",
                ),
                parameter="variable",
            )
        shape = shapes[asked]
        if shape is None or not fits(shape):
            raise InputError(
                (
                    *(f"{file}: ", Setting("variable")),
                    f" must be {what} of numbers, but {shown(asked)} is "
                    f"{'no numbers' if shape is None else f'of shape {shape}'}.",
                ),
                parameter="variable",
            )
        return asked
    fitting = [name for name, shape in shapes.items() if shape is not None and fits(shape)]
    if len(fitting) != 1:
        found = f"{len(fitting)} may be meant among" if fitting else "there is none among"
        raise InputError(
            f"{file}: the file must hold {what} of numbers, but {found} {_listed(shapes)}.",
            parameter="variable",
            way_out=("Name one with ", Setting("variable"), ".") if fitting else "Check the file.",
        )
    return fitting[0]


def _listed(shapes: dict[str, Shape | None]) -> str:
    # In full, so that they can be copied: QSIRecon has names of sixty letters.
    names = [name if name.isprintable() and len(name) < _LONGEST_NAME else shown(name) for name in shapes]
    parts = [f"{name} {shape or ''}".strip() for name, shape in zip(names, shapes.values(), strict=True)]
    return ", ".join(parts[:12]) + (", ..." if len(parts) > 12 else "") if parts else "nothing"


def _names(value: Any, name: str, file: Path) -> tuple[str, ...]:
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        value = [str(one) for one in value.astype(np.str_).ravel()]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError(
            (
                *(f"{file}: ", Setting("names_variable")),
                f" must hold text, but {shown(name)} holds numbers.",
            ),
            parameter="names_variable",
        )
    return tuple(one.strip() for one in value)
