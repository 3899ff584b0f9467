"""What was found: the search or fit, its subgraphs one by one, and the test, for the templates."""

from __future__ import annotations

import dataclasses
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.plot.chart import Floats
from dugraph.plot.groups import (
    MOST_DOTS,
    containment_chart,
    dots_or_histogram,
    phenotype_chart,
    score_chart,
    slope_of,
    support_chart,
    without_covariates,
)
from dugraph.plot.significance import null_chart
from dugraph.plot.sparse import path_chart
from dugraph.probability import SCORES
from dugraph.probability.containment import containment_columns
from dugraph.probability.scores import ScoreTable, default_phi
from dugraph.report.brain import Canvas, canvases, large_picture, small_picture, union_picture
from dugraph.report.charts import chart_svg, coefficient_bar, frequency_bar
from dugraph.results import SubgraphRecord, TestRecord
from dugraph.results.records import GroupModel, RankedSubgraph, group_rows
from dugraph.search import support_distribution
from dugraph.search.distribution import ScoreWindows, Supports, score_distributions, scores_of
from dugraph.settings import OF_RESULTS, flag_word, option_text
from dugraph.significance import SignificanceResult
from dugraph.significance.result import large_number
from dugraph.words import FREQUENCY, MEASURES, score_title

N_PLOTTED = 20
"""Subgraphs that get charts; the others get pictures and tables, which are lighter."""
_TAIL = 1e-24  # probability of the supports of a large class that no chart shows
N_LISTED = 500
"""Subgraphs described one by one, and rows of the table of a test; results.csv has them all."""
_TESTED = {"classes": "the two classes", "groups": "the groups", "phenotype": "the phenotype"}
_STATISTICS = {
    "z": "z: the difference divided by its standard deviation over graphs and possible worlds. It does not "
    "follow a standard normal distribution: go by the p-values, not by tables of z",
    "difference": "difference: the effect itself",
    "t": "t: the partial correlation with the labels",
}
_ALTERNATIVES = {
    "two-sided": "two-sided",
    "greater": "greater: only positive effects count",
    "less": "less: only negative effects count",
}
_WORK = {
    "n_searches": "searches over all admitted subgraphs",
    "n_visited": "admitted subgraphs seen",
    "n_candidates": "extensions tested",
    "n_evaluated": "dynamic programs run",
    "n_pruned_by_frequency": "extensions too rare",
    "n_pruned_by_bound": "subgraphs whose supergraphs a bound excluded",
}


_NOT_FLAGS = {"alpha_in_use": None, "labels": None}


@dataclass(frozen=True)
class MiningPart:
    """What the template needs; `fit` has the numbers of a sparse fit, None for a search.

    `thinned` is the correlation above which subgraphs were left out, None if none were. `effect_words` says
    what an effect is, where there are any; `covariates` are those of a fit with their coefficients, one for
    each group where there are models of several; `models` are these.
    """

    value_name: str
    parameters: list[tuple[str, str, str]]
    work: list[tuple[str, int]]
    proven: bool
    message: str
    gap: float | None
    seconds: float | None
    command: str
    fit: list[tuple[str, float]] | None
    thinned: float | None
    effect_words: str = ""
    covariates: Sequence[tuple[str, Sequence[float]]] = ()
    models: Sequence[GroupModel] = ()

    @property
    def claim(self) -> str:
        """What is proven of the list, in a few words."""
        if self.fit is not None:
            return (
                "proven optimum over all admitted subgraphs"
                if self.proven
                else "not proven to be the optimum"
            )
        if not self.proven:
            return "best so far, not proven"
        if self.thinned is None:
            return "proven to be the best"
        return (
            f"proven: each is the best of those that correlate at most {self.thinned:g} with those before it"
        )


def thinned_at(record: SubgraphRecord) -> float | None:
    """The correlation above which subgraphs were left out; None if none were, as no correlation exceeds 1."""
    limit = record.parameters.get("max_correlation")
    return None if limit is None or limit >= 1 else float(limit)


