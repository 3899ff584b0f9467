"""Steps of scikit-learn pipelines: subgraphs as features, connectivity as edge probabilities."""

from dugraph.estimators.deconfound import Deconfound
from dugraph.estimators.input import aligned_graphs, aligned_probability
from dugraph.estimators.model_file import load_model
from dugraph.estimators.probabilities import EdgeProbability, TimeSeriesEdgeProbability
from dugraph.estimators.selector import SubgraphSelector

__all__ = [
    "Deconfound",
    "EdgeProbability",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "aligned_graphs",
    "aligned_probability",
    "load_model",
]
