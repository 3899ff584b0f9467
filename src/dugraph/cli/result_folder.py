"""The folder of `mine -o` and `sparse -o`: the record of the run, and the same for other programs."""

import fnmatch
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dugraph import InputError
from dugraph.cli.result_record import Source
from dugraph.cli.transform import transformed_table
from dugraph.estimators.model_file import model_bytes
from dugraph.files.atomic import make_folder, write_files
from dugraph.io.writers.brainnet import brainnet_files
from dugraph.io.writers.graphml import graphml_bytes

# What a run may have written: left from an older run, it would be taken for part of the new one.
_OURS = (
    *("results.json", "results.csv", "config.toml", "model.json", "features.csv", "features.parquet"),
    *("results.graphml", "brainnet.node", "brainnet.edge", "brainnet.*.edge", "path.csv", "report.html"),
)


def write_result_folder(
    folder: str | os.PathLike[str],
    source: Source,
    record: dict[str, bytes],
    estimator: Any,
    features: str = "csv",
    coefficients: Sequence[float] | None = None,
) -> tuple[list[Path], list[str]]:
    """Write all files of a run, or none.

    Parameters
    ----------
    folder : path-like
        Created if it is not there; files of an older run that the new one does not have are removed.
    source : Source
        The cohort.
    record : dict of str to bytes
        The record of the run, by file names.
    estimator : fitted SubgraphSelector or SparseSubgraphClassifier, or None
        What found the subgraphs; None if it found none.
    features : {"csv", "parquet", "none"}
        The form of the matrix of containment probabilities.
    coefficients : sequence of float, optional
        Of the subgraphs, for the weights of edges.

    Returns
    -------
    files : list of Path
    left_out : list of str
        A sentence for each file that could not be made.
    """
    contents = dict(record)
    if estimator is not None:
        contents["model.json"] = model_bytes(estimator)
        if features != "none":
            contents[f"features.{features}"] = transformed_table(features, estimator, source.graphs, source.y)
    if estimator is not None and estimator.subgraphs_:
        graph_files, left_out = _graph_files(source, estimator.subgraphs_, coefficients)
        contents |= graph_files
    else:
        left_out = ["results.graphml and BrainNet Viewer files left out: there is no subgraph."]
    older = [name for name in os.listdir(make_folder(folder)) if any(fnmatch.fnmatch(name, o) for o in _OURS)]
    return write_files(folder, contents, obsolete=older), left_out


def _graph_files(
    source: Source, subgraphs: list[tuple[int, ...]], coefficients: Sequence[float] | None
) -> tuple[dict[str, bytes], list[str]]:
    files, left_out = {}, []
    graphs, y, label = source.graphs, source.y, source.pos_label
    try:
        files["results.graphml"] = graphml_bytes(graphs, y, subgraphs, label, coefficients)
    except InputError as error:
        left_out.append(f"results.graphml left out: {error}")
    try:
        files |= brainnet_files(graphs, subgraphs, coefficients)
    except InputError as error:
        left_out.append(f"brainnet.node and .edge left out: {error}")
    return files, left_out
