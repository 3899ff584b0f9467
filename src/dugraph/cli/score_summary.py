"""The distribution of each subgraph's score in numbers, for the record of a run."""

from typing import Any

from dugraph import MiningResult, ScoreDistribution, UncertainGraphs
from dugraph.probability.score_distribution import score_distributions
from dugraph.probability.scores import default_phi

_QUANTILES = (0.05, 0.25, 0.75, 0.95)


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
    found = score_distributions(
        graphs, y, result.subgraphs, score, score_cap=settings["score_cap"], pos_label=settings["pos_label"]
    )
    return [{"score": score, **_summary(distribution, phi)} for distribution in found]


def _summary(distribution: ScoreDistribution, phi: float) -> dict[str, Any]:
    return {
        "expectation": distribution.expectation(),
        "standard_deviation": distribution.standard_deviation(),
        "median": distribution.median(),
        "mode": distribution.mode(),
        "phi": phi,
        "phi_probability": distribution.phi_probability(phi),
        "quantiles": {str(level): distribution.quantile(level) for level in _QUANTILES},
    }
