"""What commands say of the classes of a cohort, and the saved models that they are given."""

import json
from pathlib import Path
from typing import Any

from dugraph.data import LabelledGraphs
from dugraph.data.phenotype import CLASSES
from dugraph.data.wording import shown
from dugraph.exceptions import InputError


def class_headings(cohort: LabelledGraphs) -> list[str]:
    """Head the columns of the groups: two classes by name, or by role if names are numbers."""
    if cohort.kind != CLASSES:
        return [shown(name) for name in cohort.group_names] or ["frequency"]
    named = all(any(map(str.isalpha, name)) for name in cohort.names)
    return [shown(name) for name in cohort.names] if named else ["positive", "negative"]


def model_of(path: str) -> Any:
    """Read a fitted estimator; a file of another kind is called by its name, since arguments get swapped."""
    from dugraph.estimators import load_model

    try:
        return load_model(path)
    except InputError as error:
        instead = _instead(Path(path))
        if instead is None:
            raise
        raise InputError(
            f"{path}: the first argument must be a model, a model.json written by `dugraph mine -o` or "
            f"`sparse -o`, but {instead}. The cohort file comes second."
        ) from error


def _instead(path: Path) -> str | None:
    """What the file is, in words; None if it may be a model."""
    if path.is_dir():
        model = path / "model.json"
        return f"this is a folder; the model in it is {model}" if model.is_file() else "this is a folder"
    if not path.exists():
        return f"there is no such file{_command_without_model(path.parent)}"
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if content.startswith(b"PK"):
        return "this is a cohort file or another zip archive"
    if not content:
        return "this is an empty file"
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        return None if content.startswith(b"{") else "this is not JSON"
    if not isinstance(record, dict):
        return "this is JSON of another kind"
    if str(record.get("format")).startswith("dugraph."):
        return None
    if record.get("command") in ("mine", "sparse"):
        name = record["command"]
        return f"this is the record results.json of `dugraph {name}`; the model is in the same folder"
    return "this is JSON of another kind"


def _command_without_model(folder: Path) -> str:
    """Say so if the folder holds a test, which has no model."""
    try:
        record = json.loads((folder / "results.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    tested = isinstance(record, dict) and record.get("command") == "test"
    return ": `dugraph test` writes no model" if tested else ""
