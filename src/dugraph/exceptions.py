"""Every exception and warning that dugraph raises on purpose, and the parts of their sentences."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dugraph.search import MiningResult

__all__ = [
    "AssumedClassWarning",
    "AssumedEdgesWarning",
    "ClusterError",
    "ConstantRegionWarning",
    "FewerSubgraphsWarning",
    "InputError",
    "LimitReachedWarning",
    "NoneAdmitted",
    "OutOfRangeWarning",
    "SearchInterrupted",
    "ShardDone",
    "TransposedSeriesWarning",
    "UnfinishedTestError",
]


@dataclass(frozen=True)
class Setting:
    """A parameter in a sentence, alone or with a value: callers in Python read ``values="count"``.

    The command line says the same by its flag: ``--values count``.
    """

    parameter: str
    value: object = ...

    def __str__(self) -> str:
        if self.value is ...:
            return self.parameter
        if not isinstance(self.value, (str, dict)):
            return f"{self.parameter}={self.value!r}"
        # What does not print is shown by its code, as it may come from a file.
        text = json.dumps(self.value, ensure_ascii=False)
        return f"{self.parameter}={text if text.isprintable() else json.dumps(self.value)}"


@dataclass(frozen=True)
class Spoken:
    """Words for callers in Python, and those for the shell, where there is neither None nor an object."""

    python: str
    shell: str = ""

    def __str__(self) -> str:
        return self.python


Part = str | Setting | Spoken
Sentence = Part | Sequence[Part]


class ClusterError(ConnectionError):
    """The workers of a cluster cannot go on; what was found so far is in the checkpoint, if there is one."""


class InputError(ValueError):
    """The input breaks a rule; the message gives the rule, the value received and the way out.

    Parameters
    ----------
    message : str, or sequence of str, Setting and Spoken
        The rule and the value received.
    parameter : str, optional
        The parameter whose value breaks the rule. A message that begins with it begins with its flag on the
        command line.
    way_out : str, or sequence of str, Setting and Spoken, optional
        What to do about it: whole sentences.
    details : sequence of str, optional
        Lines of a small table that shows where the rule is broken; they follow the message.

    Examples
    --------
    >>> way_out = ("If these are counts, say ", Setting("values", "count"), ".")
    >>> print(InputError("Correlations must lie in [-1, 1], but one is 7.", way_out=way_out))
    Correlations must lie in [-1, 1], but one is 7. If these are counts, say values="count".
    """

    def __init__(
        self,
        message: Sentence,
        *,
        parameter: str | None = None,
        way_out: Sentence = "",
        details: Sequence[str] = (),
    ) -> None:
        self.parameter = parameter
        self.message = _parts(message)
        self.way_out = _parts(way_out)
        self.details = tuple(details)
        first = self.message[0]
        if parameter is not None and isinstance(first, str) and first.startswith(f"{parameter} "):
            self.message = (Setting(parameter), first.removeprefix(parameter), *self.message[1:])
        super().__init__("\n".join([self.sentence_with(), *self.details]))

    def sentence_with(self, say: Callable[[Setting | Spoken], str] = str) -> str:
        """The message and the way out, with `say` for what is not plain text; by default as in Python."""
        parts = (*self.message, " ", *self.way_out) if self.way_out else self.message
        return "".join(part if isinstance(part, str) else say(part) for part in parts)

    def renamed(self, name: str) -> InputError:
        """The same error for callers who know the parameter by another name."""
        its_own = self.parameter or name

        def known(sentence: Sequence[Part]) -> list[Part]:
            return [
                Setting(name, part.value) if isinstance(part, Setting) and part.parameter == its_own else part
                for part in sentence
            ]

        return type(self)(
            known(self.message), parameter=name, way_out=known(self.way_out), details=self.details
        )

    def followed_by(self, way_out: Sentence) -> InputError:
        """The same error with another way out after its own."""
        both = (*self.way_out, " ", *_parts(way_out)) if self.way_out else way_out
        return type(self)(self.message, parameter=self.parameter, way_out=both, details=self.details)

    def placed(self, where: str) -> InputError:
        """The same error with the place of the input before it."""
        error = type(self)((f"{where}: ", *self.message), way_out=self.way_out, details=self.details)
        error.parameter = self.parameter
        return error


class NoneAdmitted(InputError):  # noqa: N818 (the word of the design)
    """No subgraph is admitted: none has an expected frequency above the limit."""


class UnfinishedTestError(TimeoutError):
    """A test of significance met its time limit; it has no p-values, since partial maxima are too small.

    Parameters
    ----------
    sentence : InputError
        The message, whose parameters the command line says by its flags.
    """

    def __init__(self, sentence: InputError) -> None:
        self.sentence = sentence
        super().__init__(str(sentence))


class SearchInterrupted(KeyboardInterrupt):
    """Ctrl-C ended `mine_subgraphs`; the best subgraphs so far are attached.

    Every call of dugraph raises KeyboardInterrupt on Ctrl-C, so that loops and grid searches end with it. A
    search that had already begun raises this subclass, which a program may catch to use what was found.

    Parameters
    ----------
    result : MiningResult
        The best subgraphs so far, with the status INTERRUPTED and a valid gap; an attribute of the exception.

    Examples
    --------
    >>> import dugraph as dg
    >>> def find(cohort):
    ...     try:
    ...         return dg.mine_subgraphs(cohort, min_expected_frequency=0.01)
    ...     except dg.SearchInterrupted as interrupt:
    ...         return interrupt.result
    """

    def __init__(self, result: MiningResult) -> None:
        self.result = result
        super().__init__(result.message)


class ShardDone(UnfinishedTestError):  # noqa: N818 (nothing went wrong)
    """A shard of a test is done; p-values need all of them, merged."""


class LimitReachedWarning(UserWarning):
    """A search stopped at a limit: its answer is valid, but not proven to be the best."""


class FewerSubgraphsWarning(UserWarning):
    """Fewer subgraphs were admitted than requested; all of them are returned."""


class AssumedClassWarning(UserWarning):
    """A score that asks what is typical of one class had to guess which of them is meant."""


class AssumedEdgesWarning(UserWarning):
    """Columns were read as pairs of nodes by position: their names, or their number, do not say which."""


class OutOfRangeWarning(UserWarning):
    """Connectivity beyond [-1, 1], which no correlation can be, was taken as -1 or 1."""


class ConstantRegionWarning(UserWarning):
    """A region's series never changes, so that its edges have no correlation; they became 0."""


class TransposedSeriesWarning(UserWarning):
    """Time series have fewer rows than columns: they may be regions x time instead of time x regions."""


def either(choices: Sequence[Part]) -> tuple[Part, ...]:
    """Put "or" between the parts."""
    return tuple(part for choice in choices for part in (" or ", choice))[1:]


def _parts(sentence: Sentence) -> tuple[Part, ...]:
    if isinstance(sentence, (str, Setting, Spoken)):
        return (sentence,) if sentence else ()
    return tuple(sentence)
