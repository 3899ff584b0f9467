"""Methods compared on a continuous phenotype, or on more than two groups, in repeated folds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import sklearn
from numpy.typing import ArrayLike

from dugraph._version import __version__
from dugraph.data import UncertainGraphs, check_cohort
from dugraph.data.arguments import check_positive_int, whole_number
from dugraph.data.class_labels import label_column
from dugraph.data.label_order import check_label_order
from dugraph.data.participant_columns import named_columns
from dugraph.data.wording import counted, is_one_of, shown
from dugraph.evaluation.cell_runs import Job, check_hands, run_cells
from dugraph.evaluation.cell_store import CellStore, fingerprint, graph_arrays
from dugraph.evaluation.checks import check_limits, check_seed, check_sizes
from dugraph.evaluation.given_splits import check_groups, described, given_pairs, splits_digest
from dugraph.evaluation.held_out import held_out
from dugraph.evaluation.inner_folds import most_folds, shuffled_folds
from dugraph.evaluation.phenotype_cell import METHODS, PhenotypeSubjects, run_phenotype_cell
from dugraph.evaluation.progress import Progress
from dugraph.evaluation.result import EvaluationResult
from dugraph.evaluation.splits import Split
from dugraph.evaluation.tables import UNPROVEN
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.sparse.losses import check_numbers


def evaluate_phenotype(
    X: ArrayLike | UncertainGraphs,
    y: ArrayLike,
    *,
    methods: str | Sequence[str] = "all",
    covariates: Any = None,
    groups: Any = None,
    n_subgraphs: Sequence[int] = (100,),
    n_folds: int = 5,
    n_repeats: int = 20,
    cv: Any = None,
    min_expected_frequency: float = 0.2,
    max_edges: int | None = None,
    time_limit: float | None = None,
    edges: ArrayLike | None = None,
    random_state: int = 0,
    n_jobs: int | None = 1,
    client: Any = None,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> EvaluationResult:
    """Compare methods on a continuous phenotype, or on more than two groups, in repeated folds.

    Everything is learned in the training graphs of each fold: subgraphs, penalties, what covariates explain.
    With covariates, methods forecast what these leave of the phenotype, and the metrics refer to that: r is
    then a correlation beyond covariates, and R2 the share of the squared error of covariates alone that is
    saved. Groups are predicted from what covariates leave of the features.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), or UncertainGraphs
        Edge probabilities in [0, 1].
    y : array-like of shape (n_graphs,)
        Numbers are a phenotype; text and booleans name groups.
    methods : str or sequence of str, default "all"
        "exp-hsic": the t subgraphs with the largest expected HSIC, then ridge regression (for groups a linear
        SVM). "sparse": `SparseSubgraphRegressor` (for groups `SparseSubgraphClassifier`) with at most t
        subgraphs, its penalty chosen in folds; "l1-edges": the same with single edges, however rare.
        "all-edges": ridge regression (SVM) on all edges; "select-k-best": on the t edges with the largest F
        statistic. For a phenotype also "cpm", connectome-based predictive modelling: edges that correlate
        with y at p < .01, summed by sign, and a linear fit; and "elastic-net" on all edges.
    covariates : str, list of str, DataFrame or array-like of shape (n_graphs,) or (n_graphs, p), default None
        Values, or names of columns of participants. Features are adjusted for them too.
    groups : str or array-like of shape (n_graphs,), default None
        Groups, such as sites or families, that no fold splits: a column of participants by its name, or the
        group of each graph.
    n_subgraphs : sequence of int, default (100,)
        Numbers of features (t).
    n_folds : int, default 5
    n_repeats : int, default 20
        How often the folds are drawn.
    cv : splitter of scikit-learn, or iterable of (train, test), default None
        Your own splits; `n_folds` and `n_repeats` are then ignored.
    min_expected_frequency : float in [0, 1), default 0.2
        Subgraphs are admitted if their expected frequency exceeds this (min_sup).
    max_edges, time_limit
        As for `SubgraphSelector`, for each search or path. With a time limit a run cannot be repeated to the
        byte.
    edges : array-like of int, shape (n_edges, 2), default None
        Node indices of each column of X, as for `mine_subgraphs`.
    random_state : int, default 0
        Seed of the folds.
    n_jobs, client, cache, progress
        As for `evaluate_methods`.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    InputError
        If the input breaks a rule, or the cache belongs to other data or parameters.

    Warns
    -----
    LimitReachedWarning, FewerSubgraphsWarning
        As for `evaluate_methods`.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=40, random_state=0)
    >>> age = 20 + 10 * graphs.edge_probability[:, 0]
    >>> settings = {"n_subgraphs": [5], "n_folds": 2, "n_repeats": 1}
    >>> result = dg.evaluate_phenotype(graphs, age, methods=["cpm", "all-edges"], **settings)
    >>> list(result.metrics), result.values("r").shape
    (['r', 'r2', 'mae'], (2, 1, 2))
    """
    parameters: dict[str, Any] = {
        "n_subgraphs": list(check_sizes(n_subgraphs)),
        "n_folds": whole_number(n_folds, "n_folds"),
        "min_expected_frequency": min_expected_frequency,
        "max_edges": max_edges,
        "time_limit": time_limit,
        "random_state": check_seed(random_state),
        "versions": {"dugraph": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__},
    }
    check_limits({**parameters, "node_limit": None})
    hands = check_hands(n_jobs, client)
    subjects = _subjects(check_cohort(X, edges), X, y, covariates, groups)
    names = _chosen(methods, subjects.task)
    splits = _splits(subjects, cv, n_folds, n_repeats, random_state)
    parameters |= {"task": subjects.task, "cv": described(cv), "covariates": list(subjects.covariates)}
    parameters["groups"] = groups if isinstance(groups, str) else None
    if cv is not None:
        # Cells depend on them, and no parameter tells what is in them.
        parameters["splits"] = splits_digest(splits)
    kept = [] if subjects.groups is None else [subjects.groups]
    arrays = [*graph_arrays(subjects.graphs), subjects.y, *subjects.covariates.values(), *kept]
    mark = fingerprint(arrays, parameters)
    store = CellStore(cache, mark, parameters, METHODS[subjects.task].__contains__)
    settings = {name: parameters[name] for name in ("min_expected_frequency", "max_edges", "time_limit")}

    def job(method: str, split: int) -> Job:
        return run_phenotype_cell, (method, split, *splits[split], parameters["n_subgraphs"], settings)

    cells = run_cells(subjects, names, len(splits), job, store, hands, progress)
    everything = {
        **parameters,
        "n_repeats": n_repeats,
        "methods": list(names),
        "n_splits": len(splits),
        "fingerprint": mark,
    }
    if subjects.task == "groups":
        everything["n_groups"] = len(np.unique(subjects.y))
    forecasts = held_out(cells, splits, subjects.graphs.graph_ids)
    result = EvaluationResult(cells, names, tuple(parameters["n_subgraphs"]), everything, {}, forecasts)
    for note in result.notes:
        category = LimitReachedWarning if note.startswith(UNPROVEN) else FewerSubgraphsWarning
        warnings.warn(note, category, stacklevel=2)
    return result


def _subjects(graphs: UncertainGraphs, X: Any, y: Any, covariates: Any, groups: Any) -> PhenotypeSubjects:
    check_label_order(y, X)
    labels = label_column(y, graphs.n_graphs)
    columns = {} if covariates is None else named_columns(covariates, "covariates", graphs)
    kept = check_groups(groups, graphs)
    if labels.dtype.kind in "iuf":
        return PhenotypeSubjects(graphs, check_numbers(labels, graphs), "phenotype", columns, kept)
    names, codes = np.unique(labels, return_inverse=True)
    if len(names) < 2 or np.bincount(codes).min() < 2:
        raise InputError(
            f"y must name at least two groups, each of at least 2 graphs: got "
            f"{', '.join(f'{shown(n)} ({c})' for n, c in zip(names, np.bincount(codes), strict=True))}.",
            parameter="y",
        )
    return PhenotypeSubjects(graphs, codes.astype(np.int64), "groups", columns, kept)


def _chosen(methods: str | Sequence[str], task: str) -> tuple[str, ...]:
    known = METHODS[task]
    wanted = list(methods) if isinstance(methods, Iterable) and not isinstance(methods, str) else [methods]
    names = [name for one in wanted for name in (known if is_one_of(one, ("all",)) else [one])]
    unknown = [name for name in names if not is_one_of(name, known)]
    if unknown or not names:
        raise InputError(
            f"A method for {'a phenotype' if task == 'phenotype' else 'groups'} must be one of all, "
            f"{', '.join(known)}; got {unknown[0] if unknown else 'none'!r}.",
            parameter="methods",
        )
    return tuple(dict.fromkeys(names))


def _splits(
    subjects: PhenotypeSubjects, cv: Any, n_folds: int, n_repeats: int, random_state: int
) -> list[Split]:
    classes = subjects.task == "groups"
    if cv is not None:
        return given_pairs(subjects.y, cv, subjects.groups, classes)
    check_positive_int("n_repeats", n_repeats)
    most = most_folds(subjects.y, subjects.groups, classes)
    if isinstance(n_folds, bool) or not isinstance(n_folds, int) or not 2 <= n_folds <= most:
        raise InputError(
            f"n_folds must be a whole number from 2 to {most}, the most that "
            f"{counted(subjects.graphs.n_graphs, 'graph')} "
            f"{'allow' if subjects.groups is None else 'in their groups allow'}, but is {n_folds!r}.",
            parameter="n_folds",
        )
    splits: list[Split] = []
    for repeat in range(n_repeats):
        splits += shuffled_folds(subjects.y, subjects.groups, n_folds, random_state + repeat, classes)
    return splits
