"""The result folder: one schema for mine, sparse, test and evaluate, saved and loaded in one place."""

from dugraph.results.load import load_result, refuse_other_results
from dugraph.results.records import EvaluationRecord, SubgraphRecord, TestRecord, record_of
from dugraph.results.save import SavedFiles, save_result
from dugraph.results.shards import Merged, merge_shards

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
