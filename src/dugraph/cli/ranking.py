"""The subgraphs of a result with all that is shown or written about each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dugraph import MiningResult, ScoreDistribution, UncertainGraphs, expected_frequency
from dugraph.data import check_labels
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


def score_summaries(
    result: MiningResult, graphs: UncertainGraphs, y: Any, settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """Sum up the distribution of every subgraph, best first, whatever measure ranked them.

    Parameters
    ----------
    result, graphs, y
        What was found in what.
    settings : dict
        The search options as they were given.
    """
    score = settings["score"]
    phi = default_phi(score, settings["phi"])
    supports = support_distributions(
        graphs, y, result.subgraphs, score, score_cap=settings["score_cap"], pos_label=settings["pos_label"]
    )
    found = zip(score_distributions(supports, _TAIL), phi_probabilities(supports, phi).tolist(), strict=True)
    return [{"score": score, **_summary(distribution, phi, reached)} for distribution, reached in found]


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
