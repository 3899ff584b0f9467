"""The regularisation path of a sparse linear model over all admitted connected subgraphs."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import check_positive_int, is_real
from dugraph.data.columns import covariate_matrix
from dugraph.data.labels import check_label_order, label_column
from dugraph.exceptions import InputError, LimitReachedWarning
from dugraph.search import Status
from dugraph.search.limits import Numbers, check_time_limit, progress_reporter, resolve_n_jobs
from dugraph.sparse.column_generation import PathFinder
from dugraph.sparse.losses import Floats, Loss, Squared, check_loss, check_numbers, check_weights, signs
from dugraph.sparse.model import SparseModel
from dugraph.words import SQUARED


def sparse_path(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    edges: ArrayLike | None = None,
    covariates: Any = None,
    sample_weight: ArrayLike | None = None,
    alphas: ArrayLike | None = None,
    n_alphas: int = 20,
    alpha_min_ratio: float = 0.05,
    n_nonzero: int | None = None,
    loss: str = "logistic",
    l1_ratio: float = 1.0,
    min_expected_frequency: float = 0.2,
    max_edges: int | None = None,
    tol: float = 1e-4,
    pos_label: object = None,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> list[SparseModel]:
    """Fit sparse linear models over ALL admitted connected subgraphs, for a sequence of penalties.

    Each model minimises ``mean loss + alpha * (l1_ratio * sum of abs(coef) + (1 - l1_ratio) / 2 * sum of
    coef^2)``. The features are the containment probabilities of all admitted subgraphs; only the columns that
    matter are ever computed.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1].
    y : array-like of shape (n_graphs,)
        Two classes, or numbers for the squared loss. Omit `y` and `pos_label` with LabelledGraphs, which
        have their own.
    edges : array-like of shape (n_edges, 2), optional
        Node indices of each edge. Default: all pairs in the order of ``np.tril_indices(n_nodes, -1)``.
    covariates : str, list of str, DataFrame or array-like of shape (n_graphs,) or (n_graphs, p), optional
        Values, or names of columns of the participants. They are not penalised, so the subgraphs explain what
        the covariates cannot. Categories become indicators, except the first in sorted order.
    sample_weight : array-like of shape (n_graphs,), optional
        Weights of the graphs in the mean loss, scaled to a mean of 1. Graphs with weight 0 are left out; the
        expected frequency counts all others once.
    alphas : array-like, optional
        Positive penalties, used from large to small. Default: `n_alphas` in equal ratios from the smallest
        penalty at which no subgraph is chosen down to `alpha_min_ratio` times that penalty.
    n_alphas : int, default 20
    alpha_min_ratio : float in (0, 1), default 0.05
    n_nonzero : int, optional
        The path ends with the first model that has more subgraphs than this.
    loss : {"logistic", "squared_hinge", "squared"}, default "logistic"
        ``log(1 + exp(-m))`` or ``max(0, 1 - m)^2`` of the margin m; ``(y - f)^2 / 2`` for a phenotype y.
    l1_ratio : float in (0, 1], default 1
        1: the lasso. Below 1: the elastic net, which keeps more of several similar subgraphs, often all
        supersets of one another.
    min_expected_frequency : float, default 0.2
        Subgraphs of several edges are admitted if their expected frequency exceeds this (min_sup); single
        edges always.
        The default, 0.2, is the paper's for its largest cohort; `significant_subgraphs` has a lower one.
    max_edges : int, optional
        The largest number of edges in a subgraph.
    tol : float, default 1e-4
        Each model is fitted to a duality gap of this share of the loss without any subgraph.
    pos_label : object, optional
        The positive class. Default: the last in sorted order.
    n_jobs : int or None, default 1
        Threads of the search; None means 1, -1 all processors, -2 all but one.
    time_limit : float, optional
        Seconds after which the path ends; its last model then has a valid but larger gap.
    progress : bool or callable, optional
        True shows a live line; a callable receives a dict of numbers.

    Returns
    -------
    list of SparseModel
        From the largest penalty to the smallest.

    Warns
    -----
    LimitReachedWarning
        The path ended early, or `tol` is smaller than rounding allows.

    Examples
    --------
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> path = sparse_path(X, [1, 1, 0, 0], n_alphas=5, alpha_min_ratio=0.1, min_expected_frequency=0.3)
    >>> [len(model.subgraphs) for model in path]
    [0, 1, 1, 1, 1]
    >>> path[-1].subgraphs
    [(0, 1)]
    """
    graphs, target, loss_type = _path_input(X, y, pos_label, edges, loss)
    covariate_values = covariate_matrix(covariates, graphs)
    deadline = time.monotonic() + check_time_limit(time_limit)
    check_path_parameters(n_alphas, alpha_min_ratio, tol, max_edges, l1_ratio)
    weights = check_weights(sample_weight, graphs.n_graphs)
    if n_nonzero is not None:
        check_positive_int("n_nonzero", n_nonzero)
    given = None if alphas is None else _check_alphas(alphas)
    with progress_reporter(progress, path_line) as report:
        finder = PathFinder(
            graphs,
            target,
            covariate_values,
            weights,
            loss=loss_type,
            l1_ratio=l1_ratio,
            min_expected_frequency=min_expected_frequency,
            max_edges=max_edges,
            tol=tol,
            n_threads=resolve_n_jobs(n_jobs),
            deadline=deadline,
            report=report,
        )
        grid = finder.grid(n_alphas, alpha_min_ratio) if given is None else given
        models = finder.models_up_to(math.inf if n_nonzero is None else n_nonzero, grid)
    imprecise = [model for model in models if model.status is Status.PRECISION_LIMIT]
    if models[-1].status is Status.TIME_LIMIT or not finder.in_time:
        warn_of_limit(models[-1])
    elif imprecise:
        warn_of_limit(imprecise[0])
    return models


def path_line(now: Numbers) -> str:
    """Format the progress of a path as one line."""
    return (
        f"penalty {now['alpha']:.4g}, {now['n_nonzero']} subgraphs so far; searching for more: "
        f"{now['n_visited']:,} admitted, {now['seconds']:.1f} s"
    )


def warn_of_limit(model: SparseModel, stacklevel: int = 3) -> None:
    """Warn which limit was reached, and what it means for this model; `stacklevel` as in `warnings.warn`."""
    limit = (
        "tol is below rounding error"
        if model.status is Status.PRECISION_LIMIT
        else "The time limit was reached"
    )
    consequence = (
        f"its model is valid, but another one may have an objective lower by up to {model.duality_gap:.3g}"
        if model.status is not Status.OPTIMAL
        else "its model is optimal, but smaller penalties or the folds of cv were not all tried"
    )
    warnings.warn(
        f"{limit} at the penalty {model.alpha:.6g}: {consequence}.",
        LimitReachedWarning,
        stacklevel=stacklevel,
    )


def check_path_parameters(
    n_alphas: object, alpha_min_ratio: object, tol: object, max_edges: object, l1_ratio: object
) -> None:
    """Raise InputError if a parameter of a path is out of range."""
    check_positive_int("n_alphas", n_alphas)
    if max_edges is not None:
        check_positive_int("max_edges", max_edges)
    for name, value in (("alpha_min_ratio", alpha_min_ratio), ("tol", tol)):
        if not is_real(value) or not 0 < value < 1:
            raise InputError(
                f"{name} must be a number above 0 and below 1, but is {value!r}.", parameter=name
            )
    if not is_real(l1_ratio) or not 0 < l1_ratio <= 1:
        raise InputError(
            f"l1_ratio must be a number above 0 and at most 1, but is {l1_ratio!r}. Without an L1 penalty "
            "all subgraphs would be in the model.",
            parameter="l1_ratio",
        )


def _check_alphas(alphas: ArrayLike) -> NDArray[np.float64]:
    """Return the penalties from large to small."""
    try:
        array = np.asarray(alphas, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.ndim != 1 or array.size == 0 or not (np.isfinite(array) & (array > 0)).all():
        raise InputError(f"alphas must be a flat sequence of positive numbers, but is {alphas!r}.")
    return np.sort(array)[::-1]


def _path_input(
    X: Any, y: Any, pos_label: object, edges: Any, loss: object
) -> tuple[UncertainGraphs, Floats, type[Loss]]:
    """Return graphs, target and loss; parameters as for `sparse_path`."""
    if not isinstance(loss, str) or loss != SQUARED:
        loss_type = check_loss(loss)
        cohort = LabelledGraphs.of(X, y, pos_label, edges)
        return cohort.graphs, signs(cohort.positive), loss_type
    if isinstance(X, LabelledGraphs) or pos_label is not None:
        raise InputError(
            'loss="squared" is for a phenotype, which has no classes: pass the graphs as X, the numbers as '
            "y, and no pos_label.",
            parameter="loss",
        )
    graphs = check_cohort(X, edges)
    check_label_order(y, X)
    return graphs, check_numbers(label_column(y, graphs.n_graphs), graphs), Squared
