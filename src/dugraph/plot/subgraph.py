"""Subgraphs as drawings: on the brain where nodes have coordinates, as a network where they have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import UncertainGraphs, check_cohort
from dugraph.data.arguments import told
from dugraph.data.wording import is_one_of
from dugraph.exceptions import InputError
from dugraph.plot.axes import Axes, drawing_axes
from dugraph.plot.brain_view import VIEWS, draw_brain
from dugraph.plot.colours import COLOURS, INK
from dugraph.plot.edge_lines import draw_edges, explain_layers, layer_styles
from dugraph.plot.network_view import network_layout
from dugraph.plot.node_names import name_nodes
from dugraph.probability.containment import check_subgraph, check_subgraphs


def plot_subgraph(
    graphs: UncertainGraphs | ArrayLike,
    subgraph: Sequence[int],
    *,
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a subgraph with the names of its nodes.

    On the brain if the nodes have coordinates: within nilearn's glass brain if nilearn is installed and the
    coordinates lie in MNI space, else within an outline of all nodes. As a network layout otherwise. Parallel
    edges of different layers are arcs of different colours and dashes.

    Parameters
    ----------
    graphs : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    subgraph : sequence of int
        Edge indices.
    view : {"above", "right", "behind", "network"}, optional
        From where the brain is seen; "network" leaves coordinates aside. Default: "above" with coordinates,
        "network" without.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", n_graphs=10, random_state=0)
    >>> ax = dg.plot.plot_subgraph(graphs, planted[0])
    >>> len([line for line in ax.lines if line.get_label().startswith("_edge")]) == len(planted[0])
    True
    """
    cohort = check_cohort(graphs)
    edges = check_subgraph(subgraph, cohort.n_edges)
    layers = layer_styles(cohort)
    styles: dict[int, dict[str, Any]] = {}
    for edge in edges:
        own = {"color": COLOURS[0]} if cohort.edge_layers is None else layers[cohort.edge_layers[edge]]
        styles[edge] = {"linewidth": 2.4, **own}
    axes = drawing_axes(ax)
    draw_view(axes, cohort, styles, view, lines_above=0)
    explain_layers(axes, cohort, edges)
    return axes


def plot_subgraph_union(
    graphs: UncertainGraphs | ArrayLike,
    subgraphs: Sequence[Sequence[int]],
    *,
    top: int | None = None,
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the union of subgraphs; the more of them an edge is in, the wider and darker it is.

    Parameters
    ----------
    graphs : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    subgraphs : sequence of sequence of int
        Edge indices, best first; at least one subgraph.
    top : int, optional
        How many of them are taken. Default: all.
    view, ax
        As for `plot_subgraph`.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", n_graphs=20, random_state=0)
    >>> result = dg.mine_subgraphs(graphs, y, n_subgraphs=20)
    >>> ax = dg.plot.plot_subgraph_union(graphs, result.subgraphs, top=10)
    """
    cohort = check_cohort(graphs)
    count, n = edge_counts(cohort, subgraphs, top)
    axes = drawing_axes(ax)
    from matplotlib import colormaps
    from matplotlib.lines import Line2D

    layers = layer_styles(cohort)
    # The dark half of the map and a bit more: its light end is lost on white.
    most = max(count.values())
    tint = {k: colormaps["cividis"](0.75 * (1 - k / most)) for k in range(most + 1)}
    width = {k: 1.0 + 3.0 * k / most for k in range(most + 1)}
    styles: dict[int, dict[str, Any]] = {}
    for edge in sorted(count, key=lambda edge: (count[edge], edge)):
        k = count[edge]
        dashes = {} if cohort.edge_layers is None else layers[cohort.edge_layers[edge]]
        styles[edge] = {**dashes, "color": tint[k], "linewidth": width[k], "zorder": 3 + k / most}
    draw_view(axes, cohort, styles, view, lines_above=2)
    explain_layers(axes, cohort, count, color=INK)
    shown = sorted({min(count.values()), (most + min(count.values())) // 2, most})
    lines = [Line2D([], [], color=tint[k], linewidth=width[k], label=f"in {k} of {n}") for k in shown]
    axes.legend(handles=lines, loc="upper center", ncols=3, frameon=False, fontsize="small", handlelength=1.4)
    return axes


def edge_counts(
    graphs: UncertainGraphs, subgraphs: Sequence[Sequence[int]], top: int | None
) -> tuple[Counter[int], int]:
    """In how many of the first `top` subgraphs each edge is, and how many subgraphs these are."""
    if top is not None and not (isinstance(top, Integral) and top >= 1):
        raise InputError(
            f"top must be a whole number of at least 1: got {top!r}. Leave it out for all subgraphs."
        )
    chosen = check_subgraphs(subgraphs, graphs.n_edges)[:top]
    if not chosen:
        raise InputError("A union needs at least one subgraph: got none. Give those of a MiningResult.")
    return Counter(edge for subgraph in chosen for edge in subgraph), len(chosen)


def draw_view(
    ax: Axes,
    graphs: UncertainGraphs,
    styles: Mapping[int, Mapping[str, Any]],
    view: str | None,
    lines_above: int,
) -> None:
    """Draw the edges, their nodes and the names of these."""
    chosen = ("network" if graphs.node_coordinates is None else "above") if view is None else view
    if not is_one_of(chosen, (*VIEWS, "network")):
        raise InputError(f"view must be one of {', '.join(VIEWS)}, network: got {told(view)}.")
    degree = Counter(node for edge in styles for node in graphs.edges[edge].tolist())
    nodes = sorted(degree)
    if chosen == "network":
        xy = network_layout(graphs, styles)
        room = 0.12 * max(float(np.ptp(xy[nodes], axis=0).max()), 1.0)
        box = (xy[nodes].min(axis=0) - room, xy[nodes].max(axis=0) + room)
    elif graphs.node_coordinates is None:
        raise InputError(
            f"view={chosen!r} needs node_coordinates, but the cohort has none. Leave view out for a network."
        )
    else:
        xy = graphs.node_coordinates[:, [VIEWS[chosen].across, VIEWS[chosen].up]]
        box = draw_brain(ax, graphs.node_coordinates, VIEWS[chosen])
    draw_edges(ax, graphs, xy, styles)
    ax.scatter(*xy[nodes].T, s=34, color=INK, edgecolor="white", linewidth=1.0, zorder=5)
    names = [graphs.node_labels[node] for node in nodes]
    importance = [degree[node] for node in nodes]
    lines = (0 if graphs.edge_layers is None else 2, lines_above)
    name_nodes(ax, xy[nodes], names, [INK] * len(nodes), box, importance, lines)
