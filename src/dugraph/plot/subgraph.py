"""Subgraphs as drawings: on the brain where nodes have coordinates, as a network where they have none."""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import as_list, check_kind, check_positive_int, counted, describe_value, is_one_of
from dugraph.data.columns import as_column
from dugraph.data.labels import CLASSES
from dugraph.data.subgraphs import SubgraphLike, check_subgraph, check_subgraphs, is_several
from dugraph.exceptions import InputError
from dugraph.files.atomic import atomic_file
from dugraph.plot.brain import (
    VIEWS,
    BrainView,
    Structure,
    brain_views,
    components,
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
    line_height,
    plain,
    size_in_inches,
    text_width,
)
from dugraph.probability import containment_probability

Styles = Mapping[int, Mapping[str, Any]]
_SIZE = "small"
_SHARE = 0.3  # of the width that the names of one side may take
_GAP = 0.13  # inches from the drawing to the names
_LEAD = "#A3A39E"
# Size of a name in nilearn's view as it opens, in millimetres of the brain.
_NAME_WIDTH, _NAME_HEIGHT = 45.0, 8.0


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
    words, colour = _more_frequent(graphs, edges, y, pos_label)
    layers = layer_styles(cohort)
    styles: dict[int, dict[str, Any]] = {}
    for edge in edges:
        own = {} if cohort.edge_layers is None else layers[cohort.edge_layers[edge]]
        styles[edge] = {"linewidth": 2.4, "color": FAINT, **own, **colour}
    ax = drawing_axes(ax)
    draw_subgraph_view(ax, cohort, styles, view, lines_above=2 if words else 0)
    explain_layers(ax, cohort, edges, **colour)
    if words:
        from matplotlib.lines import Line2D

        handle = Line2D([], [], linewidth=2.4, label=words, **colour)
        ax.legend(handles=[handle], loc="upper center", frameon=False, fontsize="small", handlelength=2)
    return ax


