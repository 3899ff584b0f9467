"""results.json, results.csv, path.csv and config.toml of `dugraph sparse`: the model, in what, how."""

import os
from typing import Any

import numpy as np

from dugraph import SparseSubgraphClassifier, Status
from dugraph.cli.ranking import RankedSubgraph
from dugraph.cli.result_record import (
    Source,
    config_bytes,
    csv_bytes,
    input_record,
    ranking_bytes,
    subgraph_record,
    versions_record,
)
from dugraph.files.json_text import json_bytes

_PATH_COLUMNS = ("alpha", "n_nonzero", "objective", "duality_gap", "cv_loss_mean", "cv_loss_sd")
# What a record says of the fit; the others are about the machine.
_ASKED = (
    *("alpha", "n_nonzero", "loss", "min_expected_frequency", "max_edges", "n_alphas", "alpha_min_ratio"),
    *("cv", "tol"),
)


def signed_coefficients(model: SparseSubgraphClassifier, source: Source) -> tuple[list[float], float]:
    """Coefficients and intercept, signed so that above 0 they speak for the positive class."""
    sign = -1.0 if source.pos_label == model.classes_[0] else 1.0
    return (sign * model.coef_[0]).tolist(), sign * float(model.intercept_[0])


def fit_message(model: SparseSubgraphClassifier) -> str:
    """What is proven, in a sentence or two."""
    gap = f"{model.duality_gap_:.3g}"
    if model.model_.status is not Status.OPTIMAL:
        imprecise = model.model_.status is Status.PRECISION_LIMIT
        limit = "tol is beyond rounding" if imprecise else "The time limit was reached"
        return (
            f"{limit}: the model is valid, but another one over the admitted subgraphs may have an objective "
            f"lower by up to {gap}."
        )
    proven = (
        f"Proven: no model over the admitted subgraphs has an objective lower by more than {gap} at this "
        "penalty."
    )
    if model.finished_:
        return proven
    return f"{proven} The time limit was reached before all penalties and folds were tried."


def sparse_files(
    source: Source,
    folder: str | os.PathLike[str],
    settings: dict[str, Any],
    model: SparseSubgraphClassifier,
    ranked: list[RankedSubgraph],
    features: str,
) -> dict[str, bytes]:
    """Give the contents of the four files by their names.

    Parameters
    ----------
    source : Source
        What the model was fitted to.
    folder : path-like
        Where the files are to be written.
    settings : dict
        The parameters of the fit as they were given.
    model : SparseSubgraphClassifier
        Fitted.
    ranked : list of RankedSubgraph
        Its subgraphs with their signed coefficients.
    features : str
        The form of the matrix of features, for the record.
    """
    status = model.model_.status
    _, intercept = signed_coefficients(model, source)
    record = {
        "command": "sparse",
        "counters": {"n_searches": model.n_searches_},
        "input": input_record(source, folder),
        "intercept": intercept,
        "parameters": {**{name: settings[name] for name in _ASKED}, "alpha_in_use": model.alpha_},
        "proof": {
            "duality_gap": model.duality_gap_,
            "message": fit_message(model),
            "objective": model.objective_,
            "status": status.value,
            "success": model.finished_ and status is Status.OPTIMAL,
        },
        "subgraphs": [subgraph_record(subgraph, source.graphs, "coefficient") for subgraph in ranked],
        "versions": versions_record(),
    }
    return {
        "results.json": json_bytes(record),
        "results.csv": ranking_bytes("coefficient", ranked, {}),
        "path.csv": csv_bytes(_PATH_COLUMNS, _path_rows(model)),
        "config.toml": config_bytes("sparse", source, settings, features),
    }


def _path_rows(model: SparseSubgraphClassifier) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    losses = getattr(model, "cv_losses_", np.empty((0, 0)))
    for i, one in enumerate(model.path_):
        # Held-out losses are those of the first models, as far as n_nonzero and the time let them be.
        tried = i < len(losses) and bool(np.isfinite(losses[i]).all())
        held_out = (float(losses[i].mean()), float(losses[i].std())) if tried else ("", "")
        rows.append((one.alpha, len(one.coef), one.objective, one.duality_gap, *held_out))
    return rows
