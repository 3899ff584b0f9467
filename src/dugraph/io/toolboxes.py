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
from typing import Any, NamedTuple

import numpy as np

from dugraph.data.arguments import abbreviate, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import is_square, read_variable
from dugraph.io.connectomes import Connectomes, Floats, Sample, check_regions, stack_subjects
from dugraph.io.delimited import to_number
from dugraph.io.guards import MemoryBudget, library, read_bytes, read_text, reason
from dugraph.io.input_files import (
    InputFiles,
    NamedFile,
    ReadOptions,
    Subjects,
    one_per_subject,
    unknown_values,
)
from dugraph.io.matlab import open_mat

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
    first = read_variable(file, options, is_square, "a square matrix")
    if options.values is None and "count" not in f"{first.name} {file.name}".lower():
        why = f"but neither {first.name} nor the name of the file says that they are counts"
        raise unknown_values(file, why)
    options = replace(options, variable=first.name)
    samples = (_load_connectivity(file, options) for file in subjects.files)
    return stack_subjects(subjects, samples, options.values or "count", options, {"variable": first.name})


def _load_connectivity(file: Path, options: ReadOptions) -> Sample:
    one = read_variable(file, options, is_square, "a square matrix")
    if one.region_names is not None:
        return Sample(file, one.values, one.region_names)
    shapes, load = open_mat(file, options.budget)
    labels = [name for name in shapes if name.endswith(_LABELS)]
    # The longest: atlas_AAL also begins atlas_AAL116_count_connectivity.
    fitting = [name for name in labels if one.name.startswith(name.removesuffix(_LABELS) + "_")]
    beside = max(fitting, key=len, default=_DSI_NAMES)
    names = tuple(_lines(load((beside,))[beside], beside, file)) if beside in shapes else None
    return Sample(file, one.values, names)


def _lines(value: Any, variable: str, file: Path) -> list[str]:
    if isinstance(value, np.ndarray) and ((value >= 0) & (value < 256) & (value % 1 == 0)).all():
        # DSI Studio writes the letters as numbers, a line per region.
        value = [bytes(value.ravel().astype(np.uint8)).decode("utf-8", "replace").rstrip("\n\0")]
    if not _is_text(value):
        raise InputError(f"{file}: variable {variable} must hold text, but holds numbers.")
    lines = value[0].rstrip("\n").split("\n") if len(value) == 1 else value
    return [line.strip() for line in lines]


# --- AFNI 3dNetCorr -----------------------------------------------------------------------------------------

# SUBJECT_000.netcc: several matrices between the regions of one network in a text.
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
        raise unknown_values(subjects.files[0], f"but {abbreviate(name)!r} is not one of {listed(_KINDS)}")
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
        rule = f" must be one of {listed(blocks, 12)}, but is {abbreviate(name)!r}."
        raise InputError((f"{file}: ", Setting("variable"), rule), parameter="variable")
    if len(blocks) != int(heads[1][1]) or len(numbers) != n or (labels and len(labels) != n):
        raise InputError(
            f"{file}: there must be {heads[1][1]} matrices and {n} labels, as its first lines say, but there "
            f"are {len(blocks)} and {len(labels or numbers)}. It is damaged; write it again with 3dNetCorr."
        )
    rows = [row.split() for row in blocks[name]]
    if len(rows) != n or any(len(row) != n for row in rows):
        raise InputError(f"{file}: matrix {name} must have {n} rows of {n} numbers, but has others.")
    values = [[to_number(cell) for cell in row] for row in rows]
    for cells, row in zip(rows, values, strict=True):
        if None in row:
            wrong = abbreviate(cells[row.index(None)])
            raise InputError(f"{file}: matrix {name} must hold numbers, but there is {wrong!r}.")
    return np.array(values, dtype=np.float64), labels or numbers


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


# --- CIFTI-2 with parcels -----------------------------------------------------------------------------------

_CIFTI_HEADER = 540
_MAX_XML = 4 * 2**20
"""Bytes of the description; parcels of the finest usual mesh take three million."""
_MAX_TAGS = 20_000
"""Tags of the description, six for most parcels, of which fine atlases have a thousand; nibabel makes an
object of a kilobyte for each."""

# The second pair is the beginning of any such declaration in UTF-16.
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY", b"<\0!\0", b"\0<\0!")


class Parcels(NamedTuple):
    """Values of shape (n_rows, n_parcels), and the parcels of columns and rows (None: time points)."""

    values: Floats
    columns: tuple[str, ...]
    rows: tuple[str, ...] | None


