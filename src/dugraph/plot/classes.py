"""One subgraph in the classes: how many graphs contain it, and how likely each is to contain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dugraph.data import UncertainGraphs, check_labels, class_names
from dugraph.data.class_labels import label_column
from dugraph.data.phenotype import n_distinct
from dugraph.plot.axes import Axes, drawing_axes, drop_frame, size_in_inches
from dugraph.plot.colours import INK, NEGATIVE, POSITIVE, ClassStyle, line_styles
from dugraph.plot.text import plain
from dugraph.probability import containment_probability
from dugraph.search import support_distribution

_SLICES = 45  # of the scale of probabilities, in each of which dots stand side by side


class _Group(NamedTuple):
    """The graphs of a class: its name and the containment probabilities of the subgraph in them."""

    name: str
    probabilities: NDArray[np.float64]
    style: ClassStyle


def plot_support_distributions(
    X: UncertainGraphs | ArrayLike,
    y: ArrayLike,
    subgraph: Sequence[int],
    *,
    pos_label: object = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many graphs of each class contain a subgraph: its two support distributions.

    Parameters
    ----------
    X : UncertainGraphs, or array-like of shape (n_graphs, n_edges)
    y : array-like of shape (n_graphs,)
        Two classes.
    subgraph : sequence of int
        Edge indices.
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
    >>> round(float(ax.lines[0].get_ydata().sum()), 9)
    1.0
    """
    groups = _groups(X, y, subgraph, pos_label)
    axes = drawing_axes(ax)
    low, high, top = len(groups[0].probabilities), 0, 0.0
    for group in groups:
        mass = support_distribution(group.probabilities)
        support = np.arange(len(mass))
        seen = np.flatnonzero(mass > 1e-3 * mass.max())
        low, high, top = min(low, int(seen[0])), max(high, int(seen[-1])), max(top, float(mass.max()))
        expected = float(group.probabilities.sum())
        axes.plot(
            support, mass, drawstyle="steps-mid", color=group.style.colour, linestyle=group.style.line,
            linewidth=1.8, label=f"{group.name}: {expected:.3g} of {len(group.probabilities)} expected",
        )  # fmt: skip
        axes.fill_between(
            support, mass, step="mid", facecolor=group.style.colour, edgecolor="white", alpha=0.45,
            hatch=group.style.hatch, linewidth=0,
        )  # fmt: skip
    axes.set_xlim(low - 1, high + 1)
    axes.set_ylim(0, 1.4 * top)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("graphs that contain the subgraph")
    axes.set_ylabel("probability")
    axes.legend(loc="upper center", frameon=False, fontsize="small", handlelength=2.2)
    drop_frame(axes)
    return axes


def plot_containment(
    X: UncertainGraphs | ArrayLike,
    y: ArrayLike,
    subgraph: Sequence[int],
    *,
    pos_label: object = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the containment probability of every graph as a dot, classes or groups side by side, with means.

    The mean of a class is the subgraph's expected frequency in it, as in results and reports.
    Dots of similar height are drawn side by side, always in the same places.

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
    >>> ax.get_ylabel()
    'containment probability'
    """
    groups = _groups(X, y, subgraph, pos_label, several=True)
    axes = drawing_axes(ax)
    size = float(np.clip(8.0 - 2 * np.log10(max(len(g.probabilities) for g in groups)), 2.0, 6.0))
    room = size_in_inches(axes)[0] * 72 / len(groups) * 0.7  # points
    fullest = max(int(np.bincount(_slices(g.probabilities)).max()) for g in groups)
    step = min(size * 1.05, room / max(fullest, 1)) / (room / 0.7)
    for place, group in enumerate(groups):
        axes.plot(
            place + step * _beside(group.probabilities), group.probabilities, linestyle="none",
            marker=group.style.marker, markersize=size, color=group.style.colour,
            markeredgecolor=INK, markeredgewidth=0.35, alpha=0.85,
        )  # fmt: skip
        mean = float(group.probabilities.mean())
        axes.plot((place - 0.38, place + 0.38), (mean, mean), color=INK, linewidth=1.8, zorder=4)
        axes.text(place + 0.4, mean, f"mean\n{mean:.2f}", ha="left", va="center", fontsize="small", zorder=5)
    names = [f"{group.name}\n(n = {len(group.probabilities)})" for group in groups]
    axes.set_xticks(range(len(groups)), names)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(groups) - 0.38)
    axes.set_ylim(-0.03, 1.03)
    axes.set_ylabel("containment probability")
    drop_frame(axes)
    return axes


def _groups(
    X: object, y: object, subgraph: Sequence[int], pos_label: object, several: bool = False
) -> list[_Group]:
    probabilities = containment_probability(X, subgraph)  # type: ignore[arg-type]
    if several and n_distinct(y) > 2:
        labels = label_column(y, probabilities.size)
        if labels.dtype.kind == "U":
            groups = np.unique(labels)
            styles = [ClassStyle(one["color"], one["marker"], "-", "") for one in line_styles(len(groups))]
            return [
                _Group(plain(str(group), 1.4), probabilities[labels == group], style)
                for group, style in zip(groups, styles, strict=True)
            ]
    positive, _ = check_labels(y, probabilities.size, pos_label)
    names = class_names(X, y, pos_label)
    both = (POSITIVE, NEGATIVE)
    return [
        _Group(plain(name, 1.4), probabilities[members], style)
        for name, members, style in zip(names, (positive, ~positive), both, strict=True)
    ]


def _slices(probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.asarray(np.minimum(probabilities * _SLICES, _SLICES - 1).astype(np.intp))


def _beside(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places next to the middle, in steps: the dots of a slice fill it from the middle outwards."""
    places = np.empty(len(probabilities))
    slices = _slices(probabilities)
    for one in np.unique(slices):
        members = np.flatnonzero(slices == one)
        members = members[np.argsort(probabilities[members], kind="stable")]
        places[members] = np.arange(len(members)) - (len(members) - 1) / 2
    return places
