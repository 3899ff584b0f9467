"""One square matrix per subject: BIDS derivatives, MRtrix, FSL, BrainNet Viewer, DPABI, or any folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import ARRAY_FILES, is_square, read_variable
from dugraph.io.connectomes import Connectomes, Floats, Sample, check_regions, order_like, stack_subjects
from dugraph.io.delimited import NumberTable, is_number, read_numbers, read_square
from dugraph.io.guards import read_text
from dugraph.io.input_files import (
    InputFiles,
    NamedFile,
    ReadOptions,
    Subjects,
    bids_name,
    by_file_name,
    by_folder,
    by_name,
    unknown_values,
)


def load_matrix(file: Path, options: ReadOptions) -> Sample:
    """Load one matrix from a text table, or from a .npy, .npz or .mat file."""
    if file.suffix.lower() in ARRAY_FILES:
        one = read_variable(file, options, is_square, "a square matrix")
        return Sample(file, one.values, one.region_names)
    return _matrix_sample(read_square(file, options.budget), file)


def _matrix_sample(table: NumberTable, file: Path) -> Sample:
    """Return a square table as a sample; rows and columns may be in different orders."""
    columns, rows = table.columns, table.rows
    labels = columns if rows is None else rows
    check_regions(labels, file, table.numbers.shape[1])
    matrix = table.numbers
    if rows is not None and columns is not None and rows != columns:
        check_regions(columns, file, len(columns))
        if set(rows) != set(columns):
            raise InputError(
                f"{file}: rows and columns must have the same names, but "
                f"{abbreviate(min(set(rows) ^ set(columns)))!r} is on one side only. Write the file again."
            )
        order = order_like(Sample(file, matrix, columns), Sample(file, matrix, rows))
        matrix = matrix[:, np.asarray(order)]
    return Sample(file, matrix, names_or_none(labels))


def names_or_none(labels: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return names of regions; None if they count from 0, which pandas writes for arrays without names."""
    return None if labels is None or labels == tuple(map(str, range(len(labels)))) else labels


# The kind of the values, by the names of files.

_FISHER = re.compile(r"fisher[-_ ]?z", re.IGNORECASE)
# Words in stat-, meas- or measure- (small letters), in this order -> kind of values.
_MEASURES = (("fisherz", "fisher_z"), ("zscore", "fisher_z"), ("corr", "correlation"), ("count", "count"))


def kind_by_measure(subjects: Subjects, options: ReadOptions) -> str:
    """Return the kind of values by stat-, meas- or measure- in a BIDS name; correlations without these.

    HALFpipe uses desc-, in ``_desc-correlation_matrix.tsv``.
    """
    if options.values is not None:
        return options.values
    one = bids_name(subjects.files[0])
    keys = ("desc",) if one.file.stem.endswith("_matrix") else ("stat", "meas", "measure")
    word = next((one.entities[key] for key in keys if key in one.entities), None)
    if word is None:
        return "correlation"
    for part, kind in _MEASURES:
        if part in word.lower():
            return kind
    raise unknown_values(one.file, f"but {abbreviate(word)!r} is not a known measure")


def kind_by_fisher(subjects: Subjects, options: ReadOptions) -> str:
    """Return Fisher z if all names of files say so, otherwise correlations."""
    with_z = [file for file in subjects.files if _FISHER.search(file.name)]
    if with_z and options.values == "correlation":
        raise InputError(
            f"{with_z[0]}: correlations must not be called Fisher z, but the file name does.",
            parameter="values",
            way_out=("Leave out ", Setting("values", "correlation"), ", or rename the files."),
        )
    return options.values or ("fisher_z" if len(with_z) == len(subjects.files) else "correlation")


# MRtrix3 `tck2connectome`: commas since version 3.0, which also writes its command as a comment; spaces
# before. Without -symmetric only the upper triangle is filled, which `symmetrize` mirrors.


def mrtrix_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from the beginnings of file names, or from the names of folders."""
    files = [one.file for one in named]
    own = [one.entities["sub"] for one in named if "sub" in one.entities]
    ids = by_name(own) if len(own) == len(files) else by_folder(files, found.folder)
    return Subjects(tuple(ids), tuple(files))


# FSL `probtrackx2 --network`: row i counts the streamlines from seed i that reached each other region; line i
# of waytotal is the number of streamlines that were sent from it and kept.

_WAYTOTAL = "waytotal"


def fsl_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from the names of folders; a waytotal lies beside each matrix."""
    files = [one.file for one in named]
    beside = tuple(file for file in map(_waytotal, files) if file.exists() and _are_counts(options))
    return Subjects(tuple(by_folder(files, found.folder)), tuple(files), beside=beside)


def load_fsl(file: Path, options: ReadOptions) -> Sample:
    """Load counts of streamlines, and the number sent from each region."""
    sample = load_matrix(file, options)
    # Values that are no longer counts were divided already.
    if not (_are_counts(options) and _waytotal(file).exists()):
        return sample
    return replace(
        sample, waytotal=read_numbers(_waytotal(file), options.budget, header=False).numbers.ravel()
    )


