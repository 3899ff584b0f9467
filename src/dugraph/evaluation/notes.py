"""What a reader of the table must know: what is not proven, has no rank, or has fewer subgraphs than t."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from dugraph.evaluation.cell import Cell
from dugraph.evaluation.sparse_features import L1_EDGES, SPARSE

_Key = TypeVar("_Key", bound=Hashable)


def unranked_notes(cells: Sequence[Cell]) -> list[str]:
    """Say which methods have no features in some split, and why; one sentence for those that are alike.

    Parameters
    ----------
    cells : sequence of Cell
        Of all methods and splits.
    """
    failed: dict[str, list[str]] = defaultdict(list)
    for cell in cells:
        if cell.failure:
            failed[cell.method].append(cell.failure)
    n_splits = 1 + max(cell.split for cell in cells)
    alike = _together({method: (len(causes), causes[-1]) for method, causes in failed.items()})
    return [
        f"No rank for {', '.join(methods)}: no features in {many} of {n_splits} splits. {cause}"
        for (many, cause), methods in alike.items()
    ]


def unproven_notes(unproven: Mapping[str, int], n_splits: int, n_cells: int) -> list[str]:
    """Say for which methods a limit was reached, and in how many splits; no sentence if for none.

    Examples
    --------
    >>> unproven_notes({"exp-hsic": 2, "mod-hsic": 3}, 3, 12)[0].split(": ")[1]
    'exp-hsic in 2 of 3 splits; mod-hsic in 3 of 3 splits.'
    """
    if not unproven:
        return []
    parts = [
        f"{', '.join(names)} in {many} of {n_splits} splits" for many, names in _together(unproven).items()
    ]
    return [
        f"~ A limit was reached in {sum(unproven.values())} of {n_cells} cells, whose subgraphs are the "
        f"best so far, not proven to be the best: {'; '.join(parts)}."
    ]


def fewer_found(found: Iterable[tuple[str, int, int | None]]) -> dict[str, dict[int, int]]:
    """Gather where fewer subgraphs than t were found; sparse models, for which t is a limit, are left out.

    Parameters
    ----------
    found : iterable of (method, t, n_found)
        For every split; None where nothing is mined.

    Returns
    -------
    dict of str to dict of int to int
        By method and t the smallest number found in a split.

    Examples
    --------
    >>> fewer_found([("exp-hsic", 50, 60), ("exp-hsic", 100, 60), ("exp-hsic", 100, 58)])
    {'exp-hsic': {100: 58}}
    """
    fewer: dict[str, dict[int, int]] = {}
    for method, t, n_found in found:
        if n_found is not None and n_found < t and method not in (*SPARSE, *L1_EDGES):
            numbers = fewer.setdefault(method, {})
            numbers[t] = min(n_found, numbers.get(t, n_found))
    return fewer


def fewer_notes(fewer: Mapping[str, Mapping[int, int]]) -> list[str]:
    """Put what `fewer_found` gathered into a sentence, or none.

    Examples
    --------
    >>> fewer_notes({"exp-hsic": {100: 58}, "freq": {50: 7, 100: 7}})[0].split(": ")[1]
    '58 by exp-hsic for t=100; 7 by freq for t=50, 100.'
    """
    # The smallest number is the same for every t above it.
    alike = _together({method: (min(n.values()), tuple(n)) for method, n in fewer.items()})
    parts = [
        f"{n} by {', '.join(methods)} for t={', '.join(map(str, sizes))}"
        for (n, sizes), methods in alike.items()
    ]
    told = f"Fewer subgraphs than t were found (smallest number in a split): {'; '.join(parts)}."
    return [told] if parts else []


def _together(by_method: Mapping[str, _Key]) -> dict[_Key, list[str]]:
    alike: dict[_Key, list[str]] = {}
    for method, key in by_method.items():
        alike.setdefault(key, []).append(method)
    return alike
