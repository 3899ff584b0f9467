"""One array of all matrices in a .npy, .npz or .mat file; subjects in the order of the table."""

from __future__ import annotations

from pathlib import Path

from dugraph.exceptions import InputError
from dugraph.files.npz import npy_shape
from dugraph.io.arrays import ids_in_order, matrix_samples, subjects_first
from dugraph.io.connectomes import Connectomes, joined
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.variables import ARRAY_FILES, Shape, read_variable
from dugraph.io.source import OTHER_FILES, Source

_TABLES = (".csv", ".tsv", ".txt")


def finds(source: Source) -> str | None:
    """Return whether there is one file of an array and nothing else, as no folder of matrices is."""
    files = _files(source)
    tables = [file for file in source.files if file.suffix.lower() in _TABLES]
    if len(files) != 1 or not files[0].is_file() or not all(OTHER_FILES.match(file.name) for file in tables):
        return None
    if source.is_folder and files[0].suffix.lower() == ".npy":
        try:
            # A single matrix is a cohort of one.
            if len(npy_shape(files[0])) != 3:
                return None
        except (InputError, OSError):
            return None
    return f"one {files[0].suffix.lower()} file"


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read the array; its subjects are those of the table, in its order."""
    files = _files(source)
    if len(files) != 1:
        raise InputError(
            f"{source.path}: one array of all subjects must be one {', '.join(ARRAY_FILES)} file, but there "
            f"are {len(files)} among {source.seen()}. Name the file."
        )
    if options.select:
        raise InputError("select must be left out for one array: all of it is read.", parameter="select")
    file = files[0]
    one = read_variable(file, options, _is_stack, "an array of three axes")
    # A copy in another order may be made.
    options.budget.check(2 * one.values.nbytes, file)
    array, axis = subjects_first(one.values, file)
    ids, order = ids_in_order(len(array), options.subjects, file)
    notes = {"subjects": order, "subject_axis": axis}
    if one.name:
        notes["variable"] = one.name
    return joined(
        matrix_samples(array, ids, file, one.region_names),
        options.values or "correlation",
        options.budget,
        options.atlas,
        notes,
    )


def _files(source: Source) -> list[Path]:
    files = [file for file in source.top if file.suffix.lower() in ARRAY_FILES]
    return [file for file in files if not (source.is_folder and OTHER_FILES.match(file.name))]


def _is_stack(shape: Shape) -> bool:
    return len(shape) == 3


FORMAT = Format(
    "array",
    "one array of all matrices, (subjects, regions, regions) or (regions, regions, subjects)",
    finds,
    read,
    general=True,
    takes=("variable", "names_variable"),
)
