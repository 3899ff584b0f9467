"""The numeric arrays of a cohort: probabilities in float64 or float32, coordinates, matrices, selections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, edge_label
from dugraph.data.edges import triangle_edges
from dugraph.exceptions import InputError

RawProbability = NDArray[np.float64] | NDArray[np.float32]
"""Probabilities as a cohort stores them: float32 where they were given so. Both are exact."""

SYMMETRY_TOLERANCE = 1e-8
_PIECE = 2**24  # bytes that are converted to float64 at a time


def real_array(
    values: object, argument: str, ndim: int, shape: str, *, owned: bool = False
) -> NDArray[np.float64]:
    """Return a float64 array in C order; refuse text, complex numbers and wrong dimensions.

    Parameters
    ----------
    values : array-like
    argument, shape : str
        Name of the argument and its expected shape, for messages.
    ndim : int
    owned : bool, default False
        Whether the caller owns the values: a suitable array is then not copied.
    """
    array = raw_array(values, argument, ndim, shape, owned=owned, single=False)
    return cast(NDArray[np.float64], array)


def raw_array(
    values: object, argument: str, ndim: int, shape: str, *, owned: bool, single: bool = True
) -> RawProbability:
    """As `real_array`, but float32 stays float32 if `single`."""
    refuse_masked(values, argument)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"its dtype is {array.dtype}")
        as_given = single and array.dtype.kind == "f" and array.dtype.itemsize == 4
        dtype = np.float32 if as_given else np.float64
        numbers: Any = (np.asarray if owned else np.array)(array, dtype=dtype, order="C")
        # -0.0 becomes 0.0, so that equal cohorts have equal bytes.
        if numbers is not array:
            numbers += dtype(0)
        elif numbers.ndim == ndim == 2 and any(np.signbit(piece).any() for piece in pieces(numbers)):
            numbers = numbers + dtype(0)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{argument} must be real numbers of shape {shape}: {abbreviate(error)}. Convert it first."
        ) from error
    if numbers.ndim != ndim:
        raise InputError(
            f"{argument} must have shape {shape}: got {counted(numbers.ndim, 'dimension')}, shape "
            f"{numbers.shape}. Reshape or stack it first."
        )
    raw: RawProbability = np.ascontiguousarray(numbers)
    return raw


def refuse_masked(values: object, argument: str) -> None:
    """Refuse a masked array with masked entries, which NumPy would convert to the values below the mask."""
    n_masked = int(np.ma.getmaskarray(values).sum()) if isinstance(values, np.ma.MaskedArray) else 0
    if n_masked:
        raise InputError(
            f"{argument} must have all its values, but {n_masked:,} of this masked array are masked. Drop "
            "graphs or edges that lack them, or fill them with .filled(value)."
        )


def pieces(raw: RawProbability, chosen: NDArray[np.bool_] | None = None) -> Iterator[NDArray[np.float64]]:
    """Yield the rows of an array, or those that are `chosen`, in float64, some at a time."""
    at_once = max(1, _PIECE // (8 * max(1, raw.shape[1])))
    for first in range(0, len(raw), at_once):
        some: Any = slice(first, first + at_once)
        if chosen is not None:
            some = first + np.flatnonzero(chosen[some])
        yield np.asarray(raw[some], dtype=np.float64)


def row_sums(raw: RawProbability) -> NDArray[np.float64]:
    """Return the sum of each row: the expected number of edges of each graph."""
    return np.concatenate([piece.sum(axis=1) for piece in pieces(raw)])


def check_probabilities(
    probability: RawProbability,
    edges: NDArray[np.int32],
    node_labels: Sequence[str],
    graph_ids: Sequence[str],
) -> None:
    """Refuse probabilities that are NaN or outside [0, 1], naming the first graph and edge."""
    # NaN compares false with everything. The place is searched only once something is wrong.
    if probability.min() >= 0 and probability.max() <= 1:
        return
    i, e = (int(k) for k in np.argwhere(~((probability >= 0) & (probability <= 1)))[0])
    value = float(probability[i, e])
    edge = edge_label(node_labels, edges[e, 1], edges[e, 0])
    where = f"graph {i} ({abbreviate(graph_ids[i])}), edge {e} ({edge})"
    if np.isnan(value):
        raise InputError(
            f"edge_probability must not be NaN: it is NaN at {where}. Use 0 for an absent edge, or drop the "
            "graph."
        )
    raise InputError(
        f"edge_probability must lie in [0, 1]: it is {value!r} at {where}. "
        "Drop negative correlations or map them with EdgeProbability."
    )


def check_coordinates(coordinates: object, node_labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Return node coordinates of shape (n_nodes, 3); None for None."""
    if coordinates is None:
        return None
    checked = real_array(coordinates, "node_coordinates", 2, "(n_nodes, 3)")
    if checked.shape != (len(node_labels), 3):
        raise InputError(
            f"node_coordinates must have one row of x, y, z per node: got shape {checked.shape} "
            f"for {counted(len(node_labels), 'node')}. Pass an array of shape ({len(node_labels)}, 3)."
        )
    if not np.isfinite(checked).all():
        v, axis = (int(k) for k in np.argwhere(~np.isfinite(checked))[0])
        raise InputError(
            f"node_coordinates must be finite: {'xyz'[axis]} of node {v} ({abbreviate(node_labels[v])}) is "
            f"{float(checked[v, axis])!r}. Fill it in, or leave node_coordinates out."
        )
    return checked


