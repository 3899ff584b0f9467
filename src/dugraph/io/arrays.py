"""Arrays: one variable of a .npy, .npz or .mat file; one array of all matrices, in a file or in memory."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate
from dugraph.exceptions import InputError, Setting
from dugraph.files.npz import DAMAGE, npy_shape, read_archive, read_npy
from dugraph.io.connectomes import Connectomes, stack_subjects
from dugraph.io.guards import file_size
from dugraph.io.input_files import OTHER_FILES, InputFiles, ReadOptions, Subjects, only_file
from dugraph.io.matlab import open_mat
from dugraph.io.matrices import RELATIVE_TOLERANCE, Floats, Sample

_LONGEST_NAME = 100
ARRAY_FILES = (".npy", ".npz", ".mat")

Shape = tuple[int, ...]


def is_square(shape: Shape) -> bool:
    """Return whether an array of a shape may be a matrix between regions."""
    return len(shape) == 2 and shape[0] == shape[1] > 1


def is_table(shape: Shape) -> bool:
    """Return whether an array of a shape may be series."""
    return len(shape) == 2 and min(shape) > 1


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
    if suffix == ".npz":
        values = _archive(file, options)
        shapes = {name: a.shape if a.dtype.kind in "biuf" else None for name, a in values.items()}
    else:
        shapes, load = open_mat(file, options.budget)
    name = _chosen(file, shapes, options, fits, what)
    wanted = (name,) if options.names_variable is None else (name, options.names_variable)
    lacking = [one for one in wanted if one not in shapes]
    if lacking:
        raise InputError(
            (
                *(f"{file}: ", Setting("names_variable")),
                f" must be in the file, but {abbreviate(lacking[0])!r} is none of {_listed(shapes)}.",
            ),
            parameter="names_variable",
        )
    if suffix != ".npz":
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
    options.budget.check(file_size(file), file)
    array = read_npy(file)
    if array.dtype.kind not in "biuf" or not fits(array.shape):
        raise InputError(
            f"{file}: the file must hold {what} of numbers, but its array has shape {array.shape} and dtype "
            f"{array.dtype}."
        )
    return Variable("", np.asarray(array, dtype=np.float64), None)


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
                    f" must be in the file, but {abbreviate(asked)!r} is none of {_listed(shapes)}.",
                ),
                parameter="variable",
            )
        shape = shapes[asked]
        if shape is None or not fits(shape):
            raise InputError(
                (
                    *(f"{file}: ", Setting("variable")),
                    f" must be {what} of numbers, but {abbreviate(asked)} is "
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
    names = [
        name if name.isprintable() and len(name) < _LONGEST_NAME else abbreviate(name) for name in shapes
    ]
    parts = [f"{name} {shape or ''}".strip() for name, shape in zip(names, shapes.values(), strict=True)]
    return ", ".join(parts[:12]) + (", ..." if len(parts) > 12 else "") if parts else "nothing"


def _names(value: Any, name: str, file: Path) -> tuple[str, ...]:
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        value = [str(one) for one in value.astype(np.str_).ravel()]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError(
            (
                *(f"{file}: ", Setting("names_variable")),
                f" must hold text, but {abbreviate(name)} holds numbers.",
            ),
            parameter="names_variable",
        )
    return tuple(one.strip() for one in value)


def subjects_first(array: Floats, where: object) -> tuple[Floats, str]:
    """Return an array in the shape (n_subjects, n_regions, n_regions), and say which axis was the subjects'.

    Parameters
    ----------
    array : ndarray of shape (n_subjects, n_regions, n_regions) or (n_regions, n_regions, n_subjects)
        Where all three are equal, the matrices must be symmetric along one axis only.
    where : object
        For messages.

    Returns
    -------
    array : ndarray of shape (n_subjects, n_regions, n_regions)
    note : str
    """
    if array.ndim != 3 or 0 in array.shape:
        raise _refused(array, where, "")
    first, last = array.shape[1] == array.shape[2], array.shape[0] == array.shape[1]
    if first and last:
        first, last = _is_symmetric(array), _is_symmetric(np.moveaxis(array, 2, 0))
        if first == last:
            raise _refused(array, where, " whose matrices may lie along the first axis or the last")
    if first:
        return array, f"first axis, of length {len(array)}"
    if last:
        moved = np.ascontiguousarray(np.moveaxis(array, 2, 0))
        return moved, f"last axis, of length {len(moved)}"
    raise _refused(array, where, "")


def _is_symmetric(matrices: Floats) -> bool:
    with np.errstate(invalid="ignore"):
        scale = np.nanmax(np.abs(np.where(np.isfinite(matrices), matrices, 0.0)), initial=0.0)
    other = matrices.transpose(0, 2, 1)
    return bool(np.allclose(matrices, other, rtol=0, atol=RELATIVE_TOLERANCE * scale, equal_nan=True))


def _refused(array: Floats, where: object, but: str) -> InputError:
    return InputError(
        f"{where}: one array of all subjects must have the shape (subjects, regions, regions) or (regions, "
        f"regions, subjects), but its shape is {array.shape}{but}. Save it in the first of these shapes, or "
        "one square matrix per subject."
    )


def ids_in_order(
    n_subjects: int, subjects: Sequence[str] | None, where: object
) -> tuple[tuple[str, ...], str]:
    """Return the subjects of rows or matrices that come without ids: those of the table, in its order.

    Parameters
    ----------
    n_subjects : int
    subjects : sequence of str, or None
        The ids of the table; without a table, subjects are numbered from 1.
    where : object
        For messages.

    Returns
    -------
    ids : tuple of str
    note : str
        What was assumed.
    """
    if subjects is None:
        return tuple(str(i + 1) for i in range(n_subjects)), "numbered from 1: the file does not name them"
    if len(subjects) != n_subjects:
        raise InputError(
            f"{where}: without ids of its own, the file must have as many subjects as the table has rows, "
            f"in the same order, but it has {n_subjects} and the table {len(subjects)}.",
            parameter="participants",
            way_out=("Give the table of exactly these subjects (", Setting("participants"), ")."),
        )
    return tuple(subjects), "by their order: row i of the table is subject i of the file"


def array_samples(
    array: Floats,
    where: object,
    node_labels: tuple[str, ...] | None = None,
    node_coordinates: Floats | None = None,
) -> Iterator[Sample]:
    """Return the matrices of an array of shape (n_subjects, n_regions, n_regions) as samples."""
    for i, matrix in enumerate(array):
        yield Sample(Path(f"{where}[{i}]"), matrix, node_labels, node_coordinates=node_coordinates)


def is_one_array(found: InputFiles, files: list[Path]) -> bool:
    """Whether there is one file of an array and no table beside it, as in no folder of matrices."""
    tables = [file for file in found.files if file.suffix.lower() in (".csv", ".tsv", ".txt")]
    if len(files) != 1 or not files[0].is_file() or not all(OTHER_FILES.match(file.name) for file in tables):
        return False
    if found.is_folder and files[0].suffix.lower() == ".npy":
        try:
            # A single matrix is a cohort of one.
            return len(npy_shape(files[0])) == 3
        except (InputError, OSError):
            return False
    return True


def have_labels(found: InputFiles, files: list[Path]) -> bool:
    """Whether the first .npz file holds the arrays connectivity and labels, by its directory."""
    try:
        with zipfile.ZipFile(files[0]) if files[0].is_file() else nullcontext() as archive:
            return archive is not None and {"connectivity.npy", "labels.npy"} <= set(archive.namelist())
    except (OSError, *DAMAGE):
        return False


def is_not_one_array(found: InputFiles, files: list[Path]) -> bool:
    """Whether files of matrices are one per subject."""
    arrays = [file for file in found.top if file.suffix.lower() in ARRAY_FILES]
    return not is_one_array(found, [file for file in arrays if not OTHER_FILES.match(file.name)])


def read_array(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read one array of all matrices; its subjects are those of the table, in its order."""
    file = only_file(found, files)
    one = read_variable(file, options, lambda shape: len(shape) == 3, "an array of three axes")
    # A copy in another order may be made.
    options.budget.check(2 * one.values.nbytes, file)
    array, axis = subjects_first(one.values, file)
    ids, order = ids_in_order(len(array), options.subjects, file)
    notes = {"subjects": order, "subject_axis": axis}
    if one.name:
        notes["variable"] = one.name
    samples = array_samples(array, file, one.region_names)
    return stack_subjects(
        Subjects(ids, (file,) * len(ids)), samples, options.values or "correlation", options, notes
    )
