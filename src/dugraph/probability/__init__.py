"""The mathematics in readable NumPy, without compiled code: the reference of everything faster."""

from dugraph.probability.containment import containment_probability, expected_frequency
from dugraph.probability.measures import ScoreDistribution, measure_subgraph
from dugraph.probability.scores import DEFAULT_PHI, SCORES

__all__ = [
    "DEFAULT_PHI",
    "SCORES",
    "ScoreDistribution",
    "containment_probability",
    "expected_frequency",
    "measure_subgraph",
]
