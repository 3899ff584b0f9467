"""Discriminative connected subgraphs of uncertain graphs, exactly."""

from dugraph._version import __version__
from dugraph.search import support_distribution

__all__ = ["__version__", "support_distribution"]
