"""Search for discriminative subgraphs, and the quantities that the compiled core computes for it."""

from dugraph.search.distribution import score_distribution, support_distribution
from dugraph.search.exhaustive import count_admitted, enumerate_subgraphs
from dugraph.search.mining import mine_subgraphs
from dugraph.search.result import MiningResult, Status

__all__ = [
    "MiningResult",
    "Status",
    "count_admitted",
    "enumerate_subgraphs",
    "mine_subgraphs",
    "score_distribution",
    "support_distribution",
]
