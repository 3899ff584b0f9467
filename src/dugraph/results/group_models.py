"""The models of several groups, each told from the rest: in memory, in results.json and in path.csv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs
from dugraph.data.labels import GROUPS
from dugraph.exceptions import InputError
from dugraph.files.text import escaped
from dugraph.results.record import GroupModel, Penalty, covariate_json
from dugraph.results.rules import LIST, NUMBER, POSITIVE, TEXT, check_object, check_value, damaged
from dugraph.sparse import SparseSubgraphClassifier
from dugraph.sparse.choice import Choice

BY_GROUP = "coefficient_by_group"
_NUMBERS = ("alpha", "duality_gap", "intercept", "objective")


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


def in_braces(group: str) -> str:
    """A group as path.csv names it: a spreadsheet would take a name that begins with = for a formula."""
    return "{" + escaped(group) + "}"


def models_json(models: Sequence[GroupModel]) -> list[dict[str, Any]]:
    """The models as results.json has them, except for the coefficients of subgraphs."""
    return [
        {
            "group": one.group,
            **{name: getattr(one, name) for name in _NUMBERS},
            "covariates": [covariate_json(*told) for told in one.covariates],
        }
        for one in models
    ]


def coefficients_json(models: Sequence[GroupModel], k: int) -> dict[str, Any]:
    """What is recorded of the subgraph at place k besides its strongest coefficient."""
    return {BY_GROUP: {one.group: one.coefficients[k] for one in models}}


def read_group_models(
    file: Path, record: Mapping[str, Any], cohort: LabelledGraphs, paths: Mapping[str | None, list[Penalty]]
) -> list[GroupModel]:
    """Check the models of a record, whose subgraphs are checked by now.

    Parameters
    ----------
    file : Path
        Where the record was read from.
    record : mapping
    cohort : LabelledGraphs
    paths : mapping of str to list of Penalty
        By group, in braces.
    """
    rules = {"group": TEXT, **dict.fromkeys(_NUMBERS, NUMBER), "alpha": POSITIVE, "covariates": LIST}
    entries = check_value(file, "models", record["models"], LIST)
    held = [check_object(file, f"model {k}", entry, rules) for k, entry in enumerate(entries, start=1)]
    if cohort.kind != GROUPS or [one["group"] for one in held] != list(cohort.group_names):
        raise damaged(file, "there must be a model for each group of the cohort, in their order")
    names = dict.fromkeys(cohort.group_names, NUMBER)
    rows = [
        check_object(file, f"{BY_GROUP} of subgraph {rank}", entry.get(BY_GROUP), names)
        for rank, entry in enumerate(record["subgraphs"], start=1)
    ]
    return [
        GroupModel(
            group=one["group"],
            **{name: float(one[name]) for name in _NUMBERS},
            coefficients=tuple(float(row[one["group"]]) for row in rows),
            covariates=read_covariates(file, one["covariates"]),
            path=paths.get(in_braces(one["group"]), []),
        )
        for one in held
    ]


def read_covariates(file: Path, entries: object) -> list[tuple[str, float]]:
    """The coefficients of covariates, if there are any."""
    if entries is None:
        return []
    rules = {"name": TEXT, "coefficient": NUMBER}
    held = [
        check_object(file, f"covariate {k}", entry, rules)
        for k, entry in enumerate(check_value(file, "covariates", entries, LIST), start=1)
    ]
    return [(one["name"], float(one["coefficient"])) for one in held]
