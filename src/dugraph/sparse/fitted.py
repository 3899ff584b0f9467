"""What a fitted `SparseSubgraphClassifier` knows: after a fit, or from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.estimators.fitted import FittedOnGraphs
from dugraph.estimators.plain_values import decode, encode
from dugraph.probability.containment import check_subgraph
from dugraph.search import Status
from dugraph.sparse.choice import Choice
from dugraph.sparse.model import SparseModel

_FLOATS = ("alpha", "intercept", "objective", "duality_gap")


class FittedSparse(FittedOnGraphs):
    """Mixin of `SparseSubgraphClassifier`: the path of penalties and the model chosen of it."""

    model_: SparseModel
    path_: list[SparseModel]
    cv_losses_: NDArray[np.float64]
    n_searches_: int
    finished_: bool
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    _model_name = "SparseSubgraphClassifier"

    def _know(self, choice: Choice, classes: NDArray[Any], graphs: UncertainGraphs) -> None:
        """Keep what was chosen; `classes` and `graphs` as for `_know_graphs`."""
        model = self.model_ = choice.model
        self.path_ = choice.path
        if hasattr(self, "cv_losses_"):
            del self.cv_losses_  # of an earlier fit
        if choice.cv_losses is not None:
            self.cv_losses_ = choice.cv_losses
        self.n_searches_, self.finished_ = choice.n_searches, choice.finished
        self.subgraphs_ = model.subgraphs
        self.coef_, self.intercept_ = model.coef[np.newaxis], np.array([model.intercept])
        self.alpha_, self.objective_ = model.alpha, model.objective
        self.duality_gap_ = model.duality_gap
        self._know_graphs(classes, graphs)
        self._names = [graphs.subgraph_name(subgraph) for subgraph in model.subgraphs]

    def _subgraph_names(self) -> Sequence[str]:
        return self._names

    def _model_members(self) -> dict[str, Any]:
        losses = getattr(self, "cv_losses_", None)
        return {
            "path": [_model_members(model) for model in self.path_],
            "chosen": self.path_.index(self.model_),
            "cv_losses": None if losses is None else encode(losses, "cv_losses_"),
            "n_searches": int(self.n_searches_),
            "finished": bool(self.finished_),
        }

    def _restore(
        self,
        content: Mapping[str, Any],
        subgraphs: list[tuple[int, ...]],
        classes: NDArray[Any],
        graphs: UncertainGraphs,
    ) -> None:
        path = [_restored_model(stored, graphs.n_edges) for stored in content["path"]]
        if not 0 <= content["chosen"] < len(path):
            raise ValueError("the chosen model must be one of the path")
        model = path[content["chosen"]]
        if model.subgraphs != subgraphs:
            raise ValueError("the chosen model must have the subgraphs of the file")
        losses = None if content["cv_losses"] is None else decode(content["cv_losses"])
        if losses is not None and (losses.ndim != 2 or not 0 < len(losses) <= len(path)):
            raise ValueError("cv_losses must have a row for each penalty that was tried")
        choice = Choice(model, path, losses, int(content["n_searches"]), bool(content["finished"]))
        self._know(choice, classes, graphs)


def _model_members(model: SparseModel) -> dict[str, Any]:
    return {
        "subgraphs": [list(subgraph) for subgraph in model.subgraphs],
        "coef": encode(model.coef, "coef"),
        "status": model.status.value,
        **{name: encode(float(getattr(model, name)), name) for name in _FLOATS},
    }


def _restored_model(stored: Mapping[str, Any], n_edges: int) -> SparseModel:
    subgraphs = [check_subgraph(subgraph, n_edges) for subgraph in stored["subgraphs"]]
    coef = decode(stored["coef"])
    if coef.shape != (len(subgraphs),) or coef.dtype != np.float64:
        raise ValueError("coefficients and subgraphs must be equally many")
    numbers = {name: float(decode(stored[name])) for name in _FLOATS}
    return SparseModel(subgraphs=subgraphs, coef=coef, status=Status(stored["status"]), **numbers)
