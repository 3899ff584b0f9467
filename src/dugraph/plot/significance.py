"""A test of significance, its replication, its power and its sensitivity to the settings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dugraph.data.arguments import abbreviate, check_kind, is_whole
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, draw_chart, steps, with_margin
from dugraph.plot.style import (
    INK,
    MATRIX_MAP,
    PALE,
    Axes,
    difference_map,
    drawing_axes,
    fill_doc,
    plain,
)
from dugraph.significance import PowerResult, ReplicationResult, SensitivityResult, SignificanceResult

N_ROWS = 12
"""Subgraphs in a plot of a whole replication."""
_BINS = 40
_MOST_EDGES = 30
_LARGEST_WITH_NUMBERS = 12  # settings
_FROM_TEST = "Take it from significant_subgraphs(X, y)."


@fill_doc
def plot_null_maxima(result: SignificanceResult, *, ax: Axes | None = None) -> Axes:
    """Draw the largest statistics of all permutations, a row for each size of subgraphs.

    Each row has the histogram of the maxima, the critical value, which a statistic must exceed to be
    significant, and the largest statistic of the observed labels.

    Parameters
    ----------
    result : SignificanceResult
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.significant_subgraphs(graphs, y, n_permutations=99, min_expected_frequency=0.25)
    >>> ax = dg.plot.plot_null_maxima(result)
    >>> ax.get_xlabel()
    'largest z of a permutation'
    """
    return draw_chart(null_chart(check_kind(result, SignificanceResult, "result", _FROM_TEST)), ax)


def null_chart(result: SignificanceResult) -> Chart:
    """Compose the maxima of each size that has subgraphs."""
    shown = [k for k in range(len(result.size_classes)) if result.n_admitted[k]]
    statistic = result.parameters["statistic"]
    chance, observed = result.null_maxima[1:, shown], result.null_maxima[0, shown]
    critical = result.critical_values[shown]
    ends = [*chance.ravel(), *observed, *critical[np.isfinite(critical)]]
    sentences = []
    for row, k in enumerate(shown):
        n_beyond = int((chance[:, row] >= observed[row]).sum())
        sentences.append(
            f"Subgraphs of {result.size_classes[k]}: the largest {statistic} in each of {len(chance)} "
            f"permutations; {n_beyond} reach the observed {observed[row]:.3g}."
        )
        if math.isfinite(critical[row]):
            sentences.append(f"Values above {critical[row]:.3g} are significant.")
    chart = Chart(
        " ".join(sentences),
        *(with_margin(ends, 0.04), (0.0, float(len(shown)))),
        f"largest {statistic} of a permutation",
        rows=[result.size_classes[k] for k in shown],
    )
    for row in range(len(shown)):
        bottom = len(shown) - 1 - row
        counts, edges = np.histogram(chance[:, row], bins=_BINS, range=chart.x)
        if math.isfinite(critical[row]):
            chart.shade(critical[row], bottom, bottom + 0.9)
        chart.add("area", steps(edges, 0.62 * counts / max(int(counts.max()), 1), bottom), "plain")
        marks = (("critical", float(critical[row])), ("observed", float(observed[row])))
        rules = [(value, look, f"{look} {value:.3g}") for look, value in marks if math.isfinite(value)]
        chart.add_rules(rules, bottom, bottom + 0.9)
    return chart


@fill_doc
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
    %(ax)s

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
    check_kind(result, ReplicationResult, "result", "Take it from replicate(result, X, y).")
    if not len(result):
        raise InputError("Nothing can be drawn: no subgraph was tested in the second cohort.")
    if subgraph is not None and not (is_whole(subgraph) and 0 <= subgraph < len(result)):
        raise InputError(
            f"subgraph must be a position from 0 to {len(result) - 1}, but is {subgraph!r}.",
            parameter="subgraph",
        )
    return draw_chart(forest_chart(result, subgraph), ax)


def forest_chart(result: ReplicationResult, subgraph: int | None = None) -> Chart:
    """Compose the effects of both cohorts; for one subgraph also those of blocks in the second cohort.

    Confirmed subgraphs have the colour of their direction.
    """
    found = result.discovery
    rows: list[tuple[str, str, float, Sequence[float]]] = []
    for k in range(min(N_ROWS, len(result))) if subgraph is None else [subgraph]:
        number = f"{k + 1}: " if subgraph is None else ""
        effect, place = result.first_effects[k], found.subgraphs.index(result.subgraphs[k])
        rows.append((f"{number}first cohort", "plain", effect, found.effect_intervals[place]))
        for b, name in enumerate(result.block_names if subgraph is not None else ()):
            block = f"{abbreviate(name)} (n = {result.block_sizes[b]})"
            rows.append((block, "plain", result.block_effects[k, b], result.block_intervals[k, b]))
        look = ("pos" if effect >= 0 else "neg") if result.replicated[k] else "plain"
        rows.append((f"{number}second cohort", look, result.effects[k], result.effect_intervals[k]))
    if subgraph is None:
        title = (
            f"Effects of {len(rows) // 2} subgraphs in both cohorts with 95 % intervals; "
            f"{int(result.replicated.sum())} of {len(result)} are confirmed."
        )
    else:
        title = (
            f"Effects of subgraph {subgraph + 1} with 95 % intervals in the first cohort, in "
            f"{len(result.block_names)} blocks of the second, and in all of the second."
        )
    numbers = np.array([(effect, *interval) for _, _, effect, interval in rows])
    several = len(set(result.contrasts)) > 1
    chart = Chart(
        title,
        *(with_margin([0.0, *numbers[np.isfinite(numbers)]], 0.06), (0.0, float(len(rows)))),
        f"effect: {'a group against the rest' if several else abbreviate(result.contrasts[0])}",
        rows=[name for name, _, _, _ in rows],
    )
    chart.add("rule", ((0.0, 0.0), (0.0, chart.y[1])), "critical")
    for row, (effect, lower, upper) in enumerate(numbers):
        middle = len(rows) - row - 0.5
        if np.isfinite(lower) and np.isfinite(upper):
            chart.add("line", ((lower, middle), (upper, middle)), "count")
        chart.add("dots", ((effect, middle),), rows[row][1])
    return chart


@fill_doc
def plot_power(result: PowerResult, *, detectable: bool = False, ax: Axes | None = None) -> Axes:
    """Draw the power by the number of graphs, and the probability that the subgraph is admitted.

    Parameters
    ----------
    result : PowerResult
    detectable : bool, default False
        Draw instead the expected frequency in the positive class that is detected with the target power.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> pilot, _, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.power_analysis(pilot, n_edges=2, frequencies=(0.5, 0.25), min_expected_frequency=0.25)
    >>> dg.plot.plot_power(result).get_ylabel()
    'power'
    """
    check_kind(result, PowerResult, "result", "Take it from power_analysis(pilot, ...).")
    order, wanted = np.argsort(result.n_graphs), result.parameters["power"]
    sizes, power, found = (v[order] for v in (result.n_graphs.astype(float), result.power, result.detectable))
    ends = with_margin(sizes.tolist(), 0.04)
    if detectable:
        title = "The expected frequency in the positive class that is found, by the number of graphs."
        chart = Chart(title, ends, (0.0, 1.03), "graphs", "expected frequency")
        negative, known = result.parameters["frequencies"][1], np.isfinite(found)
        chart.add("line", ((end, negative) for end in ends), "critical", "negative class")
        points = list(zip(sizes[known], found[known], strict=True))
        words = f"positive class, found with power {wanted:g}"
    else:
        chart = Chart("Power by the number of graphs.", ends, (0.0, 1.03), "graphs", "power")
        chart.add("line", ((end, wanted) for end in ends), "row")
        chart.add("line", zip(sizes, result.admitted[order], strict=True), "critical", "admitted")
        points, words = list(zip(sizes, power, strict=True)), "significant"
    chart.add("line", points, "count", words)
    chart.add("dots", points, "pos")
    if not detectable and result.n_needed is not None and ends[0] <= result.n_needed <= ends[1]:
        rule = ((result.n_needed, 0.0), (result.n_needed, wanted))
        chart.add("rule", rule, "observed", f"{result.n_needed:,} graphs")
    return draw_chart(chart, ax)


@fill_doc
def plot_sensitivity(result: SensitivityResult, *, edges: bool = False, ax: Axes | None = None) -> Axes:
    """Draw the Jaccard index of the edges found by each pair of settings.

    Parameters
    ----------
    result : SensitivityResult
    edges : bool, default False
        Draw instead which setting finds which edge, with the sign and size of the effect, for the 30 edges
        found by the most settings.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, _ = dg.simulate("adhd", n_graphs=60, random_state=1)
    >>> result = dg.sensitivity_analysis(
    ...     graphs, y, min_expected_frequencies=[0.25, 0.3], n_permutations=199
    ... )
    >>> dg.plot.plot_sensitivity(result).get_title()
    'Jaccard index of the edges found'
    """
    check_kind(result, SensitivityResult, "result", "Take it from sensitivity_analysis(X, y).")
    if edges and not result.edges:
        raise InputError("No edges can be drawn: no setting found one.")
    ax = drawing_axes(ax)
    import matplotlib

    names = [plain(name, 1.1) for name in result.names]
    if edges:
        shown = result.effects[:_MOST_EDGES]
        most = float(np.nanmax(np.abs(shown)))
        ax.imshow(shown, cmap=difference_map(), vmin=-most, vmax=most, aspect="auto")
        rows = [plain(name, 2.0) for name in result.edges[:_MOST_EDGES]]
        title = f"effect where found\n(full colour: {most:.2g})"
    else:
        ax.imshow(
            result.jaccard, cmap=matplotlib.colormaps[MATRIX_MAP].with_extremes(bad=PALE), vmin=0, vmax=1
        )
        rows, title = names, "Jaccard index of the edges found"
        if len(names) <= _LARGEST_WITH_NUMBERS:
            for (i, j), value in np.ndenumerate(result.jaccard):
                text = "-" if np.isnan(value) else f"{value:.2f}"
                ink = "w" if value < 0.6 else INK
                ax.text(j, i, text, ha="center", va="center", fontsize="x-small", color=ink)
    ax.set_title(title, fontsize="medium")
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    ax.set_yticks(range(len(rows)), rows, fontsize="x-small")
    ax.tick_params(length=0)
    return ax
