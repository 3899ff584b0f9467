"""Matrices: group differences, results with many edges, and how similar subgraphs are as features."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from dugraph.data import LabelledGraphs, UncertainGraphs, aal_atlas
from dugraph.data.arguments import as_list, is_one_of, listed
from dugraph.data.graphs import edges_and_probability
from dugraph.data.subgraphs import check_subgraphs
from dugraph.exceptions import InputError
from dugraph.plot.brain import Structure
from dugraph.plot.style import (
    FAINT,
    MATRIX_MAP,
    PALE,
    Axes,
    colour_bar,
    difference_map,
    drawing_axes,
    fill_doc,
    line_height,
    network_looks,
    plain,
    size_in_inches,
    spread,
)
from dugraph.probability.containment import containment_columns

Looks = Mapping[str, Mapping[str, str]]
_SIZE = "x-small"
_ROOM = 1.1  # inches for the name of a row
_SHARE = 0.27  # of the width that the name of a region may take
_MOST_ORDERED = 200  # subgraphs up to which the best order of leaves is quick
_MOST_NAMED = 30


@fill_doc
def plot_group_difference(
    graphs: UncertainGraphs | ArrayLike,
    y: ArrayLike,
    subgraphs: object = (),
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
    %(graphs)s
    y : array-like of shape (n_graphs,)
        Two classes.
    subgraphs : result, or sequence of subgraphs
        Edge indices or names, as for `containment_probability`: their edges are marked.
    modules : sequence of length n_nodes, optional
        Module of each node. Default: the lobes of AAL regions; otherwise the first word in which labels
        differ, if it makes modules; otherwise nodes keep their order.
    layers : sequence of one or two str, optional
        The layers to draw, for a cohort with more than two.
    %(pos_label)s
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("adhd", n_graphs=40, random_state=0)
    >>> ax = dg.plot.plot_group_difference(graphs, y, planted)
    >>> ax.images[0].get_array().shape
    (116, 116)
    """
    labelled = LabelledGraphs.of(graphs, y, pos_label)
    cohort, positive = labelled.graphs, labelled.positive
    chosen = sorted({edge for subgraph in check_subgraphs(subgraphs, cohort.naming) for edge in subgraph})
    halves = _halves(cohort, layers)
    named = node_modules(cohort.node_labels, modules)
    order = list(range(cohort.n_nodes)) if named is None else module_order(named)
    probability = cohort.edge_probability
    difference = probability[positive].mean(axis=0) - probability[~positive].mean(axis=0)
    present = probability.max(axis=0) > 0
    matrix = np.full((cohort.n_nodes, cohort.n_nodes), np.nan)
    cells = _edge_cells(cohort, range(cohort.n_edges), np.argsort(order).tolist(), halves)
    for edge, at in cells.items():
        for row, column in at if present[edge] else ():
            matrix[row, column] = difference[edge]
    ax = drawing_axes(ax)
    most = float(np.nanmax(np.abs(matrix), initial=0.0)) or 1.0
    # Cells as the axes are: a layout engine finds no room for names beside axes of a fixed shape.
    image = ax.imshow(
        matrix, cmap=difference_map(), vmin=-most, vmax=most, interpolation="nearest", aspect="auto"
    )
    marked = [at for edge in chosen for at in cells.get(edge, ())]
    _mark(ax, marked, len(halves) > 1, cohort.n_nodes)
    name_rows(ax, cohort.node_labels if named is None else [named[node] for node in order])
    absent = int(np.isnan(matrix).sum()) > cohort.n_nodes  # more than the diagonal
    if halves:
        names = [plain(layer, 0.9 if len(halves) == 2 else 1.5) for layer in halves]
        lines = [f"□ {names[0]}: below the diagonal", f"◇ {names[-1]}: above"]
        lines = lines if len(names) == 2 else [f"□ {names[0]}"]
        ax.set_xlabel("\n".join([*lines, *["grey: no such edge"] * absent]), fontsize="x-small")
    else:
        _explain(ax, bool(chosen), absent)
    colour_bar(ax, image, " − ".join(plain(name, 0.8) for name in labelled.names))
    return ax


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


