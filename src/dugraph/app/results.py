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
        The first subgraphs.
    n_rows : int
        The number of all subgraphs.
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
    n_rows: int
    files: list[tuple[str, str, int, str]]
    pictures: list[str]
    report: bool
    parameters: dict[str, str]
    cohort: str | None
    replication: Summary | None


def summarise(study: Study, folder: Path) -> Summary:
    """Read the record of a result.

    Parameters
    ----------
    study : Study
    folder : Path
        With one of `RECORDS`.
    """
    from dugraph.results.load import OWN_REPLICATION

    listed = [
        file
        for file in sorted(folder.iterdir())
        if file.is_file() and not file.name.startswith(".") and study.contains(file.resolve())
    ]
    files = [(one.name, study.name(one), one.stat().st_size, _ABOUT.get(one.name, "")) for one in listed]
    report = any(one.name == "report.html" for one in listed)
    pictures = [study.name(one) for one in listed if one.suffix in PICTURES]
    record: Any = None
    heads: list[str] = []
    rows: list[list[str]] = []
    command, message, n_rows, cohort = "", "", 0, None
    if (folder / RECORDS[0]).is_file() and schema.command_of(folder / RECORDS[0]) in _KNOWN:
        record = schema.read_results(folder / RECORDS[0])
        command = str(type(record).__struct_config__.tag)
        heads, rows = _rows(record)
        cohort = _cohort_of(study, folder, record.input.path)
        message, n_rows = _message(record), len(record.subgraphs)
    elif (folder / RECORDS[1]).is_file():
        record, command = schema.read_json(folder / RECORDS[1], schema.EvaluationFile), "evaluate"
    parameters = record.parameters if record is not None else {}
    shown = {name: _text(value) for name, value in parameters.items()}
    inner = folder / OWN_REPLICATION
    replication = None
    if command == "test" and (inner / RECORDS[0]).is_file() and study.contains(inner.resolve()):
        replication = summarise(study, inner)
        files += [(f"{inner.name}/{one[0]}", *one[1:]) for one in replication.files]
    return Summary(
        *(command, message, heads, rows[:MOST_ROWS], n_rows, files, pictures, report, shown, cohort),
        replication,
    )


def is_of_test(folder: Path) -> bool:
    """Whether a folder contains the result of a test."""
    return schema.command_of(folder / RECORDS[0]) == "test" if (folder / RECORDS[0]).is_file() else False


def _cohort_of(study: Study, folder: Path, path: str) -> str | None:
    file = (folder / path).resolve()
    return study.name(file) if study.contains(file) and file.is_file() else None


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(option_text(value)) if not isinstance(value, bool) else "yes" if value else "no"


def _message(record: Any) -> str:
    return str(getattr(record, "message", None) or getattr(getattr(record, "proof", None), "message", ""))


def _edges(subgraph: Any) -> str:
    return ", ".join("--".join(edge.node_labels) or str(edge.index) for edge in subgraph.edges)


def _rows(record: Any) -> tuple[list[str], list[list[str]]]:
    if isinstance(record, schema.TestedFile):
        rows = [
            [f"{one.p_value:.3g}", f"{one.effect:+.3g}", one.contrast, _edges(one)]
            for one in record.subgraphs
        ]
        return ["adjusted p", "effect", "of", "edges"], rows
    if isinstance(record, schema.ReplicatedFile):
        rows = [
            [
                *("confirmed" if one.replicated else "not confirmed", f"{one.p_value:.3g}"),
                *(f"{one.effect:+.3g}", f"{one.first_effect:+.3g}", _edges(one)),
            ]
            for one in record.subgraphs
        ]
        return ["here", "adjusted p", "effect here", "effect in the first cohort", "edges"], rows
    if isinstance(record, schema.FittedFile):
        return ["coefficient", "edges"], [
            [f"{one.coefficient:+.4g}", _edges(one)] for one in record.subgraphs
        ]
    return ["value", "edges"], [[f"{one.value:.4g}", _edges(one)] for one in record.subgraphs]


def compare(study: Study, first: Path, second: Path) -> dict[str, Any]:
    """Two results side by side."""
    both = [summarise(study, folder) for folder in (first, second)]
    names = dict.fromkeys(name for one in both for name in one.parameters)
    settings = [(name, *(one.parameters.get(name, "") for one in both)) for name in names]
    found = []
    for folder in (first, second):
        if not (folder / RECORDS[0]).is_file():
            return {"both": both, "settings": settings, "common": None, "only": None}
        found.append([_edges(one) for one in schema.read_results(folder / RECORDS[0]).subgraphs])
    sets = [set(one) for one in found]
    common = [one for one in found[0] if one in sets[1]]
    only = [[one for one in found[k] if one not in sets[1 - k]] for k in (0, 1)]
    return {"both": both, "settings": settings, "common": common, "only": only}
