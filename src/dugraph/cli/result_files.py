"""results.json, results.csv and config.toml: what was found, in what, how.

Times are left out: the same input, settings and versions give the same bytes on one thread, and on any number
of threads but for the counters.
"""

import csv
import hashlib
import io
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

from dugraph import MiningResult, UncertainGraphs, __version__
from dugraph.cli.config_file import config_text
from dugraph.cli.json_text import finite, json_bytes
from dugraph.cli.ranking import RankedSubgraph
from dugraph.cli.score_summary import score_summaries
from dugraph.cli.wording import escaped
from dugraph.data import check_labels, class_names

_COUNTERS = ("n_visited", "n_candidates", "n_evaluated", "n_pruned_by_frequency", "n_pruned_by_bound")
_SUMMARY = ("expectation", "standard_deviation", "median", "mode", "phi_probability")
_CSV_COLUMNS = (
    *("rank", "value", "n_edges", "expected_frequency", "expected_frequency_positive"),
    *("expected_frequency_negative", *_SUMMARY, "edge_index", "subgraph"),
)


def relative_path(data: str | os.PathLike[str], folder: str | os.PathLike[str]) -> str:
    """The way from a folder to a file, with slashes on every system."""
    return Path(os.path.relpath(os.path.realpath(data), os.path.realpath(folder))).as_posix()


def file_digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def result_files(
    data: str,
    digest: str,
    folder: str | os.PathLike[str],
    graphs: UncertainGraphs,
    y: Any,
    settings: dict[str, Any],
    result: MiningResult,
    ranked: list[RankedSubgraph],
    features: str,
) -> dict[str, bytes]:
    """Give the contents of the three files by their names.

    Parameters
    ----------
    data, digest : str
        The cohort file and its SHA-256.
    folder : path-like
        Where the files are to be written.
    graphs, y
        What it holds.
    settings : dict
        The search options as they were given.
    result, ranked
        What was found.
    features : str
        The form of the matrix of features, for the record.
    """
    summaries = score_summaries(result, graphs, y, settings)
    record = {
        "counters": {name: getattr(result, name) for name in _COUNTERS},
        "input": {
            "file": Path(data).name,
            "path": relative_path(data, folder),
            "sha256": digest,
            **_cohort_record(graphs, y, settings["pos_label"]),
        },
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
            {**_subgraph_record(subgraph, graphs), "score_distribution": summary}
            for subgraph, summary in zip(ranked, summaries, strict=True)
        ],
        "versions": {"dugraph": __version__, "numpy": np.__version__, "python": platform.python_version()},
    }
    used = {**settings, **{k: v for k, v in result.parameters.items() if k in settings and v is not None}}
    used["features"] = features
    used["pos_label"] = None if settings["pos_label"] is None else str(settings["pos_label"])
    return {
        "results.json": json_bytes(record),
        "results.csv": _csv(ranked, summaries),
        "config.toml": config_text(f"dugraph {__version__} mine", used).encode(),
    }


def _cohort_record(graphs: UncertainGraphs, y: Any, pos_label: object) -> dict[str, Any]:
    positive, classes = check_labels(y, graphs.n_graphs, pos_label)
    n_pos = int(positive.sum())
    negative_class, positive_class = classes.tolist()
    if y[positive][0] == classes[0]:
        negative_class, positive_class = positive_class, negative_class
    positive_name, negative_name = class_names(graphs, y, pos_label)
    # Where the cohort came from, if it says so.
    provenance = graphs.provenance
    return {
        "n_edges": graphs.n_edges,
        "n_graphs": graphs.n_graphs,
        "n_neg": graphs.n_graphs - n_pos,
        "n_nodes": graphs.n_nodes,
        "n_pos": n_pos,
        "negative_class": str(negative_class),
        "negative_name": negative_name,
        "positive_class": str(positive_class),
        "positive_name": positive_name,
        **({} if provenance is None else {"provenance": provenance}),
    }


def _subgraph_record(subgraph: RankedSubgraph, graphs: UncertainGraphs) -> dict[str, Any]:
    return {
        "edges": [_edge_record(edge, graphs) for edge in subgraph.edges],
        "expected_frequency": subgraph.frequency,
        "expected_frequency_negative": subgraph.frequency_negative,
        "expected_frequency_positive": subgraph.frequency_positive,
        "rank": subgraph.rank,
        "value": subgraph.value,
        "value_hex": subgraph.value.hex(),
    }


def _edge_record(edge: int, graphs: UncertainGraphs) -> dict[str, Any]:
    nodes = sorted(int(node) for node in graphs.edges[edge])
    record: dict[str, Any] = {
        "index": edge,
        "nodes": nodes,
        "node_labels": [graphs.node_labels[node] for node in nodes],
    }
    if graphs.edge_layers is not None:
        record["layer"] = graphs.edge_layers[edge]
    return record


def _csv(ranked: list[RankedSubgraph], summaries: list[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for s, summary in zip(ranked, summaries, strict=True):
        numbers = (s.frequency, s.frequency_positive, s.frequency_negative, *(summary[n] for n in _SUMMARY))
        # In braces no name comes first in its cell, where a spreadsheet would take "=..." for a formula.
        names = "{" + ", ".join(escaped(name) for name in s.edge_names) + "}"
        writer.writerow(
            [s.rank, repr(s.value), len(s.edges), *map(repr, numbers), " ".join(map(str, s.edges)), names]
        )
    return text.getvalue().encode()
