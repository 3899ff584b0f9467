"""Effects in the units of users: differences in expected frequency, or slopes per unit of a phenotype."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.design import Design
from dugraph.significance.random_streams import BOOTSTRAP, stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_RESAMPLES = 999
COVERAGE = 0.95
_COLUMNS = 512  # subgraphs at a time


def effects(containment: Floats, contrasts: Ints, design: Design) -> Floats:
    """w'x / w'w with the observed weights: the slope of x on y, adjusted for blocks and covariates.

    For two classes, and for a group against the rest, it is the difference in expected frequency: within
    blocks, the weighted mean of the blocks' differences.

    Parameters
    ----------
    containment : ndarray of shape (n_subgraphs, n_graphs)
    contrasts : ndarray of int, shape (n_subgraphs,)
        The contrast of each subgraph.
    design : Design
    """
    weights = design.residual_weights(design.units.codes[None])[0]
    slopes = weights / np.maximum((weights**2).sum(axis=1, keepdims=True), 1e-300)
    return np.asarray((containment * slopes[contrasts]).sum(axis=1))


def effect_intervals(
    containment: Floats, contrasts: Ints, design: Design, random_state: int, n_resamples: int = N_RESAMPLES
) -> Floats:
    """Percentile bootstrap intervals of effects, shape (n_subgraphs, 2): units are drawn again within cells.

    They describe; they test nothing. The subgraphs were chosen because their effects are large, so that
    intervals do not cover the true effects of chosen ones as often as they say.
    """
    slopes = _resampled_slopes(design, random_state, n_resamples)
    tails = [50 * (1 - COVERAGE), 50 * (1 + COVERAGE)]
    intervals = np.empty((len(containment), 2))
    for contrast in range(slopes.shape[1]):
        chosen = np.flatnonzero(contrasts == contrast)
        for begin in range(0, len(chosen), _COLUMNS):
            part = chosen[begin : begin + _COLUMNS]
            intervals[part] = np.percentile(slopes[:, contrast] @ containment[part].T, tails, axis=0).T
    return intervals


def _resampled_slopes(design: Design, random_state: int, n_resamples: int) -> Floats:
    """What turns x into its effect in each resample, shape (n_resamples, n_contrasts, n_graphs)."""
    units, inside = design.units, np.flatnonzero(design.informative)
    unit, cells = units.of_graph[inside], design.graph_cells[inside]
    labels, basis = design.values[units.codes[unit]].T, design.basis[inside]
    member = np.eye(units.n_cells)[cells]
    slopes = np.zeros((n_resamples, len(labels), len(design.informative)))
    for resample in range(n_resamples):
        times = _drawn(units.cells, random_state, resample)[unit]
        known = np.column_stack([member, basis])
        gram = (known * times[:, None]).T @ known
        fitted = np.linalg.pinv(gram, hermitian=True) @ (known.T @ (times * labels).T)
        residual = labels - (known @ fitted).T
        squares = (times * residual**2).sum(axis=1, keepdims=True)
        # A resample without two labels in any cell says nothing: its effects are 0.
        enough = squares > 1e-12 * np.maximum((times * labels**2).sum(axis=1, keepdims=True), 1e-300)
        slopes[resample][:, inside] = np.where(enough, times * residual / np.where(enough, squares, 1.0), 0.0)
    return slopes


def _drawn(cells: Ints, random_state: int, resample: int) -> Ints:
    """How often each unit is drawn when as many as there are in its cell are drawn from it."""
    random = stream(random_state, BOOTSTRAP, resample)
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    first = np.searchsorted(ordered, ordered)
    size = np.bincount(cells)[ordered]
    drawn = order[first + np.minimum((random.random(len(cells)) * size).astype(np.int64), size - 1)]
    return np.bincount(drawn, minlength=len(cells))
