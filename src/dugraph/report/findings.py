"""Data for the templates that are not in a result: pictures, charts and tables."""

from __future__ import annotations

import dataclasses
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate, counted
from dugraph.data.edges import SubgraphNaming
from dugraph.data.labels import CLASSES, GROUPS, PHENOTYPE
from dugraph.evaluation import EvaluationResult
from dugraph.evaluation.methods import WHOLE, is_known
from dugraph.evaluation.result import UNPROVEN, fewer_notes, unproven_notes
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
from dugraph.plot.models import path_chart
from dugraph.plot.significance import N_ROWS, forest_chart, null_chart
from dugraph.probability import SCORES
from dugraph.probability.containment import containment_columns
from dugraph.probability.scores import ScoreTable, default_phi
from dugraph.report.pictures import (
    Canvas,
    chart_svg,
    folds_chart,
    forecast_chart,
    shown_from,
    subgraph_picture,
    union_picture,
)
from dugraph.results import ReplicationRecord, SubgraphRecord, TestRecord
from dugraph.results.cohort_ref import CohortRef
from dugraph.results.records import RankedSubgraph, group_rows
from dugraph.search import support_distribution
from dugraph.search.distribution import ScoreWindows, Supports, score_distributions, scores_of
from dugraph.settings import OF_RESULTS, flag_word, option_text
from dugraph.words import FREQUENCY, MEASURES, METRIC_WORDS, TASKS, score_title

N_PLOTTED = 20
"""Subgraphs that get charts; the others get pictures and tables, which are lighter."""
N_LISTED = 500
"""Subgraphs described one by one, and rows of the table of a test; results.csv has them all."""
N_REPLICATED = 100
"""Rows of the table of a replication."""
_N_BY_BLOCK = 3  # confirmed subgraphs whose effects in single blocks are drawn
_TAIL = 1e-24  # probability of the supports of a large class that no chart shows
_ROW, _AXES, _NAMES = 18.0, 66.0, 170.0  # of a forest plot: a row, what is around the rows, their names
_TESTED = {"classes": "the two classes", "groups": "the groups", "phenotype": "the phenotype"}
_NOT_FLAGS = {"alpha_in_use": None, "labels": None}

Described = dict[str, Any]
"""Values for a template, by name."""
Scores = tuple[ScoreTable | ScoreWindows, float]
"""Values of a score by the supports of a subgraph, and phi."""


@dataclass(frozen=True)
class Parts:
    """Everything in a report; `forecast` is the column that was evaluated, None if it is the labels."""

    source: CohortRef
    found: SubgraphRecord | None = None
    evaluation: EvaluationResult | None = None
    test: TestRecord | None = None
    forecast: str | None = None
    replication: ReplicationRecord | None = None


def edge_ends(naming: SubgraphNaming, edges: Iterable[int]) -> list[tuple[str, str, str | None]]:
    """Both nodes of each edge, the earlier first, and its layer."""
    ends = map(naming.edge_ends, edges)
    return [(first, second, layer) for _, (first, second), layer in ends]


# ---------------------------------------------------------------- the search or fit


def describe_mining(record: SubgraphRecord) -> Described:
    """Settings and charts of a search or a fit."""
    asked = record.parameters
    said = {one.name: one.report for one in OF_RESULTS[record.command].options().values() if one.report}
    known = [(name, asked.get(name), words) for name, words in said.items()]
    known = [("where", record.source.where, "participants in use"), *known]
    known.append(("alpha_in_use", asked.get("alpha_in_use"), "the penalty"))
    covariates: list[tuple[str, Sequence[float]]] = [(name, [value]) for name, value in record.covariates]
    if record.models:
        of_groups = zip(*(one.covariates for one in record.models), strict=True)
        covariates = [(same[0][0], [value for _, value in same]) for same in of_groups]
    return {
        "record": record,
        "fit": record.is_fit,
        "value_name": value_name(record),
        "parameters": [
            (name, f"{value:g}" if isinstance(value, float) else option_text(value), words)
            for name, value, words in known
            if value is not None
        ],
        "thinned": thinned_at(record),
        "covariates": covariates,
        "path_charts": _path_charts(record),
        "command": _command(record, {**asked, **_NOT_FLAGS, "phenotype": record.source.phenotype}),
    }


