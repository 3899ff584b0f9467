"""Matrices and circles: group differences, results with many edges, and how similar subgraphs are."""

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
from dugraph.plot.brain import Points, Structure
from dugraph.plot.style import (
    FAINT,
    INK,
    MATRIX_MAP,
    PALE,
    Axes,
    colour_bar,
    difference_map,
    drawing_axes,
    fill_doc,
    legend_below,
    line_height,
    network_looks,
    plain,
    size_in_inches,
    spread,
    text_width,
)
from dugraph.plot.subgraph import Styles, edge_styles, key
from dugraph.probability.containment import containment_columns

Looks = Mapping[str, Mapping[str, str]]
_SIZE = "x-small"
_BESIDE, _BAR = 0.2, 0.75  # inches from the names to a matrix, and for its colour scale
_SHARE = 0.27  # of the width, or of the diameter of a circle, that the name of a region may take
_MOST_ORDERED = 200  # subgraphs up to which the best order of leaves is quick
_MOST_NAMED = 30
_ARC = 0.06  # inches: width of the arc of a network
_BETWEEN = 0.5  # room between two networks, as a multiple of that of a region


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
    graphs : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
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
    cells = _edge_cells(cohort, range(cohort.n_edges), order, halves)
    matrix = np.full((cohort.n_nodes, cohort.n_nodes), np.nan)
    for edge, at in cells.items():
        for row, column in at if present[edge] else ():
            matrix[row, column] = difference[edge]
    ax = drawing_axes(ax)
    from matplotlib.patches import Patch

    words = ["edge of the subgraphs"] if chosen else []
    if halves:
        sides = (": below the diagonal", ": above the diagonal") if len(halves) == 2 else ("",)
        words = [f"{plain(layer, 0.9)}{side}" for layer, side in zip(halves, sides, strict=True)]
    mark = {"linestyle": "none", "markerfacecolor": "none", "markeredgecolor": "black"}
    keys = [key(text, marker=marker, **mark) for text, marker in zip(words, "sD", strict=False)]
    if np.isnan(matrix).sum() > cohort.n_nodes:  # more than the diagonal
        keys.append(Patch(facecolor=PALE, edgecolor="none", label="no such edge"))
    legend_below(ax, keys)
    most = float(np.nanmax(np.abs(matrix), initial=0.0)) or 1.0
    scale = " − ".join(plain(name, 0.8) for name in labelled.names)
    names = list(cohort.node_labels) if named is None else [named[node] for node in order]
    draw_matrix(ax, matrix, [], names, difference_map(), (-most, most), scale)
    _mark(ax, [at for edge in chosen for at in cells.get(edge, ())], len(halves) == 2)
    return ax


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
    graphs: Structure, edges: Iterable[int], order: Sequence[int], halves: Sequence[str] = ()
) -> dict[int, list[tuple[int, int]]]:
    """Row and column of each edge, on both sides of the diagonal, or on its layer's side of two `halves`.

    `order` has the nodes of the rows. Edges of layers that are not among `halves` are left out.
    """
    place = {node: row for row, node in enumerate(order)}
    cells = {}
    for edge in edges:
        low, high = sorted(place[node] for node in graphs.edges[edge].tolist())
        both = [(high, low), (low, high)]
        if graphs.edge_layers is None or not halves:
            cells[edge] = both
        elif graphs.edge_layers[edge] in halves:
            side = halves.index(graphs.edge_layers[edge])
            cells[edge] = both if len(halves) == 1 else [both[side]]
    return cells


