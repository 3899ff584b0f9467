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
from dugraph.io.delimited import MISSING, DelimitedText, column_names, is_number, read_numbers
from dugraph.io.guards import file_head
from dugraph.io.input_files import InputFiles, ReadOptions, Subjects, only_file, unknown_values
from dugraph.io.matrices import check_regions
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
    notes: dict[str, Any] = {}
    edges, labels, layers = None, None, None
    if any(SEPARATOR in cell for cell in text.first):
        if options.triangle is not None:
            raise InputError(
                f"triangle must be left out where the columns name their edges, as those of {file} do.",
                parameter="triangle",
            )
        names = column_names(text.first, file)
        at = [i for i, name in enumerate(names) if SEPARATOR in name]
        others = [i for i, name in enumerate(names) if SEPARATOR not in name]
        id_column = _id_column(names, others, file)
        values = text.numbers(True, at)
        ids = tuple(cells[id_column].strip() for cells, _ in text.rows(1))
        named = named_edges([names[i] for i in at])
        edges, labels, layers = named.edges, named.node_labels, named.edge_layers
        check_regions(labels, file, len(labels))
        n_regions = len(labels)
        if ignored := [abbreviate(names[i]) for i in others if i != id_column]:
            notes["ignored_columns"] = ignored
    else:
        n_edges = _n_edges(text, options)
        skipped, n_regions = len(text.first) - n_edges, _n_regions(n_edges)
        # A row of which some cells are numbers is data, or damaged.
        header = not any(is_number(cell) for cell in text.first[skipped:])
        values = text.numbers(header, range(skipped, len(text.first)))
        if skipped:
            ids = tuple(text.first_column(header))
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


def _n_edges(text: DelimitedText, options: ReadOptions) -> int:
    """Return how many numbers a row has; one more column is that of the ids."""
    if options.triangle is None:
        raise InputError(
            f"{text.file}: columns without names of edges, A{SEPARATOR}B, must be one triangle of the "
            "matrix, and it must be known which.",
            parameter="triangle",
            way_out=(
                *("Say ", Setting("triangle", "lower"), " (21, 31, 32, 41, ...) or "),
                *(Setting("triangle", "upper"), " (12, 13, 14, ..., 23, ...)."),
            ),
        )
    n_columns = len(text.first)
    # No two neighbouring numbers are both those of a triangle, but 0 and 1.
    for n_edges in (n_columns, n_columns - 1):
        if _n_regions(n_edges):
            return n_edges
    raise InputError(
        f"{text.file}: a row must hold V(V-1)/2 numbers, one per pair of V regions, and optionally an id "
        f"before them, but it has {counted(n_columns, 'cell')}. Check whether a column is missing."
    )


def _n_regions(n_edges: int) -> int:
    """Return the number of regions with this number of pairs; 0 if there is none."""
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
    text = DelimitedText.read(ids_file, options.budget, ",")
    ids = text.first_column(header=False)
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
