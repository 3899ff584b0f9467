"""Arguments that must be of some class, words, sequences or numbers, and how others are refused."""

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from operator import index
from typing import Any, TypeGuard, TypeVar

from dugraph.data.wording import shown
from dugraph.exceptions import InputError, Setting

Kind = TypeVar("Kind")


def check_kind(value: object, kind: type[Kind], name: str, way_out: str = "") -> Kind:
    """The value, if it is an object of this class.

    Examples
    --------
    >>> check_kind(3, dict, "parameters")
    Traceback (most recent call last):
    dugraph.exceptions.InputError: parameters must be of the class dict, but is 3, of the class int.
    """
    if not isinstance(value, kind):
        raise InputError(
            f"{name} must be of the class {kind.__name__}, but is {told(value)}.",
            parameter=name,
            way_out=way_out,
        )
    return value


def as_list(values: object, name: str, of: str) -> list[Any]:
    """The values of a sequence; text is none."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a sequence of {of}, but is {told(values)}.", parameter=name)
    try:
        return list(values)
    except TypeError as error:  # an array without dimensions says that it is iterable
        raise InputError(
            f"{name} must be a sequence of {of}, but is {told(values)}.", parameter=name
        ) from error


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether it is a number, perhaps not finite; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_word(name: str, value: object, words: Sequence[str]) -> str:
    """The value, if it is one of these words."""
    if not isinstance(value, str) or value not in words:
        raise InputError(f"{name} must be one of {', '.join(words)}, but is {value!r}.", parameter=name)
    return value


def check_positive_int(name: str, value: object, before: str = "") -> int:
    """The value, if it is a whole number of at least 1 that the core can hold; `before` opens the message."""
    if not is_whole(value) or not 1 <= value < 2**62:
        rule = f" must be a whole number of at least 1 and below 2**62, but is {value!r}."
        raise InputError((before, Setting(name), rule), parameter=name)
    return int(value)


def whole_number(value: object, name: str) -> int:
    """The value as an int; what is only near to one is refused."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError(f"{name} must be a whole number, but is {told(value)}.", parameter=name) from error


def real_number(value: object, name: str) -> float:
    """The value as a float; text is none, and neither is what is not finite."""
    if not is_real(value) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, but is {told(value)}.", parameter=name)
    return float(value)


def told(value: object) -> str:
    """What was received, in a few words."""
    text = shown(repr(value))
    return text if value is None or isinstance(value, str) else f"{text}, of the class {type(value).__name__}"
