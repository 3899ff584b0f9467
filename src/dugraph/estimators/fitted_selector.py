"""What a fitted `SubgraphSelector` knows: after a fit, from a file, or from a search that is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from dugraph.data import UncertainGraphs, check_labels
from dugraph.search import MiningResult

if TYPE_CHECKING:
    from dugraph.estimators.subgraph_selector import SubgraphSelector


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
    selector.classes_ = classes
    selector.edges_, selector.node_labels_ = cohort.edges, cohort.node_labels
    selector.edge_layers_ = cohort.edge_layers
    selector.n_features_in_ = cohort.n_edges


def selector_of_result(
    graphs: UncertainGraphs, y: object, result: MiningResult, **parameters: Any
) -> SubgraphSelector:
    """Make the selector that would have found a result, without searching again.

    Parameters
    ----------
    graphs, y
        The cohort and the classes that were mined.
    result : MiningResult
        With at least one subgraph.
    **parameters
        Those that `mine_subgraphs` was called with; they are the selector's own.
    """
    from dugraph.estimators.subgraph_selector import SubgraphSelector

    selector = SubgraphSelector(**parameters)
    _, classes = check_labels(y, graphs.n_graphs, selector.pos_label)
    remember(selector, result, classes, graphs)
    return selector
