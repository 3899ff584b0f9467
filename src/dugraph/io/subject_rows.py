"""One table with a row per subject: columns ``A--B``, one triangle of numbers, or HCP's netmats."""

from __future__ import annotations

import re
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.edges import SEPARATOR, named_edges
from dugraph.exceptions import InputError, Setting
from dugraph.io.arrays import array_samples, ids_in_order
from dugraph.io.connectomes import Connectomes, stack_subjects, with_atlas
from dugraph.io.delimited import DelimitedText, column_names, is_number, must_be_number, read_numbers
from dugraph.io.guards import file_head
from dugraph.io.input_files import InputFiles, ReadOptions, Subjects, only_file, unknown_values
from dugraph.io.matrices import Floats, check_regions
from dugraph.io.participants import ID_COLUMNS

_HEAD = 65_536


def names_edges(found: InputFiles, files: list[Path]) -> bool:
    """Whether there is one table whose header names edges; without names only the user can know."""
    head = file_head(files[0], _HEAD) if len(files) == 1 else None
    if head is None:
        return False
    return head.split(b"\n", 1)[0].decode("utf-8", "replace").count(SEPARATOR) > 1


def read_subject_rows(found: InputFiles, files: list[Path], options: ReadOptions) -> Connectomes:
    """Read one row per subject: edges by the names of the columns, or by the triangle that is stated."""
    file = only_file(found, files)
    if options.values is None:
        raise unknown_values(file, "and there is no diagonal to tell")
    text = DelimitedText.read(file, options.budget)
    options.budget.check(len(text.lines) * len(text.first) * 100, file)
    if any(SEPARATOR in cell for cell in text.first):
        return _by_names(text, options, options.values)
    return _by_triangle(text, options, options.values)


def _by_names(text: DelimitedText, options: ReadOptions, kind: str) -> Connectomes:
    file = text.file
    if options.triangle is not None:
        raise InputError(
            f"triangle must be left out where the columns name their edges, as those of {file} do.",
            parameter="triangle",
        )
    names = column_names(text.first, file)
    at = [i for i, name in enumerate(names) if SEPARATOR in name]
    others = [i for i in range(len(names)) if i not in set(at)]
    id_column = _id_column(names, others, file)
    table, values = _read(text, True, at)
    found = named_edges([names[i] for i in at])
    check_regions(found.node_labels, file, len(found.node_labels))
    notes: dict[str, Any] = {}
    if ignored := [abbreviate(names[i]) for i in others if i != id_column]:
        notes["ignored_columns"] = ignored
    n_nodes = len(found.node_labels)
    regions = with_atlas(found.node_labels, None, n_nodes, file, options.atlas, notes)
    return Connectomes(
        kind=kind,
        graph_ids=_ids(table[id_column]),
        files=(file,) * len(table),
        values=values,
        edges=found.edges,
        node_labels=regions.names,
        node_coordinates=regions.coordinates,
        node_networks=regions.networks,
        edge_layers=found.edge_layers,
        notes=notes,
    )


def _id_column(names: list[str], others: list[int], file: Path) -> int:
    usual = [i for i in others if names[i].lower() in ID_COLUMNS] or others[:1]
    if len(usual) != 1:
        found = f"{listed((names[i] for i in usual), 8)} could" if usual else "all columns name edges"
        raise InputError(f"{file}: one column must hold the id of each subject, but {found}. Name it id.")
    return usual[0]


def _by_triangle(text: DelimitedText, options: ReadOptions, kind: str) -> Connectomes:
    file, n_columns = text.file, len(text.first)
    triangle = options.triangle
    if triangle is None:
        raise InputError(
            f"{file}: columns without names of edges, A{SEPARATOR}B, must be one triangle of the matrix, "
            "and it must be known which.",
            parameter="triangle",
            way_out=(
                *("Say ", Setting("triangle", "lower"), " (21, 31, 32, 41, ...) or "),
                *(Setting("triangle", "upper"), " (12, 13, 14, ..., 23, ...)."),
            ),
        )
    # Ids beside numbers of edges: no two neighbouring numbers are both those of a triangle, but 0 and 1.
    n_edges = next((n for n in (n_columns, n_columns - 1) if _n_regions(n)), 0)
    if not n_edges:
        raise InputError(
            f"{file}: a row must hold V(V-1)/2 numbers, one per pair of V regions, and optionally an id "
            f"before them, but it has {counted(n_columns, 'cell')}. Check whether a column is missing."
        )
    skipped = n_columns - n_edges
    # A row of which some cells are numbers is data, or damaged.
    header = not any(is_number(cell) for cell in text.first[skipped:])
    table, values = _read(text, header, list(range(skipped, n_columns)))
    if skipped:
        ids, notes = _ids(table[0]), {}
    else:
        ids, order = ids_in_order(len(table), options.subjects, file)
        notes = {"subjects": order}
    n_regions = _n_regions(n_edges)
    if triangle == "upper":
        rows, columns = np.triu_indices(n_regions, 1)
        ordered = np.empty_like(values)
        ordered[:, columns * (columns - 1) // 2 + rows] = values
        values = ordered
    notes |= {"triangle": triangle}
    regions = with_atlas(None, None, n_regions, file, options.atlas, notes)
    return Connectomes(
        kind=kind,
        graph_ids=ids,
        files=(file,) * len(ids),
        values=values,
        node_labels=regions.names,
        node_coordinates=regions.coordinates,
        node_networks=regions.networks,
        notes=notes,
    )


def _n_regions(n_edges: int) -> int:
    """The number of regions that have so many pairs; 0 if there is none."""
    n = round((1 + (1 + 8 * n_edges) ** 0.5) / 2)
    return n if n > 1 and n * (n - 1) // 2 == n_edges else 0


def _ids(column: Any) -> tuple[str, ...]:
    return tuple("" if cell != cell else str(cell).strip() for cell in column)


def _read(text: DelimitedText, header: bool, at: list[int]) -> tuple[Any, Floats]:
    """Return the table, and the numbers of some of its columns."""
    if len(text.lines) == int(header):
        raise InputError(f"{text.file}: a table must have rows, but it has a header only.")
    types = dict.fromkeys(range(len(text.first)), str) | dict.fromkeys(at, np.float64)
    try:
        table = text.frame(header, types)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        for cells, line in text.rows(int(header)):
            for i in at:
                if not is_number(cells[i]):
                    raise InputError(
                        f"{text.file}, line {line}: column {i + 1} {must_be_number(cells[i])}"
                    ) from error
        raise InputError(f"{text.file}: the table must hold numbers: {abbreviate(error)}.") from error
    return table, np.ascontiguousarray(table.iloc[:, at].to_numpy(dtype=np.float64))


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
    text = DelimitedText.read(ids_file, options.budget, ",")
    ids = [cells[0].strip() for cells, _ in text.rows()]
    numbers = read_numbers(file, options.budget, header=False).numbers
    n_regions = isqrt(numbers.shape[1])
    if n_regions * n_regions != numbers.shape[1]:
        raise InputError(
            f"{file}: every row must hold all pairs of regions, both directions and the diagonal, but "
            f"{counted(numbers.shape[1], 'number')} do not form a square matrix. Check whether the file was "
            "cut short."
        )
    if len(ids) != len(numbers) or len(text.first) != 1:
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
