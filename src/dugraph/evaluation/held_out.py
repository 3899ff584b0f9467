"""What was forecast of each graph when it was left out, averaged over the folds that tested it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.evaluation.cell import Cell
from dugraph.evaluation.splits import Split

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class HeldOut:
    """A phenotype and its forecasts, both beyond covariates: of each graph the means over its tests.

    Attributes
    ----------
    graph_ids : tuple of str, length n_tested
        The graphs that some fold tested.
    observed : ndarray of shape (n_tested,)
        What covariates, or the mean of the training graphs, leave of the phenotype.
    forecasts : dict of (method, t) to ndarray of shape (n_tested,)
        By method and number of subgraphs; methods without a forecast in every fold are left out.
    """

    graph_ids: tuple[str, ...]
    observed: Floats
    forecasts: Mapping[tuple[str, int], Floats]


def held_out(cells: Sequence[Cell], splits: Sequence[Split], graph_ids: Sequence[str]) -> HeldOut | None:
    """Average the forecasts of cells; None if there are none.

    Parameters
    ----------
    cells : sequence of Cell
    splits : sequence of (train, test)
        By their numbers.
    graph_ids : sequence of str
    """
    by_method: dict[str, list[Cell]] = {}
    for cell in cells:
        by_method.setdefault(cell.method, []).append(cell)
    whole = {m: own for m, own in by_method.items() if all(cell.forecasts for cell in own)}
    if not whole:
        return None
    tests = [test for _, test in splits]
    n_times = np.bincount(np.concatenate(tests), minlength=len(graph_ids))
    tested = np.flatnonzero(n_times)

    def mean(values: Sequence[Any]) -> Floats:
        total = np.zeros(len(graph_ids))
        for test, part in zip(tests, values, strict=True):
            np.add.at(total, test, part)
        return np.asarray(total[tested] / n_times[tested])

    own = next(iter(whole.values()))
    keys = [(method, t) for method, its in whole.items() for t in its[0].forecasts]
    return HeldOut(
        tuple(graph_ids[i] for i in tested.tolist()),
        mean([cell.observed for cell in own]),
        {(method, t): mean([cell.forecasts[t] for cell in whole[method]]) for method, t in keys},
    )
