"""Subgraphs in a brain that can be turned: nilearn's view of a connectome."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from html import escape
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import UncertainGraphs, check_cohort
from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.plot.subgraph import edge_counts

# Of a name in the view as nilearn opens it, in millimetres of the brain.
_NAME_WIDTH, _NAME_HEIGHT = 45.0, 8.0


def view_subgraph(
    graphs: UncertainGraphs | ArrayLike, subgraphs: Sequence[int] | Sequence[Sequence[int]]
) -> Any:
    """Show subgraphs in a three-dimensional brain, in a notebook or a browser.

    Parameters
    ----------
    graphs : UncertainGraphs
        With node coordinates in MNI space.
    subgraphs : sequence of int, or sequence of these
        One subgraph, or several, whose edges are coloured by how many of them hold it. A line stands for all
        edges between two nodes; those of different layers are added up.

    Returns
    -------
    nilearn.plotting.html_connectome.ConnectomeView
        Shows itself in a notebook; `open_in_browser` and `save_as_html` are its methods. Names of nodes are
        escaped before they are handed over, since nilearn writes them into a script as they come. Names of
        nodes that lie so close that they would be printed over each other stand below each other at one of
        these nodes.

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
    several: Any = subgraphs
    if isinstance(subgraphs, Iterable) and all(isinstance(edge, Integral) for edge in subgraphs):
        several = [subgraphs]
    count, n = edge_counts(cohort, several, None)
    try:
        from nilearn.plotting import view_connectome
    except ImportError as error:
        raise InputError(
            "A 3-D view needs nilearn, which is missing: pip install 'dugraph[plot]'."
        ) from error
    nodes = np.unique(cohort.edges[list(count)])
    place = {int(node): i for i, node in enumerate(nodes)}
    adjacency = np.zeros((len(nodes), len(nodes)))
    for edge, k in count.items():
        u, v = (place[node] for node in cohort.edges[edge].tolist())
        adjacency[u, v] += k
        adjacency[v, u] += k
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

    Parameters
    ----------
    labels : sequence of str
    coordinates : ndarray of shape (n_nodes, 3)
        In millimetres, z up.

    Examples
    --------
    >>> stacked_names(["A", "B", "C"], np.array([[0.0, 0, 0], [5, 0, 1], [0, 0, 60]]))
    ['', 'B<br>A', 'C']
    """
    groups: list[list[int]] = []
    for node in range(len(labels)):
        near = [g for g in groups if any(_overprint(coordinates[node], coordinates[k]) for k in g)]
        groups = [g for g in groups if g not in near] + [[node, *(k for g in near for k in g)]]
    names = [""] * len(labels)
    for group in groups:
        downwards = sorted(group, key=lambda k: (-coordinates[k][2], k))
        names[downwards[0]] = "<br>".join(labels[k] for k in downwards)
    return names


def _overprint(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Whether names at two places may overlap when the brain is turned about its upright axis."""
    across, up = float(np.hypot(*(a - b)[:2])), abs(float(a[2] - b[2]))
    return up < _NAME_HEIGHT and across < _NAME_WIDTH
