"""What covariates alone forecast, learned in training graphs, and what they leave."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dugraph.data.covariates import RANK_TOLERANCE

Floats = NDArray[np.float64]


class Adjustment:
    """Least squares on an intercept and covariates, fitted to training graphs and applied to test graphs.

    Parameters
    ----------
    trained, tested : ndarray of shape (n_graphs, n_covariates)
        Covariates of training and test graphs, centred in the former.
    """

    def __init__(self, trained: Floats, tested: Floats) -> None:
        size = np.sqrt((trained**2).mean(axis=0))
        size[size == 0] = 1.0
        self._train = np.column_stack([np.ones(len(trained)), trained / size])
        self._test = np.column_stack([np.ones(len(tested)), tested / size])
        self._solve = np.linalg.pinv(self._train, rcond=RANK_TOLERANCE)

    def rest(self, trained: Floats, tested: Floats) -> tuple[Floats, Floats]:
        """What is left of values of training and test graphs, the latter unseen by what is subtracted."""
        slopes = self._solve @ trained
        return trained - self._train @ slopes, tested - self._test @ slopes
