"""AFNI `3dNetCorr`: `SUBJECT_000.netcc`, several matrices between the regions of one network in a text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from dugraph.data.arguments import abbreviate, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.connectomes import Connectomes, stack_subjects
from dugraph.io.delimited import is_number
from dugraph.io.guards import read_text
from dugraph.io.input_files import Subjects
from dugraph.io.matrices import Floats, Sample
from dugraph.io.options import ReadOptions

_N_ROIS = re.compile(r"#\s*(\d+)\s*#\s*Number of network ROIs")
_N_MATRICES = re.compile(r"#\s*(\d+)\s*#\s*Number of \w+ matrices")
_WITH_LABELS = re.compile(r"#\s*WITH_ROI_LABELS")
_TITLE = re.compile(r"#\s*(\w+)")
# Correlations, Fisher z, partial correlations and their b values: what the option -fish_z etc. write.
_KINDS = {"CC": "correlation", "FZ": "fisher_z", "PC": "correlation"}
_MOST_REGIONS = 20_000


def read_netcc(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read one matrix per subject, CC unless another is asked for; regions by their labels."""
    name = options.variable or "CC"
    kind = options.values or _KINDS.get(name)
    if kind is None:
        raise InputError(
            f"It must be known what the numbers are, but {abbreviate(name)!r} is none of {listed(_KINDS)}.",
            parameter="values",
            way_out=("State it with ", Setting("values"), "."),
        )
    samples = (Sample(file, *_matrix(file, name, options)) for file in subjects.files)
    return stack_subjects(subjects, samples, kind, options, {"variable": name})


def _matrix(file: Path, name: str, options: ReadOptions) -> tuple[Floats, tuple[str, ...]]:
    lines = [line.strip() for line in read_text(file, options.budget).decode().splitlines()]
    lines = [line for line in lines if line]
    heads = _N_ROIS.fullmatch(lines[0]), _N_MATRICES.fullmatch(lines[1]) if len(lines) > 1 else None
    if heads[0] is None or heads[1] is None:
        raise InputError(
            f"{file}: a .netcc file must begin with the numbers of its ROIs and of its matrices, but begins "
            f"with {abbreviate(lines[0])!r}. Write it again with 3dNetCorr."
        )
    n = int(heads[0][1])
    if n > _MOST_REGIONS:
        raise InputError(f"{file}: a network may have {_MOST_REGIONS} ROIs, but claims {n}.")
    options.budget.check(8 * n * n, file)
    at = 2
    labels: tuple[str, ...] = ()
    if at < len(lines) and _WITH_LABELS.fullmatch(lines[at]):
        labels = tuple(lines[at + 1].split()) if at + 1 < len(lines) else ()
        at += 2
    # Below the labels, or alone, stand the numbers of the ROIs.
    numbers = tuple(lines[at].split()) if at < len(lines) else ()
    blocks = _blocks(lines[at + 1 :], n, file)
    if name not in blocks:
        raise InputError(
            (
                f"{file}: ",
                Setting("variable"),
                f" must be one of {listed(blocks, 12)}, but is {abbreviate(name)!r}.",
            ),
            parameter="variable",
        )
    if len(blocks) != int(heads[1][1]) or len(numbers) != n or (labels and len(labels) != n):
        raise InputError(
            f"{file}: there must be {heads[1][1]} matrices and {n} labels, as its first lines say, but there "
            f"are {len(blocks)} and {len(labels or numbers)}. It is damaged; write it again with 3dNetCorr."
        )
    return _numbers(blocks[name], n, name, file), labels or numbers


def _blocks(lines: list[str], n: int, file: Path) -> dict[str, list[str]]:
    """Split the rest into its matrices by their titles."""
    blocks: dict[str, list[str]] = {}
    rows: list[str] | None = None
    for line in lines:
        title = _TITLE.fullmatch(line)
        if title is not None and title[1] in blocks:
            raise InputError(
                f"{file}: every matrix must appear once, but {abbreviate(title[1])} appears twice."
            )
        if title is not None:
            rows = blocks[title[1]] = []
        elif rows is None or len(rows) == n:
            raise InputError(
                f"{file}: after the labels there must be matrices of {n} rows, each below its title, but "
                f"there is {abbreviate(line)!r}. It is damaged; write it again with 3dNetCorr."
            )
        else:
            rows.append(line)
    return blocks


def _numbers(rows: list[str], n: int, name: str, file: Path) -> Floats:
    cells = [row.split() for row in rows]
    if len(cells) != n or any(len(row) != n for row in cells):
        raise InputError(f"{file}: matrix {name} must have {n} rows of {n} numbers, but has others.")
    wrong = next((cell for row in cells for cell in row if not is_number(cell)), None)
    if wrong is not None:
        raise InputError(f"{file}: matrix {name} must hold numbers, but there is {abbreviate(wrong)!r}.")
    return np.array([[float(cell) for cell in row] for row in cells])
