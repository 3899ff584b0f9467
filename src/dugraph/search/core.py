"""The one door to the compiled core: every other module imports it from here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from dugraph._core import (
        Bound,
        Counters,
        Found,
        Frontier,
        Goal,
        Known,
        Limits,
        NullMaxima,
        OpenTask,
        Prepared,
        Progress,
        Reached,
        Relabelings,
        ScoreName,
        Statistic,
        Status,
        Threshold,
        compiler,
        instruction_set,
        largest_score,
        level_masses,
        level_start,
        null_maxima,
        reached,
        score_edges,
        score_values,
        search,
        support_distribution,
    )
except ImportError as error:
    raise ImportError(
        f"dugraph needs its compiled core, dugraph._core, which could not be loaded ({error}). "
        "Install a wheel of dugraph, or build it from source with `pip install .`."
    ) from error

__all__ = [
    "COUNTERS",
    "NO_LIMIT",
    "Bound",
    "Counters",
    "Found",
    "Frontier",
    "Goal",
    "Known",
    "Limits",
    "NullMaxima",
    "Numbers",
    "OpenTask",
    "Prepared",
    "Reached",
    "Relabelings",
    "Report",
    "ScoreName",
    "Statistic",
    "Status",
    "Threshold",
    "compiler",
    "continuing",
    "instruction_set",
    "largest_score",
    "level_masses",
    "level_start",
    "null_maxima",
    "reached",
    "reporting",
    "score_edges",
    "score_values",
    "search",
    "support_distribution",
]

NO_LIMIT = 2**64 - 1
"""As many nodes as there are."""
COUNTERS = ("n_visited", "n_candidates", "n_evaluated", "n_pruned_by_frequency", "n_pruned_by_bound")
"""What a search counts."""
Numbers = dict[str, Any]
"""What a progress function receives: counters, threshold, best_open_bound, seconds."""
Report = Callable[[Numbers], None]


def reporting(report: Report | None) -> Any:
    """Make of a function of numbers one that the core can call."""
    if report is None:
        return None

    def call(now: Progress) -> None:
        numbers: Numbers = {name: getattr(now.counters, name) for name in COUNTERS}
        numbers["threshold"] = now.threshold
        numbers["best_open_bound"] = now.best_open_bound
        numbers["seconds"] = now.seconds
        report(numbers)

    return call


def continuing(report: Report | None, before: Counters, seconds: float) -> Report | None:
    """The same function for a search that goes on where others ended: their work and time are added."""
    if report is None:
        return None

    def call(now: Numbers) -> None:
        sums = {name: getattr(before, name) + now[name] for name in COUNTERS}
        report({**now, **sums, "seconds": seconds + now["seconds"]})

    return call
