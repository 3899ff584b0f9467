"""`evaluate`: methods compared on two classes, several groups or a continuous phenotype."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import ArrayLike, NDArray

from dugraph._version import __version__
from dugraph.cluster.dask import check_client
from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import (
    abbreviate,
    as_list,
    check_positive_int,
    check_word,
    is_whole,
    resolve_seed,
    whole_number,
)
from dugraph.data.columns import named_columns
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE, check_label_order, label_column
from dugraph.evaluation.cells import CellJob, Progress, Subjects, digest, run_cells
from dugraph.evaluation.methods import Methods, choose_methods, own_scores, score_of
from dugraph.evaluation.result import UNPROVEN, EvaluationResult, average_forecasts, check_scoring
from dugraph.evaluation.splits import (
    SEEDS,
    RandomSplits,
    RepeatedFolds,
    Split,
    check_groups,
    given_splits,
    is_splitter,
)
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning, Setting
from dugraph.probability.scores import default_phi
from dugraph.search.limits import check_min_expected_frequency, check_time_limit, resolve_n_jobs
from dugraph.search.result import warn_of_guessed_class
from dugraph.sparse.losses import check_numbers
from dugraph.words import DEFAULT_PHI, TASKS

PAPER_SIZES = (100, 200, 300, 400, 500)
"""Numbers of subgraphs in the paper's tables."""
PAPER_METRICS = ("error", "f1")
"""Metrics in the paper's tables."""


class PaperSettings(NamedTuple):
    """min_sup of a dataset of the paper, and the number of graphs drawn of each class, if any."""

    min_expected_frequency: float
    graphs_per_class: int | None = None


LIKE_PAPER = {"adhd": PaperSettings(0.2, 100), "adni": PaperSettings(0.4), "hiv": PaperSettings(0.4)}
"""The paper's protocol for each of its datasets."""


