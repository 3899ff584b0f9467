"""CIFTI-2 with parcels, `*.pconn.nii` and `*.ptseries.nii`: HCP's Workbench, XCP-D."""

from __future__ import annotations

from collections.abc import Iterator

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.bids_names import BidsFile, kind_of, one_per_subject, parsed
from dugraph.io.readers.cifti_file import read_parcels
from dugraph.io.source import Source

_PCONN, _PTSERIES = ".pconn.nii", ".ptseries.nii"


def finds_pconn(source: Source) -> str | None:
    """Return whether there are matrices between parcels, by name."""
    return _finds(source, _PCONN)


def finds_ptseries(source: Source) -> str | None:
    """Return whether there are series of parcels, by name."""
    return _finds(source, _PTSERIES)


def read_pconn(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject; the names of the parcels are those of the regions."""
    files = _one_per_subject(source, _PCONN, options)
    kind = options.values or kind_of(files[0][1])
    return joined(_matrices(files, options), kind, options.budget, options.atlas)


def read_ptseries(source: Source, options: ReadOptions) -> Connectomes:
    """Read the series of each subject; the names of the parcels are those of the regions."""
    if options.values is not None:
        raise InputError(
            "values must be left out for time series, because they are neither matrices nor "
            f"{options.values}.",
            parameter="values",
        )
    return joined(
        _series(_one_per_subject(source, _PTSERIES, options), options),
        "series",
        options.budget,
        options.atlas,
    )


def _finds(source: Source, ending: str) -> str | None:
    n_files = sum(file.name.endswith(ending) for file in source.files)
    return f"{counted(n_files, 'file')} *{ending}" if n_files else None


def _one_per_subject(source: Source, ending: str, options: ReadOptions) -> list[tuple[str, BidsFile]]:
    """Return subjects and files: by the names of BIDS if all have them, otherwise one file per subject."""
    found = parsed([file for file in source.files if file.name.endswith(ending)])
    if not found:
        raise InputError(
            f"{source.path}: the files must be named *{ending}, but there are none among {source.seen()}. "
            "Check the path."
        )
    if all(one.entities.get("sub") for one in found):
        files = [(one.subject, one) for one in one_per_subject(found, options.select)]
    elif options.select:
        raise InputError(
            f"select must be left out unless all files have names of BIDS, sub-*{ending}: every file is one "
            "subject.",
            parameter="select",
        )
    else:
        files = [(one.file.name.removesuffix(ending), one) for one in found]
    options.budget.check_files(one.file for _, one in files)
    return files


def _matrices(files: list[tuple[str, BidsFile]], options: ReadOptions) -> Iterator[Sample]:
    for subject, one in files:
        parcels = read_parcels(one.file, options.budget)
        if parcels.rows != parcels.columns:
            raise InputError(
                f"{one.file}: rows and columns must be the same parcels in the same order, but are not. "
                "Write it with wb_command -cifti-correlation from a .ptseries.nii."
            )
        yield Sample(subject, one.file, parcels.values, parcels.columns)


def _series(files: list[tuple[str, BidsFile]], options: ReadOptions) -> Iterator[Sample]:
    for subject, one in files:
        parcels = read_parcels(one.file, options.budget)
        if parcels.rows is not None:
            raise InputError(
                f"{one.file}: the rows must be time points, but they are parcels. Name a matrix *{_PCONN}."
            )
        yield Sample(subject, one.file, parcels.values, parcels.columns)


PCONN = Format(
    "cifti-pconn",
    "CIFTI-2 matrices between parcels: HCP's Workbench, XCP-D",
    finds_pconn,
    read_pconn,
)
PTSERIES = Format(
    "cifti-ptseries",
    "CIFTI-2 series of parcels: HCP's Workbench, XCP-D",
    finds_ptseries,
    read_ptseries,
)
