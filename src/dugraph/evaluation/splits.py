"""Random splits into training and test graphs, and the rules that make them possible."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from dugraph.data.arguments import check_positive_int, is_real
from dugraph.data.wording import counted, shown
from dugraph.evaluation.checks import check_seed
from dugraph.exceptions import InputError

TEST_SIZE = 0.2
"""The paper's share of test graphs."""
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def make_splits(
    y: NDArray[np.int64],
    classes: tuple[str, str],
    n_splits: int,
    *,
    test_size: float = TEST_SIZE,
    stratify: bool = True,
    random_state: int = 0,
) -> list[Split]:
    """Draw splits; each trains with graphs of both classes.

    Parameters
    ----------
    y : ndarray of {0, 1}, shape (n_graphs,)
        1 is the positive class.
    classes : pair of str
        Names of the positive and the negative class, for messages.
    n_splits, test_size, stratify, random_state
        As for `evaluate_methods`.

    Returns
    -------
    list of (train, test)
        Positions of graphs.
    """
    n_splits = check_positive_int("n_splits", n_splits)
    random_state = check_seed(random_state)
    check_test_size(test_size, len(y))
    sizes = {name: int((y == label).sum()) for label, name in zip((1, 0), classes, strict=True)}
    rarer = min(sizes, key=lambda name: sizes[name])
    has = f"{shown(rarer)} has {counted(sizes[rarer], 'graph')}"
    if stratify and sizes[rarer] < 2:
        raise InputError(
            f"Each class must have at least 2 graphs, one to train with and one to test, but {has}. "
            "Add graphs of this class."
        )
    _check_parts(len(y), test_size, 2 if stratify else 1)
    kind = StratifiedShuffleSplit if stratify else ShuffleSplit
    splitter = kind(n_splits, test_size=test_size, random_state=random_state)
    splits = list(splitter.split(np.zeros((len(y), 1)), y))
    if any(len(np.unique(y[train])) < 2 for train, _ in splits):
        way_out = "Lower test_size" if stratify else "Use stratify=True"
        raise InputError(
            f"The training graphs of each split must be of both classes, but {has}, and a split left them "
            f"all for testing. {way_out}, or add graphs of this class."
        )
    return splits


def check_test_size(test_size: float, n_graphs: int) -> None:
    """Refuse what is no share of the graphs."""
    real = is_real(test_size)
    if real and 0 < test_size < 1:
        return
    share = f" For {test_size:g} of {n_graphs} graphs" if real and 2 <= test_size < n_graphs else ""
    advice = f"{share} give {test_size / n_graphs:.3g}." if share else " Give 0.2 for 20 %."
    raise InputError(
        f"test_size must be a share of the graphs, above 0 and below 1, but is {test_size!r}.{advice}",
        parameter="test_size",
    )


def _check_parts(n_graphs: int, test_size: float, least: int) -> None:
    """Both parts need a graph of each class; without strata chance decides about the test graphs."""
    n_test = math.ceil(test_size * n_graphs)  # as scikit-learn rounds
    if n_graphs - n_test < 2 or n_test < least:
        raise InputError(
            f"A split must leave at least 2 graphs for training and {least} for testing, but of {n_graphs} "
            f"graphs test_size = {test_size:g} leaves {n_graphs - n_test} and {n_test}. "
            "Give test_size = 0.5, or more graphs."
        )
