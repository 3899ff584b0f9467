"""What a folder holds to be reported: subgraphs mined or fitted, an evaluation, and the cohort of both."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs, check_labels, class_names, load_cohort
from dugraph.data.class_labels import WITHOUT_LABELS
from dugraph.evaluation.metrics import METRICS
from dugraph.exceptions import InputError
from dugraph.report.record import Found, Penalty, is_fit, read_found, read_path

_FOLD_COLUMNS = ["method", "split", "t", "n_found", "proven", *METRICS]
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Fold:
    """One method with t features on one split: subgraphs found, and metrics, NaN where there are none."""

    method: str
    t: int
    split: int
    n_found: int | None
    metrics: dict[str, float]


@dataclass(frozen=True)
class Evaluation:
    """What `dugraph evaluate` wrote."""

    folds: list[Fold]
    test_size: float
    left_out: dict[str, str]


@dataclass(frozen=True)
class Cohort:
    """The cohort of a report.

    Attributes
    ----------
    file, sha256 : str
        Name of the file as it was mined, and its hash.
    graphs : UncertainGraphs
    positive : ndarray of bool, shape (n_graphs,)
    positive_class : str
        The label of the positive class.
    classes : pair of str
        Names of the positive and the negative class.
    """

    file: str
    sha256: str
    graphs: UncertainGraphs
    positive: NDArray[np.bool_]
    positive_class: str
    classes: tuple[str, str]


@dataclass(frozen=True)
class Parts:
    """All that a report is made of."""

    cohort: Cohort
    record: dict[str, Any] | None
    found: list[Found]
    evaluation: Evaluation | None
    path: list[Penalty]


def read_parts(folder: PathLike, data: PathLike | None, evaluation: PathLike | None) -> Parts:
    """Read a folder and its cohort.

    Parameters
    ----------
    folder : path-like
        Written by `dugraph mine -o` or `dugraph sparse -o`, by `dugraph evaluate -o`, or by both.
    data : path-like or None
        The cohort file; None: where the results say.
    evaluation : path-like or None
        Another folder that holds the evaluation; None: the same.
    """
    home = Path(folder)
    if not home.is_dir():
        raise InputError(f"{folder}: a report is of a folder with results, but there is no such folder.")
    where = home if evaluation is None else Path(evaluation)
    mined, evaluated = home / "results.json", where / "evaluation.json"
    if not mined.is_file() and not evaluated.is_file():
        raise InputError(_nothing(home))
    record = _read_json(mined) if mined.is_file() else None
    judged = _read_evaluation(evaluated) if evaluated.is_file() else None
    if evaluation is not None and judged is None:
        raise InputError(f"{evaluation}: the folder must hold what `dugraph evaluate` writes, but does not.")
    try:
        source = dict(record["input"] if record is not None else _read_json(where / "input.json"))
        if record is not None and judged is not None and (where / "input.json").is_file():
            _check_same(record["input"], _read_json(where / "input.json"), where)
        wanted = source.get("positive_class")
        cohort = _read_cohort(home if record is not None else where, source, data, wanted)
        found = [] if record is None else read_found(record, cohort.graphs.n_edges)
        path = read_path(home / "path.csv") if record is not None and is_fit(record) else []
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{home}: the results must be as `dugraph mine`, `sparse` or `evaluate` wrote them, but are not "
            f"({type(error).__name__}: {error}). Run it again."
        ) from error
    return Parts(cohort, record, found, judged, path)


def _nothing(home: Path) -> str:
    inner = sorted(path.parent.name for path in home.glob("*/results.json"))
    hint = f" Its folders {', '.join(inner)} do: name one of them." if inner else ""
    return (
        f"{home}: a report is of a folder written by `dugraph mine -o`, `sparse -o` or `evaluate -o`, but it "
        f"holds neither results.json nor evaluation.json.{hint}"
    )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{path}: the file belongs to the results, but is missing. Run it again.") from None
    except ValueError as error:
        raise InputError(f"{path}: the file must be JSON, but is damaged ({error}). Run it again.") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: the file must hold a JSON object, but does not. Run it again.")
    return content


def _check_same(mined: dict[str, Any], evaluated: dict[str, Any], where: Path) -> None:
    if mined["sha256"] != evaluated["sha256"]:
        raise InputError(
            f"{where}: mining and evaluation must be of the same cohort file, but their hashes differ. "
            "Report them apart."
        )


def _read_cohort(home: Path, source: dict[str, Any], data: PathLike | None, wanted: object) -> Cohort:
    file, digest = str(source["file"]), str(source["sha256"])
    path = Path(data) if data is not None else home / str(source.get("path", file))
    if data is None and not path.is_file():
        raise InputError(f"{path}: the cohort of these results is not there. Name it with --data FILE.")
    with open(path, "rb") as opened:
        if hashlib.file_digest(opened, "sha256").hexdigest() != digest:
            raise InputError(
                f"{path}: the cohort must be the file that was mined, but its SHA-256 is not {digest[:12]}..."
                " Name the right one with --data FILE, or mine again."
            )
    graphs, y = load_cohort(path)
    if y is None:
        raise InputError(f"{path}: a report needs class labels, but the file has none. {WITHOUT_LABELS}")
    label = next((one for one in y.tolist() if str(one) == str(wanted)), None)
    positive, _ = check_labels(y, graphs.n_graphs, label)
    classes = class_names(graphs, y, label)
    return Cohort(file, digest, graphs, positive, str(y[positive][0]), classes)


def _read_evaluation(path: Path) -> Evaluation:
    record = _read_json(path)
    table = path.with_name("results.csv")
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or list(rows[0]) != _FOLD_COLUMNS:
        raise InputError(
            f"{table}: the file must be the evaluation's, but is not; `dugraph mine -o` writes one of that "
            "name. Evaluate into a folder of its own and name it with --evaluation FOLDER."
        )
    try:
        folds = [
            Fold(
                row["method"],
                int(row["t"]),
                int(row["split"]),
                int(row["n_found"]) if row["n_found"] else None,
                {name: float(row[name] or "nan") for name in METRICS},
            )
            for row in rows
        ]
        left_out = {**record.get("skipped", {}), **record.get("failures", {})}
        return Evaluation(folds, float(record["parameters"]["test_size"]), left_out)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{table}: the evaluation is damaged ({error}). Run it again.") from error
