"""Search for discriminative subgraphs, and the quantities that the compiled core computes for it."""

from dugraph.search.exhaustive import enumerate_subgraphs
from dugraph.search.support import support_distribution

__all__ = ["enumerate_subgraphs", "support_distribution"]
