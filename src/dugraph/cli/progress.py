"""Progress on stderr: nothing for the first two seconds, then a line that is renewed."""

import sys
from collections.abc import Callable
from typing import Any

QUIET_SECONDS = 2.0
LONG_SECONDS = 60.0  # after which a search says once, in a log too, that it may go on


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
        from dugraph.sparse.path import path_line

        return path_line(now)

    return _reporter(label, wanted, text, QUIET_SECONDS)


def cell_progress(label: str, wanted: bool | None = None) -> Callable[[dict[str, Any]], None] | None:
    """A function for `evaluate` to call after each cell; parameters as for `search_progress`."""

    def text(now: dict[str, Any]) -> str:
        from dugraph.evaluation.cells import progress_text

        return progress_text(now)

    return _reporter(label, wanted, text, 0.0)


def _reporter(
    label: str, wanted: bool | None, text: Callable[[dict[str, Any]], str], quiet: float
) -> Callable[[dict[str, Any]], None] | None:
    if not (sys.stderr.isatty() if wanted is None else wanted):
        return None
    from dugraph.search.progress import StatusLine

    line = StatusLine()

    def show(now: dict[str, Any]) -> None:
        if now["seconds"] >= quiet:
            line.show(f"{label}: {text(now)}", now["seconds"])

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
        from dugraph.search import progress

        progress.clear_line()


def say(message: str) -> None:
    """Say what comes next."""
    print(message, file=sys.stderr, flush=True)
