"""What is tested: y as two classes, as a continuous phenotype, or as several groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.class_names import class_names
from dugraph.data.columns import as_column, is_missing
from dugraph.data.missing import check_present
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Setting

CLASSES, GROUPS, PHENOTYPE = "classes", "groups", "phenotype"
"""What y can be."""


@dataclass(frozen=True)
class Phenotype:
    """Each graph's label as a code, and what a code is worth in each contrast.

    Two classes and a continuous phenotype are one contrast. Several groups are one contrast per group, that
    group against the rest: any difference among the groups' means shows in at least one of these, there are
    only as many as groups, and with two groups they are the test of two classes.

    Attributes
    ----------
    kind : str
        "classes", "phenotype" or "groups".
    codes : ndarray of int, shape (n_graphs,)
        The label of each graph: a row of `values`.
    values : ndarray of shape (n_labels, n_contrasts)
        What each label is worth: 0 or 1 for classes and groups, the phenotype itself otherwise.
    contrasts : tuple of str
        The contrasts in words.
    """

    kind: str
    codes: NDArray[np.int64]
    values: NDArray[np.float64]
    contrasts: tuple[str, ...]


def check_phenotype(y: object, cohort: UncertainGraphs, pos_label: object = None) -> Phenotype:
    """Read y: text and booleans name groups; numbers are a phenotype, or classes where there are just two.

    Of two classes, effects are those of `pos_label` against the other one; None: of the last in sorted order.
    """
    labels = as_column(y, "y")
    if len(labels) != cohort.n_graphs:
        raise InputError(
            f"y must have one label per graph: got {counted(len(labels), 'label')} for "
            f"{counted(cohort.n_graphs, 'graph')}. Align y with the graphs first.",
            parameter="y",
        )
    check_present(labels, "y", cohort.graph_ids, "y")
    if labels.dtype.kind not in "biufU":
        raise InputError(
            f"y must be all text, all numbers or all booleans: its dtype is {labels.dtype}. Convert it to "
            "text for groups, or to numbers for a phenotype.",
            parameter="y",
        )
    distinct, codes = np.unique(labels, return_inverse=True)
    if len(distinct) < 2:
        raise InputError(
            f"y must take at least two values: every graph has {shown(repr(distinct.tolist()[0]))}.",
            parameter="y",
            way_out=("Without a difference in ", Setting("y"), " there is nothing to test."),
        )
    if len(distinct) == 2:
        positive, negative = class_names(cohort, labels, pos_label)
        contrast = f"{shown(positive)} against {shown(negative)}"
        greater = pos_label is None or bool(distinct.tolist()[1] == pos_label)
        return Phenotype(CLASSES, codes, np.array([[0.0], [1.0]])[:: 1 if greater else -1], (contrast,))
    if labels.dtype.kind != "U":
        return _continuous(distinct, codes, cohort)
    _check_group_sizes(distinct, codes)
    contrasts = tuple(f"{shown(group)} against the rest" for group in distinct)
    return Phenotype(GROUPS, codes, np.eye(len(distinct)), contrasts)


def n_distinct(y: object) -> int:
    """How many values y takes, missing ones aside; 0 if they cannot be compared."""
    labels = as_column(y, "y")
    present = [label for label in labels.tolist() if not is_missing(label)]
    return len(set(present)) if labels.dtype.kind in "biufU" else 0


def _continuous(distinct: NDArray[Any], codes: NDArray[np.int64], cohort: UncertainGraphs) -> Phenotype:
    values = distinct.astype(np.float64)
    if not np.isfinite(values).all():
        i = int(np.flatnonzero(~np.isfinite(values[codes]))[0])
        raise InputError(
            f"A phenotype must be finite: that of {shown(cohort.graph_ids[i])} is "
            f"{float(values[codes[i]])!r}. Drop the graph, or correct its value.",
            parameter="y",
        )
    return Phenotype(PHENOTYPE, codes, values[:, None], ("per unit of y",))


def _check_group_sizes(groups: NDArray[Any], codes: NDArray[np.int64]) -> None:
    sizes = np.bincount(codes)
    if sizes.max() == 1:
        raise InputError(
            (
                *(
                    f"A group must have several graphs, but each of the {len(groups)} values of ",
                    Setting("y"),
                ),
                f" ({listed(groups)}) belongs to one graph.",
            ),
            parameter="y",
            way_out=("If ", Setting("y"), " is a phenotype, pass numbers instead of text."),
        )
