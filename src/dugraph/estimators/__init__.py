"""What enters a scikit-learn pipeline: subgraphs as features, connectivity as probabilities, methods."""

from dugraph.estimators.alignment import aligned_probability
from dugraph.estimators.edge_probability import EdgeProbability
from dugraph.estimators.methods import METHODS, make_method
from dugraph.estimators.model_file import load_model
from dugraph.estimators.penalty_path import sparse_path
from dugraph.estimators.sparse_model import SparseModel
from dugraph.estimators.sparse_subgraph_classifier import SparseSubgraphClassifier
from dugraph.estimators.subgraph_selector import SubgraphSelector
from dugraph.estimators.time_series_edge_probability import TimeSeriesEdgeProbability

__all__ = [
    "METHODS",
    "EdgeProbability",
    "SparseModel",
    "SparseSubgraphClassifier",
    "SubgraphSelector",
    "TimeSeriesEdgeProbability",
    "aligned_probability",
    "load_model",
    "make_method",
    "sparse_path",
]
