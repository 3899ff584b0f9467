"""The t best connected subgraphs of a cohort: the paper's DUG, exactly."""

from __future__ import annotations

import dataclasses
import inspect
import math
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.cluster.parts import check_parts
from dugraph.data import LabelledGraphs
from dugraph.data.arguments import check_positive_int, check_word
from dugraph.data.columns import column_names, covariate_matrix
from dugraph.data.labels import CLASSES
from dugraph.exceptions import InputError, SearchInterrupted, Setting
from dugraph.probability.containment import containment_columns
from dugraph.probability.measures import check_measure, check_quantile, phenotype_weights
from dugraph.probability.scores import Score, default_phi, score_name, score_table
from dugraph.search.core import COUNTERS, NO_LIMIT, Goal, continuing
from dugraph.search.diversity import search_rounds
from dugraph.search.limits import (
    check_max_correlation,
    check_memory,
    check_min_expected_frequency,
    check_time_limit,
    check_two_classes_needed,
    progress_reporter,
    resolve_n_jobs,
)
from dugraph.search.parts import PartedSearch
from dugraph.search.problem import SearchProblem, canonical_graphs, class_goal, has_closed_form
from dugraph.search.result import MiningResult, Status, result_message, warn_about, warn_of_guessed_class
from dugraph.words import BOUNDS, FREQUENCY, MULTI_CLASS