def draw_matrix(
    ax: Axes,
    matrix: NDArray[Any],
    names: Sequence[str],
    modules: Sequence[str],
    colours: Any,
    ends: tuple[float, float],
    label: str,
    looks: Looks | None = None,
    labels: bool = True,
) -> None:
    """Draw a square matrix, names to its left and a colour scale to its right, within the axes.

    If the `names` of all rows do not fit, or are empty, those of modules are written, each once beside its
    run of equal rows. Lines separate modules; with `looks`, bands have their colours. Without `labels` no
    name is written.
    """
    from matplotlib.patches import Rectangle

    ax.axis("off")
    n, line = len(matrix), line_height(_SIZE)
    width, height = size_in_inches(ax)
    runs = [(name, len(list(group))) for name, group in groupby(modules)]
    for written in ([(name, 1) for name in names], runs) if labels else ([],):
        texts = [plain(name, _SHARE * width, _SIZE) for name, _ in written]
        left = max((text_width(text, _SIZE) for text in texts), default=0.0) + _BESIDE
        side = min(height - 0.12, width - left - _BAR)
        if texts and len(texts) * line <= side:
            break
    spare, cell = (width - left - side - _BAR) / 2, side / n  # inches
    image = ax.imshow(
        matrix, cmap=colours, vmin=ends[0], vmax=ends[1], interpolation="nearest", aspect="auto"
    )
    begin = -0.5 - (spare + left) / cell
    ax.set_xlim(begin, begin + width / cell)
    ax.set_ylim((n - 1 + height / cell) / 2, (n - 1 - height / cell) / 2)
    ax.add_patch(Rectangle((-0.5, -0.5), n, n, fill=False, edgecolor=FAINT, linewidth=0.8))
    last = np.cumsum([size for _, size in runs]) - 0.5
    if len(runs) < n:
        ax.hlines(last[:-1], -0.5, n - 0.5, color="white", linewidth=0.5)
        ax.vlines(last[:-1], -0.5, n - 0.5, color="white", linewidth=0.5)
    for (name, size), end in zip(runs, last, strict=True) if looks else ():
        band = (end - size + 0.1, end - 0.1)
        style = {"color": (looks or {})[name]["color"], "linewidth": 3.0, "solid_capstyle": "butt"}
        ax.plot((-0.5 - 0.05 / cell,) * 2, band, **style)
        ax.plot(band, (n - 0.5 + 0.05 / cell,) * 2, **style)
    sizes = np.array([size for _, size in written])
    kept = np.sort(np.argsort(-sizes, kind="stable")[: max(int(side / line), 1)])
    middles = (np.cumsum(sizes) - sizes / 2 - 0.5)[kept]
    half = line / cell / 2
    for row, i, y in zip(middles, kept, spread(middles, 2 * half, (half - 0.5, n - 0.5 - half)), strict=True):
        x = -0.5 - np.array([0.08, _BESIDE - 0.05, _BESIDE - 0.02]) / cell
        ax.plot(x[:2], (row, y), color=FAINT, linewidth=0.6)
        ax.text(x[2], y, texts[i], ha="right", va="center", fontsize=_SIZE)
    bar = ((spare + left + side + 0.08) / width, (1 - side / height) / 2, 0.1 / width, side / height)
    colour_bar(ax, image, label, bar)


def _mark(ax: Axes, cells: Sequence[tuple[int, int]], by_layer: bool) -> None:
    """Mark cells by squares, or those above the diagonal by diamonds."""
    from matplotlib.patheffects import withStroke

    size = float(np.clip(min(size_in_inches(ax)) * 72 / len(ax.images[0].get_array()), 4.5, 14.0))
    below = np.array([(c, r) for r, c in cells if r > c]).reshape(-1, 2)
    above = np.array([(c, r) for r, c in cells if r < c]).reshape(-1, 2)
    for places, marker in ((below, "s"), (above, "D" if by_layer else "s")):
        if len(places):
            ax.plot(
                *places.T, linestyle="none", marker=marker, markersize=size, markerfacecolor="none",
                markeredgecolor="black", markeredgewidth=0.9, label="_chosen", zorder=4,
                path_effects=[withStroke(linewidth=2.4, foreground="white")],
            )  # fmt: skip


# ---------------------------------------------------------------- the order of nodes


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
    graphs: Structure, edges: Iterable[int], networks: Sequence[str] | None
) -> tuple[list[int], list[str], Looks]:
    """The nodes of edges, network by network, and the network of each; lobes of AAL regions by default.

    Without networks, the names are empty. Colours are those among all networks of the cohort, so that they
    are the same in all figures.
    """
    nodes = np.unique(graphs.edges[list(edges)]).tolist()
    modules = node_modules(graphs.node_labels, networks)
    if modules is None:
        return nodes, [""] * len(nodes), {"": {"color": FAINT}}
    order = [node for node in module_order(modules) if node in set(nodes)]
    return order, [modules[node] for node in order], network_looks(modules)


