"""`save_result`: the files of a result, written into one folder."""

from __future__ import annotations

import dataclasses
import fnmatch
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import check_kind, check_word
from dugraph.data.cohort_file import cohort_bytes
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.exceptions import InputError, Spoken
from dugraph.files.atomic import check_path, write_folder
from dugraph.files.text import escaped, json_bytes, run_id
from dugraph.probability import SCORES
from dugraph.results import schema
from dugraph.results.cohort_ref import OWN_FILE, CohortRef, PathLike, input_record
from dugraph.results.load import BLOCKS_FILE, FORECASTS_FILE, MAXIMA_FILE, TABLES_ONLY
from dugraph.results.paper import PAPER_FILES, paper_files
from dugraph.results.records import (
    EvaluationRecord,
    RankedSubgraph,
    ReplicationRecord,
    ResultRecord,
    SubgraphRecord,
    TestRecord,
    record_of,
)
from dugraph.results.tables import (
    NO_SUBGRAPH,
    cell,
    csv_bytes,
    frequency_columns,
    graph_files,
    in_braces,
    ranking_columns,
    score_summaries,
    table_bytes,
    transformed_table,
)
from dugraph.settings import OF_RESULTS, EvaluateSettings, FolderSettings
from dugraph.significance import SignificanceResult
from dugraph.significance.replication import aligned_subgraphs

# Files of an older run that would be taken for part of the new one.
_OURS = (
    *("results.json", "results.csv", "config.toml", "model.json", "features.csv", "features.parquet"),
    *("results.graphml", "brainnet.node", "brainnet.edge", "brainnet.*.edge", "path.csv", "report.html"),
    *(MAXIMA_FILE, BLOCKS_FILE, *PAPER_FILES),
)
# An evaluation always writes the same files, but for these.
_OF_EVALUATION = ("report.html", FORECASTS_FILE)
_SUMMARY = ("expectation", "standard_deviation", "median", "mode", "phi_probability")
_PATH_COLUMNS = ("alpha", "n_nonzero", "objective", "duality_gap", "cv_loss_mean", "cv_loss_sd")
_BLOCK_COLUMNS = ("rank", "block", "n_graphs", "effect", "effect_lower", "effect_upper")


class FolderFiles(NamedTuple):
    """The files of a folder, older ones that do not belong to it, and a sentence for each that is missing."""

    contents: dict[str, bytes]
    obsolete: list[str]
    left_out: list[str]


class SavedFiles(NamedTuple):
    """The files of a folder, and a sentence for each that could not be made."""

    files: list[Path]
    left_out: list[str]


def save_result(
    result: Any,
    folder: PathLike,
    X: Any = None,
    y: Any = None,
    *,
    pos_label: object = None,
    data: PathLike | None = None,
    features: str = "csv",
    title: str = "",
    settings: Mapping[str, Any] | None = None,
) -> SavedFiles:
    """Write a result into a folder, as the command line does.

    Parameters
    ----------
    result : MiningResult, fitted sparse model, SignificanceResult, ReplicationResult or EvaluationResult
        The result of `mine_subgraphs`, a fit, `significant_subgraphs`, `replicate` or `evaluate`.
    folder : path-like
        Created if it is not there; files of an older run that the new one does not have are removed. Results
        of another command are refused.
    X : UncertainGraphs, array-like of shape (n_graphs, n_edges) or LabelledGraphs
        The graphs that the result is about; of a replication, the second cohort, and of `find_and_replicate`
        all graphs.
    y : array-like of shape (n_graphs,)
        Their classes, or what was mined or tested in place of them; left out with LabelledGraphs.
    pos_label : object, default None
        The positive class; None: the last in sorted order.
    data : path-like, default None
        The cohort file, to which the folder then refers; `X` and `y` may be left out. None: the cohort is
        written into the folder, as ``cohort.npz``.
    features : {"csv", "parquet", "none"}, default "csv"
        The form of the matrix of containment probabilities.
    title : str
        A caption for the tables of an evaluation.
    settings : mapping, default None
        What else the run was given, such as `n_jobs` and `time_limit`, for config.toml; where something else
        than the labels of the cohort was mined or tested, `phenotype` names its column.

    Returns
    -------
    SavedFiles
        ``files``, and in ``left_out`` a sentence for each file that could not be made.

    Examples
    --------
    >>> import tempfile
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("hiv", random_state=0)
    >>> result = dg.mine_subgraphs(graphs, y, n_subgraphs=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = dg.save_result(result, folder, graphs, y)
    ...     dg.load_result(folder).result.subgraphs == result.subgraphs
    True
    """
    record: ResultRecord = record_of(result, X, y, pos_label=pos_label, data=data, settings=settings)
    check_word("features", features, ("csv", "parquet", "none"))
    check_kind(title, str, "title")
    contents, obsolete, left_out = folder_files(record, folder, features=features, title=title)
    return SavedFiles(write_folder(folder, contents, obsolete, last=record_file(record)), left_out)