def evaluate(
    X: ArrayLike | UncertainGraphs | LabelledGraphs,
    y: ArrayLike | None = None,
    methods: Methods = "all",
    *,
    task: str | None = None,
    cv: Any = None,
    groups: Any = None,
    covariates: Any = None,
    n_subgraphs: int | Sequence[int] | None = None,
    scoring: str | Sequence[str] | None = None,
    like_paper: str | None = None,
    min_expected_frequency: float | None = None,
    phi: float | Mapping[str, float] | None = None,
    max_edges: int | None = None,
    time_limit: float | None = None,
    regions: int | None = None,
    edges: ArrayLike | None = None,
    series: Sequence[ArrayLike] | None = None,
    signed: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
    n_jobs: int | None = 1,
    client: Any = None,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> EvaluationResult:
    """Compare methods on two classes, on several groups or on a continuous phenotype.

    In each split everything is learned from the training graphs: subgraphs, penalties, and what covariates
    explain. Subgraphs are searched once for the largest number t. Classes are separated by ridge
    classification of containment probabilities, phenotypes forecast by ridge regression, both with a penalty
    chosen in folds of the training graphs. With `like_paper` the classifier is the paper's: a support vector
    machine with linear kernel and C = 1, which overfits many features.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1].
    y : array-like of shape (n_graphs,)
        Two values are classes, more values are groups if they are text and a phenotype if they are numbers.
        Omitted, as is `pos_label`, with LabelledGraphs, which have their own.
    methods : str, mapping of str to estimator, or sequence of these, default "all"
        For two classes: names of `METHODS`, also with "+div" appended, as for `make_method`; "all-edges";
        "select-k-best", the t edges with the largest F statistic; "all-edges-logistic", logistic regression
        with an L2 penalty; "elastic-net", half L1, half L2, on all edges; "cpm", connectome-based predictive
        modelling: edges that correlate with y at p < .01, summed by sign, and a linear fit; "sparse", the
        elastic net of `SparseSubgraphClassifier` with the smallest penalty that keeps at most t subgraphs,
        refitted by ridge; "l1-edges", at most t edges chosen by L1, refitted by ridge, with both penalties
        chosen in folds. Where `signed` is given or the graphs have signed layers, "signed-edges" and
        "signed-edges-logistic"; where `series` are given, "nilearn-correlation" and "nilearn-tangent".
        "comparisons": "all-edges" and "select-k-best"; "baselines": these, "all-edges-logistic", "l1-edges",
        "elastic-net" and "cpm"; "paper": the 22 of the paper; "all": the paper's and the comparisons.
        For groups and phenotypes: "exp-hsic", the t subgraphs with the largest expected HSIC; "sparse", at
        most t subgraphs chosen as by "l1-edges"; "l1-edges", "all-edges", "select-k-best" and "signed-edges";
        for groups "all-edges-logistic" and "signed-edges-logistic"; for a phenotype "cpm" and "elastic-net".
        "all": all of these.
        A mapping names estimators of your own, such as ``{"mine": make_method(score=my_score)}`` or any
        Pipeline. They keep their own parameters, except that a `SubgraphSelector` as the first of several
        steps finds t subgraphs. Two classes are passed to them as 1 for the positive class and 0. They are
        not cached, since changes of them cannot be detected.
    task : {"classes", "groups", "phenotype"}, default None
        How y is read; None: by its values, and as groups if `covariates` are given with two classes.
    cv : int, splitter of scikit-learn, or iterable of (train, test), default None
        None: for two classes `RandomSplits`, the paper's 20 random splits 80/20; otherwise `RepeatedFolds`,
        5 folds drawn 20 times.
    groups : str or array-like of shape (n_graphs,), default None
        Groups, such as sites or families, that are never divided between training and testing: a column of
        participants by its name, or the group of each graph. Splitters receive them.
    covariates : str, list of str, DataFrame or array-like of shape (n_graphs,) or (n_graphs, p), default None
        Values, or names of columns of participants. Groups are predicted from features adjusted for them.
        For a phenotype the metrics refer to what covariates do not predict: r is a correlation beyond
        covariates, and R2 the share of the squared error of covariates alone that is saved.
    n_subgraphs : int or sequence of int, default None
        Numbers of features (t); None: 100, with `like_paper` 100, 200, ..., 500.
    scoring : str or sequence of str, default None
        Metrics that rank methods and that tables show: for classes of "error", "f1", "balanced_accuracy" and
        "auc"; for groups of "error", "macro_f1" and "balanced_accuracy"; for a phenotype of "r", "r2" and
        "mae". None: error, F1 and AUC, with `like_paper` error and F1; macro F1 and balanced accuracy; all
        three. All metrics are measured in any case.
    like_paper : {"adhd", "adni", "hiv"}, default None
        The paper's protocol for one of its datasets: 20 random splits 80/20, t = 100 ... 500, min_sup of 20,
        40, 40 %, a linear support vector machine with C = 1; for "adhd" 100 graphs of each class are drawn.
        Other arguments take precedence.
    min_expected_frequency : float in [0, 1), default None
        Subgraphs are admitted if their expected frequency exceeds this (min_sup); None: that of `like_paper`,
        without it 0.2.
    phi : float or mapping of str to float, default None
        For the "phi" methods, one for all or by score; None: the paper's for each score.
    max_edges, time_limit
        As for `SubgraphSelector`, for each search or path. With a time limit a run cannot be repeated to the
        byte.
    regions : int, default None
        Keep only the first nodes: 90 keeps the cerebral regions of AAL-116.
    edges : array-like of int, shape (n_edges, 2), default None
        Node indices of each column of X, as for `mine_subgraphs`.
    series : sequence of array-like of shape (n_times, n_nodes), default None
        Time series of each graph, for the comparisons with nilearn.
    signed : array-like of shape (n_graphs, n_edges) or (n_graphs, n_nodes, n_nodes), default None
        Full signed correlations of the same graphs, from -1 to 1, before negative or small ones became 0;
        columns as those of X, or all pairs in the order of ``np.tril_indices(n_nodes, -1)``. None: those of
        graphs with signed layers, the probability of the positive edge minus that of the negative one.
    pos_label : object, default None
        The positive class, used for F1; None: the last in sorted order.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the splits and of drawing graphs.
    n_jobs : int or None, default 1
        Processes; None means 1, -1 all processors, -2 all but one.
    client : distributed.Client, default None
        Dask workers to compute cells with, instead of processes on this machine; `n_jobs` is then ignored.
        Workers may join, leave and be lost; the values are the same to the byte.
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
        If the input breaks a rule, or no method has features in any split.

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
    >>> result = dg.evaluate(graphs, y, methods, n_subgraphs=[5], cv=dg.RandomSplits(2))
    >>> result.methods, result.values("error").shape
    (('exp-hsic', 'all-edges'), (2, 1, 2))

    A continuous phenotype:

    >>> age = 20 + 10 * graphs.edge_probability[:, 0]
    >>> result = dg.evaluate(graphs, age, ["cpm", "all-edges"], cv=dg.RepeatedFolds(2, n_repeats=1))
    >>> list(result.metrics), result.values("r").shape
    (['r', 'r2', 'mae'], (2, 1, 2))
    """
    paper = None
    if like_paper is not None:
        paper = LIKE_PAPER[check_word("like_paper", like_paper, tuple(LIKE_PAPER))]
    if n_subgraphs is None:
        n_subgraphs = PAPER_SIZES if paper else PAPER_SIZES[:1]
    if min_expected_frequency is None:
        min_expected_frequency = paper.min_expected_frequency if paper else 0.2
    seed = resolve_seed(random_state, SEEDS)
    sizes = _check_sizes(n_subgraphs)
    limits = {
        "min_expected_frequency": check_min_expected_frequency(min_expected_frequency),
        "max_edges": max_edges,
        "time_limit": time_limit,
    }
    check_time_limit(time_limit)
    if max_edges is not None:
        check_positive_int("max_edges", max_edges)
    phis = _check_phi(phi)
    if not (is_whole(n_jobs) and n_jobs < 0):  # negative as for joblib
        resolve_n_jobs(n_jobs)
    if client is not None:
        check_client(client)
    graphs, labels, task, cohort = _read_labels(X, y, task, pos_label, edges, covariates)
    for name, value in {"phi": phi, "like_paper": like_paper, "series": series}.items():
        if cohort is None and value is not None:
            raise InputError(f"{name} applies to two classes only. Leave it out.", parameter=name)
    columns = {} if covariates is None else named_columns(covariates, "covariates", graphs)
    numbered = check_groups(groups, graphs)
    if columns:
        graphs = copy(graphs)
        graphs.participants = {**(graphs.participants or {}), **columns}
    arrays = None if series is None else _check_series(series, graphs.n_graphs)
    matrices = _signed_graphs(signed, graphs)
    subjects = Subjects(graphs, labels, task, tuple(columns), numbered, arrays, matrices)
    if regions is not None:
        subjects = _keep_regions(subjects, regions)
    if paper and paper.graphs_per_class:
        if cv is not None and not is_splitter(cv):
            raise InputError(
                'cv must be a splitter or a number of folds with like_paper="adhd", which draws graphs: '
                "positions would refer to other graphs. Draw the graphs first, or give a splitter.",
                parameter="cv",
            )
        subjects = draw_balanced(subjects, paper.graphs_per_class, seed)
    names, skipped, own = choose_methods(
        methods, task, subjects.series is not None, subjects.signed is not None
    )
    parameters: dict[str, Any] = {**limits, "n_subgraphs": list(sizes), "random_state": seed}
    parameters["versions"] = {
        "dugraph": __version__,
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    if cohort is not None:
        parameters["phi"] = phis
    else:
        parameters |= {"task": task, "covariates": list(subjects.covariates)}
    if like_paper is not None:
        parameters["like_paper"] = like_paper
    if scoring is not None or paper:
        parameters["scoring"] = check_scoring(PAPER_METRICS if scoring is None else scoring, task)
    splits, described = _splits(subjects, cv, seed, None if cohort is None else cohort.names)
    parameters |= described
    if groups is not None or "cv" in described or cohort is None:
        parameters["groups"] = groups if isinstance(groups, str) else None
    # Arguments are valid from here on.
    if cohort is not None:
        scores = [score_of(name)[1] for name in names if name not in own]
        warn_of_guessed_class([*scores, *own_scores(own)], cohort)
    jobs = []
    for method in names:
        made = own[method] if method in own else dict(limits)
        if cohort is not None and method not in own:
            kind, score = score_of(method)
            phi_of_score = phis[score] if kind == "phi" else None
            # The preset has the paper's classifier.
            made |= {"pos_label": 1, "phi": phi_of_score, "C": 1.0 if paper else None}
        jobs += [CellJob(method, i, *split, sizes, made) for i, split in enumerate(splits)]
    data = subjects.digest()
    shared = [data, parameters["versions"]]
    cells = run_cells(
        subjects, jobs, cache=cache, run=shared, n_jobs=n_jobs, client=client, progress=progress
    )
    if all(cell.failure for cell in cells):
        raise InputError(
            f"At least one method must have features in a split, but none of {', '.join(names)} has. "
            f"{cells[0].failure}"
        )
    parameters |= {"fingerprint": digest([data, parameters]), "methods": list(names), "n_splits": len(splits)}
    if cohort is not None:
        parameters["positive_class"] = cohort.names[0]
    elif task == GROUPS:
        parameters["n_groups"] = len(np.unique(subjects.y))
    forecasts = average_forecasts(cells, [test for _, test in splits], subjects.graphs.graph_ids)
    result = EvaluationResult(cells, names, sizes, parameters, skipped, forecasts)
    for note in result.notes:
        category = LimitReachedWarning if note.startswith(UNPROVEN) else FewerSubgraphsWarning
        warnings.warn(note, category, stacklevel=2)
    return result


def _check_sizes(n_subgraphs: Any) -> tuple[int, ...]:
    """Return the numbers of features, if they are different whole numbers."""
    given = [n_subgraphs] if is_whole(n_subgraphs) else n_subgraphs
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise InputError(
            f"n_subgraphs must be a whole number or a list of them, such as [100, 200]; got {n_subgraphs!r}.",
            parameter="n_subgraphs",
        )
    sizes = tuple(check_positive_int("n_subgraphs", t, "Each of ") for t in given)
    if not sizes or len(set(sizes)) < len(sizes):
        raise InputError(
            f"n_subgraphs must be different positive numbers, at least one; got {sizes}.",
            parameter="n_subgraphs",
        )
    return sizes


def _check_phi(phi: float | Mapping[str, float] | None) -> dict[str, float]:
    """Return the phi of each score: its default, unless another is given."""
    if phi is not None and not isinstance(phi, Mapping):
        return {score: default_phi(score, phi) for score in DEFAULT_PHI}
    given = dict(phi or {})
    unknown = [score for score in given if score not in DEFAULT_PHI]
    if unknown:
        raise InputError(
            f"phi must be given for {', '.join(DEFAULT_PHI)}; got {unknown[0]!r}.", parameter="phi"
        )
    return {**DEFAULT_PHI, **{score: default_phi(score, value) for score, value in given.items()}}


def _read_labels(
    X: Any, y: Any, task: str | None, pos_label: object, edges: Any, covariates: Any
) -> tuple[UncertainGraphs, NDArray[Any], str, LabelledGraphs | None]:
    """Return graphs, labels and task; for two classes also both together."""
    if task is not None:
        check_word("task", task, tuple(TASKS))
    if task == CLASSES or task is None:
        if task == CLASSES:
            cohort = LabelledGraphs.of(X, y, pos_label, edges)
        else:
            cohort = LabelledGraphs.of_any(X, y, pos_label, edges, word="task")
        if cohort.kind == CLASSES and covariates is None:
            return cohort.graphs, cohort.target, CLASSES, cohort
        if task == CLASSES:
            raise InputError(
                'covariates apply to groups and phenotypes. Use task="groups" to compare two classes with '
                "them.",
                parameter="covariates",
            )
        graphs, labels = cohort.graphs, cohort.y
        task = GROUPS if cohort.kind == CLASSES else cohort.kind
    elif isinstance(X, LabelledGraphs):
        graphs, labels = LabelledGraphs.of_any(X, y, pos_label, edges, numbers="phenotype").graphs, X.y
    else:
        graphs = check_cohort(X, edges)
        check_label_order(y, X)
        labels = label_column(y, graphs.n_graphs)
    if task == PHENOTYPE:
        return graphs, check_numbers(labels, graphs, 'task="groups"'), task, None
    names, counts = np.unique(labels.astype(str), return_counts=True)
    if len(names) < 2 or counts.min() < 2:
        raise InputError(
            f"y must name at least two groups, each of at least 2 graphs: got "
            f"{', '.join(f'{abbreviate(n)} ({c})' for n, c in zip(names, counts, strict=True))}.",
            parameter="y",
        )
    return graphs, labels.astype(str), task, None


def _signed_graphs(signed: Any, graphs: UncertainGraphs) -> UncertainGraphs | None:
    """Graphs whose edges are (1 + r) / 2: a linear model of them is one of r."""
    r: NDArray[np.float64]
    if signed is None:
        if graphs.edge_layers is None or set(graphs.edge_layers) != {"positive", "negative"}:
            return None
        sign = np.where(np.array(graphs.edge_layers) == "positive", 1.0, -1.0)
        pairs, column = np.unique(graphs.edges, axis=0, return_inverse=True)
        r = np.zeros((graphs.n_graphs, len(pairs)))
        for layer in (1.0, -1.0):
            r[:, column[sign == layer]] += layer * graphs.edge_probability[:, sign == layer]
    else:
        try:
            r = np.asarray(signed, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"signed must be numbers: {error}.", parameter="signed") from error
        lower = np.tril_indices(graphs.n_nodes, -1)
        if r.ndim == 3 and r.shape[1:] == (graphs.n_nodes, graphs.n_nodes):
            r = r[:, lower[0], lower[1]]
        pairs = graphs.edges if r.ndim == 2 and r.shape[1] == graphs.n_edges else np.column_stack(lower)
        if r.shape != (graphs.n_graphs, len(pairs)) or not (np.abs(r) <= 1.0).all():
            raise InputError(
                f"signed must be correlations from -1 to 1 of {graphs.n_graphs} graphs, for {graphs.n_edges} "
                f"edges or for all {len(lower[0])} pairs of nodes; got the shape {np.shape(signed)} with "
                f"values from {r.min(initial=np.inf):.3g} to {r.max(initial=-np.inf):.3g}.",
                parameter="signed",
                way_out="Pass the correlations before small and negative ones became 0; a missing one is 0.",
            )
    layers = graphs.edge_layers if pairs is graphs.edges else None
    return UncertainGraphs(
        (1.0 + r) / 2.0,
        pairs,
        graphs.node_labels,
        graph_ids=graphs.graph_ids,
        edge_layers=layers,
        participants=graphs.participants,
    )


def _check_series(series: Sequence[ArrayLike], n_graphs: int) -> list[NDArray[np.float64]]:
    try:
        arrays = [np.asarray(one, dtype=np.float64) for one in as_list(series, "series", "arrays")]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"series must be arrays of numbers, one for each graph, but one is not: {error}.",
            parameter="series",
        ) from error
    if len(arrays) != n_graphs:
        raise InputError(f"There must be a time series for each of {n_graphs} graphs; got {len(arrays)}.")
    return arrays


def _keep_regions(subjects: Subjects, regions: int) -> Subjects:
    """Keep the first nodes and the edges among them; time series keep the columns of these nodes."""
    n_nodes, series, signed = subjects.graphs.n_nodes, subjects.series, subjects.signed
    if not 2 <= whole_number(regions, "regions") <= n_nodes:
        raise InputError(
            f"regions must be from 2 to the number of nodes, {n_nodes}; got {regions}.", parameter="regions"
        )
    return replace(
        subjects,
        graphs=_first_nodes(subjects.graphs, regions),
        series=None if series is None else [s[:, :regions] for s in series],
        signed=None if signed is None else _first_nodes(signed, regions),
    )


def _first_nodes(graphs: UncertainGraphs, n_nodes: int) -> UncertainGraphs:
    kept = np.flatnonzero((graphs.edges < n_nodes).all(axis=1))
    layers, coordinates, networks = graphs.edge_layers, graphs.node_coordinates, graphs.node_networks
    return UncertainGraphs(
        graphs.edge_probability[:, kept],
        graphs.edges[kept],
        graphs.node_labels[:n_nodes],
        None if coordinates is None else coordinates[:n_nodes],
        graphs.graph_ids,
        None if layers is None else [layers[i] for i in kept],
        graphs.participants,
        node_networks=None if networks is None else networks[:n_nodes],
    )


def draw_balanced(subjects: Subjects, per_class: int, seed: int) -> Subjects:
    """Draw equally many graphs of both classes at random, without replacement, in their old order."""
    classes = [np.flatnonzero(subjects.y == label) for label in (1, 0)]
    sizes = [len(members) for members in classes]
    if min(sizes) < per_class:
        raise InputError(
            f"{per_class} graphs of each class are needed to draw from, but there are {sizes[0]} positive "
            f"and {sizes[1]} negative ones.",
            way_out=("Give ", Setting("min_expected_frequency"), " instead of ", Setting("like_paper"), "."),
        )
    if sizes == [per_class, per_class]:
        return subjects
    rng = np.random.default_rng(seed)
    rows = np.sort(np.concatenate([rng.choice(members, per_class, replace=False) for members in classes]))
    return subjects.take(rows)


def _splits(
    subjects: Subjects, cv: Any, seed: int, names: tuple[str, str] | None
) -> tuple[list[Split], dict[str, Any]]:
    """Return the splits and their description for the record; `names` are those of two classes."""
    y, groups, classes = subjects.y, subjects.groups, subjects.task == CLASSES
    if cv is None:
        cv = RandomSplits(random_state=seed) if classes else RepeatedFolds(random_state=seed)
    record: dict[str, Any] = {}
    if isinstance(cv, RandomSplits):
        splits = cv.split(None, y, groups, names and names[::-1])
        record = {"test_size": cv.test_size, "stratify": cv.stratify}
    elif isinstance(cv, RepeatedFolds):
        # Booleans name classes, which are spread evenly over the folds.
        splits = given_splits(y.astype(bool) if classes else y, cv, groups, classes)
        record = {"n_folds": cv.n_folds, "n_repeats": cv.n_repeats}
    else:
        splits = given_splits(y, cv, groups, classes)
        record = {"cv": str(cv) if is_splitter(cv) else "given splits"}
    if "cv" not in record and is_whole(cv.random_state):
        record["random_state"] = cv.random_state
    if "cv" in record or (classes and groups is not None):
        record["splits"] = digest([], itertools.chain.from_iterable(splits))
    return splits, record
