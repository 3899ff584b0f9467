"""Sparse linear models over all connected subgraphs: paths of penalties, a classifier and a regressor."""

from dugraph.sparse.column_generation import SparseModel
from dugraph.sparse.estimators import SparseSubgraphClassifier, SparseSubgraphRegressor
from dugraph.sparse.path import sparse_path

__all__ = ["SparseModel", "SparseSubgraphClassifier", "SparseSubgraphRegressor", "sparse_path"]
