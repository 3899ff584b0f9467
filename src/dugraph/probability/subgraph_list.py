"""Several subgraphs as an argument: checked one by one."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

from dugraph.exceptions import InputError
from dugraph.probability.containment import check_subgraph


def check_subgraphs(subgraphs: object, n_edges: int, *, gaps: bool = False) -> list[tuple[int, ...]]:
    """Return subgraphs as sorted tuples of edge indices, or say what is wrong.

    Parameters
    ----------
    subgraphs : sequence of sequence of int
    n_edges : int
        Number of edges that there are.
    gaps : bool
        Whether a subgraph may be empty, which keeps the ranks of those after it.

    Returns
    -------
    list of tuple of int

    Examples
    --------
    >>> check_subgraphs([(2, 0), [1]], 3)
    [(0, 2), (1,)]
    """
    several: list[Any] = list(subgraphs) if isinstance(subgraphs, Iterable) else [subgraphs]
    numbers = [entry for entry in several if isinstance(entry, Integral)]
    if numbers:
        raise InputError(
            f"subgraphs must be a sequence of subgraphs, but it holds the number {numbers[0]}. "
            "Put a single subgraph into a list: [subgraph]."
        )
    return [
        () if gaps and isinstance(subgraph, tuple) and not subgraph else check_subgraph(subgraph, n_edges)
        for subgraph in several
    ]
