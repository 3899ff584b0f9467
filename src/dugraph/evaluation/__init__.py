"""The paper's protocol: splits, metrics, ranks, tables, sweeps."""

from dugraph.evaluation.phenotype import evaluate_phenotype
from dugraph.evaluation.protocol import evaluate_methods
from dugraph.evaluation.ranking import average_ranks, competition_ranks
from dugraph.evaluation.result import EvaluationResult
from dugraph.evaluation.study import Study
from dugraph.evaluation.sweep import phi_study, pruning_study, scaling_study

__all__ = [
    "EvaluationResult",
    "Study",
    "average_ranks",
    "competition_ranks",
    "evaluate_methods",
    "evaluate_phenotype",
    "phi_study",
    "pruning_study",
    "scaling_study",
]
