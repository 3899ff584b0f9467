"""Limits, resources and progress of a search: checks before it starts, and reports while it runs."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from joblib import cpu_count

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.arguments import counted, is_real, is_whole
from dugraph.data.labels import CLASSES, GROUPS
from dugraph.exceptions import InputError, NoneAdmitted, Sentence, Setting, Spoken
from dugraph.probability.scores import Score, check_score_name, score_name
from dugraph.words import FREQUENCY

FREQUENCY_TOLERANCE = 1e-12
"""The tolerance of the limit of the expected frequency (rule 8)."""
MOST_THREADS = 1024
# Bytes of one subgraph in the core's list and in the arrays that it returns.
_LISTED = 256
SELDOM = 10.0
"""Seconds between two lines if stderr is not a terminal."""
_RENEW = "\r\x1b[K"
Numbers = dict[str, Any]
_PAUSE = 0.1  # seconds between two reports


def check_time_limit(time_limit: float | None) -> float:
    """Seconds, infinite for None."""
    if time_limit is None:
        return math.inf
    if not is_real(time_limit) or not time_limit > 0:
        raise InputError(
            (
                "time_limit must be a positive number of seconds",
                Spoken(" or None"),
                f", but is {time_limit!r}.",
            ),
            parameter="time_limit",
        )
    return float(time_limit)


def check_min_expected_frequency(limit: float) -> float:
    """Validate a limit of the expected frequency."""
    if not is_real(limit) or not 0 <= limit < 1:
        raise InputError(
            f"min_expected_frequency must be a number of at least 0 and below 1, but is {limit!r}. It is a "
            "share of the graphs: 0.2 means 20 %.",
            parameter="min_expected_frequency",
        )
    return float(limit)


def none_admitted(cohort: UncertainGraphs, min_expected_frequency: float) -> NoneAdmitted:
    """The error for a limit that no subgraph exceeds."""
    largest = cohort.edge_means.max()
    if min_expected_frequency == 0:
        return NoneAdmitted(
            f"No subgraph is admitted: the most frequent edge has an expected frequency of {largest:.6g}, "
            "and 1e-12 or less counts as absent.",
            parameter="min_expected_frequency",
            way_out="Check the edge probabilities.",
        )
    return NoneAdmitted(
        f"No subgraph has an expected frequency above min_expected_frequency = {min_expected_frequency:g}; "
        f"the most frequent edge has {largest:.6g}.",
        parameter="min_expected_frequency",
        way_out="Lower the limit.",
    )


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Number of threads as in joblib: None means 1, -1 all available processors, -2 all but one.

    Examples
    --------
    >>> resolve_n_jobs(None), resolve_n_jobs(3), resolve_n_jobs(-(10**6))
    (1, 3, 1)
    """
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0 or n_jobs > MOST_THREADS:
        raise InputError(
            (
                "n_jobs must be ",
                Spoken("None, "),
                f"-1 or a whole number from 1 to {MOST_THREADS} (other negative numbers as in joblib), "
                f"but is {n_jobs!r}.",
            ),
            parameter="n_jobs",
        )
    return int(n_jobs) if n_jobs > 0 else max(cpu_count() + 1 + int(n_jobs), 1)


def memory_needed(n_graphs: int, n_edges: int, n_pos: int, n_jobs: int) -> int:
    """Bytes that a search needs at most, except for its list and some 10 MB; `n_pos` is 0 without a table.

    18 n m for the rows of the m admitted edges (doubles, rounded to bytes, and once more in canonical order
    where that is needed), 80 (p+1)(q+1) for the score's tables, and for each thread 30 n for each of 64 edges
    on its path and 8 (p+1)(q+1) for the bins of levels.
    """
    cells = (n_pos + 1) * (n_graphs - n_pos + 1)
    return 18 * n_graphs * n_edges + 80 * cells + n_jobs * (30 * 64 * n_graphs + 8 * cells)


def check_memory(
    graphs: UncertainGraphs, min_expected_frequency: float, n_pos: int, n_jobs: int, columns: int = 0
) -> None:
    """Raise InputError if a search does not fit into memory.

    `columns` is the number of values that the caller stores for each graph and admitted edge.
    """
    n_edges = int((graphs.edge_means > min_expected_frequency).sum())
    refuse_beyond_memory(graphs.n_graphs, n_edges, n_pos, n_jobs, 8 * columns * graphs.n_graphs * n_edges)


def refuse_beyond_memory(n_graphs: int, n_edges: int, n_pos: int, n_jobs: int, extra: int = 0) -> None:
    """Raise InputError if a search of these sizes does not fit; `extra` bytes are the caller's."""
    needed = memory_needed(n_graphs, n_edges, n_pos, n_jobs) + extra
    way_out: Sentence = ("Raise ", Setting("min_expected_frequency"), " or use fewer threads.")
    if n_pos and 88 * (n_pos + 1) * (n_graphs - n_pos + 1) > needed / 2:
        way_out = (
            "Most of it is the table of the score, which grows with the product of the classes. Use ",
            *(Setting("score", "hsic"), " and ", Setting("measure", "expectation"), ", which need no table."),
        )
    refuse_too_large(
        needed,
        "The search needs",
        f" for {n_graphs} graphs with {n_edges} admitted edges on {n_jobs} threads",
        way_out,
    )


def refuse_too_large(needed: int, what_needs: str, for_what: str, way_out: Sentence) -> None:
    """Raise InputError if more bytes are needed than are available."""
    available = available_memory()
    if needed > available:
        raise InputError(
            f"{what_needs} about {needed / 2**30:.1f} GiB{for_what}, but {available / 2**30:.1f} GiB is "
            "available.",
            way_out=way_out,
        )


