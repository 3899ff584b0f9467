"""Estimators of the user's own among the methods: pipelines, other classifiers, other score functions."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from dugraph.data.wording import shown
from dugraph.estimators import SubgraphSelector
from dugraph.evaluation.cell import Cell
from dugraph.evaluation.features import Subjects, is_known
from dugraph.evaluation.metrics import measure_metrics
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.probability.scores import Score

# What goes unescaped into tables, LaTeX and pages alike.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")


def check_own(methods: Mapping[str, Any], taken: Collection[str]) -> dict[str, Any]:
    """Return the estimators by name, if each can be fitted and asked.

    Parameters
    ----------
    methods : mapping of str to estimator
    taken : collection of str
        Names that mean something else already.
    """
    for name, estimator in methods.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                "The name of a method must be 1 to 40 letters, digits, or _ . + -, beginning with a letter "
                f"or a digit; got {shown(repr(name))}.",
                parameter="methods",
            )
        if is_known(name) or name in taken:
            raise InputError(
                f"The name of your own method must be new, but {name!r} is taken. Choose another.",
                parameter="methods",
            )
        if isinstance(estimator, type) or not all(
            hasattr(estimator, part) for part in ("fit", "predict", "get_params")
        ):
            raise InputError(
                f"Your own method must be a scikit-learn classifier, such as a Pipeline; {name!r} is "
                f"{shown(repr(estimator))}. For your own score function, use make_method(score=...).",
                parameter="methods",
            )
    return dict(methods)


def own_scores(own: Mapping[str, Any]) -> list[Score]:
    """The score functions of own methods that begin with a selector."""
    return [selector.score_func for one in own.values() if (selector := _selector(one)) is not None]


def run_own(
    subjects: Subjects,
    method: str,
    split: int,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    n_subgraphs: Sequence[int],
    estimator: Any,
) -> Cell:
    """Fit the estimator to training graphs and measure it on test graphs.

    A pipeline that begins with a `SubgraphSelector` is fitted for each t, mined once for the largest; any
    other estimator once. Graphs arrive as `UncertainGraphs`, so that selectors know their edges, and count as
    an array of edge probabilities; labels as 1 for the positive class and 0.

    Parameters
    ----------
    method, split, subjects, train, test, n_subgraphs
        As for `run_cell`.
    estimator : estimator
        Is cloned, not changed.

    Returns
    -------
    Cell
    """
    cohort, y = subjects.cohort, subjects.cohort.target
    graphs = cohort.graphs[train], cohort.graphs[test]
    selector, mining_seconds, begin = _selector(estimator), 0.0, time.perf_counter()
    metrics: dict[int, dict[str, float]] = {}
    with warnings.catch_warnings():
        # Both are kept with the cell, where they can be counted.
        warnings.simplefilter("ignore", FewerSubgraphsWarning)
        warnings.simplefilter("ignore", LimitReachedWarning)
        if selector is None:
            fitted = clone(estimator).fit(graphs[0], y[train])
            row = measure_metrics(y[test], *_decide(fitted, graphs[1]))
            seconds = time.perf_counter() - begin
            return Cell(method, split, dict.fromkeys(n_subgraphs, row), None, True, "", 0.0, seconds)
        try:
            mined = clone(selector).set_params(n_subgraphs=max(n_subgraphs)).fit(graphs[0], y[train])
        except InputError as error:
            # As with every method: in one split there may be no subgraph; the others go on.
            return Cell(method, split, {}, 0, True, str(error), 0.0, 0.0)
        features = [mined.transform(part) for part in graphs]
        mining_seconds = time.perf_counter() - begin
        for t, (trained, tested) in _first(features, n_subgraphs):
            rest = clone(estimator[1:]).fit(trained, y[train])
            metrics[t] = measure_metrics(y[test], *_decide(rest, tested))
    seconds = time.perf_counter() - begin - mining_seconds
    n_found, proven = len(mined.subgraphs_), bool(mined.result_.success)
    return Cell(method, split, metrics, n_found, proven, "", mining_seconds, seconds)


def _selector(estimator: Any) -> SubgraphSelector | None:
    begins = isinstance(estimator, Pipeline) and len(estimator.steps) > 1
    first = estimator.steps[0][1] if begins else None
    return first if isinstance(first, SubgraphSelector) else None


def _first(
    features: Sequence[NDArray[Any]], n_subgraphs: Sequence[int]
) -> Iterator[tuple[int, list[NDArray[Any]]]]:
    # Best first: the first t are what mining for t subgraphs finds.
    return ((t, [part[:, :t] for part in features]) for t in n_subgraphs)


def _decide(fitted: Any, X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Classes (1 is positive) and decision values of test graphs; the classes where there are none."""
    predicted = np.asarray(fitted.predict(X))
    if not np.isin(predicted, (0, 1)).all():
        raise InputError(
            "Your own method must predict the classes that it was fitted with, 0 and 1, but predicted "
            f"{shown(repr(predicted[~np.isin(predicted, (0, 1))][0]))}. Give a classifier.",
            parameter="methods",
        )
    for ask in ("decision_function", "predict_proba"):
        if hasattr(fitted, ask):
            values = np.asarray(getattr(fitted, ask)(X), dtype=np.float64)
            return predicted.astype(np.int64), values if values.ndim == 1 else values[:, -1]
    return predicted.astype(np.int64), predicted.astype(np.float64)
