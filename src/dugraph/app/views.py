"""What the pages show: a folder before it is converted, a cohort file, and the folder of a result.

Files are read by the functions of `dugraph.io`, and results by their schema.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from dugraph import LabelledGraphs, UncertainGraphs, load_cohort, significant_subgraphs
from dugraph.app.study import MOST_LISTED, RECORDS, Problem, Study
from dugraph.data.arguments import counted
from dugraph.estimators import EdgeProbability
from dugraph.exceptions import InputError, UnfinishedTestError
from dugraph.io.delimited import read_records
from dugraph.io.detection import choose_layout, matching, subjects_by_name
from dugraph.io.guards import MemoryBudget
from dugraph.io.input_files import OTHER_FILES, InputFiles, ReadOptions, table_in
from dugraph.io.participants import Participants, SubjectFilter, bare_id, ids_by_pattern, participants_of
from dugraph.io.probabilities import METHODS
from dugraph.plot.chart import Chart
from dugraph.report.cohort import describe_cohort, group_names
from dugraph.report.pictures import Canvas, canvases, chart_svg, subgraph_picture
from dugraph.results import schema
from dugraph.results.load import OWN_REPLICATION
from dugraph.search.exhaustive import admitted_table
from dugraph.settings import option_text
from dugraph.significance.maxima import N_RANGES
from dugraph.words import NONE

# ---------------------------------------------------------------- a folder to convert

_MOST_FILES = 100_000  # below one folder, unless requested
_MOST_BYTES = 2**28  # of a participants table, for a preview
_ROWS, _MOST_TABLES = 8, 50
_TABLES = (".tsv", ".csv", ".txt")
EXAMPLE_TIMEPOINTS = 200
"""Time points of the picture of the map that depends on them."""


@dataclass
class Table:
    """The participants table: its first rows, which columns were recognised, and the size of each group."""

    columns: list[str]
    rows: list[list[str]]
    n_rows: int
    varying: list[str]
    id_column: str | None = None
    group_column: str | None = None
    groups: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class Inspection:
    """How the reader interprets a folder: the format, empty if none fits, and why it was recognised."""

    n_files: int = 0
    names: list[str] = field(default_factory=list)  # of the first files that are read
    layout: str = ""
    description: str = ""
    reason: str = ""
    table: Table | None = None
    match: dict[str, list[str]] | None = None  # ids with a file and a row, without a row, without a file
    note: str = ""  # why no match is shown
    problems: list[Problem] = field(default_factory=list)


def inspect(study: Study, path: Path, values: Mapping[str, Any], options: Container[str]) -> Inspection:
    """Recognise files and participants; errors become problems, with fixes that set one of `options`.

    `values` are the settings of `dugraph convert`, parsed.
    """
    found = Inspection()

    @contextmanager
    def noted() -> Iterator[None]:
        try:
            yield
        except (InputError, OSError) as error:
            found.problems.append(Problem.of(error, options, study))

    people = None
    named = values.get("participants") or table_in(path)
    beside = [study.resolve(str(named))] if named and named != NONE else []
    for table in beside:
        with noted():
            people = _read_table(table, found, values)
    with noted():
        _check_size(path)
        files = InputFiles.of(path, without=beside)
        found.n_files = len(files.files)
        study.check_links(files.files)
        layout, found.reason = choose_layout(files, values.get("format"))
        found.layout, found.description = layout.name, layout.description
        chosen = matching(layout, files)
        found.names = [study.name(file) for file in chosen[:MOST_LISTED]]
        if layout.read_all or layout.read:
            found.note = "All participants are read together; their ids are compared when the files are read."
            return found
        select, pattern = values.get("select") or {}, values.get("id_pattern")
        reading = ReadOptions(MemoryBudget(_MOST_BYTES), select=select, id_pattern=pattern)
        subjects = subjects_by_name(layout, files, chosen, reading)
        _, ids, _ = ids_by_pattern(subjects.graph_ids, pattern)
        if people is None:
            found.match = {"both": [], "without a row": list(ids), "without a file": []}
            return found
        if values.get("where"):
            people = people.select(values["where"])
        found.match = _matched(ids, people)
        sides = (values.get("positive"), values.get("negative"))
        choice = SubjectFilter(people, pattern, *sides, bool(values.get("intersect")))
        choice.labels_in_table(choice.choose(subjects.graph_ids, subjects.files, subjects.id_digits)[1])
    return found


def _check_size(path: Path) -> None:
    """Refuse to search a folder with very many files, such as a home directory."""
    n_files = 0
    for _, names, files in os.walk(path):
        names[:] = [name for name in names if not name.startswith(".")]
        n_files += len(files)
        if n_files > _MOST_FILES:
            raise InputError(
                f"There are more than {_MOST_FILES:,} files below this folder. Choose the folder that holds "
                "the files of all participants."
            )


def _read_table(file: Path, found: Inspection, values: Mapping[str, Any]) -> Participants:
    if file.stat().st_size > _MOST_BYTES:
        raise InputError(
            f"{file.name}: the participants table has {file.stat().st_size:,} bytes. Choose another file."
        )
    records = read_records(file, MemoryBudget(_MOST_BYTES))
    frame = records.table
    columns = [str(name) for name in frame.columns]
    rows = [[str(cell) for cell in row] for row in frame.head(_ROWS).to_numpy().tolist()]
    varying = [one for one in columns if frame[one].nunique() > 1]
    asked = values.get("id_column"), values.get("group_column")
    found.table = Table(columns, rows, len(frame), varying, *asked)
    people = participants_of(records, file, *asked)
    found.table.id_column, found.table.group_column = people.id_column, people.group_column
    found.table.groups = sorted(Counter(group for group in people.groups if group).items())
    return people


def _matched(ids: Sequence[str], people: Participants) -> dict[str, list[str]]:
    ignored = {bare_id(one) for one in people.excluded}
    files = {bare_id(one): one for one in ids if bare_id(one) not in ignored}
    rows = {bare_id(one): one for one in people.ids}
    return {
        "both": [one for bare, one in files.items() if bare in rows],
        "without a row": [one for bare, one in files.items() if bare not in rows],
        "without a file": [one for bare, one in rows.items() if bare not in files],
    }


def participants_tables(study: Study, folder: Path) -> list[str]:
    """Tables that may list the participants in a folder, its parent and the study; usual names first."""
    here = folder if folder.is_dir() else folder.parent
    found: list[Path] = []
    for place in dict.fromkeys((here, folder.parent, study.home)):
        if study.contains(place):
            names = [name for name in study.entries(place)[1] if Path(name).suffix.lower() in _TABLES]
            names.sort(key=lambda name: (not OTHER_FILES.match(name), name.endswith(".txt")))
            found += [place / name for name in names[:_MOST_TABLES]]
    found.sort(key=lambda file: not OTHER_FILES.match(file.name))
    return list(dict.fromkeys(study.name(file) for file in found))


def likely_table(tables: Sequence[str]) -> str:
    """The first table with a usual name of a participants table, or an empty string."""
    return next((one for one in tables if OTHER_FILES.match(Path(one).name) and not one.endswith(".txt")), "")


@cache
def map_pictures(threshold: float | None) -> dict[str, Any]:
    """The probability that each map gives to a correlation, as a chart by the name of the map."""
    r = np.linspace(-1, 1, 161)
    pictures = {}
    for name in METHODS["correlation"]:
        if name == NONE:
            continue
        signed = name == "signed"
        step = EdgeProbability(
            "positive" if signed else name, EXAMPLE_TIMEPOINTS, threshold, layers="signed" if signed else None
        )
        mapped = step.fit_transform(r[None])[0]
        chart = Chart(
            f"Edge probability by correlation with the map {name}.",
            *((-1.0, 1.0), (0.0, 1.05)),
            *("correlation", "probability"),
            y_ticks=(0.0, 0.5, 1.0),
        )
        for line in (mapped[1::2], mapped[::2]) if signed else (mapped,):
            chart.add("line", zip(r.tolist(), line.tolist(), strict=True), "mean")
        pictures[name] = chart_svg(chart, width=260.0, height=150.0)
    return pictures


# ---------------------------------------------------------------- a cohort file

_MOST_DRAWN = 150  # edges of the mean network
_FEWEST = 19  # permutations that a test needs
_PILOT_SECONDS = 3.0


class CohortView(NamedTuple):
    """A cohort file as the pages need it."""

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


_measured: dict[tuple[Any, ...], tuple[float, bool]] = {}
_Answer = TypeVar("_Answer")


def _stamp(file: Path) -> tuple[str, int, int]:
    """A file, the time of its last change, and its size."""
    found = file.stat()
    return str(file), found.st_mtime_ns, found.st_size


def _kept(function: Callable[[Path], _Answer]) -> Callable[[Path], _Answer]:
    """Keep what was computed from a file until it changes."""

    @lru_cache(maxsize=8)
    def of_stamp(path: str, *_: int) -> _Answer:
        return function(Path(path))

    return lambda file: of_stamp(*_stamp(file))


@_kept
def view_cohort(file: Path) -> CohortView:
    """Describe a cohort file."""
    graphs, y = load_cohort(file)
    part: Any = None
    names: tuple[str, ...] = ()
    if y is not None:
        labelled = LabelledGraphs.of_any(graphs, y, numbers="phenotype")
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


@_kept
def admitted(file: Path) -> dict[float, list[Any]]:
    """How many subgraphs each limit admits, as `dugraph info` counts."""
    counts: dict[float, list[Any]] = admitted_table(load_cohort(file)[0])
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
        graphs, begin, finished = load_cohort(file)[0], time.monotonic(), True
        labels = np.arange(graphs.n_graphs) % 2
        try:
            significant_subgraphs(graphs, labels, size_classes=1, time_limit=_PILOT_SECONDS, **limits)
        except UnfinishedTestError:
            finished = False
        _measured[key] = time.monotonic() - begin, finished
    if key not in _measured:
        return None
    seconds, finished = _measured[key]
    minutes = seconds * n / (limits["n_permutations"] + 1) / 60
    if minutes < 0.75 and finished:
        return "less than a minute"
    number = counted(round(minutes), "minute") if minutes < 90 else f"{minutes / 60:,.1f} hours"
    return f"{'about' if finished else 'more than'} {number}"


# ---------------------------------------------------------------- the folder of a result

MOST_ROWS = 20
PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
_KNOWN = ("mine", "sparse", "test", "replicate")
_ABOUT = {
    "report.html": "the report, one page for a browser",
    "results.csv": "the table, for spreadsheets and R",
    "results.json": "everything, for programs",
    "results.graphml": "the subgraphs, for Cytoscape and Gephi",
    "features.csv": "containment probabilities of all participants",
    "brainnet.node": "regions, for BrainNet Viewer",
    "brainnet.edge": "edges, for BrainNet Viewer",
    "config.toml": "the settings, to repeat the run",
    "model.json": "the model, for new participants",
    "null_maxima.csv": "the largest statistic of each permutation",
    "blocks.csv": "the effects in each block",
    "methods.md": "text for the methods section of a paper",
    "results.md": "text for the results section of a paper",
    "references.bib": "its references",
}


@dataclass
class Summary:
    """A result."""

    files: list[tuple[str, str, int, str]]  # name, path, size, description
    pictures: list[str]  # paths
    report: bool
    command: str = ""
    message: str = ""
    heads: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)  # the first subgraphs to list
    more: str = ""  # how many there are in all
    subgraphs: list[str] | None = None  # the edges of all subgraphs, if the command lists any
    parameters: dict[str, str] = field(default_factory=dict)
    cohort: str | None = None
    replication: Summary | None = None  # of a test with a holdout


def summarise(study: Study, folder: Path) -> Summary:
    """Read the record of a result, a folder with one of `RECORDS`."""
    visible = [one for one in sorted(folder.iterdir()) if one.is_file() and not one.name.startswith(".")]
    listed = [one for one in visible if study.contains(one)]
    found = Summary(
        [(one.name, study.name(one), one.stat().st_size, _ABOUT.get(one.name, "")) for one in listed],
        [study.name(one) for one in listed if one.suffix in PICTURES],
        any(one.name == "report.html" for one in listed),
    )
    record: Any = None
    if (folder / RECORDS[0]).is_file() and schema.command_of(folder / RECORDS[0]) in _KNOWN:
        record = schema.read_results(folder / RECORDS[0])
        found.command = str(type(record).__struct_config__.tag)
        found.heads, rows, found.more = _rows(record)
        found.rows = rows[:MOST_ROWS]
        found.subgraphs = [_edges(one) for one in record.subgraphs]
        found.message = str(getattr(record, "message", "") or getattr(record.proof, "message", ""))
        file = (folder / record.input.path).resolve()
        found.cohort = study.name(file) if study.contains(file) and file.is_file() else None
    elif (folder / RECORDS[1]).is_file():
        record, found.command = schema.read_json(folder / RECORDS[1], schema.EvaluationFile), "evaluate"
    if record is not None:
        found.parameters = {name: _text(one) for name, one in record.parameters.items()}
    inner = folder / OWN_REPLICATION
    if found.command == "test" and (inner / RECORDS[0]).is_file() and study.contains(inner):
        found.replication = summarise(study, inner)
        found.files += [(f"{inner.name}/{one[0]}", *one[1:]) for one in found.replication.files]
    return found


def is_of_test(folder: Path) -> bool:
    """Whether a folder contains the result of a test."""
    return (folder / RECORDS[0]).is_file() and schema.command_of(folder / RECORDS[0]) == "test"


def _text(value: object) -> str:
    words = {None: "", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(option_text(value))


def _edges(subgraph: Any) -> str:
    return ", ".join("--".join(edge.node_labels) or str(edge.index) for edge in subgraph.edges)


def _rows(record: Any) -> tuple[list[str], list[list[str]], str]:
    """Headings, a row for each subgraph to list, and how many there are."""
    listed, n = record.subgraphs, len(record.subgraphs)
    more = f"The first {MOST_ROWS} of {n:,} subgraphs." if n > MOST_ROWS else ""
    if isinstance(record, schema.TestedFile):
        listed = sorted((one for one in listed if one.irreducible), key=lambda one: (one.family, one.rank))
        n_families = max((one.family for one in listed), default=0)
        more = (
            f"{n:,} significant subgraphs in {n_families} families that share edges. "
            f"{'The first ' + str(MOST_ROWS) + ' of ' if len(listed) > MOST_ROWS else ''}"
            f"{len(listed):,} irreducible ones are listed: no significant part of these has a statistic as "
            "large."
        )
        heads = ["family", "adjusted p", "effect", "of", "edges"]
        rows = [[str(one.family), f"{one.p_value:.3g}", f"{one.effect:+.3g}", one.contrast] for one in listed]
    elif isinstance(record, schema.ReplicatedFile):
        heads = ["here", "adjusted p", "effect here", "effect in the first cohort", "edges"]
        rows = [
            [
                *("confirmed" if one.replicated else "not confirmed", f"{one.p_value:.3g}"),
                *(f"{one.effect:+.3g}", f"{one.first_effect:+.3g}"),
            ]
            for one in listed
        ]
    elif isinstance(record, schema.FittedFile):
        heads, rows = ["coefficient", "edges"], [[f"{one.coefficient:+.4g}"] for one in listed]
    else:
        heads, rows = ["value", "edges"], [[f"{one.value:.4g}"] for one in listed]
    return heads, [[*row, _edges(one)] for row, one in zip(rows, listed, strict=True)], more if n else ""


def compare(study: Study, first: Path, second: Path) -> dict[str, Any]:
    """Two results side by side."""
    both = [summarise(study, folder) for folder in (first, second)]
    names = dict.fromkeys(name for one in both for name in one.parameters)
    settings = [(name, *(one.parameters.get(name, "") for one in both)) for name in names]
    a, b = (one.subgraphs for one in both)
    common, only = None, None
    if a is not None and b is not None:
        in_a, in_b = set(a), set(b)
        common = [one for one in a if one in in_b]
        only = [[one for one in a if one not in in_b], [one for one in b if one not in in_a]]
    return {"both": both, "settings": settings, "common": common, "only": only}
