"""Columns and graphs matched by names of nodes and layers: new graphs for a fitted model, data frames."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from numpy.typing import NDArray

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import abbreviate, as_list, check_kind, counted, describe_value, listed
from dugraph.data.edges import (
    SEPARATOR,
    Ends,
    SubgraphNaming,
    edge_columns,
    find_columns,
    named_edges,
    triangle_edges,
    triangle_size,
)
from dugraph.exceptions import AssumedEdgesWarning, InputError

if TYPE_CHECKING:
    from dugraph.estimators.selector import SubgraphSelector
    from dugraph.sparse import SparseSubgraphClassifier

_MOST, _LONGEST = 50, 200  # names in a message, characters of a name


def aligned_probability(
    selector: SubgraphSelector | SparseSubgraphClassifier, graphs: UncertainGraphs
) -> NDArray[np.float64]:
    """Return the probabilities of new graphs in the columns that a fitted selector expects.

    Only the edges of its subgraphs are needed, and only these are filled in: `graphs` may have nodes and
    edges in any order, additional ones, and may lack those outside the subgraphs. ``transform`` and
    ``predict`` themselves accept graphs in the order of the fit only, and read an array such as
    ``graphs.edge_probability`` by position.

    Parameters
    ----------
    selector : SubgraphSelector or SparseSubgraphClassifier
        Fitted, or read from a file.
    graphs : UncertainGraphs

    Returns
    -------
    ndarray of shape (n_graphs, n_features_in)
        For ``selector.transform``, and ``predict`` of a classifier.

    Raises
    ------
    InputError
        If regions, layers or edges of a subgraph are missing; the message lists them.

    Examples
    --------
    >>> from dugraph import SubgraphSelector, UncertainGraphs
    >>> from dugraph.estimators import aligned_probability
    >>> edges = [[0, 1], [1, 2]]
    >>> cohort = UncertainGraphs([[0.9, 0.8], [0.2, 0.3]], edges, node_labels=["A", "B", "C"])
    >>> selector = SubgraphSelector(n_subgraphs=1).fit(cohort, [1, 0])
    >>> new = UncertainGraphs([[0.5, 0.7]], edges, node_labels=["C", "B", "A"])
    >>> aligned_probability(selector, new).tolist()
    [[0.7, 0.0]]
    """
    model, used = _needed(selector)
    check_kind(graphs, UncertainGraphs, "graphs", "Arrays have no names: pass them to transform.")
    if (model.edge_layers is None) != (graphs.edge_layers is None):
        raise InputError(
            f"The graphs must have edges {_layers(model)}, like those of the model, but theirs are "
            f"{_layers(graphs.naming)}. Keep one layer without its name, or give edge_layers."
        )
    keys = {edge: model.edge_key(edge) for edge in used}
    regions = dict.fromkeys(region for edge in used for region in model.edge_ends(edge)[1])
    _refuse_missing("region", [label for label in regions if label not in set(graphs.node_labels)])
    column_of = graphs.naming.edge_of
    _refuse_missing("edge", [model.edge_name(edge) for edge in used if keys[edge] not in column_of])
    probability = np.zeros((graphs.n_graphs, model.n_edges))
    probability[:, used] = graphs.edge_probability[:, [column_of[keys[edge]] for edge in used]]
    return probability


def aligned_graphs(selector: Any, graphs: UncertainGraphs) -> UncertainGraphs:
    """Return new graphs with the nodes and edges that a fitted model expects, and their own participants.

    Like `aligned_probability`, for models with covariates among the participants.

    Parameters
    ----------
    selector : SubgraphSelector, SparseSubgraphClassifier or SparseSubgraphRegressor
        Fitted, or read from a file.
    graphs : UncertainGraphs

    Returns
    -------
    UncertainGraphs
        For ``transform`` and ``predict``.

    Raises
    ------
    InputError
        As for `aligned_probability`.

    Examples
    --------
    >>> from dugraph import SubgraphSelector, UncertainGraphs
    >>> from dugraph.estimators import aligned_graphs
    >>> edges = [[0, 1], [1, 2]]
    >>> cohort = UncertainGraphs([[0.9, 0.8], [0.2, 0.3]], edges, node_labels=["A", "B", "C"])
    >>> selector = SubgraphSelector(n_subgraphs=1).fit(cohort, [1, 0])
    >>> new = UncertainGraphs([[0.5, 0.7]], edges, node_labels=["C", "B", "A"], graph_ids=["new"])
    >>> selector.transform(aligned_graphs(selector, new)).tolist()
    [[0.7]]
    """
    probability = aligned_probability(selector, graphs)
    networks = dict(zip(graphs.node_labels, graphs.node_networks or (), strict=False))
    return UncertainGraphs(
        probability,
        selector.edges_,
        selector.node_labels_,
        graph_ids=graphs.graph_ids,
        edge_layers=selector.edge_layers_,
        participants=graphs.participants,
        node_networks=[networks.get(label, "") for label in selector.node_labels_],
    )


def columns_by_name(
    selector: SubgraphSelector | SparseSubgraphClassifier, probability: NDArray[Any], names: tuple[str, ...]
) -> NDArray[Any]:
    """Reorder columns that name their edges as a fitted selector expects them; unused edges become 0."""
    model, used = _needed(selector)
    wanted = {edge: _ends(model, edge) for edge in used}
    column_of = find_columns(names, wanted.values())
    if used and not column_of and model.n_edges == len(names) and model.is_numbered:
        # Nodes had no names in fit: columns must be in the order of fit, and names must not contradict it.
        named_edges(names, model.edges, edge_layers=model.edge_layers)
        return probability
    _refuse_missing("edge", [model.edge_name(edge) for edge in used if wanted[edge] not in column_of])
    aligned = np.zeros((len(probability), model.n_edges), dtype=probability.dtype)
    aligned[:, used] = probability[:, [column_of[wanted[edge]] for edge in used]]
    return aligned


def _needed(selector: SubgraphSelector | SparseSubgraphClassifier) -> tuple[SubgraphNaming, list[int]]:
    """Return edges and names of the fit, and the indices of the edges in use."""
    if not hasattr(selector, "subgraphs_"):
        raise InputError(
            f"selector must be a fitted SubgraphSelector or sparse model, but is {describe_value(selector)}. "
            "Fit it first.",
            parameter="selector",
        )
    model = SubgraphNaming(selector.edges_, selector.node_labels_, selector.edge_layers_)
    return model, sorted({edge for subgraph in selector.subgraphs_ for edge in subgraph})


def _ends(naming: SubgraphNaming, edge: int) -> Ends:
    _, (a, b), layer = naming.edge_ends(edge)
    return a, b, layer


def _layers(naming: SubgraphNaming) -> str:
    if naming.edge_layers is None:
        return "without layers"
    return f"in the layers {listed(sorted(set(naming.edge_layers)))}"


def _refuse_missing(noun: str, names: list[str]) -> None:
    if not names:
        return
    texts = [
        name if name.isprintable() and len(name) <= _LONGEST else abbreviate(name) for name in names[:_MOST]
    ]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    raise InputError(
        f"The graphs must have every {noun} of the model's subgraphs, but {counted(len(names), noun)} "
        f"cannot be found by name: {', '.join(texts)}{more}. Name regions as the model does, and give an "
        "edge that no graph has the probability 0."
    )


def check_input_features(estimator: Any, input_features: Any) -> None:
    """Raise InputError if names given to get_feature_names_out are not the columns of fit; None is valid."""
    if input_features is None:
        return
    names = np.array(as_list(input_features, "input_features", "names"), dtype=object)
    seen = getattr(estimator, "feature_names_in_", None)
    if seen is not None and not np.array_equal(seen, names):
        raise InputError(
            "input_features is not equal to feature_names_in_, the columns seen in fit. Leave "
            "input_features out."
        )
    if len(names) != estimator.n_features_in_:
        raise InputError(
            "input_features should have length equal to number of features: got "
            f"{len(names)} names for {estimator.n_features_in_} columns. Leave input_features out."
        )


def in_order_of_fit(estimator: Any, X: Any) -> Any:
    """Reorder the columns of a data frame that name edges as in fit; return other input unchanged."""
    names, seen = edge_columns(X), getattr(estimator, "feature_names_in_", None)
    if names is None or seen is None or np.array_equal(names, seen):
        return X
    if not hasattr(X, "iloc") or not all(SEPARATOR in name for name in seen):
        return X
    edges, labels, layers = named_edges(seen)
    ends = zip(edges.tolist(), layers or [None] * len(edges), strict=True)
    wanted = [(labels[u], labels[v], layer) for (u, v), layer in ends]
    found = find_columns(names, wanted)
    missing = [name for name, key in zip(seen, wanted, strict=True) if key not in found]
    if missing or len(names) != len(seen):
        extra = [name for e, name in enumerate(names) if e not in found.values()]
        raise InputError(
            f"X must have the edges of fit, in any order: it lacks {listed(missing) or 'none'}, and has "
            f"{listed(extra) or 'none'} in addition. Select the columns of fit."
        )
    return X.iloc[:, [found[key] for key in wanted]].set_axis(list(seen), axis=1)


def warn_of_lost_names(estimator: Any, X: Any, stacklevel: int = 3) -> None:
    """Warn if columns name edges in an order that an array, which `transform` returns, cannot express."""
    names = edge_columns(X)
    output = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    if names is None or (output or sklearn.get_config()["transform_output"]) != "default":
        return
    try:
        named_edges(names, triangle_edges(triangle_size(len(names), None)))
    except InputError:
        warnings.warn(
            f"{type(estimator).__name__} returns an array, which has no names, but the columns of X name "
            "edges that are not all pairs in the order of np.tril_indices: a step that reads arrays by "
            'position would take them for other edges. Call set_output(transform="pandas") on the pipeline '
            "or this step.",
            AssumedEdgesWarning,
            stacklevel=stacklevel,
        )
