"""Paths of penalties of sparse models over all admitted connected subgraphs, and the choice from them."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv

from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import check_fraction, check_positive_int, check_word, counted, is_real
from dugraph.data.columns import CovariateCode, covariate_matrix
from dugraph.data.labels import check_label_order, label_column
from dugraph.estimators.model_file import decode, encode
from dugraph.exceptions import InputError, LimitReachedWarning, Setting, Spoken
from dugraph.search import Status
from dugraph.search.limits import Numbers, check_time_limit, progress_reporter, resolve_n_jobs
from dugraph.sparse.column_generation import PathFinder, SparseModel, model_members, restored_model
from dugraph.sparse.losses import Floats, Loss, Squared, check_loss, check_numbers, check_weights, signs
from dugraph.words import REFITS, SQUARED

Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]
RIDGE_PENALTIES = tuple(np.geomspace(1.0, 1e-4, 9).tolist())
"""L2 penalties of the refit, on the mean loss; those of its folds, from the largest to the smallest."""
# Bisections (on a logarithmic scale) between the last penalty with few enough subgraphs and the next one.
_BISECTIONS = 6


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
    check_fraction("alpha_min_ratio", alpha_min_ratio)
    check_fraction("tol", tol)
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


@dataclass(frozen=True)
class Fitting:
    """The graphs of a fit with their target, covariates by name and weights; settings of `PathFinder`."""

    graphs: UncertainGraphs
    target: Floats
    columns: Mapping[str, NDArray[Any]]
    graph_ids: Sequence[str]
    weights: Floats
    settings: Mapping[str, Any]

    @cached_property
    def code(self) -> CovariateCode:
        """The code of the covariates, learned from these graphs."""
        return CovariateCode.of(self.columns, self.graph_ids)

    @property
    def has_classes(self) -> bool:
        """Whether the target is 1 or -1, and not a phenotype."""
        return self.settings["loss"] is not Squared

    def finder(self, deadline: float) -> PathFinder:
        """Set up the models of these graphs."""
        numbers = self.code.numbers(self.columns, self.graph_ids)
        return PathFinder(self.graphs, self.target, numbers, self.weights, **self.settings, deadline=deadline)

    def part(self, rows: NDArray[np.intp]) -> Fitting:
        """Some of the graphs."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        ids = np.asarray(self.graph_ids, dtype=object)[rows].tolist()
        return Fitting(self.graphs[rows], self.target[rows], columns, ids, self.weights[rows], self.settings)


class Choice(NamedTuple):
    """The chosen model, and the path of candidates, which for a given penalty is only that model.

    `cv_losses` are held-out losses of shape (n_penalties, n_folds), if the penalty was chosen by
    cross-validation; with a ridge refit, those of its best penalty. `n_searches` includes the folds. It is
    not `finished` if the time limit stopped the path or a fold early.
    """

    model: SparseModel
    path: list[SparseModel]
    cv_losses: NDArray[np.float64] | None
    n_searches: int
    finished: bool


def choice_members(choice: Choice) -> dict[str, Any]:
    """Return a choice as JSON values."""
    losses = choice.cv_losses
    return {
        "path": [model_members(model) for model in choice.path],
        "chosen": choice.path.index(choice.model),
        "cv_losses": None if losses is None else encode(losses, "cv_losses_"),
        "n_searches": int(choice.n_searches),
        "finished": bool(choice.finished),
    }


def restored_choice(stored: Mapping[str, Any], n_edges: int, n_covariates: int) -> Choice:
    """Inverse of `choice_members`; raises KeyError, TypeError or ValueError on other content."""
    path = [restored_model(one, n_edges, n_covariates) for one in stored["path"]]
    if not 0 <= stored["chosen"] < len(path):
        raise ValueError("the chosen model must be one of the path")
    losses = None if stored["cv_losses"] is None else decode(stored["cv_losses"])
    if losses is not None and (losses.ndim != 2 or not 0 < len(losses) <= len(path)):
        raise ValueError("cv_losses must have a row for each penalty that was tried")
    model = path[stored["chosen"]]
    return Choice(model, path, losses, int(stored["n_searches"]), bool(stored["finished"]))


