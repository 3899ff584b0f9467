"""The classes of a cohort on the command line: they must be there, and go by their labels or names."""

from typing import Any

from dugraph import UncertainGraphs, load_cohort
from dugraph.data import check_labels, class_names
from dugraph.data.class_labels import WITHOUT_LABELS
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
        raise InputError(f"{path}: {who_needs} class labels, but the file has none. {WITHOUT_LABELS}")
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
        f"{told[1]}."
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
