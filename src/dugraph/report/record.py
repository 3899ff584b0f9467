"""The record of a search or of a sparse fit, read and checked: its subgraphs and its path of penalties."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# What a report takes from a record beside its input and its subgraphs, and of which types.
_NUMBER, _MAYBE = (int, float), (int, float, type(None))
_Rules = dict[str, dict[str, tuple[type, ...]]]
_MINED: _Rules = {
    "parameters": {
        "measure": (str,),
        "score": (str,),
        "phi": _MAYBE,
        "quantile": _MAYBE,
        "score_cap": _MAYBE,
    },
    "proof": {"success": (bool,), "message": (str,), "gap": _MAYBE},
    "counters": dict.fromkeys(
        ("n_visited", "n_candidates", "n_evaluated", "n_pruned_by_frequency", "n_pruned_by_bound"), (int,)
    ),
    "versions": {},
}
_FITTED: _Rules = {
    "parameters": {"alpha_in_use": _NUMBER, "loss": (str,)},
    "proof": {"success": (bool,), "message": (str,), "objective": _NUMBER, "duality_gap": _NUMBER},
    "counters": {"n_searches": (int,)},
    "versions": {},
}
_PATH_COLUMNS = ("alpha", "n_nonzero", "objective", "duality_gap", "cv_loss_mean", "cv_loss_sd")


@dataclass(frozen=True)
class Found:
    """One subgraph; in a fit its value is its coefficient."""

    rank: int
    edges: tuple[int, ...]
    value: float
    frequency_positive: float
    frequency_negative: float
    coefficient: float | None


@dataclass(frozen=True)
class Penalty:
    """A penalty of a path: how many subgraphs it leaves, and the held-out loss where there is one."""

    alpha: float
    n_nonzero: int
    loss: float | None
    spread: float | None


def is_fit(record: dict[str, Any]) -> bool:
    """Whether a record is of `dugraph sparse`."""
    return record.get("command") == "sparse"


def read_found(record: dict[str, Any], n_edges: int) -> list[Found]:
    """The subgraphs of a record; KeyError, TypeError or ValueError if it is not as it was written."""
    fitted = is_fit(record)
    for part, fields in (_FITTED if fitted else _MINED).items():
        held = dict(record[part])
        for name, types in fields.items():
            if not isinstance(held[name], types):
                raise TypeError(f"{part}: {name} is {held[name]!r}")
    found = []
    for rank, one in enumerate(record["subgraphs"], start=1):
        edges = tuple(int(edge["index"]) for edge in one["edges"])
        if not edges or not all(0 <= edge < n_edges for edge in edges):
            raise ValueError(f"subgraph {rank} has the edges {edges}")
        coefficient = float(one["coefficient"]) if fitted else None
        value = float(one["value"]) if coefficient is None else coefficient
        a, b = float(one["expected_frequency_positive"]), float(one["expected_frequency_negative"])
        if not math.isfinite(value) or not (0 <= a <= 1 and 0 <= b <= 1):
            raise ValueError(f"subgraph {rank} has the value {value} and the expected frequencies {a}, {b}")
        found.append(Found(rank, edges, value, a, b, coefficient))
    return found


def read_path(file: Path) -> list[Penalty]:
    """The penalties of path.csv, from large to small; none if there is no such file."""
    if not file.is_file():
        return []
    with open(file, newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    path = [
        Penalty(
            float(row["alpha"]), int(row["n_nonzero"]), *(_maybe(row[name]) for name in _PATH_COLUMNS[4:])
        )
        for row in rows
    ]
    if not all(math.isfinite(one.alpha) and one.alpha > 0 and one.n_nonzero >= 0 for one in path):
        raise ValueError("path.csv must hold positive penalties")
    return path


def _maybe(text: str) -> float | None:
    if not text:
        return None
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"path.csv has the loss {text}")
    return value
