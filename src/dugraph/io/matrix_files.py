"""Files of square matrices: one per subject, or all subjects in one array or table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.edges import SEPARATOR, named_edges
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import ARRAY_FILES, is_square, read_variable
from dugraph.io.connectomes import (
    RELATIVE_TOLERANCE,
    Connectomes,
    Floats,
    Sample,
    check_regions,
    order_like,
    stack_subjects,
    with_atlas,
)
from dugraph.io.delimited import (
    MISSING,
    NumberTable,
    TextTable,
    column_names,
    is_number,
    read_numbers,
    read_square,
)
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
    only_file,
    unknown_values,
)
from dugraph.io.participants import ID_COLUMNS

# --- One matrix per subject: BIDS derivatives, MRtrix, FSL, BrainNet Viewer, DPABI, or any folder -----------


def load_matrix(file: Path, options: ReadOptions) -> Sample:
    """Load one matrix from a text table, or from a .npy, .npz or .mat file."""
    if file.suffix.lower() in ARRAY_FILES:
        return read_variable(file, options, is_square, "a square matrix")[0]
    return _matrix_sample(read_square(file, options.budget), file)


def load_npz(file: Path, options: ReadOptions) -> Sample:
    """Load the arrays connectivity and labels, unless others are named."""
    values, names = options.variable or "connectivity", options.names_variable or "labels"
    return load_matrix(file, replace(options, variable=values, names_variable=names))


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


def fsl_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from the names of folders; a waytotal lies beside each matrix."""
    files = [one.file for one in named]
    beside = {file: file.with_name("waytotal") for file in files}
    # Values that are no longer counts were divided already.
    used = {file: one for file, one in beside.items() if one.exists() and options.values in (None, "count")}
    return Subjects(tuple(by_folder(files, found.folder)), tuple(files), beside=used)


def load_fsl(file: Path, options: ReadOptions) -> Sample:
    """Load counts of streamlines, and the number sent from each region."""
    sample, waytotal = load_matrix(file, options), options.beside.get(file)
    if waytotal is None:
        return sample
    return replace(sample, waytotal=read_numbers(waytotal, options.budget, header=False).numbers.ravel())


# BrainNet Viewer: SUBJECT.edge, and a .node file with x, y, z, colour, size and label ("-" for none).

_NODE = ".node"
_N_CELLS = 6
_NO_LABEL = "-"


def brainnet_subjects(found: InputFiles, named: list[NamedFile], options: ReadOptions) -> Subjects:
    """Take subjects from names or folders; beside is the .node file of the same name, or the only one."""
    nodes = [file for file in found.files if file.suffix.lower() == _NODE]
    beside = {}
    for file in (one.file for one in named):
        own = [node for node in nodes if node.with_suffix("") == file.with_suffix("")] or nodes
        if len(own) > 1:
            raise InputError(
                f"{file}: it needs one {_NODE} file, but there are {listed(one.name for one in own)}. Keep "
                "one for all subjects, or name them like the .edge files."
            )
        if own:
            beside[file] = own[0]
    return replace(by_file_name(found, named, options), beside=beside)


def load_brainnet(file: Path, options: ReadOptions) -> Sample:
    """Load an .edge matrix, with the names and positions of its .node file, if there is one."""
    sample, node = load_matrix(file, options), options.beside.get(file)
    if node is None:
        return sample
    labels, places = _nodes(node, options)
    if len(places) != len(sample.values):
        raise InputError(
            f"{node}: there must be one line per region, but it has {len(places)}, and {file} has "
            f"{counted(len(sample.values), 'region')}. Use the file that belongs to these matrices."
        )
    return replace(sample, node_labels=labels, node_coordinates=places)


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


# --- All subjects in one file ---

# One array of all matrices, in a file or in memory.


def subjects_first(array: Floats, where: object) -> tuple[Floats, str]:
    """Return an array of shape (n_subjects, n_regions, n_regions), and which axis was that of the subjects.

    Where all three axes are equal, the matrices must be symmetric along one axis only.
    """
    stacks = {}
    if array.ndim == 3 and 0 not in array.shape:
        stacks = {"first": array, "last": np.moveaxis(array, 2, 0)}
    stacks = {axis: one for axis, one in stacks.items() if one.shape[1] == one.shape[2]}
    but = ""
    if len(stacks) == 2:
        stacks = {axis: one for axis, one in stacks.items() if _are_symmetric(one)}
        but = " whose matrices may lie along the first axis or the last"
    if len(stacks) != 1:
        raise InputError(
            f"{where}: one array of all subjects must have the shape (subjects, regions, regions) or "
            f"(regions, regions, subjects), but its shape is {array.shape}{but}. Save it in the first of "
            "these shapes, or one square matrix per subject."
        )
    ((axis, stack),) = stacks.items()
    return np.ascontiguousarray(stack), f"{axis} axis, of length {len(stack)}"