def value_name(record: SubgraphRecord) -> str:
    """What the values of the subgraphs are."""
    if record.is_fit:
        return "coefficient"
    asked = record.parameters
    if asked["measure"] == FREQUENCY:
        return "expected frequency"
    return MEASURES[asked["measure"]].said.format(**{**asked, "score": score_title(asked.get("score"))})


def thinned_at(record: SubgraphRecord) -> float | None:
    """The correlation above which subgraphs were left out; None if none were, as no correlation exceeds 1."""
    limit = record.parameters.get("max_correlation")
    return None if limit is None or limit >= 1 else float(limit)


def _command(record: SubgraphRecord | TestRecord, flags: Mapping[str, Any]) -> str:
    """The command that finds the same again, with one flag in each line."""
    if record.cohort.kind == CLASSES and flags.get("phenotype") is None:
        flags = {**flags, "pos_label": record.cohort.positive_class}
    asked = {name: value for name, value in flags.items() if value is not None and value is not False}
    words = [shlex.quote(flag_word(name, value)) for name, value in asked.items()]
    command = shlex.join(["dugraph", record.command, record.source.file])
    folder = "test" if isinstance(record, TestRecord) else "results"
    return " \\\n  ".join([command, *words, f"-o {folder}"])


def _path_charts(record: SubgraphRecord) -> list[tuple[str, Markup]]:
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


# ---------------------------------------------------------------- subgraphs one by one


def describe_subgraphs(record: SubgraphRecord, views: Sequence[Canvas]) -> list[Described]:
    """Names, pictures and charts of the first `N_LISTED` subgraphs."""
    graphs, found = record.cohort.graphs, record.subgraphs[:N_LISTED]
    score = _score_of(record)
    largest = max((abs(one.value) for one in record.subgraphs), default=0.0) if record.is_fit else None
    groups = group_rows(record.cohort) or [np.ones(graphs.n_graphs, dtype=np.bool_)]
    means = {  # in each group, or in all graphs; one column is read at a time
        edge: [float(graphs.raw_probability[rows, edge].mean(dtype=np.float64)) for rows in groups]
        for edge in {edge for one in found for edge in one.edges}
    }
    described = []
    for one in found:
        charts, score_words = _charts(record, one, score) if one.rank <= N_PLOTTED else ([], "")
        side = "pos" if sign_of(record, one) >= 0 else "neg"
        size, effect = largest and abs(one.value) / largest, effect_of(record, one)
        edges = edge_ends(graphs.naming, one.edges)
        n_nodes = len({node for edge in edges for node in edge[:2]})
        title = f"Subgraph {one.rank}: {counted(len(edges), 'edge')} between {n_nodes} nodes"
        on: Sequence[Canvas | None] = shown_from(views, graphs, one.edges) or [None]
        pictures = []
        for i, view in enumerate(on):
            caption = "network" if view is None else view.caption
            words = f"{title}, {caption}" if i else title
            drawn = subgraph_picture(graphs, one.edges, view, side, size, words, named=i == 0)
            pictures.append((caption, drawn))
        described.append(
            {
                "found": one,
                "side": side,
                "share": one.value / (largest or 1.0),
                "edges": edges,
                "small": subgraph_picture(graphs, one.edges, on[0], side, size),
                "pictures": pictures,
                "effect": "" if effect is None else f"{effect:+.3g}",
                "means": [means[edge] for edge in one.edges],
                "charts": charts,
                "score_words": score_words,
                "contrast": _contrast(record, one.rank - 1),
            }
        )
    return described


def effect_of(record: SubgraphRecord, found: RankedSubgraph) -> float | None:
    """The difference or slope of a subgraph that a search found, if it has one."""
    effects = None if record.is_fit else record.result.effects
    return None if effects is None else float(effects[found.rank - 1])


