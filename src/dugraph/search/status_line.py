"""One line about work in progress on stderr: renewed on a terminal, in a file a plain line now and then."""

from __future__ import annotations

import sys

SELDOM = 10.0
"""Seconds between two lines in a file, where nothing can be renewed and control codes are noise."""
_RENEW = "\r\x1b[K"


class StatusLine:
    """Show texts on the stderr of this moment."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = -SELDOM

    def show(self, text: str, seconds: float, last: bool = False) -> None:
        """Renew the line; in a file add one, if the last is long ago.

        Parameters
        ----------
        text : str
        seconds : float
            Time since the work began.
        last : bool
            Whether no other text will follow, so that this one stays.
        """
        if self._live:
            print(f"{_RENEW}{text}", end="\n" if last else "", file=sys.stderr, flush=True)
        elif last or seconds - self._last >= SELDOM:
            self._last = seconds
            print(text, file=sys.stderr, flush=True)


def clear_line() -> None:
    """Remove what is left of the line on a terminal."""
    if sys.stderr.isatty():
        print(_RENEW, end="", file=sys.stderr, flush=True)
