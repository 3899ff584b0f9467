"""The tables of a result as CSV with exact numbers, and the settings that repeat its run."""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dugraph._version import __version__
from dugraph.data import LabelledGraphs
from dugraph.data.labels import CLASSES
from dugraph.files.text import escaped
from dugraph.results.ranking import RankedSubgraph, group_titles
from dugraph.results.source import Source
from dugraph.settings import OF_RESULTS, CohortSettings


def versions_record() -> dict[str, str]:
    """The releases that a result depends on."""
    return {"dugraph": __version__, "numpy": np.__version__, "python": platform.python_version()}


def settings_used(
    command: str, parameters: Mapping[str, Any], given: Mapping[str, Any], source: Source, **others: Any
) -> CohortSettings:
    """The settings of a run, for config.toml: those of its result, then those it was given, then defaults.

    Parameters
    ----------
    command : str
    parameters : mapping
        As the result has them; those that are not options are ignored.
    given : mapping
        Options by name; unknown names are an error.
    source : Source
    **others
        Options that neither has.
    """
    settings = OF_RESULTS[command]
    used = {n: value for n, value in parameters.items() if n in settings.options() and value is not None}
    pos_label = None if source.pos_label is None else str(source.pos_label)
    return settings.of({**given, **used, "phenotype": source.phenotype, "pos_label": pos_label, **others})


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table; numbers are written exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([repr(cell) if isinstance(cell, float) else cell for cell in row] for row in rows)
    return text.getvalue().encode()


def frequency_columns(cohort: LabelledGraphs) -> list[str]:
    """What the columns of `RankedSubgraph.by_group` are called."""
    joint = "_" if cohort.kind == CLASSES else " of "
    return [f"expected_frequency{joint}{escaped(title)}" for title in group_titles(cohort)]


def ranking_bytes(
    value_name: str,
    ranked: Sequence[RankedSubgraph],
    cohort: LabelledGraphs,
    more: Mapping[str, Sequence[float | str]],
) -> bytes:
    """results.csv: a row for each subgraph, `more` numbers of each by the names of their columns."""
    columns = (
        *("rank", value_name, "n_edges", "expected_frequency", *frequency_columns(cohort)),
        *(*more, "edge_index", "subgraph"),
    )
    rows = []
    for i, s in enumerate(ranked):
        numbers = (s.frequency, *s.by_group, *(more[n][i] for n in more))
        # In braces no name comes first in its cell, where a spreadsheet would take "=..." for a formula.
        names = "{" + ", ".join(escaped(name) for name in s.edge_names(cohort.graphs)) + "}"
        rows.append((s.rank, s.value, len(s.edges), *numbers, " ".join(map(str, s.edges)), names))
    return csv_bytes(columns, rows)
