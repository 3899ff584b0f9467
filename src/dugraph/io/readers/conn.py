"""CONN toolbox, `resultsROI_Subject001_Condition001.mat`: Fisher z of one subject and condition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.wording import counted, listed
from dugraph.exceptions import InputError
from dugraph.io.connectomes import Connectomes, Floats, Sample, joined
from dugraph.io.format import Format
from dugraph.io.options import ReadOptions
from dugraph.io.readers.bids_names import BidsFile, one_per_subject
from dugraph.io.readers.mat_files import read_mat
from dugraph.io.regions import check_regions
from dugraph.io.source import Source

_NAME = re.compile(r"resultsROI_(Subject\d+)_Condition(\d+)\.mat")
_VARIABLES = ("Z", "names", "names2", "xyz")


class ConnFile(BidsFile):
    """A file and the parts of its name: subject, condition, and the analysis, which is its folder."""

    @property
    def subject(self) -> str:
        """The subject as CONN spells it, ``Subject001``."""
        return self.entities["sub"]


def finds(source: Source) -> str | None:
    """Return whether there are first-level results, by name."""
    found = _files(source)
    return f"{counted(len(found), 'file')} resultsROI_Subject*_Condition*.mat" if found else None


def read(source: Source, options: ReadOptions) -> Connectomes:
    """Read the matrix among the sources of each subject; values are Fisher z."""
    found = _files(source)
    if not found:
        raise InputError(
            f"{source.path}: results of CONN must be named resultsROI_Subject001_Condition001.mat, but there "
            f"are none among {source.seen()}. Choose the folder results/firstlevel/NAME of the project."
        )
    files = one_per_subject(found, options.select)
    options.budget.check_files(one.file for one in files)
    return joined(_samples(files, options), options.values or "fisher_z", options.budget, options.atlas)


def _files(source: Source) -> list[BidsFile]:
    found: list[BidsFile] = []
    for file in source.files:
        parts = _NAME.fullmatch(file.name)
        if parts is not None:
            entities = {"sub": parts[1], "analysis": file.parent.name, "condition": parts[2]}
            found.append(ConnFile(file, entities))
    return found


def _samples(files: list[BidsFile], options: ReadOptions) -> Iterator[Sample]:
    for one in files:
        variables = read_mat(one.file, _VARIABLES, options.budget)
        matrix, names, columns = _matrix(variables, one.file)
        coordinates = _coordinates(variables.get("xyz"), columns, variables["Z"].shape[1], one.file)
        yield Sample(one.subject, one.file, matrix, names, node_coordinates=coordinates)


def _matrix(variables: dict[str, Any], file: Path) -> tuple[Floats, tuple[str, ...], list[int]]:
    """Return the square matrix among the sources, their names, and their columns in Z."""
    missing = [name for name in ("Z", "names") if name not in variables]
    if missing:
        raise InputError(
            f"{file}: results of CONN must hold the variables Z and names, but {listed(missing)} is missing. "
            "Run the first-level analysis (ROI-to-ROI) again."
        )
    z = variables["Z"]
    if not isinstance(z, np.ndarray) or z.ndim != 2 or z.shape[1] < z.shape[0]:
        shape = z.shape if isinstance(z, np.ndarray) else "that of text"
        raise InputError(
            f"{file}: Z must be a matrix of sources by targets, the sources among the targets, but its shape "
            f"is {shape}. Run the first-level analysis (ROI-to-ROI) again."
        )
    names = _names(variables["names"], "names", file)
    check_regions(names, file, z.shape[0])
    if "names2" not in variables:
        # The sources come first among the targets.
        return z[:, : len(names)], names, list(range(len(names)))
    targets = _names(variables["names2"], "names2", file)
    check_regions(targets, file, z.shape[1])
    column = {name: i for i, name in enumerate(targets)}
    unknown = [name for name in names if name not in column]
    if unknown:
        raise InputError(
            f"{file}: every source (names) must be a target (names2), but {listed(unknown, 8)} "
            f"{'is' if len(unknown) == 1 else 'are'} not. Run the first-level analysis for all pairs."
        )
    columns = [column[name] for name in names]
    return z[:, columns], names, columns


def _names(value: Any, variable: str, file: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InputError(f"{file}: {variable} must be a cell array of text, but it holds numbers.")
    return tuple(value)


def _coordinates(xyz: Any, columns: list[int], n_targets: int, file: Path) -> Floats | None:
    """Return the positions of the sources, if all of them have one."""
    if xyz is None:
        return None
    rows = xyz if isinstance(xyz, list) else list(xyz)
    wrong = [one for one in rows if not isinstance(one, np.ndarray) or one.size != 3]
    if wrong or len(rows) not in (len(columns), n_targets):
        raise InputError(
            f"{file}: xyz must hold three numbers for each of {n_targets} regions, but it holds "
            f"{len(rows)} entries, {len(wrong)} of them with other than three numbers. Write the file again."
        )
    # CONN writes them in the order of names2, which need not be that of names even if there are as many.
    chosen = [rows[i] for i in columns] if len(rows) == n_targets else rows
    positions = np.array([np.ravel(one) for one in chosen], dtype=np.float64)
    return positions if np.isfinite(positions).all() else None


FORMAT = Format(
    "conn",
    "CONN toolbox, first-level results: Fisher z between regions, one file per subject and condition",
    finds,
    read,
)
