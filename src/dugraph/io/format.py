"""`Format`: one way in which programs write connectomes to disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dugraph.io.connectomes import Connectomes
from dugraph.io.options import ReadOptions
from dugraph.io.source import Source


@dataclass(frozen=True)
class Format:
    """A format: its name, what it is, how it is found and how it is read.

    Attributes
    ----------
    name : str
        The word by which it is asked for.
    description : str
        One line.
    finds : callable
        Gives the reason why a source is of this format, or None.
    read : callable
        Gives the connectomes of a source.
    general : bool
        Whether it is taken only when no other format fits.
    takes : tuple of str
        Which of the special fields of `ReadOptions` it looks at; the others are refused.
    """

    name: str
    description: str
    finds: Callable[[Source], str | None]
    read: Callable[[Source, ReadOptions], Connectomes]
    general: bool = False
    takes: tuple[str, ...] = ()
