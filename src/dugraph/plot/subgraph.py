"""Subgraphs as drawings: on the brain where nodes have coordinates, as a network where they have none."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import check_positive_int, counted, describe_value, is_one_of
from dugraph.data.labels import CLASSES
from dugraph.data.subgraphs import SubgraphLike, check_subgraph, check_subgraphs, is_several
from dugraph.exceptions import InputError
from dugraph.plot.brain import (
    VIEWS,
    BrainView,
    Points,
    Structure,
    brain_views,
    edge_curves,
    margin_names,
    network_layout,
)
from dugraph.plot.style import (
    COLOURS,
    FAINT,
    INK,
    LINE_STYLES,
    NEGATIVE,
    PALE,
    POSITIVE,
    Axes,
    drawing_axes,
    fill_doc,
    legend_below,
    line_height,
    optional_package,
    plain,
    size_in_inches,
    text_width,
)
from dugraph.probability import containment_probability

Styles = Mapping[int, Mapping[str, Any]]
_SHARE = 0.3  # of the width that the names of one side may take
_GAP = 0.13  # inches from the drawing to the names
_LEAD = "#A3A39E"


@fill_doc
def plot_subgraph(
    graphs: UncertainGraphs | LabelledGraphs | ArrayLike,
    subgraph: SubgraphLike,
    y: ArrayLike | None = None,
    *,
    pos_label: object = None,
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a subgraph with the names of its nodes.

    On the brain if the nodes have coordinates: within its outline if the coordinates lie in MNI space, else
    within an outline of all nodes. As a network layout otherwise. Parallel edges of different layers are arcs
    that differ in colour and dashes.

    Parameters
    ----------
    graphs : UncertainGraphs, LabelledGraphs, or array-like of shape (n_graphs, n_edges)
    %(subgraph)s
    y : array-like of shape (n_graphs,), optional
        Two classes: the subgraph gets the colour of the class in which it is more frequent. Default: those
        of LabelledGraphs; without classes it is grey.
    %(pos_label)s
    view : {"above", "left", "right", "front", "behind", "network"}, optional
        From where the brain is seen; "network" leaves coordinates aside. Default: "above" with coordinates,
        "network" without.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", n_graphs=10, random_state=0)
    >>> ax = dg.plot.plot_subgraph(graphs, planted[0], y)
    >>> len([line for line in ax.lines if line.get_label().startswith("_edge")]) == len(planted[0])
    True
    """
    cohort = graphs.graphs if isinstance(graphs, LabelledGraphs) else check_cohort(graphs)
    edges = check_subgraph(subgraph, cohort.naming)
    view = checked_view(view, cohort)
    words, side = _more_frequent(graphs, edges, y, pos_label)
    styles = edge_styles(cohort, dict.fromkeys(edges, side or 1.0), signed=side != 0)
    if side == 0:
        tints = dict(zip(dict.fromkeys(cohort.edge_layers or ()), cycle(COLOURS), strict=False))
        for edge, style in styles.items():
            style["color"] = FAINT if cohort.edge_layers is None else tints[cohort.edge_layers[edge]]
    ax = drawing_axes(ax)
    keys = layer_keys(cohort, styles)
    if words:
        keys = [key(words, **{**styles[edges[0]], "linestyle": "-"}), *layer_keys(cohort, styles, INK)]
    legend_below(ax, keys)
    draw_network(ax, cohort, styles, view)
    return ax


def _more_frequent(graphs: object, edges: tuple[int, ...], y: object, pos_label: object) -> tuple[str, float]:
    """In which of two classes a subgraph is more frequent, in words, and its sign; 0 without classes."""
    if y is None and not isinstance(graphs, LabelledGraphs):
        return "", 0.0
    labelled = (
        LabelledGraphs.of_any(graphs, y, numbers="phenotype")
        if pos_label is None
        else LabelledGraphs.of(graphs, y, pos_label)
    )
    if labelled.kind != CLASSES:
        return "", 0.0
    x = containment_probability(labelled.graphs, edges)
    is_positive = x[labelled.positive].mean() >= x[~labelled.positive].mean()
    name = labelled.names[0 if is_positive else 1]
    return f"more frequent in {plain(name, 1.5)}", 1.0 if is_positive else -1.0


