"""Sparse linear models over all connected subgraphs: paths of penalties, and a classifier."""

from dugraph.sparse.classifier import SparseSubgraphClassifier
from dugraph.sparse.model import SparseModel
from dugraph.sparse.penalty_path import sparse_path

__all__ = ["SparseModel", "SparseSubgraphClassifier", "sparse_path"]
