"""Any folder of square matrices, one file per subject: .csv, .tsv, .txt, .npy, .npz or .mat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dugraph.data.wording import counted
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.delimited import read_square
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers import one_array
from dugraph.io.readers.per_subject import SubjectFiles, files_with, subject_files
from dugraph.io.readers.table_samples import matrix_sample
from dugraph.io.readers.variables import ARRAY_FILES, Shape, read_variable
from dugraph.io.source import Source

_ENDINGS = (".csv", ".tsv", ".txt", *ARRAY_FILES)
_FISHER = re.compile(r"fisher[-_ ]?z", re.IGNORECASE)


def finds(source: Source) -> str | None:
    """Return whether there are files that may be matrices, by their endings."""
    files = files_with(source, _ENDINGS)
    if one_array.finds(source) is not None:
        return None
    endings = [ending for ending in _ENDINGS if any(file.name.lower().endswith(ending) for file in files)]
    return f"{counted(len(files), 'file')} {', '.join(endings)}" if files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per file; the subject is the name of the file, its ``sub-...`` part, or its folder."""
    found = subject_files(source, _ENDINGS, "matrices", options)
    if options.select:
        raise InputError(
            "select must be left out for a folder of matrices: every file is one subject.", parameter="select"
        )
    options.budget.check_files(found.files)
    kind = _kind(found, options)
    notes = {} if found.files[0].parent == source.path else {"folders": found.layout}
    connectomes = joined(_samples(found, options), kind, options.budget, options.atlas, notes)
    return replace(connectomes, y=found.y, y_file=source.path)


def _kind(found: SubjectFiles, options: ReadOptions) -> str:
    named = [file for file in found.files if _FISHER.search(file.name)]
    if named and options.values == "correlation":
        raise InputError(
            f"{named[0]}: correlations must not be called Fisher z, but the file name does.",
            parameter="values",
            way_out=("Leave out ", Setting("values", "correlation"), ", or rename the files."),
        )
    return options.values or ("fisher_z" if len(named) == len(found.files) else "correlation")


def _samples(found: SubjectFiles, options: ReadOptions) -> Iterator[Sample]:
    for graph_id, file in zip(found.ids, found.files, strict=True):
        if file.suffix.lower() in ARRAY_FILES:
            yield _array_sample(graph_id, file, options)
        else:
            yield matrix_sample(read_square(file, options.budget), graph_id, file)


def _array_sample(graph_id: str, file: Path, options: ReadOptions) -> Sample:
    one = read_variable(file, options, is_square, "a square matrix")
    return Sample(graph_id, file, one.values, one.region_names)


def is_square(shape: Shape) -> bool:
    """Return whether an array of a shape may be a matrix between regions."""
    return len(shape) == 2 and shape[0] == shape[1] > 1


FORMAT = Format(
    "matrices",
    "one square matrix per subject, in one folder, a folder per subject or a folder per class",
    finds,
    read,
    general=True,
    takes=("variable", "names_variable"),
)
