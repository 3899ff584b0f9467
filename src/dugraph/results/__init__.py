"""The result folder: one schema, saved and loaded by everyone: for mine, sparse, test and evaluate."""

from dugraph.results.load import load_result, refuse_other_results
from dugraph.results.record import EvaluationRecord, SubgraphRecord
from dugraph.results.save import SavedFiles, record_of, save_result
from dugraph.results.shards import Merged, merge_shards
from dugraph.results.tested import TestRecord

__all__ = [
    "EvaluationRecord",
    "Merged",
    "SavedFiles",
    "SubgraphRecord",
    "TestRecord",
    "load_result",
    "merge_shards",
    "record_of",
    "refuse_other_results",
    "save_result",
]
