"""Checks of limits and resources before a search starts."""

from __future__ import annotations

import math
import os

from dugraph.data import UncertainGraphs
from dugraph.data.arguments import is_real, is_whole
from dugraph.exceptions import InputError, NoneAdmitted, Sentence, Setting, Spoken

MOST_THREADS = 1024
# Bytes of one subgraph in the core's list and in the arrays it is handed over in.
_LISTED = 256


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
    """The limit, if it is a share of the graphs."""
    if not is_real(limit) or not 0 <= limit < 1:
        raise InputError(
            f"min_expected_frequency must be a number of at least 0 and below 1, but is {limit!r}. It is a "
            "share of the graphs: 0.2 means 20 %.",
            parameter="min_expected_frequency",
        )
    return float(limit)


def none_admitted(cohort: UncertainGraphs, min_expected_frequency: float) -> NoneAdmitted:
    """The error of a limit that no subgraph exceeds: none is more frequent than the most frequent edge."""
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
    """Number of threads: None means 1, -1 all processors that this process may use."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or not (n_jobs == -1 or 1 <= n_jobs <= MOST_THREADS):
        raise InputError(
            (
                "n_jobs must be ",
                Spoken("None, "),
                f"-1 or a whole number from 1 to {MOST_THREADS}, but is {n_jobs!r}.",
            ),
            parameter="n_jobs",
        )
    return len(os.sched_getaffinity(0)) if n_jobs == -1 else int(n_jobs)


def memory_needed(n_graphs: int, n_edges: int, n_pos: int, n_jobs: int) -> int:
    """Bytes that a search needs at most, except for its list and some 10 MB.

    18 n m for the rows of the m edges that are admitted (doubles, rounded to bytes, and once more in
    canonical order where that is needed), 80 (p+1)(q+1) for the score's tables, and per thread 30 n for each
    edge on its path, of which 64 are reckoned, and 8 (p+1)(q+1) for the bins of levels. Without a table p is
    0 here.
    """
    cells = (n_pos + 1) * (n_graphs - n_pos + 1)
    return 18 * n_graphs * n_edges + 80 * cells + n_jobs * (30 * 64 * n_graphs + 8 * cells)


def check_memory(
    graphs: UncertainGraphs, min_expected_frequency: float, n_pos: int, n_jobs: int, columns: int = 0
) -> None:
    """Refuse graphs that cannot fit, before anything is computed.

    `columns` is how many numbers the caller keeps for each graph and admitted edge.
    """
    n_edges = int((graphs.edge_means > min_expected_frequency).sum())
    refuse_beyond_memory(graphs.n_graphs, n_edges, n_pos, n_jobs, 8 * columns * graphs.n_graphs * n_edges)


def refuse_beyond_memory(n_graphs: int, n_edges: int, n_pos: int, n_jobs: int, extra: int = 0) -> None:
    """Refuse a search of so many admitted edges that does not fit; `extra` bytes are the caller's."""
    refuse_too_large(
        memory_needed(n_graphs, n_edges, n_pos, n_jobs) + extra,
        "The search needs",
        f" for {n_graphs} graphs with {n_edges} admitted edges on {n_jobs} threads",
        ("Raise ", Setting("min_expected_frequency"), " or use fewer threads."),
    )


def refuse_too_large(needed: int, what_needs: str, for_what: str, way_out: Sentence) -> None:
    """Refuse what needs more bytes than there are."""
    available = available_memory()
    if needed > available:
        raise InputError(
            f"{what_needs} about {needed / 2**30:.1f} GiB{for_what}, but {available / 2**30:.1f} GiB is "
            "available.",
            way_out=way_out,
        )


def longest_list() -> int:
    """How many subgraphs may be listed in half of the memory that is available now."""
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
    """Bytes that can be had without swapping: free ones, and those of caches that can be given up."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
