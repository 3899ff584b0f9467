"""What a test answers: the significant subgraphs, and what is claimed about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.subgraph_names import SubgraphNaming
from dugraph.significance.display import result_html, result_text

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class SignificanceResult:
    """The significant connected subgraphs of a cohort, and the test that found them.

    Attributes
    ----------
    subgraphs : list of tuple of int
        Sorted edge indices of the subgraphs with an adjusted p-value of at most alpha: smallest p first, then
        larger statistic, fewer edges, smaller edges.
    p_values : ndarray of shape (n_significant,)
        Adjusted for all admitted subgraphs of all sizes.
    statistics : ndarray of shape (n_significant,)
    effects : ndarray of shape (n_significant,)
        Differences in expected frequency (two classes; a group against the rest) or slopes of the containment
        probability per unit of the phenotype, adjusted for blocks and covariates.
    effect_intervals : ndarray of shape (n_significant, 2)
        95 % percentile bootstrap intervals. Descriptive: they are not adjusted for the choice of subgraphs.
    contrasts : list of str
        What each effect compares.
    sizes : ndarray of int, shape (n_significant,)
        Numbers of edges.
    representative : ndarray of bool, shape (n_significant,)
        Going down the list, the subgraphs that share no edge with a representative before them.
    size_classes : tuple of str
        The size classes in words.
    critical_values : ndarray of shape (n_classes,)
        What a statistic must exceed to be significant, per size class; NaN for a class without subgraphs.
    critical_effects : ndarray of shape (n_classes,)
        The effect that the best subgraph of each size class would need; NaN where there is none.
    best_subgraphs : list of tuple of int, or None where a class has none
        The subgraph with the largest statistic of each size class, significant or not.
    best_p_values : ndarray of shape (n_classes,)
        Their adjusted p-values; NaN for a class without subgraphs.
    null_maxima : ndarray of shape (n_relabelings, n_classes)
        The largest statistic of each relabeling and size class; row 0 is that of the observed labels.
    n_admitted : ndarray of int, shape (n_classes,)
        Subgraphs tested, per size class.
    n_relabelings : int
        Relabelings used, the observed labels among them.
    n_distinct_relabelings : int
        The number of distinct relabelings.
    exact : bool
        Whether all distinct relabelings were used, so that no p-value depends on chance.
    n_blocks, n_informative_blocks : int
        All blocks, and those in which a relabeling changes something.
    message : str
        The claim with its assumption.
    seconds : float
        Time of the test.
    parameters : dict
        The parameters of the call; ``labels`` says whether y was read as "classes", as a "phenotype" or as
        "groups", ``blocks`` and ``covariates`` name their columns.
    naming : SubgraphNaming
        What `names` are created from.
    """

    subgraphs: list[tuple[int, ...]]
    p_values: Floats
    statistics: Floats
    effects: Floats
    effect_intervals: Floats
    contrasts: list[str]
    sizes: NDArray[np.int64]
    representative: NDArray[np.bool_]
    size_classes: tuple[str, ...]
    critical_values: Floats
    critical_effects: Floats
    best_subgraphs: list[tuple[int, ...] | None]
    best_p_values: Floats
    null_maxima: Floats
    n_admitted: NDArray[np.int64]
    n_relabelings: int
    n_distinct_relabelings: int
    exact: bool
    n_blocks: int
    n_informative_blocks: int
    message: str
    seconds: float
    parameters: dict[str, Any]
    naming: SubgraphNaming

    @property
    def is_adjusted(self) -> bool:
        """Whether effects are those within blocks or given covariates: plain frequencies may differ."""
        return bool(self.parameters.get("blocks") or self.parameters.get("covariates"))

    @cached_property
    def names(self) -> list[str]:
        """The subgraphs by the names of their nodes, created on demand."""
        return self.naming.subgraph_names(self.subgraphs)

    def __len__(self) -> int:
        return len(self.subgraphs)

    def __repr__(self) -> str:
        return result_text(self)

    def _repr_html_(self) -> str:
        return result_html(self)
