"""C-PAC and ABIDE Preprocessed `*_rois_<atlas>.1D`: the series of all regions, one file per subject."""

from __future__ import annotations

import re
from pathlib import Path

from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.delimited import read_series
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.bids_names import BidsFile, one_per_subject
from dugraph.io.source import Source

# The FILE_ID of ABIDE is the site, which may hold underscores, and seven digits: UCLA_1_0051201.
_NAME = re.compile(r"(?P<sub>.+)_rois_(?P<atlas>[A-Za-z0-9-]+)\.1D")
# Folders of ABIDE Preprocessed: {pipeline}/{strategy}/rois_{atlas}/.
_FOLDERS = {
    "pipeline": re.compile(r"ccs|cpac|dparsf|niak"),
    "strategy": re.compile(r"(no)?filt_(no)?global"),
}


def finds(source: Source) -> str | None:
    """Return whether there are series of C-PAC, by name."""
    n_files = sum(_NAME.fullmatch(file.name) is not None for file in source.files)
    return f"{counted(n_files, 'file')} *_rois_*.1D" if n_files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read the series of each subject; regions by their numbers in the header, ``#2001``."""
    options.check_for_series()
    files = one_per_subject(_found(source), options.select)
    options.budget.check_files(one.file for one in files)
    samples = (_sample(one, options) for one in files)
    return joined(samples, "series", options.budget, options.atlas)


def _found(source: Source) -> list[BidsFile]:
    found = []
    for file in source.files:
        match = _NAME.fullmatch(file.name)
        if match is not None:
            found.append(BidsFile(file, match.groupdict() | _folders(file), prefix=""))
    if not found:
        raise InputError(
            f"{source.path}: series of C-PAC must be named SUBJECT_rois_ATLAS.1D, but there are none among "
            f"{source.seen()}. Check the path."
        )
    return found


def _folders(file: Path) -> dict[str, str]:
    return {key: part for key, known in _FOLDERS.items() for part in file.parts[:-1] if known.fullmatch(part)}


def _sample(one: BidsFile, options: ReadOptions) -> Sample:
    table = read_series(one.file, options.budget)
    labels = table.columns
    if labels is not None:
        numbers = tuple(label.removeprefix("#").strip() for label in labels)
        if not (labels[0].startswith("#") or labels[0].isdecimal()) or not all(numbers):
            raise InputError(
                f"{one.file}, line 1: the header must number the regions, #2001 and so on, or be left out, "
                f"but begins with {shown(labels[0])!r}. Copy the file again."
            )
        labels = numbers
    return Sample(one.subject, one.file, table.numbers, labels)


FORMAT = Format(
    "cpac-series",
    "series of all regions per subject: C-PAC, ABIDE Preprocessed",
    finds,
    read,
)
