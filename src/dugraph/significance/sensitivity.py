"""`sensitivity_analysis`: edges that a test finds under several settings; an exploration, not a test."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs, check_cohort
from dugraph.data.arguments import abbreviate, check_kind, check_word, counted, is_real, is_whole
from dugraph.exceptions import InputError, NoneAdmitted
from dugraph.search.exhaustive import LIMITS
from dugraph.search.limits import check_min_expected_frequency, check_time_limit
from dugraph.search.result import ResultTable, TabularResult, more_rows
from dugraph.significance.result import SignificanceResult
from dugraph.significance.testing import significant_subgraphs
from dugraph.words import STATISTICS

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]
THESE = "these graphs"
"""The name of the main graphs, which are not in `others`."""
_ROWS = 20


class Variant(NamedTuple):
    """One setting of the test."""

    graphs: str
    threshold: float
    statistic: str
    min_expected_frequency: float


@dataclass(frozen=True, repr=False)
class SensitivityResult(TabularResult):
    """The edges that a test finds under several settings.

    Attributes
    ----------
    variants : list of Variant
        The settings: ``graphs``, ``threshold``, ``statistic`` and ``min_expected_frequency`` of each.
    names : list of str
        The settings in words, by the options that differ among them.
    edges : list of str
        The edges in irreducible significant subgraphs of some setting, by the names of their regions; those
        found in most settings first.
    found : ndarray of bool, shape (n_edges, n_variants)
        Which settings find which edge.
    effects : ndarray of shape (n_edges, n_variants)
        The effect of the first irreducible subgraph with the edge; NaN where it is not found.
    jaccard : ndarray of shape (n_variants, n_variants)
        The Jaccard index of the sets of edges: the number of edges in both over the number in either. NaN
        for two empty sets.
    results : list of SignificanceResult or None
        The tests themselves; None where no subgraph was frequent enough.
    message : str
        The main numbers and their limitations.
    seconds : float
    parameters : dict
        The options that all settings share, and the lists of those that differ.

    Examples
    --------
    >>> from dugraph import simulate
    >>> graphs, y, _ = simulate("adhd", n_graphs=60, random_state=1)
    >>> result = sensitivity_analysis(graphs, y, min_expected_frequencies=[0.25], n_permutations=199)
    >>> result.names, result.jaccard.round(2).tolist()
    (['z, 0.25', 't, 0.25'], [[1.0, 0.92], [0.92, 1.0]])
    """

    variants: list[Variant]
    names: list[str]
    edges: list[str]
    found: NDArray[np.bool_]
    effects: Floats
    jaccard: Floats
    results: list[SignificanceResult | None]
    message: str
    seconds: float
    parameters: dict[str, Any]

    @property
    def shares(self) -> Floats:
        """The share of the settings that find each edge."""
        return np.asarray(self.found.mean(axis=1))

    def to_frame(self) -> pandas.DataFrame:
        """One row per edge, as a pandas DataFrame: how often it is found, and its effect in each setting."""
        import pandas

        counts = {"edge": self.edges, "n_settings": self.found.sum(axis=1), "share": self.shares}
        return pandas.DataFrame(counts | {name: self.effects[:, k] for k, name in enumerate(self.names)})

    def _summary(self) -> str:
        return f"{counted(len(self.edges), 'edge')} in {len(self.names)} settings"

    def _tables(self, n_rows: int = _ROWS) -> list[ResultTable]:
        settings = []
        for k, (name, one) in enumerate(zip(self.names, self.results, strict=True)):
            counts = (0, 0, 0) if one is None else (one.n_admitted.sum(), len(one), one.irreducible.sum())
            settings.append((name, *(f"{int(n):,}" for n in counts), f"{int(self.found[:, k].sum()):,}"))
        heads = ("setting", "tested", "significant", "irreducible", "edges")
        tables = [ResultTable(heads, settings, title="what each setting finds")]
        if self.edges:
            edges = [
                (
                    f"{int(self.found[e].sum())}",
                    f"{self.shares[e]:.0%}",
                    f"{np.nanmean(self.effects[e]):+.3g}",
                    self.edges[e],
                )
                for e in range(min(n_rows, len(self.edges)))
            ]
            title = f"edges by the number of settings that find them, of {len(self.names)}"
            note = more_rows(len(self.edges), n_rows)
            tables.append(ResultTable(("settings", "share", "mean effect", "edge"), edges, note, title))
        return tables


def sensitivity_analysis(
    X: ArrayLike | UncertainGraphs | LabelledGraphs,
    y: ArrayLike | None = None,
    *,
    edges: ArrayLike | None = None,
    min_expected_frequencies: Sequence[float] = LIMITS,
    statistics: Sequence[str] = ("z", "t"),
    thresholds: Sequence[float] = (0.0,),
    others: Mapping[str, UncertainGraphs] | None = None,
    time_limit: float | None = None,
    progress: bool | Callable[[dict[str, Any]], object] | None = None,
    **options: Any,
) -> SensitivityResult:
    """Repeat a test under several settings, and compare the edges that are found.

    Every combination of a frequency limit, a statistic, a threshold and a set of graphs is tested. Edges
    count as found if they belong to an irreducible significant subgraph. This is an exploration: only the
    setting that was fixed before looking at the labels supports a claim.

    Parameters
    ----------
    X, y, edges
        As in `significant_subgraphs`.
    min_expected_frequencies : sequence of float, default (0.2, 0.1, 0.05)
    statistics : sequence of {"z", "difference", "t"}, default ("z", "t")
    thresholds : sequence of float in [0, 1), default (0.0,)
        Edge probabilities below a threshold are set to 0.
    others : mapping of str to UncertainGraphs, optional
        The same participants in the same order, with other edge probabilities, such as those of another
        probability map; edges are matched by the names of their regions.
    time_limit : float, optional
        Seconds after which the analysis ends with an error.
    progress : bool or callable, optional
        As in `significant_subgraphs`; ``"variant"`` and ``"n_variants"`` of its dict count the settings.
    **options
        Further options of `significant_subgraphs`, the same for all settings: blocks, covariates, alpha.

    Returns
    -------
    SensitivityResult

    Examples
    --------
    >>> from dugraph import simulate
    >>> graphs, y, _ = simulate("adhd", n_graphs=60, random_state=1)
    >>> result = sensitivity_analysis(graphs, y, min_expected_frequencies=[0.25, 0.3], n_permutations=199)
    >>> result.names
    ['z, 0.25', 'z, 0.3', 't, 0.25', 't, 0.3']
    >>> len(result.edges), int(result.found.all(axis=1).sum())
    (12, 11)
    """
    begin, limit = time.monotonic(), check_time_limit(time_limit)
    fixed = sorted({"min_expected_frequency", "statistic", "client", "checkpoint", "shard"} & options.keys())
    if fixed:
        raise InputError(
            f"{fixed[0]} must not be an option of all settings: statistics and min_expected_frequencies list "
            "what differs, and a sensitivity analysis runs in one process.",
            parameter=fixed[0],
        )
    first = X.graphs if isinstance(X, LabelledGraphs) else check_cohort(X, edges)
    cohorts = _cohorts(first, others)
    varied = {
        "thresholds": _several("thresholds", thresholds, _check_threshold),
        "statistics": _several(
            "statistics", statistics, lambda one: check_word("statistics", one, STATISTICS)
        ),
        "min_expected_frequencies": _several(
            "min_expected_frequencies", min_expected_frequencies, check_min_expected_frequency
        ),
    }
    variants = [Variant(*one) for one in itertools.product(cohorts, *varied.values())]
    tests: list[SignificanceResult | None] = []
    for k, variant in enumerate(variants):
        given: Any = _above(cohorts[variant.graphs], variant.threshold)
        if isinstance(X, LabelledGraphs):
            given = X.with_graphs(given)
        left = limit - (time.monotonic() - begin)
        try:
            test = significant_subgraphs(
                given,
                y,
                statistic=variant.statistic,
                min_expected_frequency=variant.min_expected_frequency,
                time_limit=None if time_limit is None else max(left, 1e-9),
                progress=_counting(progress, k, len(variants)),
                **options,
            )
        except NoneAdmitted:
            test = None
        tests.append(test)
    shared = next((one.parameters for one in tests if one is not None), dict[str, Any]())
    parameters = {k: v for k, v in shared.items() if k not in ("statistic", "min_expected_frequency")}
    names, found, effect = _edges_found(tests)
    jaccard = _jaccard(found)
    return SensitivityResult(
        variants=variants,
        names=_in_words(variants),
        edges=names,
        found=found,
        effects=effect,
        jaccard=jaccard,
        results=tests,
        message=_message(found, jaccard),
        seconds=time.monotonic() - begin,
        parameters=parameters | varied,
    )


def _cohorts(
    first: UncertainGraphs, others: Mapping[str, UncertainGraphs] | None
) -> dict[str, UncertainGraphs]:
    cohorts = {THESE: first}
    given = {} if others is None else check_kind(others, Mapping, "others")  # type: ignore[type-abstract]
    for name, graphs in given.items():
        if not isinstance(graphs, UncertainGraphs) or graphs.graph_ids != first.graph_ids:
            raise InputError(
                f"others must be graphs of the same participants in the same order, but {abbreviate(name)} "
                "has other graph_ids. Give UncertainGraphs that were converted from the same table.",
                parameter="others",
            )
        # Columns are taken from the first cohort, so that blocks and covariates are the same.
        cohorts[str(name)] = _with_probability(graphs, graphs.raw_probability, first.participants)
    return cohorts


def _with_probability(
    graphs: UncertainGraphs, probability: NDArray[Any], participants: Any
) -> UncertainGraphs:
    return UncertainGraphs(
        probability,
        graphs.edges,
        graphs.node_labels,
        graph_ids=graphs.graph_ids,
        edge_layers=graphs.edge_layers,
        participants=participants,
    )


def _several(name: str, values: Any, check: Callable[[Any], Any]) -> list[Any]:
    listed = list(values) if isinstance(values, (list, tuple, np.ndarray)) else []
    if not listed:
        raise InputError(f"{name} must be a list of at least one value, but is {values!r}.", parameter=name)
    try:
        return list(dict.fromkeys(check(one) for one in listed))
    except InputError as error:
        raise error.renamed(name) from error


def _check_threshold(value: object) -> float:
    if not (is_real(value) or is_whole(value)) or not 0 <= value < 1:
        raise InputError(
            f"thresholds must be probabilities from 0 to below 1, but one is {value!r}.",
            parameter="thresholds",
        )
    return float(value)


def _above(graphs: UncertainGraphs, threshold: float) -> UncertainGraphs:
    if threshold == 0:
        return graphs
    kept = np.where(graphs.raw_probability < threshold, 0, graphs.raw_probability)
    return _with_probability(graphs, kept, graphs.participants)


def _counting(progress: Any, variant: int, n_variants: int) -> Any:
    if not callable(progress):
        return progress
    return lambda now: progress({**now, "variant": variant + 1, "n_variants": n_variants})


def _in_words(variants: list[Variant]) -> list[str]:
    """Names of the settings by the options that differ; the frequency is always included."""
    varies = [len({one[k] for one in variants}) > 1 for k in range(3)]
    words: list[str] = []
    for one in variants:
        parts = [
            one.graphs if varies[0] else "",
            f"p >= {one.threshold:g}" if varies[1] else "",
            one.statistic if varies[2] else "",
            f"{one.min_expected_frequency:g}",
        ]
        words.append(", ".join(part for part in parts if part))
    return words


def _edges_found(tests: Sequence[SignificanceResult | None]) -> tuple[list[str], NDArray[np.bool_], Floats]:
    """Names, presence and effects of the edges of irreducible subgraphs; most settings first."""
    effect: dict[Any, dict[int, float]] = {}
    names: dict[Any, str] = {}
    for k, test in enumerate(tests):
        for row in [] if test is None else np.flatnonzero(test.irreducible).tolist():
            assert test is not None
            for edge in test.subgraphs[row]:
                _, ends, layer = test.naming.edge_ends(edge)
                key = (frozenset(ends), layer)
                names.setdefault(key, test.naming.edge_name(edge))
                effect.setdefault(key, {}).setdefault(k, float(test.effects[row]))
    keys = sorted(effect, key=lambda key: (-len(effect[key]), names[key]))
    effects = np.full((len(keys), len(tests)), np.nan)
    for e, key in enumerate(keys):
        effects[e, list(effect[key])] = list(effect[key].values())
    return [names[key] for key in keys], ~np.isnan(effects), effects


def _jaccard(found: NDArray[np.bool_]) -> Floats:
    counts = found.astype(float)
    both, sizes = counts.T @ counts, counts.sum(axis=0)
    either = sizes[:, None] + sizes - both
    return np.asarray(np.where(either > 0, both / np.maximum(either, 1), np.nan))


def _message(found: NDArray[np.bool_], jaccard: Floats) -> str:
    n_edges, n = found.shape
    pairs = jaccard[np.triu_indices(n, 1)]
    pairs = pairs[~np.isnan(pairs)]
    if not n_edges:
        text = f"No edge is in a significant subgraph under any of {counted(n, 'setting')}."
    else:
        common, most = int(found.all(axis=1).sum()), int((found.mean(axis=1) > 0.5).sum())
        text = (
            f"{common:,} of {counted(n_edges, 'edge')} {'is' if common == 1 else 'are'} in significant "
            f"subgraphs under all {counted(n, 'setting')}, {most:,} under more than half."
        )
        if len(pairs):
            text += (
                f" The Jaccard index of the edges of two settings is {pairs.min():.2f} to {pairs.max():.2f} "
                f"(median {np.median(pairs):.2f})."
            )
    return (
        f"{text} This is an exploration: the family-wise error holds for one setting that was fixed without "
        "looking at the labels, not for a setting chosen from these, nor for all of them together."
    )
