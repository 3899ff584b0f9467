"""Resting-state series without any difference between classes, and the edge probabilities of series."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dugraph.data.atlas import Atlas

_RANK = 24  # sources of activity
_REACH = 26.0  # mm, standard deviation of the spatial kernels
_BLOCK = 200  # subjects


def population_covariance(atlas: Atlas) -> NDArray[np.float64]:
    """Return the covariance of the regions shared by all subjects.

    A sum of four kernels: a global signal, lobes as modules, decay with distance, and the same decay after
    folding the right hemisphere onto the left, which couples each region with its counterpart.
    """
    xyz = atlas.coordinates
    folded = np.column_stack([np.abs(xyz[:, 0]), xyz[:, 1:]])
    lobes = np.array(atlas.lobes)

    def decay(points: NDArray[np.float64]) -> NDArray[np.float64]:
        squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
        return np.asarray(np.exp(-squared / (2 * _REACH**2)))

    same_lobe = (lobes[:, None] == lobes[None]).astype(np.float64)
    return np.asarray(0.2 + 0.1 * same_lobe + 0.35 * decay(xyz) + 0.35 * decay(folded))


def background_series(
    atlas: Atlas, n_graphs: int, n_volumes: int, variability: float, noise: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw one series per subject and region from a low-rank model with noise.

    Parameters
    ----------
    atlas : Atlas
        Regions with centres and lobes.
    n_graphs, n_volumes : int
        Subjects and time points.
    variability : float
        Standard deviation of a subject's loadings around the population's, relative to them.
    noise : float
        Variance of the noise of each region, relative to the signal's.
    rng : Generator
        Source of randomness.

    Returns
    -------
    series : ndarray of shape (n_graphs, n_volumes, n_regions)
    """
    values, vectors = np.linalg.eigh(population_covariance(atlas))
    loadings = (vectors * np.sqrt(np.clip(values, 0.0, None)))[:, -_RANK:]
    # The sign of an eigenvector is arbitrary: fix it, so that a seed gives the same cohort on every machine.
    # Mirrored regions have loadings of equal size, so the first of the largest decides.
    size = np.abs(loadings)
    largest = (size > size.max(axis=0) * (1 - 1e-6)).argmax(axis=0)
    loadings *= np.sign(loadings[largest, np.arange(_RANK)])
    loadings /= np.linalg.norm(loadings, axis=1, keepdims=True)
    own = rng.standard_normal((n_graphs, *loadings.shape)) * (variability / np.sqrt(_RANK))
    sources = rng.standard_normal((n_graphs, n_volumes, _RANK))
    series = np.empty((n_graphs, n_volumes, len(loadings)))
    for some in _blocks(n_graphs):
        series[some] = sources[some] @ (loadings + own[some]).transpose(0, 2, 1)
        series[some] += np.sqrt(noise) * rng.standard_normal(series[some].shape)
    return series


def pearson(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlations (n_graphs, n_edges) of series (n_graphs, n_volumes, n_regions)."""
    rows, columns = np.tril_indices(series.shape[2], -1)
    correlation = np.empty((len(series), len(rows)))
    for some in _blocks(len(series)):
        centred = series[some] - series[some].mean(axis=1, keepdims=True)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)
        correlation[some] = (centred.transpose(0, 2, 1) @ centred)[:, rows, columns]
    return correlation


def calibrated_probability(
    correlation: NDArray[np.float64], n_present: int, mean_probability: float
) -> NDArray[np.float64]:
    """Keep the n_present largest correlations, mapped by r**gamma to the given mean; all others become 0."""
    from scipy.optimize import bisect  # slow to import

    threshold = np.partition(correlation, -n_present, axis=None)[-n_present]
    # Only positive correlations can be probabilities; the model always has more of them than n_present.
    present = (correlation >= threshold) & (correlation > 0)
    retained = np.minimum(correlation[present], 1.0)
    # The mean decreases from 1 to 0 with gamma, so there is exactly one solution.
    gamma = bisect(lambda exponent: float(np.mean(retained**exponent)) - mean_probability, 1e-3, 1e3)
    probability = np.zeros_like(correlation)
    probability[present] = retained**gamma
    return probability


def _blocks(n_graphs: int) -> Iterator[slice]:
    """Divide subjects into blocks, which limits the memory of intermediate arrays."""
    return (slice(first, first + _BLOCK) for first in range(0, n_graphs, _BLOCK))