def describe_mining(record: SubgraphRecord, seconds: float | None) -> MiningPart:
    """Put the record of a search or of a fit into words."""
    asked, proof, work = record.parameters, record.proof, record.counters
    fitted = record.is_fit
    return MiningPart(
        value_name="coefficient" if fitted else _measured(asked),
        parameters=_described(record),
        work=[(said, int(work[name])) for name, said in _WORK.items() if name in work],
        proven=bool(proof["success"]),
        message=str(proof["message"]),
        gap=None if fitted else proof["gap"],
        seconds=seconds,
        command=_command(record, "results", {**asked, **_NOT_FLAGS, "phenotype": record.source.phenotype}),
        fit=_fit(record) if fitted else None,
        thinned=thinned_at(record),
        effect_words=_effect_words(record) if "covariates" in asked and not fitted else "",
        covariates=_covariates(record),
        models=record.models,
    )


def _described(record: SubgraphRecord) -> list[tuple[str, str, str]]:
    """The parameters of the method, their values and what they are."""
    options, asked = OF_RESULTS[record.command].options().values(), record.parameters
    described = [*((one.name, one.report) for one in options if one.report), ("alpha_in_use", "the penalty")]
    shown = [(name, _shown(asked[name]), said) for name, said in described if asked.get(name) is not None]
    where = [] if record.source.where is None else [("where", record.source.where, "participants in use")]
    return where + shown


def _covariates(record: SubgraphRecord) -> list[tuple[str, Sequence[float]]]:
    if not record.models:
        return [(name, [value]) for name, value in record.covariates]
    of_groups = zip(*(one.covariates for one in record.models), strict=True)
    return [(same[0][0], [value for _, value in same]) for same in of_groups]


def _effect_words(record: SubgraphRecord) -> str:
    adjusted = "adjusted " if record.parameters["covariates"] else ""
    if record.cohort.kind == CLASSES:
        return f"{adjusted}difference in expected frequency"
    return f"{adjusted}slope per unit of {record.source.phenotype or 'the phenotype'}"


def _fit(record: SubgraphRecord) -> list[tuple[str, Any]]:
    proof = record.proof
    if record.models:  # each has a line of its own in another table
        return [("sum of the objectives of all groups", float(proof["objective"]))]
    return [
        ("objective: mean loss + penalty × sum of the sizes of the coefficients", float(proof["objective"])),
        ("duality gap: no model's objective is lower by more than this", float(proof["duality_gap"])),
        ("intercept", record.intercept),
    ]


def _measured(asked: dict[str, Any]) -> str:
    measure = asked["measure"]
    titled = {**asked, "score": score_title(asked.get("score"))}
    return "expected frequency" if measure == FREQUENCY else MEASURES[measure].said.format(**titled)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(option_text(value))


@dataclass(frozen=True)
class EdgeRow:
    """An edge of a subgraph: its nodes, its layer or None, its mean probability in each group, or in all."""

    nodes: tuple[str, str]
    layer: str | None
    means: list[float]


@dataclass(frozen=True)
class SubgraphPart:
    """What the template needs about one subgraph; `charts` has a caption for each.

    `effect` is an adjusted difference or slope, `contrast` the class that it was found for, or the groups
    that it speaks for or against; both are empty where there is none.
    """

    found: RankedSubgraph
    side: str
    nodes: list[str]
    edges: list[EdgeRow]
    small: Markup
    bar: Markup
    sized: Markup
    pictures: list[tuple[str, Markup]]
    charts: list[tuple[str, Markup]]
    score_words: str
    effect: str = ""
    contrast: str = ""


def describe_subgraphs(
    cohort: LabelledGraphs, record: SubgraphRecord | None
) -> tuple[list[Markup], list[SubgraphPart], Markup | None]:
    """The outlines, drawn once, the first `N_LISTED` subgraphs, and those of a fit in one picture."""
    views = canvases(cohort.graphs)
    outlines = [view.outline for view in views]
    if record is None:
        return outlines, [], None
    plotter, found = _Plotter(record), record.subgraphs
    listed = found[:N_LISTED]
    means = _edge_means(cohort, {edge for one in listed for edge in one.edges})
    largest = None
    if record.is_fit:
        largest = max((abs(one.value) for one in found), default=0.0) or 1.0
    described = [_describe(one, record, views, means, plotter, largest) for one in listed]
    union = None
    if found and record.is_fit:
        union = union_picture(cohort.graphs, found, views[0] if views else None, signed=not record.models)
    return outlines, described, union


