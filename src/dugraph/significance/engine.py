"""The engine in use: one import decides which."""

from dugraph.significance.reference_engine import Listed, Maxima, list_subgraphs, null_maxima

__all__ = ["Listed", "Maxima", "list_subgraphs", "null_maxima"]
