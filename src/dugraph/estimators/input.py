"""Input of estimators: validation of probabilities, labels and covariates; columns matched by names."""

from __future__ import annotations

import numbers
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from dugraph.data import LabelledGraphs, UncertainGraphs, signed_edges
from dugraph.data.arguments import (
    RawProbability,
    abbreviate,
    as_list,
    check_kind,
    check_word,
    counted,
    describe_value,
    is_real,
    listed,
    refuse_masked,
)
from dugraph.data.columns import as_column, check_present, named_columns
from dugraph.data.edges import (
    SEPARATOR,
    Ends,
    SubgraphNaming,
    edge_columns,
    find_columns,
    integer_edges,
    named_edges,
    triangle_edges,
    triangle_size,
    warn_of_other_names,
)
from dugraph.data.labels import check_label_order
from dugraph.exceptions import AssumedEdgesWarning, InputError

if TYPE_CHECKING:
    from dugraph.estimators.selector import SubgraphSelector
    from dugraph.sparse import SparseSubgraphClassifier

_DTYPES = [np.float64, np.float32]
_MOST, _LONGEST = 50, 200  # names in a message, characters of a name


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

    `labelled` decides which labels are allowed: `LabelledGraphs.of`, or `of_any` with one of its rules.
    """
    if isinstance(X, LabelledGraphs):
        given = labelled(X, y, pos_label)
        cohort, _ = training_graphs(estimator, given.graphs, given.y, binarize_at=binarize_at)
        return given.with_graphs(cohort)
    cohort, y = training_graphs(estimator, X, y, binarize_at=binarize_at)
    return labelled(cohort, y, pos_label)


def training_graphs(
    estimator: Any, X: Any, y: Any, *, binarize_at: object = None, **options: Any
) -> tuple[UncertainGraphs, NDArray[Any]]:
    """Like `training_cohort`, for any y; further options are those of `validate_data`."""
    check_label_order(y, X)  # before validate_data drops the index
    names = edge_columns(X)
    repeated = [name for name, count in Counter(names or ()).items() if count > 1]
    if repeated:
        raise InputError(
            f"Every edge must have one column, but {listed(repeated)} has several. Drop all but one of them."
        )
    array, y = finite_data(estimator, X, y, accept_sparse="csr", ensure_min_samples=2, **options)
    probability = _valid_probability(array, estimator.on_invalid, binarize_at)
    edges, labels, layers = estimator.edges, estimator.node_labels, estimator.edge_layers
    if isinstance(X, UncertainGraphs):
        for name, value in {"edges": edges, "node_labels": labels, "edge_layers": layers}.items():
            if value is not None:
                raise InputError(
                    f"{name} must be given once: X is an UncertainGraphs, which has its own {name}. "
                    f"Leave {name} out, or pass X.edge_probability with them."
                )
        return UncertainGraphs(probability, X.edges, X.node_labels, edge_layers=X.edge_layers), y
    if isinstance(layers, str) and layers != "signed":
        raise InputError(f'edge_layers must be one name per column, "signed" or None, but is {layers!r}.')
    warn_of_other_names(X, edges, stacklevel=5)
    if names is not None:
        edges, labels, layers = named_edges(names, edges, labels, layers)
    elif isinstance(layers, str):
        edges, layers = _signed_columns(edges, probability.shape[1], labels)
    elif edges is None and labels is None and layers is None and estimator.on_invalid == "clip":
        edges = _assumed_edges(probability.shape[1])
    return UncertainGraphs(probability, edges, labels, edge_layers=layers), y


def fitted_probability(estimator: Any, X: Any, binarize_at: object = None) -> NDArray[Any]:
    """Validate the input of `transform` or `predict`; parameters as for `training_cohort`."""
    check_is_fitted(estimator)
    if isinstance(X, UncertainGraphs):
        _check_same_graphs(estimator, X)
    names = edge_columns(X)
    if names is not None and not np.array_equal(names, getattr(estimator, "feature_names_in_", ())):
        # validate_data would require the columns of fit in their order.
        refuse_masked(X, "X")
        array = check_array(X, dtype=_DTYPES, estimator=estimator, input_name="X", ensure_all_finite=False)
        _refuse_missing(X, array)
        return columns_by_name(estimator, _valid_probability(array, estimator.on_invalid, binarize_at), names)
    array = finite_data(estimator, X, accept_sparse="csr", reset=False)
    return _valid_probability(array, estimator.on_invalid, binarize_at)


def raw_probability(estimator: Any, graphs: UncertainGraphs) -> RawProbability:
    """Like `fitted_probability`, for graphs: their probabilities are valid already, and are not copied."""
    check_is_fitted(estimator)
    _check_same_graphs(estimator, graphs)
    check_word("on_invalid", estimator.on_invalid, ("raise", "clip"))
    return graphs.raw_probability


def _signed_columns(
    edges: Any, n_columns: int, node_labels: Any
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    if edges is None and n_columns % 2 == 0:
        n_nodes = None if node_labels is None else len(node_labels)
        edges = triangle_edges(triangle_size(n_columns // 2, n_nodes))
    pairs = None if edges is None else integer_edges(edges)
    if pairs is None or len(pairs) * 2 != n_columns:
        each = "pair of nodes" if pairs is None else f"of the {len(pairs)} edges"
        raise InputError(
            f'edge_layers="signed" needs two columns for each {each}, but X has {n_columns} columns. Make '
            'them with EdgeProbability(layers="signed"), and give each edge once.'
        )
    return signed_edges(pairs)


def _assumed_edges(n_edges: int) -> NDArray[np.int32]:
    """Return the first pairs of the triangle, in row-wise order, which are connected."""
    n_nodes = int(np.ceil((1 + np.sqrt(1 + 8 * n_edges)) / 2))
    if n_nodes * (n_nodes - 1) // 2 != n_edges:
        warnings.warn(
            "Without edges, X should have V(V-1)/2 columns, one per pair of V nodes, but has "
            f'{n_edges}; with on_invalid="clip" they are taken as the first {n_edges} pairs of {n_nodes} '
            f"nodes. Pass edges of shape ({n_edges}, 2).",
            AssumedEdgesWarning,
            stacklevel=5,
        )
    return triangle_edges(n_nodes)[:n_edges]


def _check_same_graphs(estimator: Any, X: UncertainGraphs) -> None:
    """Raise InputError if the columns of the graphs are not the edges seen in fit."""
    fit = SubgraphNaming(estimator.edges_, estimator.node_labels_, estimator.edge_layers_)
    # Nodes without names in fit are identified by their numbers.
    unnamed = estimator.node_labels_ == tuple(map(str, range(X.n_nodes))) and fit.same_positions(X.naming)
    if not unnamed and fit != X.naming:
        raise InputError(
            "X must have the nodes and edges of the graphs in fit, in the same order: it has "
            f"{X.n_edges} edges over {X.n_nodes} nodes, fit had {fit.n_edges} over {fit.n_nodes}, and "
            "they differ. Align X by name first, with dugraph.estimators.aligned_probability(estimator, X); "
            "`dugraph transform` does this itself."
        )


def _valid_probability(X: Any, on_invalid: object, binarize_at: Any) -> NDArray[Any]:
    """Return a dense array of probabilities; values outside [0, 1] raise an error or are clipped.

    With `binarize_at`, probabilities of at least this become 1, all others 0. The dtype stays.
    """
    check_word("on_invalid", on_invalid, ("raise", "clip"))
    if binarize_at is not None and not (is_real(binarize_at) and 0 < binarize_at <= 1):
        raise InputError(
            f"binarize_at must be above 0 and at most 1, but is {binarize_at!r}. Use None to keep "
            "probabilities."
        )
    array: NDArray[Any] = X.toarray() if sparse.issparse(X) else X
    if on_invalid == "clip":
        array = np.clip(array, 0, 1)
    # Negative values first: they reveal correlations passed as probabilities, the most likely mistake.
    for kind, outside in (("Negative values in data", array < 0), ("Values above 1 in data", array > 1)):
        if outside.any():
            i, e = np.argwhere(outside)[0].tolist()
            raise InputError(
                f"{kind}: edge probabilities must lie in [0, 1], but graph {i} has {float(array[i, e])!r} at "
                f'edge {e}. Map connectivity to probabilities with EdgeProbability, or set on_invalid="clip".'
            )
    if binarize_at is not None:
        return (array >= float(binarize_at)).astype(array.dtype)
    # Adding 0 turns -0.0 into 0.0.
    return np.asarray(array + array.dtype.type(0))


def finite_data(estimator: Any, X: Any, *more: Any, **options: Any) -> Any:
    """scikit-learn's `validate_data`, with an error that names graph and edge of a missing value.

    scikit-learn's own message recommends other classifiers, which does not help with a missing edge.
    """
    for values, name in zip((X, *more), ("X", "y"), strict=False):
        refuse_masked(values, name)
    checked = validate_data(estimator, X, *more, dtype=_DTYPES, ensure_all_finite=False, **options)
    _refuse_missing(X, checked[0] if isinstance(checked, tuple) else checked)
    return checked


def _refuse_missing(X: Any, array: Any) -> None:
    if np.isfinite(array.data if sparse.issparse(array) else array).all():
        return
    values = array.toarray() if sparse.issparse(array) else array
    bad = ~np.isfinite(values)
    i, e = np.argwhere(bad)[0].tolist()
    value = "NaN" if np.isnan(values[i, e]) else f"{float(values[i, e])}"
    columns = getattr(X, "columns", None)
    name = "" if columns is None else f" ({abbreviate(columns[e])})"
    several = f", the first of {int(bad.sum())} such values" if bad.sum() > 1 else ""
    raise InputError(
        f"Every edge must have a finite value in every graph, but graph {i} has {value} at edge {e}{name}"
        f"{several}. Use 0 for an absent edge, impute it, or drop the edge or the graph."
    )


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
    graphs = X.graphs if isinstance(X, LabelledGraphs) else X
    if isinstance(graphs, UncertainGraphs):
        wanted = _wanted(covariates, str, "names of columns, since X has participants")
        return SplitInput(X, named_columns(wanted, "covariates", graphs), graphs.graph_ids)
    if hasattr(X, "iloc"):
        wanted = _wanted(covariates, str, "names of columns, since X is a data frame")
        if missing := [name for name in wanted if name not in X.columns]:
            raise InputError(
                f"covariates must name columns of X, but there is no {listed(missing)}.",
                parameter="covariates",
                way_out="Add them to X next to the edges, or leave them out.",
            )
        rows, rest = [str(row) for row in X.index], X.drop(columns=wanted)
        columns = {name: as_column(X[name], abbreviate(name)) for name in wanted}
    else:
        wanted = _wanted(covariates, numbers.Integral, "numbers of columns, since X is an array")
        array = np.asarray(X)
        n_columns = array.shape[1] if array.ndim == 2 else 0
        if not all(-n_columns <= index < n_columns for index in wanted):
            raise InputError(
                f"covariates must be columns of X from 0 to {n_columns - 1}, or from -{n_columns} to -1, but "
                f"are {wanted!r}; a sparse X must be converted with X.toarray().",
                parameter="covariates",
            )
        rows, rest = [str(row) for row in range(len(array))], np.delete(array, wanted, axis=1)
        names = {f"column {index % n_columns}": index for index in wanted}
        columns = {name: as_column(array[:, index], name) for name, index in names.items()}
    for name, column in columns.items():
        check_present(column, f"covariates: {abbreviate(name)}", rows, "covariates")
    return SplitInput(rest, columns, rows)


def without_covariates(X: Any, covariates: Any) -> Any:
    """Return X without its covariates; columns of a data frame may be missing."""
    if covariates is None or isinstance(X, UncertainGraphs | LabelledGraphs):
        return X
    if hasattr(X, "iloc"):
        return X.drop(columns=_wanted(covariates, str, "names of columns"), errors="ignore")
    return split_covariates(X, covariates).X


def _wanted(covariates: Any, kind: type, rule: str) -> list[Any]:
    """Return the columns as a list of names or numbers."""
    one = isinstance(covariates, str | numbers.Integral)
    wanted = [covariates] if one else as_list(covariates, "covariates", "columns")
    if not all(isinstance(column, kind) and not isinstance(column, bool) for column in wanted):
        got = describe_value(wanted)
        raise InputError(f"covariates must be {rule}; got {got}.", parameter="covariates")
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError(
            f"covariates must be different columns, at least one, but are {describe_value(covariates)}. Use "
            "None to go without.",
            parameter="covariates",
        )
    return wanted


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
    _refuse_unmatched("region", [label for label in regions if label not in set(graphs.node_labels)])
    column_of = graphs.naming.edge_of
    _refuse_unmatched("edge", [model.edge_name(edge) for edge in used if keys[edge] not in column_of])
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
    _refuse_unmatched("edge", [model.edge_name(edge) for edge in used if wanted[edge] not in column_of])
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


def _refuse_unmatched(noun: str, names: list[str]) -> None:
    if not names:
        return
    texts = [
        name if name.isprintable() and len(name) <= _LONGEST else abbreviate(name) for name in names[:_MOST]
    ]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    raise InputError(
        f"The graphs must have every {noun} of the model's subgraphs, but {counted(len(names), noun)} "
        f"cannot be found by name: {', '.join(texts)}{more}. Name regions as the model does; if no "
        "graph has an edge, add it with probability 0."
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
