"""The features of each method: what a support vector machine gets of training and of test graphs.

Nothing here sees the classes of test graphs, and test graphs only pass through what was fitted without them.
"""

from __future__ import annotations

import importlib.util
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectKBest, f_classif

from dugraph.data import LabelledGraphs
from dugraph.estimators import METHODS, make_method
from dugraph.estimators.methods import DIVERSE, is_method
from dugraph.evaluation.sparse_features import L1_EDGES, SPARSE, proven, sparse_models
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning

Array = NDArray[Any]

COMPARISONS = ("all-edges", "select-k-best")
"""What users would try first: all edges, and the edges with the largest F statistic."""
SERIES_COMPARISONS = ("nilearn-correlation", "nilearn-tangent")
"""Connectivity of time series, by nilearn."""
WHOLE = ("all-edges", *SERIES_COMPARISONS, "cpm", "elastic-net")
"""Methods whose features are all that there are, whatever t is."""
KNOWN = (*METHODS, *SPARSE, *COMPARISONS, *L1_EDGES, *SERIES_COMPARISONS)
"""Names of features; those of `METHODS` may have "+div" appended."""


def is_known(name: str) -> bool:
    """Whether there are features of this name."""
    return name in KNOWN or is_method(name)


def known_words(has_series: bool) -> str:
    """All names that can be used with or without time series, for messages."""
    names = KNOWN if has_series else [name for name in KNOWN if name not in SERIES_COMPARISONS]
    return f"{', '.join(names)}; those of subgraphs may have {DIVERSE} appended"


def needs_series(names: str) -> str:
    """What to say to those who ask for methods of time series without any, on the command line too."""
    return (
        f"{names}: time series of the graphs are needed, which a cohort file does not hold. Such methods "
        "are available only in Python: evaluate_methods(..., series=...)."
    )


@dataclass(frozen=True)
class Subjects:
    """Labelled graphs and, where there are any, their time series and the groups that stay together."""

    cohort: LabelledGraphs
    series: Sequence[Array] | None = None
    groups: Array | None = None

    @property
    def edge_probability(self) -> NDArray[np.float64]:
        """Of shape (n_graphs, n_edges)."""
        return self.cohort.graphs.edge_probability


@dataclass
class Features:
    """Features of training and test graphs, for each number of subgraphs.

    Attributes
    ----------
    subgraphs : list of tuple of int
        Those mined, best first; none for the comparisons.
    decisions : dict of int to ndarray, or None
        Decision values of test graphs, of methods that decide for themselves.
    proven : bool
        Whether they are proven to be the best; False when a limit was reached.
    seconds : float
        Time of finding and computing the features.
    """

    train: dict[int, Array]
    test: dict[int, Array]
    subgraphs: list[tuple[int, ...]] = field(default_factory=list)
    decisions: dict[int, Array] | None = None
    proven: bool = True
    seconds: float = 0.0

    def __iter__(self) -> Iterator[tuple[int, Array, Array]]:
        return ((t, self.train[t], self.test[t]) for t in self.train)


def nilearn_is_there() -> bool:
    """Whether nilearn is installed."""
    return importlib.util.find_spec("nilearn") is not None


def make_features(
    method: str,
    subjects: Subjects,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    n_subgraphs: Sequence[int],
    settings: Mapping[str, Any],
) -> Features:
    """Find the features of a method in training graphs and compute them for test graphs.

    Parameters
    ----------
    method : str
        One of `KNOWN`, or one of its subgraphs with "+div".
    subjects : Subjects
    train, test : ndarray of int
        Positions of the graphs.
    n_subgraphs : sequence of int
        Numbers of features (t). Subgraphs are mined once for the largest; the others take the first of them.
    settings : mapping
        Parameters of `make_method`.

    Returns
    -------
    Features
    """
    begin = time.perf_counter()
    if is_method(method):
        features = _subgraphs(method, subjects.cohort, train, test, n_subgraphs, settings)
    elif method in (*SPARSE, *L1_EDGES):
        features = _sparse(method, subjects, train, test, n_subgraphs, settings)
    elif method == "select-k-best":
        features = _best_edges(subjects, train, test, n_subgraphs)
    elif method == "all-edges":
        X = subjects.edge_probability
        features = _same(X[train], X[test], n_subgraphs)
    elif method in SERIES_COMPARISONS:
        features = _connectivity(method, subjects, train, test, n_subgraphs)
    else:
        raise InputError(
            f"A method must be one of {known_words(subjects.series is not None)}; got {method!r}."
        )
    features.seconds = time.perf_counter() - begin
    return features


def _same(train: Array, test: Array, n_subgraphs: Sequence[int]) -> Features:
    return Features(dict.fromkeys(n_subgraphs, train), dict.fromkeys(n_subgraphs, test))


def _subgraphs(
    method: str,
    cohort: LabelledGraphs,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    n_subgraphs: Sequence[int],
    settings: Mapping[str, Any],
) -> Features:
    selector = make_method(method, n_subgraphs=max(n_subgraphs), pos_label=1, **settings)["selector"]
    with warnings.catch_warnings():
        # Both are kept with the result of the cell, where they can be counted.
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        trained = selector.fit_transform(cohort.graphs[train], cohort.target[train])
    tested = selector.transform(cohort.graphs[test])
    # Best first: the first t are what mining for t subgraphs finds, also of those that complement each other.
    return Features(
        {t: trained[:, :t] for t in n_subgraphs},
        {t: tested[:, :t] for t in n_subgraphs},
        selector.subgraphs_,
        proven=selector.result_.success,
    )


def _sparse(
    method: str,
    subjects: Subjects,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    n_subgraphs: Sequence[int],
    settings: Mapping[str, Any],
) -> Features:
    cohort = subjects.cohort
    models = sparse_models(method, cohort.graphs[train], cohort.target[train], n_subgraphs, settings)
    trained, tested = subjects.edge_probability[train], subjects.edge_probability[test]
    own = {t: model.decision_function(tested) for t, model in models.items()}
    return Features(
        {t: model.containment(trained) for t, model in models.items()},
        {t: model.containment(tested) for t, model in models.items()},
        models[max(n_subgraphs)].subgraphs,
        own if method.endswith("-own") else None,
        proven(models),
    )


def _best_edges(
    subjects: Subjects, train: NDArray[np.intp], test: NDArray[np.intp], n_subgraphs: Sequence[int]
) -> Features:
    X, y = subjects.edge_probability, subjects.cohort.target
    varying = np.ptp(X[train], axis=0) > 0
    X = X[:, varying]
    features = Features({}, {})
    with warnings.catch_warnings():
        # An edge that is constant within both classes has an infinite F statistic, rightly.
        warnings.simplefilter("ignore")
        for t in n_subgraphs:
            selection = SelectKBest(f_classif, k=min(t, X.shape[1])).fit(X[train], y[train])
            features.train[t], features.test[t] = selection.transform(X[train]), selection.transform(X[test])
    return features


def _connectivity(
    method: str,
    subjects: Subjects,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    n_subgraphs: Sequence[int],
) -> Features:
    from nilearn.connectome import ConnectivityMeasure

    series = subjects.series
    if series is None:
        raise InputError(needs_series(method))
    connectivity = ConnectivityMeasure(
        kind=method.removeprefix("nilearn-"), vectorize=True, discard_diagonal=True
    )
    trained = connectivity.fit_transform([series[i] for i in train])
    return _same(trained, connectivity.transform([series[i] for i in test]), n_subgraphs)
