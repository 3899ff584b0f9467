"""The folder of `dugraph mine -o`: the record of the run, and the same subgraphs for other programs."""

import dataclasses
import fnmatch
import os
from pathlib import Path
from typing import Any

from dugraph import InputError, MiningResult, UncertainGraphs
from dugraph.cli.ranking import RankedSubgraph
from dugraph.cli.result_files import result_files
from dugraph.data.atomic import make_folder, write_files
from dugraph.estimators.fitted_selector import selector_of_result
from dugraph.estimators.model_file import model_bytes
from dugraph.io.brainnet import brainnet_files
from dugraph.io.feature_table import feature_table
from dugraph.io.write_graphml import graphml_bytes

# What a run may have written: left from an older run, it would be taken for part of the new one.
_OURS = (
    *("results.json", "results.csv", "config.toml", "model.json", "features.csv", "features.parquet"),
    *("results.graphml", "brainnet.node", "brainnet.edge", "brainnet.*.edge", "report.html"),
)


def write_result_folder(
    folder: str | os.PathLike[str],
    data: str,
    digest: str,
    graphs: UncertainGraphs,
    y: Any,
    settings: dict[str, Any],
    result: MiningResult,
    ranked: list[RankedSubgraph],
    features: str = "csv",
) -> tuple[list[Path], list[str]]:
    """Write all files of a run, or none.

    Parameters
    ----------
    folder : path-like
        Created if it is not there; files of an older run that the new one does not have are removed.
    data, digest, graphs, y, settings, result, ranked
        As for `result_files`.
    features : {"csv", "parquet", "none"}
        The form of the matrix of containment probabilities.

    Returns
    -------
    files : list of Path
    left_out : list of str
        A sentence for each file that could not be made.
    """
    contents = result_files(data, digest, folder, graphs, y, settings, result, ranked, features)
    if result.subgraphs:
        graph_files, left_out = _graph_files(graphs, y, settings, result)
        contents |= _model_files(graphs, y, settings, result, features) | graph_files
    else:
        left_out = ["only the record is written: no subgraph was found before the search stopped."]
    older = [name for name in os.listdir(make_folder(folder)) if any(fnmatch.fnmatch(name, o) for o in _OURS)]
    return write_files(folder, contents, obsolete=older), left_out


def _graph_files(
    graphs: UncertainGraphs, y: Any, settings: dict[str, Any], result: MiningResult
) -> tuple[dict[str, bytes], list[str]]:
    files, left_out = {}, []
    try:
        files["results.graphml"] = graphml_bytes(graphs, y, result.subgraphs, settings["pos_label"])
    except InputError as error:
        left_out.append(f"results.graphml left out: {error}")
    try:
        files |= brainnet_files(graphs, result.subgraphs)
    except InputError as error:
        left_out.append(f"brainnet.node and .edge left out: {error}")
    return files, left_out


def _model_files(
    graphs: UncertainGraphs, y: Any, settings: dict[str, Any], result: MiningResult, features: str
) -> dict[str, bytes]:
    # Times are left out here too, so that equal runs give equal bytes.
    timeless = dataclasses.replace(result, seconds=0.0, setup_seconds=0.0)
    given = {name: value for name, value in settings.items() if value is not None}
    selector = selector_of_result(graphs, y, timeless, **given)
    files = {"model.json": model_bytes(selector)}
    if features == "none":
        return files
    table = feature_table(features, graphs.graph_ids, result.names, selector.transform(graphs), y)
    return files | {f"features.{features}": table}
