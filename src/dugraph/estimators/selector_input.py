"""From what a user hands to `SubgraphSelector` to a cohort of valid probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from dugraph.data import LabelledGraphs, UncertainGraphs, signed_edges
from dugraph.data.arguments import is_real
from dugraph.data.class_labels import label_column
from dugraph.data.edge_list import integer_edges, triangle_edges, triangle_size
from dugraph.data.edge_names import edge_columns, named_edges
from dugraph.data.held import Held
from dugraph.data.label_order import check_label_order
from dugraph.estimators.alignment import columns_by_name
from dugraph.estimators.fit_input import finite_array, finite_data
from dugraph.exceptions import AssumedEdgesWarning, InputError

ON_INVALID = ("raise", "clip")


def check_on_invalid(on_invalid: object) -> str:
    """The word, if it is one of ours."""
    if not isinstance(on_invalid, str) or on_invalid not in ON_INVALID:
        raise InputError(f'on_invalid must be "raise" or "clip", but is {on_invalid!r}.')
    return on_invalid


def check_binarize_at(binarize_at: object) -> float | None:
    """The smallest probability that counts as certain, or None."""
    if binarize_at is None:
        return None
    if not is_real(binarize_at) or not 0 < binarize_at <= 1:
        raise InputError(
            f"binarize_at must be above 0 and at most 1, but is {binarize_at!r}. Use None to keep "
            "probabilities."
        )
    return float(binarize_at)


def valid_probability(X: Any, on_invalid: object, binarize_at: object) -> NDArray[Any]:
    """Make a dense array of probabilities, refusing or clipping what is outside [0, 1].

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_graphs, n_edges)
        Finite numbers.
    on_invalid : {"raise", "clip"}
    binarize_at : float or None
        Probabilities from here on become 1, all others 0.

    Returns
    -------
    ndarray of shape (n_graphs, n_edges)
        In [0, 1], of the dtype of `X`, without negative zeros.
    """
    word, limit = check_on_invalid(on_invalid), check_binarize_at(binarize_at)
    array: NDArray[Any] = X.toarray() if sparse.issparse(X) else X
    if word == "clip":
        array = np.clip(array, 0, 1)
    else:
        _refuse_outside(array)
    if limit is not None:
        return (array >= limit).astype(array.dtype)
    # Adding 0 turns -0.0 into 0.0.
    return np.asarray(array + array.dtype.type(0))


def _refuse_outside(array: NDArray[Any]) -> None:
    # Negative ones first: taking a correlation for a probability is the mistake that matters.
    for kind, outside in (("Negative values in data", array < 0), ("Values above 1 in data", array > 1)):
        if not outside.any():
            continue
        i, e = (int(k) for k in np.argwhere(outside)[0])
        raise InputError(
            f"{kind}: edge probabilities must lie in [0, 1], but graph {i} has {float(array[i, e])!r} at "
            f"edge {e}. "
            'Map connectivity to probabilities with EdgeProbability, or set on_invalid="clip".'
        )


def training_cohort(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    binarize_at: object = None,
    pos_label: object = None,
    check_classes: Callable[[NDArray[Any]], None] | None = None,
    labelled: Callable[..., LabelledGraphs] = LabelledGraphs.of,
) -> LabelledGraphs:
    """Check what `fit` of an estimator over subgraphs was given, and make a cohort of it.

    Parameters
    ----------
    estimator : SubgraphSelector or SparseSubgraphClassifier
    X, y
        As for its `fit`.
    binarize_at : float or None
        As for `valid_probability`.
    pos_label : object, optional
        The positive class; by default the last in sorted order.
    check_classes : callable, optional
        Refuses labels in the estimator's own words, before they are looked at here.
    labelled : callable, optional
        Which labels are taken: `LabelledGraphs.of`, `of_any` or `of_groups`.

    Returns
    -------
    LabelledGraphs
    """
    given = labelled(X, y, pos_label) if isinstance(X, LabelledGraphs) else None
    if given is not None:
        X, y = given.graphs, given.y
    cohort, y = training_graphs(estimator, X, y, binarize_at=binarize_at)
    if given is not None:
        return given.with_graphs(cohort)
    if check_classes is not None:
        check_classes(label_column(y, cohort.n_graphs))
    return labelled(cohort, y, pos_label)


def training_graphs(
    estimator: Any, X: Any, y: Any, *, binarize_at: object = None, **options: Any
) -> tuple[UncertainGraphs, NDArray[Any]]:
    """The same for any y, which is given on as scikit-learn checked it; `options` are of `validate_data`."""
    check_label_order(y, X)  # before scikit-learn takes the index away
    array, y = finite_data(estimator, X, y, accept_sparse="csr", ensure_min_samples=2, **options)
    probability = valid_probability(array, estimator.on_invalid, binarize_at)
    own = (estimator.edges, estimator.node_labels, estimator.edge_layers)
    return as_cohort(X, probability, *own, estimator.on_invalid), y


def fitted_probability(estimator: Any, X: Any, binarize_at: object = None) -> NDArray[Any]:
    """Check what a fitted estimator is to be applied to; parameters as for `training_cohort`."""
    check_is_fitted(estimator)
    if isinstance(X, UncertainGraphs):
        check_same_graphs(X, estimator.edges_, estimator.node_labels_, estimator.edge_layers_)
    names = edge_columns(X)
    if names is not None and not np.array_equal(names, getattr(estimator, "feature_names_in_", ())):
        return _joined_by_name(estimator, X, names, binarize_at)
    array = finite_data(estimator, X, accept_sparse="csr", reset=False)
    return valid_probability(array, estimator.on_invalid, binarize_at)


def held_columns(estimator: Any, graphs: UncertainGraphs) -> Held:
    """The same for graphs, whose probabilities were checked when they were made: nothing is copied."""
    check_is_fitted(estimator)
    check_same_graphs(graphs, estimator.edges_, estimator.node_labels_, estimator.edge_layers_)
    check_on_invalid(estimator.on_invalid)
    return graphs.held_probability


def _joined_by_name(estimator: Any, X: Any, names: tuple[str, ...], binarize_at: object) -> NDArray[Any]:
    # Not by validate_data, which wants the columns of fit in their order.
    probability = valid_probability(finite_array(estimator, X), estimator.on_invalid, binarize_at)
    return columns_by_name(estimator, probability, names)


def as_cohort(
    X: object,
    probability: NDArray[Any],
    edges: ArrayLike | None,
    node_labels: object,
    edge_layers: object,
    on_invalid: object,
) -> UncertainGraphs:
    """Join probabilities with the edges and names that belong to them.

    Parameters
    ----------
    X : UncertainGraphs or any other container
        Where the probabilities came from; a cohort brings its own edges and names, and so does a data frame
        whose columns name edges.
    probability : ndarray of shape (n_graphs, n_edges)
    edges, node_labels, edge_layers, on_invalid
        As for `SubgraphSelector`.
    """
    if isinstance(X, UncertainGraphs):
        given = {"edges": edges, "node_labels": node_labels, "edge_layers": edge_layers}
        for name, value in given.items():
            if value is not None:
                raise InputError(
                    f"{name} must be given once: X is an UncertainGraphs, which has its own {name}. "
                    f"Leave {name} out, or pass X.edge_probability with them."
                )
        return UncertainGraphs(probability, X.edges, X.node_labels, edge_layers=X.edge_layers)
    labels: Any = node_labels
    layers: Any = _checked_word(edge_layers)
    names = edge_columns(X)
    if names is not None:
        edges, labels, layers = named_edges(names, edges, node_labels, edge_layers)
    elif isinstance(edge_layers, str):
        edges, layers = _signed_columns(edges, probability.shape[1], labels)
    elif edges is None and node_labels is None and edge_layers is None and on_invalid == "clip":
        edges = _assumed_edges(probability.shape[1])
    return UncertainGraphs(probability, edges, labels, edge_layers=layers)


def _checked_word(edge_layers: object) -> object:
    if isinstance(edge_layers, str) and edge_layers != "signed":
        raise InputError(
            f'edge_layers must be one name per column, "signed" or None, but is {edge_layers!r}.'
        )
    return edge_layers


def _signed_columns(
    edges: ArrayLike | None, n_columns: int, node_labels: Any
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    if n_columns % 2:
        raise InputError(
            f'edge_layers="signed" needs two columns for each pair of nodes, but X has {n_columns} columns. '
            'Make them with EdgeProbability(layers="signed").'
        )
    if edges is None:
        n_nodes = None if node_labels is None else len(node_labels)
        edges = triangle_edges(triangle_size(n_columns // 2, n_nodes))
    pairs = integer_edges(edges)
    if 2 * len(pairs) != n_columns:
        raise InputError(
            f'edge_layers="signed" needs two columns for each row of edges, but there are {n_columns} '
            f"columns and {len(pairs)} edges. Give the edges of the correlations, each once."
        )
    return signed_edges(pairs)


def _assumed_edges(n_edges: int) -> NDArray[np.int32] | None:
    n_nodes = 2
    while n_nodes * (n_nodes - 1) // 2 < n_edges:
        n_nodes += 1
    if n_nodes * (n_nodes - 1) // 2 == n_edges:
        return None
    warnings.warn(
        f"Without edges, X should have V(V-1)/2 columns, one per pair of V nodes, but has {n_edges}; with "
        f'on_invalid="clip" they are taken as the first {n_edges} pairs of {n_nodes} nodes. Pass edges of '
        "shape "
        f"({n_edges}, 2).",
        AssumedEdgesWarning,
        stacklevel=4,
    )
    # The first pairs of the triangle in its row-wise order are connected, however many they are.
    return triangle_edges(n_nodes)[:n_edges]


def check_same_graphs(
    X: UncertainGraphs,
    edges: NDArray[np.int32],
    node_labels: tuple[str, ...],
    edge_layers: tuple[str, ...] | None,
) -> None:
    """Refuse a cohort whose columns stand for other edges than those seen in fit."""
    # Nodes that had no names in fit are known by their numbers only.
    nameless = node_labels == tuple(map(str, range(X.n_nodes)))
    same_nodes = nameless or X.node_labels == node_labels
    if not (same_nodes and np.array_equal(X.edges, edges) and X.edge_layers == edge_layers):
        raise InputError(
            "X must have the nodes and edges of the graphs in fit, in the same order: it has "
            f"{X.n_edges} edges over {X.n_nodes} nodes, fit had {len(edges)} over {len(node_labels)}, and "
            "not all "
            "are the same. Align X by name first: dugraph.estimators.aligned_probability(estimator, X) gives "
            "what transform and predict take; `dugraph transform` does so too."
        )
