"""The regularisation path of a sparse linear model over all admitted connected subgraphs."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import check_positive_int
from dugraph.data.covariates import covariate_matrix
from dugraph.exceptions import LimitReachedWarning
from dugraph.search import Status
from dugraph.search.limits import check_time_limit, resolve_n_jobs
from dugraph.search.progress import Numbers, progress_reporter
from dugraph.sparse.checks import check_alphas, check_path_parameters
from dugraph.sparse.model import SparseModel
from dugraph.sparse.path_finder import PathFinder
from dugraph.sparse.targets import path_input


def sparse_path(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    edges: ArrayLike | None = None,
    covariates: Any = None,
    alphas: ArrayLike | None = None,
    n_alphas: int = 30,
    alpha_min_ratio: float = 0.01,
    n_nonzero: int | None = None,
    loss: str = "logistic",
    min_expected_frequency: float = 0.2,
    max_edges: int | None = None,
    tol: float = 1e-4,
    pos_label: object = None,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> list[SparseModel]:
    """Fit sparse linear models over ALL admitted connected subgraphs, for a sequence of penalties.

    Each minimises ``mean loss + alpha * sum of abs(coef)``; the features are the containment probabilities of
    all admitted subgraphs, of which only those that matter are ever written down.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1].
    y : array-like of shape (n_graphs,)
        Two classes; omitted, like `pos_label`, with LabelledGraphs, which have their own. Numbers for the
        squared loss.
    edges : array-like of shape (n_edges, 2), optional
        Node indices of each edge. Default: all pairs in the order of ``np.tril_indices(n_nodes, -1)``.
    covariates : str, list of str, DataFrame or array-like of shape (n_graphs,) or (n_graphs, p), optional
        Columns without a penalty, so the subgraphs add what these cannot explain: values, or names of columns
        of participants. Categories become indicators, except the first in sorted order.
    alphas : array-like, optional
        Positive penalties, used from large to small. Default: `n_alphas` in equal ratios from the
        smallest penalty without any subgraph down to its `alpha_min_ratio`-th part.
    n_alphas : int, default 30
    alpha_min_ratio : float in (0, 1), default 0.01
    n_nonzero : int, optional
        The path ends with the first model that has more subgraphs than this.
    loss : {"logistic", "squared_hinge", "squared"}, default "logistic"
        ``log(1 + exp(-m))`` or ``max(0, 1 - m)^2`` of the margin m; ``(y - f)^2 / 2`` for a phenotype y.
    min_expected_frequency : float, default 0.2
        Subgraphs are admitted if their expected frequency exceeds this (min_sup).
    max_edges : int, optional
        The largest number of edges in a subgraph.
    tol : float, default 1e-4
        Each model is fitted to a duality gap of this share of the loss without any subgraph.
    pos_label : object, optional
        The positive class. Default: the last in sorted order.
    n_jobs : int or None, default 1
        Threads of the search; None means 1, -1 all processors.
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
    graphs, target, found = path_input(X, y, pos_label, edges, loss)
    adjust_for = covariate_matrix(covariates, graphs)
    deadline = time.monotonic() + check_time_limit(time_limit)
    check_path_parameters(n_alphas, alpha_min_ratio, tol, max_edges)
    if n_nonzero is not None:
        check_positive_int("n_nonzero", n_nonzero)
    given = None if alphas is None else check_alphas(alphas)
    with progress_reporter(progress, path_line) as report:
        finder = PathFinder(
            graphs,
            target,
            adjust_for,
            loss=found,
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


def warn_of_limit(model: SparseModel, stacklevel: int = 3) -> None:
    """Say which limit was reached, and what it means for this model; `stacklevel` as in `warnings.warn`."""
    limit = (
        "tol is below rounding error"
        if model.status is Status.PRECISION_LIMIT
        else "The time limit was reached"
    )
    told = (
        f"its model is valid, but another one may have an objective lower by up to {model.duality_gap:.3g}"
        if model.status is not Status.OPTIMAL
        else "its model is optimal, but smaller penalties or the folds of cv were not all tried"
    )
    warnings.warn(
        f"{limit} at the penalty {model.alpha:.6g}: {told}.",
        LimitReachedWarning,
        stacklevel=stacklevel,
    )


def path_line(now: Numbers) -> str:
    """The state of the path in one line."""
    return (
        f"penalty {now['alpha']:.4g}, {now['n_nonzero']} subgraphs so far; searching for more: "
        f"{now['n_visited']:,} admitted, {now['seconds']:.1f} s"
    )