def _edge_means(cohort: LabelledGraphs, edges: Iterable[int]) -> dict[int, list[float]]:
    """The mean probability of these edges in each group, or in all graphs; one column is read at a time."""
    held = cohort.graphs.raw_probability
    groups = group_rows(cohort) or [np.ones(cohort.graphs.n_graphs, dtype=np.bool_)]
    return {edge: [float(held[rows, edge].mean(dtype=np.float64)) for rows in groups] for edge in edges}


def _describe(
    found: RankedSubgraph,
    record: SubgraphRecord,
    views: Sequence[Canvas],
    means: Mapping[int, list[float]],
    plotter: _Plotter,
    largest: float | None,
) -> SubgraphPart:
    cohort, graphs = record.cohort, record.cohort.graphs
    two = cohort.kind == CLASSES
    effect = None if record.is_fit or record.result.effects is None else record.result.effects[found.rank - 1]
    # The largest coefficient of a fit, with which the others are compared; a search has none.
    size = None if largest is None else abs(found.value) / largest
    difference = found.frequency_positive - found.frequency_negative if two else (effect or 0.0)
    # Of several groups a sign means one thing for one and another for the next.
    value = abs(found.value) if record.models else found.value
    side = "pos" if (difference if largest is None else value) >= 0 else "neg"
    edges, order = [], dict[int, None]()
    for edge in found.edges:
        v, u = graphs.edges[edge].tolist()  # named as graphs.edge_name does: the earlier node first
        order |= {u: None, v: None}
        layer = None if graphs.edge_layers is None else graphs.edge_layers[edge]
        names = graphs.node_labels[u], graphs.node_labels[v]
        edges.append(EdgeRow(names, layer, means[edge]))
    title = f"Subgraph {found.rank}: {counted(len(edges), 'edge')} between {len(order)} nodes"
    first = views[0] if views else None
    pictures = [
        (
            first.caption if first else "network",
            large_picture(graphs, found.edges, first, side, title, size=size),
        )
    ]
    pictures += [
        (
            view.caption,
            large_picture(graphs, found.edges, view, side, f"{title}, {view.caption}", False, size),
        )
        for view in views[1:]
    ]
    charts, words = plotter(found) if found.rank <= N_PLOTTED else ([], "")
    return SubgraphPart(
        found=found,
        side=side,
        nodes=[graphs.node_labels[node] for node in order],
        edges=edges,
        small=small_picture(graphs, found.edges, first, side, size),
        bar=frequency_bar(found.frequency_positive, found.frequency_negative) if two else Markup(),
        sized=Markup() if largest is None else coefficient_bar(found.value, largest),
        pictures=pictures,
        charts=charts,
        score_words=words,
        effect="" if effect is None else f"{effect:+.3g}",
        contrast=_contrast(record, found.rank - 1),
    )


def _contrast(record: SubgraphRecord, place: int) -> str:
    """For which groups it was found, or which it speaks for and against, the strongest first."""
    if not record.is_fit:
        return record.result.contrasts[place] if record.result.contrasts else ""
    models = [(one.coefficients[place], one.group) for one in record.models if one.coefficients[place]]
    return ", ".join(
        f"{abbreviate(group)} {value:+.3g}" for value, group in sorted(models, key=lambda t: -abs(t[0]))
    )