def _are_symmetric(matrices: Floats) -> bool:
    with np.errstate(invalid="ignore"):
        scale = np.nanmax(np.abs(np.where(np.isfinite(matrices), matrices, 0.0)), initial=0.0)
    other = matrices.transpose(0, 2, 1)
    return bool(np.allclose(matrices, other, rtol=0, atol=RELATIVE_TOLERANCE * scale, equal_nan=True))


def ids_in_order(
    n_subjects: int, subjects: Sequence[str] | None, where: object
) -> tuple[tuple[str, ...], str]:
    """Return the subjects of rows or matrices that come without ids, and what was assumed.

    They are those of the table, in its order; without a table, they are numbered from 1.
    """
    if subjects is None:
        return tuple(str(i + 1) for i in range(n_subjects)), "numbered from 1: the file does not name them"
    if len(subjects) != n_subjects:
        raise InputError(
            f"{where}: without ids of its own, the file must have as many subjects as the table has rows, "
            f"in the same order, but it has {n_subjects} and the table {len(subjects)}.",
            parameter="participants",
            way_out=("Give the table of exactly these subjects (", Setting("participants"), ")."),
        )
    return tuple(subjects), "by their order: row i of the table is subject i of the file"


def array_samples(
    array: Floats,
    where: object,
    node_labels: tuple[str, ...] | None = None,
    node_coordinates: Floats | None = None,
) -> Iterator[Sample]:
    """Return the matrices of an array of shape (n_subjects, n_regions, n_regions) as samples."""
    for i, matrix in enumerate(array):
        yield Sample(Path(f"{where}[{i}]"), matrix, node_labels, node_coordinates=node_coordinates)


