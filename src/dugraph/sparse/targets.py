"""What decision values should be: 1 or -1 for classes, one class against the rest, or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.class_labels import label_column
from dugraph.data.label_order import check_label_order
from dugraph.data.wording import shown
from dugraph.exceptions import InputError
from dugraph.sparse.losses import Loss, Squared, check_loss
from dugraph.words import SQUARED

Floats = NDArray[np.float64]


def signs(chosen: NDArray[np.bool_]) -> Floats:
    """1 for graphs of the class in question, -1 for the others."""
    return np.where(chosen, 1.0, -1.0)


def path_input(
    X: Any, y: Any, pos_label: object, edges: Any, loss: object
) -> tuple[UncertainGraphs, Floats, type[Loss]]:
    """Check what a path is to be fitted to; parameters as for `sparse_path`."""
    if not isinstance(loss, str) or loss != SQUARED:
        found = check_loss(loss)
        cohort = LabelledGraphs.of(X, y, pos_label, edges)
        return cohort.graphs, signs(cohort.positive), found
    if isinstance(X, LabelledGraphs) or pos_label is not None:
        raise InputError(
            'loss="squared" is for a phenotype, which has no classes: pass the graphs as X, the numbers as '
            "y, and no pos_label.",
            parameter="loss",
        )
    graphs = check_cohort(X, edges)
    check_label_order(y, X)
    return graphs, check_numbers(label_column(y, graphs.n_graphs), graphs), Squared


def check_numbers(y: NDArray[Any], graphs: UncertainGraphs) -> Floats:
    """The phenotype, if it is finite numbers."""
    if y.dtype.kind not in "biuf":
        raise InputError(
            f"A phenotype must be numbers, but y has dtype {y.dtype}. For names of groups use "
            "SparseSubgraphClassifier.",
            parameter="y",
        )
    numbers = y.astype(np.float64)
    if not np.isfinite(numbers).all():
        i = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(
            f"A phenotype must be finite: that of {shown(graphs.graph_ids[i])} is {float(numbers[i])!r}. "
            "Drop the graph, or correct its value.",
            parameter="y",
        )
    return numbers
