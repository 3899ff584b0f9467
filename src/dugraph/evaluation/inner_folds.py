"""Folds within training graphs, for the choices that methods make there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def shuffled_folds(
    y: NDArray[np.generic], groups: NDArray[np.int64] | None, n_folds: int, random_state: int, classes: bool
) -> Folds:
    """Divide graphs into folds at random; groups stay whole, and classes are spread evenly as far as can be.

    Parameters
    ----------
    y : ndarray of shape (n_graphs,)
    groups : ndarray of int, shape (n_graphs,), or None
    n_folds : int
        At most the number of graphs, of groups, and of graphs in the rarest class.
    random_state : int
    classes : bool
        Whether y names classes.
    """
    kinds = {
        (False, False): KFold,
        (False, True): GroupKFold,
        (True, False): StratifiedKFold,
        (True, True): StratifiedGroupKFold,
    }
    splitter = kinds[classes, groups is not None](n_folds, shuffle=True, random_state=random_state)
    return list(splitter.split(np.zeros((len(y), 1)), y, groups))


def most_folds(y: NDArray[np.generic], groups: NDArray[np.int64] | None, classes: bool) -> int:
    """The largest number of folds that there can be."""
    units = len(y) if groups is None else len(np.unique(groups))
    return min(units, int(np.unique(y, return_counts=True)[1].min())) if classes and groups is None else units
