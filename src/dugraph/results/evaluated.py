"""An evaluation as a record, its own files, and the evaluation read from them again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.arguments import abbreviate
from dugraph.data.labels import CLASSES, GROUPS
from dugraph.evaluation.cells import Cell
from dugraph.evaluation.result import EvaluationResult, HeldOut
from dugraph.exceptions import InputError, Setting
from dugraph.files.text import json_bytes
from dugraph.io.writers import feature_table
from dugraph.results.record import EvaluationRecord
from dugraph.results.rules import (
    COUNT,
    NUMBER,
    SHARE,
    TEXT,
    TEXTS,
    cell_value,
    check_object,
    damaged,
    read_json,
    read_table,
)
from dugraph.results.run_id import check_run_id
from dugraph.results.source import PathLike, brief_input
from dugraph.results.tables import settings_used
from dugraph.settings import EvaluateSettings
from dugraph.words import PHENOTYPE_METRICS, TASKS

FORECASTS_FILE = "forecasts.csv"
_COLUMNS = ["method", "split", "t", "n_found", "proven"]


def evaluated_files(record: EvaluationRecord, folder: PathLike, title: str) -> dict[str, bytes]:
    """All files of an evaluation; `title` is the caption of its tables."""
    options, asked = EvaluateSettings.options(), record.result.parameters
    known = {name: value for name, value in asked.items() if name in options and value}
    # As they were written by the user, such as "all" for the methods.
    given = {**known, **record.settings}
    settings = settings_used("evaluate", {}, given, record.source, phenotype=record.phenotype)
    unused = EvaluateSettings.unused(record.result.task == CLASSES)
    return {
        **record.result.files(title),
        **_forecasts(record.result.held_out),
        "config.toml": settings.to_toml(without=unused),
        "input.json": json_bytes(brief_input(record.source, folder)),
    }


def _forecasts(held: HeldOut | None) -> dict[str, bytes]:
    """A row for each graph: its phenotype, and what each method forecast of it."""
    if held is None:
        return {}
    names = [_column(*key) for key in held.forecasts]
    values = np.column_stack(list(held.forecasts.values()))
    return {
        FORECASTS_FILE: feature_table("csv", held.graph_ids, names, values, held.observed, label="observed")
    }


def _column(method: str, t: int) -> str:
    return f"{method} t={t}"


def read_evaluation(file: Path) -> EvaluationResult:
    """Read evaluation.json and results.csv; times are 0, since they are not part of a result."""
    record = read_json(file)
    parameters = _parameters(file, record.get("parameters"))
    skipped = check_object(file, "skipped", record.get("skipped"), {}, TEXT)
    failures = check_object(file, "failures", record.get("failures"), {}, TEXT)
    table = file.with_name("results.csv")
    heading, rows = read_table(table)
    task = parameters.get("task", "classes")
    metrics = TASKS[task].metrics if isinstance(task, str) and task in TASKS else {}
    if not {*parameters.get("scoring", [])} <= {*metrics}:
        raise damaged(file, f"scoring must be metrics, of {', '.join(metrics)}")
    if heading != [*_COLUMNS, *metrics] or not metrics or not rows:
        raise InputError(
            f"{table}: the file must come from an evaluation, but does not; `dugraph mine -o` writes one of "
            "the same name.",
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
    forecasts = _read_forecasts(file.with_name(FORECASTS_FILE), methods, sizes)
    check_run_id(file, record)
    return EvaluationResult(cells, methods, sizes, parameters, skipped, forecasts)


def _read_forecasts(table: Path, methods: tuple[str, ...], sizes: tuple[int, ...]) -> HeldOut | None:
    if not table.is_file():
        return None
    heading, rows = read_table(table)
    known = {_column(method, t): (method, t) for method in methods for t in sizes}
    if heading[:2] != ["graph_id", "observed"] or not set(heading[2:]) <= set(known) or not rows:
        raise damaged(table, "its columns must be graph_id, observed, and the methods of results.csv")
    numbers = {
        name: np.array([cell_value(table, name, row[name], NUMBER) for row in rows]) for name in heading[1:]
    }
    ids = tuple(row["graph_id"] for row in rows)
    return HeldOut(ids, numbers["observed"], {known[name]: numbers[name] for name in heading[2:]})


def _parameters(file: Path, stored: Any) -> dict[str, Any]:
    # Random splits have a share of test graphs, folds a number; splits of users have neither.
    rules = {"test_size": SHARE}
    if isinstance(stored, dict) and ("n_folds" in stored or stored.get("cv") is not None):
        rules = {name: COUNT for name in ("n_folds", "n_repeats") if name in stored}
    if isinstance(stored, dict) and stored.get("task", CLASSES) != CLASSES:
        rules |= {"covariates": TEXTS} | ({"n_groups": COUNT} if stored["task"] == GROUPS else {})
    rules |= {"scoring": TEXTS} if isinstance(stored, dict) and "scoring" in stored else {}
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
        raise damaged(table, f"proven must be True or False and is {abbreviate(text)!r}")
    return text == "True"
