"""The record of a sparse model, or of the models of several groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.records import (
    GroupModel,
    Penalty,
    RankedSubgraphs,
    SubgraphRecord,
    versions_record,
)
from dugraph.search import Status
from dugraph.settings import METHOD, SparseSettings
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.sparse.choice import Choice
from dugraph.words import SQUARED

Fitted = SparseSubgraphClassifier | SparseSubgraphRegressor
# The parameters of the fit that a record has.
_ASKED = sorted(one.name for one in SparseSettings.options().values() if one.group == METHOD)


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


def fitted_record(
    model: Fitted, source: CohortRef, seconds: float | None, settings: Mapping[str, Any] | None = None
) -> SubgraphRecord:
    """Make the record of a fit; positive coefficients favour the positive class, or a larger phenotype.

    With several groups there is a model for each, whose positive coefficients favour the group.
    """
    asked = {name: _asked(model, name) for name in _ASKED}
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
        settings={
            **{name: _asked(model, name) for name in ("n_jobs", "time_limit")},
            "target": (settings or {}).get("target"),
        },
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
    value = getattr(model, name, None)  # a regressor has no class_weight
    if name == "covariates" and value is not None:
        return [value] if isinstance(value, str) else [str(one) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    # An object that splits cannot be written: only what it says of itself.
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def is_of_groups(model: Any) -> bool:
    """Whether a sparse model is one for each of several groups."""
    return isinstance(model, SparseSubgraphClassifier) and len(model.models_) > 1


def group_models(model: SparseSubgraphClassifier, cohort: LabelledGraphs) -> list[GroupModel]:
    """The models in the order of the cohort's groups, their coefficients in that of `strongest_first`."""
    names = [str(one) for one in model.classes_.tolist()]
    if cohort.kind != GROUPS or sorted(names) != sorted(cohort.group_names):
        raise InputError(
            f"The labels of the cohort must be those of the fit, which were {len(names)} groups, but these "
            f"are {cohort.kind}. Pass as y what was fitted.",
            parameter="y",
        )
    order, found = strongest_first(model), []
    for name in cohort.group_names:
        k = names.index(name)
        fitted = model.models_[k]
        found.append(
            GroupModel(
                group=name,
                alpha=fitted.alpha,
                objective=fitted.objective,
                duality_gap=fitted.duality_gap,
                intercept=float(fitted.intercept),
                coefficients=tuple(model.subgraph_coef_[k, order].tolist()),
                covariates=list(zip(model.covariate_names_, fitted.covariate_coef.tolist(), strict=True)),
                path=penalties(model.choices_[k]),
            )
        )
    return found


def strongest_first(model: SparseSubgraphClassifier) -> list[int]:
    """The places of a model's subgraphs, that of the largest coefficient in any group first."""
    order = np.argsort(-np.abs(model.subgraph_coef_).max(axis=0), kind="stable")
    return [int(place) for place in order]


def strongest(models: Sequence[GroupModel]) -> list[float]:
    """Of each subgraph the coefficient of the largest size, with its sign."""
    return [max(of_groups, key=abs) for of_groups in zip(*(one.coefficients for one in models), strict=True)]


def penalties(choice: Choice) -> list[Penalty]:
    """The path of one model, with the held-out losses where there are any."""
    losses = np.empty((0, 0)) if choice.cv_losses is None else choice.cv_losses
    path = []
    for i, one in enumerate(choice.path):
        # Held-out losses are those of the first models, as far as n_nonzero and the time let them be.
        tried = i < len(losses) and bool(np.isfinite(losses[i]).all())
        held_out = (float(losses[i].mean()), float(losses[i].std())) if tried else (None, None)
        path.append(Penalty(one.alpha, len(one.coef), one.objective, one.duality_gap, *held_out))
    return path
