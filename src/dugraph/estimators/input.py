"""Validation of the input of estimators: probabilities with edges and names, labels, covariates."""

from __future__ import annotations

import numbers
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from dugraph.data import LabelledGraphs, UncertainGraphs, signed_edges
from dugraph.data.arguments import (
    RawProbability,
    abbreviate,
    as_list,
    describe_value,
    is_real,
    listed,
    refuse_masked,
)
from dugraph.data.columns import as_column, check_present, named_columns
from dugraph.data.edges import (
    edge_columns,
    integer_edges,
    named_edges,
    triangle_edges,
    triangle_size,
    warn_of_other_names,
)
from dugraph.data.labels import check_label_order
from dugraph.estimators.alignment import columns_by_name
from dugraph.exceptions import AssumedEdgesWarning, InputError

_DTYPES = [np.float64, np.float32]


def training_cohort(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    binarize_at: object = None,
    pos_label: object = None,
    labelled: Callable[..., LabelledGraphs] = LabelledGraphs.of,
) -> LabelledGraphs:
    """Validate the input of `fit` and return it as labelled graphs.

    `labelled` decides which labels are allowed: `LabelledGraphs.of`, `of_any` or `of_groups`.
    """
    given = labelled(X, y, pos_label) if isinstance(X, LabelledGraphs) else None
    if given is not None:
        X, y = given.graphs, given.y
    cohort, y = training_graphs(estimator, X, y, binarize_at=binarize_at)
    if given is not None:
        return given.with_graphs(cohort)
    return labelled(cohort, y, pos_label)


def training_graphs(
    estimator: Any, X: Any, y: Any, *, binarize_at: object = None, **options: Any
) -> tuple[UncertainGraphs, NDArray[Any]]:
    """Like `training_cohort`, for any y; further options are those of `validate_data`."""
    check_label_order(y, X)  # before validate_data drops the index
    names = edge_columns(X) or ()
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(
            f"Every edge must have one column, but {listed(repeated)} has several. Drop all but one of them."
        )
    array, y = finite_data(estimator, X, y, accept_sparse="csr", ensure_min_samples=2, **options)
    probability = _valid_probability(array, estimator.on_invalid, binarize_at)
    own = (estimator.edges, estimator.node_labels, estimator.edge_layers)
    return _as_cohort(X, probability, *own, estimator.on_invalid), y


def fitted_probability(estimator: Any, X: Any, binarize_at: object = None) -> NDArray[Any]:
    """Validate the input of `transform` or `predict`; parameters as for `training_cohort`."""
    check_is_fitted(estimator)
    if isinstance(X, UncertainGraphs):
        _check_same_graphs(X, estimator.edges_, estimator.node_labels_, estimator.edge_layers_)
    names = edge_columns(X)
    if names is not None and not np.array_equal(names, getattr(estimator, "feature_names_in_", ())):
        # validate_data would require the columns of fit in their order.
        probability = _valid_probability(finite_array(estimator, X), estimator.on_invalid, binarize_at)
        return columns_by_name(estimator, probability, names)
    array = finite_data(estimator, X, accept_sparse="csr", reset=False)
    return _valid_probability(array, estimator.on_invalid, binarize_at)


def raw_probability(estimator: Any, graphs: UncertainGraphs) -> RawProbability:
    """Like `fitted_probability`, for graphs: their probabilities are valid already, and are not copied."""
    check_is_fitted(estimator)
    _check_same_graphs(graphs, estimator.edges_, estimator.node_labels_, estimator.edge_layers_)
    _check_on_invalid(estimator.on_invalid)
    return graphs.raw_probability


def _as_cohort(
    X: object,
    probability: NDArray[Any],
    edges: ArrayLike | None,
    node_labels: object,
    edge_layers: object,
    on_invalid: object,
) -> UncertainGraphs:
    """Combine the probabilities of X with their edges and names, which X may have itself."""
    if isinstance(X, UncertainGraphs):
        given = {"edges": edges, "node_labels": node_labels, "edge_layers": edge_layers}
        for name, value in given.items():
            if value is not None:
                raise InputError(
                    f"{name} must be given once: X is an UncertainGraphs, which has its own {name}. "
                    f"Leave {name} out, or pass X.edge_probability with them."
                )
        return UncertainGraphs(probability, X.edges, X.node_labels, edge_layers=X.edge_layers)
    if isinstance(edge_layers, str) and edge_layers != "signed":
        raise InputError(
            f'edge_layers must be one name per column, "signed" or None, but is {edge_layers!r}.'
        )
    labels: Any = node_labels
    layers: Any = edge_layers
    names = edge_columns(X)
    warn_of_other_names(X, edges, stacklevel=6)
    if names is not None:
        edges, labels, layers = named_edges(names, edges, node_labels, edge_layers)
    elif isinstance(edge_layers, str):
        edges, layers = _signed_columns(edges, probability.shape[1], labels)
    elif edges is None and node_labels is None and edge_layers is None and on_invalid == "clip":
        edges = _assumed_edges(probability.shape[1])
    return UncertainGraphs(probability, edges, labels, edge_layers=layers)


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
        f"shape ({n_edges}, 2).",
        AssumedEdgesWarning,
        stacklevel=4,
    )
    # Any number of first pairs of the triangle, in row-wise order, is connected.
    return triangle_edges(n_nodes)[:n_edges]


