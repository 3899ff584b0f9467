"""Splits into training and test graphs: the paper's random ones, repeated folds, and those of users."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import (
    abbreviate,
    check_kind,
    check_positive_int,
    counted,
    is_real,
    is_whole,
    resolve_seed,
)
from dugraph.data.columns import as_column, named_columns
from dugraph.exceptions import InputError

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
Groups = NDArray[np.int64]
_INNER_FOLDS = 5
SEEDS = 2**32
"""Seeds of an evaluation are below this, as scikit-learn requires."""


@dataclass(frozen=True)
class RandomSplits:
    """Random splits, as in the paper: 20 times 80 % for training and 20 % for testing.

    Parameters
    ----------
    n_splits : int, default 20
    test_size : float in (0, 1), default 0.2
        Share of the graphs that are for testing; with groups, share of the groups.
    stratify : bool, default True
        Whether both parts have the classes in equal shares; not with groups, which stay whole, and not for a
        phenotype.
    random_state : int, Generator, RandomState or None, default 0

    Examples
    --------
    >>> import dugraph as dg
    >>> [(len(train), len(test)) for train, test in dg.RandomSplits(2).split(None, [0, 1] * 10)]
    [(16, 4), (16, 4)]
    """

    n_splits: int = 20
    test_size: float = 0.2
    stratify: bool = True
    random_state: Any = 0

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None, names: tuple[str, str] | None = None) -> list[Split]:
        """Draw the splits; each has training graphs of all classes, and `groups` are never divided.

        More than two different numbers in y are a phenotype. `names` are those of the classes in messages.
        """
        labels = _check_labels(y)
        n_splits = check_positive_int("n_splits", self.n_splits)
        check_kind(self.stratify, bool, "stratify")
        seed = resolve_seed(self.random_state, SEEDS)
        _check_test_size(self.test_size, len(labels))
        classes, counts = np.unique(labels, return_counts=True)
        is_phenotype = not _is_categorical(labels) and len(classes) > 2
        stratify = self.stratify and not is_phenotype and groups is None
        rarer = int(counts.argmin())
        name = abbreviate((names or classes.tolist())[rarer])
        has = f"{name} has {counted(int(counts[rarer]), 'graph')}"
        if stratify and counts[rarer] < 2:
            raise InputError(
                f"Each class must have at least 2 graphs, one to train with and one to test, but {has}. "
                "Add graphs of this class."
            )
        kind: Any = StratifiedShuffleSplit if stratify else ShuffleSplit
        way_out = f"{'Lower test_size' if stratify else 'Use stratify=True'}, or add graphs: {has}."
        if groups is None:
            self._check_parts(len(labels), 2 if stratify else 1)
        else:
            groups, kind = _check_labels(groups, "groups"), GroupShuffleSplit
            way_out = "Merge small groups, lower test_size, or choose another random_state."
            n_groups = len(np.unique(groups))
            if not 1 <= np.ceil(self.test_size * n_groups) <= n_groups - 1:
                raise InputError(
                    f"A split must leave a group to train with and one to test, but of {n_groups} groups "
                    f"test_size = {self.test_size:g} leaves none for training. Lower test_size.",
                    parameter="test_size",
                )
        splitter = kind(n_splits, test_size=self.test_size, random_state=seed)
        splits = list(splitter.split(np.zeros((len(labels), 1)), labels, groups))
        if len(classes) == 2 or (groups is None and not is_phenotype):
            _check_classes(splits, labels, way_out)
        return splits

    def _check_parts(self, n_graphs: int, least: int) -> None:
        """Both parts need a graph of each class; without strata chance decides about the test graphs."""
        n_test = math.ceil(self.test_size * n_graphs)  # as scikit-learn rounds
        if n_graphs - n_test < 2 or n_test < least:
            raise InputError(
                f"A split must leave at least 2 graphs for training and {least} for testing, but of "
                f"{n_graphs} graphs test_size = {self.test_size:g} leaves {n_graphs - n_test} and {n_test}. "
                "Give test_size = 0.5, or more graphs."
            )


def _check_test_size(test_size: float, n_graphs: int) -> None:
    real = is_real(test_size)
    if real and 0 < test_size < 1:
        return
    advice = "Give 0.2 for 20 %."
    if real and 2 <= test_size < n_graphs:
        advice = f"For {test_size:g} of {n_graphs} graphs give {test_size / n_graphs:.3g}."
    raise InputError(
        f"test_size must be a share of the graphs, above 0 and below 1, but is {test_size!r}. {advice}",
        parameter="test_size",
    )


@dataclass(frozen=True)
class RepeatedFolds:
    """Folds drawn several times at random; groups stay whole, and classes are spread evenly.

    Parameters
    ----------
    n_folds : int, default 5
        At most the number of graphs, of groups, and of graphs in the rarest class.
    n_repeats : int, default 20
        How often the folds are drawn.
    random_state : int, Generator, RandomState or None, default 0

    Examples
    --------
    >>> import dugraph as dg
    >>> age = [31.5, 24.0, 56.2, 44.1, 39.9, 62.0]
    >>> [len(test) for _, test in dg.RepeatedFolds(3, n_repeats=2).split(None, age)]
    [2, 2, 2, 2, 2, 2]
    """

    n_folds: int = 5
    n_repeats: int = 20
    random_state: Any = 0

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return self.n_folds * self.n_repeats

    def split(self, X: Any, y: Any, groups: Any = None) -> list[Split]:
        """Draw the folds; numbers in y are a phenotype, text and booleans name groups."""
        labels = _check_labels(y)
        groups = None if groups is None else _check_labels(groups, "groups")
        n_repeats = check_positive_int("n_repeats", self.n_repeats)
        most = _most_folds(labels, groups)
        if not is_whole(self.n_folds) or not 2 <= self.n_folds <= most:
            raise InputError(
                f"n_folds must be a whole number from 2 to {most}, the most that "
                f"{counted(len(labels), 'graph')} "
                f"{'allow' if groups is None else 'in their groups allow'}, but is {self.n_folds!r}.",
                parameter="n_folds",
            )
        seed = resolve_seed(self.random_state, SEEDS)
        repeats = (_folds(labels, groups, self.n_folds, seed + repeat) for repeat in range(n_repeats))
        return [split for folds in repeats for split in folds]


def _check_labels(values: Any, name: str = "y") -> NDArray[Any]:
    column = as_column(values, name)
    if not len(column) or column.dtype.kind not in "biufU":
        raise InputError(
            f"{name} must be text, numbers or booleans, one for each graph, but is "
            f"{abbreviate(repr(values))}.",
            parameter=name,
        )
    return column


def _is_categorical(y: NDArray[Any]) -> bool:
    return y.dtype.kind not in "iuf"


def _folds(y: NDArray[Any], groups: NDArray[Any] | None, n_folds: int, seed: int) -> list[Split]:
    if groups is None:
        kind = StratifiedKFold if _is_categorical(y) else KFold
    else:
        kind = StratifiedGroupKFold if _is_categorical(y) else GroupKFold
    if _is_categorical(y):
        # As codes, since NumPy loses an interrupt that comes while it takes an element of an array of text.
        y = np.unique(y, return_inverse=True)[1]
    splitter = kind(n_folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros((len(y), 1)), y, groups))


def _most_folds(y: NDArray[Any], groups: NDArray[Any] | None) -> int:
    if groups is not None:
        return len(np.unique(groups))
    return min(len(y), int(np.unique(y, return_counts=True)[1].min())) if _is_categorical(y) else len(y)


def inner_folds(y: NDArray[Any], groups: NDArray[Any] | None) -> list[Split]:
    """Folds of training graphs, in which methods choose penalties."""
    if groups is not None and len(np.unique(groups)) < 2:
        raise InputError(
            "The training graphs of every fold must contain at least two groups, because methods choose "
            "their settings in inner folds there, but in one fold all belong to the same group. Use more "
            "groups.",
            parameter="groups",
        )
    if groups is None and _is_categorical(y) and _most_folds(y, None) < 2:
        y = np.arange(len(y))  # a class of one graph cannot be spread over folds
    return _folds(y, groups, max(2, min(_INNER_FOLDS, _most_folds(y, groups))), 0)


def check_groups(groups: Any, graphs: UncertainGraphs) -> Groups | None:
    """Number the groups, given by the name of a column of participants or by the group of each graph."""
    if groups is None:
        return None
    columns = named_columns(groups, "groups", graphs)
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
            f"{abbreviate(distinct[0])}. Whole groups are used for training or for testing, and both need "
            "some.",
            parameter="groups",
        )
    return np.asarray(numbers, dtype=np.int64)


def given_splits(y: NDArray[Any], cv: Any, groups: Groups | None, classes: bool) -> list[Split]:
    """Return the splits of `cv` as pairs of positions; of two classes, every training part must have both."""
    try:
        splitter = check_cv(cv, y, classifier=classes or _is_categorical(y))
        pairs = list(splitter.split(np.zeros((len(y), 1)), y, groups))
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(
            f"cv must split these {counted(len(y), 'graph')}, but does not: {error}",
            parameter="cv",
            way_out="Give a splitter of scikit-learn, a number of folds, or pairs of positions.",
        ) from error
    if not pairs:
        raise InputError("cv must give at least one split, but gives none.", parameter="cv")
    splits = [_checked(pair, len(y)) for pair in pairs]
    if classes:
        _check_classes(splits, y, "Choose another cv, such as StratifiedKFold or StratifiedGroupKFold.")
    return splits


def is_splitter(cv: Any) -> bool:
    """Whether cv splits any graphs; positions refer to particular ones."""
    return isinstance(cv, int) or hasattr(cv, "split")


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
            f"got {abbreviate(repr(part))}.",
            parameter="cv",
        )
    return array.astype(np.intp)


def _check_classes(splits: list[Split], y: NDArray[Any], way_out: str) -> None:
    n_classes = len(np.unique(y))
    for number, (train, _) in enumerate(splits):
        if len(np.unique(y[train])) < n_classes:
            every, some = ("both classes", "are all of one") if n_classes == 2 else ("all classes", "do not")
            raise InputError(
                f"The training graphs of each split must include {every}, but those of split {number} "
                f"{some}.",
                way_out=way_out,
            )
