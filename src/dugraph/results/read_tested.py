"""A test of significance read from its folder, whatever the files hold: used or refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dugraph.results.read_subgraphs import read_edges, read_subgraphs
from dugraph.results.rules import (
    COUNT,
    FLAG,
    LIST,
    NUMBER,
    PLAIN,
    SHARE,
    TEXT,
    TEXTS,
    Rule,
    cell_value,
    check_object,
    check_value,
    damaged,
    one_of,
    read_table,
)
from dugraph.results.source import Source
from dugraph.results.tested import MAXIMA_FILE, TestRecord
from dugraph.significance import SignificanceResult
from dugraph.words import ALTERNATIVES, PERMUTE, STATISTICS

_PARAMETERS = {
    "labels": one_of(("classes", "phenotype", "groups")),
    "blocks": TEXTS.or_null(),
    "covariates": TEXTS.or_null(),
    "statistic": one_of(STATISTICS),
    "permute": one_of(PERMUTE),
    "alpha": SHARE,
    "min_expected_frequency": SHARE,
    "max_edges": COUNT.or_null(),
    "step_down": FLAG,
    **dict.fromkeys(("n_permutations", "size_classes", "random_state"), COUNT),
}
# The number of permutations may exceed the integers that JSON readers support: then hexadecimal digits.
_WHOLE = Rule(
    'a whole number of at least 0, or its hexadecimal digits as "0x1f"',
    lambda value: COUNT.holds(value) or (isinstance(value, str) and bool(re.fullmatch("0x[0-9a-f]+", value))),
)
_STATISTIC = Rule("a number from 0 to 1e100", lambda value: NUMBER.holds(value) and 0 <= value <= 1e100)
_PERMUTATIONS = {
    "exact": FLAG,
    "n_distinct": _WHOLE,
    **dict.fromkeys(("n_blocks", "n_informative_blocks", "n_used"), COUNT),
}
_SIZE_CLASS = {
    "name": TEXT,
    "n_admitted": COUNT,
    "critical_value": _STATISTIC.or_null(),
    "critical_effect": NUMBER.or_null(),
    "best_p_value": SHARE.or_null(),
}
_SUBGRAPH = {
    "p_value": SHARE,
    "statistic": _STATISTIC,
    "effect": NUMBER,
    "contrast": TEXT,
    "representative": FLAG,
    "effect_lower": NUMBER.or_null(),
    "effect_upper": NUMBER.or_null(),
}


def read_test(file: Path, record: dict[str, Any], source: Source) -> TestRecord:
    """Check results.json, already read, and null_maxima.csv; times are 0, since files have none."""
    graphs = source.cohort.graphs
    parameters = check_object(file, "parameters", record.get("parameters"), _PARAMETERS, PLAIN)
    parameters.pop("p_values", None)  # an option of earlier versions
    check_value(file, "alternative", parameters.setdefault("alternative", "two-sided"), one_of(ALTERNATIVES))
    phenotype = check_value(file, "phenotype", record.get("phenotype"), TEXT.or_null())
    # Earlier versions called them relabelings.
    given = record.get("permutations", record.get("relabelings"))
    moved = check_object(file, "permutations", given, _PERMUTATIONS)
    versions = check_object(file, "versions", record.get("versions"), {}, TEXT)
    classes = [
        check_object(file, f"size class {k}", entry, _SIZE_CLASS)
        for k, entry in enumerate(check_value(file, "size_classes", record.get("size_classes"), LIST), 1)
    ]
    if not classes:
        raise damaged(file, "there is no size class")
    found = read_subgraphs(file, "p_value", record.get("subgraphs"), source.cohort)
    told = [check_object(file, f"subgraph {k}", e, _SUBGRAPH) for k, e in enumerate(record["subgraphs"], 1)]
    n_distinct = moved["n_distinct"]
    return TestRecord(
        source,
        SignificanceResult(
            subgraphs=[one.edges for one in found],
            p_values=_numbers([one.value for one in found]),
            statistics=_numbers([one["statistic"] for one in told]),
            effects=_numbers([one["effect"] for one in told]),
            effect_intervals=_numbers([[one["effect_lower"], one["effect_upper"]] for one in told]).reshape(
                -1, 2
            ),
            contrasts=[one["contrast"] for one in told],
            sizes=np.array([len(one.edges) for one in found], dtype=np.int64),
            representative=np.array([one["representative"] for one in told], dtype=np.bool_),
            size_classes=tuple(one["name"] for one in classes),
            critical_values=_numbers([one["critical_value"] for one in classes]),
            critical_effects=_numbers([one["critical_effect"] for one in classes]),
            best_subgraphs=[
                None
                if one.get("best_subgraph") is None
                else read_edges(file, f"the best subgraph of size class {k}", one["best_subgraph"], graphs)
                for k, one in enumerate(classes, 1)
            ],
            best_p_values=_numbers([one["best_p_value"] for one in classes]),
            null_maxima=_read_maxima(
                file.with_name(MAXIMA_FILE), [one["name"] for one in classes], moved["n_used"]
            ),
            n_admitted=np.array([one["n_admitted"] for one in classes], dtype=np.uint64).astype(np.int64),
            n_permutations=moved["n_used"],
            n_distinct_permutations=int(n_distinct, 16) if isinstance(n_distinct, str) else n_distinct,
            exact=moved["exact"],
            n_blocks=moved["n_blocks"],
            n_informative_blocks=moved["n_informative_blocks"],
            message=check_value(file, "message", record.get("message"), TEXT),
            seconds=0.0,
            parameters=parameters,
            naming=graphs.naming,
            partial_correlations=_numbers([_correlation(file, one) for one in told]),
        ),
        phenotype,
        versions=versions,
    )


def _correlation(file: Path, subgraph: dict[str, Any]) -> Any:
    """Results of earlier versions have none."""
    given = subgraph.get("partial_correlation")
    return check_value(file, "partial_correlation", given, NUMBER.or_null())


def _numbers(values: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)  # None becomes NaN


def _read_maxima(file: Path, names: list[str], n_used: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    heading, rows = read_table(file)
    number_of = heading[0] if heading[:1] == ["relabeling"] else "permutation"  # of earlier versions
    if heading != [number_of, *names] or len(set(heading)) != len(heading):
        raise damaged(file, "its columns must be permutation and the size classes of results.json")
    if len(rows) != n_used or not rows:
        raise damaged(file, f"it must have a row for each of {n_used} permutations, but has {len(rows)}")
    for number, row in enumerate(rows):
        if cell_value(file, number_of, row[number_of], COUNT, int) != number:
            raise damaged(file, f"permutation {number} is not in its row")
    return _numbers([[cell_value(file, name, row[name], _STATISTIC) for name in names] for row in rows])
