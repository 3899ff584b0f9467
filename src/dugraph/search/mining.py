"""The t best connected subgraphs of a cohort: the paper's DUG, exactly."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.cluster.checkpoint import check_place
from dugraph.cluster.dask_pool import check_client
from dugraph.cluster.shards import check_shard, check_shard_place
from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.exceptions import InputError, Setting
from dugraph.probability.measures import check_measure, check_quantile
from dugraph.probability.scores import Score, default_phi, score_table
from dugraph.search.answer import Answer
from dugraph.search.canonical import canonical_graphs
from dugraph.search.core import COUNTERS, NO_LIMIT, continuing
from dugraph.search.goals import class_goal
from dugraph.search.limits import (
    check_max_correlation,
    check_memory,
    check_min_expected_frequency,
    check_positive_int,
    check_time_limit,
    resolve_n_jobs,
)
from dugraph.search.messages import result_message, warn_about, warn_of_guessed_class
from dugraph.search.parted import parted_search
from dugraph.search.progress import progress_reporter
from dugraph.search.result import MiningResult
from dugraph.search.rounds import search_rounds
from dugraph.search.slices import SearchProblem
from dugraph.words import BOUNDS, FREQUENCY


def mine_subgraphs(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
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
    n_jobs: int | None = 1,
    time_limit: float | None = None,
    node_limit: int | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    shard: str | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
) -> MiningResult:
    """Find the connected subgraphs with the largest measure of their score, exactly.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1]; 0 means that the edge is absent.
    y : array-like of shape (n_graphs,)
        Two classes; left out, as `pos_label` is, with LabelledGraphs, which have theirs.
    edges : array-like of shape (n_edges, 2), optional
        Node indices of each edge. Default: as the columns of a DataFrame say if they name their edges,
        ``A--B``; else all pairs in the order of ``np.tril_indices(n_nodes, -1)``.
    score : str or callable, default "hsic"
        "confidence", "frequency_ratio", "g_test", "hsic", "information_gain", or a vectorised f(a, b, p, q).
    measure : str, default "expectation"
        "expectation", "median", "quantile", "mode", "phi_probability", or "frequency", which ranks by
        expected frequency without looking at the classes.
    phi : float, optional
        Score from which on a subgraph counts as discriminative, for "phi_probability".
    quantile : float, default 0.5
        For "quantile"; strictly between 0 and 1.
    n_subgraphs : int, default 100
        How many subgraphs to find (t).
    min_expected_frequency : float, default 0.2
        Subgraphs are admitted if their expected frequency exceeds this (min_sup).
    max_edges : int, optional
        Restrict the search to subgraphs of at most so many edges; the answer is optimal among these.
    max_correlation : float in [0, 1], optional
        Subgraphs that complement each other: going down the ranking, one is left out if the absolute Pearson
        correlation of its containment probabilities with those of one kept before exceeds this. Exact: the
        search goes as far down as it takes to keep `n_subgraphs`. Two subgraphs that are constant over the
        graphs repeat each other (correlation 1); a constant one and one that varies do not (correlation 0).
        Default, and 1: no subgraph is left out.
    score_cap : float, optional
        Scores above it, infinite ones too, become this value. Default: max(1000, largest finite score).
    bound : str, default "mass"
        "frequency" prunes by expected frequency only, "worldwise" adds the paper's bounds, "mass" adds ours.
        The answer is the same to the byte; the work differs.
    pos_label : object, optional
        The positive class. Default: the greater one in sorted order.
    n_jobs : int or None, default 1
        Threads; None means 1, -1 all processors.
    time_limit : float, optional
        Seconds after which the best subgraphs so far are returned, with a valid gap and a warning; going
        through them for `max_correlation` may take a tenth more.
    node_limit : int, optional
        The same for the number of admitted subgraphs met; the search stops soon after it. Both hold for all
        rounds of `max_correlation` together.
    client : distributed.Client, optional
        Dask workers to search with instead of this process, each task with `n_jobs` threads. They may come,
        go and be lost meanwhile; the answer is the same to the byte.
    checkpoint : path-like, optional
        A file that keeps how far the search has come: written every 20 seconds and when it ends, whatever
        ends it. A call with the same graphs and parameters goes on from it, also on another machine and with
        other limits, which hold for each call alone, or another `n_jobs`; the answer is that of one search,
        to the byte. A file of another search, or a damaged one, is refused. It stays when the answer is
        proven; calls then give it at once.
    shard : str, optional
        "3/16": only the third of 16 parts of the search, for job arrays. The answer is the best of that part;
        `merge_shards` makes one of the checkpoints of all.
    progress : bool or callable, optional
        True shows a live line; a callable receives a dict of numbers about ten times a second.

    Returns
    -------
    MiningResult
        Subgraphs, values, and what is proven about them. Ctrl-C ends the search with the best so far.

    Warns
    -----
    LimitReachedWarning
        A limit was reached: the answer is valid, but not proven.
    FewerSubgraphsWarning
        Fewer subgraphs are admitted than were asked for, or left by `max_correlation`.
    AssumedClassWarning
        The score is "confidence", classes are not 1 and 0 or -1, and `pos_label` is not given.

    Examples
    --------
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> result = mine_subgraphs(X, [1, 1, 0, 0], n_subgraphs=2, min_expected_frequency=0.3)
    >>> result.subgraphs, result.status.name
    ([(0, 1), (1,)], 'OPTIMAL')
    >>> asked = {"n_subgraphs": 2, "min_expected_frequency": 0.3, "max_correlation": 0.55}
    >>> mine_subgraphs(X, [1, 1, 0, 0], **asked).subgraphs
    [(0, 1), (0,)]
    """
    labelled = LabelledGraphs.of(X, y, pos_label, edges)
    cohort, positive = labelled.graphs, labelled.positive
    check_measure(measure, more=(FREQUENCY,))
    if bound not in BOUNDS:
        raise InputError(f"bound must be one of {', '.join(BOUNDS)}, but is {bound!r}.", parameter="bound")
    min_expected_frequency = check_min_expected_frequency(min_expected_frequency)
    n_subgraphs = check_positive_int("n_subgraphs", n_subgraphs)
    most_edges = cohort.n_edges if max_edges is None else check_positive_int("max_edges", max_edges)
    most_nodes = NO_LIMIT if node_limit is None else check_positive_int("node_limit", node_limit)
    limit = check_max_correlation(max_correlation)
    seconds = check_time_limit(time_limit)
    n_threads = resolve_n_jobs(n_jobs)
    part = check_shard(shard)
    check_shard_place(part, checkpoint)
    if checkpoint is not None:
        check_place(checkpoint)
    if client is not None:
        check_client(client)
    if part is not None and limit not in (None, 1):
        raise InputError(
            "max_correlation needs the ranking of the whole search, which a shard does not have.",
            parameter="max_correlation",
            way_out=("Leave out ", Setting("shard"), "."),
        )
    quantile = check_quantile(quantile)
    chosen_phi = default_phi(score, phi) if measure == "phi_probability" else None
    check_memory(cohort, min_expected_frequency, labelled.n_pos, n_threads)
    warn_of_guessed_class([] if measure == FREQUENCY else [score], labelled)
    parameters = {
        "score": score if isinstance(score, str) else getattr(score, "__name__", repr(score)),
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
    # Wrong words have been refused by now; what takes time comes last.
    with progress_reporter(progress) as report:
        ordered = canonical_graphs(cohort, min_expected_frequency)
        labels = positive[ordered.graphs]
        inputs = {"labels": ordered.settled(labels)}
        if callable(score) and checkpoint is not None:  # whose name tells little
            inputs["score"] = score_table(score, labelled.n_pos, labelled.n_neg, score_cap).values
        problem = SearchProblem(
            graphs=ordered,
            min_expected_frequency=min_expected_frequency,
            make_goal=partial(class_goal, labels, score, measure, score_cap, chosen_phi, quantile),
            max_edges=most_edges,
            bound=bound,
            n_threads=n_threads,
        )
        if client is None:
            problem.ready()
        search = parted_search(problem, parameters, inputs, checkpoint=checkpoint, shard=part, client=client)
        report = continuing(report, search.counters_before, search.seconds_before)
        if limit in (None, 1):  # no correlation is above 1
            answer = search(n_subgraphs, seconds, most_nodes, report)
        else:
            answer = search_rounds(search, ordered, n_subgraphs, limit, seconds, most_nodes, report)
        answer = replace(
            answer,
            counters=search.counters_before + answer.counters,
            seconds=search.seconds_before + answer.seconds,
        )
    result = _result(answer, cohort, ordered.original, parameters, labelled.positive_class)
    if part is not None and result.success:
        return replace(result, message=f"Shard {part} is done; only all together give the best subgraphs.")
    warn_about(result, cohort)
    return result


def _result(
    answer: Answer,
    cohort: UncertainGraphs,
    original: NDArray[np.intp],
    parameters: dict[str, Any],
    positive_class: Any,
) -> MiningResult:
    edge_index = original[answer.listing.edge_index]
    subgraphs = [
        tuple(sorted(edge_index[begin:end].tolist()))
        for begin, end in itertools.pairwise(answer.listing.indptr.tolist())
    ]
    return MiningResult(
        subgraphs=subgraphs,
        values=answer.listing.values,
        status=answer.status,
        message=result_message(answer, parameters),
        threshold=answer.threshold,
        best_open_bound=answer.best_open_bound,
        **{name: getattr(answer.counters, name) for name in COUNTERS},
        seconds=answer.seconds,
        setup_seconds=answer.setup_seconds,
        parameters=parameters,
        names=[cohort.subgraph_name(g) for g in subgraphs],
        positive_class=positive_class,
    )
