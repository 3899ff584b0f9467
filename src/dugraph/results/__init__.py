"""The result folder: one schema for all commands that write one, saved and loaded in one place."""

from dugraph.results.load import load_result, tested_subgraphs
from dugraph.results.paper import PaperText, paper_text
from dugraph.results.records import EvaluationRecord, ReplicationRecord, SubgraphRecord, TestRecord, record_of
from dugraph.results.save import SavedFiles, refuse_other_results, save_result
from dugraph.results.shards import Merged, merge_shards

__all__ = [
    "EvaluationRecord",
    "Merged",
    "PaperText",
    "ReplicationRecord",
    "SavedFiles",
    "SubgraphRecord",
    "TestRecord",
    "load_result",
    "merge_shards",
    "paper_text",
    "record_of",
    "refuse_other_results",
    "save_result",
    "tested_subgraphs",
]