def check_choice(alpha: object, n_nonzero: object, refit: object = None) -> None:
    """Raise InputError if `alpha` and `n_nonzero` do not determine a model, or `refit` is unknown."""
    if refit is not None:
        check_word("refit", refit, REFITS)
    if n_nonzero is not None:
        check_positive_int("n_nonzero", n_nonzero)
    if isinstance(alpha, str) and alpha == "cv":
        return
    if alpha is None:
        if n_nonzero is None:
            raise InputError(
                "alpha=None chooses the penalty by the number of subgraphs: give n_nonzero too.",
                parameter="n_nonzero",
            )
    elif not is_real(alpha) or not 0 < alpha < math.inf:
        spoken = Spoken(', "cv" or None', " or cv")
        raise InputError(
            ("alpha must be a positive number", spoken, f", but is {alpha!r}."), parameter="alpha"
        )
    elif n_nonzero is not None:
        pair = ("Give ", Setting("alpha"), " or ", Setting("n_nonzero"), ", but not both: ")
        raise InputError(
            (*pair, f"alpha is {alpha!r}, n_nonzero {n_nonzero!r}."),
            way_out=("With ", Setting("alpha", "cv"), " ", Setting("n_nonzero"), " limits the choice."),
        )


def choose_model(asked: Any, fitting: Fitting, deadline: float, groups: Any) -> Choice:
    """Fit the path and choose a model from it, by the parameters of a sparse estimator, which are valid.

    `groups` are passed to its splitter.
    """
    ridge = RIDGE_PENALTIES if asked.refit else ()
    cross_validated = isinstance(asked.alpha, str)
    folds = _folds(asked.cv, fitting, groups) if cross_validated or asked.refit else []
    # The path and the folds share the time equally, so that all of them get about equally far.
    deadlines = share_time(deadline, 1 + len(folds))
    finder = fitting.finder(next(deadlines))
    most = math.inf if asked.n_nonzero is None else asked.n_nonzero
    if asked.alpha is None or cross_validated:
        path = finder.models_up_to(most, finder.grid(asked.n_alphas, asked.alpha_min_ratio))
    else:
        path = list(finder.models([asked.alpha]))
    if asked.alpha is None:
        path = _refined(finder, path, most)
    eligible = _few_enough(path, most)
    tried = eligible if cross_validated else eligible[-1:]
    finished = finder.in_time and all(model.status is not Status.TIME_LIMIT for model in path)
    if not folds:
        return Choice(tried[-1], path, None, finder.n_searches, finished)
    alphas = [model.alpha for model in tried]
    losses, n_searches = _held_out_losses(fitting, alphas, ridge, folds, deadlines)
    if asked.refit:
        # The refit's penalty is chosen in the folds too: in graphs that chose the subgraphs, the smallest
        # would win.
        best = losses.mean(axis=2).argmin(axis=1)
        losses = losses[np.arange(len(tried)), best]
        refitted = [
            next(finder.ridge(*pair)) for pair in zip(tried, np.array(ridge)[best, None], strict=True)
        ]
        path = [refitted[tried.index(model)] if model in tried else model for model in path]
        tried = refitted
    else:
        losses = losses[:, 0]
    model = tried[int(np.argmin(losses.mean(axis=1)))]
    finished = finished and bool(np.isfinite(losses).all())
    n_searches += finder.n_searches
    return Choice(model, path, losses if cross_validated else None, n_searches, finished)


def share_time(deadline: float, parts: int) -> Iterator[float]:
    """Yield the deadline of each part: an equal share of the time left when the part begins."""
    for left in range(parts, 0, -1):
        now = time.monotonic()
        yield now + max(deadline - now, 0.0) / left


def _few_enough(path: list[SparseModel], most: float) -> list[SparseModel]:
    """The models before the first with more than `most` subgraphs; at least the first of the path."""
    many = next((k for k, model in enumerate(path) if len(model.coef) > most), len(path))
    return path[: max(many, 1)]


