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
        Limits,
        NullMaxima,
        OpenTask,
        Prepared,
        Progress,
        Reached,
        Relabelings,
        Statistic,
        Status,
        Threshold,
        null_maxima,
        reached,
        search,
        support_distribution,
    )
except ImportError as error:
    raise ImportError(
        f"dugraph needs its compiled core, dugraph._core, which could not be loaded ({error}). "
        "Install a wheel of dugraph, or build it from its source folder with `pip install .`."
    ) from error

__all__ = [
    "COUNTERS",
    "NO_LIMIT",
    "Bound",
    "Counters",
    "Found",
    "Frontier",
    "Goal",
    "Limits",
    "NullMaxima",
    "Numbers",
    "OpenTask",
    "Prepared",
    "Reached",
    "Relabelings",
    "Report",
    "Statistic",
    "Status",
    "Threshold",
    "null_maxima",
    "reached",
    "reporting",
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


def reporting(report: Report | None, before: Counters | None = None, seconds: float = 0.0) -> Any:
    """Make of a function of numbers one that the core can call.

    Parameters
    ----------
    report : callable or None
    before, seconds
        Work and time of searches before this one, to be added.
    """
    if report is None:
        return None

    def call(now: Progress) -> None:
        counters = now.counters if before is None else before + now.counters
        numbers: Numbers = {name: getattr(counters, name) for name in COUNTERS}
        numbers["threshold"] = now.threshold
        numbers["best_open_bound"] = now.best_open_bound
        numbers["seconds"] = seconds + now.seconds
        report(numbers)

    return call