# ---------------------------------------------------------------- results with many edges


def draw_cells(
    ax: Axes,
    graphs: Structure,
    values: Mapping[int, float],
    networks: Sequence[str] | None = None,
    labels: bool = True,
    signed: bool = True,
    title: str = "effect",
) -> None:
    """Draw a matrix of the regions that edges join, network by network, with a cell for each edge.

    The matrix is symmetric. With two layers of edges, the first is below the diagonal and the second above;
    with more, the value of the largest size is drawn.
    """
    from matplotlib import colormaps

    nodes, modules, looks = ordered_nodes(graphs, values, networks)
    layers = sorted(set(graphs.edge_layers or ()))
    by_size = sorted(values, key=lambda edge: abs(values[edge]))
    places = _edge_cells(graphs, by_size, nodes, layers if len(layers) == 2 else ())
    n = len(nodes)
    matrix = np.full((n, n), np.nan)
    for edge, cells in places.items():
        for row, column in cells:
            matrix[row, column] = values[edge]
    most = max(map(abs, values.values())) or 1.0
    ends = (-most if signed else 0.0, most)
    colours = (difference_map() if signed else colormaps["cividis_r"]).with_extremes(bad="#F6F6F4")
    names = [graphs.node_labels[node] for node in nodes]
    bands = looks if len(set(modules)) > 1 else None
    draw_matrix(ax, matrix, names, modules, colours, ends, title, bands, labels)
    ax.plot((-0.5, n - 0.5), (-0.5, n - 0.5), color=PALE, linewidth=0.8)


def draw_chords(
    ax: Axes,
    graphs: Structure,
    values: Mapping[int, float],
    networks: Sequence[str] | None = None,
    labels: bool = True,
    signed: bool = True,
) -> None:
    """Draw regions on a circle, network by network, and edges as chords as wide as their values are large.

    If the names of all regions do not fit around the circle, those of the networks are written.
    """
    nodes, modules, looks = ordered_nodes(graphs, values, networks)
    runs = [(name, len(list(group))) for name, group in groupby(modules)]
    sizes = [size for _, size in runs]
    gap = _BETWEEN if len(runs) > 1 else 0.0
    slots = len(nodes) + gap * len(runs)
    at = np.arange(len(nodes)) + gap * np.repeat(np.arange(len(runs)), sizes)
    angles = np.pi / 2 - 2 * np.pi * (at + (1 + gap) / 2) / slots  # clockwise from the top
    parts = np.split(angles, np.cumsum(sizes)[:-1])
    ax.axis("off")
    width, height = size_in_inches(ax)
    half, line = min(width, height) / 2, line_height(_SIZE)
    names = [plain(graphs.node_labels[node], 2 * _SHARE * half, _SIZE) for node in nodes]
    radius = half - 4 * _ARC - (max(text_width(name, _SIZE) for name in names) if labels else 0.0)
    outwards = begins = angles
    if 2 * np.pi * radius / slots < line and len(runs) > 1:
        names = [plain(name, 2 * _SHARE * half, _SIZE) for name, _ in runs]
        radius = half - 4 * _ARC - (max(text_width(name, _SIZE) for name in names) if labels else 0.0)
        begins = np.array([part.mean() for part in parts])
        outwards = -spread(-begins, line / radius)
    # Data units are inches.
    ax.set_xlim(-width / 2, width / 2)
    ax.set_ylim(-height / 2, height / 2)
    ax.set_aspect("equal", adjustable="box")
    styles = edge_styles(graphs, values, signed=signed)
    _draw_edges(ax, graphs, styles, values, dict(zip(nodes, angles, strict=True)), radius)
    end = 0.42 * 2 * np.pi / slots  # an arc goes half a region beyond its first and last one
    for (name, size), own in zip(runs, parts, strict=True):
        arc = _on_circle(radius + _ARC, np.linspace(own[0] + end, own[-1] - end, max(3, 4 * size)))
        style = {"color": looks[name]["color"], "solid_capstyle": "butt", "label": f"_network {name}"}
        ax.plot(*arc.T, linewidth=72 * _ARC, **style)
    every = 1 if len(outwards) < len(nodes) else max(int(np.ceil(line * slots / (2 * np.pi * radius))), 1)
    for name, angle, begin in list(zip(names, outwards, begins, strict=True))[::every] if labels else ():
        _write_outwards(ax, name, angle, begin, radius + 2 * _ARC)


