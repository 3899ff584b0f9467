"""Names of nodes, graphs, layers and columns: what a name may be, and the checks for it."""

from collections.abc import Iterable

import numpy as np

from dugraph.data.wording import counted, shown
from dugraph.exceptions import InputError


def check_names(
    names: object, argument: str, count: int | None = None, noun: str = "entry", unique: bool = True
) -> tuple[str, ...]:
    """Check names and give them as a tuple of str; integers (subject numbers) become text.

    Parameters
    ----------
    names : sequence of str or int
    argument : str
        The argument's name, for messages.
    count : int, optional
        How many names there must be.
    noun : str
        What one name stands for, for messages: "node", "graph", "edge".
    unique : bool, default True
        Whether a name may appear once only.

    Returns
    -------
    tuple of str
    """
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise InputError(
            f"{argument} must be a sequence of names: got {shown(repr(names))}. Pass a list of str."
        )
    checked = tuple(_check_name(name, argument, noun, i) for i, name in enumerate(names))
    if count is not None and len(checked) != count:
        raise InputError(
            f"{argument} must have one name per {noun}: got {counted(len(checked), 'name')} for "
            f"{counted(count, noun)}. Give exactly {counted(count, 'name')}, or leave {argument} out."
        )
    if unique:
        _check_unique(checked, argument, noun)
    return checked


def _check_name(name: object, argument: str, noun: str, i: int) -> str:
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return str(int(name))
    if not isinstance(name, str):
        raise InputError(
            f"{argument} must be text or integers: {noun} {i} is {shown(repr(name))} "
            f"of type {type(name).__name__}. Convert every name with str first."
        )
    # NumPy's text arrays drop trailing NULs, and UTF-8 has no lone surrogates: neither survives a file.
    if "\0" in name:
        raise InputError(
            f"{argument} must not hold NUL characters: {noun} {i} is {shown(name)}. Remove them "
            "from the name."
        )
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise InputError(
            f"{argument} must be valid Unicode: {noun} {i} is {shown(name)}, which holds a lone surrogate. "
            "Decode the names with their right encoding."
        )
    return str(name)


def _check_unique(names: tuple[str, ...], argument: str, noun: str) -> None:
    first_seen: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in first_seen:
            raise InputError(
                f"{argument} must be unique: {shown(name)} names both {noun} {first_seen[name]} and {noun} "
                f"{i}. Rename or drop one of them."
            )
        first_seen[name] = i
