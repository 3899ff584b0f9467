"""Files of toolboxes: CONN, DSI Studio and QSIRecon (connectivity.mat), AFNI (.netcc), CIFTI-2 of parcels."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import is_square, open_mat, read_variable
from dugraph.io.connectomes import Connectomes, Floats, Sample, check_regions, stack_subjects
from dugraph.io.delimited import to_number
from dugraph.io.guards import MemoryBudget, intact, library, read_bytes, read_text
from dugraph.io.input_files import (
    InputFiles,
    NamedFile,
    ReadOptions,
    Subjects,
    one_per_subject,
    unknown_values,
)

# --- CONN ---------------------------------------------------------------------------------------------------

# resultsROI_Subject001_Condition001.mat: Fisher z of one subject and condition; its folder is the analysis.
_VARIABLES = ("Z", "names", "names2", "xyz")


def conn_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects and conditions from names, analyses from folders."""
    for one in named:
        one.entities["analysis"] = one.file.parent.name
    return one_per_subject(named, options.select)


def load_conn(file: Path, options: ReadOptions) -> Sample:
    """Load the square matrix among the sources (rows of Z), with their names and positions."""
    variables = open_mat(file, options.budget)[1](_VARIABLES)
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
    names = _conn_names(variables, "names", z.shape[0], file)
    columns = list(range(len(names)))
    if "names2" in variables:
        column = {name: i for i, name in enumerate(_conn_names(variables, "names2", z.shape[1], file))}
        unknown = [name for name in names if name not in column]
        if unknown:
            raise InputError(
                f"{file}: every source (names) must be a target (names2), but {listed(unknown, 8)} "
                f"{'is' if len(unknown) == 1 else 'are'} not. Run the first-level analysis for all pairs."
            )
        columns = [column[name] for name in names]
    coordinates = _coordinates(variables.get("xyz"), columns, z.shape[1], file)
    return Sample(file, z[:, columns], names, node_coordinates=coordinates)


def _conn_names(variables: dict[str, Any], name: str, n_regions: int, file: Path) -> tuple[str, ...]:
    names = variables[name]
    if not _is_text(names):
        raise InputError(f"{file}: {name} must be a cell array of text, but it holds numbers.")
    check_regions(tuple(names), file, n_regions)
    return tuple(names)


def _is_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _coordinates(xyz: Any, columns: list[int], n_targets: int, file: Path) -> Floats | None:
    """Return the positions of the sources, or None if one of them has none."""
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


# --- DSI Studio and QSIRecon --------------------------------------------------------------------------------

# SUBJECT.*.connectivity.mat with the variables connectivity and name; or sub-*_connectivity.mat with many
# matrices, atlas_ATLAS_MEASURE_connectivity, and atlas_ATLAS_region_labels.
_LABELS = "_region_labels"
_DSI_NAMES = "name"