def folder_files(
    record: ResultRecord,
    folder: PathLike,
    *,
    features: str = "csv",
    title: str = "",
    replication: ReplicationRecord | None = None,
    with_text: bool = True,
) -> FolderFiles:
    """Return what `save_result` writes into a folder.

    The text for a paper about a test also describes its `replication` in the holdout.
    """
    refuse_other_results(folder, record.command)
    left_out: list[str] = []
    present = os.listdir(folder) if os.path.isdir(check_path(folder, "folder")) else []
    ours = _OF_EVALUATION if isinstance(record, EvaluationRecord) else _OURS
    older = [name for name in present if any(fnmatch.fnmatch(name, one) for one in ours)]
    if isinstance(record, EvaluationRecord):
        contents = _evaluation_files(record, folder, title)
    elif isinstance(record, SubgraphRecord):
        contents, left_out = _subgraph_files(record, folder, features)
    elif isinstance(record, TestRecord):
        contents, left_out = _test_files(record, folder)
    else:
        contents, left_out = _replication_files(record, folder)
    if with_text and not isinstance(record, EvaluationRecord):
        contents |= paper_files(record, replication)
    if record.source.path is None:
        contents[OWN_FILE] = _own_cohort(record.source, Path(folder) / OWN_FILE)
    return FolderFiles(contents, older, left_out)


def record_file(record: ResultRecord) -> str:
    """Name the file that records the result; it is written last."""
    return "evaluation.json" if isinstance(record, EvaluationRecord) else "results.json"


def settings_used(record: ResultRecord, **others: Any) -> FolderSettings:
    """The settings of a run, for config.toml: those of its result, then those it was given, then defaults.

    `others` are options that neither has, such as the format of the features.
    """
    settings, source, given = OF_RESULTS[record.command], record.source, record.settings
    options, evaluated = settings.options(), isinstance(record, EvaluationRecord)
    known = {name: record.asked[name] for name in options if record.asked.get(name) not in (None, [])}
    # The methods of an evaluation are recorded by their names, and given as "all".
    used = {**known, **given} if evaluated else {**given, **known}
    used["phenotype"] = source.phenotype if isinstance(record, SubgraphRecord) else record.phenotype
    if "where" in options:
        used["where"] = source.where
    if "target" in options and not evaluated:
        kind = record.asked.get("labels", source.cohort.kind)
        used["target"] = given.get("target") if kind == CLASSES else kind
    if "pos_label" in options:
        used["pos_label"] = None if source.pos_label is None else str(source.pos_label)
    return settings.of({**used, **others})


def _own_cohort(source: CohortRef, file: Path) -> bytes:
    if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() != source.sha256:
        raise InputError(
            f"{file}: the cohort of the result would be written here, but another cohort is already here. "
            "Choose another folder, or name the cohort file as data."
        )
    whole = source.whole or source.cohort
    return cohort_bytes(whole.graphs, whole.y)


# ---------------------------------------------------------------- parts of every results.json