def _more_frequent(
    graphs: object, edges: tuple[int, ...], y: object, pos_label: object
) -> tuple[str, dict[str, Any]]:
    """In which of two classes a subgraph is more frequent, in words, and the colour of that class."""
    if y is None and not isinstance(graphs, LabelledGraphs):
        return "", {}
    labelled = (
        LabelledGraphs.of_phenotype(graphs, y)
        if pos_label is None
        else LabelledGraphs.of(graphs, y, pos_label)
    )
    if labelled.kind != CLASSES:
        return "", {}
    x = containment_probability(labelled.graphs, edges)
    is_positive = x[labelled.positive].mean() >= x[~labelled.positive].mean()
    name = labelled.names[0 if is_positive else 1]
    return f"more frequent in {plain(name, 1.5)}", {"color": (POSITIVE if is_positive else NEGATIVE).colour}


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
    %(graphs)s
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
    from matplotlib.lines import Line2D

    layers, most = layer_styles(cohort), max(count.values())

    def look(k: int) -> dict[str, Any]:
        # The dark half of the map and a bit more: its light end is lost on white.
        return {"color": colormaps["cividis"](0.75 * (1 - k / most)), "linewidth": 1.0 + 3.0 * k / most}

    styles: dict[int, dict[str, Any]] = {}
    for edge in sorted(count, key=lambda edge: (count[edge], edge)):
        dashes = {} if cohort.edge_layers is None else layers[cohort.edge_layers[edge]]
        styles[edge] = {**dashes, **look(count[edge]), "zorder": 3 + count[edge] / most}
    draw_subgraph_view(ax, cohort, styles, view, lines_above=2)
    explain_layers(ax, cohort, count, color=INK)
    shown = sorted({min(count.values()), (most + min(count.values())) // 2, most})
    lines = [Line2D([], [], label=f"in {k} of {n}", **look(k)) for k in shown]
    ax.legend(handles=lines, loc="upper center", ncols=3, frameon=False, fontsize="small", handlelength=1.4)
    return ax


def _edge_counts(graphs: UncertainGraphs, subgraphs: object, top: int | None) -> tuple[Counter[int], int]:
    """In how many of the first `top` subgraphs each edge is, and the number of these subgraphs."""
    most = None if top is None else check_positive_int("top", top)
    chosen = check_subgraphs(subgraphs, graphs.naming)[:most]
    if not chosen:
        raise InputError("A union needs at least one subgraph: got none. Give those of a MiningResult.")
    return Counter(edge for subgraph in chosen for edge in subgraph), len(chosen)


def signed_looks(graphs: Structure, values: Mapping[int, float]) -> dict[int, dict[str, Any]]:
    """Colour of each edge by the sign of its value; dashes by its layer, without layers by the sign."""
    layers = layer_styles(graphs)
    looks = {}
    for edge, value in values.items():
        side = POSITIVE if value >= 0 else NEGATIVE
        line = side.line if graphs.edge_layers is None else layers[graphs.edge_layers[edge]]["linestyle"]
        looks[edge] = {"color": side.colour, "linestyle": line}
    return looks


def draw_subgraph_view(
    ax: Axes,
    graphs: Structure,
    styles: Styles,
    view: str,
    lines_above: int = 0,
    looks: Styles | None = None,
    named: Collection[int] | None = None,
    name_room: float | None = None,
    size: str = _SIZE,
) -> None:
    """Draw edges, their nodes and the names of these.

    Parameters
    ----------
    ax : matplotlib Axes
    graphs : UncertainGraphs or SubgraphNaming
    styles : mapping of int to mapping
        For each edge, in the order of drawing, properties of its `Line2D`.
    view : str
        As for `plot_subgraph`.
    lines_above : int
        Lines of text to keep free above, for a legend.
    looks : mapping of int to mapping, optional
        For each node, `color` and further properties of its dot; `size` is that of the dot in points squared.
    named : collection of int, optional
        The nodes whose names are written. Default: all that are drawn.
    name_room : float, optional
        Inches for names on either side, so that several drawings have one scale. Default: as the names need.
    size : str
        Font size of the names.
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
    _draw_nodes(ax, xy, nodes, looks)
    lines = (0 if graphs.edge_layers is None else 2, lines_above)
    written = nodes if named is None else [node for node in nodes if node in set(named)]
    names = [graphs.node_labels[node] for node in written]
    colours = [INK if looks is None else looks[node].get("name", looks[node]["color"]) for node in written]
    importance = [degree[node] for node in written]
    _name_nodes(ax, xy[written], names, colours, box, importance, lines, name_room, size)


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


def _draw_nodes(ax: Axes, xy: NDArray[np.float64], nodes: Sequence[int], looks: Styles | None) -> None:
    """Draw the dots of nodes; those with the same marker at once."""
    if looks is None:
        looks = {node: {"color": INK, "size": 34} for node in nodes}
    alike: dict[tuple[str, float], list[int]] = {}
    for node in nodes:
        alike.setdefault((looks[node].get("marker", "o"), looks[node].get("zorder", 5)), []).append(node)
    for (marker, zorder), members in alike.items():
        own = [looks[node] for node in members]
        ax.scatter(
            *xy[members].T,
            s=[look.get("size", 58) for look in own],
            marker=marker,
            color=[look.get("fill", look["color"]) for look in own],
            edgecolor=[look.get("edge", "white") for look in own],
            linewidth=[look.get("line", 1.0) for look in own],
            zorder=zorder,
        )


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


def layer_styles(graphs: Structure) -> dict[str, dict[str, str]]:
    """Colour and dashes of each layer; none if the edges have no layers."""
    return {
        layer: {"color": COLOURS[i % len(COLOURS)], "linestyle": LINE_STYLES[i % len(LINE_STYLES)]}
        for i, layer in enumerate(dict.fromkeys(graphs.edge_layers or ()))
    }


def explain_layers(ax: Axes, graphs: Structure, edges: Iterable[int], **style: Any) -> None:
    """Write a legend of the layers that are drawn."""
    if graphs.edge_layers is None:
        return
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    drawn = {graphs.edge_layers[edge] for edge in edges}
    styles = {layer: {**own, **style} for layer, own in layer_styles(graphs).items() if layer in drawn}
    lines = [Line2D([], [], linewidth=2.4, **own) for own in styles.values()]
    names = [plain(layer, 1.2) for layer in styles]
    look: dict[str, Any] = {"frameon": False, "fontsize": "small", "handlelength": 2.8}
    # Not by ax.legend, which has room for one legend only.
    ax.add_artist(Legend(ax, lines, names, loc="lower center", ncols=2, **look))


def _name_nodes(
    ax: Axes,
    xy: NDArray[np.float64],
    names: Sequence[str],
    colours: Sequence[str],
    box: tuple[NDArray[np.float64], NDArray[np.float64]],
    importance: Sequence[float],
    lines_kept: tuple[int, int],
    name_room: float | None,
    size: str,
) -> None:
    """Set the limits of the axes and write names in both margins, each joined to its node by a thin line.

    Names are shortened to fit. If there are more names than lines, the most important ones are written, and
    the number of the others. `lines_kept` lines of text stay free below and above, for legends.
    """
    low, high = box
    ax.axis("off")
    width, height = size_in_inches(ax)
    line = line_height(size)
    kept = [line * n for n in lines_kept]
    height -= sum(kept)
    most = max(int(height / line) - 1, 1)
    named = np.sort(np.argsort(-np.asarray(importance, dtype=np.float64), kind="stable")[: 2 * most])
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
    ax.set_ylim(middle - (height / 2 + kept[0]) * scale, middle + (height / 2 + kept[1]) * scale)
    ax.set_aspect("equal", adjustable="box")
    within = (middle - (height - line) / 2 * scale, middle + (height - line) / 2 * scale)
    for i, side, y in margin_names(xy[named], box, line * scale, within, most):
        edge = float(low[0]) - _GAP * scale if side < 0 else float(high[0]) + _GAP * scale
        x, bend = xy[named[i]], edge - side * _GAP / 2 * scale
        ax.plot((x[0], bend, edge), (x[1], y, y), color=_LEAD, linewidth=0.7, zorder=2)
        align = "right" if side < 0 else "left"
        at = edge + side * 0.03 * scale
        ax.text(at, y, texts[i], ha=align, va="center", fontsize=size, color=colours[named[i]])
    if len(named) < len(names):
        left_out = f"and {counted(len(names) - len(named), 'more node')}"
        style = {"ha": "center", "va": "bottom", "fontsize": size, "color": FAINT}
        ax.text(0.5, 0.0, left_out, transform=ax.transAxes, **style)


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
        Shows itself in a notebook; `open_in_browser` and `save_as_html` are its methods. Names of nodes that
        would be printed over each other are written below each other at one of these nodes.

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
    try:
        from nilearn.plotting import view_connectome
    except ImportError as error:
        raise InputError(
            "A 3-D view needs nilearn, which is missing: pip install 'dugraph[plot]'."
        ) from error
    nodes, ends = np.unique(cohort.edges[list(count)], return_inverse=True)
    adjacency = np.zeros((len(nodes), len(nodes)))
    for (u, v), k in zip(ends.reshape(-1, 2), count.values(), strict=True):
        adjacency[u, v] += k
        adjacency[v, u] += k
    # nilearn writes names into a script as they are.
    labels = [escape(cohort.node_labels[node]) for node in nodes]
    names = {"node_labels": stacked_names(labels, cohort.node_coordinates[nodes])}
    known = inspect.signature(view_connectome).parameters  # before its 0.14 nilearn showed no names
    return view_connectome(
        adjacency,
        cohort.node_coordinates[nodes],
        edge_cmap="cividis_r",
        symmetric_cmap=False,
        colorbar=n > 1,
        node_size=6.0,
        title=f"{counted(n, 'subgraph')}, {counted(len(count), 'edge')}",
        **(names if "node_labels" in known else {}),
    )


def stacked_names(labels: Sequence[str], coordinates: NDArray[np.float64]) -> list[str]:
    """Put the names of neighbouring nodes below each other at the uppermost of them; the others get none.

    Examples
    --------
    >>> stacked_names(["A", "B", "C"], np.array([[0.0, 0, 0], [5, 0, 1], [0, 0, 60]]))
    ['', 'B<br>A', 'C']
    """
    apart = np.abs(coordinates[:, None] - coordinates)
    # Names may overlap when the brain is turned about its upright axis.
    near = (apart[..., 2] < _NAME_HEIGHT) & (np.hypot(apart[..., 0], apart[..., 1]) < _NAME_WIDTH)
    names = [""] * len(labels)
    group_of = connected_components(near, directed=False)[1]
    for group in np.unique(group_of):
        members = np.flatnonzero(group_of == group).tolist()
        downwards = sorted(members, key=lambda k: (-coordinates[k][2], k))
        names[downwards[0]] = "<br>".join(labels[k] for k in downwards)
    return names


def draw_subgraphs(
    path: str | os.PathLike[str],
    graphs: UncertainGraphs,
    subgraphs: Sequence[tuple[int, ...]],
    is_positive: NDArray[np.bool_],
    *,
    title: str,
    class_names: tuple[str, str] = ("positive", "negative"),
    planted: Collection[tuple[int, ...]] = (),
) -> None:
    """Write a PNG of ranked subgraphs: on the brain from above and from the right, and their frequencies.

    Parameters
    ----------
    path : path-like
        The file to write.
    graphs : UncertainGraphs
        With node coordinates in millimetres: x to the right, y to the front, z up.
    subgraphs : sequence of tuple of int
        Edge indices, best first; not more than about a dozen stay readable.
    is_positive : ndarray of bool, shape (n_graphs,)
    title : str
    class_names : pair of str
        What positive and negative graphs are called.
    planted : collection of tuple of int
        Known answers: their ranks are marked, other edges are drawn dashed.

    Raises
    ------
    InputError
        If the cohort has no coordinates.
    ImportError
        If matplotlib, the extra ``report``, is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install 'dugraph[report]'.") from error
    check_kind(graphs, UncertainGraphs, "graphs")
    if graphs.node_coordinates is None:
        raise InputError("A picture needs node_coordinates, but the cohort has none. Give x, y, z per node.")
    subgraphs = check_subgraphs(subgraphs, graphs.naming)
    planted = check_subgraphs(planted, graphs.naming)
    positive = as_column(is_positive, "is_positive")
    if positive.dtype != np.bool_ or len(positive) != graphs.n_graphs:
        raise InputError(
            f"is_positive must be True or False for each of {counted(graphs.n_graphs, 'graph')}, but has "
            f"{len(positive)} values of dtype {positive.dtype}.",
            parameter="is_positive",
        )
    names = [
        check_kind(name, str, "class_names") for name in as_list(class_names, "class_names", "two texts")
    ]
    if len(names) != 2:
        raise InputError(f"class_names must be two texts, but are {len(names)}.", parameter="class_names")
    parts = components(graphs, {edge for subgraph in subgraphs for edge in subgraph})
    tints = {edge: COLOURS[i % len(COLOURS)] for i, part in enumerate(parts) for edge in part}
    known = {edge for subgraph in planted for edge in subgraph} or set(tints)
    figure = Figure(figsize=(13.5, 4.5), dpi=110, facecolor="white")
    figure.text(0.012, 0.945, plain(check_kind(title, str, "title")), fontsize=13)
    styles = {
        edge: {"color": tint, "linewidth": 2.6, "linestyle": "-" if edge in known else (0, (2, 1.6))}
        for edge, tint in tints.items()
    }
    looks = {node: {"color": tint} for edge, tint in tints.items() for node in graphs.edges[edge].tolist()}
    for left, view in ((0.008, "above"), (0.37, "right")):
        ax = figure.add_axes((left, 0.05, 0.365, 0.81))
        ax.set_title(VIEWS[view].title, fontsize=10.5)
        draw_subgraph_view(ax, graphs, styles, view, looks=looks)
    if planted:
        figure.text(0.012, 0.03, "solid: planted edges; dashed: other edges", fontsize=9, color=FAINT)
    ax = figure.add_axes((0.785, 0.17, 0.15, 0.69))
    # The expected frequency of each subgraph in both classes, as two dots on a line.
    dot: dict[str, Any] = {"s": 52, "linewidth": 2, "zorder": 2}
    for rank, subgraph in enumerate(subgraphs, start=1):
        probability = containment_probability(graphs.edge_probability, subgraph)
        ends = (float(probability[~positive].mean()), float(probability[positive].mean()))
        tint = tints[subgraph[0]]
        ax.plot(ends, (rank, rank), color=tint, linewidth=3, zorder=1)
        for end, fill in zip(ends, ("white", tint), strict=True):
            ax.scatter([end], [rank], facecolor=fill, edgecolor=tint, **dot)
        if subgraph in planted:
            ax.text(1.02, rank, "planted", va="center", fontsize=9.5, color=tint)
    for name, fill in zip(names, (FAINT, "white"), strict=True):
        ax.scatter([], [], facecolor=fill, edgecolor=FAINT, label=plain(name), **dot)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=2, frameon=False, fontsize=9.5)
    ax.set_title("expected frequency", fontsize=10.5)
    ax.set_yticks(range(1, len(subgraphs) + 1))
    ax.set_ylabel("rank", fontsize=9.5)
    ax.set_ylim(len(subgraphs) + 0.6, 0.4)
    ax.set_xlim(0, 1)
    ax.tick_params(axis="y", length=0, labelsize=9.5)
    ax.tick_params(axis="x", labelsize=9)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", color="#e6e6e6", zorder=0)
    ax.set_axisbelow(True)
    with atomic_file(path) as file:
        # Without a note about matplotlib's version the file depends on the drawing alone.
        figure.savefig(file, format="png", metadata={"Software": None})
