"""What a fitted `SparseSubgraphClassifier` knows: after a fit, or from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.estimators.fitted_selector import remember_cohort
from dugraph.estimators.plain_values import decode, encode
from dugraph.probability.containment import check_subgraph
from dugraph.search import Status
from dugraph.sparse.choice import Choice
from dugraph.sparse.model import SparseModel

if TYPE_CHECKING:
    from dugraph.sparse.classifier import SparseSubgraphClassifier

_FLOATS = ("alpha", "intercept", "objective", "duality_gap")


def remember_choice(
    classifier: SparseSubgraphClassifier, choice: Choice, classes: NDArray[Any], cohort: UncertainGraphs
) -> None:
    """Set the attributes of a fit.

    Parameters
    ----------
    classifier : SparseSubgraphClassifier
    choice : Choice
    classes : ndarray of shape (2,)
        Both classes in sorted order.
    cohort : UncertainGraphs
        Whose edges and names the subgraphs are made of; its probabilities are not looked at.
    """
    model = classifier.model_ = choice.model
    classifier.path_ = choice.path
    if hasattr(classifier, "cv_losses_"):
        del classifier.cv_losses_  # of an earlier fit
    if choice.cv_losses is not None:
        classifier.cv_losses_ = choice.cv_losses
    classifier.n_searches_, classifier.finished_ = choice.n_searches, choice.finished
    classifier.subgraphs_ = model.subgraphs
    classifier.coef_, classifier.intercept_ = model.coef[np.newaxis], np.array([model.intercept])
    classifier.alpha_, classifier.objective_ = model.alpha, model.objective
    classifier.duality_gap_ = model.duality_gap
    remember_cohort(classifier, classes, cohort)
    classifier._names = [cohort.subgraph_name(subgraph) for subgraph in model.subgraphs]


def sparse_members(classifier: SparseSubgraphClassifier) -> dict[str, Any]:
    """What the file of a classifier holds beside what all models have."""
    losses = getattr(classifier, "cv_losses_", None)
    return {
        "path": [_model_members(model) for model in classifier.path_],
        "chosen": classifier.path_.index(classifier.model_),
        "cv_losses": None if losses is None else encode(losses, "cv_losses_"),
        "n_searches": int(classifier.n_searches_),
        "finished": bool(classifier.finished_),
    }


def _model_members(model: SparseModel) -> dict[str, Any]:
    return {
        "subgraphs": [list(subgraph) for subgraph in model.subgraphs],
        "coef": encode(model.coef, "coef"),
        "status": model.status.value,
        **{name: encode(float(getattr(model, name)), name) for name in _FLOATS},
    }


def restore_sparse(
    classifier: SparseSubgraphClassifier,
    content: Mapping[str, Any],
    subgraphs: list[tuple[int, ...]],
    classes: NDArray[Any],
    cohort: UncertainGraphs,
) -> None:
    """Make a classifier fitted again by what `sparse_members` gave."""
    path = [_restored_model(stored, cohort.n_edges) for stored in content["path"]]
    if not 0 <= content["chosen"] < len(path):
        raise ValueError("the chosen model must be one of the path")
    model = path[content["chosen"]]
    if model.subgraphs != subgraphs:
        raise ValueError("the chosen model must have the subgraphs of the file")
    losses = None if content["cv_losses"] is None else decode(content["cv_losses"])
    if losses is not None and (losses.ndim != 2 or not 0 < len(losses) <= len(path)):
        raise ValueError("cv_losses must have a row for each penalty that was tried")
    choice = Choice(model, path, losses, int(content["n_searches"]), bool(content["finished"]))
    remember_choice(classifier, choice, classes, cohort)


def _restored_model(stored: Mapping[str, Any], n_edges: int) -> SparseModel:
    subgraphs = [check_subgraph(subgraph, n_edges) for subgraph in stored["subgraphs"]]
    coef = decode(stored["coef"])
    if coef.shape != (len(subgraphs),) or coef.dtype != np.float64:
        raise ValueError("coefficients and subgraphs must be equally many")
    numbers = {name: float(decode(stored[name])) for name in _FLOATS}
    return SparseModel(subgraphs=subgraphs, coef=coef, status=Status(stored["status"]), **numbers)
