"""Labels with an index: they are taken by position, so their ids must stand in the order of the graphs."""

from dugraph.data.uncertain_graphs import UncertainGraphs
from dugraph.data.wording import shown
from dugraph.exceptions import InputError


def check_label_order(y: object, X: object) -> None:
    """Refuse a pandas Series whose index has the id of a graph at the place of another graph.

    Other indexes, such as row numbers, say nothing about graphs and are not looked at.

    Parameters
    ----------
    y : object
        Class labels as a user gave them.
    X : object
        The graphs; only an UncertainGraphs knows their ids.

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
    index = getattr(y, "index", None)
    if not isinstance(X, UncertainGraphs) or index is None or callable(index):  # a list has a method index
        return
    known = set(X.graph_ids)
    # Whether there are as many labels as graphs is checked where they are read.
    for i, (given, wanted) in enumerate(zip(index, X.graph_ids, strict=False)):
        if given != wanted and given in known:
            raise InputError(
                "y must be in the order of the graphs, but according to its index the label at position "
                f"{i} belongs to {shown(given)}, while the graph there is {shown(wanted)}. Use "
                "y.reindex(graphs.graph_ids)."
            )
