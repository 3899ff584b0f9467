"""Discriminative connected subgraphs of uncertain graphs, exactly."""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dugraph._version import __version__

if TYPE_CHECKING:
    from dugraph import data as data
    from dugraph import estimators as estimators
    from dugraph import evaluation as evaluation
    from dugraph import exceptions as exceptions
    from dugraph import io as io
    from dugraph import plot as plot
    from dugraph import probability as probability
    from dugraph import report as report
    from dugraph import results as results
    from dugraph import search as search
    from dugraph import significance as significance
    from dugraph import simulation as simulation
    from dugraph import sparse as sparse
    from dugraph.data import (
        LabelledGraphs,
        UncertainGraphs,
        aal_atlas,
        load_cohort,
        save_cohort,
        signed_edges,
    )
    from dugraph.estimators import (
        Deconfound,
        EdgeProbability,
        SubgraphSelector,
        TimeSeriesEdgeProbability,
    )
    from dugraph.evaluation import (
        EvaluationResult,
        RandomSplits,
        RepeatedFolds,
        evaluate,
    )
    from dugraph.exceptions import (
        InputError,
        SearchInterrupted,
    )
    from dugraph.io import from_nilearn, read_cohort, read_study
    from dugraph.probability import (
        containment_probability,
        expected_frequency,
    )
    from dugraph.report import write_report
    from dugraph.results import load_result, paper_text, save_result
    from dugraph.search import (
        MiningResult,
        mine_subgraphs,
        score_distribution,
    )
    from dugraph.significance import (
        PowerResult,
        ReplicationResult,
        SensitivityResult,
        SignificanceResult,
        find_and_replicate,
        power_analysis,
        replicate,
        sensitivity_analysis,
        significant_subgraphs,
    )
    from dugraph.simulation import simulate
    from dugraph.sparse import (
        SparseSubgraphClassifier,
        SparseSubgraphRegressor,
    )

__all__ = [
    "Deconfound",
    "EdgeProbability",
    "EvaluationResult",
    "InputError",
    "LabelledGraphs",
    "MiningResult",
    "PowerResult",
    "RandomSplits",
    "RepeatedFolds",
    "ReplicationResult",
    "SearchInterrupted",
    "SensitivityResult",
    "SignificanceResult",
    "SparseSubgraphClassifier",
    "SparseSubgraphRegressor",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "UncertainGraphs",
    "__version__",
    "aal_atlas",
    "containment_probability",
    "evaluate",
    "expected_frequency",
    "find_and_replicate",
    "from_nilearn",
    "load_cohort",
    "load_result",
    "mine_subgraphs",
    "paper_text",
    "power_analysis",
    "read_cohort",
    "read_study",
    "replicate",
    "save_cohort",
    "save_result",
    "score_distribution",
    "sensitivity_analysis",
    "signed_edges",
    "significant_subgraphs",
    "simulate",
    "write_report",
]

# Looked up in this order at first use: `dugraph --help` then waits neither for NumPy nor for SciPy.
_LAYERS = (
    "dugraph.exceptions",
    "dugraph.data",
    "dugraph.probability",
    "dugraph.search",
    "dugraph.simulation",
    "dugraph.significance",
    "dugraph.estimators",
    "dugraph.sparse",
    "dugraph.evaluation",
    "dugraph.io",
    "dugraph.results",
    "dugraph.plot",
    "dugraph.report",
)

# Rarely used names, by the module that has them now: here they work until version 1.0.
_MOVED = {
    "FewerSubgraphsWarning": "exceptions",
    "LimitReachedWarning": "exceptions",
    "METHODS": "evaluation",
    "PaperText": "results",
    "ScoreDistribution": "probability",
    "ShardDone": "exceptions",
    "SparseModel": "sparse",
    "Status": "search",
    "UnfinishedTestError": "exceptions",
    "enumerate_subgraphs": "search",
    "from_array": "io",
    "make_method": "evaluation",
    "measure_subgraph": "probability",
    "merge_shards": "results",
    "possible_worlds": "simulation",
    "sparse_path": "sparse",
    "support_distribution": "search",
}


# Hidden from type checkers, which would take every name for known.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in __all__:
            for layer in _LAYERS:
                module = import_module(layer)
                if name in module.__all__:
                    value = globals()[name] = getattr(module, name)
                    return value
        if name in _MOVED:
            place = f"dugraph.{_MOVED[name]}"
            warnings.warn(f"dugraph.{name} has moved: use {place}.{name}.", DeprecationWarning, stacklevel=2)
            return getattr(import_module(place), name)
        if f"dugraph.{name}" in _LAYERS:
            return import_module(f"dugraph.{name}")
        raise AttributeError(f"module 'dugraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
