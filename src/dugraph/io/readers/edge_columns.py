"""The columns of a long edge list: which is which, and their cells as positions in lists of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dugraph.data.wording import listed, shown
from dugraph.exceptions import InputError, Sentence, Setting
from dugraph.io.connectomes import Floats
from dugraph.io.delimited import is_number

Ints = NDArray[np.int64]

REQUIRED = ("graph_id", "source", "target")
CLASSES = ("y", "label")


@dataclass(frozen=True)
class Names:
    """A column of text: position of each cell in the distinct names."""

    codes: Ints
    names: tuple[str, ...]


def joined_names(*columns: Names) -> tuple[Names, ...]:
    """Bring columns of the same things onto one list of names, in the order in which the rows name them."""
    position: dict[str, int] = {}
    codes = []
    for column in columns:
        places = [position.setdefault(name, len(position)) for name in column.names]
        codes.append(np.array(places, dtype=np.int64)[column.codes])
    rows = np.stack(codes, axis=1)
    used, first, code = np.unique(rows.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    known = tuple(position)
    names = tuple(known[k] for k in used[order].tolist())
    ordered = rank[code].reshape(rows.shape).astype(np.int64)
    return tuple(Names(np.ascontiguousarray(ordered[:, i]), names) for i in range(len(columns)))


def is_plain_number(cell: str) -> bool:
    """Return whether a cell holds a number in digits, or stands for a missing one."""
    # Python would read 1_0 as 10, and the digits of other scripts.
    return cell.isascii() and "_" not in cell and is_number(cell)


@dataclass(frozen=True)
class EdgeTable:
    """A long edge list, column by column.

    Attributes
    ----------
    text : dict of str to Names
        By the names of `Roles`: graph_id, source, target, and layer and y if they are there.
    value : ndarray of float, shape (n_rows,)
        NaN where there is none.
    place : callable
        Says where a row is, for messages.
    """

    text: dict[str, Names]
    value: Floats
    place: Callable[[int], str]


@dataclass(frozen=True)
class Roles:
    """Which column plays which role.

    Attributes
    ----------
    text : dict of str to str
        Role -> name of the column: graph_id, source, target, and layer and y if they are there.
    value : str
    ignored : list of str
    """

    text: dict[str, str]
    value: str
    ignored: list[str]

    @classmethod
    def of(cls, columns: Iterable[str], values: str | None, file: Path) -> Roles:
        """Find the columns by name, whatever their order and capitals.

        Parameters
        ----------
        columns : iterable of str
        values : str, or None
            What the user says the numbers are.
        file : Path
            For messages.
        """
        lower: dict[str, str] = {}
        for name in columns:
            if name.lower() in lower:
                raise InputError(
                    f"{file}: column names must differ in more than capitals, but "
                    f"{shown(lower[name.lower()])!r} and {shown(name)!r} do not. Rename one."
                )
            lower[name.lower()] = name
        value = value_name(lower, values, file)
        lacking = [name for name in REQUIRED if name not in lower]
        if lacking:
            raise InputError(
                f"{file}: an edge list must have the columns {', '.join(REQUIRED)} and {value}, but "
                f"{listed(lacking)} is not among {listed(lower.values(), 12)}. Rename the columns."
            )
        classes = [name for name in CLASSES if name in lower]
        if len(classes) > 1:
            raise InputError(
                f"{file}: one column must hold the class of each graph, but y and label could. Drop one."
            )
        text = {name: lower[name] for name in (*REQUIRED, "layer") if name in lower}
        if classes:
            text["y"] = lower[classes[0]]
        used = {*text.values(), lower[value]}
        return cls(text, lower[value], [name for name in lower.values() if name not in used])


def value_name(names: Iterable[str], values: str | None, file: Path) -> str:
    """Say which column or edge attribute holds the values.

    That is ``probability``, unless the user says that the values are something else: then ``weight``. A
    weight passes for a probability only if the user says so and there is no other.

    Parameters
    ----------
    names : iterable of str
        Columns or edge attributes.
    values : str, or None
        What the user says the numbers are.
    file : Path
        For messages.
    """
    found = set(names)
    wanted = "probability" if values in (None, "probability") else "weight"
    if wanted in found:
        return wanted
    if values == "probability" and "weight" in found:
        return "weight"
    way_out: Sentence
    if wanted == "probability" and "weight" in found:
        way_out = (
            *("If you mean the weights, state what they are (", Setting("values")),
            ": correlation, count or probability).",
        )
    elif wanted == "weight" and "probability" in found:
        way_out = ("Leave out ", Setting("values", values), ", or rename it.")
    else:
        way_out = "Add or rename it."
        if file.suffix.lower() == ".graphml":
            way_out = ("Name the attribute with ", Setting("edge_attribute"), ", or add it.")
    raise InputError(
        f"{file}: edges must have a {wanted}, but there is only {listed(sorted(found), 12) or 'nothing'}.",
        way_out=way_out,
    )