def _waytotal(file: Path) -> Path:
    return file.with_name(_WAYTOTAL)


def _are_counts(options: ReadOptions) -> bool:
    return options.values in (None, "count")


# BrainNet Viewer: SUBJECT.edge, and a .node file with x, y, z, colour, size and label ("-" for none).

_NODE = ".node"
_N_CELLS = 6
_NO_LABEL = "-"


def brainnet_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from names or folders; the .node files lie beside or above."""
    nodes = [file for file in found.files if file.suffix.lower() == _NODE]
    return replace(by_file_name(found, named, options), beside=tuple(nodes))


def read_brainnet(subjects: Subjects, options: ReadOptions) -> Connectomes:
    """Read each .edge matrix, with the names and positions of the .node file, if there is one."""
    return stack_subjects(
        subjects, _brainnet_samples(subjects, options), options.values or "correlation", options
    )


def _brainnet_samples(subjects: Subjects, options: ReadOptions) -> Iterator[Sample]:
    read: dict[Path, tuple[tuple[str, ...] | None, Floats]] = {}
    for file in subjects.files:
        sample = load_matrix(file, options)
        node = _node_file(file, subjects.beside)
        if node is not None:
            if node not in read:
                read[node] = _nodes(node, options)
            labels, places = read[node]
            if len(places) != len(sample.values):
                raise InputError(
                    f"{node}: there must be one line per region, but it has {len(places)}, and {file} has "
                    f"{counted(len(sample.values), 'region')}. Use the file that belongs to these matrices."
                )
            sample = replace(sample, node_labels=labels, node_coordinates=places)
        yield sample


def _node_file(file: Path, nodes: tuple[Path, ...]) -> Path | None:
    """Return the .node file of the same name, or the only one."""
    own = [node for node in nodes if node.with_suffix("") == file.with_suffix("")]
    if own or len(nodes) <= 1:
        return next(iter(own or nodes), None)
    raise InputError(
        f"{file}: it needs one {_NODE} file, but there are "
        f"{listed(one.name for one in nodes)}. Keep one for all subjects, or name them like the .edge files."
    )


def _nodes(file: Path, options: ReadOptions) -> tuple[tuple[str, ...] | None, Floats]:
    lines = enumerate(read_text(file, options.budget).decode().splitlines(), 1)
    rows = [(i, line.split()) for i, line in lines if line.strip() and not line.startswith("#")]
    for i, cells in rows:
        if len(cells) != _N_CELLS or not all(map(is_number, cells[:5])):
            raise InputError(
                f"{file}, line {i}: a line must hold x, y, z, colour, size, a label without spaces, but is "
                f"{abbreviate(' '.join(cells))!r}. Correct it."
            )
    if not rows:
        raise InputError(f"{file}: the file must have a line per region, but has none.")
    places = np.array([[float(cell) for cell in cells[:3]] for _, cells in rows])
    if not np.isfinite(places).all():
        raise InputError(f"{file}: x, y and z of every region must be finite numbers. Correct them.")
    labels = tuple(cells[5] for _, cells in rows)
    return None if set(labels) == {_NO_LABEL} else labels, places


# DPABI and DPARSF: y_ExtractROISignal.m saves series, correlations and Fisher z, each as .mat and .txt,
# without a header.

_FISHER_Z = "ROICorrelation_FisherZ_"


def dpabi_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from names: Fisher z if asked for or alone; .mat, which is exact, before .txt."""
    plain = [one for one in named if not one.file.name.startswith(_FISHER_Z)]
    wants_z = options.values == "fisher_z" or not plain
    chosen = [one for one in named if one not in plain] if wants_z else plain
    if not chosen or (wants_z and options.values == "correlation"):
        wanted, there = (_FISHER_Z, "ROICorrelation_") if plain else ("ROICorrelation_", _FISHER_Z)
        raise InputError(
            f"{found.path}: {options.values} must be named {wanted}SUBJECT, but there are only "
            f"{there}SUBJECT. Do not state what the values are.",
            parameter="values",
        )
    files: dict[str, Path] = {}
    for one in chosen:
        first = files.setdefault(one.subject, one.file)
        if first.parent != one.file.parent:
            raise InputError(
                f"A subject must have one file, but {one.subject} has two: {first} and {one.file}. Name the "
                "intended folder."
            )
        if one.file.suffix == ".mat":
            files[one.subject] = one.file
    return Subjects(tuple(sorted(files)), tuple(files[subject] for subject in sorted(files)))


def load_dpabi_matrix(file: Path, options: ReadOptions) -> Sample:
    """Load one matrix; a .txt has no header that could name regions."""
    if file.suffix == ".mat":
        return load_matrix(file, options)
    return Sample(file, read_square(file, options.budget).numbers)
