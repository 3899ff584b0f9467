"""A program that is asked to end does so as after Ctrl-C: finished work is kept, nothing is left running."""

import _thread
import signal
import sys
import threading
import traceback
from types import FrameType, TracebackType
from typing import Any, Self

from dugraph.cli.exit_code import ExitCode

# SIGHUP, of a terminal that is closed, is missing on Windows.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_AGAIN = 0.01  # seconds after which an interruption that Python has lost is raised once more


class Ending:
    """Within this context signals that end a program are answered like Ctrl-C, unless they are ignored."""

    def __init__(self) -> None:
        self._received: int | None = None
        self._before: dict[int, Any] = {}
        self._hook: Any = None
        self._interrupted = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._hook, sys.unraisablehook = sys.unraisablehook, self._lost
            for number in _ENDING:
                if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores SIGHUP, and means it
                    self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is KeyboardInterrupt:
            self._interrupted = True
            traceback.clear_frames(trace)  # what was half made is removed now, while its complaints are ours
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._hook is not None:
            sys.unraisablehook, self._hook = self._hook, None

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._received = number
        self._interrupted = True
        raise KeyboardInterrupt

    def _lost(self, error: Any) -> None:
        """Raise an interruption again that came while an object was removed, where Python drops it."""
        if error.exc_type is KeyboardInterrupt:
            later = threading.Timer(_AGAIN, self._again)
            later.daemon = True
            later.start()
        # An object whose making was interrupted lacks what its removal asks for.
        elif not (self._interrupted and error.exc_type is AttributeError):
            self._hook(error)

    def _again(self) -> None:
        if self._hook is not None:
            _thread.interrupt_main(signal.Signals(self._received or signal.SIGINT))

    def code(self, code: int) -> int:
        """The exit code: that of an interrupted program names the signal, as shells expect."""
        return 128 + self._received if code == ExitCode.INTERRUPTED and self._received is not None else code
