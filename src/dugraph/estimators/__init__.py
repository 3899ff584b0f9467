"""Steps of scikit-learn pipelines: subgraphs as features, connectivity as edge probabilities."""

from dugraph.estimators.alignment import aligned_graphs, aligned_probability
from dugraph.estimators.deconfound import Deconfound
from dugraph.estimators.edge_probability import EdgeProbability
from dugraph.estimators.model_file import load_model
from dugraph.estimators.subgraph_selector import SubgraphSelector
from dugraph.estimators.time_series_edge_probability import TimeSeriesEdgeProbability

__all__ = [
    "Deconfound",
    "EdgeProbability",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "aligned_graphs",
    "aligned_probability",
    "load_model",
]