def read_connectivity(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject, the one that is named where a file holds several."""
    file = subjects.files[0]
    _, name = read_variable(file, options, is_square, "a square matrix")
    if options.values is None and "count" not in f"{name} {file.name}".lower():
        raise unknown_values(file, f"but neither {name} nor the name of the file says that they are counts")
    options = replace(options, variable=name)
    samples = (_load_connectivity(file, options) for file in subjects.files)
    return stack_subjects(subjects, samples, options.values or "count", options, {"variable": name})


def _load_connectivity(file: Path, options: ReadOptions) -> Sample:
    one, variable = read_variable(file, options, is_square, "a square matrix")
    if one.node_labels is not None:
        return one
    shapes, load = open_mat(file, options.budget)
    labels = [name for name in shapes if name.endswith(_LABELS)]
    # The longest: atlas_AAL also begins atlas_AAL116_count_connectivity.
    fitting = [name for name in labels if variable.startswith(name.removesuffix(_LABELS) + "_")]
    beside = max(fitting, key=len, default=_DSI_NAMES)
    if beside not in shapes:
        return one
    return replace(one, node_labels=tuple(_lines(load((beside,))[beside], beside, file)))


def _lines(value: Any, variable: str, file: Path) -> list[str]:
    if isinstance(value, np.ndarray) and ((value >= 0) & (value < 256) & (value % 1 == 0)).all():
        # DSI Studio writes the letters as numbers, a line per region.
        value = [bytes(value.ravel().astype(np.uint8)).decode("utf-8", "replace").rstrip("\n\0")]
    if not _is_text(value):
        raise InputError(f"{file}: variable {variable} must hold text, but holds numbers.")
    lines = value[0].rstrip("\n").split("\n") if len(value) == 1 else value
    return [line.strip() for line in lines]


# --- AFNI 3dNetCorr -----------------------------------------------------------------------------------------

# SUBJECT_000.netcc: several matrices between the regions of one network in a text, each below its title.
_HEADS = (
    re.compile(r"#\s*(\d{1,9})\s*#\s*Number of network ROIs"),
    re.compile(r"#\s*(\d{1,9})\s*#\s*Number of \w+ matrices"),
)
_TITLE = re.compile(r"#\s*(\w+)")
_WITH_LABELS = "WITH_ROI_LABELS"
# Correlations, Fisher z, partial correlations and their b values: what the option -fish_z etc. write.
_KINDS = {"CC": "correlation", "FZ": "fisher_z", "PC": "correlation"}


def read_netcc(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject, CC unless another is asked for; regions by their labels."""
    name = options.variable or "CC"
    kind = options.values or _KINDS.get(name)
    if kind is None:
        raise unknown_values(subjects.files[0], f"but {abbreviate(name)!r} is not one of {listed(_KINDS)}")
    samples = (_load_netcc(file, name, options) for file in subjects.files)
    return stack_subjects(subjects, samples, kind, options, {"variable": name})


def _load_netcc(file: Path, name: str, options: ReadOptions) -> Sample:
    head: list[str] = []
    blocks: dict[str, list[str]] = {}
    rows = head
    for line in filter(None, map(str.strip, read_text(file, options.budget).decode().splitlines())):
        title = _TITLE.fullmatch(line)
        if title is None:
            rows.append(line)
        elif title[1] in blocks:
            raise InputError(
                f"{file}: every matrix must appear once, but {abbreviate(title[1])} appears twice."
            )
        else:
            rows = blocks[title[1]] = []
    counts = [known.fullmatch(line) for known, line in zip(_HEADS, head, strict=False)]
    if len(counts) < 2 or not all(counts):
        raise InputError(
            f"{file}: a .netcc file must begin with the number of ROIs and the number of matrices, but "
            f"begins with {abbreviate((head or ['a title'])[0])!r}. Write it again with 3dNetCorr."
        )
    n, n_blocks = (int(one[1]) for one in counts if one is not None)
    # The numbers of the ROIs are alone, or below their labels.
    n_lines = 1 + (_WITH_LABELS in blocks)
    labels = [tuple(line.split()) for line in (*head[2:], *blocks.pop(_WITH_LABELS, ()))]
    if name not in blocks:
        rule = f" must be one of {listed(blocks, 12)}, but is {abbreviate(name)!r}."
        raise InputError((f"{file}: ", Setting("variable"), rule), parameter="variable")
    n_labels = [len(one) for one in labels]
    if len(blocks) != n_blocks or n_labels != [n] * n_lines:
        raise InputError(
            f"{file}: there must be {n_blocks} matrices and {n} labels, as its first lines say, but there "
            f"are {len(blocks)} and {min(n_labels, default=0)}. It is damaged; write it again with 3dNetCorr."
        )
    cells = [row.split() for row in blocks[name]]
    lengths = {f"{one} has {counted(len(rows), 'row')}": len(rows) for one, rows in blocks.items()}
    lengths |= {
        f"row {k} of {name} has {counted(len(row), 'cell')}": len(row) for k, row in enumerate(cells, 1)
    }
    if others := [what for what, length in lengths.items() if length != n]:
        raise InputError(
            f"{file}: every matrix must have {n} rows of {n} numbers, but {abbreviate(others[0])}. It is "
            "damaged; write it again with 3dNetCorr."
        )
    flat = [cell for row in cells for cell in row]
    values = [to_number(cell) for cell in flat]
    if None in values:
        wrong = abbreviate(flat[values.index(None)])
        raise InputError(f"{file}: matrix {name} must hold numbers, but there is {wrong}.")
    return Sample(file, np.array(values, dtype=np.float64).reshape(n, n), labels[0])


# --- CIFTI-2 with parcels -----------------------------------------------------------------------------------

_CIFTI_HEADER = 540
_MAX_XML = 4 * 2**20
"""Bytes of the description; parcels of the finest usual mesh take three million."""
_MAX_TAGS = 20_000
"""Tags of the description, six for most parcels, of which fine atlases have a thousand; nibabel makes an
object of a kilobyte for each."""

Names = tuple[str, ...]

_PARCELS = "CIFTI_INDEX_TYPE_PARCELS"

# The second pair is the beginning of any such declaration in UTF-16.
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY", b"<\0!\0", b"\0<\0!")


def load_pconn(file: Path, options: ReadOptions) -> Sample:
    """Load a matrix between parcels, which name the regions."""
    values, rows, columns = read_parcels(file, options.budget)
    if rows != columns:
        raise InputError(
            f"{file}: rows and columns must be the same parcels in the same order, but are not. "
            "Write it with wb_command -cifti-correlation from a .ptseries.nii."
        )
    return Sample(file, values, columns)


def load_ptseries(file: Path, options: ReadOptions) -> Sample:
    """Load series of parcels, which name the regions."""
    values, rows, columns = read_parcels(file, options.budget)
    if rows is not None:
        raise InputError(
            f"{file}: the rows must be time points, but they are parcels. Name a matrix *.pconn.nii."
        )
    return Sample(file, values, columns)


def read_parcels(file: Path, budget: MemoryBudget) -> tuple[Floats, Names | None, Names]:
    """Return the values of a file, and the parcels of rows (None for time points) and of columns."""
    nibabel = library("nibabel")
    content = read_bytes(file, budget)
    with intact(file, "CIFTI-2 file"), warnings.catch_warnings(), _quiet(nibabel.imageglobals.logger):
        warnings.simplefilter("ignore")
        _check_cifti(content, file, budget)
        image = nibabel.Cifti2Image.from_bytes(content)
        matrix = image.header.matrix
        if image.get_data_dtype().kind not in "iuf" or image.shape != matrix.get_data_shape():
            raise ValueError("its values do not fit its description")
        rows, columns = (
            tuple(parcel.name for parcel in axis.parcels)
            if axis.indices_map_to_data_type == _PARCELS
            else None
            for axis in map(matrix.get_index_map, (0, 1))
        )
        values = np.asarray(image.dataobj, dtype=np.float64)
    if columns is None or values.ndim != 2:
        raise InputError(f"{file}: the columns must be named parcels, but they are not. Parcellate it first.")
    return values, rows, columns


def _check_cifti(content: bytes, file: Path, budget: MemoryBudget) -> None:
    """Refuse headers that declare more than the file contains, and XML that could grow."""
    if len(content) < _CIFTI_HEADER:
        raise EOFError(f"{len(content)} bytes are not a NIfTI-2 header")
    header = library("nibabel").Nifti2Header(content[:_CIFTI_HEADER], check=False)
    if header["sizeof_hdr"] != _CIFTI_HEADER:
        raise ValueError("it has no NIfTI-2 header")
    shape, start = [int(n) for n in header.get_data_shape()], int(header["vox_offset"])
    if min(shape, default=0) < 1:
        raise ValueError("it has no dimensions")
    claimed = start + prod(shape) * header.get_data_dtype().itemsize
    if start < _CIFTI_HEADER or claimed > len(content):
        raise InputError(
            f"{file}: the file must be as large as its header declares: dimensions {shape} take {claimed} "
            f"bytes, but the file has {len(content)}. Copy or write it again."
        )
    budget.check(len(content) + prod(shape) * 8, file)
    description = content[_CIFTI_HEADER:start]
    for unit, most, n in (
        ("bytes", _MAX_XML, len(description)),
        ("tags", _MAX_TAGS, description.count(b"<")),
    ):
        if n > most:
            raise InputError(
                f"{file}: the description of the parcels may have at most {most} {unit}, but has {n}. Only "
                "parcels are read, not dense maps."
            )
    if any(mark in description for mark in _DECLARATIONS):
        raise InputError(
            f"{file}: the description of the parcels must be plain XML, but it declares entities, which "
            "CIFTI never does and which can exhaust memory. Copy or write it again."
        )


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    # nibabel reports small repairs of headers on the screen.
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before
