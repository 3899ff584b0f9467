"""The folders of `dugraph power` and `dugraph sensitivity`: tables and a record that is not loaded again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dugraph.files.text import finite, json_bytes
from dugraph.results.records import versions_record
from dugraph.results.tables import csv_bytes
from dugraph.significance import PowerResult


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