def sign_of(record: SubgraphRecord, found: RankedSubgraph) -> float:
    """A number whose sign gives the class that a subgraph favours; 0 if there are no classes."""
    if record.is_fit:  # with several groups a sign means one thing for one and another for the next
        return abs(found.value) if record.models else found.value
    if record.cohort.kind == CLASSES:
        return found.frequency_positive - found.frequency_negative
    return effect_of(record, found) or 0.0


def _contrast(record: SubgraphRecord, place: int) -> str:
    """The groups for which it was found, or which it favours or not, the strongest first."""
    if not record.is_fit:
        return record.result.contrasts[place] if record.result.contrasts else ""
    models = [(one.coefficients[place], one.group) for one in record.models if one.coefficients[place]]
    return ", ".join(
        f"{abbreviate(group)} {value:+.3g}" for value, group in sorted(models, key=lambda t: -abs(t[0]))
    )


def _score_of(record: SubgraphRecord) -> Scores | None:
    """The score by supports; None where a chart of the score is not possible.

    The expected frequency has no score; a user's own function cannot be read from a file; a weighted count is
    not a function of two supports.
    """
    asked = record.parameters
    score = str(asked.get("score"))
    if asked.get("measure") == FREQUENCY or score not in SCORES or "labels" in asked:
        return None
    table = scores_of(score, record.cohort.n_pos, record.cohort.n_neg, asked.get("score_cap"))
    return table, default_phi(score, asked.get("phi"))


def _charts(
    record: SubgraphRecord, found: RankedSubgraph, score: Scores | None
) -> tuple[list[tuple[str, Markup]], str]:
    """The charts of a subgraph with their captions, and the measures of the score in words."""
    cohort = record.cohort
    x = containment_columns(cohort.graphs.raw_probability, [found.edges], np.float64)[:, 0]
    if cohort.kind == PHENOTYPE:
        return [by_phenotype(record, found, x)], ""
    groups = [x[rows] for rows in group_rows(cohort)]
    contained = f"Probability that each graph contains it: {dots_or_histogram(groups)}, bars for the means"
    if cohort.kind == GROUPS:
        chart = containment_chart(groups, cohort.group_names)
        svg = chart_svg(chart, 460.0, 70.0 + 60.0 * len(groups), 120.0)
        return [(f"{contained} of the groups.", svg)], ""
    tail = _TAIL if score and isinstance(score[0], ScoreWindows) else 0.0
    supports = [support_distribution(one, tail) for one in groups]
    charts = [
        (f"{contained}.", chart_svg(containment_chart(groups, cohort.names))),
        (
            "Share of each class that contains it; a distribution, because the edges are uncertain.",
            chart_svg(support_chart(supports, cohort.names)),
        ),
    ]
    if score is None:
        return charts, ""
    table, phi = score
    n_pos_g, n_neg_g = (one[np.newaxis] for one in supports)
    law = next(score_distributions(Supports(n_pos_g, n_neg_g, table), tail))
    title = score_title(str(record.parameters["score"]))
    svg = chart_svg(score_chart(law, phi, f"{title} score"), height=210.0)
    charts.append(("Distribution of the score over all possible worlds.", svg))
    return charts, (
        f"Score {title}: expectation {law.expectation():.4g}, median {law.median():.4g}, mode "
        f"{law.mode():.4g}; probability {law.phi_probability(phi):.3g} of at least φ = {phi:g}."
    )


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
    # A coefficient is not a slope: that of the dots.
    slope = slope_of(y, x) if record.is_fit else effect_of(record, found) or 0.0
    dots = "a dot for each graph" if len(y) <= MOST_DOTS else "an area for the middle 80 % of the graphs"
    caption = f"Probability that each graph contains it, by phenotype: {dots}, a line for the slope"
    caption += "; both axes adjusted for the covariates." if adjusted else "."
    if names and not adjusted:
        caption += " The slope is adjusted for covariates that are not in the file; the graphs are not."
    return caption, chart_svg(phenotype_chart(y, x, slope, f"{name}{', adjusted' if adjusted else ''}"))


# ---------------------------------------------------------------- test and replication


