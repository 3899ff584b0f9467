"""What the files of every result hold: the input, the subgraphs, the versions, the settings.

Times are left out: the same input, settings and versions give the same bytes on one thread, and on any number
of threads but for the counters.
"""

import csv
import hashlib
import io
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dugraph import UncertainGraphs, __version__
from dugraph.cli.config_file import config_text
from dugraph.cli.ranking import RankedSubgraph
from dugraph.cli.wording import escaped
from dugraph.data import check_labels, class_names


class Source(NamedTuple):
    """The cohort of a result.

    Attributes
    ----------
    data, digest : str
        Its file and the SHA-256 of that.
    graphs, y
        What it holds.
    pos_label : object
        The positive class as it was asked for; None: the greater one.
    """

    data: str
    digest: str
    graphs: UncertainGraphs
    y: Any
    pos_label: object = None


def relative_path(data: str | os.PathLike[str], folder: str | os.PathLike[str]) -> str:
    """The way from a folder to a file, with slashes on every system."""
    return Path(os.path.relpath(os.path.realpath(data), os.path.realpath(folder))).as_posix()


def file_digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def input_record(source: Source, folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The cohort: where it is, its hash, its sizes and classes."""
    graphs, y = source.graphs, source.y
    positive, classes = check_labels(y, graphs.n_graphs, source.pos_label)
    n_pos = int(positive.sum())
    negative_class, positive_class = classes.tolist()
    if y[positive][0] == classes[0]:
        negative_class, positive_class = positive_class, negative_class
    positive_name, negative_name = class_names(graphs, y, source.pos_label)
    # Where the cohort came from, if it says so.
    provenance = graphs.provenance
    return {
        "file": Path(source.data).name,
        "path": relative_path(source.data, folder),
        "sha256": source.digest,
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


def subgraph_record(subgraph: RankedSubgraph, graphs: UncertainGraphs, value_name: str) -> dict[str, Any]:
    """A subgraph with its edges, its frequencies and its value under the name that this has."""
    return {
        "edges": [_edge_record(edge, graphs) for edge in subgraph.edges],
        "expected_frequency": subgraph.frequency,
        "expected_frequency_negative": subgraph.frequency_negative,
        "expected_frequency_positive": subgraph.frequency_positive,
        "rank": subgraph.rank,
        value_name: subgraph.value,
        f"{value_name}_hex": subgraph.value.hex(),
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


def versions_record() -> dict[str, str]:
    """The releases that a result depends on."""
    return {"dugraph": __version__, "numpy": np.__version__, "python": platform.python_version()}


def config_bytes(command: str, source: Source, used: dict[str, Any], features: str) -> bytes:
    """The settings as config.toml, which repeats the run."""
    label = None if source.pos_label is None else str(source.pos_label)
    return config_text(
        f"dugraph {__version__} {command}", {**used, "features": features, "pos_label": label}
    ).encode()


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table; numbers are written exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([repr(cell) if isinstance(cell, float) else cell for cell in row] for row in rows)
    return text.getvalue().encode()


def ranking_bytes(value_name: str, ranked: list[RankedSubgraph], more: dict[str, list[float]]) -> bytes:
    """results.csv: a row for each subgraph, `more` numbers of each by the names of their columns."""
    columns = (
        *("rank", value_name, "n_edges", "expected_frequency", "expected_frequency_positive"),
        *("expected_frequency_negative", *more, "edge_index", "subgraph"),
    )
    rows = []
    for i, s in enumerate(ranked):
        numbers = (s.frequency, s.frequency_positive, s.frequency_negative, *(more[n][i] for n in more))
        # In braces no name comes first in its cell, where a spreadsheet would take "=..." for a formula.
        names = "{" + ", ".join(escaped(name) for name in s.edge_names) + "}"
        rows.append((s.rank, s.value, len(s.edges), *numbers, " ".join(map(str, s.edges)), names))
    return csv_bytes(columns, rows)
