"""A test of significance as the report shows it: what is significant, what was needed, what was assumed."""

from __future__ import annotations

import dataclasses
import math
import shlex
from dataclasses import dataclass

from markupsafe import Markup

from dugraph.data.phenotype import CLASSES
from dugraph.data.wording import counted, listed
from dugraph.report.null_chart import null_chart
from dugraph.report.subgraph_svg import Ground, grounds, small_picture
from dugraph.report.union_svg import union_picture
from dugraph.results import SubgraphRecord, TestRecord
from dugraph.results.ranking import RankedSubgraph
from dugraph.settings import flag_word
from dugraph.significance import SignificanceResult
from dugraph.significance.result import large_number

N_LISTED = 500
"""Rows of the table; results.csv has them all."""
_TESTED = {"classes": "the two classes", "groups": "the groups", "phenotype": "the phenotype"}
_STATISTICS = {
    "z": "z: the difference divided by its standard deviation over graphs and possible worlds",
    "difference": "difference: the effect itself",
    "t": "t: the partial correlation with the labels",
}
_ALTERNATIVES = {
    "two-sided": "two-sided",
    "greater": "greater: only positive effects count",
    "less": "less: only negative effects count",
}


@dataclass(frozen=True)
class TestedRow:
    """A significant subgraph: its edges as (node, node, layer or None), numbers, and for which side it is."""

    __test__ = False

    found: RankedSubgraph
    effect: str
    interval: str
    contrast: str
    representative: bool
    side: str
    edges: list[tuple[str, str, str | None]]
    small: Markup


@dataclass(frozen=True)
class SignificancePart:
    """What the template needs; `what` says what an effect is, `sides` what both colours mean."""

    alpha: float
    n_significant: int
    n_tested: int
    n_representative: int
    rows: list[TestedRow]
    message: str
    what: str
    sides: tuple[str, str]
    several: bool
    phenotype: str | None
    needs: list[str]
    design: list[tuple[str, str]]
    union: Markup | None
    charts: list[tuple[str, Markup]]
    command: str
    p_values: dict[tuple[int, ...], float]


def describe_significance(record: TestRecord) -> SignificancePart:
    """Put a test into words, tables and pictures."""
    result, asked = record.result, record.result.parameters
    views = grounds(record.cohort.graphs)
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
        rows=[_row(record, k, first) for k in range(min(len(result), N_LISTED))],
        message=result.message,
        what=_effect_words(record),
        sides=_sides(record),
        several=len(set(result.contrasts)) > 1,
        phenotype=tested,
        needs=_needs(record),
        design=_design(record),
        union=union_picture(record.cohort.graphs, chosen, first) if chosen else None,
        charts=_charts(result),
        command=_command(record),
        p_values=dict(zip(result.subgraphs, result.p_values.tolist(), strict=True)),
    )


def _of_classes(record: TestRecord) -> bool:
    return record.phenotype is None and record.result.parameters["labels"] == "classes"


def tests_the_same(record: TestRecord | None, found: SubgraphRecord) -> bool:
    """Whether there is a test, and it is one of the labels by which the subgraphs were found."""
    if record is None or record.result.parameters["labels"] != found.cohort.kind:
        return False
    return record.phenotype == found.source.phenotype


def _row(record: TestRecord, k: int, ground: Ground | None) -> TestedRow:
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
        small=small_picture(graphs, found.edges, ground, side) if chosen else Markup(),
    )


def _effect_words(record: TestRecord) -> str:
    if record.result.parameters["labels"] == "phenotype":
        return f"slope of the containment probability per unit of {record.phenotype or 'the phenotype'}"
    return "difference in expected frequency"


def _sides(record: TestRecord) -> tuple[str, str]:
    kind, name = record.result.parameters["labels"], record.phenotype or "the phenotype"
    if kind == "phenotype":
        above, below = f"with larger {name}", f"with smaller {name}"
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


def _charts(result: SignificanceResult) -> list[tuple[str, Markup]]:
    charts: list[tuple[str, Markup]] = []
    for k, name in enumerate(result.size_classes):
        if result.n_admitted[k] and math.isfinite(result.critical_values[k]):
            maxima = result.null_maxima[:, k]
            critical = float(result.critical_values[k])
            chart = null_chart(maxima[1:], float(maxima[0]), critical, result.parameters["statistic"], name)
            charts.append((f"Subgraphs of {name}", chart))
    return charts


def _command(record: TestRecord) -> str:
    asked = dict(sorted(record.result.parameters.items()))  # as they come back from a file
    flags = {"phenotype": record.phenotype, **asked, "labels": None}
    if record.phenotype is None and record.cohort.kind == CLASSES:
        flags["pos_label"] = record.cohort.positive_class
    return " \\\n  ".join(
        [
            shlex.join(["dugraph", record.command, record.source.file]),
            *(shlex.quote(flag_word(n, v)) for n, v in flags.items() if v is not None and v is not False),
            "-o test",
        ]
    )
