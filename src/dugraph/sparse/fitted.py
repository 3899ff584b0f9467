"""What a fitted sparse model knows: after a fit, or from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.covariate_coding import CodedColumn, CovariateCode
from dugraph.estimators.covariate_columns import split_covariates
from dugraph.estimators.fitted import FittedOnGraphs
from dugraph.estimators.plain_values import decode, encode
from dugraph.sparse.choice import Choice
from dugraph.sparse.model import SparseModel
from dugraph.sparse.model_members import model_members, restored_model


class FittedSparse(FittedOnGraphs):
    """Mixin of sparse models: their paths of penalties and the models chosen of them.

    There is one model, or one for each of several classes against the rest.
    """

    models_: list[SparseModel]
    model_: SparseModel
    path_: list[SparseModel]
    cv_losses_: NDArray[np.float64]
    covariate_names_: list[str]
    n_searches_: int
    finished_: bool
    choices_: list[Choice]
    _code: CovariateCode

    def _know(
        self, choices: list[Choice], classes: Any, graphs: UncertainGraphs, code: CovariateCode
    ) -> None:
        """Keep what was chosen; `classes` and `graphs` as for `_know_graphs`."""
        self.choices_, self._code = choices, code
        self.covariate_names_ = code.titles
        self.models_ = [choice.model for choice in choices]
        for name in ("model_", "path_", "cv_losses_", "alpha_", "objective_", "duality_gap_"):
            if hasattr(self, name):
                delattr(self, name)  # of an earlier fit
        if len(choices) == 1:
            model = self.model_ = choices[0].model
            self.path_ = choices[0].path
            if choices[0].cv_losses is not None:
                self.cv_losses_ = choices[0].cv_losses
            self.alpha_, self.objective_ = model.alpha, model.objective
            self.duality_gap_ = model.duality_gap
        self.n_searches_ = sum(choice.n_searches for choice in choices)
        self.finished_ = all(choice.finished for choice in choices)
        self.subgraphs_ = list(dict.fromkeys(g for model in self.models_ for g in model.subgraphs))
        self._know_graphs(classes, graphs)
        self._names = [graphs.subgraph_name(subgraph) for subgraph in self.subgraphs_]

    def _coefficients(self) -> NDArray[np.float64]:
        """Those of all subgraphs, a row for each model."""
        place = {subgraph: k for k, subgraph in enumerate(self.subgraphs_)}
        rows = np.zeros((len(self.models_), len(place)))
        for row, model in zip(rows, self.models_, strict=True):
            row[[place[subgraph] for subgraph in model.subgraphs]] = model.coef
        return rows

    def _decisions(self, X: Any) -> list[NDArray[np.float64]]:
        """Decision values of each model, covariates among what decides."""
        features = np.asarray(self.transform(X))
        split = split_covariates(X, self.covariates)
        decisions = [
            np.asarray(features @ row + model.intercept)
            for row, model in zip(self._coefficients(), self.models_, strict=True)
        ]
        if not split.columns:
            return decisions
        numbers = self._code.numbers(split.columns, split.graph_ids)
        return [
            decision + numbers @ model.covariate_coef
            for decision, model in zip(decisions, self.models_, strict=True)
        ]

    def _subgraph_names(self) -> Sequence[str]:
        return self._names

    def _model_members(self) -> dict[str, Any]:
        members = [_choice_members(choice) for choice in self.choices_]
        own = members[0] if len(members) == 1 else {"one_against_rest": members}
        if not self._code.columns:
            return own
        code = [
            {
                "name": column.name,
                "categories": None if column.categories is None else encode(column.categories, column.name),
                "mean": encode(column.mean, column.name),
            }
            for column in self._code.columns
        ]
        return {**own, "covariates": code}

    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: Any,
        graphs: UncertainGraphs,
    ) -> None:
        code = CovariateCode(tuple(_restored_column(one) for one in content.get("covariates", [])))
        stored = content.get("one_against_rest", [content])
        choices = [_restored_choice(one, graphs.n_edges, code.n_numbers) for one in stored]
        if len(choices) != (1 if classes is None or len(classes) == 2 else len(classes)):
            raise ValueError("there must be one model, or one for each of several classes")
        self._know(choices, classes, graphs, code)
        if self.subgraphs_ != subgraphs:
            raise ValueError("the chosen model must have the subgraphs of the file")


def _choice_members(choice: Choice) -> dict[str, Any]:
    losses = choice.cv_losses
    return {
        "path": [model_members(model) for model in choice.path],
        "chosen": choice.path.index(choice.model),
        "cv_losses": None if losses is None else encode(losses, "cv_losses_"),
        "n_searches": int(choice.n_searches),
        "finished": bool(choice.finished),
    }


def _restored_choice(content: Mapping[str, Any], n_edges: int, n_covariates: int) -> Choice:
    path = [restored_model(stored, n_edges, n_covariates) for stored in content["path"]]
    if not 0 <= content["chosen"] < len(path):
        raise ValueError("the chosen model must be one of the path")
    losses = None if content["cv_losses"] is None else decode(content["cv_losses"])
    if losses is not None and (losses.ndim != 2 or not 0 < len(losses) <= len(path)):
        raise ValueError("cv_losses must have a row for each penalty that was tried")
    model = path[content["chosen"]]
    return Choice(model, path, losses, int(content["n_searches"]), bool(content["finished"]))


def _restored_column(stored: Mapping[str, Any]) -> CodedColumn:
    categories = None if stored["categories"] is None else decode(stored["categories"])
    mean = decode(stored["mean"])
    if mean.shape != (1 if categories is None else len(categories) - 1,) or mean.dtype != np.float64:
        raise ValueError("a covariate must have a mean, or one for each category but the first")
    return CodedColumn(str(stored["name"]), categories, mean)
