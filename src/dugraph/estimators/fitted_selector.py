"""What a fitted `SubgraphSelector` knows: after a fit, from a file, or from a search that is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.class_labels import positive_class
from dugraph.estimators.plain_values import decode, encode
from dugraph.search import MiningResult, Status
from dugraph.search.result import COUNTERS

if TYPE_CHECKING:
    from dugraph.estimators.subgraph_selector import SubgraphSelector
    from dugraph.sparse.classifier import SparseSubgraphClassifier

_FLOATS = ("threshold", "best_open_bound", "seconds", "setup_seconds")


def remember(
    selector: SubgraphSelector, result: MiningResult, classes: NDArray[Any], cohort: UncertainGraphs
) -> None:
    """Set the attributes of a fit.

    Parameters
    ----------
    selector : SubgraphSelector
    result : MiningResult
        What was found.
    classes : ndarray of shape (2,)
        Both classes in sorted order.
    cohort : UncertainGraphs
        Whose edges and names the subgraphs are made of; its probabilities are not looked at.
    """
    selector.result_ = result
    selector.subgraphs_, selector.values_ = result.subgraphs, result.values
    remember_cohort(selector, classes, cohort)


def remember_cohort(
    estimator: SubgraphSelector | SparseSubgraphClassifier, classes: NDArray[Any], cohort: UncertainGraphs
) -> None:
    """Set the attributes that say what the columns and the classes of a fit stand for."""
    estimator.classes_ = classes
    estimator.edges_, estimator.node_labels_ = cohort.edges, cohort.node_labels
    estimator.edge_layers_ = cohort.edge_layers
    estimator.n_features_in_ = cohort.n_edges


def selector_of_result(cohort: LabelledGraphs, result: MiningResult, **parameters: Any) -> SubgraphSelector:
    """Make the selector that would have found a result, without searching again.

    Parameters
    ----------
    cohort : LabelledGraphs
        What was mined.
    result : MiningResult
        With at least one subgraph.
    **parameters
        Those that `mine_subgraphs` was called with; they are the selector's own.
    """
    from dugraph.estimators.subgraph_selector import SubgraphSelector

    selector = SubgraphSelector(**parameters)
    remember(selector, result, cohort.classes, cohort.graphs)
    return selector


def selector_members(selector: SubgraphSelector) -> dict[str, Any]:
    """What the file of a selector holds beside what all models have."""
    result = selector.result_
    return {
        "values": encode(selector.values_, "values_"),
        "result": {
            "status": result.status.value,
            "message": result.message,
            "parameters": encode(result.parameters, "result_.parameters"),
            **{name: int(getattr(result, name)) for name in COUNTERS},
            **{name: encode(float(getattr(result, name)), name) for name in _FLOATS},
        },
    }


def restore_selector(
    selector: SubgraphSelector,
    content: Mapping[str, Any],
    subgraphs: list[tuple[int, ...]],
    classes: NDArray[Any],
    cohort: UncertainGraphs,
) -> None:
    """Make a selector fitted again by what `selector_members` gave."""
    values, stored = decode(content["values"]), content["result"]
    if values.shape != (len(subgraphs),) or not subgraphs:
        raise ValueError("values and subgraphs must be equally many")
    numbers: dict[str, Any] = {name: int(stored[name]) for name in COUNTERS}
    numbers |= {name: float(decode(stored[name])) for name in _FLOATS}
    result = MiningResult(
        subgraphs=subgraphs,
        values=values,
        status=Status(stored["status"]),
        message=str(stored["message"]),
        parameters=decode(stored["parameters"]),
        names=[cohort.subgraph_name(subgraph) for subgraph in subgraphs],
        positive_class=positive_class(classes, selector.pos_label),
        **numbers,
    )
    remember(selector, result, classes, cohort)
