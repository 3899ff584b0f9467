"""Progress of a search: a line on stderr, or numbers for a function of the user's."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from dugraph.data.wording import counted
from dugraph.exceptions import InputError
from dugraph.search.status_line import StatusLine, clear_line

Numbers = dict[str, Any]
_PAUSE = 0.1  # seconds between two reports


def progress_line(now: Numbers) -> str:
    """Admitted subgraphs and their rate, threshold, gap and elapsed time in one line."""
    rate = now["n_visited"] / max(now["seconds"], 1e-9)
    gap = now["best_open_bound"] - now["threshold"]
    return (
        f"{now['n_visited']:,} admitted ({rate:,.0f}/s), {now['n_evaluated']:,} evaluated, "
        f"threshold {_number(now['threshold'])}, gap {_number(max(gap, 0.0))}, "
        f"{crew_text(now)}{now['seconds']:.1f} s"
    )


def crew_text(now: Numbers) -> str:
    """Workers and tasks of a cluster, if the work is done on one."""
    if "n_workers" not in now:
        return ""
    return f"{counted(now['n_workers'], 'worker')}, {counted(now['n_tasks'], 'task')}, "


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "?"


@contextlib.contextmanager
def progress_reporter(
    progress: bool | Callable[[Numbers], object] | None,
    line: Callable[[Numbers], str] = progress_line,
) -> Iterator[Callable[[Numbers], None] | None]:
    """What the core is to call with its numbers, for the time of one search."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield _seldom(progress)
    elif progress is True:
        shown = StatusLine()
        try:
            yield _seldom(lambda now: shown.show(line(now), now["seconds"]))
        finally:
            clear_line()
    else:
        raise InputError(
            f"progress must be True, False, None or a function of one dict, but is {progress!r}.",
            parameter="progress",
        )


def _seldom(report: Callable[[Numbers], object]) -> Callable[[Numbers], None]:
    last = -math.inf

    def call(now: Numbers) -> None:
        nonlocal last
        if time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            report(now)

    return call
