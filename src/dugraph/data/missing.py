"""Missing values are refused by the names of the subjects that have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dugraph.data.columns import is_missing
from dugraph.data.wording import counted, listed
from dugraph.exceptions import InputError, Setting


def check_present(column: NDArray[Any], what: str, graph_ids: Sequence[str], parameter: str) -> None:
    """Refuse a column with missing values, empty text included, since dropping graphs changes the family.

    Parameters
    ----------
    column : ndarray of shape (n_graphs,)
    what : str
        What the column is called in the message.
    graph_ids : sequence of str
    parameter : str
        The parameter that it belongs to, with which `what` may begin.
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
