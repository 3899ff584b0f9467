"""A replication as the report describes it: the subgraphs confirmed in a second cohort, and forest plots."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from dugraph.data.arguments import abbreviate, counted, listed
from dugraph.plot.significance import N_ROWS, block_chart, forest_chart
from dugraph.report.charts import chart_svg
from dugraph.results import ReplicationRecord

N_BY_BLOCK = 3
"""Confirmed subgraphs whose effects in single blocks are drawn."""
_LISTED = 100
_ROW, _AXES, _NAMES = 18.0, 66.0, 170.0  # of a forest plot: a row, what is around the rows, their names


@dataclass(frozen=True)
class ReplicationRow:
    """A subgraph that was tested in the second cohort."""

    rank: int
    edges: list[tuple[str, str, str | None]]
    contrast: str
    confirmed: bool
    p_value: str
    both: str
    first_effect: str
    effect: str
    interval: str


@dataclass(frozen=True)
class ReplicationPart:
    """What the template needs."""

    message: str
    n_confirmed: int
    n_tested: int
    alpha: float
    several: bool
    contrast: str
    rows: list[ReplicationRow]
    forest: Markup | None
    n_drawn: int
    by_block: list[tuple[str, Markup]]
    design: list[tuple[str, str]]


def describe_replication(record: ReplicationRecord) -> ReplicationPart:
    """Gather the numbers, forest plots and the design of a replication."""
    result, asked = record.result, record.result.parameters
    found = result.discovery
    rows = [
        ReplicationRow(
            rank=k + 1,
            edges=[_ends(found.naming.edge_ends(edge)) for edge in g],
            contrast=result.contrasts[k],
            confirmed=bool(result.replicated[k]),
            p_value=f"{result.p_values[k]:.3g}",
            both=f"{result.conjunction_p_values[k]:.3g}",
            first_effect=f"{result.first_effects[k]:+.3g}",
            effect=f"{result.effects[k]:+.3g}",
            interval=f"{result.effect_intervals[k, 0]:+.2g} to {result.effect_intervals[k, 1]:+.2g}",
        )
        for k, g in enumerate(result.subgraphs[:_LISTED])
    ]
    n_drawn = min(N_ROWS, len(result))
    chosen = [k for k in range(len(result)) if result.replicated[k]][:N_BY_BLOCK] or [0][: len(result)]
    n_blocks = len(result.block_names)
    cohort = record.cohort
    design = [
        ("second cohort", f"{record.source.file}, {counted(len(cohort), 'graph')}"),
        ("first cohort", _first(record)),
        ("subgraphs tested", f"{asked['subgraphs']}, in the direction found"),
        ("statistic", asked["statistic"]),
        ("blocks", listed(asked.get("blocks") or ["none"], 12)),
        ("covariates", listed(asked.get("covariates") or ["none"], 12)),
        ("permutations", f"{result.n_permutations:,}{' (all)' if result.exact else ''}"),
    ]
    return ReplicationPart(
        message=result.message,
        n_confirmed=int(result.replicated.sum()),
        n_tested=len(result),
        alpha=asked["alpha"],
        several=len(set(result.contrasts)) > 1,
        contrast=result.contrasts[0] if len(result) else "",
        rows=rows,
        forest=chart_svg(forest_chart(result), 640.0, _AXES + 2 * _ROW * n_drawn, _NAMES) if rows else None,
        n_drawn=n_drawn,
        by_block=[
            (
                f"Subgraph {k + 1}",
                chart_svg(block_chart(result, k), 640.0, _AXES + _ROW * (n_blocks + 2), _NAMES),
            )
            for k in (chosen if n_blocks else [])
        ],
        design=design,
    )


def _ends(edge: tuple[list[int], list[str], str | None]) -> tuple[str, str, str | None]:
    _, (first, second), layer = edge
    return first, second, layer


def _first(record: ReplicationRecord) -> str:
    if record.result.holdout is not None:
        return "the other part of the same cohort"
    if record.first is None:
        return "not recorded"
    size = "" if record.first.n_graphs is None else f", {counted(record.first.n_graphs, 'graph')}"
    return f"{abbreviate(record.first.file)}{size}"
