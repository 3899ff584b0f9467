"""The files that a command is given: a cohort with class labels and names of classes, a saved model."""

import json
from pathlib import Path
from typing import Any

from dugraph import UncertainGraphs, load_cohort
from dugraph.data import check_labels, class_names
from dugraph.data.wording import shown
from dugraph.exceptions import InputError


def labelled_cohort(path: str, who_needs: str) -> tuple[UncertainGraphs, Any]:
    """Load a cohort that must have class labels.

    Parameters
    ----------
    path : str
    who_needs : str
        The beginning of the message if it has none: ``mining needs``.
    """
    graphs, y = load_cohort(path)
    if y is None:
        raise InputError(
            f"{path}: {who_needs} class labels, but the file has none.",
            way_out="Convert it again with --participants FILE, or save it with y.",
        )
    return graphs, y


def class_of(text: str | None, graphs: UncertainGraphs, y: Any) -> object:
    """Give the class label that is written or named so; a label wins over a name."""
    labels = sorted(set(y.tolist()))
    if text is None or len(labels) != 2:
        return text
    names = class_names(graphs, y)[::-1]
    known = {name: label for label, name in zip(labels, names, strict=True)}
    known |= {str(label): label for label in labels}
    if text in known:
        return known[text]
    told = [
        shown(label) if str(label) == name else f"{shown(label)} ({shown(name)})"
        for label, name in zip(labels, names, strict=True)
    ]
    raise InputError(
        f"pos_label must be one of the two classes: got {shown(text)!r}, the classes are {told[0]} and "
        f"{told[1]}.",
        parameter="pos_label",
    )


def class_sizes(y: Any, pos_label: object) -> tuple[int, int]:
    """How many graphs the positive and the negative class have."""
    positive, _ = check_labels(y, len(y), pos_label)
    n_pos = int(positive.sum())
    return n_pos, len(y) - n_pos


def class_headings(graphs: UncertainGraphs, y: Any, pos_label: object) -> list[str]:
    """Head the columns of the positive and the negative class: by name, or by role if names are numbers."""
    names = class_names(graphs, y, pos_label)
    named = all(any(map(str.isalpha, name)) for name in names)
    return [shown(name) for name in names] if named else ["positive", "negative"]


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
            f"{path}: the first argument must be a model, model.json as `dugraph mine -o` or `sparse -o` "
            f"wrote it, but this is {instead}. The cohort file comes second."
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
        return None if content.startswith(b"{") else "no JSON"
    if not isinstance(record, dict):
        return "JSON of another kind"
    if str(record.get("format")).startswith("dugraph."):
        return None
    if record.get("command") in ("mine", "sparse"):
        return f"the record results.json of `dugraph {record['command']}`; the model is beside it"
    return "JSON of another kind"
