"""The record of a search or of a sparse fit, read and checked: its subgraphs and its path of penalties."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dugraph.data import UncertainGraphs
from dugraph.report.checked_files import (
    COUNT,
    FLAG,
    LIST,
    NUMBER,
    PLAIN,
    POSITIVE,
    SHARE,
    TEXT,
    Rule,
    cell_value,
    check_object,
    check_value,
    damaged,
    one_of,
    read_table,
)
from dugraph.search.exhaustive import is_connected
from dugraph.search.result import COUNTERS
from dugraph.words import FREQUENCY, MEASURES, RANKINGS

# What a report takes from a record beside its input and its subgraphs, and the rule of what else is there.
_Part = tuple[dict[str, Rule], Rule | None]
_MINED: dict[str, _Part] = {
    "parameters": (
        {
            "measure": one_of(RANKINGS),
            "score": TEXT,
            "phi": NUMBER.or_null(),
            "quantile": SHARE.or_null(),
            "score_cap": POSITIVE.or_null(),
        },
        PLAIN,
    ),
    "proof": ({"success": FLAG, "message": TEXT, "gap": NUMBER.or_null()}, None),
    "counters": (dict.fromkeys(COUNTERS, COUNT), COUNT),
    "versions": ({}, TEXT),
}
_FITTED: dict[str, _Part] = {
    "parameters": ({"alpha_in_use": POSITIVE, "loss": TEXT}, PLAIN),
    "proof": ({"success": FLAG, "message": TEXT, "objective": NUMBER, "duality_gap": NUMBER}, None),
    "counters": ({"n_searches": COUNT}, COUNT),
    "versions": ({}, TEXT),
}
_PATH_COLUMNS = {"alpha", "n_nonzero", "cv_loss_mean", "cv_loss_sd"}


@dataclass(frozen=True)
class Found:
    """One subgraph; in a fit its value is its coefficient."""

    rank: int
    edges: tuple[int, ...]
    value: float
    frequency_positive: float
    frequency_negative: float
    coefficient: float | None


@dataclass(frozen=True)
class Penalty:
    """A penalty of a path: how many subgraphs it leaves, and the held-out loss where there is one."""

    alpha: float
    n_nonzero: int
    loss: float | None
    spread: float | None


def is_fit(record: dict[str, Any]) -> bool:
    """Whether a record is of `dugraph sparse`."""
    return record.get("command") == "sparse"


def read_found(file: Path, record: dict[str, Any], graphs: UncertainGraphs) -> list[Found]:
    """Check a record and give its subgraphs.

    Parameters
    ----------
    file : Path
        Where the record was read from, for messages.
    record : dict
    graphs : UncertainGraphs
        The cohort, whose edges the subgraphs have.
    """
    fitted = is_fit(record)
    for part, (fields, others) in (_FITTED if fitted else _MINED).items():
        check_object(file, part, record.get(part), fields, others)
    if fitted:
        check_value(file, "intercept", record.get("intercept"), NUMBER)
    else:
        asked = record["parameters"]
        measure = asked["measure"]
        needed = None if measure == FREQUENCY else MEASURES[measure].parameter
        if needed is not None and asked[needed] is None:
            raise damaged(file, f"the measure {measure} has no {needed}")
    name = "coefficient" if fitted else "value"
    rules = {name: NUMBER, "expected_frequency_positive": SHARE, "expected_frequency_negative": SHARE}
    found = []
    for rank, entry in enumerate(check_value(file, "subgraphs", record.get("subgraphs"), LIST), start=1):
        one = check_object(file, f"subgraph {rank}", entry, rules)
        found.append(
            Found(
                rank,
                _read_edges(file, rank, one.get("edges"), graphs),
                float(one[name]),
                float(one["expected_frequency_positive"]),
                float(one["expected_frequency_negative"]),
                float(one[name]) if fitted else None,
            )
        )
    return found


def _read_edges(file: Path, rank: int, entries: Any, graphs: UncertainGraphs) -> tuple[int, ...]:
    where = f"an edge of subgraph {rank}"
    edges = tuple(
        check_object(file, where, entry, {"index": COUNT})["index"]
        for entry in check_value(file, f"the edges of subgraph {rank}", entries, LIST)
    )
    if not all(edge < graphs.n_edges for edge in edges):
        raise damaged(file, f"subgraph {rank} has an edge beyond the {graphs.n_edges} of the cohort")
    if len(set(edges)) != len(edges) or not is_connected(graphs.edges[list(edges)].tolist()):
        raise damaged(file, f"subgraph {rank} is not a connected set of edges")
    return edges


def read_path(file: Path) -> list[Penalty]:
    """The penalties of path.csv, from large to small; none if there is no such file."""
    if not file.is_file():
        return []
    heading, rows = read_table(file)
    if not set(heading) >= _PATH_COLUMNS:
        raise damaged(file, f"there must be the columns {', '.join(sorted(_PATH_COLUMNS))}")
    return [
        Penalty(
            float(cell_value(file, "alpha", row["alpha"], POSITIVE)),
            cell_value(file, "n_nonzero", row["n_nonzero"], COUNT, int),
            _maybe(file, "cv_loss_mean", row),
            _maybe(file, "cv_loss_sd", row),
        )
        for row in rows
    ]


def _maybe(file: Path, name: str, row: dict[str, str]) -> float | None:
    return float(cell_value(file, name, row[name], NUMBER)) if row[name] else None
