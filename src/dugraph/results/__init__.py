"""The result folder: one schema, saved and loaded by everyone: for mine, sparse and evaluate."""

from dugraph.results.load import load_result, refuse_other_results
from dugraph.results.record import EvaluationRecord, SubgraphRecord
from dugraph.results.save import SavedFiles, record_of, save_result

__all__ = [
    "EvaluationRecord",
    "SavedFiles",
    "SubgraphRecord",
    "load_result",
    "record_of",
    "refuse_other_results",
    "save_result",
]
