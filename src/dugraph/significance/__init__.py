"""Tests of significance: which connected subgraphs really differ, with control of the family-wise error."""

from dugraph.significance.power import PowerResult, power_analysis
from dugraph.significance.replication import ReplicationResult, find_and_replicate, replicate
from dugraph.significance.result import SignificanceResult, SubgraphFamily
from dugraph.significance.sensitivity import SensitivityResult, sensitivity_analysis
from dugraph.significance.testing import significant_subgraphs

__all__ = [
    "PowerResult",
    "ReplicationResult",
    "SensitivityResult",
    "SignificanceResult",
    "SubgraphFamily",
    "find_and_replicate",
    "power_analysis",
    "replicate",
    "sensitivity_analysis",
    "significant_subgraphs",
]
