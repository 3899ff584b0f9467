"""A cohort file as the pages show it: its description, mean network, and missing regions."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dugraph import LabelledGraphs, UncertainGraphs, load_cohort, significant_subgraphs
from dugraph.app.study import Study
from dugraph.data.arguments import counted
from dugraph.data.labels import CLASSES
from dugraph.exceptions import UnfinishedTestError
from dugraph.report.cohort import describe_cohort
from dugraph.report.pictures import Canvas, canvases, subgraph_picture
from dugraph.search.admitted import admitted_table
from dugraph.significance.maxima import N_RANGES

_MOST_DRAWN = 150  # edges of the mean network
_FEWEST = 19  # permutations that a test needs
_PILOT_SECONDS = 3.0
_MOST_KEPT = 16


@dataclass(frozen=True)
class CohortView:
    """A cohort file as the pages need it."""

    file: str
    n_graphs: int
    n_nodes: int
    part: Any  # as in the report; None without labels
    columns: list[str]  # of the participants
    names: tuple[str, ...]  # the classes, the positive one first, or the groups
    group_column: str | None  # the column with these names
    outlines: list[Any]  # that the pictures refer to
    network: list[tuple[str, Any]]  # pictures of the mean network, with their captions
    n_drawn: int  # edges in these pictures
    missing: list[tuple[str, int, str]]  # participants, and their regions without any edge


_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_lock = threading.Lock()


def _cached(file: Path, what: object, compute: Callable[[], Any] | None) -> Any:
    """The values computed from a file since its last change; None if there are none."""
    found = file.stat()
    key = (str(file), found.st_mtime_ns, found.st_size, what)
    if key in _kept or compute is None:
        return _kept.get(key)
    with _lock:  # two computations at once would both be slower, and measured wrongly
        if key not in _kept:
            _kept[key] = compute()
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)
    return _kept[key]


def view_cohort(study: Study, file: Path) -> CohortView:
    """Describe a cohort file."""
    view: CohortView = _cached(file, "view", lambda: _view(study, file))
    return view


def _view(study: Study, file: Path) -> CohortView:
    graphs, y = load_cohort(file)
    part: Any = None
    names: Sequence[str] = ()
    if y is not None:
        labelled = LabelledGraphs.of_phenotype(graphs, y)
        part = describe_cohort(labelled)
        names = labelled.names if labelled.kind == CLASSES else labelled.group_names
    strongest = np.argsort(-graphs.edge_means, kind="stable")[:_MOST_DRAWN]
    drawn = sorted(strongest[graphs.edge_means[strongest] > 0].tolist())
    views = canvases(graphs)[:2]
    title = f"Mean network: the {len(drawn)} edges with the largest mean probability"
    on: Sequence[Canvas | None] = views or [None]
    pictures = [
        ("" if view is None else view.caption, subgraph_picture(graphs, drawn, view, "pos", title=title))
        for view in (on if drawn else [])
    ]
    return CohortView(
        study.name(file),
        graphs.n_graphs,
        graphs.n_nodes,
        part,
        list(graphs.participants or {}),
        tuple(names),
        (graphs.provenance or {}).get("group_column"),
        [view.outline for view in views],
        pictures,
        len(drawn),
        _missing_regions(graphs),
    )


def _missing_regions(graphs: UncertainGraphs) -> list[tuple[str, int, str]]:
    found = []
    for name, row in zip(graphs.graph_ids, graphs.raw_probability, strict=True):
        lacking = np.ones(graphs.n_nodes, dtype=bool)
        lacking[graphs.edges[row > 0]] = False
        regions = [graphs.node_labels[node] for node in np.flatnonzero(lacking)]
        if regions:
            found.append((name, len(regions), ", ".join(regions[:20]) + (", …" if regions[20:] else "")))
    return sorted(found, key=lambda row: -row[1])


def admitted(file: Path, compute: bool) -> dict[float, list[Any]] | None:
    """How many subgraphs each limit admits, as `dugraph info` counts; None if not yet computed."""
    counts: dict[float, list[Any]] | None = _cached(
        file, "admitted", (lambda: admitted_table(load_cohort(file)[0])) if compute else None
    )
    return counts


def expected_time(file: Path, settings: Any, compute: bool) -> str | None:
    """How long a test will take on this computer, in words; None if it has not been measured.

    Measured with the permutations of one part of the test and arbitrary labels.
    """
    limits = {name: getattr(settings, name) for name in ("min_expected_frequency", "max_edges")}
    limits["n_jobs"] = getattr(settings, "n_jobs", 1)  # a plan does not fix it
    n = settings.n_permutations + 1
    limits["n_permutations"] = max(math.ceil(n / N_RANGES), _FEWEST)
    measured = _cached(file, tuple(limits.values()), (lambda: _measure(file, limits)) if compute else None)
    if measured is None:
        return None
    seconds, finished = measured
    minutes = seconds * n / (limits["n_permutations"] + 1) / 60
    if minutes < 0.75 and finished:
        return "less than a minute"
    number = counted(round(minutes), "minute") if minutes < 90 else f"{minutes / 60:,.1f} hours"
    return f"{'about' if finished else 'more than'} {number}"


def _measure(file: Path, limits: dict[str, Any]) -> tuple[float, bool]:
    graphs = load_cohort(file)[0]
    begin = time.monotonic()
    try:
        significant_subgraphs(
            graphs,
            np.arange(graphs.n_graphs) % 2,
            size_classes=1,
            time_limit=_PILOT_SECONDS,
            **limits,
        )
    except UnfinishedTestError:
        return time.monotonic() - begin, False
    return time.monotonic() - begin, True
