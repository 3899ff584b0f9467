"""One subgraph in the classes, in groups or over a phenotype: how surely the graphs contain it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import LabelledGraphs, UncertainGraphs, check_labels, class_names
from dugraph.data.covariates import covariate_basis, covariate_matrix
from dugraph.data.graphs import edges_and_probability
from dugraph.data.labels import PHENOTYPE, label_column, n_distinct
from dugraph.data.subgraphs import SubgraphLike, check_subgraph
from dugraph.exceptions import InputError
from dugraph.plot.chart import Chart, Floats, draw_chart, scattered, steps, with_margin
from dugraph.plot.style import Axes, drawing_axes, one_line, plain, shorten, size_in_inches
from dugraph.probability import containment_probability
from dugraph.search import support_distribution

MOST_DOTS = 1000
"""Graphs of a group that are drawn one by one."""
_BINS = 50  # of the histogram of a larger group
_PARTS = 20  # of a phenotype, each with equally many graphs
_POINTS = 200  # of a line, which is not much wider in pixels
_NARROW = 0.2  # shares closer together than this get an axis of their own
_ROUNDING = 1e-12


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
    subgraph : sequence of int, sequence of str, or str
        Edge indices or names, as for `containment_probability`.
    pos_label : object, optional
        The positive class. Default: the last in sorted order.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

    Examples
    --------
    >>> import dugraph as dg
    >>> graphs, y, planted = dg.simulate("hiv", random_state=0)
    >>> ax = dg.plot.plot_support_distributions(graphs, y, planted[0])
    >>> ax.get_xlabel()
    'share of the class that contains the subgraph'
    """
    names, groups = _groups(X, y, subgraph, pos_label)
    axes = drawing_axes(ax)
    return draw_chart(support_chart([support_distribution(x) for x in groups], names), axes)


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
    axes = drawing_axes(ax)
    return draw_chart(containment_chart(groups, names), axes)


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
    """What stands for the graphs of these groups in `containment_chart`, in words."""
    few = [len(x) <= MOST_DOTS for x in groups]
    if all(few):
        return "a dot for each graph"
    return "dots or a histogram for the graphs" if any(few) else "a histogram of the graphs"


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
    subgraph : sequence of int, sequence of str, or str
        Edge indices or names, as for `containment_probability`.
    covariates : optional
        As for `mine_subgraphs`: removed from both axes, around their means, so the slope is the adjusted
        one.
    name : str, default "phenotype"
        The name of the phenotype.
    ax : matplotlib Axes, optional
        Default: that of a new figure.

    Returns
    -------
    matplotlib Axes
        The one drawn into.

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
    labelled = LabelledGraphs.of_phenotype(graphs, y)
    if labelled.kind != PHENOTYPE:
        raise InputError(
            "y must be a continuous phenotype, numbers with more than two values, but has classes. Draw "
            "these with plot_containment.",
            parameter="y",
        )
    x = containment_probability(labelled.graphs, check_subgraph(subgraph, labelled.graphs.naming))
    values, x = without_covariates(covariates, labelled.graphs, labelled.y, x)
    axes = drawing_axes(ax)
    adjusted = ", adjusted" if covariates is not None else ""
    room = 0.7 * size_in_inches(axes)[0]  # beside ", adjusted"
    chart = phenotype_chart(values, x, slope_of(values, x), f"{plain(name, room, 'medium')}{adjusted}")
    draw_chart(chart, axes)
    axes.set_ylabel(f"containment probability{adjusted}")
    return axes


def without_covariates(covariates: Any, graphs: UncertainGraphs, *values: Floats) -> list[Floats]:
    """What covariates leave of each value, around its mean; without covariates the values themselves."""
    basis = covariate_basis(covariate_matrix(covariates, graphs), np.zeros(graphs.n_graphs, dtype=np.int64))
    return [v - basis @ (basis.T @ v) for v in values]


def slope_of(y: Floats, x: Floats) -> float:
    """The slope of x over y; 0 where only rounding is left."""
    centred = y - y.mean()
    slope = float(centred @ x / max(float(centred @ centred), 1e-300))
    return 0.0 if abs(slope) * float(np.ptp(y)) < _ROUNDING else slope


def phenotype_chart(y: Floats, x: Floats, slope: float, name: str) -> Chart:
    """Compose containment probabilities over a phenotype, with the line of the slope.

    Graphs are dots; in a large cohort an area holds the middle 80 % of graphs of similar phenotype.

    Parameters
    ----------
    y, x : ndarray of shape (n_graphs,)
        The phenotype and the containment probabilities, or what covariates leave of both.
    slope : float
    name : str
        The name of the phenotype.
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
        chart.add("area", _middle(y, x), "plain")
    ends = float(y.min()), float(y.max())
    line = [(at, x.mean() + slope * (at - y.mean())) for at in ends]
    chart.add("line", line, "mean")
    corner = (chart.x[0], chart.y[1])
    chart.add("note", [corner], "", f"slope {slope:.3g} per unit")
    return chart


def _middle(y: Floats, x: Floats) -> list[tuple[float, float]]:
    """Around the middle 80 % of the graphs: the upper edge from left to right, the lower one back."""
    parts = np.array_split(np.argsort(y, kind="stable"), _PARTS)
    at = [float(y[part].mean()) for part in parts]
    low, high = np.array([np.quantile(x[part], (0.1, 0.9)) for part in parts]).T
    upper = list(zip(at, high.tolist(), strict=True))
    return upper + list(zip(at, low.tolist(), strict=True))[::-1]


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


def in_words(name: str) -> str:
    """A name within a sentence."""
    return shorten(one_line(name), 40)
