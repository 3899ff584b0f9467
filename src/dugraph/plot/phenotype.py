"""One subgraph over a phenotype: the containment probability of every graph, and its slope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dugraph.data import LabelledGraphs, UncertainGraphs
from dugraph.data.covariates import covariate_basis, covariate_matrix
from dugraph.data.phenotype import PHENOTYPE
from dugraph.exceptions import InputError
from dugraph.plot.axes import Axes, drawing_axes, drop_frame, size_in_inches
from dugraph.plot.colours import INK, POSITIVE
from dugraph.plot.text import plain
from dugraph.probability import containment_probability

_ROUNDING = 1e-12


def plot_phenotype(
    graphs: UncertainGraphs,
    y: ArrayLike,
    subgraph: Sequence[int],
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
    subgraph : sequence of int
        Edge indices.
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
    labelled = LabelledGraphs.of_any(graphs, y)
    if labelled.kind != PHENOTYPE:
        raise InputError(
            "y must be a continuous phenotype, numbers with more than two values, but has classes. Draw "
            "these with plot_containment.",
            parameter="y",
        )
    columns = covariate_matrix(covariates, labelled.graphs)
    basis = covariate_basis(columns, np.zeros(len(labelled), dtype=np.int64))
    values, x = (
        v - basis @ (basis.T @ v) for v in (labelled.y, containment_probability(labelled.graphs, subgraph))
    )
    centred = values - values.mean()
    slope = float(centred @ x / max(float(centred @ centred), 1e-300))
    if abs(slope) * float(np.ptp(values)) < _ROUNDING:  # covariates took all of it away
        slope = 0.0
    axes = drawing_axes(ax)
    axes.plot(
        values, x, linestyle="none", marker=POSITIVE.marker, markersize=5, color=POSITIVE.colour,
        markeredgecolor=INK, markeredgewidth=0.35, alpha=0.85,
    )  # fmt: skip
    ends = np.array([values.min(), values.max()])
    line = x.mean() + slope * (ends - values.mean())
    axes.plot(ends, line, color=INK, linewidth=1.8, label=f"slope {slope:.3g} per unit")
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -0.03), max(high, 1.03))  # probabilities, so that pictures can be compared
    adjusted = ", adjusted" if covariates is not None else ""
    room = 0.7 * size_in_inches(axes)[0]  # beside ", adjusted"
    axes.set_xlabel(f"{plain(name, room, 'medium')}{adjusted}")
    axes.set_ylabel(f"containment probability{adjusted}")
    axes.legend(loc="best", frameon=False, fontsize="small")
    drop_frame(axes)
    return axes
