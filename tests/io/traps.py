"""Folders with one wrong thing each: what a reader must refuse, or read as if nothing were wrong.

A trap takes a `Case` and spoils its folder; it gives the words to read it with, or None where it does not
apply. `outcome` reads the folder and says "refused", "same" or "misread".
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from made_up import correlation_matrices
from trap_cases import Case, regions_in

from dugraph.exceptions import InputError

ORDER = [3, 0, 4, 1, 2]
# Layouts whose one file names every edge or every column: there is no order of regions in it.
NAMED_EDGES = (
    *("edge_list", "edge_list_parquet", "graphml", "TU", "TU_certain", "subject_rows", "ssv", "edgelists"),
    *("csv_edges", "braingraph"),
)
COUNTS = ("fsl", "mrtrix", "dsi_studio", "qsirecon")


Trap = Callable[[Case], dict[str, Any] | None]


def transposed(case: Case) -> dict[str, Any] | None:
    """One subject's table is transposed."""
    if case.parameter is None:
        return None
    values = case.values
    values[1] = values[1].T
    return {} if case.write(values) else None


def all_transposed(case: Case) -> dict[str, Any] | None:
    """All tables are transposed: regions by time points; of one array, the first two axes."""
    if case.parameter == "series":
        return {} if case.write([one.T for one in case.values]) else None
    if case.name.startswith("array"):
        case.write(case.expected.matrices.transpose(1, 0, 2))
        return {}
    return None


def header_lost(case: Case) -> dict[str, Any] | None:
    """The header of every text is missing."""
    files = [file for file in case.tables() if not _is_data(_first_line(file))]
    for file in files:
        lines = file.read_text().split("\n")
        at = lines.index(_first_line(file))
        file.write_text("\n".join(lines[:at] + lines[at + 1 :]))
    return {} if files else None


def header_gained(case: Case) -> dict[str, Any] | None:
    """Every text begins with the numbers of its columns, 0, 1, ..., which are not data."""
    files = case.tables()
    for file in files:
        first = _first_line(file)
        delimiter = next((d for d in "\t," if d in first.strip()), " ")
        n_columns = len(first.split(delimiter) if delimiter != " " else first.split())
        file.write_text(delimiter.join(map(str, range(n_columns))) + "\n" + file.read_text())
    return {} if files else None


def _first_line(file: Path) -> str:
    return next(line for line in file.read_text().split("\n") if not line.startswith("# "))


def _is_data(line: str) -> bool:
    cells = [cell for cell in re.split(r"[\s,]+", line) if cell]
    return all(re.fullmatch(r"-?\d+(\.\d*)?(e[-+]?\d+)?", cell) for cell in cells) and cells != [
        str(i) for i in range(len(cells))
    ]


def z_for_r(case: Case) -> dict[str, Any] | None:
    """Correlations were transformed to Fisher z, and nobody says so."""
    if not _holds_correlations(case):
        return None
    with np.errstate(divide="ignore"):
        case.write(np.arctanh(np.clip(case.values, -1, 1)))
    return {"values": None}


def r_for_z(case: Case) -> dict[str, Any] | None:
    """Correlations are said to be Fisher z."""
    return {"values": "fisher_z"} if _holds_correlations(case) else None


def counts_for_r(case: Case) -> dict[str, Any] | None:
    """Counts of streamlines lie where correlations are expected."""
    if not _holds_correlations(case):
        return None
    case.write(np.round(100 * np.abs(case.values)))
    return {}


def r_for_counts(case: Case) -> dict[str, Any] | None:
    """Correlations are said to be counts, or lie where counts are expected."""
    if case.name in COUNTS:
        case.write(correlation_matrices(seed=60))
        return {}
    return {"values": "count", "probability": "largest"} if _holds_correlations(case) else None


def _holds_correlations(case: Case) -> bool:
    # CONN's writer is given correlations and writes Fisher z.
    return case.parameter == "matrices" and case.name not in COUNTS and not case.name.startswith("conn")


def rows_shuffled(case: Case) -> dict[str, Any] | None:
    """The table of subjects is in another order."""
    table = case.participants()
    if table is None:
        return None
    header, *rows = table.read_text().splitlines()
    table.write_text("\n".join([header, *rows[::-1]]) + "\n")
    return {}


def other_node_order(case: Case) -> dict[str, Any] | None:
    """The file of one subject has its regions in another order; its names, if it has any, too."""
    if case.name in NAMED_EDGES or case.parameter is None:
        return None
    if case.parameter == "series":
        values = [one[:, ORDER] for one in case.values]
    else:
        values = [one[ORDER][:, ORDER] for one in case.values]
    files = [file for file in case.folder.rglob("*") if file.is_file()]
    intact = {file: file.read_bytes() for file in files if not _is_of(file, case.second, case)}
    if len(intact) == len(files):
        # All subjects in one file.
        case.write([values[1] if i == 1 else one for i, one in enumerate(case.values)])
        return {}
    with regions_in(ORDER):
        case.write(values)
    for file, content in intact.items():
        file.write_bytes(content)
    return {}


def _is_of(file: Path, subject: str, case: Case) -> bool:
    return subject.removeprefix("sub-") in file.relative_to(case.folder).as_posix().replace("sub-", "")


def class_swapped(case: Case) -> dict[str, Any] | None:
    """The table puts one subject into another class than the files do, where these tell a class."""
    classes = {"class_folders": ("patient", "control"), "edge_list": ("patient", "control"), "TU": ("1", "0")}
    if case.name not in classes:
        return None
    groups = [classes[case.name][group != "patient"] for group in case.expected.groups]
    groups[1], groups[2] = groups[2], groups[1]
    rows = [f"{one}\t{group}" for one, group in zip(case.expected.subjects, groups, strict=True)]
    table = case.folder.parent / "other_table.tsv"
    table.write_text("\n".join(["participant_id\tgroup", *rows]) + "\n")
    return {"participants": table}


_TRAPS = (transposed, all_transposed, header_lost, header_gained, z_for_r, r_for_z, counts_for_r)
_TRAPS += (r_for_counts, rows_shuffled, other_node_order, class_swapped)
TRAPS: dict[str, Trap] = {one.__name__: one for one in _TRAPS}


def outcome(name: str, trap: str, folder: Path) -> str:
    """Spoil a layout in an empty folder and read it: "-", "refused", "same", "numbered" or "misread".

    "-" if the trap does not apply; "numbered" if all is the same but the names of the regions, which are
    lost, and said to be.
    """
    case = Case.of(name, folder / name)
    truth = case.read()
    words = TRAPS[trap](case)
    if words is None:
        return "-"
    try:
        found = case.read(**words)
    except InputError:
        return "refused"
    if found[0].provenance.get("regions", "").startswith("without names") and truth[0].node_labels:
        numbers = tuple(map(str, range(truth[0].n_nodes)))
        if truth[0].node_labels != numbers and _equal(truth, found, numbers):
            return "numbered"
    return "same" if _equal(truth, found, truth[0].node_labels) else "misread"


def _equal(truth: tuple[Any, Any], found: tuple[Any, Any], labels: tuple[str, ...]) -> bool:
    (graphs, y), (others, other_y) = truth, found
    same = graphs.graph_ids == others.graph_ids and labels == others.node_labels
    same = same and graphs.edges.tolist() == others.edges.tolist()
    if not same or (y is None) != (other_y is None) or (y is not None and y.tolist() != other_y.tolist()):
        return False
    return bool(np.allclose(graphs.edge_probability, others.edge_probability, rtol=0, atol=1e-6))
