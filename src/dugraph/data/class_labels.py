"""Class labels: exactly two classes, one of them positive."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.columns import Column, as_column, is_missing
from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Spoken

# From here on, whole numbers are rather ages or scores of a questionnaire than codes of groups.
_MOST_CLASSES = 10
CONTINUOUS_WAY_OUT = (
    Spoken(
        "Test it as it is with dugraph.significant_subgraphs, or divide it into two classes first.",
        "Divide it into two classes first; in Python, dugraph.significant_subgraphs tests it as it is.",
    ),
)


def check_labels(
    y: object, n_graphs: int, pos_label: object = None
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Check class labels and tell which graphs are positive.

    Parameters
    ----------
    y : sequence of shape (n_graphs,)
        Class of each graph: text, numbers or booleans, exactly two distinct values.
    n_graphs : int
        Number of graphs in the cohort.
    pos_label : optional
        The positive class; by default the last in sorted order.

    Returns
    -------
    is_positive : ndarray of bool, shape (n_graphs,)
    classes : ndarray of shape (2,)
        Both classes in sorted order.
    """
    labels = label_column(y, n_graphs)
    if labels.dtype.kind == "O":
        types = sorted({type(label).__name__ for label in labels})
        raise InputError(
            f"Class labels must be all text, all numbers or all booleans: y holds {listed(types)}. "
            "Convert y to text or to integers."
        )
    classes, sizes = np.unique(labels, return_counts=True)
    if is_continuous(classes):
        raise InputError(
            f"y must have exactly two classes: got {len(classes)} different numbers, and continuous "
            "phenotypes are not supported here.",
            way_out=CONTINUOUS_WAY_OUT,
        )
    if len(classes) != 2:
        found = [
            f"{shown(label)} ({counted(int(size), 'graph')})"
            for label, size in zip(classes, sizes, strict=True)
        ]
        # The counts are ours, so the parts are joined here instead of being shortened again.
        text = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
        raise InputError(
            f"y must have exactly two classes: got {len(classes)}: {text}. "
            "Keep the graphs of two classes, or merge classes."
        )
    # Compared as Python values: NumPy warns when text is compared with numbers.
    candidates = classes.tolist()
    if pos_label is None:
        return labels == classes[1], classes
    if isinstance(pos_label, np.ndarray) or pos_label not in candidates:
        raise InputError(
            f"pos_label must be one of the two classes: got {shown(repr(pos_label))}, "
            f"the classes are {shown(repr(candidates[0]))} and {shown(repr(candidates[1]))}.",
            parameter="pos_label",
        )
    return labels == classes[candidates.index(pos_label)], classes


def is_continuous(distinct: NDArray[Any]) -> bool:
    """Whether the distinct labels look like measurements: more than two numbers, with fractions or many."""
    if distinct.dtype.kind not in "iuf" or len(distinct) <= 2:
        return False
    return len(distinct) > _MOST_CLASSES or bool((distinct != np.floor(distinct)).any())


def positive_class(classes: NDArray[Any], pos_label: object = None) -> Any:
    """Return the label of the positive class; parameters as `check_labels` gives and takes them."""
    labels = classes.tolist()
    return labels[1] if pos_label is None else labels[labels.index(pos_label)]


def label_column(y: object, n_graphs: int) -> Column:
    """Check that `y` is a flat column with one present label per graph, of any number of classes."""
    labels = as_column(y, "y")
    if len(labels) != n_graphs:
        raise InputError(
            f"y must have one label per graph: got {counted(len(labels), 'label')} for "
            f"{counted(n_graphs, 'graph')}. Align y with the graphs first."
        )
    if labels.dtype.kind not in "biufUO":
        raise InputError(
            f"Class labels must be text, numbers or booleans: y has dtype {labels.dtype}. Convert it."
        )
    for i, label in enumerate(labels):
        if is_missing(label):
            raise InputError(
                f"Class labels must not be missing: y[{i}] is {shown(repr(label))}. "
                "Drop the graphs without a label."
            )
    return labels