def _check_same_graphs(
    X: UncertainGraphs,
    edges: NDArray[np.int32],
    node_labels: tuple[str, ...],
    edge_layers: tuple[str, ...] | None,
) -> None:
    """Raise InputError if the columns of the graphs are not the edges seen in fit."""
    # Nodes without names in fit are identified by their numbers.
    nameless = node_labels == tuple(map(str, range(X.n_nodes)))
    same_nodes = nameless or X.node_labels == node_labels
    if not (same_nodes and np.array_equal(X.edges, edges) and X.edge_layers == edge_layers):
        raise InputError(
            "X must have the nodes and edges of the graphs in fit, in the same order: it has "
            f"{X.n_edges} edges over {X.n_nodes} nodes, fit had {len(edges)} over {len(node_labels)}, and "
            "not all are the same. Align X by name first: dugraph.estimators.aligned_probability(estimator, "
            "X) gives what transform and predict take; `dugraph transform` does so too."
        )


def _check_on_invalid(on_invalid: object) -> str:
    """Return the value; raise InputError unless it is "raise" or "clip"."""
    if not isinstance(on_invalid, str) or on_invalid not in ("raise", "clip"):
        raise InputError(f'on_invalid must be "raise" or "clip", but is {on_invalid!r}.')
    return on_invalid


def _check_binarize_at(binarize_at: object) -> float | None:
    """Return the smallest probability that counts as certain, or None."""
    if binarize_at is None:
        return None
    if not is_real(binarize_at) or not 0 < binarize_at <= 1:
        raise InputError(
            f"binarize_at must be above 0 and at most 1, but is {binarize_at!r}. Use None to keep "
            "probabilities."
        )
    return float(binarize_at)


def _valid_probability(X: Any, on_invalid: object, binarize_at: object) -> NDArray[Any]:
    """Return a dense array of probabilities; values outside [0, 1] raise an error or are clipped.

    With `binarize_at`, probabilities of at least this become 1, all others 0. The dtype stays.
    """
    word, limit = _check_on_invalid(on_invalid), _check_binarize_at(binarize_at)
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
    # Negative values first: they reveal correlations passed as probabilities, the most likely mistake.
    for kind, outside in (("Negative values in data", array < 0), ("Values above 1 in data", array > 1)):
        if not outside.any():
            continue
        i, e = (int(k) for k in np.argwhere(outside)[0])
        raise InputError(
            f"{kind}: edge probabilities must lie in [0, 1], but graph {i} has {float(array[i, e])!r} at "
            f'edge {e}. Map connectivity to probabilities with EdgeProbability, or set on_invalid="clip".'
        )


def finite_data(estimator: Any, X: Any, *more: Any, **options: Any) -> Any:
    """scikit-learn's `validate_data`, with an error that names graph and edge of a missing value.

    scikit-learn's own message recommends other classifiers, which does not help with a missing edge.
    """
    for values, name in zip((X, *more), ("X", "y"), strict=False):
        refuse_masked(values, name)
    checked = validate_data(estimator, X, *more, dtype=_DTYPES, ensure_all_finite=False, **options)
    _refuse_missing(X, checked[0] if isinstance(checked, tuple) else checked)
    return checked


def finite_array(estimator: Any, X: Any) -> NDArray[Any]:
    """Like `finite_data`, but with `check_array`, which does not compare columns with those of fit."""
    refuse_masked(X, "X")
    array = check_array(X, dtype=_DTYPES, estimator=estimator, input_name="X", ensure_all_finite=False)
    _refuse_missing(X, array)
    return np.asarray(array)


