"""Any folder of square matrices, one file per subject: .csv, .tsv, .txt or .npy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.files.array_archive import read_npy
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.format import Format
from dugraph.io.guards import file_size
from dugraph.io.options import ReadOptions
from dugraph.io.readers.subject_names import by_name
from dugraph.io.readers.table_samples import matrix_sample
from dugraph.io.source import OTHER_FILES, Source
from dugraph.io.tables.contents import read_square

_ENDINGS = (".csv", ".tsv", ".txt", ".npy")


def finds(source: Source) -> str | None:
    """Tell whether there are files that may be matrices, by their endings."""
    files = _files(source)
    return f"{counted(len(files), 'file')} {', '.join(_ENDINGS)} in one folder" if files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per file; the subject is the name of the file, or its ``sub-...`` part."""
    files = _files(source)
    if not files:
        raise InputError(
            f"{source.path}: a folder of matrices must hold {', '.join(_ENDINGS)} files, but there are none "
            f"among {source.seen()}. Check the path."
        )
    if options.select:
        raise InputError(
            "select must be left out for a folder of matrices: every file is one subject.", parameter="select"
        )
    options.budget.check_files(files)
    return joined(_samples(files, options), options.values or "correlation", options.budget, options.atlas)


def _files(source: Source) -> list[Path]:
    if not source.is_folder:
        return []
    return [f for f in source.top if f.suffix.lower() in _ENDINGS and not OTHER_FILES.match(f.name)]


def _samples(files: list[Path], options: ReadOptions) -> Iterator[Sample]:
    for graph_id, file in zip(by_name([file.stem for file in files]), files, strict=True):
        if file.suffix.lower() == ".npy":
            yield _array_sample(graph_id, file, options)
        else:
            yield matrix_sample(read_square(file, options.budget), graph_id, file)


def _array_sample(graph_id: str, file: Path, options: ReadOptions) -> Sample:
    options.budget.check(file_size(file), file)
    array = read_npy(file)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.dtype.kind not in "biuf":
        raise InputError(
            f"{file}: a connectivity matrix must be a square array of numbers, but it has shape "
            f"{array.shape} and dtype {array.dtype}. Save one matrix per subject."
        )
    return Sample(graph_id, file, array.astype(np.float64))


FORMAT = Format(
    "matrices",
    "a folder with one square matrix per subject, named after the subject",
    finds,
    read,
    general=True,
)
