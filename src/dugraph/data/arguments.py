"""Arguments that must be of some class, sequences or whole numbers, and how others are refused."""

from collections.abc import Iterable
from numbers import Real
from operator import index
from typing import Any, TypeVar

import numpy as np

from dugraph.data.wording import shown
from dugraph.exceptions import InputError

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


def whole_number(value: object, name: str) -> int:
    """The value as an int; what is only near to one is refused."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError(f"{name} must be a whole number, but is {told(value)}.", parameter=name) from error


def real_number(value: object, name: str) -> float:
    """The value as a float; text is none, and neither is what is not finite."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise InputError(f"{name} must be a finite number, but is {told(value)}.", parameter=name)
    return float(value)


def told(value: object) -> str:
    """What was received, in a few words."""
    text = shown(repr(value))
    return text if value is None or isinstance(value, str) else f"{text}, of the class {type(value).__name__}"
