"""Significant subgraphs in one step, or step-down (Romano and Wolf, 2005).

What has been rejected leaves the family, the maxima shrink, and more may be rejected; again, until nothing
new is. If a subgraph is rejected wrongly, consider the first: before it only true discoveries had left, so
that all true nulls were still among the maxima, and the argument of the single step holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dugraph.significance.family import Family, Subgraph
from dugraph.significance.maxima import Listed, Maxima
from dugraph.significance.size_classes import (
    TIE_TOLERANCE,
    adjusted_p_values,
    critical_values,
    is_significant,
)

Floats = NDArray[np.float64]


class Rejections(NamedTuple):
    """Listed subgraphs with their adjusted p-values, and the critical values of the last step."""

    listed: Listed
    classes: NDArray[np.int64]
    p_values: Floats
    critical_values: Floats


def reject(
    family: Family,
    first: Maxima,
    alpha: float,
    list_from: Callable[[Floats], Listed],
    maxima_without: Callable[[Collection[Subgraph]], Maxima] | None,
) -> Rejections:
    """List every significant subgraph, and the best of each class even if it is not significant.

    Parameters
    ----------
    family : Family
    first : Maxima
        Over the whole family; row 0 is that of the observed labels.
    alpha : float
    list_from : callable
        Lists the subgraphs that reach a threshold per class.
    maxima_without : callable or None
        Maxima without some subgraphs; None for a single step.
    """
    maxima = first.maxima
    critical = critical_values(maxima, alpha)
    significant: dict[Subgraph, float] = {}
    while True:
        listed = list_from(_thresholds(critical, first.maxima[0]))
        classes = np.array([family.size_class(len(g)) for g in listed.subgraphs], dtype=np.int64)
        p_values = adjusted_p_values(listed.statistics, classes, maxima)
        # A p-value is never smaller than one that was rejected before it.
        floor = max(significant.values(), default=0.0)
        known = len(significant)
        for k in np.flatnonzero(is_significant(p_values, alpha)).tolist():
            significant.setdefault(listed.subgraphs[k], max(float(p_values[k]), floor))
        if maxima_without is None or len(significant) == known:
            break
        maxima = maxima_without(significant.keys()).maxima
        # A class that was rejected as a whole keeps the value at which that happened.
        left = maxima.any(axis=0)
        critical = np.where(left, critical_values(maxima, alpha), critical)
    p_values = np.array([significant.get(g, p) for g, p in zip(listed.subgraphs, p_values, strict=True)])
    return Rejections(listed, classes, p_values, critical)


def _thresholds(critical: Floats, observed: Floats) -> Floats:
    """Low enough for all that exceed the critical value and for the best of each class; none if that is 0."""
    # The tolerance lets the best through if another order of additions made it smaller by a rounding.
    return np.where(observed > 0, np.minimum(critical, observed) * (1 - TIE_TOLERANCE), np.inf)
