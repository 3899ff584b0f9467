"""Small searches beside the main one: all subgraphs of a small cohort, and the number that a limit admits.

Exhaustive search is the reference for the compiled search.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import check_kind, check_positive_int, real_number, whole_number
from dugraph.data.columns import covariate_matrix
from dugraph.data.subgraphs import Subgraphs
from dugraph.exceptions import InputError, LimitReachedWarning, NoneAdmitted
from dugraph.probability.containment import support_distribution
from dugraph.probability.measures import check_measure, choose_measure, level_probabilities, phenotype_weights
from dugraph.probability.scores import Score, score_table
from dugraph.search.core import compiler as compiler
from dugraph.search.core import instruction_set as instruction_set
from dugraph.search.limits import (
    FREQUENCY_TOLERANCE,
    check_min_expected_frequency,
    check_two_classes_needed,
)
from dugraph.search.mining import mine_subgraphs, mine_within
from dugraph.words import FREQUENCY

Subgraph = tuple[int, ...]
MOST_EDGES = 16
COUNTING_CAP = 100_000
"""Counting stops at this number, within seconds."""
LIMITS = (0.2, 0.1, 0.05)
"""Candidate limits, in this order; the first is the default of a search."""
ENOUGH_PAIRS = 100
"""Pairs of edges that a suggested limit should admit: the default length of a ranking."""
# For a mean this close to the limit, rounding may decide, and only a search is exact.
_UNSURE = 1e-9


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


class Admitted(NamedTuple):
    """How many subgraphs are admitted; with `capped` there are more than `number`."""

    number: int
    capped: bool = False

    def __str__(self) -> str:
        return f"{'> ' if self.capped else ''}{self.number:,}"


def count_admitted(
    graphs: UncertainGraphs, min_expected_frequency: float, max_edges: int, cap: int = COUNTING_CAP
) -> list[Admitted]:
    """Count the connected subgraphs of 1, 2, ... edges whose expected frequency exceeds a limit.

    Parameters
    ----------
    graphs : UncertainGraphs
    min_expected_frequency : float in [0, 1)
    max_edges : int
        The most edges that are counted.
    cap : int, default 100,000
        Counting stops after this many subgraphs of all sizes up to the one that is counted.

    Returns
    -------
    list of Admitted, length max_edges
        One for each number of edges. After one that is capped, all are.

    Examples
    --------
    >>> graphs = UncertainGraphs([[0.9, 0.8, 0.1], [0.9, 0.6, 0.3]])
    >>> [str(count) for count in count_admitted(graphs, 0.5, max_edges=2)]
    ['2', '1']
    """
    check_kind(graphs, UncertainGraphs, "graphs")
    check_min_expected_frequency(min_expected_frequency)
    check_positive_int("max_edges", max_edges)
    check_positive_int("cap", cap)
    counts: list[Admitted] = []
    so_far = 0
    for n_edges in range(1, max_edges + 1):
        if counts and (counts[-1].capped or counts[-1].number == 0):
            counts.append(Admitted(cap, True) if counts[-1].capped else Admitted(0))
            continue
        up_to = _visited(graphs, min_expected_frequency, n_edges, cap)
        counts.append(Admitted(cap, True) if up_to > cap else Admitted(up_to - so_far))
        so_far = up_to
    return counts


def admitted_table(
    graphs: UncertainGraphs, max_edges: int = 3, cap: int = COUNTING_CAP
) -> dict[float, list[Admitted]]:
    """Count at each of `LIMITS`; sizes that are capped at one limit are capped at all lower ones."""
    table: dict[float, list[Admitted]] = {}
    within = max_edges
    for limit in LIMITS:
        counts = count_admitted(graphs, limit, within, cap) if within else []
        table[limit] = counts + [Admitted(cap, True)] * (max_edges - within)
        within = next((k for k, count in enumerate(table[limit]) if count.capped), max_edges)
    return table


def suggested_limit(table: Mapping[float, Sequence[Admitted]]) -> float:
    """The largest limit that admits 100 subgraphs of two edges, or else the one that admits most of them.

    With fewer, most admitted subgraphs are single edges. A smaller limit would add rarer subgraphs. The table
    is that of `admitted_table`, for at least two edges.
    """
    pairs = {limit: counts[1].number for limit, counts in table.items()}
    enough = [limit for limit, number in pairs.items() if number >= ENOUGH_PAIRS]
    return max(enough) if enough else max(pairs, key=lambda limit: (pairs[limit], limit))


def _visited(graphs: UncertainGraphs, limit: float, max_edges: int, cap: int) -> int:
    if max_edges <= 2 and (few := _without_search(graphs, limit, max_edges, cap)) is not None:
        return few
    if graphs.n_graphs == 1:
        # A search needs two classes; two copies of the graph have the same means.
        twice = np.repeat(graphs.edge_probability, 2, axis=0)
        graphs = UncertainGraphs(twice, graphs.edges, edge_layers=graphs.edge_layers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitReachedWarning)
        try:
            result = mine_within(
                cap + 1,
                graphs,
                np.arange(graphs.n_graphs) % 2,
                n_subgraphs=1,
                min_expected_frequency=limit,
                max_edges=max_edges,
                bound="frequency",  # the others would skip subgraphs that cannot be the best
            )
        except NoneAdmitted:
            return 0
    return result.n_visited


def _without_search(graphs: UncertainGraphs, limit: float, max_edges: int, cap: int) -> int | None:
    """Count edges and pairs node by node, without the memory that a search needs for the rows of all edges.

    Returns None if a mean is too close to the limit. Counting ends beyond the cap.
    """
    beyond = graphs.edge_means - limit
    if (np.abs(beyond) <= _UNSURE).any():
        return None
    admitted = np.flatnonzero(beyond > 0)
    number = len(admitted)
    if max_edges == 1:
        return number
    ends = graphs.edges[admitted]
    for node in range(graphs.n_nodes):
        if number > cap:
            break
        here = (ends == node).any(axis=1)
        other = ends[here].sum(axis=1) - node
        rows = graphs.raw_probability[:, admitted[here]].astype(np.float64)
        beyond = rows.T @ rows / graphs.n_graphs - limit
        # Each pair once; edges of two layers between the same nodes meet at both.
        pair = np.triu(np.ones(beyond.shape, bool), 1) & ((other[:, None] != other) | (node < other))
        if (np.abs(beyond[pair]) <= _UNSURE).any():
            return None
        number += int((beyond[pair] > 0).sum())
    return number


def agrees_with_reference() -> bool:
    """Whether the compiled search lists the subgraphs that exhaustive search finds, on this machine."""
    X, y = np.random.default_rng(0).random((16, 10)), np.arange(16) % 2
    settings: dict[str, Any] = {"score": "g_test", "measure": "expectation", "min_expected_frequency": 0.05}
    found = mine_subgraphs(X, y, n_subgraphs=20, **settings)
    subgraphs, values = enumerate_subgraphs(X, y, **settings)
    same = found.subgraphs == subgraphs[:20]
    return bool(same and np.allclose(found.values, values[:20], rtol=1e-12, atol=0))
