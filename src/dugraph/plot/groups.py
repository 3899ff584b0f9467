"""One subgraph in the classes, in groups or over a phenotype, and the distribution of its score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs, check_labels, class_names
from dugraph.data.arguments import check_kind, real_number
from dugraph.data.columns import covariate_basis, covariate_matrix
from dugraph.data.graphs import edges_and_probability
from dugraph.data.labels import PHENOTYPE, label_column, n_distinct
from dugraph.data.subgraphs import SubgraphLike, check_subgraph
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, Floats, draw_chart, scattered, steps, with_margin
from dugraph.plot.style import Axes, drawing_axes, fill_doc, in_words, plain, size_in_inches
from dugraph.probability import ScoreDistribution, containment_probability
from dugraph.search import support_distribution

MOST_DOTS = 1000
"""Graphs of a group that are drawn one by one."""
_BINS = 50  # of the histogram of a larger group
_PARTS = 20  # of a phenotype, each with equally many graphs
_POINTS = 200  # of a line, which is not much wider in pixels
_NARROW = 0.2  # shares closer together than this get an axis of their own
_ROUNDING = 1e-12
_STEMS = 60  # levels of a score that are drawn one by one; more of them are summed in as many bins
_ROOM = 1.5  # height of the axis, for the names of the measures above the highest stem


@fill_doc
def plot_support_distributions(
    X: UncertainGraphs | ArrayLike,
    y: ArrayLike,
    subgraph: SubgraphLike,
    *,
    pos_label: object = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw which share of each class contains a subgraph: its two support distributions.

    Both are drawn relative to their most likely number of graphs, so classes of different size can be
    compared.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    y : array-like of shape (n_graphs,)
        Two classes.
    %(subgraph)s
    %(pos_label)s
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", random_state=0)
    >>> ax = dg.plot.plot_support_distributions(graphs, y, planted[0])
    >>> ax.get_xlabel()
    'share of the class that contains the subgraph'
    """
    names, groups = _groups(X, y, subgraph, pos_label)
    return draw_chart(support_chart([support_distribution(x) for x in groups], names), ax)


def support_chart(supports: Sequence[Floats], names: Sequence[str]) -> Chart:
    """Compose the support distributions of both classes: the probabilities of 0, 1, 2, ... graphs."""
    lines, means = [], []
    for pmf in supports:
        likely = np.flatnonzero(pmf > pmf.max() * 1e-3)
        likely = likely[:: math.ceil(len(likely) / _POINTS)]
        share, height = likely / (len(pmf) - 1), pmf[likely] / pmf.max()
        lines.append([(share[0], 0.0), *zip(share, height, strict=True), (share[-1], 0.0)])
        means.append(f"{float(pmf @ np.arange(len(pmf))):.3g} of {len(pmf) - 1}")
    low, high = min(line[0][0] for line in lines), max(line[-1][0] for line in lines)
    spare = 0.1 * (high - low)
    # The share of a large class is nearly certain: on the whole axis it would be a needle.
    ends = (max(0.0, low - spare), min(1.0, high + spare)) if 0 < high - low < _NARROW else (0.0, 1.0)
    words = ", ".join(f"{mean} in {in_words(name)}" for mean, name in zip(means, names, strict=True))
    chart = Chart(
        f"Support distributions: expected {words}.",
        *(ends, (0.0, 1.05)),
        *("share of the class that contains the subgraph", "probability, highest = 1"),
        percent=True,
    )
    for line, look, name, mean in zip(lines, ("pos", "neg"), names, means, strict=True):
        chart.add("area", line, look, f"{in_words(name)}: {mean} expected")
    return chart


