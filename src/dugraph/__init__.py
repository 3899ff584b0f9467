"""Discriminative connected subgraphs of uncertain graphs, exactly."""

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
        METHODS,
        EvaluationResult,
        RandomSplits,
        RepeatedFolds,
        evaluate,
        make_method,
    )
    from dugraph.exceptions import (
        FewerSubgraphsWarning,
        InputError,
        LimitReachedWarning,
        SearchInterrupted,
        ShardDone,
        UnfinishedTestError,
    )
    from dugraph.io import from_array, from_nilearn, read_cohort, read_study
    from dugraph.probability import (
        ScoreDistribution,
        containment_probability,
        expected_frequency,
        measure_subgraph,
    )
    from dugraph.report import write_report
    from dugraph.results import PaperText, load_result, merge_shards, paper_text, save_result
    from dugraph.search import (
        MiningResult,
        Status,
        enumerate_subgraphs,
        mine_subgraphs,
        score_distribution,
        support_distribution,
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
    from dugraph.simulation import possible_worlds, simulate
    from dugraph.sparse import (
        SparseModel,
        SparseSubgraphClassifier,
        SparseSubgraphRegressor,
        sparse_path,
    )

__all__ = [
    "METHODS",
    "Deconfound",
    "EdgeProbability",
    "EvaluationResult",
    "FewerSubgraphsWarning",
    "InputError",
    "LabelledGraphs",
    "LimitReachedWarning",
    "MiningResult",
    "PaperText",
    "PowerResult",
    "RandomSplits",
    "RepeatedFolds",
    "ReplicationResult",
    "ScoreDistribution",
    "SearchInterrupted",
    "SensitivityResult",
    "ShardDone",
    "SignificanceResult",
    "SparseModel",
    "SparseSubgraphClassifier",
    "SparseSubgraphRegressor",
    "Status",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "UncertainGraphs",
    "UnfinishedTestError",
    "__version__",
    "aal_atlas",
    "containment_probability",
    "enumerate_subgraphs",
    "evaluate",
    "expected_frequency",
    "find_and_replicate",
    "from_array",
    "from_nilearn",
    "load_cohort",
    "load_result",
    "make_method",
    "measure_subgraph",
    "merge_shards",
    "mine_subgraphs",
    "paper_text",
    "possible_worlds",
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
    "sparse_path",
    "support_distribution",
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


# Hidden from type checkers, which would take every name for known.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in __all__:
            for layer in _LAYERS:
                module = import_module(layer)
                if name in module.__all__:
                    value = globals()[name] = getattr(module, name)
                    return value
        if f"dugraph.{name}" in _LAYERS:
            return import_module(f"dugraph.{name}")
        raise AttributeError(f"module 'dugraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
