"""Sparse linear models over all connected subgraphs: paths of penalties, a classifier and a regressor."""

from dugraph.sparse.classifier import SparseSubgraphClassifier
from dugraph.sparse.model import SparseModel
from dugraph.sparse.penalty_path import sparse_path
from dugraph.sparse.regressor import SparseSubgraphRegressor

__all__ = ["SparseModel", "SparseSubgraphClassifier", "SparseSubgraphRegressor", "sparse_path"]
