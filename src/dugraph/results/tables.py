"""The tables and the settings of a result as bytes: CSV with exact numbers, TOML that repeats a run."""

from __future__ import annotations

import csv
import io
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dugraph._version import __version__
from dugraph.data import LabelledGraphs
from dugraph.data.arguments import told
from dugraph.data.phenotype import CLASSES
from dugraph.exceptions import InputError
from dugraph.files.plain_text import escaped
from dugraph.results.ranking import RankedSubgraph, group_titles


def versions_record() -> dict[str, str]:
    """The releases that a result depends on."""
    return {"dugraph": __version__, "numpy": np.__version__, "python": platform.python_version()}


def config_bytes(command: str, settings: Mapping[str, Any]) -> bytes:
    """The settings as config.toml, which repeats the run; those that are None are left out."""
    lines = [f"# dugraph {__version__} {command}"]
    lines += [f"{key} = {_toml(as_text(value))}" for key, value in settings.items() if value is not None]
    return ("\n".join(lines) + "\n").encode()


def as_text(value: object) -> object:
    """Several values as the flag takes them, with commas between them; other values as they are."""
    if isinstance(value, dict):
        return ",".join(f"{name}={number:g}" for name, number in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return value


def _toml(value: object) -> str:
    if isinstance(value, float):
        return repr(value)  # infinity has no JSON form
    # JSON and TOML write whole numbers, truth values and quoted text alike, but for one control character.
    try:
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    except TypeError as error:
        raise InputError(
            f"settings must hold text, numbers and truth values, but one is {told(value)}.",
            parameter="settings",
        ) from error


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
