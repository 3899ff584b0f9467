"""Exhaustive search over all connected sets of edges: the reference for the compiled search."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import real_number, whole_number
from dugraph.data.columns import covariate_matrix
from dugraph.data.subgraphs import Subgraphs
from dugraph.exceptions import InputError
from dugraph.probability.measures import check_measure
from dugraph.probability.phenotype_weights import phenotype_weights
from dugraph.probability.score_distribution import choose_measure, level_probabilities
from dugraph.probability.scores import Score, score_table
from dugraph.probability.support import support_distribution
from dugraph.search.limits import check_two_classes_needed
from dugraph.words import FREQUENCY

Subgraph = tuple[int, ...]
# The admission limit's tolerance (rule 8).
FREQUENCY_TOLERANCE = 1e-12
MOST_EDGES = 16


def is_connected(node_pairs: Iterable[Sequence[int]]) -> bool:
    """Whether the edges form one piece, by merging the pieces that each edge joins."""
    pieces: list[set[int]] = []
    for pair in node_pairs:
        touching = [piece for piece in pieces if not piece.isdisjoint(pair)]
        pieces = [piece for piece in pieces if piece.isdisjoint(pair)] + [set(pair).union(*touching)]
    return len(pieces) == 1


def connected_subgraphs(edges: NDArray[np.int32], max_edges: int | None = None) -> list[Subgraph]:
    """All non-empty connected edge sets, as sorted tuples of edge indices."""
    if len(edges) > MOST_EDGES:
        raise InputError(
            f"Exhaustive search tries all sets of edges and is limited to {MOST_EDGES} edges, but there are "
            f"{len(edges)}. Use mine_subgraphs, or fewer edges."
        )
    if max_edges is not None and whole_number(max_edges, "max_edges") < 1:
        raise InputError(
            f"max_edges must be at least 1, but is {max_edges}. Use None for any number of edges.",
            parameter="max_edges",
        )
    largest = len(edges) if max_edges is None else min(max_edges, len(edges))
    sizes = range(1, largest + 1)
    sets = itertools.chain.from_iterable(itertools.combinations(range(len(edges)), size) for size in sizes)
    return [chosen for chosen in sets if is_connected(edges[list(chosen)].tolist())]


def enumerate_subgraphs(
    X: ArrayLike | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    edges: ArrayLike | None = None,
    score: Score = "hsic",
    measure: str = "expectation",
    phi: float | None = None,
    quantile: float = 0.5,
    min_expected_frequency: float = 0.2,
    max_edges: int | None = None,
    score_cap: float | None = None,
    pos_label: object = None,
    covariates: Any = None,
    target: str | None = None,
) -> tuple[list[Subgraph], NDArray[np.float64]]:
    """All admitted connected subgraphs of a small cohort with their measure, best first.

    Parameters
    ----------
    X : array-like of shape (n_graphs, n_edges), UncertainGraphs or LabelledGraphs
        Edge probabilities in [0, 1], of at most 16 edges.
    y : array-like of shape (n_graphs,)
        Two classes; omitted with LabelledGraphs, which have their own. Or a phenotype or groups, as for
        `mine_subgraphs`.
    edges : array-like of int, shape (n_edges, 2), optional
        The nodes of each column when X is an array. Default: all pairs, as for `UncertainGraphs`.
    score, score_cap, pos_label
        As for `score_distribution`.
    measure, phi, quantile
        As for `measure_subgraph`; in addition, "frequency" ranks by expected frequency.
    min_expected_frequency : float, default 0.2
        Subgraphs are admitted if their expected frequency exceeds this; default as in `mine_subgraphs`.
    max_edges : int, optional
        The largest number of edges in a subgraph. Default: any number.
    covariates
        As for `mine_subgraphs`.

    Returns
    -------
    subgraphs : list of tuple of int
        Sorted edge indices, in the total order of the ranking: larger measure, fewer edges, smaller edges.
    values : ndarray of shape (n_subgraphs,)
        Their measures. Both are empty when no subgraph is admitted.

    Examples
    --------
    >>> X = [[0.9, 0.8, 0.0], [0.8, 0.9, 0.1], [0.9, 0.1, 0.0], [0.1, 0.8, 0.0]]
    >>> subgraphs, values = enumerate_subgraphs(X, [1, 1, 0, 0], score="hsic", min_expected_frequency=0.3)
    >>> subgraphs
    [(0, 1), (1,), (0,)]
    """
    labelled = LabelledGraphs.of_any(X, y, pos_label, edges, target)
    cohort = labelled.graphs
    adjusted = covariates is not None
    limit = real_number(min_expected_frequency, "min_expected_frequency")
    check_measure(measure, more=(FREQUENCY,))
    any_labels = check_two_classes_needed(labelled, adjusted, score, measure, score_cap)
    probability = cohort.edge_probability
    subgraphs = connected_subgraphs(cohort.edges, max_edges)
    containment = np.array([np.prod(probability[:, list(g)], axis=1) for g in subgraphs])
    admitted = containment.mean(axis=1) > limit + FREQUENCY_TOLERANCE
    subgraphs = [g for g, keep in zip(subgraphs, admitted, strict=True) if keep]
    containment = containment[admitted]
    if any_labels:
        weights = phenotype_weights(labelled, covariate_matrix(covariates, cohort))
        values = weights.expected_hsic(containment)
    elif measure == FREQUENCY:
        values = containment.mean(axis=1)
    else:
        positive = labelled.positive
        table = score_table(score, labelled.n_pos, labelled.n_neg, score_cap)
        chosen = choose_measure(measure, score, phi, quantile)
        supports = [support_distribution(containment[:, rows]) for rows in (positive, ~positive)]
        values = chosen(table.levels, level_probabilities(supports[0], supports[1], table))
    layers = cohort.edge_layers or [""] * cohort.n_edges
    name = [
        (*map(int, sorted(pair, reverse=True)), layer)
        for pair, layer in zip(cohort.edges, layers, strict=True)
    ]
    order = sorted(
        range(len(subgraphs)),
        key=lambda k: (-values[k], len(subgraphs[k]), sorted(name[e] for e in subgraphs[k])),
    )
    return Subgraphs((subgraphs[k] for k in order), cohort.naming), values[order]
