"""What every model has without a penalty: an intercept, and a coefficient for each covariate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dugraph.data.covariates import RANK_TOLERANCE

Floats = NDArray[np.float64]


class Unpenalised:
    """Independent, equally long columns that span the intercept and the covariates.

    Covariates that repeat each other, or do not vary in these graphs, share one direction or none; of all
    coefficients that give the same decision values, those with the smallest sum of squares are meant.

    Parameters
    ----------
    covariates : ndarray of shape (n_graphs, n_covariates)

    Attributes
    ----------
    columns : ndarray of shape (n_graphs, 1 + rank)
        The first is the intercept; each has a mean square of 1.
    """

    def __init__(self, covariates: Floats) -> None:
        n = len(covariates)
        self._centre = covariates.mean(axis=0)
        spread = covariates.std(axis=0)
        varies = spread > RANK_TOLERANCE * np.maximum(np.abs(covariates).max(axis=0, initial=0.0), 1e-300)
        self._spread = np.where(varies, spread, 1.0)
        scaled = np.where(varies, (covariates - self._centre) / self._spread, 0.0)
        left, singular, right = np.linalg.svd(scaled, full_matrices=False)
        rank = int((singular > RANK_TOLERANCE * np.sqrt(n)).sum())
        self.columns = np.column_stack([np.ones(n), left[:, :rank] * np.sqrt(n)])
        self._back = right[:rank].T / singular[:rank] * np.sqrt(n)

    def original(self, coef: Floats) -> tuple[float, Floats]:
        """Turn coefficients of `columns` into the intercept and those of the covariates."""
        of_covariates = self._back @ coef[1:] / self._spread
        return float(coef[0] - self._centre @ of_covariates), of_covariates
