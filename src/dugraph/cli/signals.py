"""A program that is asked to end does so as after Ctrl-C: finished work is kept, nothing is left running."""

import signal
import threading
from types import FrameType
from typing import Any, Self

from dugraph.cli.exit_code import ExitCode

# SIGHUP, of a terminal that is closed, is missing on Windows.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Ending:
    """Within this context signals that end a program are answered like Ctrl-C, unless they are ignored."""

    def __init__(self) -> None:
        self._received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores SIGHUP, and means it
                    self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._received = number
        raise KeyboardInterrupt

    def code(self, code: int) -> int:
        """The exit code: that of an interrupted program names the signal, as shells expect."""
        return 128 + self._received if code == ExitCode.INTERRUPTED and self._received is not None else code
