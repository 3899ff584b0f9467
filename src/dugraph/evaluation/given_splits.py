"""Splits that users bring: a splitter of scikit-learn, pairs of positions, groups that stay together."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit, check_cv

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import check_positive_int
from dugraph.data.participant_columns import named_columns
from dugraph.data.wording import counted, listed, shown
from dugraph.evaluation.checks import check_seed
from dugraph.evaluation.splits import Split, check_test_size
from dugraph.exceptions import InputError, Spoken

Groups = NDArray[np.int64]


def check_groups(groups: Any, graphs: UncertainGraphs) -> Groups | None:
    """Number the groups.

    Parameters
    ----------
    groups : str, array-like of shape (n_graphs,), or None
        A column of ``participants`` by its name, or the group of each graph.
    graphs : UncertainGraphs

    Returns
    -------
    ndarray of int, shape (n_graphs,), or None without groups
    """
    if groups is None:
        return None
    columns = {groups: _column(groups, graphs)} if isinstance(groups, str) else None
    columns = named_columns(columns or groups, "groups", graphs)
    if len(columns) != 1:
        raise InputError(
            f"groups must be one column, but has {len(columns)}. Join them into one first.",
            parameter="groups",
        )
    (column,) = columns.values()
    distinct, numbers = np.unique(column.astype(str), return_inverse=True)
    if len(distinct) < 2:
        raise InputError(
            f"groups must have at least two different values, but all {counted(len(column), 'graph')} are of "
            f"{shown(distinct[0])}. Whole groups are used for training or for testing, and both need some.",
            parameter="groups",
        )
    return np.asarray(numbers, dtype=np.int64)


def _column(name: str, graphs: UncertainGraphs) -> NDArray[Any]:
    known = graphs.participants or {}
    if name in known:
        return known[name]
    told = f"The columns are {listed(known, most=12)}." if known else ""
    raise InputError(
        f"groups must name a column of participants, but there is no {shown(name)!r}.",
        parameter="groups",
        way_out=told
        or (
            Spoken(
                "Pass the values themselves, or graphs with participants.",
                "The cohort has no participants: convert it with --participants FILE.",
            ),
        ),
    )


def group_splits(
    y: NDArray[np.int64], groups: Groups, n_splits: int, test_size: float, random_state: int
) -> list[Split]:
    """Draw splits that keep groups whole: a share of the groups, not of the graphs, is for testing.

    Parameters
    ----------
    y : ndarray of {0, 1}, shape (n_graphs,)
    groups : ndarray of int, shape (n_graphs,)
    n_splits, test_size, random_state
        As for `evaluate_methods`.
    """
    n_splits, random_state = check_positive_int("n_splits", n_splits), check_seed(random_state)
    check_test_size(test_size, len(y))
    n_groups = len(np.unique(groups))
    if not 1 <= np.ceil(test_size * n_groups) <= n_groups - 1:
        raise InputError(
            f"A split must leave a group to train with and one to test, but of {n_groups} groups test_size "
            f"= {test_size:g} leaves none for training. Lower test_size.",
            parameter="test_size",
        )
    splitter = GroupShuffleSplit(n_splits, test_size=test_size, random_state=random_state)
    splits = list(splitter.split(np.zeros((len(y), 1)), y, groups))
    _check_classes(splits, y, "Merge small groups, lower test_size, or choose another random_state.")
    return splits


def given_splits(y: NDArray[np.int64], cv: Any, groups: Groups | None) -> list[Split]:
    """Take the splits of a splitter, or those listed, if each trains with both classes.

    Parameters
    ----------
    y : ndarray of {0, 1}, shape (n_graphs,)
    cv : int, splitter of scikit-learn, or iterable of (train, test)
    groups : ndarray of int, shape (n_graphs,), or None
    """
    splits = given_pairs(y, cv, groups, classes=True)
    _check_classes(splits, y, "Choose another cv, such as StratifiedKFold or StratifiedGroupKFold.")
    return splits


def given_pairs(y: NDArray[Any], cv: Any, groups: Groups | None, classes: bool) -> list[Split]:
    """The same for any y, of `classes` or numbers."""
    try:
        splitter = check_cv(cv, y, classifier=classes)
        pairs = list(splitter.split(np.zeros((len(y), 1)), y, groups))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"cv must split these {counted(len(y), 'graph')}, but does not: {error}",
            parameter="cv",
            way_out="Give a splitter of scikit-learn, a number of folds, or pairs of positions.",
        ) from error
    if not pairs:
        raise InputError("cv must give at least one split, but gives none.", parameter="cv")
    return [_checked(pair, len(y)) for pair in pairs]


def described(cv: Any) -> str | None:
    """How a record calls the splits: a splitter by its parameters, pairs of positions by what they are."""
    if cv is None:
        return None
    return str(cv) if _splits_itself(cv) else "given splits"


def refuse_positions(cv: Any) -> None:
    """Refuse positions where graphs are drawn first: they would be of other graphs."""
    if cv is not None and not _splits_itself(cv):
        raise InputError(
            'cv must be a splitter or a number of folds with like_paper="adhd", which draws graphs: '
            "positions would refer to other graphs. Draw the graphs first, or give a splitter.",
            parameter="cv",
        )


def _splits_itself(cv: Any) -> bool:
    return isinstance(cv, int) or hasattr(cv, "split")


def splits_digest(splits: list[Split]) -> str:
    """A SHA-256 of the splits, so that a cache knows whether its cells are of these."""
    digest = hashlib.sha256()
    for part in (part for split in splits for part in split):
        digest.update(f"{len(part)}:".encode())
        digest.update(np.ascontiguousarray(part, dtype="<i8").tobytes())
    return digest.hexdigest()


def _checked(pair: tuple[Any, Any], n_graphs: int) -> Split:
    train, test = (_positions(part, n_graphs) for part in pair)
    shared = np.intersect1d(train, test)
    if len(shared):
        raise InputError(
            f"No graph may be in both parts of a split, but cv has graph {int(shared[0])} in both. "
            "Test graphs must not be used in training.",
            parameter="cv",
        )
    return train, test


def _positions(part: Any, n_graphs: int) -> NDArray[np.intp]:
    array = np.asarray(part)
    if array.dtype == bool and array.shape == (n_graphs,):
        array = np.flatnonzero(array)
    whole = array.ndim == 1 and array.size > 0 and array.dtype.kind in "iu"
    if not whole or array.min() < 0 or array.max() >= n_graphs:
        raise InputError(
            f"The parts of cv's splits must be positions of graphs from 0 to {n_graphs - 1}, at least one; "
            f"got {shown(repr(part))}.",
            parameter="cv",
        )
    return array.astype(np.intp)


def _check_classes(splits: list[Split], y: NDArray[np.int64], way_out: str) -> None:
    for number, (train, _) in enumerate(splits):
        if len(np.unique(y[train])) < 2:
            raise InputError(
                f"The training graphs of each split must be of both classes, but those of split {number} are "
                "all of one.",
                way_out=way_out,
            )