def _files(
    record: ResultRecord,
    folder: PathLike,
    content: Mapping[str, Any],
    table: Mapping[str, Sequence[Any]],
    **others: Any,
) -> dict[str, bytes]:
    """The files of every result but an evaluation: `content` is added to what every results.json has.

    `others` are options for config.toml, as for `settings_used`.
    """
    csv = table_bytes(table)
    common = {
        "command": record.command,
        "input": input_record(record.source, folder),
        "versions": record.versions,
        "run_id": run_id(csv),
    }
    return {
        "results.json": json_bytes(msgspec.to_builtins({**common, **content})),
        "results.csv": csv,
        "config.toml": settings_used(record, **others).to_toml(),
    }


def _subgraphs(found: Sequence[RankedSubgraph], cohort: LabelledGraphs) -> dict[str, Sequence[Any]]:
    """The members of every listed subgraph, as columns."""
    frequencies: dict[str, Any] = frequency_columns(found, cohort)
    if cohort.kind == GROUPS:
        by_group = [dict(zip(cohort.group_names, one.by_group, strict=True)) for one in found]
        total = frequencies["expected_frequency"]
        frequencies = {"expected_frequency": total, "expected_frequency_by_group": by_group}
    return {
        "rank": [one.rank for one in found],
        "edges": [_edges(one.edges, cohort.graphs.naming) for one in found],
        **frequencies,
    }


def _edges(edges: Sequence[int], naming: SubgraphNaming) -> list[schema.Edge]:
    return [schema.Edge(edge, *naming.edge_ends(edge)) for edge in edges]


# ---------------------------------------------------------------- searches and sparse models


def _subgraph_files(
    record: SubgraphRecord, folder: PathLike, features: str
) -> tuple[dict[str, bytes], list[str]]:
    from dugraph.estimators.model_file import model_bytes

    cohort, found = record.cohort, record.subgraphs
    write, model = (_fit_files, record.result) if record.is_fit else (_search_files, _selector(record))
    content = {"parameters": record.parameters, "proof": record.proof, "counters": record.counters}
    contents = write(record, folder, content, features)
    if model is not None:
        contents["model.json"] = model_bytes(model)
        if features != "none":
            label = PHENOTYPE if cohort.kind == PHENOTYPE else "class"
            table = transformed_table(features, model, cohort.graphs, cohort.y, label)
            contents[f"features.{features}"] = table
    if not found:
        return contents, [NO_SUBGRAPH]
    coefficients = [one.value for one in found] if record.is_fit else None
    pictures, left_out = graph_files(cohort, [one.edges for one in found], coefficients)
    return contents | pictures, left_out


def _search_files(
    record: SubgraphRecord, folder: PathLike, content: dict[str, Any], features: str
) -> dict[str, bytes]:
    asked, found, result = record.parameters, record.subgraphs, record.result
    given, columns = schema.columns(result, schema.MinedSubgraph), dict[str, Sequence[Any]]()
    members = _subgraphs(found, record.cohort) | given
    # The distribution of a user's own function, or of a weighted count, is not known by its name.
    if found and asked["score"] in SCORES and "labels" not in asked:
        used: Any = settings_used(record)
        summaries = score_summaries(result.subgraphs, record.cohort, asked["score"], used.phi, used.score_cap)
        members["score_distribution"] = summaries
        columns = {name: [summary[name] for summary in summaries] for name in _SUMMARY}
    if "effect" in given:
        columns["effect"] = given["effect"]
    if "contrast" in given:
        columns["contrast"] = list(map(escaped, given["contrast"]))
    if record.p_values is not None:
        members["p_value"] = list(record.p_values)
        columns["p_value"] = ["" if p is None else p for p in record.p_values]
    first: dict[str, Any] = {"value": given["value"], "n_edges": list(map(len, result.subgraphs))}
    table = ranking_columns(found, record.cohort, first, columns)
    others = {"features": features, "test": record.p_values is not None}
    return _files(record, folder, {**content, "subgraphs": schema.rows(members)}, table, **others)


