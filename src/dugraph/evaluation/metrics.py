"""Metrics of classifiers and forecasts on test graphs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score


def measure_metrics(
    y: NDArray[np.int64], predicted: NDArray[np.int64], decision: NDArray[np.float64]
) -> dict[str, float]:
    """Compare predictions with the classes.

    Parameters
    ----------
    y, predicted : ndarray of {0, 1}, shape (n_graphs,)
        1 is the positive class.
    decision : ndarray of shape (n_graphs,)
        Larger means rather positive.

    Returns
    -------
    dict
        The `METRICS`. F1 is that of the positive class, 0 where none is predicted or there. The area under
        the ROC curve (auc) is NaN where the test graphs are of one class.

    Examples
    --------
    >>> measure_metrics(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0]), np.array([0.9, -0.1, -0.5, -0.7]))
    {'error': 0.25, 'f1': 0.6666666666666666, 'balanced_accuracy': 0.75, 'auc': 1.0}
    """
    classes = np.unique(y)
    recalls = [float((predicted[y == c] == c).mean()) for c in classes]
    return {
        "error": float((predicted != y).mean()),
        "f1": float(f1_score(y, predicted, pos_label=1, zero_division=0.0)),
        "balanced_accuracy": sum(recalls) / len(recalls),
        "auc": float(roc_auc_score(y, decision)) if len(classes) == 2 else math.nan,
    }


def forecast_metrics(y: NDArray[np.float64], forecast: NDArray[np.float64]) -> dict[str, float]:
    """Compare forecasts with a phenotype, both minus what covariates alone, or the training mean, predict.

    Parameters
    ----------
    y, forecast : ndarray of shape (n_graphs,)

    Returns
    -------
    dict
        The `PHENOTYPE_METRICS`: Pearson's correlation, 0 where all forecasts are the same; R2, one minus the
        sum of squared errors over that of forecasting 0 for all, which is below 0 if the graphs only do harm;
        the mean absolute error.

    Examples
    --------
    >>> found = forecast_metrics(np.array([-1.0, 0.0, 2.0]), np.array([0.0, 0.5, 1.0]))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'r': 0.982, 'r2': 0.55, 'mae': 0.833}
    """
    constant = np.ptp(forecast) <= 1e-12 * max(float(np.abs(forecast).max()), 1e-300) or np.ptp(y) == 0
    return {
        "r": 0.0 if constant else float(np.corrcoef(y, forecast)[0, 1]),
        "r2": 1.0 - float(((y - forecast) ** 2).sum()) / float((y**2).sum()) if y.any() else math.nan,
        "mae": float(np.abs(y - forecast).mean()),
    }


def group_metrics(y: NDArray[Any], predicted: NDArray[Any]) -> dict[str, float]:
    """Compare predictions with several groups.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_graphs,)
        Names or numbers of groups.

    Returns
    -------
    dict
        The `GROUP_METRICS`. Macro F1 is the mean of the F1 of each group that is there or predicted; balanced
        accuracy is the mean share of each group's graphs that are recognised.
    """
    recalls = [float((predicted[y == k] == k).mean()) for k in np.unique(y)]
    return {
        "error": float((predicted != y).mean()),
        "macro_f1": float(f1_score(y, predicted, average="macro", zero_division=0.0)),
        "balanced_accuracy": sum(recalls) / len(recalls),
    }
