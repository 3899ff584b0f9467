"""A replication as forest plots: the effects of both cohorts, and those of single sites."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dugraph.data.arguments import abbreviate, is_whole
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart, with_margin
from dugraph.plot.style import Axes, drawing_axes
from dugraph.significance import ReplicationResult

Interval = tuple[float, float, float]  # effect, lower end, upper end

N_ROWS = 12
"""Subgraphs in a plot of all of them."""


def plot_replication(
    result: ReplicationResult, subgraph: int | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the effects of a replication with their 95 % intervals, as a forest plot.

    Parameters
    ----------
    result : ReplicationResult
        With at least one subgraph.
    subgraph : int, optional
        The position of one subgraph in ``result.subgraphs``. There is then a row for the first cohort, one
        for each block with an effect of its own, such as a site, and one for the second cohort. Default: two
        rows for each of the first 12 subgraphs.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Notes
    -----
    Intervals of the first cohort are those given selection, which account for the choice of subgraphs with
    large statistics; those of the second are bootstrap intervals; those of blocks allow for unequal
    variances.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=120, random_state=1)
    >>> result = dg.find_and_replicate(graphs, y, min_expected_frequency=0.25)
    >>> ax = dg.plot.plot_replication(result)
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['1: first cohort', '1: second cohort']
    """
    if not isinstance(result, ReplicationResult):
        raise InputError(
            f"A ReplicationResult is needed: got {type(result).__name__}. Take it from "
            "replicate(result, X, y)."
        )
    if not len(result):
        raise InputError("Nothing can be drawn: no subgraph was tested in the second cohort.")
    if subgraph is not None and not (is_whole(subgraph) and 0 <= subgraph < len(result)):
        raise InputError(
            f"subgraph must be a position from 0 to {len(result) - 1}, but is {subgraph!r}.",
            parameter="subgraph",
        )
    axes = drawing_axes(ax)
    return draw_chart(forest_chart(result) if subgraph is None else block_chart(result, subgraph), axes)


def forest_chart(result: ReplicationResult, n_rows: int = N_ROWS) -> Chart:
    """Compose the effects of both cohorts, two rows for each subgraph."""
    rows: list[tuple[str, str, Interval]] = []
    for k in range(min(n_rows, len(result))):
        rows.append((f"{k + 1}: first cohort", "plain", _first(result, k)))
        rows.append((f"{k + 1}: second cohort", _look(result, k), _second(result, k)))
    n = int(result.replicated.sum())
    return _forest(
        f"Effects of {len(rows) // 2} subgraphs in both cohorts with 95 % intervals; {n} of {len(result)} "
        "are confirmed.",
        result,
        rows,
    )


def block_chart(result: ReplicationResult, subgraph: int) -> Chart:
    """Compose the effects of one subgraph: first cohort, each block, second cohort."""
    blocks = [
        (
            f"{abbreviate(name)} (n = {result.block_sizes[b]})",
            "plain",
            (float(result.block_effects[subgraph, b]), *result.block_intervals[subgraph, b].tolist()),
        )
        for b, name in enumerate(result.block_names)
    ]
    rows = [
        ("first cohort", "plain", _first(result, subgraph)),
        *blocks,
        ("second cohort", _look(result, subgraph), _second(result, subgraph)),
    ]
    return _forest(
        f"Effects of subgraph {subgraph + 1} with 95 % intervals in the first cohort, in {len(blocks)} "
        "blocks of the second, and in all of the second.",
        result,
        rows,
    )


def _first(result: ReplicationResult, k: int) -> Interval:
    found = result.discovery
    lower, upper = found.effect_intervals[found.subgraphs.index(result.subgraphs[k])].tolist()
    return float(result.first_effects[k]), lower, upper


def _second(result: ReplicationResult, k: int) -> Interval:
    lower, upper = result.effect_intervals[k].tolist()
    return float(result.effects[k]), lower, upper


def _look(result: ReplicationResult, k: int) -> str:
    """Confirmed subgraphs have the colour of their direction."""
    if not result.replicated[k]:
        return "plain"
    return "pos" if result.first_effects[k] >= 0 else "neg"


def _forest(title: str, result: ReplicationResult, rows: Sequence[tuple[str, str, Interval]]) -> Chart:
    ends = [0.0, *(end for _, _, interval in rows for end in interval if np.isfinite(end))]
    several = len(set(result.contrasts)) > 1
    chart = Chart(
        title,
        *(with_margin(ends, 0.06), (0.0, float(len(rows)))),
        f"effect: {'a group against the rest' if several else abbreviate(result.contrasts[0])}",
        rows=[name for name, _, _ in rows],
    )
    chart.add("rule", ((0.0, 0.0), (0.0, chart.y[1])), "critical")
    for row, (_, look, (effect, lower, upper)) in enumerate(rows):
        middle = len(rows) - row - 0.5
        if np.isfinite(lower) and np.isfinite(upper):
            chart.add("line", ((lower, middle), (upper, middle)), "count")
        chart.add("dots", ((effect, middle),), look)
    return chart
