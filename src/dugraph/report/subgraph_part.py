"""The subgraphs as the report shows them: rows of a table, and a part of the page for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from dugraph.data import LabelledGraphs
from dugraph.data.phenotype import CLASSES, GROUPS, PHENOTYPE
from dugraph.data.wording import counted, shown
from dugraph.probability import SCORES
from dugraph.probability.containment import containment_columns
from dugraph.probability.scores import ScoreTable, default_phi
from dugraph.report.charts import (
    coefficient_bar,
    frequency_bar,
    score_chart,
    support_chart,
)
from dugraph.report.containment_charts import containment_chart, drawn_as
from dugraph.report.phenotype_part import by_phenotype
from dugraph.report.subgraph_svg import Ground, grounds, large_picture, small_picture
from dugraph.report.union_svg import union_picture
from dugraph.results import SubgraphRecord
from dugraph.results.ranking import RankedSubgraph, group_rows
from dugraph.search import support_distribution
from dugraph.search.distribution import ScoreWindows, Supports, score_distributions, scores_of
from dugraph.words import FREQUENCY, score_title

N_PLOTTED = 20
"""Subgraphs that get charts; the others get pictures and tables, which are lighter."""
# Probability of the supports of a large class that no chart shows.
_TAIL = 1e-24


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
    """The outlines, drawn once, the subgraphs, best first, and those of a fit in one picture."""
    views = grounds(cohort.graphs)
    outlines = [view.symbol for view in views]
    if record is None:
        return outlines, [], None
    plotter, found = _Plotter(record), record.subgraphs
    means = _edge_means(cohort, {edge for one in found for edge in one.edges})
    largest = None
    if record.is_fit:
        largest = max((abs(one.value) for one in found), default=0.0) or 1.0
    described = [_describe(one, record, views, means, plotter, largest) for one in found]
    union = None
    if found and record.is_fit:
        union = union_picture(cohort.graphs, found, views[0] if views else None, signed=not record.models)
    return outlines, described, union


def _edge_means(cohort: LabelledGraphs, edges: Iterable[int]) -> dict[int, list[float]]:
    """The mean probability of these edges in each group, or in all graphs; one column is read at a time."""
    held = cohort.graphs.held_probability
    groups = group_rows(cohort) or [np.ones(cohort.graphs.n_graphs, dtype=np.bool_)]
    return {edge: [float(held[rows, edge].mean(dtype=np.float64)) for rows in groups] for edge in edges}


def _describe(
    found: RankedSubgraph,
    record: SubgraphRecord,
    views: Sequence[Ground],
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
    told = [(one.coefficients[place], one.group) for one in record.models if one.coefficients[place]]
    return ", ".join(
        f"{shown(group)} {value:+.3g}" for value, group in sorted(told, key=lambda t: -abs(t[0]))
    )


class _Plotter:
    """Draws the charts of a subgraph; the table of scores is made once."""

    def __init__(self, record: SubgraphRecord) -> None:
        self._cohort = record.cohort
        self._table: ScoreTable | ScoreWindows | None = None
        self._phi: float | None = None
        asked = record.parameters
        self._score = str(asked.get("score"))
        self._record = record
        # The expected frequency has no score; a function of the user's cannot be read from a file; a weighted
        # count is no function of two supports.
        if asked.get("measure") != FREQUENCY and self._score in SCORES and "labels" not in asked:
            sizes = self._cohort.n_pos, self._cohort.n_neg
            self._table = scores_of(self._score, *sizes, asked.get("score_cap"))
            self._phi = default_phi(self._score, asked.get("phi"))

    def __call__(self, found: RankedSubgraph) -> tuple[list[tuple[str, Markup]], str]:
        """The charts with their captions, and the measures of the score in words."""
        held = self._cohort.graphs.held_probability
        x = containment_columns(held, [found.edges], np.float64)[:, 0]
        if self._cohort.kind == PHENOTYPE:
            return [by_phenotype(self._record, found, x)], ""
        if self._cohort.kind == GROUPS:
            groups = [x[rows] for rows in group_rows(self._cohort)]
            said = f"Probability that each graph contains it: {drawn_as(groups)}, bars for the means of the "
            "groups."
            return [(said, containment_chart(groups, self._cohort.group_names, named=True))], ""
        inside, outside = x[self._cohort.positive], x[~self._cohort.positive]
        tail = _TAIL if isinstance(self._table, ScoreWindows) else 0.0
        supports = support_distribution(inside, tail), support_distribution(outside, tail)
        names = self._cohort.names
        charts = [
            (f"Probability that each graph contains it: {drawn_as([inside, outside])}, bars for the means.",
             containment_chart([inside, outside], names)),
            ("Share of each class that contains it; a distribution, because the edges are uncertain.",
             support_chart(*supports, names)),
        ]  # fmt: skip
        if self._table is None or self._phi is None:
            return charts, ""
        n_pos_g, n_neg_g = (one[np.newaxis] for one in supports)
        score = score_distributions(Supports(n_pos_g, n_neg_g, self._table), tail)[0]
        title = score_title(self._score)
        drawn = score_chart(score, title, self._phi)
        charts.append(("Distribution of the score over all possible worlds.", drawn))
        reached = f"probability {score.phi_probability(self._phi):.3g} of at least φ = {self._phi:g}"
        words = (
            f"Score {title}: expectation {score.expectation():.4g}, median {score.median():.4g}, "
            f"mode {score.mode():.4g}; {reached}."
        )
        return charts, words