def lower_triangles(
    matrices: object, node_labels: Sequence[str] | None = None, graph_ids: Sequence[str] | None = None
) -> NDArray[np.float64]:
    """Return the lower triangles of symmetric matrices, of shape (n_graphs, n_nodes (n_nodes - 1) / 2).

    Parameters
    ----------
    matrices : array-like of shape (n_graphs, n_nodes, n_nodes)
    node_labels, graph_ids : sequences of str, optional
        Names for messages.
    """
    stack = real_array(matrices, "matrices", 3, "(n_graphs, n_nodes, n_nodes)")
    n_graphs, n_nodes = stack.shape[:2]
    if stack.shape[2] != n_nodes:
        way_out = "Pass one (n_nodes, n_nodes) matrix per graph."
        if n_graphs == n_nodes:
            way_out = (
                f"If the last axis counts {stack.shape[2]} graphs, pass np.transpose(matrices, (2, 0, 1))."
            )
        raise InputError(f"matrices must be square: got shape {stack.shape}. {way_out}")
    rows, columns = triangle_edges(n_nodes).T
    lower, upper = stack[:, rows, columns], stack[:, columns, rows]
    with np.errstate(invalid="ignore"):
        close = np.abs(lower - upper) <= SYMMETRY_TOLERANCE
    # Equal infinities, and NaN on both sides, are symmetric; the check of probabilities names them better.
    differs = ~(close | (lower == upper) | (np.isnan(lower) & np.isnan(upper)))
    if differs.any():
        g, e = (int(k) for k in np.argwhere(differs)[0])
        i, j = int(rows[e]), int(columns[e])
        graph = f" ({abbreviate(graph_ids[g])})" if graph_ids and len(graph_ids) == n_graphs else ""
        edge = f" ({edge_label(node_labels, i, j)})" if node_labels and len(node_labels) == n_nodes else ""
        raise InputError(
            f"matrices must be symmetric: in graph {g}{graph}, entry [{i}, {j}]{edge} is "
            f"{float(lower[g, e])!r} but [{j}, {i}] is {float(upper[g, e])!r}. Average each matrix with its "
            "transpose: (m + m.transpose(0, 2, 1)) / 2."
        )
    return lower


def selected_rows(index: Any, graph_ids: Sequence[str]) -> NDArray[np.intp]:
    """Return the rows that an int, slice, boolean mask or list of ints selects, each at most once.

    A trailing Ellipsis, ``graphs[rows, ...]``, is accepted: scikit-learn indexes rows this way.
    """
    n_graphs = len(graph_ids)
    if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
        index = index[0]
    everything = np.arange(n_graphs)
    if isinstance(index, slice):
        rows = everything[index]
    else:
        chosen = np.asarray(index)
        if chosen.size == 0:
            chosen = chosen.astype(np.intp)
        is_mask = chosen.dtype.kind == "b" and chosen.shape == (n_graphs,)
        if not is_mask and (chosen.dtype.kind not in "iu" or chosen.ndim > 1 or isinstance(index, tuple)):
            raise InputError(
                f"Graphs are selected by an int, a slice, a mask of length {n_graphs} or a list of ints: "
                f"got {abbreviate(repr(index))}. Select edges on graphs.edge_probability."
            )
        # NumPy's own IndexError ends Python's iteration over the graphs.
        rows = np.atleast_1d(everything[chosen])
    if len(rows) == 0:
        raise InputError(
            f"A cohort needs at least one graph: {abbreviate(repr(index))} selects none of {n_graphs}."
        )
    seen, counts = np.unique(rows, return_counts=True)
    if counts.max() > 1:
        twice = int(seen[counts.argmax()])
        raise InputError(
            f"A graph may be selected once, since graph_ids are unique: graph {twice} "
            f"({abbreviate(graph_ids[twice])}) is selected more than once. For a bootstrap, index "
            "graphs.edge_probability."
        )
    return rows
