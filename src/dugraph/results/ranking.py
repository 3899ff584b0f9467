"""The subgraphs of a result with all that is shown or written about each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.probability import ScoreDistribution, expected_frequency
from dugraph.probability.scores import default_phi
from dugraph.search.score_distribution import phi_probabilities, score_distributions, support_distributions

_QUANTILES = (0.05, 0.25, 0.75, 0.95)
# Of the supports: even the square of a capped score, times this, is below what rounding leaves.
_TAIL = 1e-24


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
    frequency, frequency_positive, frequency_negative : float
        Expected frequency in all graphs, in those of the positive and of the negative class.
    """

    rank: int
    value: float
    edges: tuple[int, ...]
    frequency: float
    frequency_positive: float
    frequency_negative: float

    def edge_names(self, graphs: UncertainGraphs) -> list[str]:
        """Names of the edges, as they are in the cohort: escape them before showing."""
        return [graphs.edge_name(edge) for edge in self.edges]


def ranked_subgraphs(
    subgraphs: Sequence[tuple[int, ...]], values: Iterable[float], cohort: LabelledGraphs
) -> list[RankedSubgraph]:
    """Describe subgraphs with their values, best first."""
    graphs = cohort.graphs
    positives, negatives = graphs[cohort.positive], graphs[~cohort.positive]
    return [
        RankedSubgraph(
            rank=rank,
            value=float(value),
            edges=subgraph,
            frequency=expected_frequency(graphs, subgraph),
            frequency_positive=expected_frequency(positives, subgraph),
            frequency_negative=expected_frequency(negatives, subgraph),
        )
        for rank, (value, subgraph) in enumerate(zip(values, subgraphs, strict=True), start=1)
    ]


def score_summaries(
    subgraphs: Sequence[tuple[int, ...]],
    cohort: LabelledGraphs,
    score: str,
    phi: float | None,
    score_cap: float | None,
) -> list[dict[str, Any]]:
    """Sum up the distribution of the score of every subgraph, whatever measure ranked them.

    Parameters
    ----------
    subgraphs, cohort
        What was found in what.
    score, phi, score_cap
        As for `mine_subgraphs`.
    """
    chosen = default_phi(score, phi)
    supports = support_distributions(cohort, None, subgraphs, score, score_cap=score_cap)
    reached = phi_probabilities(supports, chosen).tolist()
    found = zip(score_distributions(supports, _TAIL), reached, strict=True)
    return [{"score": score, **_summary(distribution, chosen, tail)} for distribution, tail in found]


def _summary(distribution: ScoreDistribution, phi: float, phi_probability: float) -> dict[str, Any]:
    return {
        "expectation": distribution.expectation(),
        "standard_deviation": distribution.standard_deviation(),
        "median": distribution.median(),
        "mode": distribution.mode(),
        "phi": phi,
        "phi_probability": phi_probability,
        "quantiles": {str(level): distribution.quantile(level) for level in _QUANTILES},
    }