def describe_significance(record: TestRecord, views: Sequence[Canvas]) -> Described:
    """Families, charts and pictures of a test."""
    result, asked, graphs = record.result, record.result.parameters, record.cohort.graphs
    first = views[0] if views else None
    chosen = [
        dataclasses.replace(one, value=float(effect))
        for one, effect, shown in zip(record.subgraphs, result.effects, result.representative, strict=True)
        if shown
    ]
    null = null_chart(result)
    return {
        "record": record,
        "result": result,
        "of_classes": record.phenotype is None and asked["labels"] == "classes",
        "tested": record.phenotype or _TESTED[asked["labels"]],
        "n_tested": int(result.n_admitted.sum()),
        "n_representative": len(chosen),
        "families": _family_rows(record, first),
        "sides": effect_sides(record),
        "several": len(set(result.contrasts)) > 1,
        "union": union_picture(graphs, chosen, first) if chosen else None,
        "chart": chart_svg(null, 600.0, 60.0 + 64.0 * len(null.rows), 110.0),
        # Settings in the order in which a file has them.
        "command": _command(
            record, {"phenotype": record.phenotype, **dict(sorted(asked.items())), **_NOT_FLAGS}
        ),
        "p_values": dict(zip(result.subgraphs, result.p_values.tolist(), strict=True)),
    }


def tests_the_same(record: TestRecord | None, found: SubgraphRecord) -> bool:
    """Whether there is a test, and it is one of the labels by which the subgraphs were found."""
    if record is None or record.result.parameters["labels"] != found.cohort.kind:
        return False
    return record.phenotype == found.source.phenotype


def _family_rows(record: TestRecord, canvas: Canvas | None) -> list[tuple[Any, list[Described]]]:
    """Each family with its irreducible subgraphs, the representative first; at most `N_LISTED` in all.

    Only representatives have a picture: others are variations of them, and the page is to stay light.
    """
    result, graphs = record.result, record.cohort.graphs
    rows: list[tuple[Any, list[Described]]] = []
    room = N_LISTED
    for family in result.families:
        members = []
        for k in family.irreducible[:room]:
            found, side = record.subgraphs[k], "pos" if result.effects[k] >= 0 else "neg"
            small = Markup()
            if result.representative[k]:
                small = subgraph_picture(graphs, found.edges, canvas, side)
            members.append({"found": found, "edges": edge_ends(graphs.naming, found.edges), "small": small})
        if members:
            rows.append((family, members))
        room -= len(members)
    return rows


def effect_sides(record: TestRecord) -> tuple[str, str]:
    """The meaning of both colours."""
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


def describe_replication(record: ReplicationRecord) -> Described:
    """The table and the forest plots of a replication."""
    result = record.result
    n_drawn, n_blocks = min(N_ROWS, len(result)), len(result.block_names)
    chosen = [k for k in range(len(result)) if result.replicated[k]][:_N_BY_BLOCK] or [0][: len(result)]
    height = _AXES + _ROW * (n_blocks + 2)
    forest = forest_chart(result) if n_drawn else None
    return {
        "record": record,
        "result": result,
        "rows": [edge_ends(result.discovery.naming, g) for g in result.subgraphs[:N_REPLICATED]],
        "forest": forest and chart_svg(forest, 640.0, _AXES + 2 * _ROW * n_drawn, _NAMES),
        "n_drawn": n_drawn,
        "by_block": [
            (f"Subgraph {k + 1}", chart_svg(forest_chart(result, k), 640.0, height, _NAMES))
            for k in (chosen if n_blocks else [])
        ],
    }


# ---------------------------------------------------------------- the evaluation


class MethodRow(NamedTuple):
    """One method with a number of features, or all there are: its metrics on every split."""

    method: str
    features: int | str
    values: dict[str, Floats]
    proven: tuple[bool, ...]  # whether the subgraphs of each split are proven to be the best

    @property
    def n_unproven(self) -> int:
        """Number of splits without a proof."""
        return self.proven.count(False)

    def mean(self, metric: str) -> float:
        """Mean over the splits."""
        return float(self.values[metric].mean())


