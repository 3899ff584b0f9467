"""One search: its settings checked, the core asked, the answer told."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.cluster.part_file import PathLike
from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import check_positive_int, check_word
from dugraph.data.covariates import covariate_matrix
from dugraph.data.participant_columns import column_names
from dugraph.data.phenotype import CLASSES
from dugraph.probability.containment import containment_columns
from dugraph.probability.measures import check_measure, check_quantile
from dugraph.probability.phenotype_weights import phenotype_weights
from dugraph.probability.scores import Score, default_phi, score_table
from dugraph.search.answer import Answer
from dugraph.search.canonical import canonical_graphs
from dugraph.search.core import COUNTERS, NO_LIMIT, continuing
from dugraph.search.goals import class_goal, has_closed_form, squared_goal
from dugraph.search.in_parts import check_search_parts, parted_search
from dugraph.search.labels import check_two_classes_needed
from dugraph.search.limits import (
    check_max_correlation,
    check_memory,
    check_min_expected_frequency,
    check_time_limit,
    resolve_n_jobs,
)
from dugraph.search.messages import result_message, warn_of_guessed_class
from dugraph.search.progress import progress_reporter
from dugraph.search.result import MiningResult
from dugraph.search.rounds import search_rounds
from dugraph.search.slices import SearchProblem
from dugraph.words import BOUNDS, FREQUENCY


def find_subgraphs(
    labelled: LabelledGraphs,
    *,
    score: Score,
    measure: str,
    phi: float | None,
    quantile: float,
    n_subgraphs: int,
    min_expected_frequency: float,
    max_edges: int | None,
    max_correlation: float | None,
    score_cap: float | None,
    bound: str,
    covariates: Any,
    n_jobs: int | None,
    time_limit: float | None,
    node_limit: int | None,
    client: Any,
    checkpoint: PathLike | None,
    shard: str | None,
    threshold_file: PathLike | None,
    progress: bool | Callable[[dict[str, Any]], object] | None,
) -> MiningResult:
    """Check the settings of one search, and search; parameters as for `mine_subgraphs`, warnings aside."""
    cohort = labelled.graphs
    check_measure(measure, more=(FREQUENCY,))
    adjust_for = covariate_matrix(covariates, cohort)
    any_labels = check_two_classes_needed(labelled, covariates is not None, score, measure, score_cap)
    by_score = not any_labels and measure != FREQUENCY
    check_word("bound", bound, BOUNDS)
    min_expected_frequency = check_min_expected_frequency(min_expected_frequency)
    n_subgraphs = check_positive_int("n_subgraphs", n_subgraphs)
    most_edges = cohort.n_edges if max_edges is None else check_positive_int("max_edges", max_edges)
    most_nodes = NO_LIMIT if node_limit is None else check_positive_int("node_limit", node_limit)
    limit = check_max_correlation(max_correlation)
    seconds = check_time_limit(time_limit)
    n_threads = resolve_n_jobs(n_jobs)
    parts = check_search_parts(client, checkpoint, shard, threshold_file, limit)
    quantile = check_quantile(quantile)
    chosen_phi = default_phi(score, phi) if measure == "phi_probability" else None
    # Only tables of scores grow with the product of the classes.
    closed_form = (
        by_score
        and measure == "expectation"
        and has_closed_form(score, score_cap, labelled.n_pos, labelled.n_neg)
    )
    by_table = by_score and not closed_form
    check_memory(cohort, min_expected_frequency, labelled.n_pos if by_table else 0, n_threads)
    if by_score:
        warn_of_guessed_class([score], labelled, stacklevel=4)
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
    if labelled.kind != CLASSES or any_labels:
        parameters["labels"] = labelled.kind
    if any_labels:
        parameters["covariates"] = column_names(covariates, "covariates", cohort)
    # Wrong words have been refused by now; what takes time comes last.
    with progress_reporter(progress) as report:
        # Graphs that are equal are told apart by their weights, which sums over all graphs depend on.
        weighed = np.hstack([labelled.contrasts, adjust_for]) if any_labels else None
        if closed_form:
            weighed = labelled.positive[:, None].astype(np.float64)
        ordered = canonical_graphs(cohort, min_expected_frequency, weighed)
        if any_labels:
            weights = phenotype_weights(labelled, adjust_for, ordered.graphs)
            make_goal = partial(squared_goal, weights.weights, weights.scale)

            def inputs() -> dict[str, NDArray[Any]]:
                return {"phenotype, groups or covariates": _told_apart(weights.weights, weights.scale)}

        else:
            positive = labelled.positive[ordered.graphs] if by_score else np.zeros(0, dtype=np.bool_)
            make_goal = partial(class_goal, positive, score, measure, score_cap, chosen_phi, quantile)

            def inputs() -> dict[str, NDArray[Any]]:
                told = {"labels": ordered.settled(positive) if by_score else positive}
                if by_score and callable(score) and checkpoint is not None:  # whose name tells little
                    told["score"] = score_table(score, labelled.n_pos, labelled.n_neg, score_cap).values
                return told

        problem = SearchProblem(ordered, min_expected_frequency, make_goal, most_edges, bound, n_threads)
        if client is None:
            problem.ready()
        search = parted_search(problem, parameters, inputs, parts)
        report = continuing(report, search.counters_before, search.seconds_before)
        if limit in (None, 1):  # no correlation is above 1
            answer = search(n_subgraphs, seconds, most_nodes, report)
        else:
            answer = search_rounds(search, ordered, n_subgraphs, limit, seconds, most_nodes, report)
        answer = dataclasses.replace(
            answer,
            counters=search.counters_before + answer.counters,
            seconds=search.seconds_before + answer.seconds,
        )
    positive_class = labelled.positive_class if labelled.kind == CLASSES else None
    result = _result(answer, cohort, ordered.original, parameters, positive_class)
    if parts.shard is not None and result.success:
        told = f"Shard {parts.shard} is done; the best subgraphs come from merging all shards."
        result = dataclasses.replace(result, message=told)
    if any_labels and len(weights.weights) == 1:
        by_graph = np.empty(cohort.n_graphs)
        by_graph[ordered.graphs] = weights.weights[0]
        containment = containment_columns(cohort.held_probability, result.subgraphs, np.float64)
        return dataclasses.replace(result, effects=by_graph @ containment / (by_graph @ by_graph))
    return result


def _told_apart(weights: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Weights and their scale without the last digits, which differ between machines."""
    largest = float(np.abs(weights).max(initial=1e-300))
    sizes = [float(f"{value:.8e}") for value in (largest, scale)]
    return np.array([*(np.round(weights / largest, 9) + 0.0).ravel(), *sizes])


def _result(
    answer: Answer,
    cohort: UncertainGraphs,
    original: NDArray[np.intp],
    parameters: dict[str, Any],
    positive_class: Any,
) -> MiningResult:
    return MiningResult(
        subgraphs=answer.listing.subgraphs(original),
        values=answer.listing.values,
        status=answer.status,
        message=result_message(answer, parameters),
        threshold=answer.threshold,
        best_open_bound=answer.best_open_bound,
        **{name: getattr(answer.counters, name) for name in COUNTERS},
        seconds=answer.seconds,
        setup_seconds=answer.setup_seconds,
        parameters=parameters,
        naming=cohort.naming,
        positive_class=positive_class,
    )
