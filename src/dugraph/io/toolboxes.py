"""Files of toolboxes: CONN, connectivity.mat of DSI Studio and QSIRecon, and AFNI's .netcc."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import is_square, read_variable
from dugraph.io.connectomes import Connectomes, stack_subjects
from dugraph.io.delimited import is_number
from dugraph.io.guards import read_text
from dugraph.io.input_files import (
    InputFiles,
    NamedFile,
    ReadOptions,
    Subjects,
    one_per_subject,
    unknown_values,
)
from dugraph.io.matlab import open_mat
from dugraph.io.matrices import Floats, Sample, check_regions

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
        why = f"but neither {first.name} nor the name of the file says that they are counts"
        raise unknown_values(file, why)
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


# AFNI 3dNetCorr: SUBJECT_000.netcc, several matrices between the regions of one network in a text.

_N_ROIS = re.compile(r"#\s*(\d+)\s*#\s*Number of network ROIs")
_N_MATRICES = re.compile(r"#\s*(\d+)\s*#\s*Number of \w+ matrices")
_WITH_LABELS = re.compile(r"#\s*WITH_ROI_LABELS")
_TITLE = re.compile(r"#\s*(\w+)")
# Correlations, Fisher z, partial correlations and their b values: what the option -fish_z etc. write.
_KINDS = {"CC": "correlation", "FZ": "fisher_z", "PC": "correlation"}
_MOST_REGIONS = 20_000


def read_netcc(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject, CC unless another is asked for; regions by their labels."""
    name = options.variable or "CC"
    kind = options.values or _KINDS.get(name)
    if kind is None:
        raise unknown_values(subjects.files[0], f"but {abbreviate(name)!r} is none of {listed(_KINDS)}")
    samples = (Sample(file, *_netcc_matrix(file, name, options)) for file in subjects.files)
    return stack_subjects(subjects, samples, kind, options, {"variable": name})


def _netcc_matrix(file: Path, name: str, options: ReadOptions) -> tuple[Floats, tuple[str, ...]]:
    lines = [line.strip() for line in read_text(file, options.budget).decode().splitlines()]
    lines = [line for line in lines if line]
    heads = _N_ROIS.fullmatch(lines[0]), _N_MATRICES.fullmatch(lines[1]) if len(lines) > 1 else None
    if heads[0] is None or heads[1] is None:
        raise InputError(
            f"{file}: a .netcc file must begin with the numbers of its ROIs and of its matrices, but begins "
            f"with {abbreviate(lines[0])!r}. Write it again with 3dNetCorr."
        )
    n = int(heads[0][1])
    if n > _MOST_REGIONS:
        raise InputError(f"{file}: a network may have {_MOST_REGIONS} ROIs, but claims {n}.")
    options.budget.check(8 * n * n, file)
    at = 2
    labels: tuple[str, ...] = ()
    if at < len(lines) and _WITH_LABELS.fullmatch(lines[at]):
        labels = tuple(lines[at + 1].split()) if at + 1 < len(lines) else ()
        at += 2
    # Below the labels, or alone, stand the numbers of the ROIs.
    numbers = tuple(lines[at].split()) if at < len(lines) else ()
    blocks = _blocks(lines[at + 1 :], n, file)
    if name not in blocks:
        raise InputError(
            (
                f"{file}: ",
                Setting("variable"),
                f" must be one of {listed(blocks, 12)}, but is {abbreviate(name)!r}.",
            ),
            parameter="variable",
        )
    if len(blocks) != int(heads[1][1]) or len(numbers) != n or (labels and len(labels) != n):
        raise InputError(
            f"{file}: there must be {heads[1][1]} matrices and {n} labels, as its first lines say, but there "
            f"are {len(blocks)} and {len(labels or numbers)}. It is damaged; write it again with 3dNetCorr."
        )
    return _netcc_numbers(blocks[name], n, name, file), labels or numbers


def _blocks(lines: list[str], n: int, file: Path) -> dict[str, list[str]]:
    """Split the rest into its matrices by their titles."""
    blocks: dict[str, list[str]] = {}
    rows: list[str] | None = None
    for line in lines:
        title = _TITLE.fullmatch(line)
        if title is not None and title[1] in blocks:
            raise InputError(
                f"{file}: every matrix must appear once, but {abbreviate(title[1])} appears twice."
            )
        if title is not None:
            rows = blocks[title[1]] = []
        elif rows is None or len(rows) == n:
            raise InputError(
                f"{file}: after the labels there must be matrices of {n} rows, each below its title, but "
                f"there is {abbreviate(line)!r}. It is damaged; write it again with 3dNetCorr."
            )
        else:
            rows.append(line)
    return blocks


def _netcc_numbers(rows: list[str], n: int, name: str, file: Path) -> Floats:
    cells = [row.split() for row in rows]
    if len(cells) != n or any(len(row) != n for row in cells):
        raise InputError(f"{file}: matrix {name} must have {n} rows of {n} numbers, but has others.")
    wrong = next((cell for row in cells for cell in row if not is_number(cell)), None)
    if wrong is not None:
        raise InputError(f"{file}: matrix {name} must hold numbers, but there is {abbreviate(wrong)!r}.")
    return np.array([[float(cell) for cell in row] for row in cells])
