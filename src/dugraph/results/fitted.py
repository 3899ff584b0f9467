"""The record of a sparse model, or of the models of several groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.records import (
    GroupModel,
    RankedSubgraphs,
    SubgraphRecord,
)
from dugraph.results.schema import Penalty
from dugraph.search import Status
from dugraph.settings import METHOD, SparseSettings
from dugraph.sparse import SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.sparse.choice import Choice
from dugraph.words import SQUARED

Fitted = SparseSubgraphClassifier | SparseSubgraphRegressor
# The parameters of the fit that a record has.
_ASKED = sorted(one.name for one in SparseSettings.options().values() if one.group == METHOD)


def fitted_record(
    model: Fitted, source: CohortRef, seconds: float | None, settings: Mapping[str, Any]
) -> SubgraphRecord:
    """Make the record of a fit; positive coefficients favour the positive class, or a larger phenotype.

    With several groups there is a model for each, whose positive coefficients favour the group.
    """
    asked = {name: _asked(model, name) for name in _ASKED}
    if asked["covariates"] is None:  # as in records of earlier releases
        del asked["covariates"]
    models, of_groups = model.models_, len(model.models_) > 1
    status = next((one.status for one in models if one.status is not Status.OPTIMAL), Status.OPTIMAL)
    penalties = {one.alpha for one in models}
    return SubgraphRecord(
        command="sparse",
        source=source,
        result=model,
        parameters={**asked, "alpha_in_use": penalties.pop() if len(penalties) == 1 else None},
        proof={
            # Sums over the groups, which are fitted one by one.
            "duality_gap": sum(one.duality_gap for one in models),
            "message": _message(model, status),
            "objective": sum(one.objective for one in models),
            "status": status.value,
            "success": model.finished_ and status is Status.OPTIMAL,
        },
        counters={"n_searches": model.n_searches_},
        settings={
            **{name: _asked(model, name) for name in ("n_jobs", "time_limit")},
            "target": settings.get("target"),
        },
        seconds=seconds,
        **(_of_groups if of_groups else _of_one)(model, source.cohort),
    )


def _message(model: Fitted, status: Status) -> str:
    """The proof, in one or two sentences."""
    gap = f"{max(one.duality_gap for one in model.models_):.3g}"
    of_groups = len(model.models_) > 1
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


def _asked(model: Fitted, name: str) -> Any:
    if name == "loss" and isinstance(model, SparseSubgraphRegressor):
        return SQUARED
    value = getattr(model, name, None)  # a regressor has no class_weight
    if name == "covariates" and value is not None:
        return [value] if isinstance(value, str) else [str(one) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    # An object that splits is recorded by its text.
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def _of_one(model: Fitted, cohort: LabelledGraphs) -> dict[str, Any]:
    is_number = isinstance(model, SparseSubgraphRegressor)
    if cohort.kind != (PHENOTYPE if is_number else CLASSES):
        raise _other_labels("a phenotype" if is_number else "classes", cohort)
    # -1 if a positive coefficient of the model favours the negative class of the cohort.
    sign = 1.0 if is_number or cohort.positive_class == model.classes_[1] else -1.0
    of_covariates = (sign * np.ravel(model.covariate_coef_)).tolist()
    return {
        "subgraphs": RankedSubgraphs(
            model.subgraphs_, (sign * np.ravel(model.subgraph_coef_)).tolist(), cohort
        ),
        "intercept": sign * float(np.ravel(model.intercept_)[0]),
        "covariates": list(zip(model.covariate_names_, of_covariates, strict=True)),
        "path": _penalties(model.choices_[0]),
    }


def _of_groups(model: Any, cohort: LabelledGraphs) -> dict[str, Any]:
    """The models in the order of the cohort's groups; the subgraph of the largest coefficient first."""
    names = [str(one) for one in model.classes_.tolist()]
    if cohort.kind != GROUPS or sorted(names) != sorted(cohort.group_names):
        raise _other_labels(f"{len(names)} groups", cohort)
    coefficients = model.subgraph_coef_[[names.index(name) for name in cohort.group_names]]
    order = np.argsort(-np.abs(model.subgraph_coef_).max(axis=0), kind="stable")
    coefficients = coefficients[:, order]
    largest = [max(column, key=abs) for column in coefficients.T.tolist()]
    models = []
    for name, row in zip(cohort.group_names, coefficients.tolist(), strict=True):
        k = names.index(name)
        fitted = model.models_[k]
        models.append(
            GroupModel(
                group=name,
                alpha=fitted.alpha,
                objective=fitted.objective,
                duality_gap=fitted.duality_gap,
                intercept=float(fitted.intercept),
                coefficients=tuple(row),
                covariates=list(zip(model.covariate_names_, fitted.covariate_coef.tolist(), strict=True)),
                path=_penalties(model.choices_[k]),
            )
        )
    found = [model.subgraphs_[k] for k in order.tolist()]
    return {"subgraphs": RankedSubgraphs(found, largest, cohort), "models": models}


def _other_labels(fitted: str, cohort: LabelledGraphs) -> InputError:
    return InputError(
        f"The labels of the cohort must be those of the fit, which were {fitted}, but these are "
        f"{cohort.kind}. Pass as y what was fitted.",
        parameter="y",
    )


def _penalties(choice: Choice) -> list[Penalty]:
    """The path of one model, with the held-out losses where there are any."""
    losses = np.empty((0, 0)) if choice.cv_losses is None else choice.cv_losses
    path = []
    for i, one in enumerate(choice.path):
        # Held-out losses are those of the first models, as far as n_nonzero and the time limit allowed.
        tried = i < len(losses) and bool(np.isfinite(losses[i]).all())
        held_out = (float(losses[i].mean()), float(losses[i].std())) if tried else (None, None)
        path.append(Penalty(one.alpha, len(one.coef), one.objective, one.duality_gap, *held_out))
    return path
