"""From series to edge probabilities with a given density and a given mean."""

import numpy as np
from numpy.typing import NDArray

from dugraph.simulation.blocks import blocks


def pearson(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlations (n_graphs, n_edges) of series (n_graphs, n_volumes, n_regions)."""
    rows, columns = np.tril_indices(series.shape[2], -1)
    correlation = np.empty((len(series), len(rows)))
    for some in blocks(len(series)):
        centred = series[some] - series[some].mean(axis=1, keepdims=True)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)
        correlation[some] = (centred.transpose(0, 2, 1) @ centred)[:, rows, columns]
    return correlation


def calibrated_probability(
    correlation: NDArray[np.float64], n_present: int, mean_probability: float
) -> NDArray[np.float64]:
    """Keep the n_present largest correlations, mapped by r**gamma to the given mean; all others become 0."""
    from scipy.optimize import bisect  # here, since it takes its time to load

    threshold = np.partition(correlation, -n_present, axis=None)[-n_present]
    # Only a positive correlation can be a probability; the model has more of them than any kind of cohort
    # keeps.
    present = (correlation >= threshold) & (correlation > 0)
    kept = np.minimum(correlation[present], 1.0)
    # The mean falls from 1 to 0 as gamma grows, so there is exactly one solution.
    gamma = bisect(lambda exponent: float(np.mean(kept**exponent)) - mean_probability, 1e-3, 1e3)
    probability = np.zeros_like(correlation)
    probability[present] = kept**gamma
    return probability
