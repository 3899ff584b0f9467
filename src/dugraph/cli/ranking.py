"""The subgraphs of a result with all that is shown or written about each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dugraph import UncertainGraphs, expected_frequency
from dugraph.data import check_labels


@dataclass(frozen=True)
class RankedSubgraph:
    """One subgraph of a result.

    Attributes
    ----------
    rank : int
        1 for the best.
    value : float
        Its measure, or its coefficient.
    edges : tuple of int
        Sorted edge indices.
    edge_names : tuple of str
        Names of the edges, as they are in the cohort: escape them before showing.
    frequency, frequency_positive, frequency_negative : float
        Expected frequency in all graphs, in those of the positive and of the negative class.
    """

    rank: int
    value: float
    edges: tuple[int, ...]
    edge_names: tuple[str, ...]
    frequency: float
    frequency_positive: float
    frequency_negative: float


def ranked_subgraphs(
    subgraphs: Sequence[tuple[int, ...]],
    values: Iterable[float],
    graphs: UncertainGraphs,
    y: Any,
    pos_label: object = None,
) -> list[RankedSubgraph]:
    """Describe subgraphs with their values, best first."""
    positive, _ = check_labels(y, graphs.n_graphs, pos_label)
    positives, negatives = graphs[positive], graphs[~positive]
    return [
        RankedSubgraph(
            rank=rank,
            value=float(value),
            edges=subgraph,
            edge_names=tuple(graphs.edge_name(edge) for edge in subgraph),
            frequency=expected_frequency(graphs, subgraph),
            frequency_positive=expected_frequency(positives, subgraph),
            frequency_negative=expected_frequency(negatives, subgraph),
        )
        for rank, (value, subgraph) in enumerate(zip(values, subgraphs, strict=True), start=1)
    ]