class _Plotter:
    """Draws the charts of a subgraph; the table of scores is made once."""

    def __init__(self, record: SubgraphRecord) -> None:
        self._record, self._cohort = record, record.cohort
        self._table: ScoreTable | ScoreWindows | None = None
        self._phi: float | None = None
        asked = record.parameters
        self._score = str(asked.get("score"))
        # The expected frequency has no score; a user's own function cannot be read from a file; a weighted
        # count is not a function of two supports.
        if asked.get("measure") != FREQUENCY and self._score in SCORES and "labels" not in asked:
            sizes = self._cohort.n_pos, self._cohort.n_neg
            self._table = scores_of(self._score, *sizes, asked.get("score_cap"))
            self._phi = default_phi(self._score, asked.get("phi"))

    def __call__(self, found: RankedSubgraph) -> tuple[list[tuple[str, Markup]], str]:
        """The charts with their captions, and the measures of the score in words."""
        held = self._cohort.graphs.raw_probability
        x = containment_columns(held, [found.edges], np.float64)[:, 0]
        if self._cohort.kind == PHENOTYPE:
            return [by_phenotype(self._record, found, x)], ""
        if self._cohort.kind == GROUPS:
            groups = [x[rows] for rows in group_rows(self._cohort)]
            chart = containment_chart(groups, self._cohort.group_names)
            svg = chart_svg(chart, 460.0, 70.0 + 60.0 * len(groups), 120.0)
            return [(_contained(groups, "means of the groups"), svg)], ""
        both = [x[self._cohort.positive], x[~self._cohort.positive]]
        tail = _TAIL if isinstance(self._table, ScoreWindows) else 0.0
        supports = [support_distribution(one, tail) for one in both]
        names = self._cohort.names
        charts = [
            (_contained(both, "means"), chart_svg(containment_chart(both, names))),
            (
                "Share of each class that contains it; a distribution, because the edges are uncertain.",
                chart_svg(support_chart(supports, names)),
            ),
        ]
        if self._table is None or self._phi is None:
            return charts, ""
        n_pos_g, n_neg_g = (one[np.newaxis] for one in supports)
        score = next(score_distributions(Supports(n_pos_g, n_neg_g, self._table), tail))
        title = score_title(self._score)
        svg = chart_svg(score_chart(score, self._phi, f"{title} score"), height=210.0)
        charts.append(("Distribution of the score over all possible worlds.", svg))
        reached = f"probability {score.phi_probability(self._phi):.3g} of at least φ = {self._phi:g}"
        words = (
            f"Score {title}: expectation {score.expectation():.4g}, median {score.median():.4g}, "
            f"mode {score.mode():.4g}; {reached}."
        )
        return charts, words


def _contained(groups: Sequence[Floats], bars: str) -> str:
    return f"Probability that each graph contains it: {dots_or_histogram(groups)}, bars for the {bars}."


def by_phenotype(record: SubgraphRecord, found: RankedSubgraph, x: Floats) -> tuple[str, Markup]:
    """The chart of a subgraph with containment probabilities `x` over the phenotype, and its caption.

    Covariates that are columns of the participants are removed from both axes, around their means, so that
    the dots have the slope of the line. Others are not in the file; the dots are then as measured.
    """
    cohort, names = record.cohort, record.parameters.get("covariates") or []
    name, y = record.source.phenotype or "phenotype", cohort.y
    adjusted = bool(names) and all(one in (cohort.participants or {}) for one in names)
    if adjusted:
        y, x = without_covariates(names, cohort.graphs, y, x)
    if record.is_fit:  # a coefficient is not a slope: that of the dots
        slope = slope_of(y, x)
    else:
        effects = record.result.effects
        slope = 0.0 if effects is None else float(effects[found.rank - 1])
    dots = "a dot for each graph" if len(y) <= MOST_DOTS else "an area for the middle 80 % of the graphs"
    caption = f"Probability that each graph contains it, by phenotype: {dots}, a line for the slope"
    caption += "; both axes adjusted for the covariates." if adjusted else "."
    if names and not adjusted:
        caption += " The slope is adjusted for covariates that are not in the file; the graphs are not."
    return caption, chart_svg(phenotype_chart(y, x, slope, f"{name}{', adjusted' if adjusted else ''}"))


def path_charts(record: SubgraphRecord) -> list[tuple[str, Markup]]:
    """The regularisation path of a fit, or of each group with its name; none of a search."""
    paths = [(one.group, one.path, one.alpha) for one in record.models]
    if record.is_fit and not paths:
        paths = [("", record.path, record.parameters["alpha_in_use"])]
    charts = []
    for group, path, alpha in paths:
        if len(path) > 1:
            losses = [math.nan if one.loss is None else one.loss for one in path]
            spreads = [one.spread or 0.0 for one in path]
            columns = [one.alpha for one in path], [one.n_nonzero for one in path], losses, spreads
            charts.append((group, chart_svg(path_chart(*columns, alpha)[0], 480.0, 230.0)))
    return charts


@dataclass(frozen=True)
class TestedRow:
    """A significant subgraph: its edges as (node, node, layer or None), numbers, and for which side it is.

    `n_variants` counts the irreducible and `n_members` all subgraphs of its family; the first row has them.
    """

    __test__ = False

    found: RankedSubgraph
    effect: str
    interval: str
    contrast: str
    representative: bool
    side: str
    edges: list[tuple[str, str, str | None]]
    small: Markup
    n_variants: int = 0
    n_members: int = 0


