"""Discriminative connected subgraphs of uncertain graphs, exactly."""

from dugraph._version import __version__
from dugraph.data import UncertainGraphs, aal_atlas, load_cohort, possible_worlds, save_cohort, simulate
from dugraph.probability import (
    ScoreDistribution,
    containment_probability,
    expected_frequency,
    measure_subgraph,
    score_distribution,
)
from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
from dugraph.search import MiningResult, Status, enumerate_subgraphs, mine_subgraphs, support_distribution

__all__ = [
    "FewerSubgraphsWarning",
    "InputError",
    "LimitReachedWarning",
    "MiningResult",
    "ScoreDistribution",
    "Status",
    "UncertainGraphs",
    "__version__",
    "aal_atlas",
    "containment_probability",
    "enumerate_subgraphs",
    "expected_frequency",
    "load_cohort",
    "measure_subgraph",
    "mine_subgraphs",
    "possible_worlds",
    "save_cohort",
    "score_distribution",
    "simulate",
    "support_distribution",
]
