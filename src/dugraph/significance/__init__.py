"""Tests of significance: which connected subgraphs really differ, with control of the family-wise error."""

from dugraph.significance.result import SignificanceResult
from dugraph.significance.testing import significant_subgraphs

__all__ = ["SignificanceResult", "significant_subgraphs"]
