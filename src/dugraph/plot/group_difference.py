"""The difference between the classes in every edge, as a matrix ordered by module; chosen edges marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import as_list
from dugraph.data.wording import is_one_of, listed
from dugraph.exceptions import InputError
from dugraph.plot.axes import Axes, colour_bar, drawing_axes, size_in_inches
from dugraph.plot.colours import PALE, difference_map
from dugraph.plot.matrix_names import name_rows
from dugraph.plot.modules import module_order, node_modules
from dugraph.plot.text import plain
from dugraph.probability.containment import check_subgraphs

Floats = NDArray[np.float64]


def plot_group_difference(
    graphs: UncertainGraphs | ArrayLike,
    y: ArrayLike,
    subgraphs: Sequence[Sequence[int]] = (),
    *,
    modules: object = None,
    layers: Sequence[str] | None = None,
    pos_label: object = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean edge probability of the positive class minus that of the negative class.

    Both halves of the matrix show the same; for edges with two layers the lower left half shows the first and
    the upper right half the second. The colours are those of the classes, and white means no difference; grey
    marks pairs of nodes that no graph joins. Edges of the chosen subgraphs are marked by squares, those of a
    second layer by diamonds; a legend below says so.

    Parameters
    ----------
    graphs : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    y : array-like of shape (n_graphs,)
        Two classes.
    subgraphs : sequence of sequence of int
        Their edges are marked.
    modules : sequence of length n_nodes, optional
        Module of each node. Default: the lobes of AAL regions; otherwise the first word in which labels
        differ, if it makes modules; otherwise nodes keep their order.
    layers : sequence of one or two str, optional
        The layers to draw, for a cohort with more than two.
    pos_label : object, optional
        The positive class. Default: the last in sorted order.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("adhd", n_graphs=40, random_state=0)
    >>> ax = dg.plot.plot_group_difference(graphs, y, planted)
    >>> ax.images[0].get_array().shape
    (116, 116)
    """
    labelled = LabelledGraphs.of(graphs, y, pos_label)
    cohort, positive, (name, other) = labelled.graphs, labelled.positive, labelled.names
    chosen = sorted({edge for subgraph in check_subgraphs(subgraphs, cohort.n_edges) for edge in subgraph})
    halves = _halves(cohort, layers)
    named = node_modules(cohort.node_labels, modules)
    order = list(range(cohort.n_nodes)) if named is None else module_order(named)
    place = np.argsort(order)
    probability = cohort.edge_probability
    difference = probability[positive].mean(axis=0) - probability[~positive].mean(axis=0)
    present = probability.max(axis=0) > 0
    matrix = np.full((cohort.n_nodes, cohort.n_nodes), np.nan)
    cells = _cells(cohort, place, halves)
    for edge, at in cells.items():
        for row, column in at if present[edge] else ():
            matrix[row, column] = difference[edge]
    axes = drawing_axes(ax)
    most = float(np.nanmax(np.abs(matrix), initial=0.0)) or 1.0
    # Cells as the axes are: a layout engine finds no room for names beside axes of a fixed shape.
    image = axes.imshow(
        matrix, cmap=difference_map(), vmin=-most, vmax=most, interpolation="nearest", aspect="auto"
    )
    _mark(axes, [cells[edge] for edge in chosen if edge in cells], len(halves) > 1, cohort.n_nodes)
    name_rows(axes, cohort.node_labels if named is None else [named[node] for node in order])
    absent = bool(np.isnan(_off_diagonal(matrix)).any())
    grey = "\ngrey: no such edge" if absent else ""
    if len(halves) > 1:
        first, second = (plain(layer, 0.9) for layer in halves)
        axes.set_xlabel(f"□ {first}: below the diagonal\n◇ {second}: above{grey}", fontsize="x-small")
    elif None not in halves:
        axes.set_xlabel(f"□ {plain(next(iter(halves)), 1.5)}{grey}", fontsize="x-small")
    else:
        _explain(axes, bool(chosen), absent)
    colour_bar(axes, image, f"{plain(name, 0.8)} − {plain(other, 0.8)}")
    return axes


def _off_diagonal(matrix: Floats) -> Floats:
    return matrix[~np.eye(len(matrix), dtype=bool)]


def _explain(ax: Axes, marked: bool, absent: bool) -> None:
    """A legend below the matrix: what squares and grey cells are. Layers are explained by text instead."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    square = Line2D([], [], linestyle="none", marker="s", markerfacecolor="none", markeredgecolor="black")
    keys: dict[str, Any] = {"edge of the subgraphs": square} if marked else {}
    if absent:
        keys["no such edge"] = Patch(facecolor=PALE, edgecolor="none")
    if keys:
        ax.legend(
            list(keys.values()), list(keys), loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2,
            frameon=False, fontsize="x-small", handlelength=1.0, borderpad=0.1,
        )  # fmt: skip


def _halves(graphs: UncertainGraphs, layers: Sequence[str] | None) -> list[str | None]:
    """The one or two layers that are drawn; [None] for edges without layers."""
    there = list(dict.fromkeys(graphs.edge_layers or ()))
    if layers is not None:
        asked = [layers] if isinstance(layers, str) else as_list(layers, "layers", "names of layers")
        unknown = [layer for layer in asked if not is_one_of(layer, there)]
        if unknown or not 1 <= len(asked) <= 2:
            raise InputError(
                f"layers must be one or two of the cohort's layers ({listed(there)}): got {listed(asked)}."
            )
        return list(asked)
    if len(there) > 2:
        raise InputError(
            f"A matrix has room for two layers, one on each side of its diagonal, but the cohort has "
            f"{len(there)}: {listed(there)}. Choose by layers=[...]."
        )
    return list(there) or [None]


def _cells(
    graphs: UncertainGraphs, place: NDArray[np.intp], halves: list[str | None]
) -> dict[int, list[tuple[int, int]]]:
    """Row and column of each edge that is drawn, twice where both halves are the same."""
    cells = {}
    for edge, (u, v) in enumerate(graphs.edges.tolist()):
        layer = None if graphs.edge_layers is None else graphs.edge_layers[edge]
        if layer not in halves:
            continue
        low, high = sorted((int(place[u]), int(place[v])))
        both = [(high, low), (low, high)]
        cells[edge] = both if len(halves) == 1 else [both[halves.index(layer)]]
    return cells


def _mark(ax: Axes, chosen: list[list[tuple[int, int]]], by_layer: bool, n_nodes: int) -> None:
    from matplotlib.patheffects import withStroke

    cell = min(size_in_inches(ax)) * 72 / n_nodes
    size = float(np.clip(cell, 4.5, 14.0))
    points = [at for cells in chosen for at in cells]
    below = np.array([(c, r) for r, c in points if r > c]).reshape(-1, 2)
    above = np.array([(c, r) for r, c in points if r < c]).reshape(-1, 2)
    for places, marker in ((below, "s"), (above, "D" if by_layer else "s")):
        if len(places):
            ax.plot(
                *places.T, linestyle="none", marker=marker, markersize=size, markerfacecolor="none",
                markeredgecolor="black", markeredgewidth=0.9, label="_chosen", zorder=4,
                path_effects=[withStroke(linewidth=2.4, foreground="white")],
            )  # fmt: skip
