"""Blocks and covariates as users give them: columns of participants by name, arrays, tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.columns import as_column
from dugraph.data.missing import check_present
from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.wording import counted, listed, shown
from dugraph.exceptions import InputError, Spoken

Columns = dict[str, NDArray[Any]]


def named_columns(given: Any, argument: str, cohort: UncertainGraphs) -> Columns:
    """Return the columns that `given` stands for, each with one present value per graph.

    Parameters
    ----------
    given : str, list of str, mapping, pandas.DataFrame, or array-like of shape (n_graphs,) or (n_graphs, p)
        Text, and a list of texts that are all names of columns, stand for columns of ``participants``.
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
        strangers = [name for name in given if name not in known]
        # A list with as many texts as graphs is a column of categories.
        if not strangers:
            columns = {name: known[name] for name in given}
        elif len(given) == cohort.n_graphs:
            columns = {argument: as_column(given, argument)}
        else:
            raise _unknown(argument, strangers, known)
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
                f"{argument} must have one value per graph: {shown(name)} has "
                f"{counted(len(column), 'value')} for {counted(cohort.n_graphs, 'graph')}. Align it with the "
                "graphs first.",
                parameter=argument,
            )
        check_present(column, f"{argument}: {shown(name)}", cohort.graph_ids, argument)
    return columns


def column_names(given: Any, argument: str, cohort: UncertainGraphs) -> list[str] | None:
    """What the columns are called that `given` stands for, to be recorded; None for None."""
    return None if given is None else list(named_columns(given, argument, cohort))


def _table(given: Any, argument: str) -> Columns:
    if hasattr(given, "columns") or isinstance(given, Mapping):
        names = list(given.columns) if hasattr(given, "columns") else list(given)
        return {str(name): as_column(given[name], f"{argument}: {shown(name)}") for name in names}
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


def _unknown(argument: str, strangers: list[str], known: Mapping[str, Any]) -> InputError:
    if not known:
        return InputError(
            f"{argument} names {listed(strangers)}, but the graphs carry no participants table.",
            parameter=argument,
            way_out=Spoken(
                "Pass the values themselves, or an UncertainGraphs with participants.",
                "Convert the cohort again with --participants FILE.",
            ),
        )
    return InputError(
        f"{argument} must name columns of participants: there is no {listed(strangers)}. The columns are "
        f"{listed(known, most=12)}.",
        parameter=argument,
    )