def longest_list() -> int:
    """Number of subgraphs whose list fits into half of the available memory."""
    return available_memory() // (2 * _LISTED)


def check_max_correlation(max_correlation: float | None) -> float | None:
    """The largest correlation of two subgraphs, or None."""
    if max_correlation is None:
        return None
    if not is_real(max_correlation) or not 0 <= max_correlation <= 1:
        raise InputError(
            (
                "max_correlation must be a number from 0 to 1",
                Spoken(", or None"),
                f", but is {max_correlation!r}. It is the largest absolute correlation that two subgraphs "
                "may have.",
            ),
            parameter="max_correlation",
        )
    return float(max_correlation)


def available_memory() -> int:
    """Bytes available without swapping; where the system does not say, half of all memory."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return _windows_memory()[1] if sys.platform == "win32" else total_memory() // 2


def total_memory() -> int:
    """Bytes of memory of this machine."""
    if sys.platform == "win32":
        return _windows_memory()[0]
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _windows_memory() -> tuple[int, int]:
    """Total and available bytes, from the structure MEMORYSTATUSEX of the Windows API."""
    fields = (ctypes.c_uint64 * 8)()  # two 32-bit numbers, the length first, then seven of 64 bits
    ctypes.c_uint32.from_buffer(fields).value = ctypes.sizeof(fields)
    library = getattr(ctypes, "windll").kernel32  # noqa: B009 (not defined elsewhere)
    if not library.GlobalMemoryStatusEx(ctypes.byref(fields)):
        raise OSError("Windows does not say how much memory there is.")
    return fields[1], fields[2]


def check_two_classes_needed(
    cohort: LabelledGraphs, adjusted: bool, score: Score, measure: str, score_cap: float | None
) -> bool:
    """Whether the search uses the closed form for any labels; raises InputError if it needs two classes.

    `adjusted` says whether there are covariates; the measure is valid.
    """
    if cohort.kind == CLASSES and not adjusted:
        return False
    if measure == FREQUENCY and not adjusted:  # independent of labels
        return False
    if isinstance(score, str) and check_score_name(score) == "hsic" and measure == "expectation":
        if score_cap is None:
            return True
        setting: Setting = Setting("score_cap", score_cap)
    elif measure != "expectation":
        setting = Setting("measure", measure)
    else:
        setting = Setting("score", score_name(score))
    why = {
        "groups": (Spoken("y", "the cohort"), f" has {len(cohort.classes)} groups"),
        "phenotype": (Spoken("y", "the phenotype"), " is continuous"),
    }.get(cohort.kind, (Setting("covariates"), " are given"))
    more = (", or compare each group with the rest by ", Setting("multi_class", "ovr"))
    raise InputError(
        (setting, " needs two classes without covariates, but ", *why, "."),
        parameter=setting.parameter,
        way_out=(
            *("Use ", Setting("score", "hsic"), " with ", Setting("measure", "expectation")),
            *(
                ", which is exact for any labels",
                *(more if cohort.kind == GROUPS and not adjusted else ()),
                ".",
            ),
        ),
    )


class StatusLine:
    """A line on stderr about work in progress: rewritten on a terminal, repeated every 10 s in a file."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = -SELDOM

    def show(self, text: str, seconds: float, last: bool = False) -> None:
        """Rewrite the line; in a file, add a line if the last one is old enough.

        `seconds` is the time since the work began. The last text remains on a terminal.
        """
        if self._live:
            print(f"{_RENEW}{text}", end="\n" if last else "", file=sys.stderr, flush=True)
        elif last or seconds - self._last >= SELDOM:
            self._last = seconds
            print(text, file=sys.stderr, flush=True)


def clear_line() -> None:
    """Clear the line on a terminal."""
    if sys.stderr.isatty():
        print(_RENEW, end="", file=sys.stderr, flush=True)


def progress_line(now: Numbers) -> str:
    """Number and rate of admitted subgraphs, threshold, gap and elapsed time in one line."""
    rate = now["n_visited"] / max(now["seconds"], 1e-9)
    gap = now["best_open_bound"] - now["threshold"]
    return (
        f"{now['n_visited']:,} admitted ({rate:,.0f}/s), {now['n_evaluated']:,} evaluated, "
        f"threshold {_number(now['threshold'])}, gap {_number(max(gap, 0.0))}, "
        f"{cluster_text(now)}{now['seconds']:.1f} s"
    )


def cluster_text(now: Numbers) -> str:
    """Workers and tasks, if the search runs on a cluster."""
    if "n_workers" not in now:
        return ""
    return f"{counted(now['n_workers'], 'worker')}, {counted(now['n_tasks'], 'task')}, "


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "?"


@contextlib.contextmanager
def progress_reporter(
    progress: bool | Callable[[Numbers], object] | None, line: Callable[[Numbers], str] = progress_line
) -> Iterator[Callable[[Numbers], None] | None]:
    """Yield the progress function of one search."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield _throttled(progress)
    elif progress is True:
        shown = StatusLine()
        try:
            yield _throttled(lambda now: shown.show(line(now), now["seconds"]))
        finally:
            clear_line()
    else:
        raise InputError(
            f"progress must be True, False, None or a function of one dict, but is {progress!r}.",
            parameter="progress",
        )


def _throttled(report: Callable[[Numbers], object]) -> Callable[[Numbers], None]:
    last = -math.inf

    def call(now: Numbers) -> None:
        nonlocal last
        if time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            report(now)

    return call
