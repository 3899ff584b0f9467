"""Discriminative connected subgraphs of uncertain graphs, exactly."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from dugraph.estimators import (
        METHODS,
        EdgeProbability,
        SubgraphSelector,
        TimeSeriesEdgeProbability,
        make_method,
    )

__all__ = [
    "FewerSubgraphsWarning",
    "InputError",
    "LimitReachedWarning",
    "METHODS",
    "EdgeProbability",
    "MiningResult",
    "ScoreDistribution",
    "Status",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "UncertainGraphs",
    "__version__",
    "aal_atlas",
    "containment_probability",
    "enumerate_subgraphs",
    "expected_frequency",
    "load_cohort",
    "make_method",
    "measure_subgraph",
    "mine_subgraphs",
    "possible_worlds",
    "save_cohort",
    "score_distribution",
    "simulate",
    "support_distribution",
]

_ESTIMATORS = {
    "METHODS",
    "EdgeProbability",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "make_method",
}


def __getattr__(name: str) -> Any:
    # Late, since they need scikit-learn, which takes seconds to import.
    if name in _ESTIMATORS:
        return getattr(import_module("dugraph.estimators"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
