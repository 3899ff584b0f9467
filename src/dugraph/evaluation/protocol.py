"""The paper's protocol: random splits, features mined in training graphs, a linear SVM, error and F1."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sklearn
from numpy.typing import ArrayLike, NDArray

from dugraph._version import __version__
from dugraph.data import LabelledGraphs
from dugraph.data.arguments import as_list, check_kind, real_number
from dugraph.estimators.methods import DIVERSE
from dugraph.evaluation.cell import Cell, run_cell
from dugraph.evaluation.cell_runs import Hands, Job, check_hands, run_cells
from dugraph.evaluation.cell_store import CellStore, cohort_arrays, fingerprint
from dugraph.evaluation.checks import check_limits, check_phi, check_seed, check_sizes
from dugraph.evaluation.features import Subjects
from dugraph.evaluation.given_splits import (
    check_groups,
    described,
    given_splits,
    group_splits,
    refuse_positions,
    splits_digest,
)
from dugraph.evaluation.method_choice import Methods, choose_methods
from dugraph.evaluation.own_methods import own_scores, run_own
from dugraph.evaluation.paper_settings import draw_balanced, keep_regions, paper_settings
from dugraph.evaluation.progress import Progress
from dugraph.evaluation.result import EvaluationResult
from dugraph.evaluation.splits import TEST_SIZE, Split, make_splits
from dugraph.evaluation.tables import UNPROVEN
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.search.result import warn_of_guessed_class

MIN_EXPECTED_FREQUENCY = 0.2
"""That of an evaluation unless it is asked for another."""


def evaluate_methods(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    methods: Methods = "all",
    n_subgraphs: Sequence[int] = (100, 200, 300, 400, 500),
    n_splits: int = 20,
    test_size: float = TEST_SIZE,
    stratify: bool = True,
    cv: Any = None,
    groups: Any = None,
    min_expected_frequency: float | None = None,
    phi: float | Mapping[str, float] | None = None,
    max_edges: int | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
    like_paper: str | None = None,
    regions: int | None = None,
    edges: ArrayLike | None = None,
    series: Sequence[ArrayLike] | None = None,
    pos_label: object = None,
    random_state: int = 0,
    n_jobs: int | None = 1,
    client: Any = None,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> EvaluationResult:
    """Compare methods as the paper does: 20 random splits 80/20, t = 100 ... 500 subgraphs, a linear SVM.

    Subgraphs are mined in the training graphs of each split only, once for the largest t.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1].
    y : array-like of shape (n_graphs,)
        Two classes; left out, as `pos_label` is, with LabelledGraphs, which have theirs.
    methods : str, mapping of str to estimator, or sequence of these, default "all"
        Names of `METHODS`, "all-edges", "select-k-best" (the t edges with the largest F statistic, or all if
        there are fewer), and where `series` are given "nilearn-correlation" and "nilearn-tangent". Names of
        `METHODS` with "+div" appended take subgraphs that complement each other, as for `make_method`.
        "sparse": those, at most t, of the last model of `sparse_path` before the first with more than t;
        "sparse-own": the decisions of that model itself instead of the SVM's; "l1-edges", "l1-edges-own": the
        same with single edges, however rare. "paper": the 22 of the paper; "comparisons": the edges; "all":
        all of these. A mapping names classifiers of your own, such as
        ``{"mine": make_method(score=my_score)}`` or any Pipeline: they keep their own parameters, except that
        a `SubgraphSelector` as the first of several steps finds t subgraphs; labels reach them as 1 for the
        positive class and 0. The cache does not keep them, since it cannot tell whether they changed.
    n_subgraphs : sequence of int, default (100, 200, 300, 400, 500)
        Numbers of features (t).
    n_splits : int, default 20
        Number of random splits.
    test_size : float in (0, 1), default 0.2
        Share of the graphs that are for testing.
    stratify : bool, default True
        Whether both parts have the classes in equal shares; not with `groups`, which stay whole.
    cv : int, splitter of scikit-learn, or iterable of (train, test), default None
        Splits of your own; `n_splits`, `test_size` and `stratify` are then not looked at.
    groups : str or array-like of shape (n_graphs,), default None
        Groups, such as sites or families, that are never divided between training and testing: a column of
        participants by its name, or the group of each graph. Without `cv`, `test_size` is a share of the
        groups; with it, the splitter receives them.
    min_expected_frequency : float in [0, 1), default None
        Subgraphs are admitted if their expected frequency exceeds this (min_sup); None: that of `like_paper`,
        without it 0.2.
    phi : float or mapping of str to float, default None
        For the "phi" methods, one for all or by score; None: the paper's for each score.
    max_edges, time_limit, node_limit
        As for `SubgraphSelector`, for each mining. With a time limit a run cannot be repeated to the byte.
    like_paper : {"adhd", "adni", "hiv"}, default None
        The paper's settings: min_sup of 20, 40, 40 %; for "adhd" 100 graphs of each class are drawn.
    regions : int, default None
        Keep the first so many nodes only: 90 are the cerebral regions of AAL-116.
    edges : array-like of int, shape (n_edges, 2), default None
        Node indices of each column of X, as for `mine_subgraphs`.
    series : sequence of array-like of shape (n_times, n_nodes), default None
        Time series of each graph, for the comparisons with nilearn.
    pos_label : object, default None
        The positive class, used for F1; None: the last in sorted order.
    random_state : int, default 0
        Seed of the splits and of drawing graphs.
    n_jobs : int or None, default 1
        Processes; None means 1, -1 all processors.
    client : distributed.Client, default None
        Dask workers to compute cells with, instead of processes on this machine; `n_jobs` is then not looked
        at. They may come, go and be lost meanwhile; the values are the same to the byte.
    cache : path-like, default None
        Folder for finished cells; an interrupted run resumes from them and ends with the same bytes.
    progress : bool or callable, default None
        True shows a line with the time left; a callable receives a dict of numbers after each cell.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        If the input breaks a rule, the cache belongs to other data or parameters, or no method has features
        in any split.

    Warns
    -----
    LimitReachedWarning
        A limit was reached: the subgraphs of some cells are not proven to be the best.
    FewerSubgraphsWarning
        A method has no features in some split, so it has no mean and no rank; or fewer subgraphs than t
        were found, and all are used. The `notes` of the result say the same.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=40, random_state=0)
    >>> methods = ["exp-hsic", "all-edges"]
    >>> result = dg.evaluate_methods(graphs, y, methods=methods, n_subgraphs=[5], n_splits=2)
    >>> result.methods, result.values("error").shape
    (('exp-hsic', 'all-edges'), (2, 1, 2))
    """
    asked = None if like_paper is None else paper_settings(like_paper)
    if min_expected_frequency is None:
        min_expected_frequency = asked.min_expected_frequency if asked else MIN_EXPECTED_FREQUENCY
    check_kind(stratify, bool, "stratify")
    random_state = check_seed(random_state)
    sizes = check_sizes(n_subgraphs)
    parameters: dict[str, Any] = {
        **{
            "n_subgraphs": list(sizes),
            "test_size": real_number(test_size, "test_size"),
            "stratify": stratify,
        },
        **{"min_expected_frequency": min_expected_frequency, "random_state": random_state},
        **{"phi": check_phi(phi), "max_edges": max_edges, "time_limit": time_limit, "node_limit": node_limit},
        "versions": {"dugraph": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__},
    }
    check_limits(parameters)
    hands = check_hands(n_jobs, client)
    cohort = LabelledGraphs.of(X, y, pos_label, edges)
    grouped = check_groups(groups, cohort.graphs)
    subjects = _subjects(cohort, series, grouped, regions)
    if asked and asked.graphs_per_class:
        refuse_positions(cv)
        subjects = draw_balanced(subjects, asked.graphs_per_class, random_state)
    names, skipped, own = choose_methods(methods, subjects.series is not None)
    splits = _splits(subjects, cv, n_splits, test_size, stratify, random_state)
    if cv is not None or grouped is not None:
        # Cells depend on them, and no parameter tells what is in them.
        parameters |= {"cv": described(cv), "splits": splits_digest(splits)}
        parameters["groups"] = groups if isinstance(groups, str) else None
    named = [name.removesuffix(DIVERSE).rpartition("-")[2] for name in names if name not in own]
    warn_of_guessed_class([*named, *own_scores(own)], cohort)
    # Wrong words have been refused by now: a cache must not be begun with them.
    mark = fingerprint(cohort_arrays(subjects), parameters)
    store = CellStore(cache, mark, parameters)
    cells = _cells(subjects, names, own, splits, sizes, parameters, store, hands, progress)
    if all(cell.failure for cell in cells):
        raise InputError(
            f"At least one method must have features in a split, but none of {', '.join(names)} has. "
            f"{cells[0].failure}"
        )
    everything = {**parameters, "methods": list(names), "n_splits": len(splits), "fingerprint": mark}
    everything["positive_class"] = cohort.names[0]
    result = EvaluationResult(cells, names, sizes, everything, skipped)
    for note in result.notes:
        category = LimitReachedWarning if note.startswith(UNPROVEN) else FewerSubgraphsWarning
        warnings.warn(note, category, stacklevel=2)
    return result


def _subjects(
    cohort: LabelledGraphs, series: Sequence[ArrayLike] | None, groups: Any, regions: int | None
) -> Subjects:
    arrays = None if series is None else _numbers(as_list(series, "series", "arrays"))
    if arrays is not None and len(arrays) != len(cohort):
        raise InputError(f"There must be a time series for each of {len(cohort)} graphs; got {len(arrays)}.")
    subjects = Subjects(cohort, arrays, groups)
    return subjects if regions is None else keep_regions(subjects, regions)


def _numbers(series: Sequence[ArrayLike]) -> list[NDArray[np.float64]]:
    try:
        return [np.asarray(one, dtype=np.float64) for one in series]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"series must be arrays of numbers, one for each graph, but one is not: {error}.",
            parameter="series",
        ) from error


def _splits(
    subjects: Subjects, cv: Any, n_splits: int, test_size: float, stratify: bool, random_state: int
) -> list[Split]:
    y, groups = subjects.cohort.target, subjects.groups
    if cv is not None:
        return given_splits(y, cv, groups)
    if groups is not None:
        return group_splits(y, groups, n_splits, test_size, random_state)
    shares: dict[str, Any] = {"test_size": test_size, "stratify": stratify, "random_state": random_state}
    return make_splits(y, subjects.cohort.names, n_splits, **shares)


def _cells(
    subjects: Subjects,
    methods: tuple[str, ...],
    own: Mapping[str, Any],
    splits: Sequence[Split],
    sizes: tuple[int, ...],
    parameters: Mapping[str, Any],
    store: CellStore,
    hands: Hands,
    progress: Progress,
) -> list[Cell]:
    limits = {
        name: parameters[name] for name in ("min_expected_frequency", "max_edges", "time_limit", "node_limit")
    }

    def job(method: str, split: int) -> Job:
        asked = (method, split, *splits[split], sizes)
        if method in own:
            return run_own, (*asked, own[method])
        return run_cell, (*asked, {**limits, "phi": _phi_of(method, parameters)})

    return run_cells(subjects, methods, len(splits), job, store, hands, progress, never_kept=own)


def _phi_of(method: str, parameters: Mapping[str, Any]) -> float | None:
    kind, _, score = method.removesuffix(DIVERSE).partition("-")
    return parameters["phi"][score] if kind == "phi" else None
