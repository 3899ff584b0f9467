"""How similar subgraphs are as features: correlations of their containment probabilities, clustered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from dugraph.data import UncertainGraphs, check_edge_probability
from dugraph.exceptions import InputError
from dugraph.plot.axes import Axes, colour_bar, drawing_axes
from dugraph.plot.colours import MATRIX_MAP
from dugraph.probability.containment import check_subgraphs, containment_columns

_MOST_ORDERED = 200  # subgraphs up to which the best order of leaves is quick
_MOST_NAMED = 30


def plot_redundancy(
    X: UncertainGraphs | ArrayLike, subgraphs: Sequence[Sequence[int]], *, ax: Axes | None = None
) -> Axes:
    """Draw the absolute correlations of the containment probabilities of subgraphs, with similar ones
    adjacent.

    A light block is a group of subgraphs that carry nearly the same information about every graph.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    subgraphs : sequence of sequence of int
        Edge indices, best first; rows carry their ranks, starting at 1.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

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
    probability = check_edge_probability(X)
    chosen = check_subgraphs(subgraphs, probability.shape[1])
    if not chosen:
        raise InputError("Redundancy needs at least one subgraph: got none. Give those of a MiningResult.")
    likeness = absolute_correlations(containment_columns(probability, chosen).T)
    order = _clustered(likeness)
    axes = drawing_axes(ax)
    ordered = likeness[np.ix_(order, order)]
    image = axes.imshow(ordered, cmap=MATRIX_MAP, vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    ranks = [str(i + 1) for i in order]
    if len(ranks) <= _MOST_NAMED:
        size = "small" if len(ranks) <= 15 else 5.5
        axes.set_xticks(range(len(ranks)), ranks, fontsize=size, rotation=90 if len(ranks) > 15 else 0)
        axes.set_yticks(range(len(ranks)), ranks, fontsize=size)
        axes.tick_params(length=0)
        axes.set_xlabel("rank of the subgraph")
        axes.set_ylabel("rank of the subgraph")
    else:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlabel(f"{len(ranks)} subgraphs, clustered")
    colour_bar(axes, image, "|correlation|")
    return axes


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