def refuse_fit_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise InputError for `sample_weight`, and TypeError for any other keyword of `fit`."""
    if parameters.get("sample_weight") is not None:
        raise InputError(
            "sample_weight must be left out: supports count each graph once, so a graph cannot have a "
            "weight. For classes of different sizes, choose a score or a classifier that accounts for "
            "them.",
            parameter="sample_weight",
        )
    unknown = [name for name in parameters if name != "sample_weight"]
    if unknown:
        raise TypeError(f"fit() got an unexpected keyword argument {unknown[0]!r}")


def _refuse_missing(X: Any, array: Any) -> None:
    values = array.tocsr() if sparse.issparse(array) else array
    flat = values.data if sparse.issparse(values) else values
    if np.isfinite(flat).all():
        return
    if sparse.issparse(values):
        values = values.toarray()
    bad = ~np.isfinite(values)
    i, e = (int(k) for k in np.argwhere(bad)[0])
    value = "NaN" if np.isnan(values[i, e]) else f"{float(values[i, e])}"
    columns = getattr(X, "columns", None)
    name = "" if columns is None else f" ({abbreviate(columns[e])})"
    several = f", the first of {int(bad.sum())} such values" if bad.sum() > 1 else ""
    raise InputError(
        f"Every edge must have a finite value in every graph, but graph {i} has {value} at edge {e}{name}"
        f"{several}. Use 0 for an absent edge, impute it, or drop the edge or the graph."
    )


class SplitInput(NamedTuple):
    """X without its covariates, the covariates by name, and names of the graphs for error messages."""

    X: Any
    columns: dict[str, NDArray[Any]]
    graph_ids: Sequence[str]


def split_covariates(X: Any, covariates: Any) -> SplitInput:
    """Separate the covariates from X.

    They are columns of ``participants``, which remain in X, or columns of a data frame (by name) or of an
    array (by number; negative ones count from the end), which are removed from X.
    """
    if covariates is None:
        return SplitInput(X, {}, ())
    wanted = _column_list(covariates)
    graphs = X.graphs if isinstance(X, LabelledGraphs) else X
    if isinstance(graphs, UncertainGraphs):
        _check_kinds(str, wanted, "X has participants")
        return SplitInput(X, named_columns(wanted, "covariates", graphs), graphs.graph_ids)
    if hasattr(X, "iloc"):
        _check_kinds(str, wanted, "X is a data frame")
        missing = [name for name in wanted if name not in X.columns]
        if missing:
            raise InputError(
                f"covariates must name columns of X, but there is no {listed(missing)}.",
                parameter="covariates",
                way_out="Add them to X next to the edges, or leave them out.",
            )
        rows = [str(row) for row in X.index]
        columns = {name: as_column(X[name], abbreviate(name)) for name in wanted}
        rest = X.drop(columns=list(wanted))
    else:
        _check_kinds(numbers.Integral, wanted, "X is an array")
        array, indices = _dense_columns(X, wanted)
        rows = [str(row) for row in range(len(array))]
        columns = {f"column {index}": as_column(array[:, index], f"column {index}") for index in indices}
        rest = np.delete(array, indices, axis=1)
    for name, column in columns.items():
        check_present(column, f"covariates: {abbreviate(name)}", rows, "covariates")
    return SplitInput(rest, columns, rows)


def without_covariates(X: Any, covariates: Any) -> Any:
    """Return X without its covariates; columns of a data frame may be missing."""
    if covariates is None or isinstance(X, UncertainGraphs | LabelledGraphs):
        return X
    if hasattr(X, "iloc"):
        return X.drop(columns=[name for name in _column_list(covariates) if name in X.columns])
    return split_covariates(X, covariates).X


def _column_list(covariates: Any) -> list[Any]:
    one = isinstance(covariates, str | numbers.Integral)
    wanted = [covariates] if one else as_list(covariates, "covariates", "columns")
    plain = all(isinstance(column, str | numbers.Integral) for column in wanted)
    if not wanted or not plain or len(set(wanted)) < len(wanted):
        raise InputError(
            f"covariates must be different columns, at least one, but are {describe_value(covariates)}. Use "
            "None to go without.",
            parameter="covariates",
        )
    return wanted


def _check_kinds(kind: type, wanted: list[Any], why: str) -> None:
    if all(isinstance(one, kind) and not isinstance(one, bool) for one in wanted):
        return
    word = "names of columns" if kind is str else "numbers of columns"
    raise InputError(f"covariates must be {word}, since {why}; got {wanted!r}.", parameter="covariates")


def _dense_columns(X: Any, wanted: list[Any]) -> tuple[NDArray[Any], list[int]]:
    """X as an array, and the numbers of columns, counted from 0."""
    if sparse.issparse(X):
        raise InputError(
            "X must be dense, a data frame or an UncertainGraphs if it contains covariates, but is sparse.",
            parameter="covariates",
            way_out="Pass X.toarray().",
        )
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(
            f"X must be a table of numbers, but is {describe_value(X)}.", parameter="X"
        ) from error
    n_columns = array.shape[1] if array.ndim == 2 else 0
    if not all(-n_columns <= index < n_columns for index in wanted):
        raise InputError(
            f"covariates must be columns of X from 0 to {n_columns - 1}, or from -{n_columns} to -1, but are "
            f"{wanted!r}.",
            parameter="covariates",
        )
    return array, [index % n_columns for index in wanted]
