"""Discriminative connected subgraphs of uncertain graphs, exactly."""

from dugraph._version import __version__
from dugraph.data import UncertainGraphs, load_cohort, save_cohort

__all__ = ["UncertainGraphs", "__version__", "load_cohort", "save_cohort"]
