"""The exceptions and warnings of dugraph, and the parts of their messages."""

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
    """A parameter in a message, alone or with a value: ``values="count"``; in a shell, ``--values count``."""

    parameter: str
    value: object = ...

    def __str__(self) -> str:
        if self.value is ...:
            return self.parameter
        if not isinstance(self.value, (str, dict)):
            return f"{self.parameter}={self.value!r}"
        # Unprintable characters, which may come from a file, are shown by their codes.
        text = json.dumps(self.value, ensure_ascii=False)
        return f"{self.parameter}={text if text.isprintable() else json.dumps(self.value)}"


@dataclass(frozen=True)
class Spoken:
    """A wording for Python, and one for the command line, which has neither None nor objects."""

    python: str
    shell: str = ""

    def __str__(self) -> str:
        return self.python


Part = str | Setting | Spoken
Sentence = Part | Sequence[Part]


class ClusterError(ConnectionError):
    """The workers of a cluster failed; the results so far are in the checkpoint, if there is one."""


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
        The remedy, in whole sentences.
    details : sequence of str, optional
        Lines that follow the message, such as a table of the values concerned.

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
        """The message and the way out; `say` writes the parts that are not plain text."""
        parts = (*self.message, " ", *self.way_out) if self.way_out else self.message
        return "".join(part if isinstance(part, str) else say(part) for part in parts)

    def renamed(self, name: str) -> InputError:
        """The same error with another name for the parameter."""
        its_own = self.parameter or name

        def known(sentence: Sequence[Part]) -> list[Part]:
            return [
                Setting(name, part.value) if isinstance(part, Setting) and part.parameter == its_own else part
                for part in sentence
            ]

        return self._but(known(self.message), known(self.way_out), name)

    def followed_by(self, way_out: Sentence) -> InputError:
        """The same error with a further way out."""
        both = (*self.way_out, " ", *_parts(way_out)) if self.way_out else way_out
        return self._but(self.message, both, self.parameter)

    def placed(self, where: str) -> InputError:
        """The same error, preceded by the place of the input."""
        return self._but((f"{where}: ", *self.message), self.way_out, self.parameter)

    def _but(self, message: Sentence, way_out: Sentence, parameter: str | None) -> InputError:
        return type(self)(message, parameter=parameter, way_out=way_out, details=self.details)


class NoneAdmitted(InputError):  # noqa: N818 (the word of the design)
    """No subgraph is admitted: none has an expected frequency above the limit."""


class UnfinishedTestError(TimeoutError):
    """A test of significance reached its time limit; it has no p-values, since partial maxima are too small.

    Parameters
    ----------
    sentence : InputError
        The message; the command line names its parameters by flags.
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
    """The positive class of an asymmetric score was not given and was assumed."""


class AssumedEdgesWarning(UserWarning):
    """Columns were taken as pairs of nodes by position, since neither names nor number identify them."""


class OutOfRangeWarning(UserWarning):
    """Connectivity outside [-1, 1], impossible for a correlation, was set to -1 or 1."""


class ConstantRegionWarning(UserWarning):
    """The series of a region is constant, so its edges have no correlation; they were set to 0."""


class TransposedSeriesWarning(UserWarning):
    """Time series have fewer rows than columns: they may be regions x time instead of time x regions."""


def either(choices: Sequence[Part]) -> tuple[Part, ...]:
    """Put "or" between the parts."""
    return tuple(part for choice in choices for part in (" or ", choice))[1:]


def _parts(sentence: Sentence) -> tuple[Part, ...]:
    if isinstance(sentence, (str, Setting, Spoken)):
        return (sentence,) if sentence else ()
    return tuple(sentence)
