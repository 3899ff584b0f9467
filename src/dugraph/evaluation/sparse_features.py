"""The subgraphs of a sparse model as features, and its own decisions, for each number of subgraphs.

"sparse" hands them to the machine that all methods share; "sparse-own" decides by the model's coefficients.
"l1-edges" and "l1-edges-own" are the same without any subgraph of more than one edge.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.exceptions import LimitReachedWarning
from dugraph.search import Status
from dugraph.sparse import SparseModel, sparse_path

SPARSE = ("sparse", "sparse-own")
L1_EDGES = ("l1-edges", "l1-edges-own")
_PASSED_ON = ("min_expected_frequency", "max_edges", "n_jobs", "time_limit")


def sparse_models(
    method: str,
    graphs: UncertainGraphs,
    y: NDArray[np.int64],
    n_subgraphs: Sequence[int],
    settings: Mapping[str, Any],
) -> dict[int, SparseModel]:
    """Fit one path and give, for each t, its last model before the first with more than t subgraphs.

    Parameters
    ----------
    method : str
        One of `SPARSE` or `L1_EDGES`.
    graphs, y
        Training graphs and their classes (1 is positive).
    n_subgraphs : sequence of int
        The t.
    settings : mapping
        Parameters of `make_method`; those that a path knows are used.
    """
    known = {name: settings[name] for name in _PASSED_ON if name in settings}
    if method in L1_EDGES:
        known.update(min_expected_frequency=0.0, max_edges=1)
    with warnings.catch_warnings():
        # Kept with the result of the cell, where it can be counted.
        warnings.simplefilter("ignore", LimitReachedWarning)
        path = sparse_path(graphs, y, pos_label=1, n_nonzero=max(n_subgraphs), **known)
    models = {}
    for t in n_subgraphs:
        many = next((k for k, model in enumerate(path) if len(model.coef) > t), len(path))
        models[t] = path[max(many - 1, 0)]
    return models


def proven(models: Mapping[int, SparseModel]) -> bool:
    """Whether every model reached its tolerance."""
    return all(model.status is Status.OPTIMAL for model in models.values())
