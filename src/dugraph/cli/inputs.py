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
            f"`sparse -o`, but this is {instead}. The cohort file comes second."
        ) from error


def _instead(path: Path) -> str | None:
    """What the file is, in words; None if it may be a model."""
    if path.is_dir():
        model = path / "model.json"
        return f"a folder; the model in it is {model}" if model.is_file() else "a folder"
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if content.startswith(b"PK"):
        return "a cohort file or another zip archive"
    if not content:
        return "an empty file"
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        return None if content.startswith(b"{") else "not JSON"
    if not isinstance(record, dict):
        return "JSON of another kind"
    if str(record.get("format")).startswith("dugraph."):
        return None
    if record.get("command") in ("mine", "sparse"):
        return f"the record results.json of `dugraph {record['command']}`; the model is in the same folder"
    return "JSON of another kind"
