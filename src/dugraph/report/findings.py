"""Findings for the templates: the search or fit, its subgraphs, the test and the replication."""

from __future__ import annotations

import dataclasses
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from dugraph.data import LabelledGraphs
from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.data.edges import SubgraphNaming
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
from dugraph.plot.models import path_chart
from dugraph.plot.significance import N_ROWS, block_chart, forest_chart, null_chart
from dugraph.probability import SCORES
from dugraph.probability.containment import containment_columns
from dugraph.probability.scores import ScoreTable, default_phi
from dugraph.report.brain import Canvas, canvases, large_picture, small_picture, union_picture
from dugraph.report.charts import chart_svg, coefficient_bar, frequency_bar
from dugraph.results import ReplicationRecord, SubgraphRecord, TestRecord
from dugraph.results.records import RankedSubgraph, group_rows
from dugraph.search import support_distribution
from dugraph.search.distribution import ScoreWindows, Supports, score_distributions, scores_of
from dugraph.settings import OF_RESULTS, flag_word, option_text
from dugraph.significance.result import large_number
from dugraph.words import FREQUENCY, MEASURES, score_title

N_PLOTTED = 20
"""Subgraphs that get charts; the others get pictures and tables, which are lighter."""
N_LISTED = 500
"""Subgraphs described one by one, and rows of the table of a test; results.csv has them all."""
N_REPLICATED = 100
"""Rows of the table of a replication."""
N_BY_BLOCK = 3
"""Confirmed subgraphs whose effects in single blocks are drawn."""
_TAIL = 1e-24  # probability of the supports of a large class that no chart shows
_ROW, _AXES, _NAMES = 18.0, 66.0, 170.0  # of a forest plot: a row, what is around the rows, their names
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

Described = dict[str, Any]
"""Values for a template, by name."""


def edge_ends(naming: SubgraphNaming, edges: Iterable[int]) -> list[tuple[str, str, str | None]]:
    """Both nodes of each edge, the earlier first, and its layer."""
    ends = []
    for edge in edges:
        _, (first, second), layer = naming.edge_ends(edge)
        ends.append((first, second, layer))
    return ends


# ---------------------------------------------------------------- the search or fit


def describe_mining(record: SubgraphRecord, seconds: float | None) -> Described:
    """Settings, proof and work of a search or a fit."""
    asked, proof, fitted = record.parameters, record.proof, record.is_fit
    options = OF_RESULTS[record.command].options().values()
    known = [*((one.name, one.report) for one in options if one.report), ("alpha_in_use", "the penalty")]
    shown = [(name, _shown(asked[name]), said) for name, said in known if asked.get(name) is not None]
    if record.source.where is not None:
        shown.insert(0, ("where", record.source.where, "participants in use"))
    covariates: list[tuple[str, Sequence[float]]] = [(name, [value]) for name, value in record.covariates]
    if record.models:
        of_groups = zip(*(one.covariates for one in record.models), strict=True)
        covariates = [(same[0][0], [value for _, value in same]) for same in of_groups]
    return {
        "value_name": "coefficient" if fitted else _measured(asked),
        "parameters": shown,
        "work": [
            (said, int(record.counters[name])) for name, said in _WORK.items() if name in record.counters
        ],
        "proven": bool(proof["success"]),
        "claim": _claim(record),
        "message": str(proof["message"]),
        "gap": None if fitted else proof["gap"],
        "seconds": record.seconds if seconds is None else seconds,
        "command": _command(record, {**asked, **_NOT_FLAGS, "phenotype": record.source.phenotype}),
        "fit": _fit(record) if fitted else None,
        "thinned": thinned_at(record),
        "effect_words": "" if fitted or "covariates" not in asked else _effect_words(record),
        "covariates": covariates,
        "models": record.models,
    }


def thinned_at(record: SubgraphRecord) -> float | None:
    """The correlation above which subgraphs were left out; None if none were, as no correlation exceeds 1."""
    limit = record.parameters.get("max_correlation")
    return None if limit is None or limit >= 1 else float(limit)


