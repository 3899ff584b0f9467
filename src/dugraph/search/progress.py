"""Progress of a search: a line on stderr, or numbers for a user's function."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from dugraph.data.arguments import counted
from dugraph.exceptions import InputError

SELDOM = 10.0
"""Seconds between two lines if stderr is not a terminal."""
_RENEW = "\r\x1b[K"


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


Numbers = dict[str, Any]
_PAUSE = 0.1  # seconds between two reports


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
