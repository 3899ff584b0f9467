"""The folders of `dugraph power` and `dugraph sensitivity`: tables and a record that is not loaded again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dugraph.files.text import escaped, finite, json_bytes
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.records import versions_record
from dugraph.results.tables import csv_bytes
from dugraph.significance import PowerResult, SensitivityResult


def power_files(result: PowerResult, config: bytes, pilot: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of a power analysis; `pilot` says which cohort was the pilot."""
    columns = ("n_graphs", "power", "admitted", "detectable")
    rows = [
        (int(n), float(power), float(admitted), finite(float(detectable)))
        for n, power, admitted, detectable in zip(
            result.n_graphs, result.power, result.admitted, result.detectable, strict=True
        )
    ]
    record = {
        "command": "power",
        "input": dict(pilot),
        "parameters": result.parameters,
        "message": result.message,
        "n_needed": result.n_needed,
        "critical_values": [None if math.isnan(one) else float(one) for one in result.critical_values],
        "ratios": list(result.ratios),
        "sizes": [dict(zip(columns, row, strict=True)) for row in rows],
        "versions": versions_record(),
    }
    table = csv_bytes(columns, [["" if cell is None else cell for cell in row] for row in rows])
    return {"results.csv": table, "config.toml": config, "results.json": json_bytes(record)}


def sensitivity_files(result: SensitivityResult, config: bytes, source: CohortRef) -> dict[str, bytes]:
    """The files of a sensitivity analysis."""
    names = [escaped(name) for name in result.names]
    settings = [
        {
            "name": name,
            **variant._asdict(),
            "n_admitted": 0 if test is None else int(test.n_admitted.sum()),
            "n_significant": 0 if test is None else len(test),
            "n_irreducible": 0 if test is None else int(test.irreducible.sum()),
            "n_families": 0 if test is None else len(test.families),
            "n_edges": int(result.found[:, k].sum()),
        }
        for k, (name, variant, test) in enumerate(
            zip(result.names, result.variants, result.results, strict=True)
        )
    ]
    effects = [[finite(float(one)) for one in row] for row in result.effects]
    jaccard = [[finite(float(one)) for one in row] for row in result.jaccard]
    record = {
        "command": "sensitivity",
        "input": {"file": source.file, "sha256": source.sha256, "phenotype": source.phenotype},
        "parameters": result.parameters,
        "message": result.message,
        "settings": settings,
        "edges": [
            {"name": name, "n_settings": int(found.sum()), "effects": row}
            for name, found, row in zip(result.edges, result.found, effects, strict=True)
        ],
        "jaccard": jaccard,
        "versions": versions_record(),
    }
    # In braces no cell can be taken for a formula.
    edge_table = csv_bytes(
        ("edge", "n_settings", "share", *(f"effect at {name}" for name in names)),
        [
            (
                "{" + escaped(name) + "}",
                int(result.found[e].sum()),
                float(result.shares[e]),
                *_blank(effects[e]),
            )
            for e, name in enumerate(result.edges)
        ],
    )
    rows = [["{" + escaped(one["name"]) + "}", *list(one.values())[2:]] for one in settings]
    columns = ("setting", *list(settings[0])[2:])
    if len({variant.graphs for variant in result.variants}) > 1:
        columns = (*columns, "graphs")
        rows = [[*row, "{" + escaped(one["graphs"]) + "}"] for row, one in zip(rows, settings, strict=True)]
    matrix = [["{" + name + "}", *_blank(row)] for name, row in zip(names, jaccard, strict=True)]
    return {
        "results.csv": edge_table,
        "settings.csv": csv_bytes(columns, rows),
        "jaccard.csv": csv_bytes(("setting", *("{" + name + "}" for name in names)), matrix),
        "config.toml": config,
        "results.json": json_bytes(record),
    }


def _blank(cells: Sequence[float | None]) -> list[float | str]:
    return ["" if cell is None else cell for cell in cells]
