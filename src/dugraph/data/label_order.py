"""Labels are read by position: an index of theirs must not contradict the order of the graphs."""

from collections.abc import Sequence
from typing import Any

from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.wording import shown
from dugraph.exceptions import InputError


def check_label_order(y: object, X: object) -> None:
    """Refuse a pandas Series whose index has the id of a graph at the position of another graph.

    An index without ids of the graphs, such as row numbers, says nothing about them and is ignored.

    Parameters
    ----------
    y : object
        Class labels as given by the user.
    X : object
        The graphs. An UncertainGraphs has ids, a data frame its own index; others have neither.

    Examples
    --------
    >>> import pandas as pd
    >>> graphs = UncertainGraphs([[0.9], [0.2]], graph_ids=["sub-01", "sub-02"])
    >>> check_label_order(pd.Series([1, 0], index=["sub-01", "sub-02"]), graphs)
    >>> check_label_order(pd.Series([0, 1], index=["sub-02", "sub-01"]), graphs)
    Traceback (most recent call last):
    dugraph.exceptions.InputError: y must be in the order of the graphs, but according to its index the \
label at position 0 belongs to sub-02, while the graph there is sub-01. Use y.reindex(graphs.graph_ids).
    """
    given = _row_ids(y)
    if isinstance(X, UncertainGraphs):
        wanted: Sequence[Any] | None = X.graph_ids
        way_out = "Use y.reindex(graphs.graph_ids)."
    else:
        wanted = _row_ids(X)
        way_out = "Use y.reindex(X.index), or y.to_numpy() if the order is right."
    if given is None or wanted is None:
        return
    known = set(wanted)
    # Row numbers on one side only say nothing, unless the other side has the same numbers in another order.
    if _is_numbered(given) != _is_numbered(wanted) and set(given) != known:
        return
    # Whether there are as many labels as graphs is checked where they are read.
    for i, (here, there) in enumerate(zip(given, wanted, strict=False)):
        if here != there and here in known:
            raise InputError(
                "y must be in the order of the graphs, but according to its index the label at position "
                f"{i} belongs to {shown(here)}, while the graph there is {shown(there)}. {way_out}"
            )


def _row_ids(values: object) -> list[Any] | None:
    index = getattr(values, "index", None)
    # A list has a method called index.
    return None if index is None or callable(index) else list(index)


def _is_numbered(ids: Sequence[Any]) -> bool:
    return all(isinstance(one, int) and one == i for i, one in enumerate(ids))