def load_pconn(file: Path, options: ReadOptions) -> Sample:
    """Load a matrix between parcels, which name the regions."""
    values, columns, rows = read_parcels(file, options.budget)
    if rows != columns:
        raise InputError(
            f"{file}: rows and columns must be the same parcels in the same order, but are not. "
            "Write it with wb_command -cifti-correlation from a .ptseries.nii."
        )
    return Sample(file, values, columns)


def load_ptseries(file: Path, options: ReadOptions) -> Sample:
    """Load series of parcels, which name the regions."""
    values, columns, rows = read_parcels(file, options.budget)
    if rows is not None:
        raise InputError(
            f"{file}: the rows must be time points, but they are parcels. Name a matrix *.pconn.nii."
        )
    return Sample(file, values, columns)


def read_parcels(file: Path, budget: MemoryBudget) -> Parcels:
    """Read a ``.pconn.nii`` or ``.ptseries.nii`` file by nibabel, after its sizes and its XML are checked."""
    nibabel = library("nibabel")
    content = read_bytes(file, budget)
    try:
        _check_cifti(content, file, budget)
        with warnings.catch_warnings(), _quiet(nibabel.imageglobals.logger):
            warnings.simplefilter("ignore")
            image = nibabel.Cifti2Image.from_bytes(content)
            matrix = image.header.matrix
            if image.get_data_dtype().kind not in "iuf" or image.shape != matrix.get_data_shape():
                raise ValueError("its values do not fit its description")
            names = [_parcel_names(matrix.get_index_map(axis)) for axis in (0, 1)]
            values = np.asarray(image.dataobj, dtype=np.float64)
    except InputError:
        raise
    except Exception as error:
        # Damaged bytes make nibabel and its XML parser fail in ways that no list can foresee.
        raise InputError(
            f"{file}: the file must be intact CIFTI-2, but it is damaged, cut short or of another format "
            f"({reason(error)}). Copy or write it again."
        ) from error
    if names[1] is None or values.ndim != 2:
        raise InputError(f"{file}: the columns must be named parcels, but they are not. Parcellate it first.")
    return Parcels(values, names[1], names[0])


def _check_cifti(content: bytes, file: Path, budget: MemoryBudget) -> None:
    """Refuse headers that claim more than the file holds, and XML that could grow."""
    layout = library("nibabel.nifti2").header_dtype
    if len(content) < _CIFTI_HEADER:
        raise EOFError(f"{len(content)} bytes are no NIfTI-2 header")
    header = np.frombuffer(content, layout.newbyteorder("<"), 1)[0]
    if header["sizeof_hdr"] != _CIFTI_HEADER:
        header = np.frombuffer(content, layout.newbyteorder(">"), 1)[0]
    if header["sizeof_hdr"] != _CIFTI_HEADER:
        raise ValueError("it has no NIfTI-2 header")
    n_dims, *dims = (int(n) for n in header["dim"])
    if not 0 < n_dims < 8 or min(dims[:n_dims]) < 1:
        raise ValueError("it has no dimensions")
    width = library("nibabel.nifti1").data_type_codes.dtype[int(header["datatype"])].itemsize
    start = int(header["vox_offset"])
    claimed = start + prod(dims[:n_dims]) * width
    if start < _CIFTI_HEADER or claimed > len(content):
        raise InputError(
            f"{file}: the file must be as large as it claims: dimensions {dims[:n_dims]} take {claimed} "
            f"bytes, but the file holds {len(content)}. Copy or write it again."
        )
    budget.check(len(content) + prod(dims[:n_dims]) * 8, file)
    if start - _CIFTI_HEADER > _MAX_XML:
        raise InputError(
            f"{file}: the description of the parcels may take {_MAX_XML} bytes, but takes "
            f"{start - _CIFTI_HEADER}. Only parcels are read, not dense maps."
        )
    description = content[_CIFTI_HEADER:start]
    n_tags = description.count(b"<")
    if n_tags > _MAX_TAGS:
        raise InputError(
            f"{file}: the description of the parcels may have {_MAX_TAGS} tags, but has {n_tags}. Only "
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


def _parcel_names(axis: object) -> tuple[str, ...] | None:
    if getattr(axis, "indices_map_to_data_type", None) != "CIFTI_INDEX_TYPE_PARCELS":
        return None
    return tuple(parcel.name for parcel in axis.parcels)  # type: ignore[attr-defined]