@dataclass(frozen=True)
class SignificancePart:
    """What the template needs; `what` says what an effect is, `sides` what both colours mean."""

    alpha: float
    n_significant: int
    n_tested: int
    n_representative: int
    n_irreducible: int
    families: list[list[TestedRow]]
    message: str
    what: str
    sides: tuple[str, str]
    several: bool
    adjusted_for: str
    phenotype: str | None
    needs: list[str]
    design: list[tuple[str, str]]
    union: Markup | None
    chart: Markup
    command: str
    p_values: dict[tuple[int, ...], float]


def describe_significance(record: TestRecord) -> SignificancePart:
    """Put a test into words, tables and pictures."""
    result, asked = record.result, record.result.parameters
    views = canvases(record.cohort.graphs)
    first = views[0] if views else None
    tested = None if _of_classes(record) else (record.phenotype or _TESTED[asked["labels"]])
    chosen = [
        dataclasses.replace(one, value=float(effect))
        for one, effect, shown in zip(record.subgraphs, result.effects, result.representative, strict=True)
        if shown
    ]
    return SignificancePart(
        alpha=asked["alpha"],
        n_significant=len(result),
        n_tested=int(result.n_admitted.sum()),
        n_representative=len(chosen),
        n_irreducible=int(result.irreducible.sum()),
        families=_family_rows(record, first),
        message=result.message,
        what=_tested_effect(record),
        sides=_sides(record),
        several=len(set(result.contrasts)) > 1,
        adjusted_for=_adjusted_for(asked),
        phenotype=tested,
        needs=_needs(record),
        design=_design(record),
        union=union_picture(record.cohort.graphs, chosen, first) if chosen else None,
        chart=_null_svg(result),
        # Settings in the order in which a file has them.
        command=_command(
            record, "test", {"phenotype": record.phenotype, **dict(sorted(asked.items())), **_NOT_FLAGS}
        ),
        p_values=dict(zip(result.subgraphs, result.p_values.tolist(), strict=True)),
    )


def _adjusted_for(asked: Mapping[str, Any]) -> str:
    """Which graphs an adjusted effect compares, in words; empty without adjustment."""
    words = []
    if asked["blocks"] is not None:
        words.append(f"of the same block ({listed(asked['blocks'], most=12)})")
    if asked["covariates"] is not None:
        words.append(f"with the influence of {listed(asked['covariates'], most=12)} removed")
    return " and ".join(words)


def _of_classes(record: TestRecord) -> bool:
    return record.phenotype is None and record.result.parameters["labels"] == "classes"


def tests_the_same(record: TestRecord | None, found: SubgraphRecord) -> bool:
    """Whether there is a test, and it is one of the labels by which the subgraphs were found."""
    if record is None or record.result.parameters["labels"] != found.cohort.kind:
        return False
    return record.phenotype == found.source.phenotype


def _family_rows(record: TestRecord, canvas: Canvas | None) -> list[list[TestedRow]]:
    """The irreducible subgraphs family by family, the representative first; at most `N_LISTED` in all."""
    rows, room = [], N_LISTED
    for family in record.result.families:
        first, *others = (_row(record, k, canvas) for k in family.irreducible[:room])
        n_variants, n_members = len(family.irreducible), len(family.members)
        rows.append([dataclasses.replace(first, n_variants=n_variants, n_members=n_members), *others])
        room -= len(rows[-1])
        if room <= 0:
            break
    return rows


def _row(record: TestRecord, k: int, canvas: Canvas | None) -> TestedRow:
    result, graphs, found = record.result, record.cohort.graphs, record.subgraphs[k]
    side = "pos" if result.effects[k] >= 0 else "neg"
    layers = graphs.edge_layers
    edges = []
    for edge in found.edges:
        v, u = graphs.edges[edge].tolist()  # named as graphs.edge_name does: the earlier node first
        edges.append((graphs.node_labels[u], graphs.node_labels[v], None if layers is None else layers[edge]))
    low, high = result.effect_intervals[k].tolist()
    # Differences lie within [-1, 1]; slopes are as small or large as the unit makes them.
    digits = "+.3g" if result.parameters["labels"] == "phenotype" else "+.3f"
    chosen = bool(result.representative[k])
    return TestedRow(
        found=found,
        effect=f"{result.effects[k]:{digits}}",
        interval=f"{low:{digits}} to {high:{digits}}" if math.isfinite(low) and math.isfinite(high) else "–",
        contrast=result.contrasts[k],
        representative=chosen,
        side=side,
        edges=edges,
        # Others are variations of the representatives, and the page is to stay light.
        small=small_picture(graphs, found.edges, canvas, side) if chosen else Markup(),
    )


