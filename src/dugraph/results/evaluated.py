"""An evaluation as a record, its own files, and the evaluation read from them again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dugraph.data.wording import shown
from dugraph.evaluation.cell import Cell
from dugraph.evaluation.result import EvaluationResult
from dugraph.exceptions import InputError, Setting
from dugraph.files.json_text import json_bytes
from dugraph.results.record import EvaluationRecord
from dugraph.results.rules import (
    COUNT,
    NUMBER,
    SHARE,
    TEXT,
    cell_value,
    check_object,
    damaged,
    read_json,
    read_table,
)
from dugraph.results.source import PathLike, brief_input
from dugraph.results.tables import config_bytes
from dugraph.words import PHENOTYPE_METRICS, TASKS

_SETTINGS = (
    *("methods", "n_subgraphs", "n_splits", "test_size", "stratify", "min_expected_frequency", "phi"),
    *("max_edges", "time_limit", "node_limit", "groups", "random_state"),
)
_COLUMNS = ["method", "split", "t", "n_found", "proven"]


def evaluated_files(record: EvaluationRecord, folder: PathLike, title: str) -> dict[str, bytes]:
    """All files of an evaluation; `title` is the caption of its tables."""
    label = record.source.pos_label
    settings = {**(record.settings or _remembered(record.result.parameters))}
    settings["pos_label"] = None if label is None else str(label)
    return {
        **record.result.files(title),
        "config.toml": config_bytes("evaluate", settings),
        "input.json": json_bytes(brief_input(record.source, folder)),
    }


def _remembered(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a result knows, in one order, whether it was read from a file or not."""
    known = {name: parameters.get(name) for name in sorted(_SETTINGS)}
    phi = known["phi"]
    return {**known, "phi": dict(sorted(phi.items())) if isinstance(phi, dict) else phi}


def read_evaluation(file: Path) -> EvaluationResult:
    """Read evaluation.json and results.csv beside it; times are 0, since they are no part of a result."""
    record = read_json(file)
    parameters = _parameters(file, record.get("parameters"))
    skipped = check_object(file, "skipped", record.get("skipped"), {}, TEXT)
    failures = check_object(file, "failures", record.get("failures"), {}, TEXT)
    table = file.with_name("results.csv")
    heading, rows = read_table(table)
    task = parameters.get("task", "classes")
    metrics = TASKS[task].metrics if isinstance(task, str) and task in TASKS else {}
    if heading != [*_COLUMNS, *metrics] or not metrics or not rows:
        raise InputError(
            f"{table}: the file must be the evaluation's, but is not; `dugraph mine -o` writes one of that "
            "name.",
            way_out=(
                "Evaluate into a folder of its own and name it with ",
                *(Setting("evaluation", "FOLDER"), "."),
            ),
        )
    by_place = {
        (
            row["method"],
            cell_value(table, "split", row["split"], COUNT, int),
            cell_value(table, "t", row["t"], COUNT, int),
        ): row
        for row in rows
    }
    methods = tuple(dict.fromkeys(method for method, _, _ in by_place))
    sizes = tuple(dict.fromkeys(t for _, _, t in by_place))
    places = list(itertools.product(methods, sorted({split for _, split, _ in by_place})))
    if len(rows) != len(places) * len(sizes) or len(by_place) != len(rows):
        raise damaged(table, "not every method has one row for each split and number of subgraphs")
    cells = [
        _cell(table, method, split, {t: by_place[method, split, t] for t in sizes}, failures, tuple(metrics))
        for method, split in places
    ]
    return EvaluationResult(cells, methods, sizes, parameters, skipped)


def _parameters(file: Path, stored: Any) -> dict[str, Any]:
    # The paper's protocol draws a share of the graphs; folds are whole numbers.
    rules = (
        {"test_size": SHARE}
        if not isinstance(stored, dict) or "n_folds" not in stored
        else {"n_folds": COUNT}
    )
    return check_object(file, "parameters", stored, rules)


def _cell(
    table: Path,
    method: str,
    split: int,
    rows: dict[int, dict[str, str]],
    failures: Mapping[str, str],
    names: tuple[str, ...],
) -> Cell:
    metrics = {t: {name: _metric(table, name, row[name]) for name in names} for t, row in rows.items()}
    found = [
        cell_value(table, "n_found", row["n_found"], COUNT, int) for row in rows.values() if row["n_found"]
    ]
    # A method without features in a split has no metrics there, and a reason.
    failed = method in failures and all(math.isnan(v) for row in metrics.values() for v in row.values())
    return Cell(
        method=method,
        split=split,
        metrics={} if failed else metrics,
        n_found=min(found, default=None),
        proven={_truth(table, row["proven"]) for row in rows.values()} == {True},
        failure=failures[method] if failed else "",
        mining_seconds=0.0,
        svm_seconds=0.0,
    )


def _metric(table: Path, name: str, text: str) -> float:
    rule = NUMBER if name in PHENOTYPE_METRICS else SHARE
    return float(cell_value(table, name, text, rule)) if text not in ("", "nan") else math.nan


def _truth(table: Path, text: str) -> bool:
    if text not in ("True", "False"):
        raise damaged(table, f"proven must be True or False and is {shown(text)!r}")
    return text == "True"
