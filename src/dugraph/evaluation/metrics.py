"""How well a classifier did on test graphs."""

from __future__ import annotations

import math

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