def _halves(graphs: UncertainGraphs, layers: Sequence[str] | None) -> list[str]:
    """The one or two layers that are drawn; empty for edges without layers."""
    there = list(dict.fromkeys(graphs.edge_layers or ()))
    if layers is not None:
        asked = [layers] if isinstance(layers, str) else as_list(layers, "layers", "names of layers")
        if not 1 <= len(asked) <= 2 or not all(is_one_of(layer, there) for layer in asked):
            raise InputError(
                f"layers must be one or two of the cohort's layers ({listed(there)}): got {listed(asked)}."
            )
        return asked
    if len(there) > 2:
        raise InputError(
            f"A matrix has room for two layers, one on each side of its diagonal, but the cohort has "
            f"{len(there)}: {listed(there)}. Choose by layers=[...]."
        )
    return there


def _edge_cells(
    graphs: Structure, edges: Iterable[int], place: Any, halves: Sequence[str] = ()
) -> dict[int, list[tuple[int, int]]]:
    """Row and column of each edge, on both sides of the diagonal, or on its layer's side of two `halves`.

    `place` has the position of each node. Edges of layers that are not among `halves` are left out.
    """
    cells = {}
    for edge in edges:
        low, high = sorted(place[node] for node in graphs.edges[edge].tolist())
        cells[edge] = [(high, low), (low, high)]
        if halves and graphs.edge_layers is not None:
            sides = [half == graphs.edge_layers[edge] for half in halves]
            if len(halves) == 2:
                cells[edge] = [at for at, side in zip(cells[edge], sides, strict=True) if side]
            if not any(sides):
                del cells[edge]
    return cells