def _tested_effect(record: TestRecord) -> str:
    if record.result.parameters["labels"] == "phenotype":
        return f"slope of the containment probability per unit of {record.phenotype or 'the phenotype'}"
    return "difference in expected frequency"


def _sides(record: TestRecord) -> tuple[str, str]:
    kind, name = record.result.parameters["labels"], record.phenotype or "the phenotype"
    if kind == "phenotype":
        above, below = f"with larger values of {name}", f"with smaller values of {name}"
    elif kind == "groups":
        above, below = "in the group than in the rest", "in the rest"
    else:
        contrast = next(iter(record.result.contrasts), " against ")
        positive, _, negative = contrast.partition(" against ")
        names = record.cohort.names if record.phenotype is None else (positive, negative)
        above, below = f"in {names[0]}", f"in {names[1]}"
    adjusted = ", adjusted" * record.result.is_adjusted
    return f"more frequent {above}{adjusted}", f"more frequent {below}{adjusted}"


def _needs(record: TestRecord) -> list[str]:
    """The critical value of each size."""
    result = record.result
    return [
        f"A subgraph of {name} is significant if its {result.parameters['statistic']} exceeds {value:.3g}; "
        f"{counted(int(n_admitted), 'such subgraph')} {'was' if n_admitted == 1 else 'were'} tested."
        for name, n_admitted, value in zip(
            result.size_classes, result.n_admitted, result.critical_values, strict=True
        )
        if math.isfinite(value)
    ]


def _design(record: TestRecord) -> list[tuple[str, str]]:
    result, asked = record.result, record.result.parameters
    n_distinct = large_number(result.n_distinct_permutations)
    moved = (
        f"all {n_distinct} possible ones, so no p-value depends on chance"
        if result.exact
        else f"{result.n_permutations - 1:,} random ones out of {n_distinct}, and the observed labels"
    )
    blocks = "none"
    if asked["blocks"] is not None:
        informative = f"{result.n_informative_blocks} of {counted(result.n_blocks, 'block')} informative"
        blocks = f"{listed(asked['blocks'], most=12)}; {informative}"
    rows = {
        **({} if record.source.where is None else {"participants": f"those with {record.source.where}"}),
        "tested": record.phenotype or _TESTED[asked["labels"]],
        "blocks": blocks,
        "covariates": "none" if asked["covariates"] is None else listed(asked["covariates"], most=12),
        "what moves": "labels of whole blocks" if asked["permute"] == "whole" else "labels of graphs",
        "permutations": moved,
        "statistic": _STATISTICS[asked["statistic"]],
        "alternative": _ALTERNATIVES[asked.get("alternative", "two-sided")],
        "family-wise error": f"{asked['alpha']:g}, shared by {len(result.size_classes)} size classes"
        if len(result.size_classes) > 1
        else f"{asked['alpha']:g}",
        "subgraphs": f"all connected ones above an expected frequency of {asked['min_expected_frequency']:g}"
        + (f", of at most {counted(asked['max_edges'], 'edge')}" if asked["max_edges"] else ""),
    }
    if asked["step_down"]:
        rows["step-down"] = "significant subgraphs were left out of the maxima, and the rest tested again"
    return list(rows.items())


def _null_svg(result: SignificanceResult) -> Markup:
    chart = null_chart(result)
    return chart_svg(chart, 600.0, 60.0 + 64.0 * len(chart.rows), 110.0)


def _command(record: SubgraphRecord | TestRecord, folder: str, flags: Mapping[str, Any]) -> str:
    """The command that finds the same again, with one flag in each line."""
    if record.cohort.kind == CLASSES and flags.get("phenotype") is None:
        flags = {**flags, "pos_label": record.cohort.positive_class}
    asked = {name: value for name, value in flags.items() if value is not None and value is not False}
    words = [shlex.quote(flag_word(name, value)) for name, value in asked.items()]
    command = shlex.join(["dugraph", record.command, record.source.file])
    return " \\\n  ".join([command, *words, f"-o {folder}"])
