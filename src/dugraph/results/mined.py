"""A search as a record, its own files, and the search made of a record again."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate
from dugraph.data.labels import CLASSES
from dugraph.exceptions import InputError
from dugraph.files.text import escaped, finite, json_bytes, run_id
from dugraph.probability import SCORES
from dugraph.results.ranking import RankedSubgraph, RankedSubgraphs, score_summaries
from dugraph.results.read_subgraphs import read_numbers
from dugraph.results.record import SubgraphRecord
from dugraph.results.rules import TEXT, check_value
from dugraph.results.source import PathLike, Source
from dugraph.results.tables import ranking_bytes, settings_used, versions_record
from dugraph.search import MiningResult, Status
from dugraph.search.result import COUNTERS
from dugraph.settings import MineSettings

_SUMMARY = ("expectation", "standard_deviation", "median", "mode", "phi_probability")


def mined_record(result: MiningResult, source: Source, settings: Mapping[str, Any]) -> SubgraphRecord:
    """Make the record of a search; `settings` are the options that it was given, as far as they are known."""
    cohort = source.cohort
    positive = cohort.positive_class if cohort.kind == CLASSES else None
    asked = result.parameters.get("labels", CLASSES)
    if asked != cohort.kind:
        raise InputError(
            f"The labels of the cohort must be those of the search, which were {asked}, but these are "
            f"{cohort.kind}. Pass as y what was mined."
        )
    if result.positive_class != positive:
        raise InputError(
            f"The positive class must be that of the search, {abbreviate(repr(result.positive_class))}, but "
            f"is {abbreviate(repr(positive))}. Give it as pos_label."
        )
    return SubgraphRecord(
        command="mine",
        source=source,
        subgraphs=RankedSubgraphs(result.subgraphs, result.values.tolist(), source.cohort),
        parameters=dict(sorted(result.parameters.items())),  # as they come back from a file
        proof={
            "best_open_bound": finite(result.best_open_bound),
            "gap": finite(result.gap),
            "message": result.message,
            "status": result.status.value,
            "success": result.success,
            "threshold": finite(result.threshold),
        },
        counters={name: getattr(result, name) for name in COUNTERS},
        versions=versions_record(),
        make_result=lambda: result,
        settings=settings,
        seconds=result.seconds,
    )


def mined_files(record: SubgraphRecord, folder: PathLike, features: str) -> dict[str, bytes]:
    """The record of the run in three files."""
    asked, cohort = record.parameters, record.cohort
    given = _settings(record)
    summaries: list[dict[str, Any]] = []
    # The distribution of a function of the user's is not known by its name, nor that of a weighted count.
    if asked["score"] in SCORES and "labels" not in asked:
        summaries = score_summaries(
            record.result.subgraphs, cohort, asked["score"], given.phi, given.score_cap
        )
    more: list[dict[str, Any]] = [{"score_distribution": summary} for summary in summaries] or [
        {} for _ in record.subgraphs
    ]
    columns: dict[str, Sequence[Any]] = {}
    if summaries:
        columns = {name: [summary[name] for summary in summaries] for name in _SUMMARY}
    for name, told in (("effect", record.result.effects), ("contrast", record.result.contrasts)):
        if told is not None:
            cells = list(told) if name == "contrast" else told.tolist()
            more = [{**one, name: cell} for one, cell in zip(more, cells, strict=True)]
            columns[name] = [escaped(cell) for cell in cells] if name == "contrast" else cells
    if record.p_values is not None:
        more = [{**one, "p_value": p} for one, p in zip(more, record.p_values, strict=True)]
        columns["p_value"] = ["" if p is None else p for p in record.p_values]
    table = ranking_bytes("value", record.subgraphs, cohort, columns)
    return {
        "results.json": json_bytes(record.to_json(folder, more) | {"run_id": run_id(table)}),
        "results.csv": table,
        "config.toml": _settings(record, features=features, test=record.p_values is not None).to_toml(),
    }


def mined_model(record: SubgraphRecord) -> Any:
    """The selector that would have found the subgraphs; None if there are none."""
    if not record.subgraphs:
        return None
    from dugraph.estimators.selector import selector_of_result

    # Times are left out, so that equal runs give equal bytes.
    timeless = dataclasses.replace(record.result, seconds=0.0, setup_seconds=0.0)
    arguments = {**_settings(record).arguments(), "pos_label": record.source.pos_label}
    del arguments["covariates"]  # which a selector does not take
    return selector_of_result(record.cohort, timeless, **arguments)


def _settings(record: SubgraphRecord, **others: Any) -> MineSettings:
    used = settings_used("mine", record.parameters, record.settings, record.source, **others)
    assert isinstance(used, MineSettings)
    return used


def restored_search(
    file: Path, record: dict[str, Any], found: list[RankedSubgraph], cohort: LabelledGraphs
) -> MiningResult:
    """The search as its record tells it; times are 0, since records have none."""
    proof = record["proof"]
    status = Status(proof["status"])
    # What is null was infinite: nothing left open when proven, and no bound known when not.
    nothing = -math.inf if status is Status.OPTIMAL else math.inf
    bound, threshold = proof["best_open_bound"], proof["threshold"]
    entries = record["subgraphs"]
    effects, contrasts = read_numbers(file, "effect", entries), None
    if entries and "contrast" in entries[0]:
        contrasts = [check_value(file, "contrast", entry.get("contrast"), TEXT) for entry in entries]
    return MiningResult(
        subgraphs=[one.edges for one in found],
        values=np.array([one.value for one in found], dtype=np.float64),
        status=status,
        message=proof["message"],
        threshold=-math.inf if threshold is None else float(threshold),
        best_open_bound=nothing if bound is None else float(bound),
        **{name: record["counters"][name] for name in COUNTERS},
        seconds=0.0,
        setup_seconds=0.0,
        parameters=record["parameters"],
        naming=cohort.graphs.naming,
        positive_class=cohort.positive_class if cohort.kind == CLASSES else None,
        effects=None if effects is None else np.array(effects),
        contrasts=contrasts,
    )
