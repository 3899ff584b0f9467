"""results.json, results.csv and config.toml of `dugraph mine`: what was found, in what, how."""

import os
from typing import Any

from dugraph import MiningResult
from dugraph.cli.ranking import RankedSubgraph, score_summaries
from dugraph.cli.result_record import (
    Source,
    config_bytes,
    input_record,
    ranking_bytes,
    subgraph_record,
    versions_record,
)
from dugraph.files.json_text import finite, json_bytes
from dugraph.search.result import COUNTERS

_SUMMARY = ("expectation", "standard_deviation", "median", "mode", "phi_probability")


def result_files(
    source: Source,
    folder: str | os.PathLike[str],
    settings: dict[str, Any],
    result: MiningResult,
    ranked: list[RankedSubgraph],
    features: str,
) -> dict[str, bytes]:
    """Give the contents of the three files by their names.

    Parameters
    ----------
    source : Source
        What was mined.
    folder : path-like
        Where the files are to be written.
    settings : dict
        The search options as they were given.
    result, ranked
        What was found.
    features : str
        The form of the matrix of features, for the record.
    """
    summaries = score_summaries(result, source.graphs, source.y, settings)
    record = {
        "command": "mine",
        "counters": {name: getattr(result, name) for name in COUNTERS},
        "input": input_record(source, folder),
        "parameters": result.parameters,
        "proof": {
            "best_open_bound": finite(result.best_open_bound),
            "gap": finite(result.gap),
            "message": result.message,
            "status": result.status.value,
            "success": result.success,
            "threshold": finite(result.threshold),
        },
        "subgraphs": [
            {**subgraph_record(subgraph, source.graphs, "value"), "score_distribution": summary}
            for subgraph, summary in zip(ranked, summaries, strict=True)
        ],
        "versions": versions_record(),
    }
    used = {**settings, **{k: v for k, v in result.parameters.items() if k in settings and v is not None}}
    used["quantile"] = result.parameters["quantile"]  # None if another measure ranked
    more = {name: [summary[name] for summary in summaries] for name in _SUMMARY}
    return {
        "results.json": json_bytes(record),
        "results.csv": ranking_bytes("value", ranked, more),
        "config.toml": config_bytes("mine", source, used, features),
    }
