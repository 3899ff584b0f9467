"""DSI Studio and QSIRecon: `*connectivity.mat`, one matrix or many per subject, with names of regions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.wording import counted
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, Sample, joined
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.bids_names import BidsFile, one_per_subject, parsed
from dugraph.io.readers.mat_files import read_mat, shapes_in
from dugraph.io.readers.matrices import is_square
from dugraph.io.readers.variables import read_variable
from dugraph.io.source import Source

_ENDING = re.compile(r".*[._-]connectivity\.mat")
# QSIRecon: atlas_ATLAS_MEASURE_connectivity beside atlas_ATLAS_region_labels; DSI Studio: connectivity, name.
_LABELS = "_region_labels"
_DSI_NAMES = "name"


def finds(source: Source) -> str | None:
    """Return whether there are such files, by name."""
    n_files = sum(_ENDING.fullmatch(file.name) is not None for file in source.files)
    return f"{counted(n_files, 'file')} *connectivity.mat" if n_files else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject, the one that is named where a file holds several."""
    files = _subjects(source, options)
    options.budget.check_files(file for _, file in files)
    file = files[0][1]
    first = read_variable(file, options, is_square, "a square matrix")
    if options.values is None and "count" not in f"{first.name} {file.name}".lower():
        raise InputError(
            f"{file}: it must be known what the numbers are, but neither {first.name} nor the name of the "
            "file says that they are counts.",
            parameter="values",
            way_out=("State it with ", Setting("values"), "."),
        )
    options = replace(options, variable=first.name)
    notes = {"variable": first.name}
    return joined(_samples(files, options), options.values or "count", options.budget, options.atlas, notes)


def _subjects(source: Source, options: ReadOptions) -> list[tuple[str, Path]]:
    """Return subjects and files: by names of BIDS if all have them, otherwise by what names begin with."""
    found = parsed([file for file in source.files if _ENDING.fullmatch(file.name)])
    if not found:
        raise InputError(
            f"{source.path}: the files must be named *connectivity.mat, but there are none among "
            f"{source.seen()}. Check the path."
        )
    if all(one.entities.get("sub") and one.file.name.startswith("sub-") for one in found):
        named = [
            BidsFile(one.file, {**one.entities, "sub": one.entities["sub"].split(".")[0]}) for one in found
        ]
        return [(one.subject, one.file) for one in one_per_subject(named, options.select)]
    if options.select:
        raise InputError(
            "select must be left out unless all files have names of BIDS, sub-*connectivity.mat: every file "
            "is one subject.",
            parameter="select",
        )
    return [(one.file.name.split(".")[0].removesuffix("_connectivity"), one.file) for one in found]


def _samples(files: list[tuple[str, Path]], options: ReadOptions) -> Iterator[Sample]:
    for subject, file in files:
        one = read_variable(file, options, is_square, "a square matrix")
        names = one.region_names or _names(file, one.name, options)
        yield Sample(subject, file, one.values, names)


def _names(file: Path, variable: str, options: ReadOptions) -> tuple[str, ...] | None:
    """Return the names that go with a matrix: of its atlas, or DSI Studio's lines."""
    shapes = shapes_in(file, options.budget)
    fitting = [name for name in shapes if name.endswith(_LABELS)]
    # The longest: atlas_AAL also begins atlas_AAL116_count_connectivity.
    fitting = [name for name in fitting if variable.startswith(name.removesuffix(_LABELS) + "_")]
    beside = max(fitting, key=len, default=_DSI_NAMES if _DSI_NAMES in shapes else None)
    if beside is None:
        return None
    value = read_mat(file, (beside,), options.budget)[beside]
    return tuple(name.strip() for name in _lines(value, beside, file))


def _lines(value: Any, variable: str, file: Path) -> list[str]:
    if isinstance(value, np.ndarray):
        # DSI Studio writes the letters as numbers, a line per region.
        if not ((value >= 0) & (value < 256) & (value % 1 == 0)).all():
            raise InputError(f"{file}: variable {variable} must hold text, but holds numbers.")
        return bytes(value.ravel().astype(np.uint8)).decode("utf-8", "replace").rstrip("\n\0").split("\n")
    if not all(isinstance(one, str) for one in value):
        raise InputError(f"{file}: variable {variable} must hold text, but holds numbers.")
    return value[0].rstrip("\n").split("\n") if len(value) == 1 else list(value)


FORMAT = Format(
    "connectivity-mat",
    "DSI Studio, QSIRecon: *connectivity.mat, one matrix or many per subject",
    finds,
    read,
    takes=("variable", "names_variable"),
)
