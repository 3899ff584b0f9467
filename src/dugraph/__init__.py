"""Discriminative connected subgraphs of uncertain graphs, exactly."""

from dugraph._version import __version__

__all__ = ["__version__"]
