"""Checks of arguments and numeric arrays, and short printable forms of names and values for messages."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from numbers import Integral, Real
from operator import index
from typing import Any, TypeGuard, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dugraph.exceptions import InputError, Setting, Spoken

Kind = TypeVar("Kind")

RawProbability = NDArray[np.float64] | NDArray[np.float32]
"""Probabilities as a cohort stores them: float32 where they were given so. Both are exact."""

_PIECE = 2**24  # bytes that are converted to float64 at a time

LONGEST = 40
"""Characters of a name that a message shows; region names of common atlases fit."""


def abbreviate(name: object) -> str:
    """Return a name on one line: shortened in the middle, control characters escaped."""
    text = str(name)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - 13]}...{text[-10:]}"
    return text if text and text.isprintable() else repr(text)


def describe_value(value: object) -> str:
    """Return a value and its type for a message, such as ``3 (int)``."""
    text = abbreviate(repr(value))
    return text if value is None or isinstance(value, str) else f"{text} ({type(value).__name__})"


def edge_label(node_labels: Sequence[str], u: int, v: int) -> str:
    """Name the edge between nodes `u` and `v`, e.g. ``Amygdala--Thalamus``."""
    return f"{abbreviate(node_labels[u])}--{abbreviate(node_labels[v])}"


def listed(names: Iterable[object], most: int = 4) -> str:
    """List names, without the middle ones if there are more than `most`."""
    texts = [abbreviate(name) for name in names]
    if len(texts) > most:
        texts = [*texts[: most - 1], "...", texts[-1]]
    return ", ".join(texts)


def counted(number: int, noun: str) -> str:
    """Join a number and its noun: ``1 graph``, ``3 graphs``, ``40,000 graphs``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def is_one_of(value: object, words: Collection[str]) -> bool:
    """Return whether a value is one of these texts, also if the value is an array."""
    return isinstance(value, str) and value in words


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a number, finite or not; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_kind(value: object, kind: type[Kind], name: str, way_out: str = "") -> Kind:
    """Return the value if it is an instance of a class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOUaeio" else "a"
        raise InputError(
            f"{name} must be {article} {kind.__name__}, got {describe_value(value)}.",
            parameter=name,
            way_out=way_out,
        )
    return value


def as_list(values: object, name: str, of: str) -> list[Any]:
    """Return the values of a sequence other than text."""
    error = InputError(f"{name} must be a sequence of {of}, got {describe_value(values)}.", parameter=name)
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise error
    try:
        return list(values)
    except TypeError as cause:  # an array without dimensions has __iter__
        raise error from cause


def check_word(name: str, value: object, words: Sequence[str]) -> str:
    """Return the value if it is one of these words."""
    if not isinstance(value, str) or value not in words:
        raise InputError(f"{name} must be one of {', '.join(words)}, but is {value!r}.", parameter=name)
    return value


def check_positive_int(name: str, value: object, before: str = "") -> int:
    """Return a whole number of at least 1 that fits into 64 bits; `before` opens the message."""
    if not is_whole(value) or not 1 <= value < 2**62:
        rule = f" must be a whole number of at least 1 and below 2**62, but is {value!r}."
        raise InputError((before, Setting(name), rule), parameter=name)
    return int(value)


def check_fraction(name: str, value: object, way_out: str = "") -> float:
    """Return a number between 0 and 1, both excluded."""
    if not is_real(value) or not 0 < value < 1:
        message = f"{name} must be a number above 0 and below 1, but is {value!r}."
        raise InputError(message, parameter=name, way_out=way_out)
    return float(value)


def resolve_seed(random_state: object, below: int | None = 2**63, *, saved: bool = False) -> int:
    """Return the seed of a run: a generator gives its next number, None an unpredictable one.

    A `saved` run, which is resumed by the same call, needs a number.

    Examples
    --------
    >>> resolve_seed(5)
    5
    >>> resolve_seed(np.random.default_rng(0)) == resolve_seed(np.random.default_rng(0))
    True
    """
    if is_whole(random_state) and random_state >= 0 and (below is None or random_state < below):
        return int(random_state)
    if not saved:
        most = below or 2**63
        if random_state is None or isinstance(random_state, np.random.Generator):
            return int(np.random.default_rng(random_state).integers(most))
        if isinstance(random_state, np.random.RandomState):
            return int(random_state.randint(most, dtype=np.uint64))
    limit = "" if below is None else f" and below 2**{below.bit_length() - 1}"
    others = " with a checkpoint" if saved else Spoken(", a Generator, a RandomState or None")
    rule = f"random_state must be a whole number of at least 0{limit}"
    message = (rule, others, f", but is {random_state!r}.")
    way_out = "Give a number for a result that can be computed again."
    raise InputError(message, parameter="random_state", way_out=way_out)


def whole_number(value: object, name: str) -> int:
    """Return the value as an int; floats are refused."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError(
            f"{name} must be a whole number, got {describe_value(value)}.", parameter=name
        ) from error


def real_number(value: object, name: str) -> float:
    """Return the value as a float if it is a finite number."""
    if not is_real(value) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, got {describe_value(value)}.", parameter=name)
    return float(value)


def real_array(values: object, argument: str, ndim: int, shape: str) -> NDArray[np.float64]:
    """Return a float64 array in C order; refuse text, complex numbers and wrong dimensions.

    `argument` and its expected `shape` are for messages.
    """
    return cast(NDArray[np.float64], raw_array(values, argument, ndim, shape, single=False))


def raw_array(
    values: object, argument: str, ndim: int, shape: str, *, owned: bool = False, single: bool = True
) -> RawProbability:
    """As `real_array`, but float32 stays float32 if `single`; an `owned` array is not copied."""
    refuse_masked(values, argument)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"its dtype is {array.dtype}")
        as_given = single and array.dtype.kind == "f" and array.dtype.itemsize == 4
        dtype = np.float32 if as_given else np.float64
        numbers: Any = (np.asarray if owned else np.array)(array, dtype=dtype, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{argument} must be real numbers of shape {shape}: {abbreviate(error)}. Convert it first."
        ) from error
    if numbers.ndim != ndim:
        raise InputError(
            f"{argument} must have shape {shape}: got {counted(numbers.ndim, 'dimension')}, shape "
            f"{numbers.shape}. Reshape or stack it first."
        )
    if np.signbit(numbers).any():
        numbers = numbers + dtype(0)  # -0.0 becomes 0.0, so that equal cohorts have equal bytes
    raw: RawProbability = np.ascontiguousarray(numbers)
    return raw


def refuse_masked(values: object, argument: str) -> None:
    """Refuse a masked array with masked entries, which NumPy would convert to the values below the mask."""
    n_masked = int(np.ma.getmaskarray(values).sum()) if isinstance(values, np.ma.MaskedArray) else 0
    if n_masked:
        raise InputError(
            f"{argument} must have all its values, but {n_masked:,} of this masked array are masked. Drop "
            "graphs or edges that lack them, or fill them with .filled(value)."
        )


def pieces(raw: RawProbability, chosen: NDArray[np.bool_] | None = None) -> Iterator[NDArray[np.float64]]:
    """Yield the rows of an array, or those that are `chosen`, in float64, some at a time."""
    at_once = max(1, _PIECE // (8 * max(1, raw.shape[1])))
    for first in range(0, len(raw), at_once):
        some: Any = slice(first, first + at_once)
        if chosen is not None:
            some = first + np.flatnonzero(chosen[some])
        yield np.asarray(raw[some], dtype=np.float64)
