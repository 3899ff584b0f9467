"""Results as the pages show them: findings, files to download, and two results side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dugraph.app.study import RECORDS, Study
from dugraph.results import schema
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


@dataclass(frozen=True)
class Summary:
    """A result.

    Attributes
    ----------
    command, message : str
    heads : list of str
    rows : list of list of str
        The first subgraphs; of a test, the irreducible ones by family.
    more : str
        How many there are in all.
    subgraphs : list of str
        The edges of all subgraphs; None if the command lists none.
    files : list of (name, path, size, description)
    pictures : list of str
        Paths.
    report : bool
    parameters : dict
    cohort : str or None
    replication : Summary or None
        The other part of the cohort, of a test with a holdout.
    """

    command: str
    message: str
    heads: list[str]
    rows: list[list[str]]
    more: str
    subgraphs: list[str] | None
    files: list[tuple[str, str, int, str]]
    pictures: list[str]
    report: bool
    parameters: dict[str, str]
    cohort: str | None
    replication: Summary | None


def summarise(study: Study, folder: Path) -> Summary:
    """Read the record of a result, a folder with one of `RECORDS`."""
    from dugraph.results.load import OWN_REPLICATION

    visible = [one for one in sorted(folder.iterdir()) if one.is_file() and not one.name.startswith(".")]
    listed = [one for one in visible if study.contains(one)]
    files = [(one.name, study.name(one), one.stat().st_size, _ABOUT.get(one.name, "")) for one in listed]
    record: Any = None
    command, message, more, cohort = "", "", "", None
    heads: list[str] = []
    rows: list[list[str]] = []
    subgraphs = None
    if (folder / RECORDS[0]).is_file() and schema.command_of(folder / RECORDS[0]) in _KNOWN:
        record = schema.read_results(folder / RECORDS[0])
        command = str(type(record).__struct_config__.tag)
        heads, rows, more = _rows(record)
        subgraphs = [_edges(one) for one in record.subgraphs]
        message = str(getattr(record, "message", "") or getattr(record.proof, "message", ""))
        file = (folder / record.input.path).resolve()
        cohort = study.name(file) if study.contains(file) and file.is_file() else None
    elif (folder / RECORDS[1]).is_file():
        record, command = schema.read_json(folder / RECORDS[1], schema.EvaluationFile), "evaluate"
    inner, replication = folder / OWN_REPLICATION, None
    if command == "test" and (inner / RECORDS[0]).is_file() and study.contains(inner):
        replication = summarise(study, inner)
        files += [(f"{inner.name}/{one[0]}", *one[1:]) for one in replication.files]
    return Summary(
        command=command,
        message=message,
        heads=heads,
        rows=rows[:MOST_ROWS],
        more=more if len(rows) > MOST_ROWS or command == "test" else "",
        subgraphs=subgraphs,
        files=files,
        pictures=[study.name(one) for one in listed if one.suffix in PICTURES],
        report=any(one.name == "report.html" for one in listed),
        parameters={} if record is None else {name: _text(one) for name, one in record.parameters.items()},
        cohort=cohort,
        replication=replication,
    )


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
    more = f"The first {MOST_ROWS} of {n:,} subgraphs."
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
