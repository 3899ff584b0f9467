"""The number of subgraphs that a limit admits, counted by a search up to a cap."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import check_kind, check_positive_int
from dugraph.exceptions import LimitReachedWarning, NoneAdmitted
from dugraph.search.limits import check_min_expected_frequency
from dugraph.search.mining import mine_within

COUNTING_CAP = 100_000
"""Counting stops at this number, within seconds."""
LIMITS = (0.2, 0.1, 0.05)
"""Candidate limits, in this order; the first is the default of a search."""
ENOUGH_PAIRS = 100
"""Pairs of edges that a suggested limit should admit: the default length of a ranking."""
# For a mean this close to the limit, rounding may decide, and only a search is exact.
_UNSURE = 1e-9


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
