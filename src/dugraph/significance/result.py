"""The result of a test: significant subgraphs, their families, the claim, and how they are shown.

A significant subgraph often has idle edges: an edge that differs is significant together with any common edge
next to it. All rejections hold simultaneously, so any selection from them is valid, and one without idle
edges is more informative. `benchmarks/irreducible.py` compares rules of selection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dugraph.data.arguments import counted
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import PHENOTYPE
from dugraph.data.networkx_graphs import subgraphs_to_networkx
from dugraph.data.subgraphs import Subgraph, Subgraphs
from dugraph.exceptions import InputError, Setting, ShardDone, UnfinishedTestError
from dugraph.search.result import ROWS, ResultTable, TabularResult, more_rows
from dugraph.significance.design import REST, Phenotype, Setup
from dugraph.significance.statistics import TIE_TOLERANCE

if TYPE_CHECKING:
    import networkx
    import pandas

Floats = NDArray[np.float64]
GUARANTEE = "The probability of listing"
"""Start of the second part of a claim."""
POWER = "The power was about"
"""Start of what a test without findings says of its power."""


@dataclass(frozen=True)
class SubgraphFamily:
    """A representative, and the other significant subgraphs that share most edges with it.

    Attributes
    ----------
    representative : tuple of int
        The first irreducible subgraph of the family; it shares no edge with other representatives.
    irreducible : list of int
        Positions, in the list of significant subgraphs, of the irreducible ones; the representative first.
    members : list of int
        Positions of all significant subgraphs of the family.
    edges : tuple of int
        The edges of its irreducible subgraphs.
    """

    representative: tuple[int, ...]
    irreducible: list[int]
    members: list[int]
    edges: tuple[int, ...]


def irreducible_subgraphs(
    subgraphs: Sequence[tuple[int, ...]], statistics: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Mark each subgraph of which no listed part has a statistic at least as large.

    A reducible part can be left out of the comparison: a part of it has a statistic at least as large, and is
    a part of the whole as well.

    Examples
    --------
    >>> irreducible_subgraphs([(0, 1), (0,), (1, 2)], np.array([3.0, 3.5, 4.0])).tolist()
    [False, True, True]
    """
    marked = np.zeros(len(subgraphs), dtype=bool)
    by_first_edge: dict[int, list[int]] = {}
    for k in sorted(range(len(subgraphs)), key=lambda k: len(subgraphs[k])):
        edges, least = set(subgraphs[k]), statistics[k] * (1 - TIE_TOLERANCE)
        parts = (j for edge in subgraphs[k] for j in by_first_edge.get(edge, ()))
        if not any(statistics[j] >= least and edges.issuperset(subgraphs[j]) for j in parts):
            marked[k] = True
            by_first_edge.setdefault(subgraphs[k][0], []).append(k)
    return marked


