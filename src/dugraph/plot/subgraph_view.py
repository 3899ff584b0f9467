"""Subgraphs in a brain that can be turned: nilearn's view of a connectome."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from html import escape
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import UncertainGraphs, check_cohort
from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.plot.subgraph import edge_counts


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
        escaped before they are handed over, since nilearn writes them into a script as they come.

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
    names = {"node_labels": [escape(cohort.node_labels[node]) for node in nodes]}
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
