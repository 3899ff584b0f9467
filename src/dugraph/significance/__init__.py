"""Tests of significance: which connected subgraphs really differ, with control of the family-wise error."""

from dugraph.significance.families import SubgraphFamily
from dugraph.significance.replication import ReplicationResult, find_and_replicate, replicate
from dugraph.significance.result import SignificanceResult
from dugraph.significance.testing import significant_subgraphs

__all__ = [
    "ReplicationResult",
    "SignificanceResult",
    "SubgraphFamily",
    "find_and_replicate",
    "replicate",
    "significant_subgraphs",
]