def _claim(record: SubgraphRecord) -> str:
    """The proof of the list, in a few words."""
    proven, thinned = record.proof["success"], thinned_at(record)
    if record.is_fit:
        return "proven optimum over all admitted subgraphs" if proven else "not proven to be the optimum"
    if not proven:
        return "best so far, not proven"
    if thinned is None:
        return "proven to be the best"
    return f"proven: each is the best of those that correlate at most {thinned:g} with those before it"


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


def _command(record: SubgraphRecord | TestRecord, flags: Mapping[str, Any]) -> str:
    """The command that finds the same again, with one flag in each line."""
    if record.cohort.kind == CLASSES and flags.get("phenotype") is None:
        flags = {**flags, "pos_label": record.cohort.positive_class}
    asked = {name: value for name, value in flags.items() if value is not None and value is not False}
    words = [shlex.quote(flag_word(name, value)) for name, value in asked.items()]
    command = shlex.join(["dugraph", record.command, record.source.file])
    folder = "test" if isinstance(record, TestRecord) else "results"
    return " \\\n  ".join([command, *words, f"-o {folder}"])


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


# ---------------------------------------------------------------- subgraphs one by one


def describe_subgraphs(record: SubgraphRecord) -> tuple[list[Described], Markup | None]:
    """The first `N_LISTED` subgraphs, and those of a fit in one picture."""
    cohort, found = record.cohort, record.subgraphs
    views, listed = canvases(cohort.graphs), found[:N_LISTED]
    means = _edge_means(cohort, {edge for one in listed for edge in one.edges})
    score = _score_of(record)
    largest = None
    if record.is_fit:
        largest = max((abs(one.value) for one in found), default=0.0) or 1.0
    described = [_describe(one, record, views, means, score, largest) for one in listed]
    union = None
    if found and record.is_fit:
        union = union_picture(cohort.graphs, found, views[0] if views else None, signed=not record.models)
    return described, union


def _edge_means(cohort: LabelledGraphs, edges: Iterable[int]) -> dict[int, list[float]]:
    """The mean probability of these edges in each group, or in all graphs; one column is read at a time."""
    raw = cohort.graphs.raw_probability
    groups = group_rows(cohort) or [np.ones(cohort.graphs.n_graphs, dtype=np.bool_)]
    return {edge: [float(raw[rows, edge].mean(dtype=np.float64)) for rows in groups] for edge in edges}


def _describe(
    found: RankedSubgraph,
    record: SubgraphRecord,
    views: Sequence[Canvas],
    means: Mapping[int, list[float]],
    score: tuple[ScoreTable | ScoreWindows, float] | None,
    largest: float | None,
) -> Described:
    """One subgraph; `largest` is the largest coefficient of a fit, with which the others are compared."""
    graphs, two = record.cohort.graphs, record.cohort.kind == CLASSES
    effects = None if record.is_fit else record.result.effects
    effect = None if effects is None else effects[found.rank - 1]
    size = None if largest is None else abs(found.value) / largest
    if largest is None:
        sign = found.frequency_positive - found.frequency_negative if two else (effect or 0.0)
    else:  # with several groups a sign means one thing for one and another for the next
        sign = abs(found.value) if record.models else found.value
    side = "pos" if sign >= 0 else "neg"
    edges = edge_ends(graphs.naming, found.edges)
    n_nodes = len({node for edge in edges for node in edge[:2]})
    title = f"Subgraph {found.rank}: {counted(len(edges), 'edge')} between {n_nodes} nodes"
    pictures = (
        [] if views else [("network", large_picture(graphs, found.edges, None, side, title, size=size))]
    )
    for i, view in enumerate(views):
        words = f"{title}, {view.caption}" if i else title
        pictures.append((view.caption, large_picture(graphs, found.edges, view, side, words, i == 0, size)))
    charts, score_words = _charts(record, found, score) if found.rank <= N_PLOTTED else ([], "")
    return {
        "found": found,
        "side": side,
        "edges": edges,
        "means": [means[edge] for edge in found.edges],
        "small": small_picture(graphs, found.edges, views[0] if views else None, side, size),
        "bar": frequency_bar(found.frequency_positive, found.frequency_negative) if two else Markup(),
        "sized": Markup() if largest is None else coefficient_bar(found.value, largest),
        "pictures": pictures,
        "charts": charts,
        "score_words": score_words,
        "effect": "" if effect is None else f"{effect:+.3g}",
        "contrast": _contrast(record, found.rank - 1),
    }


