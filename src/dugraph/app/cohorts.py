"""A cohort file as the pages show it: its description in the report, and the counts of `dugraph info`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dugraph import LabelledGraphs, load_cohort
from dugraph.app.study import Study
from dugraph.data.labels import CLASSES
from dugraph.report.sections import describe_cohort
from dugraph.search.admitted import admitted_table


@dataclass(frozen=True)
class CohortView:
    """A cohort file as the pages need it.

    Attributes
    ----------
    part : CohortPart or None
        As in the report; None without labels.
    columns : dict of str to str
        Columns of the participants, each with its kind: "number" or "category".
    names : tuple of str
        The classes, the positive one first, or the groups.
    group_column : str or None
        The column with these names.
    """

    file: str
    n_graphs: int
    n_nodes: int
    part: Any
    columns: dict[str, str]
    names: tuple[str, ...]
    group_column: str | None


_views: dict[tuple[str, int, int], CohortView] = {}
_admitted: dict[tuple[str, int, int], dict[float, list[Any]]] = {}


def _state(file: Path) -> tuple[str, int, int]:
    found = file.stat()
    return str(file), found.st_mtime_ns, found.st_size


def view_cohort(study: Study, file: Path) -> CohortView:
    """Describe a cohort file; the description is cached until the file changes."""
    key = _state(file)
    if key not in _views:
        graphs, y = load_cohort(file)
        part: Any = None
        names: Sequence[str] = ()
        if y is not None:
            labelled = LabelledGraphs.of_phenotype(graphs, y)
            part = describe_cohort(labelled)
            names = labelled.names if labelled.kind == CLASSES else labelled.group_names
        column = (graphs.provenance or {}).get("group_column")
        kinds = {
            name: "number" if column.dtype.kind in "iuf" else "category"
            for name, column in (graphs.participants or {}).items()
        }
        while len(_views) >= 8:
            _views.pop(next(iter(_views)))
        _views[key] = CohortView(
            study.name(file), graphs.n_graphs, graphs.n_nodes, part, kinds, tuple(names), column
        )
    return _views[key]


def admitted(file: Path, compute: bool) -> dict[float, list[Any]] | None:
    """How many subgraphs each limit admits, as `dugraph info` counts; None if not yet computed."""
    key = _state(file)
    if key not in _admitted and compute:
        _admitted[key] = admitted_table(load_cohort(file)[0])
    return _admitted.get(key)
