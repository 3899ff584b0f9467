"""MATLAB files of version 7.3, which are HDF5: every dataset is checked before it is read."""

from __future__ import annotations

import zlib
from math import ceil, prod
from pathlib import Path
from typing import Any

from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.io.guards import MAX_CELLS, InflationLimit, file_size, library


def read_v73(file: Path, wanted: tuple[str, ...], limit: InflationLimit) -> dict[str, Any]:
    """Read some variables: numbers as arrays, cell arrays as lists of text and arrays.

    Parameters
    ----------
    file : Path
    wanted : tuple of str
        Names of variables; those that are not there are left out.
    limit : InflationLimit

    Returns
    -------
    dict of str to ndarray or list
    """
    h5py = library("h5py")
    found: dict[str, Any] = {}
    with h5py.File(file, "r", locking=False) as opened:
        for name in wanted:
            link = opened.get(name, getlink=True)
            if link is None:
                continue
            if not isinstance(link, h5py.HardLink):
                raise InputError(
                    f"{file}: variable {name} must lie in the file itself, but is a link to "
                    f"{shown(getattr(link, 'filename', None) or link.path)!r}, which is not followed."
                )
            dataset = opened[name]
            _check(dataset, file, name, limit)
            if dataset.attrs.get("MATLAB_class") == b"char":
                found[name] = _rows_of_text(dataset[()].T)
            elif h5py.check_ref_dtype(dataset.dtype) is not None:
                found[name] = [_cell(opened, one, file, name, limit) for one in dataset[()].ravel()]
            else:
                # MATLAB writes arrays column by column, HDF5 reads them row by row.
                found[name] = dataset[()].T
    return found


def shapes_v73(file: Path) -> dict[str, tuple[int, ...] | None]:
    """List the variables of a file: the shapes of numbers, None for whatever is something else."""
    h5py = library("h5py")
    found: dict[str, tuple[int, ...] | None] = {}
    with h5py.File(file, "r", locking=False) as opened:
        for name in list(opened)[:MAX_CELLS]:
            # Groups of MATLAB's own begin with #; links are not followed.
            if name.startswith("#") or not isinstance(opened.get(name, getlink=True), h5py.HardLink):
                continue
            one = opened[name]
            is_array = isinstance(one, h5py.Dataset) and one.shape is not None and one.dtype.kind in "iuf"
            is_text = one.attrs.get("MATLAB_class") == b"char"
            found[name] = tuple(one.shape[::-1]) if is_array and not is_text else None
    return found


def _rows_of_text(array: Any) -> list[str]:
    if array.ndim != 2 or array.dtype != "uint16":
        raise ValueError("text must be rows of letters")
    return [row.astype("<u2").tobytes().decode("utf-16-le").rstrip() for row in array]


def _cell(opened: Any, reference: Any, file: Path, name: str, limit: InflationLimit) -> Any:
    if not reference:
        raise ValueError(f"a cell of {name} points to nothing")
    dataset = opened[reference]
    _check(dataset, file, name, limit)
    if dataset.dtype.kind not in "iuf":
        raise InputError(f"{file}: variable {name} must be one cell array, but holds cells within cells.")
    array = dataset[()].T
    if array.dtype != "uint16":
        return array
    if array.ndim != 2 or array.shape[0] > 1:
        raise ValueError(f"text in {name} must be one row")
    return array.astype("<u2").tobytes().decode("utf-16-le")


def _check(dataset: Any, file: Path, name: str, limit: InflationLimit) -> None:
    """Refuse all but plain arrays that the file really holds, before a byte of them is unpacked."""
    h5py = library("h5py")
    if not isinstance(dataset, h5py.Dataset) or dataset.shape is None:
        raise InputError(
            f"{file}: variable {name} must hold numbers, text or cells of them, but is a MATLAB struct or "
            "object. Save it as an array."
        )
    is_cell = h5py.check_ref_dtype(dataset.dtype) == h5py.Reference
    if not is_cell and dataset.dtype.kind not in "iuf":
        raise InputError(
            f"{file}: variable {name} must hold numbers, text or cells of them, but is {dataset.dtype}."
        )
    if is_cell and dataset.size > MAX_CELLS:
        raise InputError(
            f"{file}: variable {name} may have {MAX_CELLS} cells, but has {dataset.size}. Write it again."
        )
    plan = dataset.id.get_create_plist()
    filters = [plan.get_filter(i)[0] for i in range(plan.get_nfilters())]
    plain = plan.get_layout() in (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.CHUNKED)
    if not plain or plan.get_external_count() or filters not in ([], [h5py.h5z.FILTER_DEFLATE]):
        raise InputError(
            f"{file}: variable {name} must lie in the file itself, plain or compressed as MATLAB does, but "
            "it is virtual, external or compressed by other filters. Save the file in MATLAB again."
        )
    n_bytes = prod(dataset.shape) * dataset.dtype.itemsize
    limit.take(n_bytes)
    if plan.get_layout() == h5py.h5d.CHUNKED:
        _check_chunks(dataset, bool(filters), limit)
    elif n_bytes > dataset.id.get_storage_size() or n_bytes > file_size(file):
        raise EOFError(f"{name} claims {n_bytes} bytes, but the file does not hold them")


def _check_chunks(dataset: Any, packed: bool, limit: InflationLimit) -> None:
    # HDF5 fills missing chunks with zeros, and unpacks whatever a chunk becomes, whatever it claims.
    n_bytes = prod(dataset.chunks) * dataset.dtype.itemsize
    chunks: list[Any] = []
    dataset.id.chunk_iter(chunks.append)
    wanted = prod(ceil(n / c) for n, c in zip(dataset.shape, dataset.chunks, strict=True))
    if len(chunks) != wanted:
        raise EOFError(f"{wanted} chunks are claimed, but {len(chunks)} are there")
    limit.take(n_bytes * len(chunks))
    for chunk in chunks:
        if chunk.size > file_size(limit.file) or chunk.filter_mask:
            raise ValueError("a chunk is larger than the file, or was written past its filter")
        raw = dataset.id.read_direct_chunk(chunk.chunk_offset)[1]
        size = len(zlib.decompressobj().decompress(raw, n_bytes + 1)) if packed else len(raw)
        if size != n_bytes:
            raise ValueError(f"a chunk must hold {n_bytes} bytes, but does not")
