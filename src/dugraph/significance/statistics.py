"""The statistics of a subgraph, z, difference and t: their weights and their denominators.

With w the weights of a relabeling (labels minus what blocks and covariates say) and x the containment
probabilities, every statistic is |sum_i w_i x_i| over a denominator:

z
    sqrt(sum_b s_b n_b m_b (1 - m_b)), b being the cells within which labels move, m_b the mean of x there,
    n_b its graphs, and s_b the sum of squared label deviations over (units - 1). n m (1 - m) is the variance
    of x between graphs plus the variance of possible worlds. On certain graphs z is the
    Cochran-Mantel-Haenszel statistic. In whole-block designs s_b bounds the variance for any dependence among
    a block's graphs.
difference
    |w|^2: the slope of x on y, which for two classes is the difference in expected frequency.
t
    |w| |R x|, R adjusting for cells and covariates: the partial correlation of x and y.

s_b is that of the labels themselves, which no relabeling within cells changes. |w| depends on the relabeling
if there are covariates, and never on x, so it enters the weights; what is left depends on x alone. For
several contrasts the statistic is the largest one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.design import Design

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Denominator:
    """How |sum_i w_i x_i| is scaled.

    Attributes
    ----------
    statistic : str
        "z", "difference" or "t".
    cells : ndarray of int, shape (n_graphs,)
        The cell of each graph.
    cell_scale : ndarray of shape (n_contrasts, n_cells)
        z: s_b of each contrast. t: one row, 1 for cells that count. 0 for graphs that do not move.
    basis : ndarray of shape (n_graphs, rank)
        Orthonormal covariates, for t.
    """

    statistic: str
    cells: NDArray[np.int64]
    cell_scale: Floats
    basis: Floats


def make_denominator(design: Design, statistic: str) -> Denominator:
    """The denominator of a statistic in a design; it never depends on how labels are arranged."""
    cells, units = design.graph_cells, design.units
    n_cells = units.n_cells + 1
    if statistic == "z":
        labels = design.centred_labels(units.codes[None])[0]
        squares = np.array([np.bincount(cells, row**2, n_cells) for row in labels])
        scale = squares / np.maximum(np.bincount(units.cells, minlength=n_cells) - 1, 1)
    else:
        scale = (np.arange(n_cells) < units.n_cells)[None].astype(np.float64)
    return Denominator(statistic, cells, scale, design.basis)


def scaled_weights(weights: Floats, statistic: str) -> Floats:
    """Weights of shape (n_relabelings, n_contrasts, n_graphs) with what the statistic divides them by."""
    if statistic == "z":
        return weights
    squares = (weights**2).sum(axis=2, keepdims=True)
    by = squares if statistic == "difference" else np.sqrt(squares)
    return np.asarray(np.divide(weights, by, out=np.zeros_like(weights), where=by > 0))
