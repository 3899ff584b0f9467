"""Discriminative connected subgraphs of uncertain graphs, exactly."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dugraph._version import __version__

if TYPE_CHECKING:
    from dugraph.data import UncertainGraphs, aal_atlas, load_cohort, possible_worlds, save_cohort, simulate
    from dugraph.estimators import (
        METHODS,
        EdgeProbability,
        SubgraphSelector,
        TimeSeriesEdgeProbability,
        make_method,
    )
    from dugraph.evaluation import EvaluationResult, evaluate_methods
    from dugraph.exceptions import FewerSubgraphsWarning, InputError, LimitReachedWarning
    from dugraph.probability import (
        ScoreDistribution,
        containment_probability,
        expected_frequency,
        measure_subgraph,
        score_distribution,
    )
    from dugraph.search import (
        MiningResult,
        Status,
        enumerate_subgraphs,
        mine_subgraphs,
        support_distribution,
    )

__all__ = [
    "METHODS",
    "EdgeProbability",
    "EvaluationResult",
    "FewerSubgraphsWarning",
    "InputError",
    "LimitReachedWarning",
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
    "evaluate_methods",
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

# The layer of each name, loaded at first use: `dugraph --help` then waits neither for NumPy nor for SciPy,
# nor does mining wait for scikit-learn, which takes seconds to import.
_LAYERS = {
    "dugraph.exceptions": ("FewerSubgraphsWarning", "InputError", "LimitReachedWarning"),
    "dugraph.data": (
        *("UncertainGraphs", "aal_atlas", "load_cohort", "possible_worlds", "save_cohort", "simulate"),
    ),
    "dugraph.probability": (
        *("ScoreDistribution", "containment_probability", "expected_frequency", "measure_subgraph"),
        "score_distribution",
    ),
    "dugraph.search": (
        *("MiningResult", "Status", "enumerate_subgraphs", "mine_subgraphs", "support_distribution"),
    ),
    "dugraph.estimators": (
        *("METHODS", "EdgeProbability", "SubgraphSelector", "TimeSeriesEdgeProbability", "make_method"),
    ),
    "dugraph.evaluation": ("EvaluationResult", "evaluate_methods"),
}
_LAYER_OF = {name: layer for layer, names in _LAYERS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _LAYER_OF:
        value = globals()[name] = getattr(import_module(_LAYER_OF[name]), name)
        return value
    if f"dugraph.{name}" in _LAYERS:
        return import_module(f"dugraph.{name}")
    raise AttributeError(f"module 'dugraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
