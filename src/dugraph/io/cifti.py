"""CIFTI-2 with parcels, `*.pconn.nii` and `*.ptseries.nii`: sizes and XML are checked, then nibabel reads."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dugraph.exceptions import InputError
from dugraph.io.guards import MemoryBudget, library, read_bytes, reason
from dugraph.io.input_files import ReadOptions
from dugraph.io.matrices import Floats, Sample

_HEADER = 540
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
    """Read a ``.pconn.nii`` or ``.ptseries.nii`` file.

    Parameters
    ----------
    file : Path
    budget : MemoryBudget

    Returns
    -------
    Parcels
    """
    nibabel = library("nibabel")
    content = read_bytes(file, budget)
    try:
        _check(content, file, budget)
        with warnings.catch_warnings(), _quiet(nibabel.imageglobals.logger):
            warnings.simplefilter("ignore")
            image = nibabel.Cifti2Image.from_bytes(content)
            matrix = image.header.matrix
            if image.get_data_dtype().kind not in "iuf" or image.shape != matrix.get_data_shape():
                raise ValueError("its values do not fit its description")
            names = [_names(matrix.get_index_map(axis)) for axis in (0, 1)]
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


def _check(content: bytes, file: Path, budget: MemoryBudget) -> None:
    """Refuse headers that claim more than the file holds, and XML that could grow."""
    layout = library("nibabel.nifti2").header_dtype
    if len(content) < _HEADER:
        raise EOFError(f"{len(content)} bytes are no NIfTI-2 header")
    header = np.frombuffer(content, layout.newbyteorder("<"), 1)[0]
    if header["sizeof_hdr"] != _HEADER:
        header = np.frombuffer(content, layout.newbyteorder(">"), 1)[0]
    if header["sizeof_hdr"] != _HEADER:
        raise ValueError("it has no NIfTI-2 header")
    n_dims, *dims = (int(n) for n in header["dim"])
    if not 0 < n_dims < 8 or min(dims[:n_dims]) < 1:
        raise ValueError("it has no dimensions")
    width = library("nibabel.nifti1").data_type_codes.dtype[int(header["datatype"])].itemsize
    start = int(header["vox_offset"])
    claimed = start + prod(dims[:n_dims]) * width
    if start < _HEADER or claimed > len(content):
        raise InputError(
            f"{file}: the file must be as large as it claims: dimensions {dims[:n_dims]} take {claimed} "
            f"bytes, but the file holds {len(content)}. Copy or write it again."
        )
    budget.check(len(content) + prod(dims[:n_dims]) * 8, file)
    if start - _HEADER > _MAX_XML:
        raise InputError(
            f"{file}: the description of the parcels may take {_MAX_XML} bytes, but takes "
            f"{start - _HEADER}. Only parcels are read, not dense maps."
        )
    description = content[_HEADER:start]
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


def _names(axis: object) -> tuple[str, ...] | None:
    if getattr(axis, "indices_map_to_data_type", None) != "CIFTI_INDEX_TYPE_PARCELS":
        return None
    return tuple(parcel.name for parcel in axis.parcels)  # type: ignore[attr-defined]
