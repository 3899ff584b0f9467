"""MATLAB files of toolboxes: CONN's first-level results, and connectivity.mat of DSI Studio and QSIRecon."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import is_square, read_variable
from dugraph.io.connectomes import Connectomes, stack_subjects
from dugraph.io.input_files import InputFiles, NamedFile, Subjects, one_per_subject
from dugraph.io.matlab import open_mat
from dugraph.io.matrices import Floats, Sample, check_regions
from dugraph.io.options import ReadOptions

# CONN: resultsROI_Subject001_Condition001.mat, Fisher z of one subject and condition; its folder is the
# analysis.

_VARIABLES = ("Z", "names", "names2", "xyz")


def conn_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects and conditions from names, analyses from folders."""
    for one in named:
        one.entities["analysis"] = one.file.parent.name
    return one_per_subject(named, options.select)


def load_conn(file: Path, options: ReadOptions) -> Sample:
    """Load the matrix among the sources of a subject, with names and positions."""
    variables = open_mat(file, options.budget)[1](_VARIABLES)
    matrix, names, columns = _matrix(variables, file)
    coordinates = _coordinates(variables.get("xyz"), columns, variables["Z"].shape[1], file)
    return Sample(file, matrix, names, node_coordinates=coordinates)


def _matrix(variables: dict[str, Any], file: Path) -> tuple[Floats, tuple[str, ...], list[int]]:
    """Return the square matrix among the sources, their names, and their columns in Z."""
    missing = [name for name in ("Z", "names") if name not in variables]
    if missing:
        raise InputError(
            f"{file}: results of CONN must hold the variables Z and names, but {listed(missing)} is missing. "
            "Run the first-level analysis (ROI-to-ROI) again."
        )
    z = variables["Z"]
    if not isinstance(z, np.ndarray) or z.ndim != 2 or z.shape[1] < z.shape[0]:
        shape = z.shape if isinstance(z, np.ndarray) else "that of text"
        raise InputError(
            f"{file}: Z must be a matrix of sources by targets, the sources among the targets, but its shape "
            f"is {shape}. Run the first-level analysis (ROI-to-ROI) again."
        )
    names = _names(variables["names"], "names", file)
    check_regions(names, file, z.shape[0])
    if "names2" not in variables:
        # The sources come first among the targets.
        return z[:, : len(names)], names, list(range(len(names)))
    targets = _names(variables["names2"], "names2", file)
    check_regions(targets, file, z.shape[1])
    column = {name: i for i, name in enumerate(targets)}
    unknown = [name for name in names if name not in column]
    if unknown:
        raise InputError(
            f"{file}: every source (names) must be a target (names2), but {listed(unknown, 8)} "
            f"{'is' if len(unknown) == 1 else 'are'} not. Run the first-level analysis for all pairs."
        )
    columns = [column[name] for name in names]
    return z[:, columns], names, columns


def _names(value: Any, variable: str, file: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InputError(f"{file}: {variable} must be a cell array of text, but it holds numbers.")
    return tuple(value)


def _coordinates(xyz: Any, columns: list[int], n_targets: int, file: Path) -> Floats | None:
    """Return the positions of the sources, if all of them have one."""
    if xyz is None:
        return None
    rows = xyz if isinstance(xyz, list) else list(xyz)
    wrong = [one for one in rows if not isinstance(one, np.ndarray) or one.size != 3]
    if wrong or len(rows) not in (len(columns), n_targets):
        raise InputError(
            f"{file}: xyz must hold three numbers for each of {n_targets} regions, but it holds "
            f"{len(rows)} entries, {len(wrong)} of them with other than three numbers. Write the file again."
        )
    # CONN writes them in the order of names2, which need not be that of names even if there are as many.
    chosen = [rows[i] for i in columns] if len(rows) == n_targets else rows
    positions = np.array([np.ravel(one) for one in chosen], dtype=np.float64)
    return positions if np.isfinite(positions).all() else None


# DSI Studio: SUBJECT.*.connectivity.mat with the variables connectivity and name. QSIRecon:
# sub-*_connectivity.mat with many matrices, atlas_ATLAS_MEASURE_connectivity, and atlas_ATLAS_region_labels.

_LABELS = "_region_labels"
_DSI_NAMES = "name"


def read_connectivity(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject, the one that is named where a file holds several."""
    file = subjects.files[0]
    first = read_variable(file, options, is_square, "a square matrix")
    if options.values is None and "count" not in f"{first.name} {file.name}".lower():
        raise InputError(
            f"{file}: it must be known what the numbers are, but neither {first.name} nor the name of the "
            "file says that they are counts.",
            parameter="values",
            way_out=("State it with ", Setting("values"), "."),
        )
    options = replace(options, variable=first.name)
    samples = (_load_connectivity(file, options) for file in subjects.files)
    return stack_subjects(subjects, samples, options.values or "count", options, {"variable": first.name})


def _load_connectivity(file: Path, options: ReadOptions) -> Sample:
    one = read_variable(file, options, is_square, "a square matrix")
    return Sample(file, one.values, one.region_names or _beside(file, one.name, options))


def _beside(file: Path, variable: str, options: ReadOptions) -> tuple[str, ...] | None:
    """Return the names that go with a matrix: of its atlas, or DSI Studio's lines."""
    shapes, load = open_mat(file, options.budget)
    fitting = [name for name in shapes if name.endswith(_LABELS)]
    # The longest: atlas_AAL also begins atlas_AAL116_count_connectivity.
    fitting = [name for name in fitting if variable.startswith(name.removesuffix(_LABELS) + "_")]
    beside = max(fitting, key=len, default=_DSI_NAMES if _DSI_NAMES in shapes else None)
    if beside is None:
        return None
    value = load((beside,))[beside]
    return tuple(name.strip() for name in _lines(value, beside, file))


def _lines(value: Any, variable: str, file: Path) -> list[str]:
    if isinstance(value, np.ndarray):
        # DSI Studio writes the letters as numbers, a line per region.
        if not ((value >= 0) & (value < 256) & (value % 1 == 0)).all():
            raise InputError(f"{file}: variable {variable} must hold text, but holds numbers.")
        return bytes(value.ravel().astype(np.uint8)).decode("utf-8", "replace").rstrip("\n\0").split("\n")
    if not all(isinstance(one, str) for one in value):
        raise InputError(f"{file}: variable {variable} must hold text, but holds numbers.")
    return value[0].rstrip("\n").split("\n") if len(value) == 1 else list(value)
