"""A cohort file as the pages show it: its description, mean network, and missing regions."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dugraph import LabelledGraphs, UncertainGraphs, load_cohort, significant_subgraphs
from dugraph.app.study import Study
from dugraph.data.arguments import counted
from dugraph.exceptions import UnfinishedTestError
from dugraph.report.cohort import describe_cohort, group_names
from dugraph.report.pictures import Canvas, canvases, subgraph_picture
from dugraph.search.exhaustive import admitted_table
from dugraph.significance.maxima import N_RANGES

_MOST_DRAWN = 150  # edges of the mean network
_FEWEST = 19  # permutations that a test needs
_PILOT_SECONDS = 3.0


class CohortView(NamedTuple):
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


Stamp = tuple[str, int, int]
"""A file, the time of its last change, and its size."""
_measured: dict[tuple[Any, ...], tuple[float, bool]] = {}


def _stamp(file: Path) -> Stamp:
    found = file.stat()
    return str(file), found.st_mtime_ns, found.st_size


def view_cohort(study: Study, file: Path) -> CohortView:
    """Describe a cohort file."""
    return _view(study.name(file), _stamp(file))


@lru_cache(maxsize=8)
def _view(name: str, stamp: Stamp) -> CohortView:
    graphs, y = load_cohort(stamp[0])
    part: Any = None
    names: tuple[str, ...] = ()
    if y is not None:
        labelled = LabelledGraphs.of_phenotype(graphs, y)
        part, names = describe_cohort(labelled), group_names(labelled)
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
        name,
        graphs.n_graphs,
        graphs.n_nodes,
        part,
        list(graphs.participants or {}),
        names,
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


def admitted(file: Path) -> dict[float, list[Any]]:
    """How many subgraphs each limit admits, as `dugraph info` counts."""
    return _admitted(_stamp(file))


@lru_cache(maxsize=8)
def _admitted(stamp: Stamp) -> dict[float, list[Any]]:
    counts: dict[float, list[Any]] = admitted_table(load_cohort(stamp[0])[0])
    return counts


def expected_time(file: Path, settings: Any, compute: bool) -> str | None:
    """How long a test will take on this computer, in words; None if it has not been measured.

    Measured with the permutations of one part of the test and arbitrary labels.
    """
    limits = {name: getattr(settings, name) for name in ("min_expected_frequency", "max_edges")}
    limits["n_jobs"] = getattr(settings, "n_jobs", 1)  # a plan does not fix it
    n = settings.n_permutations + 1
    limits["n_permutations"] = max(math.ceil(n / N_RANGES), _FEWEST)
    key = (_stamp(file), *limits.values())
    if compute and key not in _measured:
        _measured[key] = _measure(file, limits)
    if key not in _measured:
        return None
    seconds, finished = _measured[key]
    minutes = seconds * n / (limits["n_permutations"] + 1) / 60
    if minutes < 0.75 and finished:
        return "less than a minute"
    number = counted(round(minutes), "minute") if minutes < 90 else f"{minutes / 60:,.1f} hours"
    return f"{'about' if finished else 'more than'} {number}"


def _measure(file: Path, limits: dict[str, Any]) -> tuple[float, bool]:
    """Seconds, and whether the test finished."""
    graphs = load_cohort(file)[0]
    labels, begin, finished = np.arange(graphs.n_graphs) % 2, time.monotonic(), True
    try:
        significant_subgraphs(graphs, labels, size_classes=1, time_limit=_PILOT_SECONDS, **limits)
    except UnfinishedTestError:
        finished = False
    return time.monotonic() - begin, finished
