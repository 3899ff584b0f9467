"""A sparse classifier or regression as a record, and its own files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data.phenotype import PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.files.json_text import json_bytes
from dugraph.results.ranking import RankedSubgraphs
from dugraph.results.record import Penalty, SubgraphRecord
from dugraph.results.rules import (
    COUNT,
    LIST,
    NUMBER,
    POSITIVE,
    TEXT,
    cell_value,
    check_object,
    check_value,
    damaged,
    read_table,
)
from dugraph.results.source import PathLike, Source
from dugraph.results.tables import config_bytes, csv_bytes, ranking_bytes, versions_record
from dugraph.search import Status
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.words import SQUARED

Fitted = SparseSubgraphClassifier | SparseSubgraphRegressor
_PATH_COLUMNS = ("alpha", "n_nonzero", "objective", "duality_gap", "cv_loss_mean", "cv_loss_sd")
# What a record says of the fit; the others are about the machine.
_ASKED = (
    *("alpha", "n_nonzero", "loss", "min_expected_frequency", "max_edges", "n_alphas", "alpha_min_ratio"),
    *("cv", "tol", "covariates"),
)
_SETTINGS = (*_ASKED, "n_jobs", "time_limit")


def fit_message(model: Fitted) -> str:
    """What is proven, in a sentence or two."""
    gap = f"{model.duality_gap_:.3g}"
    if model.model_.status is not Status.OPTIMAL:
        imprecise = model.model_.status is Status.PRECISION_LIMIT
        limit = "tol is below rounding error" if imprecise else "The time limit was reached"
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


def fitted_record(model: Fitted, source: Source, seconds: float | None) -> SubgraphRecord:
    """Make the record of a fit; positive coefficients favour the positive class, or a larger phenotype."""
    status = model.model_.status
    sign = _sign(model, source)
    coefficients = (sign * np.ravel(model.coef_)).tolist()
    of_covariates = (sign * np.ravel(model.covariate_coef_)).tolist()
    asked = {name: _asked(model, name) for name in sorted(_ASKED)}
    if asked["covariates"] is None:  # as in records of earlier releases
        del asked["covariates"]
    return SubgraphRecord(
        command="sparse",
        source=source,
        subgraphs=RankedSubgraphs(model.subgraphs_, coefficients, source.cohort),
        parameters={**asked, "alpha_in_use": model.alpha_},
        proof={
            "duality_gap": model.duality_gap_,
            "message": fit_message(model),
            "objective": model.objective_,
            "status": status.value,
            "success": model.finished_ and status is Status.OPTIMAL,
        },
        counters={"n_searches": model.n_searches_},
        versions=versions_record(),
        make_result=lambda: model,
        settings={name: _asked(model, name) for name in _SETTINGS},
        intercept=sign * float(np.ravel(model.intercept_)[0]),
        covariates=list(zip(model.covariate_names_, of_covariates, strict=True)),
        path=_penalties(model),
        seconds=seconds,
    )


def _sign(model: Fitted, source: Source) -> float:
    """1 where a coefficient above 0 means the same for the model and for the cohort, else -1."""
    cohort = source.cohort
    if isinstance(model, SparseSubgraphRegressor) != (cohort.kind == PHENOTYPE):
        fitted = "a phenotype" if isinstance(model, SparseSubgraphRegressor) else "classes"
        raise InputError(
            f"The labels of the cohort must be those of the fit, which were {fitted}, but these are "
            f"{cohort.kind}. Pass as y what was fitted.",
            parameter="y",
        )
    if isinstance(model, SparseSubgraphRegressor):
        return 1.0
    return 1.0 if cohort.positive_class == model.classes_[1] else -1.0


def _asked(model: Fitted, name: str) -> Any:
    if name == "loss" and isinstance(model, SparseSubgraphRegressor):
        return SQUARED
    value = getattr(model, name)
    if name == "covariates" and value is not None:
        return [value] if isinstance(value, str) else [str(one) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    # An object that splits cannot be written: only what it says of itself.
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def _penalties(model: Fitted) -> list[Penalty]:
    losses = getattr(model, "cv_losses_", np.empty((0, 0)))
    path = []
    for i, one in enumerate(model.path_):
        # Held-out losses are those of the first models, as far as n_nonzero and the time let them be.
        tried = i < len(losses) and bool(np.isfinite(losses[i]).all())
        held_out = (float(losses[i].mean()), float(losses[i].std())) if tried else (None, None)
        path.append(Penalty(one.alpha, len(one.coef), one.objective, one.duality_gap, *held_out))
    return path


def fitted_files(record: SubgraphRecord, folder: PathLike, features: str) -> dict[str, bytes]:
    """The record of the run in four files."""
    label = record.source.pos_label
    known = {name: record.parameters.get(name) for name in _ASKED} | dict(record.settings)
    settings = {**known, "phenotype": record.source.phenotype, "features": features}
    settings["pos_label"] = None if label is None else str(label)
    rows = [["" if cell is None else cell for cell in one] for one in record.path]
    return {
        "results.json": json_bytes(record.to_json(folder, [{} for _ in record.subgraphs])),
        "results.csv": ranking_bytes("coefficient", record.subgraphs, record.cohort, {}),
        "path.csv": csv_bytes(_PATH_COLUMNS, rows),
        "config.toml": config_bytes("sparse", settings),
    }


def read_covariates(file: Path, entries: object) -> list[tuple[str, float]]:
    """The coefficients of covariates, if results.json has any."""
    if entries is None:
        return []
    rules = {"name": TEXT, "coefficient": NUMBER}
    held = [
        check_object(file, f"covariate {k}", entry, rules)
        for k, entry in enumerate(check_value(file, "covariates", entries, LIST), start=1)
    ]
    return [(one["name"], float(one["coefficient"])) for one in held]


def read_path(file: Path) -> list[Penalty]:
    """The penalties of path.csv, from large to small; none if there is no such file."""
    if not file.is_file():
        return []
    heading, rows = read_table(file)
    if not set(heading) >= set(_PATH_COLUMNS):
        raise damaged(file, f"there must be the columns {', '.join(sorted(_PATH_COLUMNS))}")
    return [
        Penalty(
            float(cell_value(file, "alpha", row["alpha"], POSITIVE)),
            cell_value(file, "n_nonzero", row["n_nonzero"], COUNT, int),
            float(cell_value(file, "objective", row["objective"], NUMBER)),
            float(cell_value(file, "duality_gap", row["duality_gap"], NUMBER)),
            _maybe(file, "cv_loss_mean", row),
            _maybe(file, "cv_loss_sd", row),
        )
        for row in rows
    ]


def _maybe(file: Path, name: str, row: dict[str, str]) -> float | None:
    return float(cell_value(file, name, row[name], NUMBER)) if row[name] else None
