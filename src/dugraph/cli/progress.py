"""Progress on stderr: nothing for the first two seconds, then a line that is renewed."""

import sys
from collections.abc import Callable
from typing import Any

QUIET_SECONDS = 2.0
LONG_SECONDS = 60.0  # after which a search says once, in a log too, that it may go on
_SELDOM = 10.0  # seconds between two lines in a log


def search_progress(
    label: str, wanted: bool | None = None, hint: str | None = None
) -> Callable[[dict[str, Any]], None] | None:
    """What `mine_subgraphs` is to call while it runs.

    Parameters
    ----------
    label : str
        What is being done.
    wanted : bool, optional
        By default progress is shown when stderr is a terminal.
    hint : str, optional
        What to say once after a minute, unless nothing is wanted.

    Returns
    -------
    callable or None
        Rewrites one line on a terminal; in a log adds one every ten seconds.
    """

    def text(now: dict[str, Any]) -> str:
        from dugraph.search.progress import progress_line

        return progress_line(now)

    show = _reporter(label, wanted, text, QUIET_SECONDS)
    return show if hint is None or wanted is False else _with_hint(f"{label}: {hint}", show)


def test_progress(label: str, wanted: bool | None, hint: str) -> Callable[[dict[str, Any]], None] | None:
    """What `significant_subgraphs` is to call while it runs; parameters as for `search_progress`."""

    def text(now: dict[str, Any]) -> str:
        from dugraph.significance.testing import progress_line

        return progress_line(now)

    show = _reporter(label, wanted, text, QUIET_SECONDS)
    return show if wanted is False else _with_hint(f"{label}: {hint}", show)


def path_progress(label: str, wanted: bool | None = None) -> Callable[[dict[str, Any]], None] | None:
    """What a sparse fit is to call while it runs; parameters as for `search_progress`."""

    def text(now: dict[str, Any]) -> str:
        from dugraph.sparse.penalty_path import path_line

        return path_line(now)

    return _reporter(label, wanted, text, QUIET_SECONDS)


def cell_progress(label: str, wanted: bool | None = None) -> Callable[[dict[str, Any]], None] | None:
    """What `evaluate_methods` is to call after each cell; parameters as for `search_progress`."""

    def text(now: dict[str, Any]) -> str:
        from dugraph.evaluation.progress import progress_text

        return progress_text(now)

    return _reporter(label, wanted, text, 0.0)


def _reporter(
    label: str, wanted: bool | None, text: Callable[[dict[str, Any]], str], quiet: float
) -> Callable[[dict[str, Any]], None] | None:
    live = sys.stderr.isatty()
    if not (live if wanted is None else wanted):
        return None
    last = -_SELDOM

    def show(now: dict[str, Any]) -> None:
        nonlocal last
        if now["seconds"] < quiet:
            return
        if live:
            print(f"\r\x1b[K{label}: {text(now)}", end="", file=sys.stderr, flush=True)
        elif now["seconds"] - last >= _SELDOM:
            last = now["seconds"]
            print(f"{label}: {text(now)}", file=sys.stderr, flush=True)

    return show


def _with_hint(hint: str, show: Callable[[dict[str, Any]], None] | None) -> Callable[[dict[str, Any]], None]:
    told = False

    def report(now: dict[str, Any]) -> None:
        nonlocal told
        if not told and now["seconds"] >= LONG_SECONDS:
            told = True
            clear_line()
            say(hint)
        if show is not None:
            show(now)

    return report


def clear_line() -> None:
    """Remove what `search_progress` left on a terminal."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def say(message: str) -> None:
    """Tell what comes next."""
    print(message, file=sys.stderr, flush=True)