def describe_evaluation(
    evaluation: EvaluationResult, cohort: LabelledGraphs, column: str | None = None
) -> Described:
    """The splits of each method and number of features; `column` is what was evaluated, not the classes.

    A method that takes all features is shown once. `first` is the metric of the `best` row, and `chance` what
    guessing gives of it.
    """
    task, metrics = evaluation.task, tuple(evaluation.metrics)
    first = TASKS[task].first
    own = [method for method in evaluation.methods if not is_known(method, task)]
    mined = {cell.method for cell in evaluation.cells if cell.n_found is not None}
    # Without subgraphs an estimator of the user's own has one set of features, whatever t is.
    once = {*WHOLE, *own} - mined
    values = {name: evaluation.values(name) for name in metrics}
    rows = []
    for i, method in enumerate(evaluation.methods):
        proven = tuple(cell.proven for cell in evaluation.cells if cell.method == method)
        for t in sorted(evaluation.n_subgraphs)[: 1 if method in once else None]:
            of_method = {name: values[name][i, evaluation.n_subgraphs.index(t)] for name in metrics}
            rows.append(MethodRow(method, "all" if method in once else t, of_method, proven))
    chance = _chance(evaluation, cohort)
    drawn = [
        (f"{row.method}, {row.features}{f' {UNPROVEN}' if row.n_unproven else ''}", row.values[first])
        for row in rows
    ]
    guess = "no forecast" if task == "phenotype" else "guessing"
    folds = folds_chart(drawn, METRIC_WORDS[first].title, chance, guess)
    what = column or ("the phenotype" if task == "phenotype" else "the groups")
    finished = {name: [row for row in rows if math.isfinite(row.mean(name))] for name in metrics}
    named = {row.method for row in finished[first]}
    best = {}
    for name, those in finished.items():
        if those:
            choose = max if METRIC_WORDS[name].largest_first else min
            best[name] = choose(those, key=lambda row: row.mean(name))
    return {
        "task": task,
        "parameters": evaluation.parameters,
        "unit": "split" if task == "classes" else "fold",
        "what": what,
        "first": first,
        "grid": evaluation.table_cells(),
        "rows": rows,
        "best_of": best,
        "n_splits": evaluation.n_splits,
        "best": best.get(first),
        "chance": chance,
        "chart": chart_svg(folds, 600.0, 72.0 + 20.0 * len(drawn), 195.0),
        "left_out": {**evaluation.skipped, **evaluation.failures},
        "fewer": fewer_notes({name: t for name, t in evaluation.fewer.items() if name in named}),
        "unproven": unproven_notes(evaluation),
        "own": own,
        "metrics": metrics,
        "scatter": _scatter(evaluation, what),
    }


def _chance(evaluation: EvaluationResult, cohort: LabelledGraphs) -> float | None:
    """The first metric of guessing: the larger class, any group, or the same for all.

    None where the page is about other labels than the classes that were evaluated.
    """
    if evaluation.task == "classes":
        return min(cohort.n_pos, cohort.n_neg) / len(cohort) if cohort.kind == CLASSES else None
    return 0.0 if evaluation.task == "phenotype" else 1.0 / max(2, evaluation.parameters["n_groups"])


def _scatter(evaluation: EvaluationResult, name: str) -> tuple[str, Markup] | None:
    """Forecasts of the first method that has them, with the largest number of features."""
    held_out = evaluation.held_out
    if held_out is None:
        return None
    method = next(iter(held_out.forecasts))[0]
    t = max(size for one, size in held_out.forecasts if one == method)
    beyond = ", beyond covariates" if evaluation.parameters.get("covariates") else ", minus the training mean"
    features = "" if method in WHOLE else f" with {counted(t, 'feature')}"
    caption = (
        f"Forecasts of {method}{features} for each graph when left out, averaged over the folds that tested "
        "it. On the line, forecast and phenotype are equal."
    )
    chart = forecast_chart(held_out.observed, held_out.forecasts[method, t], f"{name}{beyond}")
    return caption, chart_svg(chart, 480.0, 300.0)