def read_array(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read one array of all matrices; its subjects are those of the table, in its order."""
    file = only_file(found, files)
    one, name = read_variable(file, options, lambda shape: len(shape) == 3, "an array of three axes")
    # A copy in another order may be made.
    options.budget.check(2 * one.values.nbytes, file)
    array, axis = subjects_first(one.values, file)
    ids, order = ids_in_order(len(array), options.subjects, file)
    notes = {"subjects": order, "subject_axis": axis} | ({"variable": name} if name else {})
    samples = array_samples(array, file, one.node_labels)
    return stack_subjects(
        Subjects(ids, (file,) * len(ids)), samples, options.values or "correlation", options, notes
    )


# One table with a row per subject: columns ``A--B``, or one triangle of numbers.


def read_subject_rows(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read one row per subject: edges by the names of the columns, or by the triangle that is stated."""
    file = only_file(found, files)
    if options.values is None:
        raise unknown_values(file, "and there is no diagonal to tell")
    table = TextTable.read(file, options.budget)
    options.budget.check(len(table.lines) * len(table.first) * 100, file)
    notes: dict[str, Any] = {}
    edges, labels, layers = None, None, None
    if any(SEPARATOR in cell for cell in table.first):
        if options.triangle is not None:
            raise InputError(
                f"triangle must be left out where the columns name their edges, as those of {file} do.",
                parameter="triangle",
            )
        names = column_names(table.first, file)
        at = [i for i, name in enumerate(names) if SEPARATOR in name]
        others = [i for i, name in enumerate(names) if SEPARATOR not in name]
        id_columns = [i for i in others if names[i].lower() in ID_COLUMNS] or others[:1]
        if len(id_columns) != 1:
            could = (
                f"{listed((names[i] for i in id_columns), 8)} could" if others else "all columns name edges"
            )
            raise InputError(f"{file}: one column must hold the id of each subject, but {could}. Name it id.")
        values = table.numbers(True, at)
        ids = tuple(table.cells(i)[id_columns[0]].strip() for i in range(1, len(table.lines)))
        named = named_edges([names[i] for i in at])
        edges, labels, layers = named.edges, named.node_labels, named.edge_layers
        check_regions(labels, file, len(labels))
        n_regions = len(labels)
        if ignored := [abbreviate(names[i]) for i in others if i not in id_columns]:
            notes["ignored_columns"] = ignored
    else:
        skipped, n_regions = _triangle(table, options)
        # A row of which some cells are numbers is data, or damaged.
        header = not any(is_number(cell) for cell in table.first[skipped:])
        values = table.numbers(header, range(skipped, len(table.first)))
        if skipped:
            ids = tuple(table.first_column(header))
        else:
            ids, notes["subjects"] = ids_in_order(len(values), options.subjects, file)
        if options.triangle == "upper":
            rows, columns = np.triu_indices(n_regions, 1)
            values[:, columns * (columns - 1) // 2 + rows] = values.copy()
        notes["triangle"] = options.triangle
    ids = tuple("" if one in MISSING else one for one in ids)
    regions = with_atlas(labels, None, n_regions, file, options.atlas, notes)
    return Connectomes(
        kind=options.values,
        graph_ids=ids,
        files=(file,) * len(ids),
        values=values,
        edges=edges,
        node_labels=regions.names,
        node_coordinates=regions.coordinates,
        node_networks=regions.networks,
        edge_layers=layers,
        notes=notes,
    )


def _triangle(table: TextTable, options: ReadOptions) -> tuple[int, int]:
    """Return the column where the numbers begin, after that of the ids if there is one, and the regions."""
    if options.triangle is None:
        raise InputError(
            f"{table.file}: columns without names of edges, A{SEPARATOR}B, must be one triangle of the "
            "matrix, and which one must be stated.",
            parameter="triangle",
            way_out=(
                *("Say ", Setting("triangle", "lower"), " (21, 31, 32, 41, ...) or "),
                *(Setting("triangle", "upper"), " (12, 13, 14, ..., 23, ...)."),
            ),
        )
    n_columns = len(table.first)
    # No two neighbouring numbers are both those of a triangle, but 0 and 1.
    for begin in (0, 1):
        n_regions = (1 + isqrt(1 + 8 * (n_columns - begin))) // 2
        if n_regions > 1 and n_regions * (n_regions - 1) // 2 == n_columns - begin:
            return begin, n_regions
    raise InputError(
        f"{table.file}: a row must hold V(V-1)/2 numbers, one per pair of V regions, and optionally an id "
        f"before them, but it has {counted(n_columns, 'cell')}. Check whether a column is missing."
    )


# HCP's parcellated connectomes: netmats1.txt with all pairs of each subject in a row, and subjectIDs.txt. The
# release has netmats/3T_HCP1200_MSMAll_d15_ts2/netmats1.txt, and subjectIDs.txt beside netmats.

_IDS = re.compile(r"subjectIDs.*\.txt", re.IGNORECASE)
_LEVELS = 3


def read_netmats(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read one row per subject, all pairs of regions in it; subjects as the file of ids has them."""
    file = _netmats_file(found, files, options)
    if options.values is None:
        raise InputError(
            f"{file}: it must be known what the numbers are: those of HCP are z statistics, Fisher z times a "
            "factor that FSLNets estimates, not correlations.",
            parameter="values",
            way_out=(
                *("Take their ranks with ", Setting("values", "fisher_z"), " and "),
                *(Setting("probability", "rank"), "; if they were turned into correlations, add "),
                *(Setting("values", "correlation"), "."),
            ),
        )
    ids_file = _ids_file(found, file)
    options.budget.check_files([file, ids_file])
    table = TextTable.read(ids_file, options.budget, ",")
    ids = table.first_column(header=False)
    numbers = read_numbers(file, options.budget, header=False).numbers
    n_regions = isqrt(numbers.shape[1])
    if n_regions * n_regions != numbers.shape[1]:
        raise InputError(
            f"{file}: every row must hold all pairs of regions, both directions and the diagonal, but "
            f"{counted(numbers.shape[1], 'number')} do not form a square matrix. Check whether the file was "
            "cut short."
        )
    if len(ids) != len(numbers) or len(table.first) != 1:
        raise InputError(
            f"{ids_file}: there must be one id in each line for each row of {file.name}, but there are "
            f"{len(ids)} lines for {len(numbers)} rows. Take the two files of one release."
        )
    samples = array_samples(numbers.reshape(-1, n_regions, n_regions), file)
    notes = {"subjects": f"by their order in {ids_file.name}"}
    return stack_subjects(Subjects(tuple(ids), ()), samples, options.values, options, notes)


def _netmats_file(found: InputFiles, files: list[Path], options: ReadOptions) -> Path:
    wanted = options.select.get("netmats")
    if set(options.select) - {"netmats"}:
        raise InputError(
            f"select must be netmats=1 or netmats=2 here, but names {listed(options.select)}.",
            parameter="select",
        )
    chosen = [file for file in files if wanted is None or file.stem == f"netmats{wanted}"]
    if len(chosen) != 1:
        raise InputError(
            f"{found.path}: one file must be chosen, but {len(chosen)} of "
            f"{listed(file.name for file in files)} {'is' if len(chosen) == 1 else 'are'}.",
            parameter="select",
            way_out=(
                *("Choose full correlations with ", Setting("select", {"netmats": "1"})),
                *(" or partial ones with ", Setting("select", {"netmats": "2"}), ", or name the folder."),
            ),
        )
    return chosen[0]


def _ids_file(found: InputFiles, file: Path) -> Path:
    ids = [one for one in found.files if _IDS.fullmatch(one.name)]
    for folder in file.resolve().parents[:_LEVELS] if not ids else ():
        ids = [one for one in sorted(folder.iterdir()) if _IDS.fullmatch(one.name)]
        if ids:
            break
    if len(ids) != 1:
        raise InputError(
            f"{file}: the ids of the subjects must be in one subjectIDs.txt, in its folder or one or two "
            f"above, but there are {len(ids)}. Copy it next to the matrices."
        )
    return ids[0]