def plot_containment(
    X: UncertainGraphs | ArrayLike,
    y: ArrayLike,
    subgraph: SubgraphLike,
    *,
    pos_label: object = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the containment probability of every graph as a dot, in a row for each class or group, with means.

    The mean of a class is the subgraph's expected frequency in it, as in results and reports. A group of
    more than 1,000 graphs is drawn as a histogram.

    Parameters
    ----------
    X, y, subgraph, pos_label, ax
        As for `plot_support_distributions`; in addition, `y` may be text with more than two values, the names
        of groups.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", random_state=0)
    >>> ax = dg.plot.plot_containment(graphs, y, planted[0])
    >>> ax.get_xlabel()
    'containment probability of each graph'
    """
    names, groups = _groups(X, y, subgraph, pos_label, several=True)
    return draw_chart(containment_chart(groups, names), ax)


def containment_chart(groups: Sequence[Floats], names: Sequence[str]) -> Chart:
    """Compose the containment probabilities of each group, the positive of two classes first."""
    words = ", ".join(
        f"mean {x.mean():.3g} in {in_words(name)}" for x, name in zip(groups, names, strict=True)
    )
    chart = Chart(
        f"Containment probabilities of all graphs: {words}.",
        *((0.0, 1.0), (0.0, float(len(groups)))),
        "containment probability of each graph",
        rows=[f"{name} (n = {len(x):,})" for x, name in zip(groups, names, strict=True)],
    )
    looks = ("pos", "neg") if len(groups) == 2 else ("plain",) * len(groups)
    for i, (x, look) in enumerate(zip(groups, looks, strict=True)):
        bottom = len(groups) - 1 - i + 0.08
        if len(x) <= MOST_DOTS:
            chart.add("dots", scattered(x, bottom, bottom + 0.84), look)
        else:
            counts, edges = np.histogram(x, bins=_BINS, range=(0.0, 1.0))
            chart.add("area", steps(edges, 0.84 * counts / counts.max(), bottom), look)
        mean = float(x.mean())
        chart.add("rule", ((mean, bottom - 0.03), (mean, bottom + 0.87)), "mean", f"mean {mean:.2f}")
    return chart


def dots_or_histogram(groups: Sequence[Floats]) -> str:
    """The marks of these groups in `containment_chart`, in words."""
    few = [len(x) <= MOST_DOTS for x in groups]
    if all(few):
        return "a dot for each graph"
    return "dots or a histogram for the graphs" if any(few) else "a histogram of the graphs"


@fill_doc
def plot_phenotype(
    graphs: UncertainGraphs,
    y: ArrayLike,
    subgraph: SubgraphLike,
    *,
    covariates: Any = None,
    name: str = "phenotype",
    ax: Axes | None = None,
) -> Axes:
    """Draw the containment probability of every graph over its phenotype, and the line of the slope.

    Parameters
    ----------
    graphs : UncertainGraphs
    y : array-like of shape (n_graphs,)
        Numbers with more than two values.
    %(subgraph)s
    covariates : optional
        As for `mine_subgraphs`: removed from both axes, around their means, so the slope is the adjusted
        one.
    name : str, default "phenotype"
        The name of the phenotype.
    %(ax)s

    Examples
    --------
    >>> import numpy as np
    >>> import dugraph as dg
    >>> graphs, _, planted = dg.simulate("hiv", random_state=0)
    >>> age = np.linspace(20, 60, graphs.n_graphs)
    >>> ax = dg.plot.plot_phenotype(graphs, age, planted[0], name="age")
    >>> ax.get_xlabel(), len(ax.lines[0].get_xdata()) == graphs.n_graphs
    ('age', True)
    """
    labelled = LabelledGraphs.of_any(graphs, y, numbers="phenotype")
    if labelled.kind != PHENOTYPE:
        raise InputError(
            "y must be a continuous phenotype, numbers with more than two values, but has classes. Draw "
            "these with plot_containment.",
            parameter="y",
        )
    x = containment_probability(labelled.graphs, check_subgraph(subgraph, labelled.graphs.naming))
    values, x = without_covariates(covariates, labelled.graphs, labelled.y, x)
    ax = drawing_axes(ax)
    adjusted = ", adjusted" if covariates is not None else ""
    room = 0.7 * size_in_inches(ax)[0]  # beside ", adjusted"
    draw_chart(
        phenotype_chart(values, x, slope_of(values, x), f"{plain(name, room, 'medium')}{adjusted}"), ax
    )
    ax.set_ylabel(f"containment probability{adjusted}")
    return ax


def without_covariates(covariates: Any, graphs: UncertainGraphs, *values: Floats) -> list[Floats]:
    """The residuals of each value after covariates, around its mean."""
    basis = covariate_basis(covariate_matrix(covariates, graphs), np.zeros(graphs.n_graphs, dtype=np.int64))
    return [v - basis @ (basis.T @ v) for v in values]


def slope_of(y: Floats, x: Floats) -> float:
    """The slope of x over y; 0 where only rounding is left."""
    centred = y - y.mean()
    slope = float(centred @ x / max(float(centred @ centred), 1e-300))
    return 0.0 if abs(slope) * float(np.ptp(y)) < _ROUNDING else slope


def phenotype_chart(y: Floats, x: Floats, slope: float, name: str) -> Chart:
    """Compose containment probabilities `x` over a phenotype `y`, or what covariates leave of both.

    Graphs are dots; in a large cohort an area holds the middle 80 % of graphs of similar phenotype.
    """
    chart = Chart(
        f"Containment probability of all graphs by {in_words(name)}: slope {slope:.3g} per unit.",
        with_margin(y.tolist(), 0.02),
        # Probabilities, so that charts can be compared; adjusted ones may lie a little beyond.
        (min(-0.03, float(x.min())), max(1.03, float(x.max()))),
        *(name, "containment probability"),
        y_ticks=(0.0, 0.5, 1.0),
    )
    if len(y) <= MOST_DOTS:
        chart.add("dots", zip(y, x, strict=True), "plain")
    else:
        parts = np.array_split(np.argsort(y, kind="stable"), _PARTS)
        at = np.array([y[part].mean() for part in parts])
        low, high = np.array([np.quantile(x[part], (0.1, 0.9)) for part in parts]).T
        # The upper edge from left to right, the lower one back.
        chart.add(
            "area", zip(np.r_[at, at[::-1]].tolist(), np.r_[high, low[::-1]].tolist(), strict=True), "plain"
        )
    ends = float(y.min()), float(y.max())
    chart.add("line", [(at, x.mean() + slope * (at - y.mean())) for at in ends], "mean")
    chart.add("note", [(chart.x[0], chart.y[1])], "", f"slope {slope:.3g} per unit")
    return chart


def _groups(
    X: object, y: object, subgraph: SubgraphLike, pos_label: object, several: bool = False
) -> tuple[Sequence[str], list[NDArray[np.float64]]]:
    """The names of the classes or groups, and the containment probabilities of the subgraph in each."""
    probability, space = edges_and_probability(X)
    probabilities = containment_probability(probability, check_subgraph(subgraph, space))
    if several and n_distinct(y) > 2:
        labels = label_column(y, probabilities.size)
        if labels.dtype.kind == "U":
            groups = np.unique(labels)
            return [str(group) for group in groups], [probabilities[labels == group] for group in groups]
    positive, _ = check_labels(y, probabilities.size, pos_label)
    return class_names(X, y, pos_label), [probabilities[positive], probabilities[~positive]]


@fill_doc
def plot_score_distribution(
    distribution: ScoreDistribution, *, phi: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how likely each score is, with expectation, median and mode, and the tail at or above phi.

    Up to 60 levels are stems as high as their probabilities. More are summed in bins of equal width, since
    single ones would blur.

    Parameters
    ----------
    distribution : ScoreDistribution
    phi : float, optional
        The smallest score that counts as discriminative; its tail is shaded and the phi-probability written
        down.
    %(ax)s

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", random_state=0)
    >>> distribution = dg.score_distribution(graphs, y, planted[0], "hsic")
    >>> ax = dg.plot.plot_score_distribution(distribution, phi=0.03)
    >>> ax.get_xlabel()
    'score F'
    """
    way_out = "Take it from score_distribution(X, y, subgraph)."
    check_kind(distribution, ScoreDistribution, "distribution", way_out)
    return draw_chart(score_chart(distribution, None if phi is None else real_number(phi, "phi")), ax)


def score_chart(distribution: ScoreDistribution, phi: float | None, label: str = "score F") -> Chart:
    """Compose the distribution of a score."""
    low, high = _range(distribution, phi)
    shown = (distribution.values >= low) & (distribution.values <= high)
    values, heights = distribution.values[shown], distribution.probabilities[shown]
    seen = heights > 1e-3 * heights.max(initial=0.0)  # lower ones have no visible height
    binned = int(seen.sum()) > _STEMS
    edges = np.linspace(low, high, _STEMS + 1)
    if binned:
        heights, _ = np.histogram(values, bins=edges, weights=heights)
    else:
        values, heights = values[seen], heights[seen]
    top, pad = float(heights.max(initial=0.0)) or 1.0, 0.03 * (high - low)
    measures = {name: getattr(distribution, name)() for name in ("expectation", "median", "mode")}
    words = ", ".join(f"{name} {value:.4g}" for name, value in measures.items())
    if phi is not None:
        words += f"; probability {distribution.phi_probability(phi):.4g} of at least {phi:g}"
    chart = Chart(
        f"Distribution of the {label}: {words}.",
        *((low - pad, high + pad), (0.0, _ROOM * top)),
        *(label, "probability of a bin" if binned else "probability"),
    )
    if phi is not None and phi < chart.x[1]:
        chart.shade(max(phi, chart.x[0]), 0.0, _ROOM * top)
    if binned:
        chart.add("area", steps(edges, heights), "plain")
    else:
        chart.add("stems", zip(values, heights, strict=True), "plain")
    rules = [
        (min(value, chart.x[1]), name, f"{name} {value:.3g}{' →' * (value > high)}")
        for name, value in measures.items()
    ]
    notes = []
    if phi is not None:
        notes.append(f"Pr[F ≥ {phi:.3g}] = {distribution.phi_probability(phi):.3g}")
    beyond = float(distribution.probabilities[distribution.values > high].sum())
    if beyond > 1e-3:
        notes.append(f"beyond: {beyond:.2g}, F up to {distribution.values[-1]:.4g}")
    chart.add_rules(rules, 0.0, _ROOM * top, notes)
    return chart


def _range(distribution: ScoreDistribution, phi: float | None) -> tuple[float, float]:
    """The range drawn: nearly all of the mass, median and mode; expectation if near, phi if very near."""
    values, total = distribution.values, np.cumsum(distribution.probabilities)
    high = distribution.quantile(0.9995)
    most = distribution.quantile(0.9)
    # A rare score that was infinite, capped at a thousand, would squeeze all others into a line.
    if high > 20 * abs(most) > 0:
        high = most
    low = float(values[min(int(np.searchsorted(total, 0.0005)), len(values) - 1)])
    marks = [distribution.median(), distribution.mode()]
    high, low = max(high, *marks), min(low, *marks)
    for mark, near in ((distribution.expectation(), 2.0), (phi, 0.5)):
        if mark is not None and low - near * (high - low) <= mark <= high + near * (high - low):
            high, low = max(high, mark), min(low, mark)
    if high - low <= 1e-12 * max(1.0, abs(high)):
        spare = 0.5 * max(abs(high), 0.1)
        high, low = high + spare, low - spare
    return low, high
