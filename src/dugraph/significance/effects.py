"""Effects in the units of users: differences in expected frequency, or slopes per unit of a phenotype."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.design import Design
from dugraph.significance.permutations import BOOTSTRAP, stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_RESAMPLES = 999
COVERAGE = 0.95
_COLUMNS = 512  # subgraphs at a time
_RESAMPLES = 64  # resamples at a time


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
    member = np.eye(units.n_cells)[design.graph_cells[inside]]
    labels, basis = design.values[units.codes[units.of_graph[inside]]].T, design.basis[inside].T
    drawn = _drawn(units.cells, random_state, n_resamples)[:, units.of_graph[inside]]
    slopes = np.zeros((n_resamples, len(labels), len(design.informative)))
    for begin in range(0, n_resamples, _RESAMPLES):
        times = drawn[begin : begin + _RESAMPLES, None]
        y, known = _centred(labels, times, member), _centred(basis, times, member)
        gram = (known * times) @ known.transpose(0, 2, 1)
        fitted = np.linalg.pinv(gram, hermitian=True) @ ((known * times) @ y.transpose(0, 2, 1))
        residual = y - fitted.transpose(0, 2, 1) @ known
        squares = (times * residual**2).sum(axis=2, keepdims=True)
        # A resample without two labels in any cell says nothing: its effects are 0.
        enough = squares > 1e-12 * (times * labels**2).sum(axis=2, keepdims=True)
        part = np.where(enough, times * residual / np.where(enough, squares, 1.0), 0.0)
        slopes[begin : begin + _RESAMPLES][:, :, inside] = part
    return slopes


def _centred(columns: Floats, times: Ints, member: Floats) -> Floats:
    """Columns minus their means over the drawn graphs of each cell, for each resample."""
    means = ((columns * times) @ member) / np.maximum(times @ member, 1)
    return np.asarray(columns - means @ member.T)


def _drawn(cells: Ints, random_state: int, n_resamples: int) -> Ints:
    """How often each unit is drawn when as many as there are in its cell are drawn from it."""
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    first, size = np.searchsorted(ordered, ordered), np.bincount(cells)[ordered]
    random = stream(random_state, BOOTSTRAP, 0).random((n_resamples, len(cells)))
    drawn = order[first + np.minimum((random * size).astype(np.int64), size - 1)]
    rows = np.arange(n_resamples)[:, None] * len(cells)
    return np.bincount((rows + drawn).ravel(), minlength=n_resamples * len(cells)).reshape(n_resamples, -1)
