"""Steps of scikit-learn pipelines: subgraphs as features, edge probabilities, the paper's methods."""

from dugraph.estimators.alignment import aligned_graphs, aligned_probability
from dugraph.estimators.deconfound import Deconfound
from dugraph.estimators.methods import METHODS, make_method
from dugraph.estimators.model_file import load_model
from dugraph.estimators.probabilities import EdgeProbability, TimeSeriesEdgeProbability
from dugraph.estimators.selector import SubgraphSelector

__all__ = [
    "METHODS",
    "Deconfound",
    "EdgeProbability",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "aligned_graphs",
    "aligned_probability",
    "load_model",
    "make_method",
]
