"""Where parts of a computation are done: in this process one after the other, or by workers of a cluster."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

Done = tuple[int, Any]
"""The number of a task and what it gave."""


class Crew(NamedTuple):
    """Who is there.

    Attributes
    ----------
    n_workers : int or None
        Processes on this and other machines, which may be none at the moment; None for this process itself.
    n_slots : int
        Tasks that run at the same time.
    n_wanted : int
        Tasks that should be given out at a time, so that nobody waits for the next one.
    """

    n_workers: int | None
    n_slots: int
    n_wanted: int

    @property
    def is_elsewhere(self) -> bool:
        """Whether tasks leave this process."""
        return self.n_workers is not None


class Pool(Protocol):
    """Takes tasks, which are pure functions of a subject that is sent once and of their arguments."""

    def crew(self) -> Crew:
        """Who is there now; workers may come and go."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Hand out a task, ``function(subject, *arguments)``, and return its number."""

    def done(self) -> Iterable[Done]:
        """Wait a while; what came back meanwhile, if anything did."""

    def cancel(self) -> None:
        """Drop all tasks that were given out."""


class InThisProcess:
    """One task at a time, in this process.

    Parameters
    ----------
    subject : object
        The first argument of every task.
    """

    def __init__(self, subject: Any) -> None:
        self._subject = subject
        self._waiting: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = []
        self._numbers = itertools.count()

    def crew(self) -> Crew:
        """This process."""
        return Crew(None, 1, 1)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Remember the task."""
        number = next(self._numbers)
        self._waiting.append((number, function, arguments))
        return number

    def done(self) -> Iterable[Done]:
        """Do what was remembered."""
        while self._waiting:
            number, function, arguments = self._waiting.pop(0)
            yield number, function(self._subject, *arguments)

    def cancel(self) -> None:
        """Forget the rest."""
        self._waiting.clear()
