"""The record of an evaluation, read and checked: the metrics of every split."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from dugraph.data.wording import shown
from dugraph.exceptions import InputError, Setting
from dugraph.report.checked_files import (
    COUNT,
    SHARE,
    TEXT,
    cell_value,
    check_object,
    read_json,
    read_table,
)
from dugraph.words import METRICS

_COLUMNS = ["method", "split", "t", "n_found", "proven", *METRICS]


@dataclass(frozen=True)
class Fold:
    """One method with t features on one split: subgraphs found, and metrics, NaN where there are none."""

    method: str
    t: int
    split: int
    n_found: int | None
    proven: bool
    metrics: dict[str, float]


@dataclass(frozen=True)
class Evaluation:
    """What `dugraph evaluate` wrote."""

    folds: list[Fold]
    test_size: float
    left_out: dict[str, str]


def read_evaluation(file: Path) -> Evaluation:
    """Read evaluation.json and results.csv beside it."""
    record = read_json(file)
    parameters = check_object(file, "parameters", record.get("parameters"), {"test_size": SHARE})
    left_out = {
        name: why
        for part in ("skipped", "failures")
        for name, why in check_object(file, part, record.get(part), {}, TEXT).items()
    }
    table = file.with_name("results.csv")
    heading, rows = read_table(table)
    if heading != _COLUMNS or not rows:
        raise InputError(
            f"{table}: the file must be the evaluation's, but is not; `dugraph mine -o` writes one of that "
            "name.",
            way_out=(
                "Evaluate into a folder of its own and name it with ",
                *(Setting("evaluation", "FOLDER"), "."),
            ),
        )
    folds = [
        Fold(
            row["method"],
            cell_value(table, "t", row["t"], COUNT, int),
            cell_value(table, "split", row["split"], COUNT, int),
            cell_value(table, "n_found", row["n_found"], COUNT, int) if row["n_found"] else None,
            _truth(table, row["proven"]),
            {name: _metric(table, name, row[name]) for name in METRICS},
        )
        for row in rows
    ]
    return Evaluation(folds, float(parameters["test_size"]), left_out)


def _metric(table: Path, name: str, text: str) -> float:
    return float(cell_value(table, name, text, SHARE)) if text not in ("", "nan") else math.nan


def _truth(table: Path, text: str) -> bool:
    if text not in ("True", "False"):
        raise InputError(f"{table}: proven must be True or False, but is {shown(text)!r}. Run it again.")
    return text == "True"
