"""Comparison of methods: splits, metrics, ranks and tables, as in the paper."""

from dugraph.evaluation.evaluate import evaluate
from dugraph.evaluation.methods import METHODS, make_method
from dugraph.evaluation.result import EvaluationResult, average_ranks, competition_ranks
from dugraph.evaluation.splits import RandomSplits, RepeatedFolds

__all__ = [
    "METHODS",
    "EvaluationResult",
    "RandomSplits",
    "RepeatedFolds",
    "average_ranks",
    "competition_ranks",
    "evaluate",
    "make_method",
]