def _refined(finder: PathFinder, path: list[SparseModel], most: float) -> list[SparseModel]:
    """Bisect between the last two penalties of the path, to get closer to `most` subgraphs."""
    path = list(path)
    few, many = path[-2:] if len(path) > 1 else (path[0], path[0])
    for _ in range(_BISECTIONS):
        if len(many.coef) <= most or len(few.coef) == most or many.status is Status.TIME_LIMIT:
            break
        (middle,) = finder.models([math.sqrt(few.alpha * many.alpha)])
        path.insert(path.index(many), middle)
        if middle.status is Status.TIME_LIMIT:
            break
        if len(middle.coef) > most:
            many = middle
        else:
            few = middle
    return path


def _folds(cv: Any, fitting: Fitting, groups: Any) -> Folds:
    y = fitting.target > 0 if fitting.has_classes else fitting.target
    try:
        splitter = check_cv(cv, y, classifier=fitting.has_classes)
        folds = list(splitter.split(fitting.graphs.edge_probability, y, groups))
        # An iterable of index arrays is not validated by check_cv: indexing finds invalid ones.
        positions = np.arange(len(y))
        folds = [(positions[train], positions[test]) for train, test in folds]
        valid = bool(folds) and all(len(train) and len(test) for train, test in folds)
    except (ValueError, TypeError, IndexError) as error:
        raise InputError(f"cv must be able to split these graphs: {error}", parameter="cv") from error
    if not valid:
        raise InputError(
            f"cv must give folds with graphs to train on and graphs to test, but is {cv!r}.", parameter="cv"
        )
    return folds


def _held_out_losses(
    fitting: Fitting, alphas: list[float], ridge: Sequence[float], folds: Folds, deadlines: Iterator[float]
) -> tuple[NDArray[np.float64], int]:
    """Loss of each penalty in the test graphs, and the number of searches.

    The losses have the shape (n_alphas, n_ridge, n_folds); without a refit n_ridge is 1.
    """
    columns: list[list[list[float]]] = []
    n_searches, n_ridge = 0, max(len(ridge), 1)
    for (train, test), deadline in zip(folds, deadlines, strict=True):
        if not fitting.weights[test].any():
            raise InputError(
                "Every test fold of cv must have a graph with a sample_weight above 0, but one has none. "
                "Leave graphs without weight out.",
                parameter="cv",
            )
        trained, tested = fitting.part(train), fitting.part(test[fitting.weights[test] > 0])
        loss = fitting.settings["loss"](tested.target, tested.weights / tested.weights.mean())
        targets = trained.target[trained.weights > 0]
        if fitting.has_classes and np.ptp(targets) == 0:
            n_least = min((fitting.target > 0).sum(), (fitting.target < 0).sum())
            raise InputError(
                "Both classes are needed in every training fold of cv, but the smaller class has "
                f"{counted(int(n_least), 'graph')}. Use fewer folds, or give alpha or n_nonzero without cv."
            )
        if np.ptp(targets) == 0:  # a constant phenotype: the prediction does not depend on alpha
            constant = loss.value(np.full(len(tested.target), targets[0]))
            columns.append([[constant] * n_ridge] * len(alphas))
            continue
        try:
            finder = trained.finder(deadline)
        except InputError as error:
            raise error.placed(f"In the training graphs of fold {len(columns) + 1} of cv") from error
        numbers = trained.code.numbers(tested.columns, tested.graph_ids)
        # Penalties that the time limit left out are never chosen.
        losses = [[math.inf] * n_ridge for _ in alphas]
        for row, model in zip(losses, finder.models(alphas), strict=False):
            fits = finder.ridge(model, ridge) if ridge else [model]
            row[:] = [
                loss.value(fit.decision_function(tested.graphs.edge_probability, numbers)) for fit in fits
            ]
        n_searches += finder.n_searches
        columns.append(losses)
    return np.moveaxis(np.array(columns), 0, 2), n_searches