def _contrast(record: SubgraphRecord, place: int) -> str:
    """The groups for which it was found, or which it favours or not, the strongest first."""
    if not record.is_fit:
        return record.result.contrasts[place] if record.result.contrasts else ""
    models = [(one.coefficients[place], one.group) for one in record.models if one.coefficients[place]]
    return ", ".join(
        f"{abbreviate(group)} {value:+.3g}" for value, group in sorted(models, key=lambda t: -abs(t[0]))
    )


def _score_of(record: SubgraphRecord) -> tuple[ScoreTable | ScoreWindows, float] | None:
    """The table of the score and phi; None where a chart of the score is not possible.

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
    record: SubgraphRecord, found: RankedSubgraph, score: tuple[ScoreTable | ScoreWindows, float] | None
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


# ---------------------------------------------------------------- the test


def describe_significance(record: TestRecord) -> Described:
    """A test in words, tables and pictures."""
    result, asked = record.result, record.result.parameters
    views = canvases(record.cohort.graphs)
    first = views[0] if views else None
    phenotype = record.phenotype or "the phenotype"
    what = "difference in expected frequency"
    if asked["labels"] == "phenotype":
        what = f"slope of the containment probability per unit of {phenotype}"
    of_classes = record.phenotype is None and asked["labels"] == "classes"
    chosen = [
        dataclasses.replace(one, value=float(effect))
        for one, effect, shown in zip(record.subgraphs, result.effects, result.representative, strict=True)
        if shown
    ]
    null = null_chart(result)
    return {
        "result": result,
        "n_tested": int(result.n_admitted.sum()),
        "n_representative": len(chosen),
        "n_irreducible": int(result.irreducible.sum()),
        "families": _family_rows(record, first),
        "what": what,
        "sides": effect_sides(record),
        "several": len(set(result.contrasts)) > 1,
        "adjusted_for": _adjusted_for(asked),
        "phenotype": None if of_classes else (record.phenotype or _TESTED[asked["labels"]]),
        "design": _design(record),
        "union": union_picture(record.cohort.graphs, chosen, first) if chosen else None,
        "chart": chart_svg(null, 600.0, 60.0 + 64.0 * len(null.rows), 110.0),
        # Settings in the order in which a file has them.
        "command": _command(
            record, {"phenotype": record.phenotype, **dict(sorted(asked.items())), **_NOT_FLAGS}
        ),
        "p_values": dict(zip(result.subgraphs, result.p_values.tolist(), strict=True)),
    }


def _adjusted_for(asked: Mapping[str, Any]) -> str:
    """Which graphs an adjusted effect compares, in words; empty without adjustment."""
    words = []
    if asked["blocks"] is not None:
        words.append(f"of the same block ({listed(asked['blocks'], most=12)})")
    if asked["covariates"] is not None:
        words.append(f"with the influence of {listed(asked['covariates'], most=12)} removed")
    return " and ".join(words)


def tests_the_same(record: TestRecord | None, found: SubgraphRecord) -> bool:
    """Whether there is a test, and it is one of the labels by which the subgraphs were found."""
    if record is None or record.result.parameters["labels"] != found.cohort.kind:
        return False
    return record.phenotype == found.source.phenotype


def _family_rows(record: TestRecord, canvas: Canvas | None) -> list[list[Described]]:
    """The irreducible subgraphs family by family, the representative first; at most `N_LISTED` in all.

    The first row of a family has the number of its irreducible and that of all its members.
    """
    rows, room = [], N_LISTED
    for family in record.result.families:
        members = [_row(record, k, canvas) for k in family.irreducible[:room]]
        members[0] |= {"n_variants": len(family.irreducible), "n_members": len(family.members)}
        rows.append(members)
        room -= len(members)
        if room <= 0:
            break
    return rows


def _row(record: TestRecord, k: int, canvas: Canvas | None) -> Described:
    result, graphs, found = record.result, record.cohort.graphs, record.subgraphs[k]
    low, high = result.effect_intervals[k].tolist()
    # Differences lie within [-1, 1]; slopes are as small or large as the unit makes them.
    digits = "+.3g" if result.parameters["labels"] == "phenotype" else "+.3f"
    side = "pos" if result.effects[k] >= 0 else "neg"
    return {
        "found": found,
        "effect": f"{result.effects[k]:{digits}}",
        "interval": f"{low:{digits}} to {high:{digits}}"
        if math.isfinite(low) and math.isfinite(high)
        else "–",
        "contrast": result.contrasts[k],
        "edges": edge_ends(graphs.naming, found.edges),
        # Others are variations of the representatives, and the page is to stay light.
        "small": small_picture(graphs, found.edges, canvas, side) if result.representative[k] else Markup(),
        "n_variants": 0,
        "n_members": 0,
    }


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
    n_classes = len(result.size_classes)
    rows = {
        **({} if record.source.where is None else {"participants": f"those with {record.source.where}"}),
        "tested": record.phenotype or _TESTED[asked["labels"]],
        "blocks": blocks,
        "covariates": "none" if asked["covariates"] is None else listed(asked["covariates"], most=12),
        "permuted": "labels of whole blocks" if asked["permute"] == "whole" else "labels of graphs",
        "permutations": moved,
        "statistic": _STATISTICS[asked["statistic"]],
        "alternative": _ALTERNATIVES[asked.get("alternative", "two-sided")],
        "family-wise error": f"{asked['alpha']:g}"
        + (f", shared by {n_classes} size classes" if n_classes > 1 else ""),
        "subgraphs": f"all connected ones above an expected frequency of {asked['min_expected_frequency']:g}"
        + (f", of at most {counted(asked['max_edges'], 'edge')}" if asked["max_edges"] else ""),
    }
    if asked["step_down"]:
        rows["step-down"] = "significant subgraphs were left out of the maxima, and the rest tested again"
    return list(rows.items())


# ---------------------------------------------------------------- the replication


def describe_replication(record: ReplicationRecord) -> Described:
    """The numbers, forest plots and the design of a replication."""
    result, asked, found = record.result, record.result.parameters, record.result.discovery
    n_drawn, n_blocks = min(N_ROWS, len(result)), len(result.block_names)
    chosen = [k for k in range(len(result)) if result.replicated[k]][:N_BY_BLOCK] or [0][: len(result)]
    height = _AXES + _ROW * (n_blocks + 2)
    first = "not recorded"
    if result.holdout is not None:
        first = "the other part of the same cohort"
    elif record.first is not None:
        n_graphs = record.first.n_graphs
        first = abbreviate(record.first.file) + (f", {counted(n_graphs, 'graph')}" if n_graphs else "")
    return {
        "result": result,
        "several": len(set(result.contrasts)) > 1,
        "n_confirmed": int(result.replicated.sum()),
        "rows": [edge_ends(found.naming, g) for g in result.subgraphs[:N_REPLICATED]],
        "forest": chart_svg(forest_chart(result), 640.0, _AXES + 2 * _ROW * n_drawn, _NAMES)
        if n_drawn
        else None,
        "n_drawn": n_drawn,
        "by_block": [
            (f"Subgraph {k + 1}", chart_svg(block_chart(result, k), 640.0, height, _NAMES))
            for k in (chosen if n_blocks else [])
        ],
        "design": [
            ("second cohort", f"{record.source.file}, {counted(len(record.cohort), 'graph')}"),
            ("first cohort", first),
            ("subgraphs tested", f"{asked['subgraphs']}, in the direction found"),
            ("statistic", asked["statistic"]),
            ("blocks", listed(asked.get("blocks") or ["none"], 12)),
            ("covariates", listed(asked.get("covariates") or ["none"], 12)),
            ("permutations", f"{result.n_permutations:,}{' (all)' if result.exact else ''}"),
        ],
    }
