"""A sparse classifier or regression as a record, and its own files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.files.text import escaped, json_bytes, run_id
from dugraph.results.group_models import (
    coefficients_json,
    group_models,
    in_braces,
    is_of_groups,
    models_json,
    penalties,
    read_covariates,
    read_group_models,
    strongest,
    strongest_first,
)
from dugraph.results.ranking import RankedSubgraphs
from dugraph.results.record import Penalty, SubgraphRecord
from dugraph.results.rules import COUNT, NUMBER, POSITIVE, cell_value, check_value, damaged, read_table
from dugraph.results.source import PathLike, Source
from dugraph.results.tables import csv_bytes, ranking_bytes, settings_used, versions_record
from dugraph.search import Status
from dugraph.settings import METHOD, SparseSettings
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.words import SQUARED

Fitted = SparseSubgraphClassifier | SparseSubgraphRegressor
_PATH_COLUMNS = ("alpha", "n_nonzero", "objective", "duality_gap", "cv_loss_mean", "cv_loss_sd")
# The parameters of the fit that a record has.
_ASKED = [one.name for one in SparseSettings.options().values() if one.group == METHOD]


def fit_message(model: Fitted) -> str:
    """What is proven, in a sentence or two."""
    gap = f"{max(one.duality_gap for one in model.models_):.3g}"
    status, of_groups = _status(model), is_of_groups(model)
    if status is not Status.OPTIMAL:
        imprecise = status is Status.PRECISION_LIMIT
        limit = "tol is below rounding error" if imprecise else "The time limit was reached"
        valid = "the models are" if of_groups else "the model is"
        return (
            f"{limit}: {valid} valid, but another one over the admitted subgraphs may have an objective "
            f"lower by up to {gap}."
        )
    proven = (
        f"Proven{', for each group against the rest' if of_groups else ''}: no model over the admitted "
        f"subgraphs has an objective lower by more than {gap} at {'its' if of_groups else 'this'} penalty."
    )
    if model.finished_:
        return proven
    return f"{proven} The time limit was reached before all penalties and folds were tried."


def _status(model: Fitted) -> Status:
    """That of the model, or of the first of several that is not optimal."""
    found = [one.status for one in model.models_]
    return next((one for one in found if one is not Status.OPTIMAL), Status.OPTIMAL)


def fitted_record(model: Fitted, source: Source, seconds: float | None) -> SubgraphRecord:
    """Make the record of a fit; positive coefficients favour the positive class, or a larger phenotype.

    With several groups there is a model for each, whose positive coefficients favour the group.
    """
    asked = {name: _asked(model, name) for name in sorted(_ASKED)}
    if asked["covariates"] is None:  # as in records of earlier releases
        del asked["covariates"]
    penalties_in_use = {one.alpha for one in model.models_}
    return SubgraphRecord(
        command="sparse",
        source=source,
        parameters={**asked, "alpha_in_use": penalties_in_use.pop() if len(penalties_in_use) == 1 else None},
        proof={
            # Sums over the groups, which are fitted one by one.
            "duality_gap": sum(one.duality_gap for one in model.models_),
            "message": fit_message(model),
            "objective": sum(one.objective for one in model.models_),
            "status": _status(model).value,
            "success": model.finished_ and _status(model) is Status.OPTIMAL,
        },
        counters={"n_searches": model.n_searches_},
        versions=versions_record(),
        make_result=lambda: model,
        settings={name: _asked(model, name) for name in ("n_jobs", "time_limit")},
        seconds=seconds,
        **(_of_groups if is_of_groups(model) else _of_one)(model, source.cohort),
    )


def _of_one(model: Fitted, cohort: LabelledGraphs) -> dict[str, Any]:
    sign = _sign(model, cohort)
    coefficients = (sign * np.ravel(model.subgraph_coef_)).tolist()
    of_covariates = (sign * np.ravel(model.covariate_coef_)).tolist()
    return {
        "subgraphs": RankedSubgraphs(model.subgraphs_, coefficients, cohort),
        "intercept": sign * float(np.ravel(model.intercept_)[0]),
        "covariates": list(zip(model.covariate_names_, of_covariates, strict=True)),
        "path": penalties(model.choices_[0]),
    }


def _of_groups(model: Any, cohort: LabelledGraphs) -> dict[str, Any]:
    models = group_models(model, cohort)
    found = [model.subgraphs_[k] for k in strongest_first(model)]
    return {"subgraphs": RankedSubgraphs(found, strongest(models), cohort), "models": models}


def _sign(model: Fitted, cohort: LabelledGraphs) -> float:
    """1 where a coefficient above 0 means the same for the model and for the cohort, else -1."""
    if cohort.kind != (PHENOTYPE if isinstance(model, SparseSubgraphRegressor) else CLASSES):
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


def fitted_files(record: SubgraphRecord, folder: PathLike, features: str) -> dict[str, bytes]:
    """The record of the run in four files."""
    settings = settings_used("sparse", record.parameters, record.settings, record.source, features=features)
    models = record.models
    paths = [([in_braces(one.group)], one.path) for one in models] or [([], record.path)]
    rows = [
        [*named, *("" if cell is None else cell for cell in one)] for named, path in paths for one in path
    ]
    more = [coefficients_json(models, k) if models else {} for k in range(len(record.subgraphs))]
    told = record.to_json(folder, more) | ({"models": models_json(models)} if models else {})
    columns = {f"coefficient of {escaped(one.group)}": one.coefficients for one in models}
    table = ranking_bytes("coefficient", record.subgraphs, record.cohort, columns)
    return {
        "results.json": json_bytes(told | {"run_id": run_id(table)}),
        "results.csv": table,
        "path.csv": csv_bytes((*(("group",) if models else ()), *_PATH_COLUMNS), rows),
        "config.toml": settings.to_toml(),
    }


def read_fit(file: Path, record: dict[str, Any], cohort: LabelledGraphs) -> dict[str, Any]:
    """What a record of a fit has besides its subgraphs, which are checked already."""
    paths = _read_paths(file.parent / "path.csv")
    if record.get("models") is not None:
        return {"models": read_group_models(file, record, cohort, paths)}
    if cohort.kind == GROUPS:
        raise damaged(file, "there are no models of the groups")
    return {
        "intercept": float(check_value(file, "intercept", record.get("intercept"), NUMBER)),
        "covariates": read_covariates(file, record.get("covariates")),
        "path": paths.get(None, []),
    }


def _read_paths(file: Path) -> dict[str | None, list[Penalty]]:
    """The penalties of path.csv by group, from large to small; nothing if there is no such file."""
    if not file.is_file():
        return {}
    heading, rows = read_table(file)
    if not set(heading) >= set(_PATH_COLUMNS):
        raise damaged(file, f"there must be the columns {', '.join(sorted(_PATH_COLUMNS))}")
    paths: dict[str | None, list[Penalty]] = {}
    for row in rows:
        penalty = Penalty(
            float(cell_value(file, "alpha", row["alpha"], POSITIVE)),
            cell_value(file, "n_nonzero", row["n_nonzero"], COUNT, int),
            float(cell_value(file, "objective", row["objective"], NUMBER)),
            float(cell_value(file, "duality_gap", row["duality_gap"], NUMBER)),
            _maybe(file, "cv_loss_mean", row),
            _maybe(file, "cv_loss_sd", row),
        )
        paths.setdefault(row.get("group"), []).append(penalty)
    return paths


def _maybe(file: Path, name: str, row: dict[str, str]) -> float | None:
    return float(cell_value(file, name, row[name], NUMBER)) if row[name] else None
