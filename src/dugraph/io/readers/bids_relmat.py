"""BIDS derivatives `*_relmat.tsv`: one connectivity matrix per subject (XCP-D, giga_connectome, HALFpipe)."""

from __future__ import annotations

from collections.abc import Iterator

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.delimited import read_square
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.bids_names import BidsFile, bids_files, kind_of, one_per_subject
from dugraph.io.readers.table_samples import matrix_sample
from dugraph.io.source import Source

_SUFFIXES = ("relmat", "conmat", "matrix")


def finds(source: Source) -> str | None:
    """Return whether there are matrices of subjects, by name."""
    found = [f for f in source.files if f.name.endswith(tuple(f"_{s}.tsv" for s in _SUFFIXES))]
    found = [file for file in found if file.name.startswith("sub-")]
    return (
        f"{counted(len(found), 'file')} sub-*_relmat.tsv, sub-*_conmat.tsv or sub-*_matrix.tsv"
        if found
        else None
    )


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject; regions by the names in the header, or by the atlas table."""
    files = one_per_subject(_found(source), options.select)
    options.budget.check_files(one.file for one in files)
    kind = options.values or kind_of(files[0])
    return joined(_samples(files, options), kind, options.budget, options.atlas)


def _found(source: Source) -> list[BidsFile]:
    files = bids_files(source.files, _SUFFIXES)
    if not files:
        raise InputError(
            f"{source.path}: matrices of subjects must be named sub-*_relmat.tsv, but there are none among "
            f"{source.seen()}. Check the path."
        )
    return files


def _samples(files: list[BidsFile], options: ReadOptions) -> Iterator[Sample]:
    for one in files:
        yield matrix_sample(read_square(one.file, options.budget), one.subject, one.file)


FORMAT = Format(
    "bids-relmat",
    "BIDS derivatives with one connectivity matrix per subject: XCP-D, giga_connectome, HALFpipe",
    finds,
    read,
)
