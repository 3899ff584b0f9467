"""The run id in the record of a result, by which `load_result` notices a folder with files of two runs."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from dugraph.files.atomic import open_file
from dugraph.files.text import run_id
from dugraph.results.rules import TEXT, check_value

TABLE = "results.csv"
"""The file that is replaced first when results are written; the record is replaced last."""


def check_run_id(file: Path, record: dict[str, Any]) -> None:
    """Warn if the files of a folder are not all of the run that wrote its record.

    Parameters
    ----------
    file : Path
        The record: results.json or evaluation.json.
    record : dict
        Its content; without an id if an older release wrote it.
    """
    expected = check_value(file, "run_id", record.get("run_id"), TEXT.or_null())
    table = file.with_name(TABLE)
    if expected is None or not table.is_file():
        return
    with open_file(table) as opened:
        found = run_id(opened.read())
    if found != expected:
        warnings.warn(
            f"{file.parent}: the files must be of one run, but {TABLE} is not the table that was written "
            f"with {file.name}: a later run was stopped while it replaced the files, or the table was "
            "edited. Run it again.",
            stacklevel=3,
        )
