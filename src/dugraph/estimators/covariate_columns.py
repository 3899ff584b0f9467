"""Covariates that come with X: columns of participants or of a data frame by name, of an array by number."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.columns import as_column
from dugraph.data.missing import check_present
from dugraph.data.participant_columns import named_columns
from dugraph.data.wording import listed, shown
from dugraph.exceptions import InputError


class SplitInput(NamedTuple):
    """X without its covariates, these by name, and what messages call the graphs."""

    X: Any
    columns: dict[str, NDArray[Any]]
    graph_ids: Sequence[str]


def split_covariates(X: Any, covariates: Any) -> SplitInput:
    """Take the covariates out of X.

    Parameters
    ----------
    X : UncertainGraphs, LabelledGraphs, DataFrame or array-like of shape (n_graphs, n_columns)
    covariates : str, int, sequence of these, or None
        Names of columns of ``participants``, which X keeps; or of a data frame, or numbers of columns of an
        array, negative ones counted from its end, which X loses.
    """
    if covariates is None:
        return SplitInput(X, {}, ())
    wanted = _wanted(covariates)
    graphs = X.graphs if isinstance(X, LabelledGraphs) else X
    if isinstance(graphs, UncertainGraphs):
        _all_of(str, wanted, "X has participants")
        return SplitInput(X, named_columns(wanted, "covariates", graphs), graphs.graph_ids)
    if hasattr(X, "iloc"):
        _all_of(str, wanted, "X is a data frame")
        missing = [name for name in wanted if name not in X.columns]
        if missing:
            raise InputError(
                f"covariates must name columns of X, but there is no {listed(missing)}.",
                parameter="covariates",
                way_out="Add them to X next to the edges, or leave them out.",
            )
        rows = [str(row) for row in X.index]
        columns = {name: as_column(X[name], shown(name)) for name in wanted}
        return SplitInput(X.drop(columns=list(wanted)), _present(columns, rows), rows)
    _all_of(numbers.Integral, wanted, "X is an array")
    return _of_array(X, wanted)


def without_covariates(X: Any, covariates: Any) -> Any:
    """X without its covariates, for who does not need them: columns of a data frame may be missing."""
    if covariates is None or isinstance(X, UncertainGraphs | LabelledGraphs):
        return X
    if hasattr(X, "iloc"):
        return X.drop(columns=[name for name in _wanted(covariates) if name in X.columns])
    return split_covariates(X, covariates).X


def _wanted(covariates: Any) -> list[Any]:
    wanted = [covariates] if isinstance(covariates, str | numbers.Integral) else list(covariates)
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError(
            f"covariates must be different columns, at least one, but are {covariates!r}. Use None to go "
            "without.",
            parameter="covariates",
        )
    return wanted


def _all_of(kind: type, wanted: list[Any], why: str) -> None:
    if all(isinstance(one, kind) and not isinstance(one, bool) for one in wanted):
        return
    word = "names of columns" if kind is str else "numbers of columns"
    raise InputError(f"covariates must be {word}, since {why}; got {wanted!r}.", parameter="covariates")


def _of_array(X: Any, wanted: list[Any]) -> SplitInput:
    if sparse.issparse(X):
        raise InputError(
            "X must be dense, a data frame or an UncertainGraphs for covariates to be found in it, but is "
            "sparse.",
            parameter="covariates",
            way_out="Pass X.toarray().",
        )
    array = np.asarray(X)
    n_columns = array.shape[1] if array.ndim == 2 else 0
    if not all(-n_columns <= place < n_columns for place in wanted):
        raise InputError(
            f"covariates must be columns of X from 0 to {n_columns - 1}, or from -{n_columns} to -1, but are "
            f"{wanted!r}.",
            parameter="covariates",
        )
    places = [place % n_columns for place in wanted]
    rows = [str(row) for row in range(len(array))]
    columns = {f"column {place}": as_column(array[:, place], f"column {place}") for place in places}
    return SplitInput(np.delete(array, places, axis=1), _present(columns, rows), rows)


def _present(columns: dict[str, NDArray[Any]], rows: list[str]) -> dict[str, NDArray[Any]]:
    for name, column in columns.items():
        check_present(column, f"covariates: {shown(name)}", rows, "covariates")
    return columns
