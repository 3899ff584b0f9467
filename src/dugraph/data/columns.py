"""Names, and columns of plain values about the graphs: labels, participants, blocks and covariates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.arrays import refuse_masked
from dugraph.exceptions import InputError, Setting, Spoken

if TYPE_CHECKING:
    from dugraph.data.graphs import UncertainGraphs

Column = NDArray[Any]
Columns = dict[str, Column]

# Text, numbers, booleans and times; a column that mixes them has kind "O".
PLAIN_KINDS = "biufUmM"

# bool comes before int, of which it is a subclass.
_PLAIN_TYPES: dict[type, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, np.floating),
    str: (str,),
    np.datetime64: (np.datetime64,),
    np.timedelta64: (np.timedelta64,),
}


def check_names(
    names: object, argument: str, count: int | None = None, noun: str = "entry", unique: bool = True
) -> tuple[str, ...]:
    """Return names as a tuple of str; integers, such as subject numbers, become text.

    Parameters
    ----------
    names : sequence of str or int
    argument : str
        Name of the argument, for messages.
    count : int, optional
        How many names there must be.
    noun : str
        What one name stands for, for messages: "node", "graph", "edge".
    unique : bool, default True
        Whether repeated names are refused.
    """
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise InputError(
            f"{argument} must be a sequence of names: got {abbreviate(repr(names))}. Pass a list of str."
        )
    checked = tuple(_check_name(name, argument, noun, i) for i, name in enumerate(names))
    if count is not None and len(checked) != count:
        raise InputError(
            f"{argument} must have one name per {noun}: got {counted(len(checked), 'name')} for "
            f"{counted(count, noun)}. Give exactly {counted(count, 'name')}, or leave {argument} out."
        )
    if unique and len(set(checked)) < len(checked):
        first_seen: dict[str, int] = {}
        for i, name in enumerate(checked):
            if first_seen.setdefault(name, i) != i:
                raise InputError(
                    f"{argument} must be unique: {abbreviate(name)} names both {noun} {first_seen[name]} and "
                    f"{noun} {i}. Rename or drop one of them."
                )
    return checked


def _check_name(name: object, argument: str, noun: str, i: int) -> str:
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return str(int(name))
    if not isinstance(name, str):
        raise InputError(
            f"{argument} must be text or integers: {noun} {i} is {abbreviate(repr(name))} "
            f"of type {type(name).__name__}. Convert every name with str first."
        )
    # NumPy's text arrays drop trailing NULs, and UTF-8 has no lone surrogates: neither survives a file.
    if "\0" in name:
        raise InputError(
            f"{argument} must not hold NUL characters: {noun} {i} is {abbreviate(name)}. Remove them "
            "from the name."
        )
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise InputError(
            f"{argument} must be valid Unicode: {noun} {i} is {abbreviate(name)}, which holds a lone "
            "surrogate. Decode the names with their right encoding."
        )
    return str(name)


def as_column(values: object, name: str) -> Column:
    """Return a flat sequence as an array, of a plain dtype wherever its values allow one.

    A pandas column of text has dtype object; if all entries are text (or all are numbers) it becomes a plain
    array, which can be sorted and stored. Mixed columns keep dtype object. `name` is used in messages.
    """
    if values is None:
        raise InputError(f"{name} must have one value per graph, but there is none.")
    refuse_masked(values, name)
    try:
        # NumPy would turn ["patient", nan] into text silently; as objects they stay distinct.
        column = np.array(values, dtype=object if isinstance(values, (list, tuple)) else None)
    except ValueError as error:
        raise InputError(f"{name} must be a flat sequence, one value per graph: {error}.") from error
    if column.ndim != 1:
        raise InputError(
            f"{name} must be a flat sequence, one value per graph: its shape is {column.shape}. "
            "Pass one column, for example with numpy.ravel."
        )
    if column.dtype.kind == "O":
        types = {_plain_type(value) for value in column}
        if None not in types and (len(types) == 1 or types == {int, float}):
            column = np.array(column.tolist())  # integers beyond 64 bits keep dtype object
    if column.dtype.kind not in PLAIN_KINDS + "O":
        raise InputError(
            f"{name} must hold text, numbers, booleans or times: its dtype is {column.dtype}. "
            "Convert it first."
        )
    return column.astype(column.dtype.newbyteorder("="), copy=False)


def _plain_type(value: object) -> type | None:
    return next((plain for plain, kinds in _PLAIN_TYPES.items() if isinstance(value, kinds)), None)


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing one: None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA has no truth value
        return True


def check_present(column: Column, what: str, graph_ids: Sequence[str], parameter: str) -> None:
    """Refuse a column with missing values or empty text, by the names of the graphs that lack them.

    `what` names the column in the message and may begin with `parameter`, which the column belongs to.
    """
    without = [
        graph
        for value, graph in zip(column.tolist(), graph_ids, strict=True)
        if is_missing(value) or value == ""
    ]
    if without:
        raise InputError(
            (
                *(Setting(parameter), what.removeprefix(parameter)),
                f" must be known for every graph, but it is missing for {counted(len(without), 'graph')}: ",
                f"{listed(without)}.",
            ),
            parameter=parameter,
            way_out="Leave these graphs out, or fill in the values.",
        )


def check_participants(participants: object, n_graphs: int) -> Columns | None:
    """Return a table about the participants, a mapping or DataFrame, as read-only columns by name."""
    if participants is None:
        return None
    if not hasattr(participants, "columns") and not isinstance(participants, Mapping):
        raise InputError(
            f"participants must map column names to columns: got {type(participants).__name__}. "
            "Pass a dict or a pandas.DataFrame.",
            parameter="participants",
        )
    table: Any = participants
    keys = list(getattr(table, "columns", table))
    names = check_names(keys, "participants column names")
    columns = {
        name: as_column(table[key], f"participants[{abbreviate(name)!r}]")
        for name, key in zip(names, keys, strict=True)
    }
    for name, column in columns.items():
        if len(column) != n_graphs:
            raise InputError(
                f"participants[{abbreviate(name)!r}] must have one value per graph: got {len(column)} values "
                f"for {n_graphs} graphs. Align the table with the graphs first."
            )
        column.flags.writeable = False
    return columns


def tables_equal(a: Columns | None, b: Columns | None) -> bool:
    """Compare two participant tables; the order of columns counts, since a written table shows it."""
    if a is None or b is None:
        return a is b
    return list(a) == list(b) and all(_columns_equal(a[name], b[name]) for name in a)


def _columns_equal(a: Column, b: Column) -> bool:
    """Compare kind and content; missing values in the same places are equal."""
    if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
        return False
    if a.dtype.kind == "O":
        return all((is_missing(x) and is_missing(y)) or bool(x == y) for x, y in zip(a, b, strict=True))
    if a.dtype.kind == "U":  # of any width, which only depends on the longest text it ever held
        return bool(np.array_equal(a, b))
    return a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fmM"))


def named_columns(given: Any, argument: str, cohort: UncertainGraphs) -> Columns:
    """Return the columns that blocks or covariates stand for, each with one present value per graph.

    Parameters
    ----------
    given : str, list of str, mapping, pandas.DataFrame, or array-like of shape (n_graphs,) or (n_graphs, p)
        A text, and a list of texts that are all names of columns, stand for columns of ``participants``.
    argument : str
        "blocks" or "covariates", for messages and for the names of nameless columns.
    cohort : UncertainGraphs

    Returns
    -------
    dict of str to ndarray of shape (n_graphs,)
    """
    known = cohort.participants or {}
    if isinstance(given, str):
        given = [given]
    if isinstance(given, list | tuple) and given and all(isinstance(name, str) for name in given):
        unknown = [name for name in given if name not in known]
        if not unknown:
            columns = {name: known[name] for name in given}
        elif len(given) == cohort.n_graphs:  # a column of categories
            columns = {argument: as_column(given, argument)}
        else:
            raise _unknown_columns(argument, unknown, known)
    else:
        columns = _table(given, argument)
    if not columns:
        raise InputError(
            f"{argument} must have at least one column: got none. Pass None to go without.",
            parameter=argument,
        )
    for name, column in columns.items():
        if len(column) != cohort.n_graphs:
            raise InputError(
                f"{argument} must have one value per graph: {abbreviate(name)} has "
                f"{counted(len(column), 'value')} for {counted(cohort.n_graphs, 'graph')}. Align it with the "
                "graphs first.",
                parameter=argument,
            )
        check_present(column, f"{argument}: {abbreviate(name)}", cohort.graph_ids, argument)
    return columns


def column_names(given: Any, argument: str, cohort: UncertainGraphs) -> list[str] | None:
    """Return the names of the columns that `given` stands for, to be recorded; None for None."""
    return None if given is None else list(named_columns(given, argument, cohort))


def _table(given: Any, argument: str) -> Columns:
    if hasattr(given, "columns") or isinstance(given, Mapping):
        names = list(getattr(given, "columns", given))
        return {str(name): as_column(given[name], f"{argument}: {abbreviate(name)}") for name in names}
    name = getattr(given, "name", None)
    array = given if name is not None else _array(given, argument)
    if np.ndim(array) != 2:
        return {str(name) if name is not None else argument: as_column(array, argument)}
    return {f"{argument}[{j}]": as_column(array[:, j], f"{argument}[{j}]") for j in range(array.shape[1])}


def _array(given: Any, argument: str) -> NDArray[Any]:
    # As objects, so that NumPy does not turn a table of numbers and text into text.
    try:
        array = np.array(given, dtype=object) if isinstance(given, list | tuple) else np.asarray(given)
    except ValueError as error:
        raise InputError(
            f"{argument} must be a column or a table, one row per graph: {error}.", parameter=argument
        ) from error
    if array.ndim not in (1, 2):
        raise InputError(
            f"{argument} must be a column or a table, one row per graph: its shape is {array.shape}. Pass an "
            "array of shape (n_graphs,) or (n_graphs, n_columns), or names of columns of participants.",
            parameter=argument,
        )
    return array


def _unknown_columns(argument: str, unknown: list[str], known: Mapping[str, Any]) -> InputError:
    if not known:
        return InputError(
            f"{argument} names {listed(unknown)}, but the graphs carry no participants table.",
            parameter=argument,
            way_out=Spoken(
                "Pass the values themselves, or an UncertainGraphs with participants.",
                "Convert the cohort again with --participants FILE.",
            ),
        )
    return InputError(
        f"{argument} must name columns of participants: there is no {listed(unknown)}. The columns are "
        f"{listed(known, most=12)}.",
        parameter=argument,
    )