def _fit_files(
    record: SubgraphRecord, folder: PathLike, content: dict[str, Any], features: str
) -> dict[str, bytes]:
    found, models = record.subgraphs, record.models
    values = [one.value for one in found]
    members = _subgraphs(found, record.cohort) | {"coefficient": values}
    if models:
        coefficients = {one.group: one.coefficients for one in models}
        members["coefficient_by_group"] = schema.rows(coefficients)
        names = ("group", "alpha", "objective", "duality_gap", "intercept")
        content["models"] = [
            {name: getattr(one, name) for name in names} | {"covariates": _covariates(one.covariates)}
            for one in models
        ]
    else:
        content["intercept"] = record.intercept
    if record.covariates:
        content["covariates"] = _covariates(record.covariates)
    content["subgraphs"] = schema.rows(members)
    columns = {f"coefficient of {escaped(one.group)}": one.coefficients for one in models}
    first: dict[str, Any] = {"coefficient": values, "n_edges": [len(one.edges) for one in found]}
    table = ranking_columns(found, record.cohort, first, columns)
    paths = [([in_braces(one.group)], one.path) for one in models] or [([], record.path)]
    heads = (*(("group",) if models else ()), *_PATH_COLUMNS)
    path = csv_bytes(heads, [[*group, *one] for group, path in paths for one in path])
    return {**_files(record, folder, content, table, features=features), "path.csv": path}


def _covariates(coefficients: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"name": name, "coefficient": value} for name, value in coefficients]


def _selector(record: SubgraphRecord) -> Any:
    """The selector that would have found the subgraphs; None if there are none."""
    if not record.subgraphs:
        return None
    from dugraph.estimators.selector import selector_of_result

    # Times are left out, so that equal runs give equal bytes.
    timeless = dataclasses.replace(record.result, seconds=0.0, setup_seconds=0.0)
    arguments = {**settings_used(record).arguments(), "pos_label": record.source.pos_label}
    del arguments["covariates"]  # which a selector does not take
    return selector_of_result(record.cohort, timeless, **arguments)


# ---------------------------------------------------------------- tests and replications


def _test_files(record: TestRecord, folder: PathLike) -> tuple[dict[str, bytes], list[str]]:
    result, cohort, found = record.result, record.cohort, record.subgraphs
    members = _subgraphs(found, cohort) | schema.columns(result, schema.TestedSubgraph)
    content = _test_content(result, record.phenotype, members)
    if record.plan is not None:
        content["plan"] = record.plan
    first: dict[str, Any] = {
        **schema.columns(result, schema.TestedSubgraph, float),
        "contrast": list(map(cell, result.contrasts)),
        "n_edges": result.sizes.tolist(),
        "representative": result.representative.astype(int).tolist(),
    }
    table = ranking_columns(found, cohort, first, {})
    contents = _files(record, folder, content, table) | {MAXIMA_FILE: _maxima_table(result)}
    if not len(result):
        return contents, [NO_SUBGRAPH]
    # Edge-disjoint ones only, each at its rank: the others are variations of these.
    drawn = [g if chosen else () for g, chosen in zip(result.subgraphs, result.representative, strict=True)]
    pictures, left_out = graph_files(cohort, drawn, result.effects.tolist(), "effect")
    return contents | pictures, left_out


def _maxima_table(result: SignificanceResult) -> bytes:
    rows = [(r, *row) for r, row in enumerate(result.null_maxima.tolist())]
    return csv_bytes(["permutation", *result.size_classes], rows)


