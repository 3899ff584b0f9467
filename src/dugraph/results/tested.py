"""A test of significance as a record, and its own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate
from dugraph.exceptions import InputError
from dugraph.files.text import escaped, finite, json_bytes, run_id
from dugraph.results.edges import edges_json
from dugraph.results.graph_files import NO_SUBGRAPH, graph_files
from dugraph.results.ranking import RankedSubgraph, RankedSubgraphs
from dugraph.results.record import subgraph_json
from dugraph.results.rules import COUNT
from dugraph.results.source import PathLike, Source, full_input
from dugraph.results.tables import csv_bytes, frequency_columns, settings_used, versions_record
from dugraph.significance import SignificanceResult

TEST = "test"
OWN_TEST = "test"
"""The folder within that of a search which holds the test made with it."""
MAXIMA_FILE = "null_maxima.csv"
_COLUMNS = (
    *("rank", "p_value", "statistic", "effect", "effect_lower", "effect_upper", "partial_correlation"),
    *("contrast", "n_edges", "representative", "expected_frequency"),
)


@dataclass(frozen=True)
class TestRecord:
    """A test of significance and its cohort.

    Attributes
    ----------
    source : Source
        The cohort and its file.
    result : SignificanceResult
    phenotype : str or None
        What was tested; None: the two classes of the cohort.
    settings : mapping
        What `significant_subgraphs` was given, for config.toml; empty if it was read from a folder.
    versions : dict
        As in results.json.
    """

    __test__ = False  # whatever pytest thinks of its name

    source: Source
    result: SignificanceResult
    phenotype: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions_record)
    command: str = TEST

    @property
    def cohort(self) -> LabelledGraphs:
        """The graphs and their classes."""
        return self.source.cohort

    @cached_property
    def subgraphs(self) -> Sequence[RankedSubgraph]:
        """The significant subgraphs; their value is the p-value."""
        return RankedSubgraphs(self.result.subgraphs, self.result.p_values.tolist(), self.cohort)


def tested_record(result: SignificanceResult, source: Source, settings: Mapping[str, Any]) -> TestRecord:
    """Make the record of a test; `settings` are the options that it was given, as far as they are known."""
    n_edges, phenotype = source.cohort.graphs.n_edges, settings.get("phenotype")
    if any(edge >= n_edges for subgraph in result.subgraphs for edge in subgraph):
        raise InputError(
            f"The cohort must be the one that was tested, but has {n_edges} edges, fewer than the result "
            "names. Give the graphs of the test."
        )
    if result.parameters["labels"] == "classes" and phenotype is None and result.contrasts:
        ours = " against ".join(map(abbreviate, source.cohort.names))
        if result.contrasts[0] != ours:
            raise InputError(
                f"The positive class must be that of the test, {result.contrasts[0]}, but this is {ours}. "
                "Give it as pos_label."
            )
    return TestRecord(source, result, None if phenotype is None else str(phenotype), settings)


def tested_files(record: TestRecord, folder: PathLike) -> tuple[dict[str, bytes], list[str]]:
    """All files of a test, and a sentence for each that cannot be made."""
    result = record.result
    settings = settings_used(
        TEST, result.parameters, record.settings, record.source, phenotype=record.phenotype
    )
    names = (*_COLUMNS, *frequency_columns(record.cohort), "edge_index", "subgraph")
    table = csv_bytes(names, _rows(record))
    contents = {
        "results.json": json_bytes(_to_json(record, folder) | {"run_id": run_id(table)}),
        "results.csv": table,
        MAXIMA_FILE: csv_bytes(
            ["permutation", *result.size_classes],
            [(r, *row) for r, row in enumerate(result.null_maxima.tolist())],
        ),
        "config.toml": settings.to_toml(),
    }
    if not len(result):
        return contents, [NO_SUBGRAPH]
    # Edge-disjoint ones only, each at its rank: the others are variations of these.
    drawn = [g if chosen else () for g, chosen in zip(result.subgraphs, result.representative, strict=True)]
    pictures, left_out = graph_files(record.cohort, drawn, result.effects.tolist(), "effect")
    return contents | pictures, left_out


def _rows(record: TestRecord) -> list[Sequence[object]]:
    result, graphs = record.result, record.cohort.graphs
    return [
        (
            *(s.rank, s.value, float(result.statistics[k]), float(result.effects[k])),
            *(*result.effect_intervals[k].tolist(), float(result.partial_correlations[k])),
            *(_cell(result.contrasts[k]), len(s.edges)),
            *(int(result.representative[k]), s.frequency, *s.by_group),
            *(" ".join(map(str, s.edges)), "{" + ", ".join(map(escaped, s.edge_names(graphs))) + "}"),
        )
        for k, s in enumerate(record.subgraphs)
    ]


def _cell(text: str) -> str:
    # In braces no name comes first in its cell, where a spreadsheet would take "=..." for a formula.
    return escaped(text) if text[:1].isalnum() else "{" + escaped(text) + "}"


def _to_json(record: TestRecord, folder: PathLike) -> dict[str, Any]:
    result, graphs = record.result, record.cohort.graphs
    n_distinct = result.n_distinct_permutations
    return {
        "command": TEST,
        "input": full_input(record.source, folder),
        "message": result.message,
        "parameters": result.parameters,
        "phenotype": record.phenotype,
        "permutations": {
            "exact": result.exact,
            "n_blocks": result.n_blocks,
            "n_distinct": n_distinct if COUNT.holds(n_distinct) else hex(n_distinct),
            "n_informative_blocks": result.n_informative_blocks,
            "n_used": result.n_permutations,
        },
        "size_classes": [
            {
                "best_p_value": finite(float(result.best_p_values[k])),
                "best_subgraph": None if best is None else edges_json(best, graphs),
                "critical_effect": finite(float(result.critical_effects[k])),
                "critical_value": finite(float(result.critical_values[k])),
                "n_admitted": int(result.n_admitted[k]),
                "name": result.size_classes[k],
            }
            for k, best in enumerate(result.best_subgraphs)
        ],
        "subgraphs": [
            {
                **subgraph_json(one, record.cohort, "p_value"),
                "contrast": result.contrasts[k],
                "effect": float(result.effects[k]),
                "effect_lower": finite(float(result.effect_intervals[k, 0])),
                "effect_upper": finite(float(result.effect_intervals[k, 1])),
                "partial_correlation": finite(float(result.partial_correlations[k])),
                "representative": bool(result.representative[k]),
                "statistic": float(result.statistics[k]),
            }
            for k, one in enumerate(record.subgraphs)
        ],
        "versions": dict(record.versions),
    }
