"""One file of all subjects: an array of matrices, a table with a row per subject, or HCP's netmats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.edges import SEPARATOR, named_edges
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import read_variable
from dugraph.io.connectomes import (
    RELATIVE_TOLERANCE,
    Connectomes,
    Floats,
    Sample,
    check_regions,
    stack_subjects,
    with_atlas,
)
from dugraph.io.delimited import MISSING, TextTable, column_names, is_number, read_numbers
from dugraph.io.input_files import InputFiles, ReadOptions, Subjects, only_file, unknown_values
from dugraph.io.participants import ID_COLUMNS

# One array of all matrices, in a file or in memory.


def subjects_first(array: Floats, where: object) -> tuple[Floats, str]:
    """Return an array of shape (n_subjects, n_regions, n_regions), and which axis was that of the subjects.

    Where all three axes are equal, the matrices must be symmetric along one axis only.
    """
    if array.ndim != 3 or 0 in array.shape:
        raise _refused(array, where, "")
    first, last = array.shape[1] == array.shape[2], array.shape[0] == array.shape[1]
    if first and last:
        first, last = _is_symmetric(array), _is_symmetric(np.moveaxis(array, 2, 0))
        if first == last:
            raise _refused(array, where, " whose matrices may lie along the first axis or the last")
    if first:
        return array, f"first axis, of length {len(array)}"
    if last:
        moved = np.ascontiguousarray(np.moveaxis(array, 2, 0))
        return moved, f"last axis, of length {len(moved)}"
    raise _refused(array, where, "")


def _is_symmetric(matrices: Floats) -> bool:
    with np.errstate(invalid="ignore"):
        scale = np.nanmax(np.abs(np.where(np.isfinite(matrices), matrices, 0.0)), initial=0.0)
    other = matrices.transpose(0, 2, 1)
    return bool(np.allclose(matrices, other, rtol=0, atol=RELATIVE_TOLERANCE * scale, equal_nan=True))


def _refused(array: Floats, where: object, but: str) -> InputError:
    return InputError(
        f"{where}: one array of all subjects must have the shape (subjects, regions, regions) or (regions, "
        f"regions, subjects), but its shape is {array.shape}{but}. Save it in the first of these shapes, or "
        "one square matrix per subject."
    )


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
    one = read_variable(file, options, lambda shape: len(shape) == 3, "an array of three axes")
    # A copy in another order may be made.
    options.budget.check(2 * one.values.nbytes, file)
    array, axis = subjects_first(one.values, file)
    ids, order = ids_in_order(len(array), options.subjects, file)
    notes = {"subjects": order, "subject_axis": axis}
    if one.name:
        notes["variable"] = one.name
    samples = array_samples(array, file, one.region_names)
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
        id_column = _id_column(names, others, file)
        values = table.numbers(True, at)
        ids = tuple(table.cells(i)[id_column].strip() for i in range(1, len(table.lines)))
        named = named_edges([names[i] for i in at])
        edges, labels, layers = named.edges, named.node_labels, named.edge_layers
        check_regions(labels, file, len(labels))
        n_regions = len(labels)
        if ignored := [abbreviate(names[i]) for i in others if i != id_column]:
            notes["ignored_columns"] = ignored
    else:
        n_edges = _n_edges(table, options)
        skipped, n_regions = len(table.first) - n_edges, _n_regions(n_edges)
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


def _id_column(names: list[str], others: list[int], file: Path) -> int:
    usual = [i for i in others if names[i].lower() in ID_COLUMNS] or others[:1]
    if len(usual) != 1:
        found = f"{listed((names[i] for i in usual), 8)} could" if usual else "all columns name edges"
        raise InputError(f"{file}: one column must hold the id of each subject, but {found}. Name it id.")
    return usual[0]


def _n_edges(table: TextTable, options: ReadOptions) -> int:
    """Return how many numbers a row has; one more column is that of the ids."""
    if options.triangle is None:
        raise InputError(
            f"{table.file}: columns without names of edges, A{SEPARATOR}B, must be one triangle of the "
            "matrix, and it must be known which.",
            parameter="triangle",
            way_out=(
                *("Say ", Setting("triangle", "lower"), " (21, 31, 32, 41, ...) or "),
                *(Setting("triangle", "upper"), " (12, 13, 14, ..., 23, ...)."),
            ),
        )
    n_columns = len(table.first)
    # No two neighbouring numbers are both those of a triangle, but 0 and 1.
    for n_edges in (n_columns, n_columns - 1):
        if _n_regions(n_edges):
            return n_edges
    raise InputError(
        f"{table.file}: a row must hold V(V-1)/2 numbers, one per pair of V regions, and optionally an id "
        f"before them, but it has {counted(n_columns, 'cell')}. Check whether a column is missing."
    )


def _n_regions(n_edges: int) -> int:
    """Return the number of regions with this number of pairs, or 0."""
    n = round((1 + (1 + 8 * n_edges) ** 0.5) / 2)
    return n if n > 1 and n * (n - 1) // 2 == n_edges else 0


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
