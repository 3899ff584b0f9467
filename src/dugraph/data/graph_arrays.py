"""The numeric arrays of a cohort: probabilities, coordinates, matrices, selections of graphs."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dugraph.data.edge_list import triangle_edges
from dugraph.data.held import Held, has_negative_zero
from dugraph.data.names import check_names
from dugraph.data.wording import counted, shown, shown_pair
from dugraph.exceptions import InputError

SYMMETRY_TOLERANCE = 1e-8


def real_array(
    values: object, argument: str, ndim: int, shape: str, *, owned: bool = False
) -> NDArray[np.float64]:
    """Turn values into a float64 array, refusing text, complex numbers and wrong dimensions.

    Parameters
    ----------
    values : array-like
    argument : str
        The argument's name, for messages.
    ndim : int
    shape : str
        The expected shape in words, for messages.
    owned : bool, default False
        Whether nobody else has the values: a suitable array is then not copied.

    Returns
    -------
    ndarray of float64, C-contiguous, owned by the caller
    """
    array = held_array(values, argument, ndim, shape, owned=owned, single=False)
    return cast(NDArray[np.float64], array)


def held_array(
    values: object, argument: str, ndim: int, shape: str, *, owned: bool, single: bool = True
) -> Held:
    """As `real_array`, where float32 stays float32 if `single`."""
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
        elif numbers.ndim == ndim == 2 and has_negative_zero(numbers):
            numbers = numbers + dtype(0)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{argument} must be real numbers of shape {shape}: {shown(error)}. Convert it first."
        ) from error
    if numbers.ndim != ndim:
        raise InputError(
            f"{argument} must have shape {shape}: got {counted(numbers.ndim, 'dimension')}, shape "
            f"{numbers.shape}. Reshape or stack it first."
        )
    held: Held = np.ascontiguousarray(numbers)
    return held


def refuse_masked(values: object, argument: str) -> None:
    """Refuse a masked array with masked entries: NumPy would hand out what lies below the mask."""
    n_masked = int(np.ma.getmaskarray(values).sum()) if isinstance(values, np.ma.MaskedArray) else 0
    if n_masked:
        raise InputError(
            f"{argument} must have all its values, but {n_masked:,} of this masked array are masked. Drop "
            "graphs or edges that lack them, or fill them with .filled(value)."
        )


def check_probabilities(
    probability: Held,
    edges: NDArray[np.int32],
    node_labels: Sequence[str],
    graph_ids: Sequence[str],
) -> None:
    """Refuse probabilities that are NaN or outside [0, 1], naming the first in reading order.

    Parameters
    ----------
    probability : ndarray of shape (n_graphs, n_edges)
    edges : ndarray of shape (n_edges, 2)
    node_labels : sequence of str, length n_nodes
    graph_ids : sequence of str, length n_graphs
    """
    # NaN compares false with everything. The place is only looked for once something is wrong.
    if probability.min() >= 0 and probability.max() <= 1:
        return
    i, e = (int(k) for k in np.argwhere(~((probability >= 0) & (probability <= 1)))[0])
    value = float(probability[i, e])
    where = (
        f"graph {i} ({shown(graph_ids[i])}), edge {e} ({shown_pair(node_labels, edges[e, 1], edges[e, 0])})"
    )
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
    """Check node coordinates of shape (n_nodes, 3); None stays None."""
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
            f"node_coordinates must be finite: {'xyz'[axis]} of node {v} ({shown(node_labels[v])}) is "
            f"{float(checked[v, axis])!r}. Fill it in, or leave node_coordinates out."
        )
    return checked


def lower_triangles(
    matrices: object, node_labels: object = None, graph_ids: object = None
) -> NDArray[np.float64]:
    """Take the lower triangles of symmetric matrices, row by row.

    Parameters
    ----------
    matrices : array-like of shape (n_graphs, n_nodes, n_nodes)
    node_labels, graph_ids : sequences of str, optional
        Names for messages.

    Returns
    -------
    ndarray of shape (n_graphs, n_nodes (n_nodes - 1) / 2)
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
        graph, labels = f"graph {g}", ""
        if graph_ids is not None:
            graph += f" ({shown(check_names(graph_ids, 'graph_ids', n_graphs, 'graph')[g])})"
        if node_labels is not None:
            labels = f" ({shown_pair(check_names(node_labels, 'node_labels', n_nodes, 'node'), i, j)})"
        raise InputError(
            f"matrices must be symmetric: in {graph}, entry [{i}, {j}]{labels} is {float(lower[g, e])!r} "
            f"but [{j}, {i}] is {float(upper[g, e])!r}. Average each matrix with its transpose: "
            "(m + m.transpose(0, 2, 1)) / 2."
        )
    return lower


def selected_rows(index: Any, graph_ids: Sequence[str]) -> NDArray[np.intp]:
    """Turn an int, slice, boolean mask or index array into the rows it selects.

    Parameters
    ----------
    index : int, slice, or array-like of bool or int
        A trailing Ellipsis, ``graphs[rows, ...]``, is accepted: scikit-learn indexes rows this way.
    graph_ids : sequence of str, length n_graphs

    Returns
    -------
    ndarray of intp, shape (n_selected,)
        Each row once.
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
                f"got {shown(repr(index))}. Select edges on graphs.edge_probability."
            )
        # NumPy's own IndexError ends Python's iteration over the graphs.
        rows = np.atleast_1d(everything[chosen])
    if len(rows) == 0:
        raise InputError(
            f"A cohort needs at least one graph: {shown(repr(index))} selects none of {n_graphs}."
        )
    seen, counts = np.unique(rows, return_counts=True)
    if counts.max() > 1:
        twice = int(seen[counts.argmax()])
        raise InputError(
            f"A graph may be selected once, since graph_ids are unique: graph {twice} "
            f"({shown(graph_ids[twice])}) is selected more than once. For a bootstrap, index "
            "graphs.edge_probability."
        )
    return rows