def _mark(ax: Axes, points: list[tuple[int, int]], by_layer: bool, n_nodes: int) -> None:
    from matplotlib.patheffects import withStroke

    size = float(np.clip(min(size_in_inches(ax)) * 72 / n_nodes, 4.5, 14.0))
    below = np.array([(c, r) for r, c in points if r > c]).reshape(-1, 2)
    above = np.array([(c, r) for r, c in points if r < c]).reshape(-1, 2)
    for places, marker in ((below, "s"), (above, "D" if by_layer else "s")):
        if len(places):
            ax.plot(
                *places.T, linestyle="none", marker=marker, markersize=size, markerfacecolor="none",
                markeredgecolor="black", markeredgewidth=0.9, label="_chosen", zorder=4,
                path_effects=[withStroke(linewidth=2.4, foreground="white")],
            )  # fmt: skip


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Write each name once next to its run of equal rows; thin lines across the matrix separate the runs."""
    runs = [(name, len(list(group))) for name, group in groupby(names)]
    ends = np.cumsum([size for _, size in runs])
    line = line_height(_SIZE) / size_in_inches(ax)[1] * len(names)  # in rows
    most = max(int(len(names) / line), 1)
    largest = sorted(sorted(range(len(runs)), key=lambda i: (-runs[i][1], i))[:most])
    for end in ends[:-1] if len(runs) < len(names) else ():
        ax.axhline(end - 0.5, color="white", linewidth=0.5)
        ax.axvline(end - 0.5, color="white", linewidth=0.5)
    middles = np.array([ends[i] - runs[i][1] / 2 - 0.5 for i in largest])
    places = spread(middles, line, (line / 2 - 0.5, len(names) - line / 2 - 0.5))
    beside = ax.get_yaxis_transform()
    for middle, place in zip(middles, places, strict=True):
        ax.plot(
            (0, -0.02, -0.035), (middle, place, place), transform=beside, color=FAINT, linewidth=0.6,
            clip_on=False,
        )  # fmt: skip
    ax.set_xticks([])
    ax.set_yticks(places, [plain(runs[i][0], _ROOM, _SIZE) for i in largest], fontsize=_SIZE)
    ax.tick_params(axis="y", length=0, pad=0.045 * size_in_inches(ax)[0] * 72)


def node_modules(node_labels: Sequence[str], modules: object = None) -> list[str] | None:
    """Name the module of each node; None where there is nothing to order nodes by.

    Without `modules`: the lobes, if all labels are AAL regions; otherwise the first word in which the labels
    differ, if this makes at least two modules, on average of two nodes or more.

    Examples
    --------
    >>> node_modules(["Insula_L", "Hippocampus_R"])
    ['Insula', 'Limbic']
    >>> node_modules(["net_Vis_1", "net_Vis_2", "net_Som_1", "net_Som_2"])
    ['Vis', 'Vis', 'Som', 'Som']
    """
    if modules is not None:
        given = as_list(modules, "modules", "names, one per node")
        shape = getattr(modules, "shape", (len(given),))
        if len(given) != len(node_labels) or len(shape) > 1:
            raise InputError(
                f"modules must have one entry per node: got the shape {shape} for {len(node_labels)} nodes. "
                "Give a list of module names."
            )
        return [str(module) for module in given]
    atlas = aal_atlas()
    lobes = dict(zip(atlas.labels, atlas.lobes, strict=True))
    if all(label in lobes for label in node_labels):
        return [lobes[label] for label in node_labels]
    words = [re.split(r"[_\-.: ]+", label) for label in node_labels]
    for first in zip(*words, strict=False):
        kinds = len(set(first))
        if kinds > 1:
            return list(first) if 2 * kinds <= len(first) else None
    return None


def module_order(modules: Sequence[str]) -> list[int]:
    """Order nodes by module, modules as they first appear, nodes of a module as they come.

    Examples
    --------
    >>> module_order(["b", "a", "b"])
    [0, 2, 1]
    """
    place = {module: i for i, module in enumerate(dict.fromkeys(modules))}
    return sorted(range(len(modules)), key=lambda node: place[modules[node]])


def ordered_nodes(
    graphs: Structure, edges: Sequence[int], networks: Sequence[str] | None
) -> tuple[list[int], list[str] | None, Looks]:
    """The nodes of edges, network by network, and the network of each; lobes of AAL regions by default.

    Colours are those among all networks of the cohort, so that they are the same in all figures.
    """
    nodes = np.unique(graphs.edges[list(edges)]).tolist()
    modules = node_modules(graphs.node_labels, networks)
    if modules is None:
        return nodes, None, network_looks([""])
    order = [node for node in module_order(modules) if node in set(nodes)]
    return order, [modules[node] for node in order], network_looks(modules)


def draw_cells(
    ax: Axes,
    graphs: Structure,
    values: Mapping[int, float],
    networks: Sequence[str] | None = None,
    labels: bool = True,
    signed: bool = True,
    title: str = "effect",
    room: float | None = None,
) -> None:
    """Draw a matrix of the regions that edges join, network by network, with a cell for each edge.

    The matrix is symmetric. With two layers of edges, the first is below the diagonal and the second above;
    with more, the value of the largest size is drawn. Names are those of regions if they fit, in `room`
    inches, else those of networks.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    nodes, modules, looks = ordered_nodes(graphs, list(values), networks)
    layers = sorted(set(graphs.edge_layers or ()))
    place = {node: i for i, node in enumerate(nodes)}
    by_size = sorted(values, key=lambda edge: abs(values[edge]))
    places = _edge_cells(graphs, by_size, place, layers if len(layers) == 2 else ())
    cells = {at: values[edge] for edge, both in places.items() for at in both}
    n = len(nodes)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    ax.set_aspect("equal", adjustable="box")
    ax.set_facecolor("#F6F6F4")
    ax.plot((-0.5, n - 0.5), (-0.5, n - 0.5), color=PALE, linewidth=0.8)
    squares = PatchCollection(
        [Rectangle((column - 0.5, row - 0.5), 1, 1) for row, column in cells],
        cmap=difference_map() if signed else "cividis_r",
        edgecolor="white",
        linewidth=0.2,
        label="_cells",
        zorder=2,
    )
    squares.set_array(np.array(list(cells.values())))
    most = max(map(abs, values.values())) or 1.0
    squares.set_clim(-most if signed else 0.0, most)
    ax.add_collection(squares)
    fits = n * line_height(_SIZE) <= size_in_inches(ax)[1]
    if modules is not None and len(set(modules)) > 1:
        _draw_bands(ax, modules, looks)
    ax.set_xticks([])
    ax.set_yticks([])
    if labels and fits:
        room = _SHARE * size_in_inches(ax)[0] if room is None else room
        names = [plain(graphs.node_labels[node], room, _SIZE) for node in nodes]
        ax.set_yticks(range(n), names, fontsize=_SIZE)
        ax.tick_params(axis="y", length=0, pad=6)
    elif labels and modules is not None:
        name_rows(ax, modules)
    colour_bar(ax, squares, title)