@fill_doc
def plot_subgraph_union(
    graphs: UncertainGraphs | ArrayLike,
    subgraphs: object,
    *,
    top: int | None = None,
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the union of subgraphs; the more of them an edge is in, the wider and darker it is.

    Parameters
    ----------
    graphs : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    subgraphs : result, or sequence of subgraphs
        Edge indices or names, as for `containment_probability`, best first; at least one subgraph.
    top : int, optional
        How many of them are taken. Default: all.
    view : str, optional
        As for `plot_subgraph`.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=20, random_state=0)
    >>> result = dg.mine_subgraphs(graphs, y, n_subgraphs=20)
    >>> ax = dg.plot.plot_subgraph_union(graphs, result.subgraphs, top=10)
    """
    cohort = check_cohort(graphs)
    count, n = _edge_counts(cohort, subgraphs, top)
    view = checked_view(view, cohort)
    ax = drawing_axes(ax)
    from matplotlib import colormaps

    most = max(count.values())
    # The dark half of the map and a bit more: its light end is lost on white.
    tints = {k: colormaps["cividis"](0.75 * (1 - k / most)) for k in range(1, most + 1)}
    styles = edge_styles(cohort, dict(sorted(count.items(), key=lambda item: item[::-1])), signed=False)
    for edge, style in styles.items():
        style["color"] = tints[count[edge]]
    named = sorted({min(count.values()), (most + min(count.values())) // 2, most})
    keys = [key(f"in {k} of {n}", color=tints[k], linewidth=line_width(k, most)) for k in named]
    legend_below(ax, [*keys, *layer_keys(cohort, styles, INK)])
    draw_network(ax, cohort, styles, view)
    return ax


def _edge_counts(graphs: UncertainGraphs, subgraphs: object, top: int | None) -> tuple[Counter[int], int]:
    """In how many of the first `top` subgraphs each edge is, and the number of these subgraphs."""
    most = None if top is None else check_positive_int("top", top)
    chosen = check_subgraphs(subgraphs, graphs.naming)[:most]
    if not chosen:
        raise InputError("A union needs at least one subgraph: got none. Give those of a MiningResult.")
    return Counter(edge for subgraph in chosen for edge in subgraph), len(chosen)


# ---------------------------------------------------------------- lines and their legend


def line_width(value: float, most: float) -> float:
    """Line width of an edge in points; `most` is the largest value of the drawing."""
    return 0.7 + 1.7 * abs(value) / most


def edge_styles(
    graphs: Structure, values: Mapping[int, float], *, signed: bool = True, most: float | None = None
) -> dict[int, dict[str, Any]]:
    """Line of each edge: width by the size of its value, colour by its sign, dashes by its layer or sign."""
    most = most or max(map(abs, values.values()), default=0.0) or 1.0
    dashes = dict(zip(dict.fromkeys(graphs.edge_layers or ()), cycle(LINE_STYLES), strict=False))
    styles = {}
    for edge, value in values.items():
        side = POSITIVE if value >= 0 else NEGATIVE
        line = side.line if signed else "-"
        styles[edge] = {
            "color": side.colour if signed else INK,
            "linestyle": line if graphs.edge_layers is None else dashes[graphs.edge_layers[edge]],
            "linewidth": line_width(value, most),
        }
    return styles


def key(label: str, **look: Any) -> Any:
    """An entry of a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **look)


def layer_keys(graphs: Structure, styles: Styles, colour: str | None = None) -> list[Any]:
    """Entries for the layers that are drawn, in the colours of their edges or in one `colour`."""
    if graphs.edge_layers is None:
        return []
    drawn = {graphs.edge_layers[edge]: style for edge, style in styles.items()}
    return [
        key(plain(layer, 1.2), linestyle=drawn[layer]["linestyle"], color=colour or drawn[layer]["color"])
        for layer in dict.fromkeys(graphs.edge_layers)
        if layer in drawn
    ]


# ---------------------------------------------------------------- the drawing


