"""What a folder holds to be reported: subgraphs mined or fitted, an evaluation, and the cohort of both."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs, check_labels, class_names, load_cohort
from dugraph.data.wording import shown
from dugraph.exceptions import InputError, Setting
from dugraph.report.checked_files import TEXT, check_object, damaged, read_json
from dugraph.report.evaluation_record import Evaluation, read_evaluation
from dugraph.report.record import Found, Penalty, is_fit, read_found, read_path

PathLike = str | os.PathLike[str]


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
        Written by `dugraph mine -o`, `dugraph sparse -o` or `dugraph evaluate -o`.
    data : path-like or None
        The cohort file; None: where the results say.
    evaluation : path-like or None
        The folder of an evaluation, to be reported with the subgraphs in `folder`; None: what is in `folder`.
    """
    home = Path(folder)
    if not home.is_dir():
        raise InputError(f"{folder}: a report is of a folder with results, but there is no such folder.")
    where = home if evaluation is None else Path(evaluation)
    mined, evaluated = home / "results.json", where / "evaluation.json"
    if evaluation is not None and not mined.is_file() and (home / "evaluation.json").is_file():
        raise InputError(
            (
                *(f"{home}: with ", Setting("evaluation", "FOLDER"), " a report is of subgraphs and an "),
                "evaluation, but this is an evaluation itself.",
            ),
            parameter="evaluation",
            way_out=(
                f"Name the folder of `dugraph mine -o` or `sparse -o` first, and {home} with ",
                *(Setting("evaluation"), "."),
            ),
        )
    if not mined.is_file() and not evaluated.is_file():
        raise InputError(_nothing(home))
    record = read_json(mined) if mined.is_file() else None
    judged = read_evaluation(evaluated) if evaluated.is_file() else None
    if evaluation is not None and judged is None:
        raise InputError(f"{evaluation}: the folder must hold what `dugraph evaluate` writes, but does not.")
    told = where / "input.json"
    source = (
        _read_source(told, read_json(told)) if record is None else _read_source(mined, record.get("input"))
    )
    if record is not None and judged is not None and told.is_file():
        _check_same(source, _read_source(told, read_json(told)), where)
    cohort = _read_cohort(mined if record is not None else told, source, data)
    found = [] if record is None else read_found(mined, record, cohort.graphs)
    path = read_path(home / "path.csv") if record is not None and is_fit(record) else []
    return Parts(cohort, record, found, judged, path)


def _nothing(home: Path) -> str:
    inner = sorted(path.parent.name for path in home.glob("*/results.json"))
    hint = f" Its folders {', '.join(inner)} do: name one of them." if inner else ""
    return (
        f"{home}: a report is of a folder written by `dugraph mine -o`, `sparse -o` or `evaluate -o`, but it "
        f"holds neither results.json nor evaluation.json.{hint}"
    )


def _read_source(file: Path, source: object) -> dict[str, str]:
    return check_object(
        file, "input", source, dict.fromkeys(("file", "path", "positive_class", "sha256"), TEXT)
    )


def _check_same(mined: dict[str, str], evaluated: dict[str, str], where: Path) -> None:
    if mined["sha256"] != evaluated["sha256"]:
        raise InputError(
            f"{where}: mining and evaluation must be of the same cohort file, but their hashes differ. "
            "Report them apart."
        )


def _read_cohort(told: Path, source: dict[str, str], data: PathLike | None) -> Cohort:
    file, digest, wanted = source["file"], source["sha256"], source["positive_class"]
    path = Path(data) if data is not None else told.parent / source["path"]
    if data is None and not os.path.isfile(path):  # which takes any text, however long
        raise InputError(
            f"{path}: the cohort of these results is not there.",
            parameter="data",
            way_out=("Name it with ", Setting("data", "FILE"), "."),
        )
    with open(path, "rb") as opened:
        if hashlib.file_digest(opened, "sha256").hexdigest() != digest:
            raise InputError(
                f"{path}: the cohort must be the file that was mined, but its SHA-256 is not "
                f"{digest[:12]}...",
                parameter="data",
                way_out=("Name the right one with ", Setting("data", "FILE"), ", or mine again."),
            )
    graphs, y = load_cohort(path)
    if y is None:
        raise InputError(
            f"{path}: a report needs class labels, but the file has none.",
            way_out="Convert it again with a table of participants, or save it with y.",
        )
    # Of a short float NumPy's text and Python's differ, and either may be written.
    label = next((one.item() for one in y if wanted in (str(one), str(one.item()))), None)
    if label is None:
        raise damaged(told, f"the cohort has no graph of the class {shown(wanted)}")
    positive, _ = check_labels(y, graphs.n_graphs, label)
    classes = class_names(graphs, y, label)
    return Cohort(file, digest, graphs, positive, str(y[positive][0]), classes)
