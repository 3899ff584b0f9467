"""FSL `probtrackx2 --network`: `fdt_network_matrix` and `waytotal`, one folder per subject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.delimited import read_numbers, read_square
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.subject_names import by_folder
from dugraph.io.readers.table_samples import matrix_sample
from dugraph.io.source import Source

# As probtrackx2 writes them: row i counts the streamlines sent from seed i that reached each other region,
# and line i of waytotal says how many were sent from it and kept.
_MATRIX = "fdt_network_matrix"
_WAYTOTAL = "waytotal"


def finds(source: Source) -> str | None:
    """Return whether there are matrices of probtrackx2, by name."""
    n_files = len(_files(source))
    return f"{counted(n_files, 'file')} {_MATRIX}" if n_files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per folder, and the waytotal beside it; the subject is the name of the folder."""
    files = _files(source)
    if not files:
        raise InputError(
            f"{source.path}: matrices of probtrackx2 must be named {_MATRIX}, one folder per subject, but "
            f"there are none among {source.seen()}. Check the path."
        )
    if options.select:
        raise InputError(
            f"select must be left out for {_MATRIX}: every folder is one subject.", parameter="select"
        )
    kind = options.values or "count"
    waytotals = [file.with_name(_WAYTOTAL) for file in files]
    # What is no count any more was divided already.
    waytotals = [file for file in waytotals if file.exists() and kind == "count"]
    options.budget.check_files([*files, *waytotals])
    ids = by_folder(files, source.path if source.is_folder else source.path.parent)
    return joined(_samples(files, ids, set(waytotals), options), kind, options.budget, options.atlas)


def _files(source: Source) -> list[Path]:
    return [file for file in source.files if file.name == _MATRIX]


def _samples(
    files: list[Path], ids: list[str], waytotals: set[Path], options: ReadOptions
) -> Iterator[Sample]:
    for graph_id, file in zip(ids, files, strict=True):
        sample = matrix_sample(read_square(file, options.budget), graph_id, file)
        beside = file.with_name(_WAYTOTAL)
        if beside in waytotals:
            numbers = read_numbers(beside, options.budget, header=False).numbers
            sample = replace(sample, waytotal=numbers.ravel())
        yield sample


FORMAT = Format(
    "fsl-network",
    "counts of streamlines between regions: FSL probtrackx2 --network",
    finds,
    read,
)
