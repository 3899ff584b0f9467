"""Results as the pages show them: findings, files to download, and two results side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dugraph.app.study import RECORDS, Study
from dugraph.results import schema
from dugraph.results.load import OWN_REPLICATION
from dugraph.settings import option_text

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
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return str(option_text(value))


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