def mine_subgraphs(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    target: str | None = None,
    edges: ArrayLike | None = None,
    score: Score = "hsic",
    measure: str = "expectation",
    phi: float | None = None,
    quantile: float = 0.5,
    n_subgraphs: int = 100,
    min_expected_frequency: float = 0.2,
    max_edges: int | None = None,
    max_correlation: float | None = None,
    score_cap: float | None = None,
    bound: str = "mass",
    pos_label: object = None,
    multi_class: str | None = None,
    covariates: Any = None,
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> MiningResult:
    """Find the connected subgraphs that rank highest by a measure of their score (exact search).

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1]; 0 means that the edge is absent.
    y : array-like of shape (n_graphs,)
        Two classes. With "hsic" and "expectation" also a continuous phenotype (numbers with more than two
        values) or several groups (text with more than two values). Omitted, like `pos_label`, with
        LabelledGraphs.
    target : {"groups", "phenotype"}, optional
        Whether numbers with more than two values are codes of groups or a continuous phenotype. Required for
        whole numbers with 3 to 20 values; other numbers are a phenotype.
    edges : array-like of shape (n_edges, 2), optional
        Node indices of each edge. Default: taken from the columns of a DataFrame if they name their edges,
        ``A--B``; otherwise all pairs in the order of ``np.tril_indices(n_nodes, -1)``.
    score : str or callable, default "hsic"
        The name of a score, such as "hsic", "g_test" or "confidence" (all: `dugraph.words.SCORES`), or a
        vectorised f(a, b, p, q).
    measure : str, default "expectation"
        "expectation", "median", "quantile", "mode", "phi_probability", or "frequency", which ranks by
        expected frequency without looking at the classes.
    phi : float, optional
        The smallest score that counts as discriminative, for "phi_probability".
    quantile : float, default 0.5
        For "quantile"; strictly between 0 and 1.
    n_subgraphs : int, default 100
        How many subgraphs to find (t).
    min_expected_frequency : float, default 0.2
        Subgraphs are admitted if their expected frequency exceeds this (min_sup).
        The default, 0.2, is the paper's for its largest cohort; `significant_subgraphs` has a lower one.
    max_edges : int, optional
        Restrict the search to subgraphs of at most this many edges; the answer is optimal among these.
    max_correlation : float in [0, 1], optional
        For subgraphs that complement each other: going down the ranking, one is left out if the absolute
        Pearson correlation of its containment probabilities with those of an earlier one exceeds this. Exact:
        the search continues until `n_subgraphs` remain. Two subgraphs that are constant over the graphs have
        correlation 1; a constant one and one that varies have correlation 0. Default, and 1: no subgraph is
        left out.
    score_cap : float, optional
        Larger scores, including infinite ones, become this value. Default: max(1000, largest finite score).
    bound : str, default "mass"
        "frequency" prunes only by expected frequency, "worldwise" adds the paper's bounds, "mass" adds ours.
        The answer is the same to the byte; the work differs.
    pos_label : object, optional
        The positive class. Default: the last in sorted order.
    multi_class : {"ovr"}, optional
        "ovr" compares each of several classes with the rest, by any score and measure. The classes take turns
        to add their best subgraph that is not listed yet, so the values of different classes are not
        comparable. Numbers in y are then classes.
    covariates : str, list of str, DataFrame, or array-like of shape (n_graphs,) or (n_graphs, p), optional
        Variables to adjust for, with "hsic" and "expectation": values, or names of columns of
        ``participants``. Text and booleans become indicators. Subgraphs are then ranked by the residuals of y
        on the covariates.
    n_jobs : int or None, default 1
        Threads; None means 1, -1 all processors, -2 all but one.
    time_limit : float, optional
        Seconds after which the best subgraphs so far are returned, with a valid gap and a warning. With
        `max_correlation`, reading the list may take a tenth more.
    client : distributed.Client, optional
        Dask workers to search with instead of this process, each task with `n_jobs` threads. Workers may join
        and leave during the run; the answer is the same to the byte.
    checkpoint : path-like, optional
        A file for the state of the search, written every 20 seconds and at the end, also after an interrupt.
        A call with the same graphs and parameters resumes from it, even on another machine, with another
        `n_jobs` or with other limits, which apply to each call alone; the answer is that of one search, to
        the byte. A file of another search, or a damaged one, is refused. Once the answer is proven, later
        calls return it at once.
    shard : str, optional
        "3/16": only the third of 16 parts of the search, for job arrays. The answer is the best of that part;
        `merge_shards` merges the checkpoints of all shards.
    progress : bool or callable, optional
        True shows a live line; a callable receives a dict of numbers about ten times a second.

    Returns
    -------
    MiningResult
        Subgraphs, values, and what is proven about them.

    Raises
    ------
    SearchInterrupted
        On Ctrl-C: a KeyboardInterrupt whose attribute `result` has the best subgraphs so far.

    Warns
    -----
    LimitReachedWarning
        A limit was reached: the answer is valid, but not proven.
    FewerSubgraphsWarning
        Fewer subgraphs are admitted than requested, or left by `max_correlation`.
    AssumedClassWarning
        The score is "confidence", classes are not 1 and 0 or -1, and `pos_label` is not given.

    Examples
    --------
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> result = mine_subgraphs(X, [1, 1, 0, 0], n_subgraphs=2, min_expected_frequency=0.3)
    >>> result.subgraphs, result.status.name
    ([(0, 1), (1,)], 'OPTIMAL')
    >>> settings = {"n_subgraphs": 2, "min_expected_frequency": 0.3, "max_correlation": 0.55}
    >>> mine_subgraphs(X, [1, 1, 0, 0], **settings).subgraphs
    [(0, 1), (0,)]

    A phenotype, and the same adjusted for a covariate:

    >>> age, motion = [61, 58, 44, 40], [0.3, 0.1, 0.2, 0.1]
    >>> mine_subgraphs(X, age, n_subgraphs=1).subgraphs
    [(0, 1)]
    >>> mine_subgraphs(X, age, covariates=motion, n_subgraphs=1).values.round(2)
    array([14.12])
    """
    return _mine(**locals())


def mine_within(node_limit: int, *given: Any, **settings: Any) -> MiningResult:
    """`mine_subgraphs` that stops soon after `node_limit` admitted subgraphs, for counts and tests."""
    call = inspect.signature(mine_subgraphs).bind(*given, **settings)
    call.apply_defaults()
    return _mine(**call.arguments, node_limit=node_limit)


def check_multi_class(multi_class: object) -> bool:
    """Whether each class is compared with the rest."""
    return multi_class is not None and bool(check_word("multi_class", multi_class, MULTI_CLASS))


def _mine(
    X: Any,
    y: Any,
    pos_label: object,
    edges: Any,
    target: str | None,
    multi_class: str | None,
    node_limit: int | None = None,
    **settings: Any,
) -> MiningResult:
    one_by_one = check_multi_class(multi_class)
    if one_by_one:
        labelled = LabelledGraphs.of_any(X, y, pos_label, edges, numbers="groups")
    else:
        labelled = LabelledGraphs.of_any(X, y, pos_label, edges, target)
    if one_by_one and labelled.kind != CLASSES:
        result = _one_vs_rest(labelled, node_limit, **settings)
    else:
        result = _find_subgraphs(labelled, node_limit, **settings)
    if result.status is Status.INTERRUPTED:
        raise SearchInterrupted(result)
    if settings["shard"] is None or not result.success:
        warn_about(result, labelled.graphs)
    return result


def _find_subgraphs(labelled: LabelledGraphs, node_limit: int | None, **asked: Any) -> MiningResult:
    """Validate the arguments of `mine_subgraphs`, run one search and build the result."""
    cohort, covariates = labelled.graphs, asked["covariates"]
    score, measure, score_cap = asked["score"], asked["measure"], asked["score_cap"]
    check_measure(measure, more=(FREQUENCY,))
    adjust_for = covariate_matrix(covariates, cohort)
    any_labels = check_two_classes_needed(labelled, covariates is not None, score, measure, score_cap)
    by_score = not any_labels and measure != FREQUENCY
    bound = check_word("bound", asked["bound"], BOUNDS)
    min_expected_frequency = check_min_expected_frequency(asked["min_expected_frequency"])
    n_subgraphs = check_positive_int("n_subgraphs", asked["n_subgraphs"])
    max_edges = asked["max_edges"]
    most_edges = cohort.n_edges if max_edges is None else check_positive_int("max_edges", max_edges)
    most_nodes = NO_LIMIT if node_limit is None else check_positive_int("node_limit", node_limit)
    limit = check_max_correlation(asked["max_correlation"])
    seconds = check_time_limit(asked["time_limit"])
    n_threads = resolve_n_jobs(asked["n_jobs"])
    part = check_parts(asked["shard"], asked["checkpoint"], asked["client"])
    if part is not None and limit not in (None, 1):
        raise InputError(
            "max_correlation needs the ranking of the whole search, which a shard does not have.",
            parameter="max_correlation",
            way_out=("Leave out ", Setting("shard"), "."),
        )
    quantile = check_quantile(asked["quantile"])
    chosen_phi = default_phi(score, asked["phi"]) if measure == "phi_probability" else None
    sizes = (labelled.n_pos, labelled.n_neg) if by_score else (0, 0)
    closed_form = by_score and measure == "expectation" and has_closed_form(score, score_cap, *sizes)
    # Only tables of scores grow with the product of the classes.
    check_memory(cohort, min_expected_frequency, 0 if closed_form else sizes[0], n_threads)
    if by_score:
        warn_of_guessed_class([score], labelled, stacklevel=5)
    parameters: dict[str, Any] = {
        "score": score_name(score),
        "measure": measure,
        "phi": chosen_phi,
        "quantile": quantile if measure == "quantile" else None,
        "n_subgraphs": n_subgraphs,
        "min_expected_frequency": min_expected_frequency,
        "max_edges": max_edges,
        "max_correlation": limit,
        "score_cap": score_cap,
        "bound": bound,
    }
    if labelled.kind != CLASSES or any_labels:
        parameters["labels"] = labelled.kind
    if any_labels:
        parameters["covariates"] = column_names(covariates, "covariates", cohort)
    # Arguments are valid from here on.
    with progress_reporter(asked["progress"]) as report:
        # Weights order graphs that are equal otherwise: sums over all graphs depend on this order.
        weighed = np.hstack([labelled.contrasts, adjust_for]) if any_labels else None
        if closed_form:
            weighed = labelled.positive[:, None].astype(np.float64)
        ordered = canonical_graphs(cohort, min_expected_frequency, weighed)
        if any_labels:
            weights = phenotype_weights(labelled, adjust_for, ordered.graphs)
            make_goal = partial(Goal.squared_counts, weights.weights, weights.scale)
        else:
            positive = labelled.positive[ordered.graphs] if by_score else np.zeros(0, dtype=np.bool_)
            make_goal = partial(class_goal, positive, score, measure, score_cap, chosen_phi, quantile)

        def inputs() -> dict[str, NDArray[Any]]:
            if any_labels:
                return {"phenotype, groups or covariates": _rounded(weights.weights, weights.scale)}
            arrays = {"labels": ordered.sorted_among_equals(positive) if by_score else positive}
            if by_score and callable(score):  # its name does not identify it
                arrays["score"] = score_table(score, *sizes, score_cap).values
            return arrays

        problem = SearchProblem(ordered, min_expected_frequency, make_goal, most_edges, bound, n_threads)
        if asked["client"] is None:
            problem.compiled()
        search = PartedSearch(
            problem, parameters, inputs, client=asked["client"], checkpoint=asked["checkpoint"], shard=part
        )
        report = continuing(report, search.counters_before, search.seconds_before)
        if limit in (None, 1):  # no correlation is above 1
            answer = search(n_subgraphs, seconds, most_nodes, report)
        else:
            answer = search_rounds(search, ordered, n_subgraphs, limit, seconds, most_nodes, report)
    counters = search.counters_before + answer.counters
    result = MiningResult(
        subgraphs=answer.listing.subgraphs(ordered.original),
        values=answer.listing.values,
        status=answer.status,
        message=result_message(answer, parameters),
        threshold=answer.threshold,
        best_open_bound=answer.best_open_bound,
        **{name: getattr(counters, name) for name in COUNTERS},
        seconds=search.seconds_before + answer.seconds,
        setup_seconds=answer.setup_seconds,
        parameters=parameters,
        naming=cohort.naming,
        positive_class=labelled.positive_class if labelled.kind == CLASSES else None,
    )
    if part is not None and result.success:
        message = f"Shard {part} is done; the best subgraphs come from merging all shards."
        result = dataclasses.replace(result, message=message)
    if any_labels and len(weights.weights) == 1:
        by_graph = np.empty(cohort.n_graphs)
        by_graph[ordered.graphs] = weights.weights[0]
        containment = containment_columns(cohort.raw_probability, result.subgraphs, np.float64)
        return dataclasses.replace(result, effects=by_graph @ containment / (by_graph @ by_graph))
    return result


def _rounded(weights: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Weights and their scale without the last digits, which differ between machines."""
    largest = float(np.abs(weights).max(initial=1e-300))
    sizes = [float(f"{value:.8e}") for value in (largest, scale)]
    return np.array([*(np.round(weights / largest, 9) + 0.0).ravel(), *sizes])


def _one_vs_rest(cohort: LabelledGraphs, node_limit: int | None, **settings: Any) -> MiningResult:
    """Search for each class against the rest; each in turn adds its best subgraph that is not listed yet.

    Limits hold for all searches together. Counters and times are sums.
    """
    for name in ("checkpoint", "shard"):
        if settings[name] is not None:
            raise InputError(
                f"{name} applies to one search, but each class is compared with the rest in its own search.",
                parameter=name,
                way_out="Leave it out, or give two classes.",
            )
    wanted, time_limit = settings["n_subgraphs"], settings["time_limit"]
    found: list[MiningResult] = []
    for k, group in enumerate(cohort.classes):
        left = len(cohort.classes) - k  # time that a search leaves goes to the later ones
        seconds, nodes = (sum(getattr(one, name) for one in found) for name in ("seconds", "n_visited"))
        limits = {
            "time_limit": None if time_limit is None else max((time_limit - seconds) / left, 1e-3),
            "node_limit": None if node_limit is None else max((node_limit - nodes) // left, 1),
        }
        found.append(_find_subgraphs(cohort.one_against_rest(group), **{**settings, **limits}))
        if found[-1].status is Status.INTERRUPTED:
            break
    chosen = _in_turn([one.subgraphs for one in found], wanted)
    first, places = found[0], list(chosen.values())
    stopped = [one for one in found if not one.success]
    groups = cohort.group_names
    values = np.array([found[k].values[r] for k, r in places])
    proven = (
        f"Proven for each of {len(groups)} classes against the rest: taking in turn the best subgraph of "
        f"each class that is not yet listed gives the {len(places)} listed."
    )
    sums = (*COUNTERS, "seconds", "setup_seconds")
    return dataclasses.replace(
        first,
        subgraphs=list(chosen),
        values=values,
        status=stopped[0].status if stopped else Status.OPTIMAL,
        message=stopped[0].message if stopped else proven,
        threshold=float(values.min()) if len(places) == wanted else -math.inf,
        # Classes left out by an interrupt have no bound.
        best_open_bound=max(one.best_open_bound for one in found) if len(found) == len(groups) else math.inf,
        positive_class=None,
        parameters={**first.parameters, "labels": cohort.kind, "multi_class": MULTI_CLASS[0]},
        contrasts=[f"{groups[k]} against the rest" for k, _ in places],
        **{name: sum(getattr(one, name) for one in found) for name in sums},
    )


def _in_turn(lists: list[list[tuple[int, ...]]], wanted: int) -> dict[tuple[int, ...], tuple[int, int]]:
    """The chosen subgraphs in order, each with the index of its list and its rank there."""
    chosen: dict[tuple[int, ...], tuple[int, int]] = {}
    left = [iter([(g, (k, r)) for r, g in enumerate(one)]) for k, one in enumerate(lists)]
    grown = True
    while grown:
        grown = False
        for one in left:
            new = next((entry for entry in one if entry[0] not in chosen), None)
            if new is not None and len(chosen) < wanted:
                chosen[new[0]] = new[1]
                grown = True
    return chosen
