"""How far an evaluation is, and how long it will take yet."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from dugraph.search.progress import StatusLine

Progress = bool | Callable[[dict[str, Any]], object] | None


class CellProgress:
    """Tell after each cell how many are done and how much time is left.

    Parameters
    ----------
    wanted : bool, callable or None
        True writes a line to stderr; a callable receives a dict with "done", "total", "seconds" and
        "seconds_left".
    total : int
        Number of cells to compute; those found on disk are not counted.
    """

    def __init__(self, wanted: Progress, total: int) -> None:
        self._report = _line() if wanted is True else wanted if callable(wanted) else None
        self._total = total
        self._done = 0
        self._begin = time.perf_counter()

    def advance(self) -> None:
        """Count one cell."""
        self._done += 1
        if self._report is None:
            return
        seconds = time.perf_counter() - self._begin
        self._report(
            {
                "done": self._done,
                "total": self._total,
                "seconds": seconds,
                "seconds_left": seconds / self._done * (self._total - self._done),
            }
        )


def progress_text(now: dict[str, Any]) -> str:
    """Return the state in one line."""
    left = int(now["seconds_left"])
    return f"{now['done']} of {now['total']} cells, {left // 60} min {left % 60:02d} s left"


def _line() -> Callable[[dict[str, Any]], object]:
    line = StatusLine()

    def show(now: dict[str, Any]) -> None:
        line.show(progress_text(now), now["seconds"], last=now["done"] == now["total"])

    return show
