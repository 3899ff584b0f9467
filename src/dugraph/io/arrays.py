"""One variable of a .npy, .npz or .mat file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dugraph.data.arguments import abbreviate
from dugraph.exceptions import InputError, Setting
from dugraph.files.npz import read_archive, read_npy
from dugraph.io.connectomes import Floats
from dugraph.io.guards import file_size
from dugraph.io.input_files import ReadOptions
from dugraph.io.matlab import Shapes, open_mat

_LONGEST_NAME = 100
ARRAY_FILES = (".npy", ".npz", ".mat")

Shape = tuple[int, ...]


def is_square(shape: Shape) -> bool:
    """Return whether an array of a shape may be a matrix between regions."""
    return len(shape) == 2 and shape[0] == shape[1] > 1


def is_table(shape: Shape) -> bool:
    """Return whether an array of a shape may be series."""
    return len(shape) == 2 and min(shape) > 1


class Variable(NamedTuple):
    """An array of a file, and the names in `names_variable`; `name` is empty in a .npy file."""

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
        Whether an array of a shape may be meant.
    what : str
        What is meant, for messages: "a square matrix".
    """
    suffix = file.suffix.lower()
    if suffix != ".mat":
        options.budget.check(file_size(file), file)
    if suffix == ".npy":
        return _only_array(file, options, fits, what)
    if suffix == ".npz":
        values = read_archive(file, options.budget.max_memory)
        if "edge_probability" in values:
            raise InputError(
                f"{file}: the file must come from another program, but it is already a cohort file. Mine "
                "it as it is; `dugraph info` shows what it holds."
            )
        shapes = {name: a.shape if a.dtype.kind in "biuf" else None for name, a in values.items()}
    else:
        shapes, load = open_mat(file, options.budget)
    name = _chosen(file, shapes, options, fits, what)
    wanted = [name]
    if options.names_variable is not None:
        _check_there(file, shapes, "names_variable", options.names_variable)
        wanted.append(options.names_variable)
    if suffix == ".mat":
        values = load(wanted)
    names = None if len(wanted) == 1 else _names(values[wanted[1]], wanted[1], file)
    return Variable(name, np.asarray(values[name], dtype=np.float64), names)


def _only_array(file: Path, options: ReadOptions, fits: Callable[[Shape], bool], what: str) -> Variable:
    for name in ("variable", "names_variable"):
        if getattr(options, name) is not None:
            raise InputError(
                f"{name} must be left out for .npy files, which hold one array without a name: {file}.",
                parameter=name,
            )
    array = read_npy(file)
    if array.dtype.kind not in "biuf" or not fits(array.shape):
        raise InputError(
            f"{file}: the file must hold {what} of numbers, but its array has shape {array.shape} and dtype "
            f"{array.dtype}."
        )
    return Variable("", np.asarray(array, dtype=np.float64), None)


def _chosen(
    file: Path, shapes: Shapes, options: ReadOptions, fits: Callable[[Shape], bool], what: str
) -> str:
    fitting = [name for name, shape in shapes.items() if shape is not None and fits(shape)]
    asked = options.variable
    if asked is not None:
        _check_there(file, shapes, "variable", asked)
        if asked not in fitting:
            shape = shapes[asked]
            found = "no numbers" if shape is None else f"of shape {shape}"
            rule = f" must be {what} of numbers, but {abbreviate(asked)} is {found}."
            raise InputError((f"{file}: ", Setting("variable"), rule), parameter="variable")
        return asked
    if len(fitting) != 1:
        found = f"{len(fitting)} may be meant among" if fitting else "there is none among"
        raise InputError(
            f"{file}: the file must hold {what} of numbers, but {found} {_listed(shapes)}.",
            parameter="variable",
            way_out=("Name one with ", Setting("variable"), ".") if fitting else "Check the file.",
        )
    return fitting[0]


def _check_there(file: Path, shapes: Shapes, parameter: str, name: str) -> None:
    if name not in shapes:
        rule = f" must be in the file, but {abbreviate(name)!r} is not one of {_listed(shapes)}."
        raise InputError((f"{file}: ", Setting(parameter), rule), parameter=parameter)


def _listed(shapes: Shapes) -> str:
    # In full, so that they can be copied: QSIRecon has names of sixty letters.
    names = [
        name if name.isprintable() and len(name) < _LONGEST_NAME else abbreviate(name) for name in shapes
    ]
    parts = [f"{name} {shape or ''}".strip() for name, shape in zip(names, shapes.values(), strict=True)]
    return ", ".join(parts[:12]) + (", ..." if len(parts) > 12 else "") if parts else "nothing"


def _names(value: Any, name: str, file: Path) -> tuple[str, ...]:
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        value = [str(one) for one in value.astype(np.str_).ravel()]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        rule = f" must hold text, but {abbreviate(name)} holds numbers."
        raise InputError((f"{file}: ", Setting("names_variable"), rule), parameter="names_variable")
    return tuple(one.strip() for one in value)
