"""`from_array`: matrices of all subjects in one array, and the table of subjects, as a cohort."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import as_list
from dugraph.data.graph_arrays import real_array
from dugraph.exceptions import InputError
from dugraph.files.npz import MAX_BYTES
from dugraph.io.arrays import ids_in_order, matrix_samples, subjects_first
from dugraph.io.cohort import Labels, build_cohort
from dugraph.io.connectomes import joined
from dugraph.io.guards import MemoryBudget
from dugraph.io.missing import Missing
from dugraph.io.options import ReadOptions
from dugraph.io.participants import read_participants
from dugraph.io.probabilities import ProbabilityStep


def from_array(
    array: ArrayLike,
    participants: str | os.PathLike[str] | Any | None = None,
    *,
    node_labels: Sequence[str] | None = None,
    node_coordinates: ArrayLike | None = None,
    id_column: str | None = None,
    group_column: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    values: str = "correlation",
    probability: str | None = None,
    threshold: float | None = None,
    density: float | None = None,
    n_timepoints: int | None = None,
    missing: str = "refuse",
    max_missing: float | None = None,
    max_memory: int = MAX_BYTES,
) -> tuple[UncertainGraphs, Labels | None]:
    """Make a cohort from one array of connectivity matrices; row i of the table is matrix i.

    Parameters
    ----------
    array : array-like of shape (n_subjects, n_regions, n_regions) or (n_regions, n_regions, n_subjects)
        Symmetric matrices.
    participants : path-like or pandas.DataFrame, optional
        The table of subjects, in the order of the matrices, with one row for each.
    node_labels : sequence of str, optional
        Names of the regions.
    node_coordinates : array-like of shape (n_regions, 3), optional
    id_column, group_column, positive, negative : str, optional
        As for `read_cohort`.
    values : {"correlation", "fisher_z", "count", "probability"}, default "correlation"
        What the numbers are.
    probability, threshold, density, n_timepoints, missing, max_missing, max_memory
        As for `read_cohort`.

    Returns
    -------
    graphs : UncertainGraphs
    y : ndarray of int, shape (n_graphs,), or None
        1 for the positive class, 0 for the negative one; None without a table.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from dugraph import from_array
    >>> matrices = np.ones((2, 3, 3))
    >>> matrices[1] = [[1, 0.5, 0.2], [0.5, 1, -0.1], [0.2, -0.1, 1]]
    >>> table = pd.DataFrame({"id": ["a", "b"], "group": ["patient", "control"]})
    >>> graphs, y = from_array(matrices, table, node_labels=["Insula", "Cuneus", "Thalamus"])
    >>> graphs.edge_probability.tolist(), y.tolist()
    ([[1.0, 1.0, 1.0], [0.5, 0.2, 0.0]], [1, 0])
    """
    budget = MemoryBudget(max_memory)
    ReadOptions(budget, values)  # refuses words that no one knows
    try:
        numbers = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"array must hold numbers: {error}.", parameter="array") from error
    stack, axis = subjects_first(numbers, "array")
    table = None
    if participants is not None:
        table = read_participants(participants, budget, id_column, group_column)
    ids, order = ids_in_order(len(stack), None if table is None else table.ids, "array")
    labels = None
    if node_labels is not None:
        labels = tuple(map(str, as_list(node_labels, "node_labels", "names")))
    places = None
    if node_coordinates is not None:
        places = real_array(node_coordinates, "node_coordinates", 2, "(n_nodes, 3)")
    samples = matrix_samples(stack, ids, "array", labels, places)
    connectomes = joined(samples, values, budget, notes={"subjects": order, "subject_axis": axis})
    rule = Missing(missing, max_missing)
    step = ProbabilityStep(probability, threshold, density, n_timepoints, rule)
    return build_cohort(connectomes, step, table, positive, negative, False, {"source": "array"})