def _draw_bands(ax: Axes, modules: Sequence[str], looks: Looks) -> None:
    """Bands in the colours of the networks, to the left of the rows and below the columns."""
    begin = 0
    for name, group in groupby(modules):
        size = len(list(group))
        ends = (begin - 0.4, begin + size - 0.6)
        style = {"color": looks[name]["color"], "linewidth": 3.0, "solid_capstyle": "butt", "clip_on": False}
        ax.plot((-0.015, -0.015), ends, transform=ax.get_yaxis_transform(), **style)
        ax.plot(ends, (-0.015, -0.015), transform=ax.get_xaxis_transform(), **style)
        begin += size


@fill_doc
def plot_redundancy(X: UncertainGraphs | ArrayLike, subgraphs: object, *, ax: Axes | None = None) -> Axes:
    """Draw the absolute correlations of the containment probabilities of subgraphs, with similar ones
    adjacent.

    A light block is a group of subgraphs that carry nearly the same information about every graph.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    subgraphs : result, or sequence of subgraphs
        Edge indices or names, as for `containment_probability`, best first; rows carry their ranks,
        starting at 1.
    %(ax)s

    Notes
    -----
    Average linkage of one minus the absolute correlation. A subgraph that is equally likely in all graphs has
    no correlation; it counts as different from all others.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", random_state=0)
    >>> ax = dg.plot.plot_redundancy(graphs, planted)
    >>> ax.images[0].get_array().shape == (len(planted), len(planted))
    True
    """
    probability, space = edges_and_probability(X)
    chosen = check_subgraphs(subgraphs, space)
    if not chosen:
        raise InputError("Redundancy needs at least one subgraph: got none. Give those of a MiningResult.")
    likeness = absolute_correlations(containment_columns(probability, chosen).T)
    order = _clustered(likeness)
    ax = drawing_axes(ax)
    ordered = likeness[np.ix_(order, order)]
    image = ax.imshow(ordered, cmap=MATRIX_MAP, vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    ax.set_xlabel(f"{len(order)} subgraphs, clustered")
    ranks = [str(i + 1) for i in order] if len(order) <= _MOST_NAMED else []
    size = "small" if len(ranks) <= 15 else 5.5
    ax.set_xticks(range(len(ranks)), ranks, fontsize=size, rotation=90 if len(ranks) > 15 else 0)
    ax.set_yticks(range(len(ranks)), ranks, fontsize=size)
    if ranks:
        ax.tick_params(length=0)
        ax.set_xlabel("rank of the subgraph")
        ax.set_ylabel("rank of the subgraph")
    colour_bar(ax, image, "|correlation|")
    return ax


def absolute_correlations(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """|Pearson| of all pairs of rows; a constant row has 0 with all others and 1 with itself."""
    centred = features - features.mean(axis=1, keepdims=True)
    norm = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    # Rounding leaves a constant row something like 1e-17 around its mean.
    constant = norm[:, 0] <= 1e-12 * np.sqrt(features.shape[1]) * np.abs(features).max(axis=1)
    unit = np.where(constant[:, None], 0.0, centred / np.where(norm == 0, 1.0, norm))
    likeness = np.clip(np.abs(unit @ unit.T), 0.0, 1.0)
    np.fill_diagonal(likeness, 1.0)
    return np.asarray(likeness)


def _clustered(likeness: NDArray[np.float64]) -> list[int]:
    if len(likeness) == 1:
        return [0]
    distances = squareform((1 - likeness + (1 - likeness).T) / 2, checks=False)
    tree = linkage(distances, "average", optimal_ordering=len(likeness) <= _MOST_ORDERED)
    return [int(leaf) for leaf in leaves_list(tree)]