def checked_view(view: Any, graphs: Structure) -> str:
    """Return the view, or the default; raise an InputError if it does not exist or needs coordinates."""
    if view is None:
        return "network" if graphs.node_coordinates is None else "above"
    if not is_one_of(view, (*VIEWS, "network")):
        raise InputError(
            f"view must be one of {', '.join(VIEWS)}, network: got {describe_value(view)}.", parameter="view"
        )
    if view != "network" and graphs.node_coordinates is None:
        raise InputError(
            f"view={view!r} needs node_coordinates, but the cohort has none. Leave view out for a network.",
            parameter="view",
        )
    return str(view)


def draw_network(
    ax: Axes,
    graphs: Structure,
    styles: Styles,
    view: str,
    *,
    looks: Styles | None = None,
    named: Collection[int] | None = None,
    name_room: float | None = None,
    size: str = "small",
) -> None:
    """Draw edges, in the order of `styles`, their nodes and the names of these, or only of those `named`.

    `styles` has properties of a `Line2D` for each edge, `looks` those of the dots of nodes; `name_room` are
    the inches for names on either side, so that several drawings have one scale.
    """
    degree = Counter(node for edge in styles for node in graphs.edges[edge].tolist())
    nodes = sorted(degree)
    if view == "network" or graphs.node_coordinates is None:
        xy = network_layout(graphs, styles)
        room = 0.12 * max(float(np.ptp(xy[nodes], axis=0).max()), 1.0)
        box = (xy[nodes].min(axis=0) - room, xy[nodes].max(axis=0) + room)
    else:
        (brain,) = brain_views(graphs.node_coordinates, [view])
        xy, box = brain.places, brain.box
        _draw_brain(ax, brain)
    pairs = [(int(u), int(v)) for u, v in graphs.edges[list(styles)]]
    t = np.linspace(0, 1, 25)[:, None]
    for edge, curve in zip(styles, edge_curves(pairs, xy), strict=True):
        if len(curve) == 3:
            curve = (1 - t) ** 2 * curve[0] + 2 * t * (1 - t) * curve[1] + t**2 * curve[2]
        # The label, which no legend shows, names the edge for anyone who inspects the drawing.
        line = {"zorder": 3, **styles[edge], "label": f"_edge {edge}", "solid_capstyle": "round"}
        ax.plot(*curve.T, **line)
    dot = {"color": INK, "marker": "o", "markersize": 5.5, "markeredgecolor": "white", "zorder": 5}
    for node in nodes:
        ax.plot(*xy[node], linestyle="none", **{**dot, **(looks or {}).get(node, {})})
    written = nodes if named is None else [node for node in nodes if node in set(named)]
    names = [graphs.node_labels[node] for node in written]
    _write_names(ax, xy[written], names, box, [degree[node] for node in written], name_room, size)


def _draw_brain(ax: Axes, view: BrainView) -> None:
    """Draw the outline, all regions, and the words for both sides."""
    scale = min(min(size_in_inches(ax)) / 2.2, 1.0)  # thinner lines and smaller dots in small axes
    ax.fill(*view.outline.T, facecolor="#F6F6F4", edgecolor="#BDBDB8", linewidth=1.2 * scale, zorder=0)
    for line in view.inner:
        ax.plot(*line.T, color="#BDBDB8", linewidth=0.9 * scale, zorder=0)
    ax.scatter(*view.places.T, s=7 * scale**2, color=PALE, zorder=1, linewidths=0)
    low, high = view.box
    for side, place, align in zip(view.sides, (low[0], high[0]), ("left", "right"), strict=True):
        ax.text(place, low[1], side, ha=align, va="bottom", fontsize="x-small", color=FAINT, style="italic")


