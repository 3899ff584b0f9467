"""MRtrix3 `tck2connectome`: one .csv of streamline counts per subject, without names of regions."""

from __future__ import annotations

import re
from pathlib import Path

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, joined
from dugraph.io.delimited import read_square
from dugraph.io.format import Format
from dugraph.io.guards import file_head
from dugraph.io.options import ReadOptions
from dugraph.io.readers.subject_names import by_folder, by_name
from dugraph.io.readers.table_samples import matrix_sample
from dugraph.io.source import Source

# Commas since version 3.0, which also writes its command as a comment; spaces before. Without -symmetric only
# the upper triangle is filled, which `folded` mirrors.
_NAME = re.compile(r"(?:(?P<sub>.+)[_-])?connectome\.csv")
_HEAD = 4096


def finds(source: Source) -> str | None:
    """Return whether there are connectomes of MRtrix: by name, and by the head of the first."""
    files = _files(source)
    if not files or not _counts(files[0]):
        return None
    return f"{counted(len(files), 'file')} *connectome.csv of streamline counts"


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per file; the subject is what its name begins with, or the name of its folder."""
    files = _files(source)
    if not files:
        raise InputError(
            f"{source.path}: connectomes of MRtrix must be named SUBJECT_connectome.csv, or connectome.csv "
            f"in a folder per subject, but there are none among {source.seen()}. Check the path."
        )
    if options.select:
        raise InputError(
            "select must be left out for connectomes of MRtrix: every file is one subject.",
            parameter="select",
        )
    options.budget.check_files(files)
    names = [_NAME.fullmatch(file.name) for file in files]
    own = [match["sub"] for match in names if match is not None and match["sub"]]
    root = source.path if source.is_folder else source.path.parent
    ids = by_name(own) if len(own) == len(files) else by_folder(files, root)
    samples = (
        matrix_sample(read_square(file, options.budget), graph_id, file)
        for graph_id, file in zip(ids, files, strict=True)
    )
    return joined(samples, options.values or "count", options.budget, options.atlas)


def _files(source: Source) -> list[Path]:
    return [file for file in source.files if _NAME.fullmatch(file.name)]


def _counts(file: Path) -> bool:
    """Whether MRtrix signed the file, or its first row holds what only counts can be: all >= 0, some > 1."""
    head = file_head(file, _HEAD)
    if head is None:
        return False
    if b"tck2connectome" in head:
        return True
    # The last number may be cut off by the end of the head.
    row = re.split(rb"[,\s]+", head.split(b"\n", 1)[0].strip())[: -1 if len(head) == _HEAD else None]
    try:
        numbers = [float(cell) for cell in row]
    except ValueError:
        return False
    return all(number >= 0 for number in numbers) and any(number > 1 for number in numbers)


FORMAT = Format(
    "mrtrix",
    "counts of streamlines between regions: MRtrix3 tck2connectome",
    finds,
    read,
)