def _on_circle(radius: float, angles: Any) -> Points:
    return np.asarray(radius * np.column_stack([np.cos(angles), np.sin(angles)]))


def _draw_edges(
    ax: Axes,
    graphs: Structure,
    styles: Styles,
    values: Mapping[int, float],
    places: Mapping[int, float],
    radius: float,
) -> None:
    layers = list(dict.fromkeys(graphs.edge_layers or ()))
    share = np.linspace(0, 1, 33)[:, None]
    for edge in sorted(values, key=lambda edge: (abs(values[edge]), edge)):
        ends = np.array([places[node] for node in graphs.edges[edge].tolist()])
        start, end = _on_circle(radius, ends)
        layer = layers.index(graphs.edge_layers[edge]) if graphs.edge_layers is not None else 0
        apart = np.abs((ends[0] - ends[1] + np.pi) % (2 * np.pi) - np.pi)
        control = (start + end) / 2 * (0.85 - 0.1 * layer) * (1 - apart / np.pi)
        curve = (1 - share) ** 2 * start + 2 * share * (1 - share) * control + share**2 * end
        ax.plot(*curve.T, alpha=0.85, label=f"_edge {edge}", solid_capstyle="round", **styles[edge])


def _write_outwards(ax: Axes, name: str, angle: float, begin: float, radius: float) -> None:
    """Write a name away from the centre; a short line joins it to the angle `begin` that it belongs to."""
    (start,), (bend,), (place,) = (
        _on_circle(radius - 0.3 * _ARC, begin),
        _on_circle(radius + 0.8 * _ARC, angle),
        _on_circle(radius + 1.0 * _ARC, angle),
    )
    if abs(angle - begin) > 1e-9:
        ax.plot(*zip(start, bend, strict=True), color=PALE, linewidth=0.6, zorder=1)
    degrees = float(np.degrees(angle)) % 360
    flipped = 90 < degrees < 270
    ax.text(
        *place, name, fontsize=_SIZE, color=INK, va="center", ha="right" if flipped else "left",
        rotation=degrees - 180 if flipped else degrees, rotation_mode="anchor",
    )  # fmt: skip


# ---------------------------------------------------------------- subgraphs as features


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
    likeness = _absolute_correlations(containment_columns(probability, chosen).T)
    order = [0]
    if len(chosen) > 1:
        distances = squareform((1 - likeness + (1 - likeness).T) / 2, checks=False)
        tree = linkage(distances, "average", optimal_ordering=len(chosen) <= _MOST_ORDERED)
        order = leaves_list(tree).tolist()
    ax = drawing_axes(ax)
    ordered = likeness[np.ix_(order, order)]
    image = ax.imshow(ordered, cmap=MATRIX_MAP, vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    colour_bar(ax, image, "|correlation|")
    ranks = [str(i + 1) for i in order] if len(order) <= _MOST_NAMED else []
    size = "small" if len(ranks) <= 15 else 5.5
    ax.set_xticks(range(len(ranks)), ranks, fontsize=size, rotation=90 if len(ranks) > 15 else 0)
    ax.set_yticks(range(len(ranks)), ranks, fontsize=size)
    ax.tick_params(length=0)
    ax.set_xlabel("rank of the subgraph" if ranks else f"{len(order)} subgraphs, clustered")
    ax.set_ylabel("rank of the subgraph" if ranks else "")
    return ax


def _absolute_correlations(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """|Pearson| of all pairs of rows; a constant row has 0 with all others and 1 with itself."""
    # Rounding leaves a constant row something like 1e-17 around its mean.
    varying = np.ptp(features, axis=1) > 1e-12 * np.abs(features).max(axis=1)
    likeness = np.eye(len(features))
    if varying.sum() > 1:
        likeness[np.ix_(varying, varying)] = np.abs(np.corrcoef(features[varying]))
    return np.clip(likeness, 0.0, 1.0)