def edge_disjoint(
    subgraphs: Sequence[Sequence[int]], candidates: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Going down the list, mark each candidate that shares no edge with one marked before it."""
    taken: set[int] = set()
    marked = np.zeros(len(subgraphs), dtype=bool)
    for k, subgraph in enumerate(subgraphs):
        if (candidates is None or candidates[k]) and taken.isdisjoint(subgraph):
            marked[k] = True
            taken.update(subgraph)
    return marked


def subgraph_families(
    subgraphs: Sequence[tuple[int, ...]], irreducible: NDArray[np.bool_]
) -> list[SubgraphFamily]:
    """Assign every subgraph to the representative with which it shares most edges, the first of equal ones.

    Every subgraph shares an edge with a representative: it contains an irreducible one, which does or is one.
    """
    representatives = np.flatnonzero(edge_disjoint(subgraphs, irreducible)).tolist()
    family_of_edge = {edge: f for f, k in enumerate(representatives) for edge in subgraphs[k]}
    members: list[list[int]] = [[] for _ in representatives]
    for k, subgraph in enumerate(subgraphs):
        shared = np.bincount([family_of_edge[e] for e in subgraph if e in family_of_edge])
        members[int(shared.argmax())].append(k)
    families = []
    for k, inside in zip(representatives, members, strict=True):
        first = [k, *(j for j in inside if irreducible[j] and j != k)]
        edges = sorted({edge for j in first for edge in subgraphs[j]})
        families.append(SubgraphFamily(subgraphs[k], first, inside, tuple(edges)))
    return families


@dataclass(frozen=True, repr=False)
class SignificanceResult(TabularResult):
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
        95 % intervals of the true effects, given that these subgraphs were listed because of large
        statistics. They may contain 0: the p-values test.
    contrasts : list of str
        What each effect compares.
    sizes : ndarray of int, shape (n_significant,)
        Numbers of edges.
    representative : ndarray of bool, shape (n_significant,)
        Going down the list, the irreducible subgraphs that share no edge with a representative before them.
    size_classes : tuple of str
        The size classes in words.
    critical_values : ndarray of shape (n_classes,)
        What a statistic must exceed to be significant, per size class; NaN for a class without subgraphs.
    critical_effects : ndarray of shape (n_classes,)
        The effect that the best subgraph of each size class would need, with its own frequencies; others need
        other effects; NaN without an interval.
    best_subgraphs : list of tuple of int, or None where a class has none
        The subgraph with the largest statistic of each size class, significant or not.
    best_p_values : ndarray of shape (n_classes,)
        Their adjusted p-values; NaN for a class without subgraphs.
    null_maxima : ndarray of shape (n_permutations, n_classes)
        The largest statistic of each permutation and size class; row 0 is that of the observed labels.
    n_admitted : ndarray of int, shape (n_classes,)
        Subgraphs tested, per size class.
    n_permutations : int
        Permutations used, the observed labels among them.
    n_distinct_permutations : int
        The number of distinct permutations.
    exact : bool
        Whether all distinct permutations were used, so that no p-value depends on chance.
    n_blocks, n_informative_blocks : int
        All blocks, and those in which a permutation changes something.
    message : str
        The claim with its assumption.
    seconds : float
        Time of the test.
    parameters : dict
        The parameters of the call; ``labels`` says whether y was read as "classes", as a "phenotype" or as
        "groups", ``blocks`` and ``covariates`` name their columns.
    naming : SubgraphNaming
        What `names` are created from.
    partial_correlations : ndarray of shape (n_significant,)
        Standardised effects: the partial correlation of containment probability and label given blocks and
        covariates. Like `effects`, inflated by selection. NaN in results of earlier versions.
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
    n_permutations: int
    n_distinct_permutations: int
    exact: bool
    n_blocks: int
    n_informative_blocks: int
    message: str
    seconds: float
    parameters: dict[str, Any]
    naming: SubgraphNaming
    partial_correlations: Floats
    _shows_picture = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "subgraphs", Subgraphs(self.subgraphs, self.naming))
        best = [None if one is None else Subgraph(one, self.naming) for one in self.best_subgraphs]
        object.__setattr__(self, "best_subgraphs", best)

    @property
    def is_adjusted(self) -> bool:
        """Whether effects are those within blocks or given covariates: plain frequencies may differ."""
        return bool(self.parameters.get("blocks") or self.parameters.get("covariates"))

    @cached_property
    def names(self) -> list[str]:
        """The subgraphs by the names of their nodes, created on demand."""
        return self.naming.subgraph_names(self.subgraphs)

    @cached_property
    def irreducible(self) -> NDArray[np.bool_]:
        """Which subgraphs are irreducible: no significant part has a statistic at least as large.

        Edges that contribute nothing make a subgraph reducible, so these are the subgraphs to look at first.
        """
        return irreducible_subgraphs(self.subgraphs, self.statistics)

    @cached_property
    def families(self) -> list[SubgraphFamily]:
        """The significant subgraphs in families: representatives, and the variants that share their edges."""
        return subgraph_families(self.subgraphs, self.irreducible)

    @cached_property
    def family_numbers(self) -> NDArray[np.int64]:
        """The family of each subgraph, from 1 in the order of `families`."""
        numbers = np.zeros(len(self), dtype=np.int64)
        for number, family in enumerate(self.families, 1):
            numbers[family.members] = number
        return numbers

    def to_frame(self) -> pandas.DataFrame:
        """One row per significant subgraph, in the order of `subgraphs`, as a pandas DataFrame.

        Columns: `family` (its number, from 1), `subgraph` (its name), `p_value`, `statistic`, `effect`,
        `effect_lower`, `effect_upper`, `partial_correlation`, `contrast`, `irreducible`, `representative`,
        `n_edges`, and `edges` (the tuple of edge indices).
        """
        import pandas

        return pandas.DataFrame(
            {
                "family": self.family_numbers,
                "subgraph": self.names,
                "p_value": self.p_values,
                "statistic": self.statistics,
                "effect": self.effects,
                "effect_lower": self.effect_intervals[:, 0],
                "effect_upper": self.effect_intervals[:, 1],
                "partial_correlation": self.partial_correlations,
                "contrast": self.contrasts,
                "irreducible": self.irreducible,
                "representative": self.representative,
                "n_edges": self.sizes,
                "edges": self.subgraphs,
            }
        )

    def to_networkx(self) -> networkx.Graph:
        """The union of the significant subgraphs as one networkx graph, a MultiGraph if edges have layers.

        Nodes have `x`, `y`, `z` and `network` where the cohort has them. Edges have `index`, `n_subgraphs`
        (in how many significant subgraphs they are), and `rank`, `family`, `p_value`, `statistic` and
        `effect` of the first of these in the list.
        """
        values = {
            "family": self.family_numbers,
            "p_value": self.p_values,
            "statistic": self.statistics,
            "effect": self.effects,
        }
        return subgraphs_to_networkx(self.naming, self.subgraphs, values)

    def __len__(self) -> int:
        return len(self.subgraphs)

    def _summary(self) -> str:
        every = "all " if self.exact else ""
        n, n_blocks = self.n_informative_blocks, self.n_blocks
        unchanged = " (permutations leave the others unchanged)" if n < n_blocks else ""
        blocks = f", {n} of {n_blocks} blocks informative{unchanged}" if n_blocks > 1 else ""
        taken = f", {self.seconds:.2f} s" if self.seconds else ""  # files contain no times
        return (
            f"{len(self)} of {int(self.n_admitted.sum()):,} subgraphs are significant at "
            f"{self.parameters['alpha']:g} by {self.parameters['statistic']}; {every}"
            f"{self.n_permutations:,} of {large_number(self.n_distinct_permutations)} permutations"
            f"{blocks}{taken}"
        )

    def _tables(self, n_rows: int = ROWS) -> list[ResultTable]:
        rows: list[tuple[str, ...]] = []
        for k, name in enumerate(self.size_classes):
            p = self.best_p_values[k]
            # Results of earlier versions may lack large p-values.
            smallest = f"> {self.parameters['alpha']:g}" if math.isnan(p) else f"{p:.4g}"
            if self.n_admitted[k]:
                rows.append((name, f"{self.n_admitted[k]:,}", f"{self.critical_values[k]:.4g}", smallest))
        classes = ResultTable(("size", "tested", "critical value", "smallest p"), rows)
        if not len(self):
            return [classes]
        order = [(number, k) for number, one in enumerate(self.families, 1) for k in one.irreducible]
        several = len(set(self.contrasts)) > 1
        rows = [
            (
                *(f"{family}", f"{self.p_values[k]:.4g}", f"{self.statistics[k]:.4g}"),
                *([self.contrasts[k].removesuffix(REST)] if several else []),
                *(f"{self.effects[k]:+.3g}", interval_text(self.effect_intervals[k])),
                self.naming.subgraph_name(self.subgraphs[k]),
            )
            for family, k in order[:n_rows]
        ]
        more = more_rows(len(order), n_rows)
        note = (
            f"{f'{more}. ' if more else ''}Irreducible: no significant part has a statistic at least as "
            "large. Subgraphs of a family share edges. All significant ones are in .subgraphs or "
            "results.csv."
        )
        group = ["group"] if several else []
        heads = ("family", "adjusted p", "statistic", *group, "effect", "95 % given selection", "subgraph")
        title = f"irreducible subgraphs; effect: {compared(self.contrasts)}"
        return [ResultTable(heads, rows, note, title), classes._replace(title="critical values")]


def compared(contrasts: Sequence[str]) -> str:
    """A phrase for what effects are differences of."""
    return contrasts[0] if len(set(contrasts)) == 1 else f"a group{REST}"


def interval_text(interval: Floats) -> str:
    """The interval of an effect: ``+0.1 to +0.4``."""
    return f"{interval[0]:+.2g} to {interval[1]:+.2g}"


def claim(
    setup: Setup,
    parameters: Mapping[str, Any],
    *,
    n_significant: int,
    n_irreducible: int,
    n_families: int,
    n_tested: int,
    smallest_p: float,
    detectable: Mapping[str, float],
) -> str:
    """The claim and its assumptions, in sentences to quote."""
    phenotype = setup.phenotype
    what = _finding(phenotype, parameters["alternative"])
    if n_significant:
        found = (
            f"{n_significant:,} of {counted(n_tested, 'connected subgraph')} {what}; {n_irreducible:,} of "
            f"them {'is' if n_irreducible == 1 else 'are'} irreducible, in "
            f"{n_families:,} {'family' if n_families == 1 else 'families'}."
        )
    else:
        found = (
            f"None of {counted(n_tested, 'connected subgraph')} is shown to {what}; the smallest adjusted "
            f"p-value is {smallest_p:.3g}.{_power(phenotype, detectable)}"
        )
    as_a_whole = " A subgraph is significant as a whole; single edges in it may contribute nothing."
    return (
        f"{found} {GUARANTEE} {error_bound(setup, parameters)}, and that the "
        f"test and the probabilities were fixed without looking at the {_labels(phenotype)}."
        f"{as_a_whole if n_significant else ''}"
    )


def _power(phenotype: Phenotype, detectable: Mapping[str, float]) -> str:
    """The effects that a test without findings could have detected."""
    effect = "a slope" if phenotype.kind == PHENOTYPE else "a difference in expected frequency"
    sizes = ", ".join(f"{value:.2g} ({name})" for name, value in detectable.items())
    return (
        f" {POWER} 0.8 for {effect} of {sizes}, for subgraphs present in half of the graphs, "
        "which need the largest."
    )


def _finding(phenotype: Phenotype, alternative: str) -> str:
    """The claim about the significant subgraphs."""
    contrast, n_groups = phenotype.contrasts[0], len(phenotype.contrasts)
    if alternative == "two-sided":
        return {
            "classes": f"differ between the classes ({contrast})",
            "phenotype": "vary with the phenotype",
            "groups": f"differ among the {n_groups} groups",
        }[phenotype.kind]
    more, rise = {"greater": ("more", "increase"), "less": ("less", "decrease")}[alternative]
    return {
        "classes": f"occur {more} often in the first class ({contrast})",
        "phenotype": f"{rise} with the phenotype",
        "groups": f"occur {more} often in one of the {n_groups} groups than in the rest",
    }[phenotype.kind]


def _labels(phenotype: Phenotype) -> str:
    return "phenotype" if phenotype.kind == PHENOTYPE else "labels"


def error_bound(setup: Setup, parameters: Mapping[str, Any]) -> str:
    """The bound on the family-wise error, and its assumptions."""
    permute, adjusted, labels = parameters["permute"], setup.design.adjusted, _labels(setup.phenotype)
    within = " within blocks" if setup.design.units.n_blocks > 1 and permute == "within" else ""
    given = f"{within} given the covariates" if adjusted else within
    movable = {
        "within": f"labels are exchangeable{within}",
        "whole": "blocks of the same size are exchangeable",
    }
    assumption = movable[permute]
    if adjusted:
        model = "linear" if labels == "phenotype" else "logistic"
        assumption += (
            f" given the covariates, that these influence the {labels} as in a {model} regression, without "
            "curves or interactions"
        )
    bound = "is about" if adjusted else "is at most"
    return (
        f"any subgraph whose presence is independent of the {labels}{given} {bound} {parameters['alpha']:g}, "
        f"provided that {assumption}"
    )


def unfinished(n_visited: int) -> UnfinishedTestError:
    """The error of a time limit: partial maxima would give p-values that are too small."""
    return UnfinishedTestError(
        InputError(
            f"The time limit was reached after {counted(n_visited, 'subgraph')}, so there are no p-values: "
            "the largest statistics over only part of the subgraphs are too small, and so would be "
            "p-values computed from them.",
            parameter="time_limit",
            way_out=(
                *("Raise ", Setting("time_limit"), " or ", Setting("min_expected_frequency")),
                *(", or set ", Setting("max_edges"), "."),
            ),
        )
    )


def shard_done(shard: object) -> ShardDone:
    """The exception that ends a shard, since p-values need all shards."""
    return ShardDone(
        InputError(f"Shard {shard} is done; the p-values come from merging all shards.", parameter="shard")
    )


def large_number(number: int) -> str:
    """An exact count up to a million million, beyond that its power of ten: ``1,024``, ``about 10^57``."""
    # The logarithm: Python does not convert integers of thousands of digits to text.
    return f"{number:,}" if number < 10**12 else f"about 10^{math.floor(math.log10(number))}"
