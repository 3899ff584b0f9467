"""The answer of a test, put together from its maxima and rejections."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.probability.containment import containment_columns
from dugraph.significance.effects import effect_intervals, effects
from dugraph.significance.maxima import Maxima
from dugraph.significance.messages import claim
from dugraph.significance.relabelings import Relabelings
from dugraph.significance.representatives import edge_disjoint
from dugraph.significance.result import SignificanceResult
from dugraph.significance.setup import Setup
from dugraph.significance.size_classes import is_significant, size_class_names
from dugraph.significance.step_down import Rejections

Ints = NDArray[np.int64]


def make_result(
    setup: Setup,
    relabelings: Relabelings,
    maxima: Maxima,
    rejections: Rejections,
    parameters: dict[str, Any],
    seconds: float,
) -> SignificanceResult:
    """Rank the significant subgraphs, and say what they and the best of each class amount to."""
    listed, design, units = rejections.listed, setup.design, setup.design.units
    alpha = parameters["alpha"]
    ranked = sorted(
        np.flatnonzero(is_significant(rejections.p_values, alpha)).tolist(),
        key=lambda k: (
            rejections.p_values[k],
            -listed.statistics[k],
            len(listed.subgraphs[k]),
            listed.subgraphs[k],
        ),
    )
    chosen = np.array(ranked, dtype=np.int64)
    original = [tuple(sorted(setup.edges[list(g)].tolist())) for g in listed.subgraphs]
    subgraphs = [original[k] for k in ranked]
    representative = edge_disjoint(subgraphs)
    containment, contrasts = _containment(setup, rejections, chosen), listed.contrasts[chosen]
    random_state = parameters["random_state"]
    intervals = effect_intervals(containment, contrasts, design, random_state) if ranked else np.empty((0, 2))
    best = _best_of_classes(rejections, len(maxima.n_admitted))
    best_p_values = np.array([np.nan if k is None else rejections.p_values[k] for k in best])
    return SignificanceResult(
        subgraphs=subgraphs,
        p_values=rejections.p_values[chosen],
        statistics=listed.statistics[chosen],
        effects=effects(containment, contrasts, design),
        effect_intervals=intervals,
        contrasts=[setup.phenotype.contrasts[c] for c in contrasts],
        sizes=np.array([len(g) for g in subgraphs], dtype=np.int64),
        representative=representative,
        size_classes=size_class_names(len(maxima.n_admitted), setup.family.max_edges),
        critical_values=np.where(maxima.n_admitted > 0, rejections.critical_values, np.nan),
        critical_effects=_critical_effects(setup, rejections, best),
        best_subgraphs=[None if k is None else original[k] for k in best],
        best_p_values=best_p_values,
        null_maxima=maxima.maxima,
        n_admitted=maxima.n_admitted,
        n_relabelings=len(relabelings),
        n_distinct_relabelings=relabelings.n_distinct,
        exact=relabelings.exact,
        n_blocks=units.n_blocks,
        n_informative_blocks=units.n_informative_blocks,
        message=claim(
            setup.phenotype,
            alpha=alpha,
            n_significant=len(subgraphs),
            n_representative=int(representative.sum()),
            n_tested=int(maxima.n_admitted.sum()),
            smallest_p=np.nanmin(best_p_values, initial=1.0),
            blocks_given=units.n_blocks > 1,
            adjusted=design.adjusted,
            permute=parameters["permute"],
        ),
        seconds=seconds,
        parameters=parameters,
        naming=setup.cohort.naming,
    )


def _containment(setup: Setup, rejections: Rejections, chosen: Ints) -> NDArray[np.float64]:
    """Containment probabilities of chosen subgraphs, shape (n_chosen, n_graphs)."""
    subgraphs = [rejections.listed.subgraphs[k] for k in chosen]
    return np.asarray(containment_columns(setup.family.edge_probability.T, subgraphs).T)


def _best_of_classes(rejections: Rejections, n_classes: int) -> list[int | None]:
    """The listed subgraph with the largest statistic of each class; the first of equal ones."""
    best: list[int | None] = []
    for size_class in range(n_classes):
        inside = np.flatnonzero(rejections.classes == size_class)
        largest = inside[np.argmax(rejections.listed.statistics[inside])] if len(inside) else None
        best.append(None if largest is None else int(largest))
    return best


def _critical_effects(setup: Setup, rejections: Rejections, best: list[int | None]) -> NDArray[np.float64]:
    """The effect at which the best subgraph of each class would have just the critical value."""
    listed = rejections.listed
    needed = np.full(len(best), np.nan)
    for size_class, k in enumerate(best):
        if k is not None:
            effect = effects(
                _containment(setup, rejections, np.array([k])), listed.contrasts[[k]], setup.design
            )
            needed[size_class] = (
                abs(effect[0]) * rejections.critical_values[size_class] / listed.statistics[k]
            )
    return needed