def _test_content(
    result: SignificanceResult, phenotype: str | None, members: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """The members of `schema.Test`, with those of the subgraphs as columns."""
    best = [None if one is None else _edges(one, result.naming) for one in result.best_subgraphs]
    size_classes = schema.columns(result, schema.SizeClass) | {"best_subgraph": best}
    return {
        "message": result.message,
        "parameters": result.parameters,
        "phenotype": phenotype,
        "permutations": schema.PermutationCounts.of(result),
        "size_classes": schema.rows(size_classes),
        "subgraphs": schema.rows(members),
    }


def _replication_files(record: ReplicationRecord, folder: PathLike) -> tuple[dict[str, bytes], list[str]]:
    result, found = record.result, record.result.discovery
    first_ranks = [found.subgraphs.index(g) + 1 for g in result.subgraphs]
    ranks = {"rank": list(range(1, len(result) + 1)), "first_rank": first_ranks}
    edges = {g: _edges(g, found.naming) for g in found.subgraphs}
    discovered = {"edges": list(edges.values()), **schema.columns(found, schema.DiscoveredSubgraph)}
    # For each block, [effect, lower, upper] of each subgraph.
    effects = np.dstack([result.block_effects, result.block_intervals]).transpose(1, 0, 2).tolist()
    blocks = list(zip(result.block_names, result.block_sizes.tolist(), effects, strict=True))
    members: dict[str, list[Any]] = {**ranks, "edges": [edges[g] for g in result.subgraphs]}
    content = {
        "discovery": _test_content(found, record.phenotype, discovered),
        "message": result.message,
        "parameters": result.parameters,
        "permutations": schema.PermutationCounts.of(result),
        "phenotype": record.phenotype,
        "subgraphs": schema.rows(members | schema.columns(result, schema.ReplicatedSubgraph)),
        **({} if record.first is None else {"first_input": record.first}),
        **({"blocks": [schema.BlockEffects(*one) for one in blocks]} if blocks else {}),
    }
    table = {
        **ranks,
        "replicated": result.replicated.astype(int).tolist(),
        **schema.columns(result, schema.ReplicatedSubgraph, float),
        "contrast": list(map(cell, result.contrasts)),
        "n_edges": list(map(len, result.subgraphs)),
        "subgraph": [
            "{" + ", ".join(escaped(found.naming.edge_name(edge)) for edge in g) + "}"
            for g in result.subgraphs
        ],
    }
    contents = _files(record, folder, content, table) | {MAXIMA_FILE: _maxima_table(found)}
    if blocks:
        rows = [(k + 1, cell(name), n, *of_all[k]) for k in range(len(result)) for name, n, of_all in blocks]
        contents[BLOCKS_FILE] = csv_bytes(_BLOCK_COLUMNS, rows)
    if not result.replicated.any():
        return contents, ["results.graphml and BrainNet Viewer files not written: nothing was confirmed."]
    aligned = aligned_subgraphs(found, result.subgraphs, record.cohort.graphs)
    drawn = [g or () if yes else () for g, yes in zip(aligned, result.replicated, strict=True)]
    pictures, left_out = graph_files(record.cohort, drawn, result.effects.tolist(), "effect")
    return contents | pictures, left_out


# ---------------------------------------------------------------- evaluations


def _evaluation_files(record: EvaluationRecord, folder: PathLike, title: str) -> dict[str, bytes]:
    """All files of an evaluation; `title` is the caption of its tables."""
    from dugraph.io.writers import feature_table

    result = record.result
    unused = EvaluateSettings.unused(result.task == CLASSES)
    contents = {
        **result.files(title),
        "config.toml": settings_used(record).to_toml(without=unused),
        "input.json": json_bytes(msgspec.to_builtins(input_record(record.source, folder, brief=True))),
    }
    held = result.held_out
    if held is not None:
        # A row for each graph: its phenotype, and the forecast of each method.
        names = [f"{method} t={t}" for method, t in held.forecasts]
        values = np.column_stack(list(held.forecasts.values()))
        contents[FORECASTS_FILE] = feature_table(
            "csv", held.graph_ids, names, values, held.observed, label="observed"
        )
    return contents


# ---------------------------------------------------------------- the command of a folder


def refuse_other_results(folder: PathLike, command: str) -> None:
    """Refuse a folder with results of another command than `command`, whose files would be overwritten."""
    check_word("command", command, (*OF_RESULTS, *TABLES_ONLY))
    home = Path(check_path(folder, "folder"))
    # An interrupted evaluation has left only its cells, from which it can resume.
    evaluated = (home / "evaluation.json").exists() or (home / "cache" / "cells").exists()
    for other in ("evaluate" if evaluated else None, schema.command_of(home / "results.json")):
        if other not in (None, command):
            raise InputError(
                f"{folder}: a folder holds the results of one command, but this one has those of `dugraph "
                f"{other}`, whose files have the same names as those of `dugraph {command}`.",
                way_out=("Choose another folder", Spoken("", " with -o"), "."),
            )
