"""The subgraphs of a result with all that is shown or written about each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.labels import CLASSES
from dugraph.probability import ScoreDistribution
from dugraph.probability.containment import check_subgraph, containment_columns
from dugraph.probability.scores import ScoreTable, default_phi
from dugraph.search.distribution import (
    ScoreWindows,
    each_score_distribution,
    phi_probabilities,
    scored_supports,
    scores_of,
)

_QUANTILES = (0.05, 0.25, 0.75, 0.95)
# Of the supports: even the square of a capped score, times this, is below what rounding leaves.
_TAIL = 1e-24
# What was left out may be a part that shows of a probability below this.
_RARE = 1e-9
# Subgraphs whose supports are in memory together where classes are large.
_AT_ONCE = 16


@dataclass(frozen=True)
class RankedSubgraph:
    """One subgraph of a result.

    Attributes
    ----------
    rank : int
        1 for the best.
    value : float
        Its measure, or its coefficient.
    edges : tuple of int
        Sorted edge indices.
    frequency : float
        Expected frequency in all graphs.
    by_group : tuple of float
        That in the graphs of each group: of two classes, in those of the positive class first. None of a
        phenotype.
    """

    rank: int
    value: float
    edges: tuple[int, ...]
    frequency: float
    by_group: tuple[float, ...]

    @property
    def frequency_positive(self) -> float:
        """Expected frequency in the graphs of the positive of two classes."""
        return self.by_group[0]

    @property
    def frequency_negative(self) -> float:
        """Expected frequency in the graphs of the negative class."""
        return self.by_group[1]

    def edge_names(self, graphs: UncertainGraphs) -> list[str]:
        """Names of the edges, as they are in the cohort: escape them before showing."""
        return [graphs.edge_name(edge) for edge in self.edges]


class RankedSubgraphs(Sequence[RankedSubgraph]):
    """Subgraphs with their values, best first; each is described when it is asked for.

    Who shows twenty of a million does not wait for the others.
    """

    def __init__(
        self, subgraphs: Sequence[tuple[int, ...]], values: Sequence[float], cohort: LabelledGraphs
    ) -> None:
        self._subgraphs, self._values = subgraphs, values
        self._probability = cohort.graphs.raw_probability  # a whole float64 copy would be large
        self._groups = group_rows(cohort)

    def __len__(self) -> int:
        return len(self._subgraphs)

    @overload
    def __getitem__(self, index: int) -> RankedSubgraph: ...
    @overload
    def __getitem__(self, index: slice) -> list[RankedSubgraph]: ...
    def __getitem__(self, index: int | slice) -> RankedSubgraph | list[RankedSubgraph]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return [self._described(k) for k in places]
        return self._all[places] if "_all" in self.__dict__ else self._described(places)

    def __iter__(self) -> Iterator[RankedSubgraph]:
        return iter(self._all)

    @cached_property
    def _all(self) -> list[RankedSubgraph]:
        return self[:]

    def _described(self, k: int) -> RankedSubgraph:
        subgraph = self._subgraphs[k]
        edges = check_subgraph(subgraph, self._probability.shape[1])
        contained = containment_columns(self._probability, [edges], np.float64)[:, 0]
        return RankedSubgraph(
            rank=k + 1,
            value=float(self._values[k]),
            edges=subgraph,
            frequency=float(np.mean(contained)),
            by_group=tuple(float(np.mean(contained[rows])) for rows in self._groups),
        )


def group_rows(cohort: LabelledGraphs) -> list[NDArray[np.bool_]]:
    """Which graphs are in each group: of two classes, in the positive one first; none of a phenotype."""
    if cohort.kind == CLASSES:
        return [cohort.positive, ~cohort.positive]
    return [cohort.y == group for group in cohort.classes]


def group_titles(cohort: LabelledGraphs) -> tuple[str, ...]:
    """What the groups of `group_rows` are called in files: positive, negative, or their names."""
    return ("positive", "negative") if cohort.kind == CLASSES else cohort.group_names


def score_summaries(
    subgraphs: Sequence[tuple[int, ...]],
    cohort: LabelledGraphs,
    score: str,
    phi: float | None,
    score_cap: float | None,
) -> list[dict[str, Any]]:
    """Sum up the distribution of the score of every subgraph, whatever measure ranked them.

    Parameters
    ----------
    subgraphs, cohort
        What was found in what.
    score, phi, score_cap
        As for `mine_subgraphs`.
    """
    chosen = default_phi(score, phi)
    table = scores_of(score, cohort.n_pos, cohort.n_neg, score_cap)
    # Windows are scored for each subgraph anyway; only a table serves many of them at a time.
    at_once = _AT_ONCE if isinstance(table, ScoreWindows) else max(1, len(subgraphs))
    return [
        {"score": score, **summary}
        for first in range(0, len(subgraphs), at_once)
        for summary in _summaries(subgraphs[first : first + at_once], cohort, table, chosen)
    ]


def _summaries(
    subgraphs: Sequence[tuple[int, ...]], cohort: LabelledGraphs, table: ScoreTable | ScoreWindows, phi: float
) -> Iterator[dict[str, Any]]:
    held, positive = cohort.graphs.raw_probability, cohort.positive
    supports = scored_supports(held, positive, subgraphs, table, _TAIL)
    reached = phi_probabilities(supports, phi)
    rare = np.flatnonzero(reached < _RARE)
    if len(rare):
        whole = scored_supports(held, positive, [subgraphs[i] for i in rare.tolist()], table)
        reached[rare] = phi_probabilities(whole, phi)
    found = zip(each_score_distribution(supports, _TAIL), reached.tolist(), strict=True)
    return (_summary(distribution, phi, tail) for distribution, tail in found)


def _summary(distribution: ScoreDistribution, phi: float, phi_probability: float) -> dict[str, Any]:
    return {
        "expectation": distribution.expectation(),
        "standard_deviation": distribution.standard_deviation(),
        "median": distribution.median(),
        "mode": distribution.mode(),
        "phi": phi,
        "phi_probability": phi_probability,
        "quantiles": {str(level): distribution.quantile(level) for level in _QUANTILES},
    }
