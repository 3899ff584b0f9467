"""A sparse model as plain JSON values and back, floats to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dugraph.estimators.plain_values import decode, encode
from dugraph.probability.containment import check_subgraph
from dugraph.search import Status
from dugraph.sparse.model import SparseModel

_FLOATS = ("alpha", "intercept", "objective", "duality_gap")


def model_members(model: SparseModel) -> dict[str, Any]:
    """Return a model as what JSON can hold."""
    return {
        "subgraphs": [list(subgraph) for subgraph in model.subgraphs],
        "coef": encode(model.coef, "coef"),
        **({"covariate_coef": encode(model.covariate_coef, "coef")} if len(model.covariate_coef) else {}),
        "status": model.status.value,
        **{name: encode(float(getattr(model, name)), name) for name in _FLOATS},
    }


def restored_model(stored: Mapping[str, Any], n_edges: int, n_covariates: int) -> SparseModel:
    """The model of what `model_members` gave; KeyError, TypeError or ValueError if it is something else."""
    subgraphs = [check_subgraph(subgraph, n_edges) for subgraph in stored["subgraphs"]]
    coef = decode(stored["coef"])
    if coef.shape != (len(subgraphs),) or coef.dtype != np.float64:
        raise ValueError("there must be as many coefficients as subgraphs")
    of_covariates = decode(stored["covariate_coef"]) if "covariate_coef" in stored else np.empty(0)
    if of_covariates.shape != (n_covariates,) or of_covariates.dtype != np.float64:
        raise ValueError("there must be as many coefficients as covariates")
    return SparseModel(
        subgraphs=subgraphs,
        coef=coef,
        status=Status(stored["status"]),
        covariate_coef=of_covariates,
        **{name: float(decode(stored[name])) for name in _FLOATS},
    )
