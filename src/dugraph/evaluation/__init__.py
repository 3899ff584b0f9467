"""The paper's protocol: splits, metrics, ranks, tables, sweeps."""

from dugraph.evaluation.protocol import evaluate_methods
from dugraph.evaluation.ranking import average_ranks, competition_ranks
from dugraph.evaluation.result import EvaluationResult

__all__ = ["EvaluationResult", "average_ranks", "competition_ranks", "evaluate_methods"]