def _write_names(
    ax: Axes,
    xy: Points,
    names: Sequence[str],
    box: tuple[Points, Points],
    importance: Sequence[int],
    name_room: float | None,
    size: str,
) -> None:
    """Set the limits of the axes and write names in both margins, each joined to its node by a thin line.

    Names are shortened to fit. If there are more names than lines, the most important ones are written, and
    the number of the others.
    """
    low, high = box
    ax.axis("off")
    width, height = size_in_inches(ax)
    line = line_height(size)
    most = max(int(height / line) - 1, 1)
    named = np.sort(np.argsort(-np.asarray(importance), kind="stable")[: 2 * most])
    room = _SHARE * width if name_room is None else name_room
    texts = [plain(names[node], room, size) for node in named]
    sides = {node: side for node, side, _ in margin_names(xy[named], box, 0.0, most=most)}
    taken = [
        max((text_width(text, size) for i, text in enumerate(texts) if sides[i] == side), default=0.0)
        for side in (-1, 1)
    ]
    if name_room is not None:  # hinted text can be a little wider than its outlines
        taken = [1.05 * name_room + 0.03] * 2
    # Inches left for the drawing, and how much of its scale one inch is.
    for_drawing = max(width - sum(taken) - 2 * _GAP - 0.06, 0.2 * width)
    extent = np.maximum(high - low, 1e-9)
    scale = float(max(extent[0] / for_drawing, extent[1] / height))
    spare = max(for_drawing - extent[0] / scale, 0.0) / 2
    beside = [(inches + spare + _GAP + 0.03) * scale for inches in taken]
    middle = float(low[1] + high[1]) / 2
    ax.set_xlim(low[0] - beside[0], high[0] + beside[1])
    ax.set_ylim(middle - height / 2 * scale, middle + height / 2 * scale)
    ax.set_aspect("equal", adjustable="box")
    within = (middle - (height - line) / 2 * scale, middle + (height - line) / 2 * scale)
    for i, side, y in margin_names(xy[named], box, line * scale, within, most):
        edge = float(low[0]) - _GAP * scale if side < 0 else float(high[0]) + _GAP * scale
        x, bend = xy[named[i]], edge - side * _GAP / 2 * scale
        ax.plot((x[0], bend, edge), (x[1], y, y), color=_LEAD, linewidth=0.7, zorder=2)
        align = "right" if side < 0 else "left"
        ax.text(edge + side * 0.03 * scale, y, texts[i], ha=align, va="center", fontsize=size, color=INK)
    if len(named) < len(names):
        left_out = f"and {counted(len(names) - len(named), 'more node')}"
        style = {"ha": "center", "va": "bottom", "fontsize": size, "color": FAINT}
        ax.text(0.5, 0.0, left_out, transform=ax.transAxes, **style)


# ---------------------------------------------------------------- other engines and files


def view_subgraph(graphs: UncertainGraphs | ArrayLike, subgraphs: object) -> Any:
    """Show subgraphs in a three-dimensional brain, in a notebook or a browser.

    Parameters
    ----------
    graphs : UncertainGraphs
        With node coordinates in MNI space.
    subgraphs : result, subgraph or sequence of subgraphs
        Edge indices or names, as for `containment_probability`. Of several subgraphs, edges are coloured by
        how many of them contain the edge. A line stands for all edges between two nodes; those of
        different layers are added up.

    Returns
    -------
    nilearn.plotting.html_connectome.ConnectomeView
        Displayed in a notebook; its methods include `open_in_browser` and `save_as_html`.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", n_graphs=10, random_state=0)
    >>> view = dg.plot.view_subgraph(graphs, planted)
    >>> "<html" in view.html
    True
    """
    cohort = check_cohort(graphs)
    if cohort.node_coordinates is None:
        raise InputError("A 3-D view needs node_coordinates, but the cohort has none. Use plot_subgraph.")
    several: Any = subgraphs if is_several(subgraphs) else [subgraphs]
    count, n = _edge_counts(cohort, several, None)
    view_connectome = optional_package("nilearn.plotting", "A 3-D view needs").view_connectome
    nodes, ends = np.unique(cohort.edges[list(count)], return_inverse=True)
    adjacency = np.zeros((len(nodes), len(nodes)))
    for (u, v), k in zip(ends.reshape(-1, 2), count.values(), strict=True):
        adjacency[u, v] += k
        adjacency[v, u] += k
    # nilearn writes names into a script as they are; before its 0.14 it showed no names.
    names = {"node_labels": [escape(cohort.node_labels[node]) for node in nodes]}
    return view_connectome(
        adjacency,
        cohort.node_coordinates[nodes],
        edge_cmap="cividis_r",
        symmetric_cmap=False,
        colorbar=n > 1,
        node_size=6.0,
        title=f"{counted(n, 'subgraph')}, {counted(len(count), 'edge')}",
        **(names if "node_labels" in inspect.signature(view_connectome).parameters else {}),
    )
